import { isTable, type QueryTable } from './address'
import { alwaysShown, filled, namesIn } from './level'
import { type ScalarData, targetsOf, throughLinks, type TypeData, type TypesByUid } from './page-data'

const dateParts = ['year', 'quarter', 'month', 'week', 'day']
const isDated = ({ type }: ScalarData): boolean => ['date', 'datetime', 'timestamp'].includes(type)
const isNumber = ({ type }: ScalarData): boolean =>
  ['integer', 'biginteger', 'float', 'decimal'].includes(type)
const isGrouped = ({ name, isSorted }: ScalarData): boolean => isSorted && !alwaysShown.includes(name)

type Fits = (scalar: ScalarData) => boolean

const ownNames = ({ scalars }: TypeData, fits: Fits): readonly string[] =>
  scalars.filter((scalar) => isGrouped(scalar) && fits(scalar)).map(({ name }) => name)

function farNames(types: TypesByUid, type: TypeData, fits: Fits, isMany: boolean): readonly string[] {
  return throughLinks(type)
    .filter(({ role, many }) => role !== 'localizations' && (isMany || !many))
    .flatMap((link) =>
      targetsOf(types, link).flatMap((target) =>
        ownNames(target, fits).map((name) => `${link.name}.${name}`),
      ),
    )
}

const always: Fits = () => true

/** Groups and facets: attributes, parts of dates, relations, and attributes behind relations. */
export function groupNames(types: TypesByUid, type: TypeData): readonly string[] {
  const relations = throughLinks(type).filter(({ role }) => role === 'relation')
  return [
    ...ownNames(type, always),
    ...ownNames(type, isDated).flatMap((name) => dateParts.map((part) => `${name}:${part}`)),
    ...relations.map(({ name }) => name),
    ...farNames(types, type, always, true),
  ]
}

/** Attributes by function. `count` needs none. */
export function functionNames(
  types: TypesByUid,
  type: TypeData,
): readonly (readonly [name: string, attributes: readonly string[]])[] {
  const numbers = [...ownNames(type, isNumber), ...farNames(types, type, isNumber, false)]
  const ordered = ownNames(type, (scalar) => scalar.type !== 'boolean')
  const all = ownNames(type, always)
  return [
    ['sum', numbers],
    ['avg', numbers],
    ['min', ordered],
    ['max', ordered],
    ['countDistinct', all],
  ]
}

export const groupsOf = ({ groupBy }: QueryTable): readonly string[] => namesIn(groupBy)

/** `count`, `sum.fee` */
export const functionsOf = ({ aggregate = {} }: QueryTable): readonly string[] =>
  isTable(aggregate)
    ? Object.entries(aggregate).flatMap(([of, names]) =>
        of === 'count' ? [of] : namesIn(names).map((name) => `${of}.${name}`),
      )
    : []

/** A sort key may name a removed group, so the order goes back to the default. */
const unsorted = (query: QueryTable, part: QueryTable): QueryTable =>
  filled(Object.fromEntries(Object.entries({ ...query, ...part }).filter(([name]) => name !== 'sort')))

export const withGroups = (query: QueryTable, groups: readonly string[]): QueryTable =>
  unsorted(query, { groupBy: groups.join(',') === '' ? {} : groups.join(',') })

export function withFunctions(query: QueryTable, functions: readonly string[]): QueryTable {
  const aggregate: Record<string, string> = {}
  for (const one of functions) {
    const [of = '', ...path] = one.split('.')
    const before = aggregate[of] === undefined ? '' : `${aggregate[of]},`
    aggregate[of] = of === 'count' ? 'true' : before + path.join('.')
  }
  return unsorted(query, { aggregate })
}

/** Keeps the selection of entries, for groups of these entries or for the entries of groups. */
const kept = ['filters', '_q', 'locale', 'fallback', 'status', 'publicationFilter']

export const selectionOf = (query: QueryTable): QueryTable =>
  Object.fromEntries(Object.entries(query).filter(([name]) => kept.includes(name)))

export const isOfGroups = ({ readings }: TypeData, path: readonly string[]): boolean =>
  path.length === 2 && path[1] === 'aggregate' && readings.includes('aggregate')
