import { type QueryPath, RequestError } from '../errors'
import { type HeldKey, type PublicationStatus, type AskedFields, includesAll } from '../query'
import {
  type ColumnType,
  type Model,
  modelOf,
  publishedAtColumn,
  type Schema,
  type Uid,
  unknownAmong,
  type Column,
} from '../schema'
import type { Condition, FaultBehindLink } from './level'

const always = ['id', 'documentId']

const isStored = (planning: Planning, model: Model, column: Column): boolean =>
  column.name !== 'documentId' || model.kind !== 'component' || planning.hasColumn(model, column.column)

/** The attribute of a name, where rows have it: in tables that Strapi made, parts have no document ids. */
export function storedColumn(planning: Planning, model: Model, name: string): Column | undefined {
  const column = model.columns.get(name)
  return column !== undefined && isStored(planning, model, column) ? column : undefined
}

/** The scalar attributes to answer; `id` and `documentId` are always among them. */
export function chooseColumns(planning: Planning, model: Model, fields: AskedFields): readonly Column[] {
  const all = [...model.columns.values()].filter((column) => isStored(planning, model, column))
  if (fields === '*') return all
  for (const name of fields.names) {
    if (name !== '*' && !model.columns.has(name))
      throw unknownName(planning, [...fields.path, name], name, all)
  }
  if (includesAll(fields)) return all
  return all.filter(({ name }) => always.includes(name) || fields.names.includes(name))
}

/** What a plan depends on besides the query. */
export interface PlanSettings {
  readonly schema: Schema
  readonly defaultLocale: string
  /** In which other locales documents are shown that the asked one lacks; `*` for those that are not named. */
  readonly localeFallback: Readonly<Record<string, readonly string[]>>
  readonly unlistedZoneElements: 'stub' | 'omit'
  readonly maxDepth: number
  readonly maxNodes: number
  readonly maxLinks: number
  readonly maxConditions: number
  readonly maxInValues: number
  /** Whether a number outside the attribute's range, or a NUL byte in a text, is refused or simply found nowhere. */
  readonly refusesUnstorable: boolean
  /** `exact`: only comparisons that mean the same on every database. */
  readonly matching: 'exact' | 'database'
  /** The database compares JSON as JSON, so that only JSON can be compared with it. */
  readonly typedJson: boolean
  /** What the database can look into for a piece of JSON: nothing, its JSON attributes, or texts as well. */
  readonly supersets: 'none' | 'json' | 'any'
  readonly loadingArtefacts: boolean
  /** Whether the database can compare what a cursor holds with a column of the type. */
  readonly isKey: (type: ColumnType, key: NonNullable<HeldKey>) => boolean
  /** A component table made by Strapi has no document_id. */
  hasColumn(model: Model, column: string): boolean
  /** Whether the role may read a type: a link to others is refused, and suggested, as if it were not there. */
  readonly isReadable: (model: Model) => boolean
}

/** The settings, and the versions that the query is about. */
export interface Planning extends PlanSettings {
  readonly status: PublicationStatus
  /** Whether a word that is neither true nor false is taken for true. */
  readonly guessesTruth: boolean
}

/** A name that may stand in a place; with the types that it leads to. */
export interface KnownName {
  readonly name: string
  readonly targets?: readonly Uid[]
}

/** An unknown name with the nearest of those that the role may use. */
export function unknownName(
  { schema, isReadable }: PlanSettings,
  path: QueryPath,
  key: string,
  others: Iterable<KnownName>,
): RequestError {
  const isUsable = (uid: Uid): boolean => isReadable(modelOf(schema, uid))
  const names = [...others].flatMap(({ name, targets = [] }) =>
    targets.length === 0 || targets.some(isUsable) ? [name] : [],
  )
  return unknownAmong(path, key, names)
}

/** The condition that no row meets, and the one that every row does. */
export const nothing: Condition<never> = { op: 'or', of: [] }
export const everything: Condition<never> = { op: 'and', of: [] }

/** Keeps an error for the access room instead of raising it. */
export function orFault<T>(make: () => T): T | FaultBehindLink {
  try {
    return make()
  } catch (error) {
    if (error instanceof RequestError) return { op: 'fault', error }
    throw error
  }
}

/** The status rule: of types with drafts, only rows of the asked status count, wherever they are met. */
export function visible(model: Model, status: PublicationStatus): Condition<never> {
  if (!model.draftAndPublish || model.kind === 'component') return { op: 'and', of: [] }
  return { op: 'test', column: publishedAtColumn, test: { is: 'null' }, negated: status === 'published' }
}
