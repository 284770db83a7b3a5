import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentTypesConfig } from '../../lib/config'
import type { Source } from './arguments'
import { misuse, type Misuse } from './parse-words'

/** Looked for where none is named. */
const configFiles = ['js', 'cjs', 'mjs'].map((extension) => `content-router.config.${extension}`)

/** Neither flags nor a file say where anything is. */
export const isUnsaid = (source: Source): boolean =>
  source.kind === 'file' && source.file === null && !configFiles.some((name) => existsSync(name))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function isConfig(value: unknown): value is ContentTypesConfig {
  return isObject(value) && 'contentTypes' in value && 'database' in value
}

const defaultOf = (value: unknown): unknown => (isObject(value) ? value['default'] : undefined)

/**
 * What `import` makes of a CommonJS module, and of one that a compiler made, is wrapped once and twice. Beside the whole stand
 * those of its names that Node can guess, and a part of a config would look like one.
 */
function exported(module: unknown): unknown {
  const whole = defaultOf(module)
  return [defaultOf(whole), whole, module].find(isConfig)
}

async function readFile(file: string): Promise<ContentTypesConfig | Misuse> {
  const path = resolve(file)
  if (!existsSync(path)) return misuse(`there is no ${file}`)
  try {
    const config = exported(await import(pathToFileURL(path).href))
    return isConfig(config) ? config : misuse(`${file} exports no object with contentTypes and database`)
  } catch (error) {
    return misuse(`${file} cannot be loaded: ${error instanceof Error ? error.message : 'it threw'}`)
  }
}

export async function readConfigFile(source: Source): Promise<ContentTypesConfig | Misuse> {
  if (source.kind === 'folders') return { contentTypes: source.folders, database: {} }
  if (source.kind === 'flags') {
    const { client, folders } = source
    const connection = client === 'better-sqlite3' ? { filename: source.connection } : source.connection
    return { contentTypes: folders, database: { client, connection } }
  }
  const file = source.file ?? configFiles.find((name) => existsSync(name))
  if (file === undefined) return misuse(`no --config given, and there is no ${configFiles.join(', ')} here`)
  return readFile(file)
}
