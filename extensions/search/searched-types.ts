import { isTable } from '../../lib/config'
import type { DialectName } from '../../lib/database'
import type { Fault } from '../../lib/errors'
import { faultsOfType } from '../../lib/http'
import { attributeAt, type Column, type Model, modelNamed, type Schema } from '../../lib/schema'
import { once } from '../../lib/memory'
import { areLanguages, type SearchLanguages } from './languages'

/** Weights of attributes, from 1 to 1000. A path leads to linked entries or a component: `{ title: 3, 'author.name': 2 }`. */
export type SearchedAttributes = Readonly<Record<string, number>>

/** The searched types by their singular names: `{ article: { title: 3, body: 1 } }`. */
export type SearchedTypes = Readonly<Record<string, SearchedAttributes>>

export interface SearchSettings {
  readonly types: SearchedTypes
  readonly languages: SearchLanguages
}

export const attributesOf = (types: SearchedTypes, { singularName, uid }: Model): SearchedAttributes | null =>
  types[uid] ?? (uid.startsWith('api::') ? types[singularName] : undefined) ?? null

export const searchedModels = (schema: Schema, types: SearchedTypes): readonly Model[] =>
  [...schema.models.values()].filter((model) => attributesOf(types, model) !== null)

/** The searched columns of each table. */
export function indexedColumns(schema: Schema, types: SearchedTypes): Map<Model, Set<Column>> {
  const indexed = new Map<Model, Set<Column>>()
  for (const own of searchedModels(schema, types))
    for (const path of Object.keys(attributesOf(types, own) ?? {})) {
      const found = attributeAt(schema, own, path)
      if (found !== null) once(indexed, found.model, () => new Set<Column>()).add(found.column)
    }
  return indexed
}

/** Each attribute adds conditions and scores to the statement of a search. */
const mostAttributes = 8
const largestWeight = 1000

/** The rows of an FTS5 table have integers as keys. */
const keysOfSqlite = ['integer', 'biginteger']

const problemOfWeight = (weight: unknown): string | null =>
  Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= largestWeight
    ? null
    : `the weight of an attribute must be an integer from 1 to ${String(largestWeight)}`

function problemOfPath(schema: Schema, dialect: DialectName | null, own: Model, path: string): string | null {
  const found = attributeAt(schema, own, path)
  if (found?.column.type !== 'string') return `${own.uid} has no public text attribute ${path}`
  return dialect !== 'sqlite' || keysOfSqlite.includes(found.model.key.type)
    ? null
    : `search() on SQLite requires integer keys, but the key of ${found.model.uid} is not an integer`
}

function faultsOfSearched(
  schema: Schema,
  dialect: DialectName | null,
  [type, attributes]: readonly [string, unknown],
): readonly Fault[] {
  const where = `search.${type}`
  const model = modelNamed(schema, type)
  if (model === undefined) return faultsOfType(where, type, schema)
  if (model.kind === 'component')
    return [{ where, problem: `${model.uid} is a component, but only content types can be searched` }]
  const entries = isTable(attributes) ? Object.entries(attributes) : []
  if (entries.length === 0 || entries.length > mostAttributes) {
    const problem = `the weights of a type must be an object with 1 to ${String(mostAttributes)} attributes`
    return [{ where, problem, remedy: 'write weights such as { title: 3, body: 1 }' }]
  }
  return entries.flatMap(([path, weight]): Fault[] => {
    const problem = problemOfPath(schema, dialect, model, path) ?? problemOfWeight(weight)
    return problem === null ? [] : [{ where: `${where}.${path}`, problem }]
  })
}

const wrongLanguages: Fault = {
  where: 'search.languages',
  problem: 'languages must be an object with a text search configuration of PostgreSQL for each locale',
  remedy: `write languages: { en: 'english' }`,
}

export function faultsOfSearch(
  schema: Schema,
  { types, languages }: { readonly types: unknown; readonly languages: unknown },
  dialect: DialectName | null,
): readonly Fault[] {
  if (!isTable(types) || Object.keys(types).length === 0) {
    const remedy = 'write search({ article: { title: 1 } })'
    return [{ where: 'search', problem: 'search() must list at least one type', remedy }]
  }
  const faults = Object.entries(types).flatMap((one) => faultsOfSearched(schema, dialect, one))
  return areLanguages(languages) ? faults : [...faults, wrongLanguages]
}
