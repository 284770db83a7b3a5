// Random aggregates and facets for a random world: mostly such that they find something, some that must be refused.
import type { Arbitrary } from 'fast-check'
import { type Chance, happens, pick, times } from '../../lab/requests/chance'
import { comparison, operatorsFor } from '../../lab/requests/operators'
import { printRequest, type Request } from '../../lab/requests/request'
import { fileUid, type KnownType, passable, vocabularyOf } from '../../lab/requests/vocabulary'
import { operators } from '../../lib/operators'
import type { ColumnType } from '../../lib/schema'
import { randomListRequest } from './arbitrary-requests'
import { nastyText } from './arbitrary-worlds'
import { drawn } from './drawn'
import type { Grants } from './oracle'
import {
  aggregateFunctions,
  type AskedAggregate,
  type AskedGroup,
  type AskedGroups,
  type AskedHaving,
  dateParts,
  nameOf,
} from './oracle-aggregates'
import { type Content, type Json, plainText, type Store } from './oracle-content'

export interface AskingGroups {
  readonly role: string
  readonly asked: AskedGroups
}

/** Floats whose sums are exact in any order of addition. */
const exactFloat = (value: number): number => {
  if (Math.abs(value) < 1e15) return Math.round(value * 4) / 4
  return value > 0 ? 1e21 : -7.25
}

/** The content with such floats. Other numbers are integers, or decimals of two digits. */
export const withExactFloats = (content: Content): Content =>
  JSON.parse(JSON.stringify(content), (key, value: Json) =>
    key === 'floatValue' && typeof value === 'number' ? exactFloat(value) : value,
  ) as Content

interface Drawing {
  readonly chance: Chance
  readonly store: Store
}

const refusedNames = ['nope', 'secret', 'word', 'createdBy', 'zone', 'subject']
const numeric: readonly ColumnType[] = ['integer', 'biginteger', 'float', 'decimal']
const dated: readonly ColumnType[] = ['date', 'datetime', 'timestamp']

interface Path {
  readonly names: readonly string[]
  readonly kind: ColumnType
}

/** `lists`: whether the path may follow to-many relations. */
function randomPath(chance: Chance, root: KnownType, lists: boolean, kinds?: readonly ColumnType[]): Path {
  let place = root
  const names: string[] = []
  while (names.length < 3 && happens(chance, 40)) {
    const links = passable(place).filter(({ many }) => lists || !many)
    if (links.length === 0) break
    const link = pick(chance, links)
    names.push(link.name)
    place = link.to
  }
  if (happens(chance, 2)) return { names: [...names, pick(chance, refusedNames)], kind: 'string' }
  if (names.length > 0 && !place.isComponent && kinds === undefined && happens(chance, 15))
    return { names, kind: 'string' }
  const fitting = place.scalars.filter(
    ({ kind }) => kinds?.includes(kind) ?? (kind !== 'json' || happens(chance, 5)),
  )
  const { name, kind } = pick(chance, fitting.length > 0 && happens(chance, 95) ? fitting : place.scalars)
  return { names: [...names, name], kind }
}

function randomGroup(chance: Chance, type: KnownType): AskedGroup & { readonly kind: ColumnType } {
  const isDate = happens(chance, 35)
  const { names, kind } = randomPath(chance, type, true, isDate ? dated : undefined)
  const part = isDate && (dated.includes(kind) || happens(chance, 5)) ? pick(chance, dateParts) : null
  return { names, part, kind: part === null ? kind : 'string' }
}

function randomAggregate(chance: Chance, type: KnownType): AskedAggregate & { readonly kind: ColumnType } {
  const of = pick(chance, aggregateFunctions)
  const isSum = of === 'sum' || of === 'avg'
  const { names, kind } = randomPath(chance, type, happens(chance, 2), isSum ? numeric : undefined)
  const kinds = {
    countDistinct: 'biginteger',
    sum: kind === 'float' ? kind : 'decimal',
    avg: 'float',
  } as const
  return { of, names, kind: of === 'min' || of === 'max' ? kind : kinds[of] }
}

const unique = <T>(list: readonly T[], textOf: (one: T) => string): T[] => [
  ...new Map(list.map((one) => [textOf(one), one])).values(),
]

const fallbacks: Readonly<Partial<Record<ColumnType, readonly string[]>>> = {
  biginteger: ['0', '1', '2', '3'],
  integer: ['-1', '0', '1', '2147483647'],
  id: ['1', '3'],
  decimal: ['0', '1', '9223372036854775807', '9007199254740993'],
  float: ['0', '0.25', '-1', '1e21'],
  boolean: ['true', 'false'],
  date: ['0001-01-01', '2000-01-01', '9999-12-31'],
  time: ['09:30', '23:59:59.999'],
  datetime: ['1969-12-31T23:59:59.999Z', '2024-01-01'],
  timestamp: ['2012-01-13T12:12:36.852Z'],
}

/** A value of an attribute with the same name, so that some groups meet the condition. */
function operand({ chance, store }: Drawing, { name, kind }: { name: string; kind: ColumnType }): string {
  const [attribute = '', part] = (name.split('.').at(-1) ?? '').split(':')
  const given = store.rows.flatMap((row) => row.given[attribute] ?? [])
  const values = given.filter((one) => typeof one !== 'object').map(plainText)
  if (part !== undefined) return pick(chance, ['2024-01-01', '0001-01-01', '1969-12-29', '9999-10-01'])
  if (kind === 'string')
    return values.length > 0 && happens(chance, 80) ? pick(chance, values) : nastyText(chance)
  const known = fallbacks[kind] ?? []
  const isOwn = /^(?:min|max)\.|^(?!count)[^.]+$/.test(name) && values.length > 0
  return isOwn && happens(chance, 70) ? pick(chance, values) : pick(chance, known)
}

function randomHaving(drawing: Drawing, columns: readonly { name: string; kind: ColumnType }[]): AskedHaving {
  const { chance } = drawing
  const column = pick(chance, columns)
  const fitting = operatorsFor(column.kind).filter(
    (operator) => !['text', 'superset'].includes(operators[operator].test.is),
  )
  const operator = pick(chance, fitting)
  const isTruth = operators[operator].test.is === 'null'
  const values = times(chance, 1, 3, () =>
    isTruth ? pick(chance, ['true', 'false']) : operand(drawing, column),
  )
  return { name: column.name, test: comparison(operator, values) }
}

function randomGroups(drawing: Drawing, type: KnownType, request: Request): AskedGroups {
  const { chance } = drawing
  const groups = unique(
    times(chance, 0, 3, () => randomGroup(chance, type)),
    nameOf,
  )
  const aggregates = unique(
    times(chance, 0, 4, () => randomAggregate(chance, type)),
    ({ of, names }) => `${of}.${names.join('.')}`,
  )
  const counts = aggregates.length === 0 ? happens(chance, 98) : happens(chance, 70)
  const columns = [
    ...groups.map((one) => ({ name: nameOf(one), kind: one.kind })),
    ...(counts ? [{ name: 'count', kind: 'biginteger' as const }] : []),
    ...aggregates.map(({ of, names, kind }) => ({ name: `${of}.${names.join('.')}`, kind })),
  ].filter(({ kind }) => kind !== 'json')
  const sort =
    happens(chance, 50) && columns.length > 0 ? times(chance, 1, 2, () => pick(chance, columns).name) : []
  const { filters, page, status, locale, fallback, style } = request
  return {
    uid: type.uid,
    request: {
      ...{ style, dotted: false },
      ...(filters === undefined ? {} : { filters }),
      ...(page === undefined ? {} : { page }),
      ...(status === undefined ? {} : { status }),
      ...(locale === undefined ? {} : { locale }),
      ...(fallback === undefined ? {} : { fallback }),
    },
    groups,
    counts,
    aggregates,
    having: happens(chance, 35) && columns.length > 0 ? [randomHaving(drawing, columns)] : [],
    sort: unique(sort, String).map((name) => ({ name, direction: pick(chance, ['asc', 'desc'] as const) })),
  }
}

export function randomAggregates(
  store: Store,
  roles: Readonly<Record<string, Grants>>,
): Arbitrary<AskingGroups> {
  const types = vocabularyOf(store.types.values())
  const lists = [...store.types.values()].filter(
    ({ kind, uid }) => kind === 'collectionType' && uid !== fileUid,
  )
  return drawn((chance) => {
    const role = pick(chance, Object.keys(roles))
    const readable = lists.filter(({ uid }) => roles[role]?.find.includes(uid))
    const { uid } = pick(chance, readable.length === 0 || happens(chance, 3) ? lists : readable)
    const type = types.get(uid)
    if (type === undefined) throw new Error('the type is known')
    const request = randomListRequest(chance, store, types, uid)
    return { role, asked: randomGroups({ chance, store }, type, request) }
  })
}

const pair = (key: string, value: string): string => `${key}=${encodeURIComponent(value)}`

function havingPairs({ name, test: { operator, value } }: AskedHaving): string[] {
  const key = `having[${encodeURIComponent(name)}][${operator}]`
  if (!Array.isArray(value)) return [pair(key, String(value))]
  return (value as readonly string[]).map((one, at) => pair(`${key}[${String(at)}]`, one))
}

/** The query of `/articles/aggregate`. */
export function printAggregates({ request, groups, counts, aggregates, having, sort }: AskedGroups): string {
  const parts = [
    printRequest(request),
    ...groups.map((group, at) => pair(`groupBy[${String(at)}]`, nameOf(group))),
    ...(counts ? ['aggregate[count]=true'] : []),
    ...aggregates.map(({ of, names }, at) => pair(`aggregate[${of}][${String(at)}]`, names.join('.'))),
    ...having.flatMap(havingPairs),
    ...(sort.length === 0
      ? []
      : [pair('sort', sort.map(({ name, direction }) => `${name}:${direction}`).join(','))]),
  ]
  return parts.filter((part) => part !== '').join('&')
}

/** The query of a list with these groups as facets. */
export const printFacets = ({ request, groups }: AskedGroups): string =>
  [printRequest(request), pair('facets', groups.map(nameOf).join(','))]
    .filter((part) => part !== '')
    .join('&')
