import { isTable, type QueryTable, type QueryValue } from './address'
import { targetsOf, throughLinks, type ScalarData, type TypeData, type TypesByUid } from './page-data'

/** One comparison of a filter: its path in the query and its value. */
export interface Condition {
  readonly path: readonly string[]
  readonly value: string | readonly string[]
}

function comparisons(value: QueryValue, path: readonly string[]): Condition[] {
  if (typeof value === 'string') return [{ path, value }]
  const entries: [string, QueryValue][] = Object.entries(value)
  const isList =
    entries.length > 0 && entries.every(([name, one]) => /^\d+$/.test(name) && typeof one === 'string')
  if (isList) return [{ path, value: entries.map(([, one]) => one as string) }]
  return entries.flatMap(([name, one]) => comparisons(one, [...path, name]))
}

/** `filters[`, while it is typed. */
const isHalfWritten = ({ path, value }: Condition): boolean =>
  value === '' && /^\[|^$/.test(path.at(-1) ?? '')

export const conditionsOf = ({ filters }: QueryTable): readonly Condition[] =>
  filters === undefined ? [] : comparisons(filters, []).filter((one) => !isHalfWritten(one))

/** `author.name contains x`: without the numbers of lists. */
export const placeInWords = ({ path }: Condition): string =>
  path.filter((name) => !/^\d+$/.test(name)).join(' › ')

export const valueInWords = ({ value }: Condition): string =>
  typeof value === 'string' ? value : value.join(', ')

function put(filters: QueryTable, [name = '', ...rest]: readonly string[], value: QueryValue): QueryTable {
  if (rest.length === 0) return { ...filters, [name]: value }
  const below = filters[name]
  return { ...filters, [name]: put(isTable(below) ? below : {}, rest, value) }
}

function isTaken(filters: QueryValue | undefined, [name, ...rest]: readonly string[]): boolean {
  if (filters === undefined) return false
  if (name === undefined || !isTable(filters)) return true
  return isTaken(filters[name], rest)
}

/** An equal comparison is kept: both hold. */
export function withCondition(level: QueryTable, { path, value }: Condition): QueryTable {
  const { filters } = level
  const own = put({}, path, value)
  if (filters === undefined) return { ...level, filters: own }
  if (isTable(filters) && !isTaken(filters, path)) return { ...level, filters: put(filters, path, value) }
  return { ...level, filters: { $and: [filters, own] } }
}

function without(value: QueryValue, [name = '', ...rest]: readonly string[]): QueryValue | null {
  if (typeof value === 'string') return null
  const entries: [string, QueryValue][] = Object.entries(value)
  const kept = entries.flatMap(([key, one]): [string, QueryValue][] => {
    if (key !== name) return [[key, one]]
    const left = rest.length === 0 ? null : without(one, rest)
    return left === null ? [] : [[key, left]]
  })
  if (kept.length === 0) return null
  return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept)
}

export function withoutCondition(level: QueryTable, { path }: Condition): QueryTable {
  const { filters, ...rest } = level
  const left = filters === undefined ? null : without(filters, path)
  return left === null ? rest : { ...rest, filters: left }
}

export interface Choosable {
  readonly path: string
  readonly scalar: ScalarData
  /** The type whose document ids the value is from. */
  readonly document: TypeData | null
}

/** Attributes of the type itself, and of relations one step away. */
export function choosableOf(types: TypesByUid, type: TypeData): readonly Choosable[] {
  const own = type.scalars.map((scalar) => ({
    path: scalar.name,
    scalar,
    document: scalar.name === 'documentId' ? type : null,
  }))
  const far = throughLinks(type).flatMap((link) =>
    targetsOf(types, link).flatMap((target) =>
      target.scalars.map((scalar) => ({
        path: `${link.name}.${scalar.name}`,
        scalar,
        document: scalar.name === 'documentId' ? target : null,
      })),
    ),
  )
  return [...own, ...far]
}
