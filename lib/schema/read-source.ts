import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Fault } from '../errors'
import type { Definition, FoundDefinition, Uid } from './declared'
import { folderName } from './names'

/** Also true without a fault. Some errors have no position. */
function isRightToItsEnd(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const [, position] = /at position (\d+)/.exec(message) ?? []
    return position === undefined ? message.startsWith('Unexpected end') : Number(position) === text.length
  }
}

/** Line and column as editors count them. */
function jsonPlace(text: string): string {
  let [right, wrong] = [0, text.length + 1]
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    if (isRightToItsEnd(text.slice(0, middle))) right = middle
    else wrong = middle
  }
  const before = text.slice(0, right).split('\n')
  return `line ${String(before.length)}, column ${String((before.at(-1) ?? '').length + 1)}`
}

const inProject = /[\\/](src[\\/](?:admin|api|components|extensions|plugins)(?:[\\/].*)?)$/

export function deniedAt(error: unknown): string | undefined {
  const { code, path } = Object(error) as Partial<NodeJS.ErrnoException>
  return code === 'EACCES' || code === 'EPERM' ? path : undefined
}

/** The system's own message names the folders above the project. */
export const deniedFault = (place: string): Fault => ({
  where: inProject.exec(place)?.[1] ?? place,
  problem: 'the process is not allowed to read the file',
  remedy: 'grant the process read access to the file',
})

const inCode = /\/api\/[^/]+\/content-types\/[^/]+\/schema\.[jt]s$/

/** Code is not run here, unlike in Strapi. */
function writtenInCode(path: string, entries: readonly Dirent[]): readonly Fault[] {
  const code = entries.find(({ name }) => inCode.test(segmentsOf(join(path, name)).join('/')))
  if (code === undefined || entries.some(({ name }) => name === 'schema.json')) return []
  const problem = `the router reads only JSON definitions, and does not run ${code.name}`
  return [{ where: path, problem, remedy: 'write the definition as JSON in a file schema.json' }]
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The definitions of files, in the order of paths, and their faults. */
export class FoundFiles {
  readonly found: FoundDefinition[] = []
  readonly faults: Fault[] = []
  /** Types whose files hold no JSON. */
  readonly unread: Uid[] = []
  /** Folders of a Strapi project that are ignored. */
  readonly passedOver: Fault[] = []
  readonly seen = new Set<string>()
}

const segmentsOf = (path: string): readonly string[] => resolve(path).split(/[\\/]/)

const withoutEnding = (path: string): string => basename(path, '.json')

function componentAt(path: string): Uid | undefined {
  const [components, category] = segmentsOf(path).slice(-3)
  return components === 'components' ? (`${String(category)}.${withoutEnding(path)}` as Uid) : undefined
}

const ofPlugin = /\/src\/plugins\/([^/]+)\/server\/(?:src\/)?content-types\//

/** The folders of a Strapi project name the owner of a type. */
function contentTypeAt(path: string, name: string): Uid {
  const segments = segmentsOf(path)
  const [, plugin] = ofPlugin.exec(segments.join('/')) ?? []
  if (plugin !== undefined) return `plugin::${plugin}.${name}` as Uid
  const [from, owner, folder] = segments.slice(-5)
  if (folder === 'content-types' && from === 'extensions')
    return `plugin::${String(owner)}.${String(segments.at(-2))}` as Uid
  if (folder === 'content-types' && from === 'api') return `api::${folderName(String(owner))}.${name}` as Uid
  return `api::${name}.${name}` as Uid
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A missing `singularName` is reported elsewhere; the name of the file stands in for it. */
function singularNameOf(value: Readonly<Record<string, unknown>>, otherwise: string): string {
  const info = value['info']
  const name = isRecord(info) ? info['singularName'] : undefined
  return typeof name === 'string' ? name : otherwise
}

/** A type in a Strapi project may leave out its defaults. */
function typeIn(path: string, value: FoundDefinition['value']): FoundDefinition['value'] | undefined {
  const [from, , folder] = segmentsOf(path).slice(-5)
  if (folder !== 'content-types' || withoutEnding(path) !== 'schema') return undefined
  // The plugin's values stay.
  if (from === 'extensions') return value
  const usual = { kind: 'collectionType', collectionName: singularNameOf(value, '') }
  return from === 'api' && isRecord(value['info']) ? { ...usual, ...value } : undefined
}

const nameAt = (path: string): string =>
  withoutEnding(path) === 'schema' ? folderName(String(segmentsOf(path).at(-2))) : withoutEnding(path)

function addFound(path: string, value: unknown, { found, faults }: FoundFiles): void {
  const component = componentAt(path)
  if (!isRecord(value)) {
    if (component !== undefined)
      faults.push({ where: path, problem: 'the file contains no definition', remedy: 'write a JSON object' })
  } else if (component !== undefined) found.push({ where: path, uid: component, component: true, value })
  else {
    // A type without a kind is reported, so that links to it are no faults.
    const looksLikeType = 'kind' in value || (isRecord(value['info']) && 'singularName' in value['info'])
    const type = typeIn(path, value) ?? (looksLikeType ? value : undefined)
    if (type === undefined) return
    const uid = contentTypeAt(path, singularNameOf(value, nameAt(path)))
    found.push({ where: path, uid, component: false, value: type })
  }
}

const ofProject = /\/src\/(?:admin|api|extensions|plugins)\//
const ofType = /\/content-types\/[^/]+\/schema\.json$/

function readFile(path: string, files: FoundFiles): void {
  const place = segmentsOf(path).join('/')
  // Other JSON in these folders of a Strapi project may hold comments.
  if (ofProject.test(place) && !ofType.test(place)) return
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = reason(error).replace(/ (in JSON )?at position .*$/, '')
    files.faults.push({ where: path, problem: `the JSON is invalid at ${jsonPlace(text)}: ${message}` })
    // The type of a broken file is not reported as missing, too.
    files.unread.push(componentAt(path) ?? contentTypeAt(path, nameAt(path)))
    return
  }
  addFound(path, value, files)
}

function readFolder(path: string, files: FoundFiles): void {
  const entries = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  files.passedOver.push(...writtenInCode(path, entries))
  for (const { name } of entries) readPath(join(path, name), files)
}

/** Links are followed. A folder is read once, even if it contains itself. */
function readPath(path: string, files: FoundFiles): void {
  const { seen, faults } = files
  const isJson = path.endsWith('.json')
  try {
    const real = realpathSync(path)
    if (seen.has(real)) return
    const stat = statSync(real)
    if (!stat.isDirectory() && !(stat.isFile() && isJson)) return
    seen.add(real)
    if (stat.isDirectory()) readFolder(path, files)
    else readFile(path, files)
  } catch (error) {
    const denied = deniedAt(error)
    if (denied !== undefined) faults.push(deniedFault(denied))
    else if (isJson) faults.push({ where: path, problem: `the file cannot be read: ${reason(error)}` })
  }
}

function readPaths(paths: readonly string[]): FoundFiles {
  const files = new FoundFiles()
  const { found, faults, passedOver } = files
  const remedy = 'correct the path. A relative path starts at the working directory of the process'
  for (const where of paths)
    if (!existsSync(where)) faults.push({ where, problem: 'the definitions folder does not exist', remedy })
  // All links to the missing types would be faults, too.
  if (faults.length > 0) return files
  for (const path of paths) readPath(path, files)
  if (found.length > 0 || faults.length > 0) return files
  const empty = {
    ...{ where: paths.join(', '), problem: 'the folder contains no definitions' },
    remedy: 'add JSON files with the key "kind", or components/<category>/<name>.json',
  }
  // Strapi starts without any type.
  if (paths.some((path) => existsSync(join(path, 'api')))) passedOver.splice(0, Infinity, empty)
  else faults.push(empty)
  return files
}

/** A folder with its subfolders, several folders, or definitions. */
export type DefinitionSource = string | readonly string[] | readonly Definition[]

function definitionAt(definition: unknown, place: number): FoundDefinition | Fault {
  const where = `contentTypes[${String(place)}]`
  if (!isRecord(definition)) {
    const remedy = 'fill the list contentTypes with definitions only, or with paths only'
    return { where, problem: 'a definition must be an object', remedy }
  }
  const { uid } = definition
  const name = typeof uid === 'string' ? uid : undefined
  const component = definition['kind'] === undefined && name?.includes('::') !== true
  if (component && name?.includes('.') !== true) {
    const remedy = 'add "kind": "collectionType" to a content type, or "uid": "shared.seo" to a component'
    return { where, problem: 'the definition must have the key "kind", or the "uid" of a component', remedy }
  }
  if (!component && name !== undefined && !/^(api|plugin)::[\w-]+\.[\w-]+$/.test(name)) {
    const problem = `${JSON.stringify(name)} is not the uid of a content type`
    return { where, problem, remedy: 'use a uid such as api::article.article' }
  }
  const singular = singularNameOf(definition, where)
  return { where, uid: (name ?? `api::${singular}.${singular}`) as Uid, component, value: definition }
}

export function readSource(source: DefinitionSource): FoundFiles {
  if (typeof source === 'string') return readPaths([source])
  const given: unknown = source
  const parts: readonly unknown[] = Array.isArray(given) ? given : []
  const paths = parts.filter((part) => typeof part === 'string')
  if (parts.length > 0 && paths.length === parts.length) return readPaths(paths)
  const files = new FoundFiles()
  if (parts.length === 0) {
    const wrong = given === undefined ? 'the option is missing' : 'the value must be a path or a list'
    const problem = Array.isArray(given) ? 'the list is empty' : wrong
    const remedy = 'set contentTypes to a folder, several folders, or a list of definitions'
    files.faults.push({ where: 'contentTypes', problem, remedy })
  }
  for (const one of parts.map(definitionAt)) {
    if ('problem' in one) files.faults.push(one)
    else files.found.push(one)
  }
  return files
}
