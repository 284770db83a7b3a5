import { lstatSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { readCodeText } from './code-text'
import { configScope, staticOf } from './config-scope'
import type { Environment } from './dot-env'
import { evaluateExports } from './evaluate'
import type { ReadingBudget } from './reading-budget'
import type { ModuleExports } from './scope'

/** What a file of the configuration is read with, and those of the project that it imports. */
export interface ConfigReading {
  readonly root: string
  readonly env: Environment
  /** Compiled files lie a folder deeper, and say so in the paths that they make. */
  readonly isCompiled: boolean
  readonly budget: ReadingBudget
}

function parsed(text: string): ModuleExports | null {
  try {
    return { isCommon: true, named: new Map([['default', staticOf(JSON.parse(text))]]) }
  } catch {
    return null
  }
}

/** Nothing is looked for below what is no folder. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** The one file of the project that a path may mean; null where it may mean several. */
function fileAt(place: string, { root, isCompiled }: ConfigReading): string | null {
  if (/(^|[\\/])(\.\.|node_modules)([\\/]|$)/.test(place)) return null
  const endings = [...(isCompiled ? ['.ts'] : []), '.js', '.json']
  const within = isFolder(join(root, place)) ? [join(place, 'index')] : []
  const bases = [place, ...within, ...(isCompiled ? [place.replace(/\.js$/, '')] : [])]
  const named = bases.flatMap((base) => endings.map((end) => base + end))
  const found = [...new Set([place, ...named])].filter((one) => isFile(join(root, one)))
  const [file] = found
  return found.length === 1 && file !== undefined && endings.includes(extname(file)) ? file : null
}

/** Reads a file of a project, and what it imports from beside it, each once. */
export function importedFiles(reading: ConfigReading): (place: string) => ModuleExports | null {
  const { root, env, isCompiled, budget } = reading
  const known = new Map<string, ModuleExports | null>()

  function look(place: string): ModuleExports | null {
    const code = readCodeText(join(root, place))
    if ('unread' in code) return null
    if (extname(place) === '.json') return parsed(code.text)
    const runs = join(root, isCompiled ? 'dist' : '', place.replace(/\.ts$/, '.js'))
    const scope = configScope(runs, root, env, (path) => {
      const file = fileAt(join(dirname(place), path), reading)
      return file === null ? null : open(file)
    })
    return evaluateExports(code.text, scope, budget)
  }

  function open(place: string): ModuleExports | null {
    if (!known.has(place)) {
      // Who comes here while it is read comes around in a circle.
      known.set(place, null)
      known.set(place, look(place))
    }
    return known.get(place) ?? null
  }
  return open
}
