import { isTable } from '../../lib/config'
import type { DialectName } from '../../lib/database'
import { type Fault, faultAt } from '../../lib/errors'
import { faultsOfType } from '../../lib/http'
import {
  attributeAt,
  type Column,
  didYouMean,
  type Model,
  modelNamed,
  modelOf,
  type Schema,
} from '../../lib/schema'
import { once } from '../../lib/memory'
import type { SearchLanguages } from './languages'

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

/** The paths of texts of a type, and of the entries that it links. */
function textPaths(schema: Schema, own: Model): readonly string[] {
  const linked = [...own.links.values()].flatMap(({ name, targets }) =>
    targets.flatMap((uid) => [...modelOf(schema, uid).columns.keys()].map((column) => `${name}.${column}`)),
  )
  const paths = [...own.columns.keys(), ...linked]
  return paths.filter((path) => attributeAt(schema, own, path)?.column.type === 'string')
}

/** Each attribute adds conditions and scores to the statement of a search. */
const mostAttributes = 8
const largestWeight = 1000

interface SchemaOn {
  readonly schema: Schema
  readonly dialect: DialectName | null
}

type SearchedEntry = readonly [name: string, value: unknown]

function problemOf({ schema, dialect }: SchemaOn, own: Model, [path, weight]: SearchedEntry): string | null {
  const found = attributeAt(schema, own, path)
  if (found?.column.type !== 'string')
    return `${own.uid} has no public text attribute ${path}: ${didYouMean(path, textPaths(schema, own))}`
  const { key, uid } = found.model
  // The rows of an FTS5 table have integers as keys.
  if (dialect === 'sqlite' && !['integer', 'biginteger'].includes(key.type))
    return `search() on SQLite requires integer keys, but the key of ${uid} is not an integer`
  const isWeight = Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= largestWeight
  return isWeight ? null : `the weight of an attribute must be an integer from 1 to ${String(largestWeight)}`
}

function faultsOfSearched(checking: SchemaOn, [type, attributes]: SearchedEntry): readonly Fault[] {
  const where = `search.${type}`
  const model = modelNamed(checking.schema, type)
  if (model === undefined) return faultsOfType(where, type, checking.schema)
  if (model.kind === 'component')
    return faultAt(where, `${model.uid} is a component, but only content types can be searched`)
  const entries = isTable(attributes) ? Object.entries(attributes) : []
  if (entries.length === 0 || entries.length > mostAttributes) {
    const problem = `the weights of a type must be an object with 1 to ${String(mostAttributes)} attributes`
    return faultAt(where, problem, 'write weights such as { title: 3, body: 1 }')
  }
  return entries.flatMap((entry) => {
    const problem = problemOf(checking, model, entry)
    return problem === null ? [] : faultAt(`${where}.${entry[0]}`, problem)
  })
}

const example = 'write search({ article: { title: 1 } })'

export function faultsOfSearch(checking: SchemaOn, types: unknown): readonly Fault[] {
  if (!isTable(types) || Object.keys(types).length === 0)
    return faultAt('search', 'search() must list at least one type', example)
  return Object.entries(types).flatMap((entry) => faultsOfSearched(checking, entry))
}
