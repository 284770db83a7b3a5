import type { DialectName } from '../../lib/database'
import type { Fault } from '../../lib/errors'
import { faultsOfType } from '../../lib/http'
import { type Column, type Model, modelNamed, type Schema } from '../../lib/schema'

/** Weights of attributes, from 1 to 1000: `{ title: 3, body: 1 }`. */
export type SearchedAttributes = Readonly<Record<string, number>>

/** The searched types by their singular names: `{ article: { title: 3, body: 1 } }`. */
export type SearchedTypes = Readonly<Record<string, SearchedAttributes>>

export const attributesOf = (types: SearchedTypes, { singularName, uid }: Model): SearchedAttributes | null =>
  types[uid] ?? (uid.startsWith('api::') ? types[singularName] : undefined) ?? null

/** An attribute that the role sees, with its weight. */
export interface WeightedColumn {
  readonly column: Column
  readonly weight: number
}

/** The searched attributes of a model. The model of a role lacks the attributes that are hidden from the role. */
export const searchedColumns = (model: Model, attributes: SearchedAttributes): readonly WeightedColumn[] =>
  Object.entries(attributes).flatMap(([name, weight]) => {
    const column = model.columns.get(name)
    return column === undefined ? [] : [{ column, weight }]
  })

export const searchedModels = (schema: Schema, types: SearchedTypes): readonly Model[] =>
  [...schema.models.values()].filter((model) => attributesOf(types, model) !== null)

/** Each attribute adds conditions and scores to the statement of a search. */
const mostAttributes = 8
const largestWeight = 1000

function faultsOfAttribute(where: string, model: Model, name: string, weight: unknown): Fault[] {
  const column = model.columns.get(name)
  if (column === undefined) {
    const problem = `${model.uid} has no public attribute ${name}`
    return [{ where, problem, remedy: 'use an attribute that responses can contain' }]
  }
  if (column.type !== 'string') return [{ where, problem: `${name} is not a text` }]
  const isWeight = Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= largestWeight
  return isWeight
    ? []
    : [{ where, problem: `the weight of an attribute must be an integer from 1 to ${String(largestWeight)}` }]
}

function faultsOfSearched(schema: Schema, type: string, attributes: unknown): readonly Fault[] {
  const where = `search.${type}`
  const model = modelNamed(schema, type)
  if (model === undefined) return faultsOfType(where, type, schema)
  if (typeof attributes !== 'object' || attributes === null || Object.keys(attributes).length === 0)
    return [
      {
        where,
        problem: 'the weights of a type must be an object',
        remedy: 'write weights such as { title: 3, body: 1 }',
      },
    ]
  if (model.kind === 'component')
    return [{ where, problem: `${model.uid} is a component, but only content types can be searched` }]
  const entries = Object.entries(attributes as Record<string, unknown>)
  if (entries.length > mostAttributes)
    return [{ where, problem: `a search can use at most ${String(mostAttributes)} attributes of a type` }]
  return entries.flatMap(([name, weight]) => faultsOfAttribute(`${where}.${name}`, model, name, weight))
}

/** The rows of an FTS5 table have integers as keys. */
const keysOfSqlite = ['integer', 'biginteger']

export function faultsOfSearch(
  schema: Schema,
  types: unknown,
  dialect: DialectName | null,
): readonly Fault[] {
  if (typeof types !== 'object' || types === null)
    return [
      {
        where: 'search',
        problem: 'the argument of search() must be an object',
        remedy: 'write search({ article: { title: 1 } })',
      },
    ]
  const unfit = searchedModels(schema, types as SearchedTypes).filter(
    ({ key }) => dialect === 'sqlite' && !keysOfSqlite.includes(key.type),
  )
  return [
    ...Object.entries(types).flatMap(([type, attributes]) => faultsOfSearched(schema, type, attributes)),
    ...unfit.map(({ uid }) => ({
      where: 'search',
      problem: `search() on SQLite requires integer keys, but the key of ${uid} is not an integer`,
    })),
  ]
}
