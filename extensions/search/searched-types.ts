import { isTable } from '../../lib/config'
import type { DialectName } from '../../lib/database'
import type { Fault } from '../../lib/errors'
import { faultsOfType } from '../../lib/http'
import { type Column, type Model, modelNamed, type Schema } from '../../lib/schema'
import { areLanguages, type SearchLanguages } from './languages'

/** Weights of attributes, from 1 to 1000: `{ title: 3, body: 1 }`. */
export type SearchedAttributes = Readonly<Record<string, number>>

/** The searched types by their singular names: `{ article: { title: 3, body: 1 } }`. */
export type SearchedTypes = Readonly<Record<string, SearchedAttributes>>

export interface SearchSettings {
  readonly types: SearchedTypes
  readonly languages: SearchLanguages
}

export const attributesOf = (types: SearchedTypes, { singularName, uid }: Model): SearchedAttributes | null =>
  types[uid] ?? (uid.startsWith('api::') ? types[singularName] : undefined) ?? null

/** An attribute that the role sees, with its weight. */
export interface WeightedColumn {
  readonly column: Column
  readonly weight: number
}

/** The searched attributes of a model. The model of a role lacks the attributes that are hidden from the role. */
export const searchedColumns = (types: SearchedTypes, model: Model): readonly WeightedColumn[] =>
  Object.entries(attributesOf(types, model) ?? {}).flatMap(([name, weight]) => {
    const column = model.columns.get(name)
    return column === undefined ? [] : [{ column, weight }]
  })

export const searchedModels = (schema: Schema, types: SearchedTypes): readonly Model[] =>
  [...schema.models.values()].filter((model) => attributesOf(types, model) !== null)

/** Each attribute adds conditions and scores to the statement of a search. */
const mostAttributes = 8
const largestWeight = 1000

/** The rows of an FTS5 table have integers as keys. */
const keysOfSqlite = ['integer', 'biginteger']

function faultsOfSearched(
  schema: Schema,
  dialect: DialectName | null,
  type: string,
  attributes: unknown,
): readonly Fault[] {
  const where = `search.${type}`
  const model = modelNamed(schema, type)
  if (model === undefined) return faultsOfType(where, type, schema)
  if (model.kind === 'component')
    return [{ where, problem: `${model.uid} is a component, but only content types can be searched` }]
  if (dialect === 'sqlite' && !keysOfSqlite.includes(model.key.type)) {
    const problem = `search() on SQLite requires integer keys, but the key of ${model.uid} is not an integer`
    return [{ where, problem }]
  }
  const entries = isTable(attributes) ? Object.entries(attributes) : []
  if (entries.length === 0 || entries.length > mostAttributes) {
    const problem = `the weights of a type must be an object with 1 to ${String(mostAttributes)} attributes`
    return [{ where, problem, remedy: 'write weights such as { title: 3, body: 1 }' }]
  }
  return entries.flatMap(([name, weight]): Fault[] => {
    const own = `${where}.${name}`
    if (model.columns.get(name)?.type !== 'string')
      return [{ where: own, problem: `${model.uid} has no public text attribute ${name}` }]
    const isWeight = Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= largestWeight
    const problem = `the weight of an attribute must be an integer from 1 to ${String(largestWeight)}`
    return isWeight ? [] : [{ where: own, problem }]
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
  const faults = Object.entries(types).flatMap(([type, attributes]) =>
    faultsOfSearched(schema, dialect, type, attributes),
  )
  return areLanguages(languages) ? faults : [...faults, wrongLanguages]
}
