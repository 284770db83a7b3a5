import { type QueryPath, RequestError } from '../errors'
import { type CursorKey, type PublicationStatus, type QueryFields, includesAll } from '../query'
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
import type { Condition, FaultBehindLink, Test } from './level'

const always = ['id', 'documentId']

const isStored = (planning: Planning, model: Model, column: Column): boolean =>
  column.name !== 'documentId' || model.kind !== 'component' || planning.hasColumn(model, column.column)

export function storedColumn(planning: Planning, model: Model, name: string): Column | undefined {
  const column = model.columns.get(name)
  return column !== undefined && isStored(planning, model, column) ? column : undefined
}

/** `id` and `documentId` are always included. */
export function chooseColumns(planning: Planning, model: Model, fields: QueryFields): readonly Column[] {
  const all = [...model.columns.values()].filter((column) => isStored(planning, model, column))
  if (fields === '*') return all
  for (const name of fields.names) {
    if (name !== '*' && !model.columns.has(name))
      throw unknownName(planning, [...fields.path, name], name, all)
  }
  if (includesAll(fields)) return all
  return all.filter(({ name }) => always.includes(name) || fields.names.includes(name))
}

export interface PlanSettings {
  readonly schema: Schema
  readonly defaultLocale: string
  /** Locales to try, by missing locale; `*` for all others. */
  readonly localeFallback: Readonly<Record<string, readonly string[]>>
  readonly unlistedZoneElements: 'stub' | 'omit'
  readonly maxDepth: number
  readonly maxNodes: number
  readonly maxLinks: number
  readonly maxConditions: number
  readonly maxInValues: number
  /** Values that cannot be stored are rejected, instead of matching nothing. */
  readonly refusesUnstorable: boolean
  /** `exact`: only comparisons with equal results on all databases. */
  readonly matching: 'exact' | 'database'
  readonly typedJson: boolean
  readonly supersets: 'none' | 'json' | 'any'
  readonly loadingArtefacts: boolean
  /** True if the database can compare the key with the type. */
  readonly isKey: (type: ColumnType, key: NonNullable<CursorKey>) => boolean
  /** Component tables made by Strapi have no document_id. */
  hasColumn(model: Model, column: string): boolean
  /** Types that are not readable get the errors of unknown names. */
  readonly isReadable: (model: Model) => boolean
}

export interface Planning extends PlanSettings {
  readonly status: PublicationStatus
  /** Words other than true and false are true. */
  readonly guessesTruth: boolean
}

export interface KnownName {
  readonly name: string
  readonly targets?: readonly Uid[]
}

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

export const nothing: Condition<never> = { op: 'or', of: [] }
export const everything: Condition<never> = { op: 'and', of: [] }

export function testOf(column: Column, test: Test, negated = false): Condition<never> {
  return { op: 'test', column, test, negated }
}

export function orFault<T>(make: () => T): T | FaultBehindLink {
  try {
    return make()
  } catch (error) {
    if (error instanceof RequestError) return { op: 'fault', error }
    throw error
  }
}

/** With drafts, only rows of the requested status are visible. */
export function visible(model: Model, status: PublicationStatus): Condition<never> {
  if (!model.draftAndPublish || model.kind === 'component') return { op: 'and', of: [] }
  return testOf(publishedAtColumn, { is: 'null' }, status === 'published')
}
