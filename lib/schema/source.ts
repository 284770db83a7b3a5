import type { Definition, FoundDefinition } from './declared'
import { isRecord, type FoundFiles, readPaths, singularNameOf } from './read-paths'
import type { Uid } from './model'

/** A folder with its subfolders, several folders, or definitions. */
export type DefinitionSource = string | readonly string[] | readonly Definition[]

function foundAt(definition: unknown, place: number): FoundFiles {
  const where = `contentTypes[${String(place)}]`
  const refuse = (problem: string, remedy: string): FoundFiles => ({
    found: [],
    faults: [{ where, problem, remedy }],
  })
  if (!isRecord(definition)) return refuse('is no definition', 'an object, or else paths only')
  const { uid } = definition
  const name = typeof uid === 'string' ? uid : undefined
  const component = definition['kind'] === undefined && name?.includes('::') !== true
  if (component && name?.includes('.') !== true) {
    return refuse(
      'neither has a kind nor the uid of a component',
      '"kind": "collectionType", or "uid": "shared.seo"',
    )
  }
  if (!component && name !== undefined && !/^(api|plugin)::[\w-]+\.[\w-]+$/.test(name)) {
    return refuse(`${JSON.stringify(name)} is no uid of a content type`, 'as in api::article.article')
  }
  const singular = singularNameOf(definition, where)
  const found: FoundDefinition = {
    where,
    uid: (name ?? `api::${singular}.${singular}`) as Uid,
    component,
    value: definition,
  }
  return { found: [found], faults: [] }
}

const isList = (source: unknown): source is readonly unknown[] => Array.isArray(source)

const arePaths = (source: readonly unknown[]): source is readonly string[] =>
  source.every((part) => typeof part === 'string')

export function readSource(source: DefinitionSource): FoundFiles {
  if (typeof source === 'string') return readPaths([source])
  const given: unknown = source
  if (!isList(given)) {
    const problem = `is ${given === undefined ? 'missing' : 'neither a path nor a list'}`
    const remedy = 'a folder, several folders, or a list of definitions'
    return { found: [], faults: [{ where: 'contentTypes', problem, remedy }] }
  }
  if (given.length === 0) {
    const remedy = 'a folder, several folders, or definitions'
    return { found: [], faults: [{ where: 'contentTypes', problem: 'is an empty list', remedy }] }
  }
  if (arePaths(source)) return readPaths(source)
  const readings = source.map(foundAt)
  return { found: readings.flatMap(({ found }) => found), faults: readings.flatMap(({ faults }) => faults) }
}
