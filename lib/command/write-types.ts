import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { wholeConfigOf } from '../config'
import { contentTypes } from '../describe'
import { ConfigError } from '../errors'
import { type Audience, toldTypes, wrongPermissions } from '../http'
import { readSchema } from '../schema'
import type { TypesAsked } from './arguments'
import { type CheckedConfig, grantsIn } from './checked-config'
import type { ExitCode, Output } from './output'

/** How the types were made says how to make them again. */
function headOf({ words }: TypesAsked): string {
  const again = words.filter((word) => word !== '--check' && word !== '--watch')
  return `// Made by: content-router ${again.join(' ')}\n// Do not change it: make it again.\n\n`
}

function audienceOf(config: CheckedConfig, role: string | null): Audience {
  if (role === null) return 'all'
  const table = grantsIn(config)
  if (table !== null) return { role, table }
  const problem = 'what a function or the database grants is asked at each request, and no table holds it'
  throw new ConfigError([{ where: 'permissions', problem, remedy: 'write the types without --role' }])
}

function textOf(given: CheckedConfig, writing: TypesAsked): string {
  const config = wholeConfigOf(given)
  const schema = readSchema(config.contentTypes, undefined, config)
  const faults = [...wrongPermissions(config, schema)]
  if (faults.length > 0) throw new ConfigError(faults)
  const { types, options } = toldTypes(config, schema, audienceOf(given, writing.role))
  return headOf(writing) + contentTypes(types, schema, options)
}

const standing = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

function writeOnce(config: CheckedConfig, writing: TypesAsked, output: Output): ExitCode {
  const { out, when } = writing
  const text = textOf(config, writing)
  if (out === null) {
    output.print(text.trimEnd())
    return 0
  }
  // What stands is left alone, so that nothing that watches the file starts again for nothing.
  const isUpToDate = standing(out) === text
  if (when === 'never, but compare') {
    if (isUpToDate) return 0
    output.complain(`${out} is out of date: run the same without --check`)
    return 1
  }
  if (!isUpToDate) writeFileSync(out, text)
  output.print(isUpToDate ? `${out} is up to date.` : `${out} is written.`)
  return 0
}

const foldersOf = ({ contentTypes: source }: CheckedConfig): readonly string[] =>
  [source].flat().filter((one) => typeof one === 'string')

/** Several files change at once where somebody saves them all, or takes another branch. */
const restMs = 100

/** Several folders may change at once, too. */
async function writeAtChanges(
  write: () => void,
  folders: readonly string[],
  until?: AbortSignal,
): Promise<void> {
  let waiting: NodeJS.Timeout | undefined
  const watching = (folder: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watcher = watch(folder, { recursive: true, ...(until && { signal: until }) }, (_event, name) => {
        if (name?.endsWith('.json') === false) return
        clearTimeout(waiting)
        waiting = setTimeout(write, restMs)
      })
      watcher.on('close', resolve).on('error', reject)
    })
  await Promise.all(folders.map(watching)).finally(() => {
    clearTimeout(waiting)
  })
}

/** Goes on until the process is ended: a definition that is wrong for a moment ends nothing. */
export async function writeTypes(
  config: CheckedConfig,
  writing: TypesAsked,
  output: Output,
): Promise<ExitCode> {
  if (writing.when !== 'on change') return writeOnce(config, writing, output)
  const write = (): void => {
    try {
      writeOnce(config, writing, output)
    } catch (error) {
      output.complain(error instanceof Error ? error.message : String(error))
    }
  }
  write()
  await writeAtChanges(write, foldersOf(config), output.until)
  return 0
}
