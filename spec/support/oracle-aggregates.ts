// What an aggregate and facets are answered, worked out over plain rows in memory as docs/how-to/aggregate.md says.
import type { Filter, Request } from '../../lab/requests/request'
import {
  type Asker,
  answerOfRows,
  checkSort,
  type Comparable,
  comparable,
  type Expected,
  follow,
  type Grants,
  knownLink,
  linkNamed,
  meets,
  order,
  pageOf,
  Refused,
  scalarType,
  shown,
  step,
  typeOf,
} from './oracle'
import { type Definition, type Json, plainText, type Row, type Store } from './oracle-content'

export const dateParts = ['year', 'quarter', 'month', 'week', 'day'] as const
type DatePart = (typeof dateParts)[number]

export interface AskedGroup {
  readonly names: readonly string[]
  readonly part: DatePart | null
}

export const aggregateFunctions = ['countDistinct', 'sum', 'avg', 'min', 'max'] as const
export interface AskedAggregate {
  readonly of: (typeof aggregateFunctions)[number]
  readonly names: readonly string[]
}

export interface AskedHaving {
  readonly name: string
  readonly test: Extract<Filter, { operator: string }>
}

/** `request` selects the entries and the page of groups. */
export interface AskedGroups {
  readonly uid: string
  readonly request: Request
  readonly groups: readonly AskedGroup[]
  readonly counts: boolean
  readonly aggregates: readonly AskedAggregate[]
  readonly having: readonly AskedHaving[]
  readonly sort: readonly { readonly name: string; readonly direction: 'asc' | 'desc' }[]
}

export const nameOf = ({ names, part }: AskedGroup): string =>
  names.join('.') + (part === null ? '' : `:${part}`)
const nameOfAggregate = ({ of, names }: AskedAggregate): string => `${of}.${names.join('.')}`

/** A group or an aggregate of one row: as it is compared, and as it is shown. */
interface Cell {
  readonly type: string
  readonly compared: Comparable
  readonly shown: Json
}

// Paths.

interface Place {
  readonly links: readonly string[]
  readonly name: string
  readonly type: string
}

const jsonTypes = ['json', 'blocks']

/** Where a path leads, or the refusal. A path to a relation leads to the ids of its documents. */
function placeAt(asker: Asker, root: Definition, names: readonly string[]): Place {
  const ends = (type: Definition, [name = '', ...rest]: readonly string[]): Definition =>
    rest.length === 0 ? type : ends(step(asker, type, name), rest)
  const last = names.at(-1) ?? ''
  const whole =
    knownLink(asker, ends(asker.store.types.get(root.uid) ?? root, names), last) === undefined
      ? names
      : [...names, 'documentId']
  checkSort(asker, root, [{ names: whole, direction: 'asc' }])
  const [links, name] = [whole.slice(0, -1), whole.at(-1) ?? '']
  const type = name === 'id' ? 'id' : scalarType(ends(root, whole), name)
  if (type === undefined || jsonTypes.includes(type)) throw new Refused(400)
  return { links, name, type }
}

const dated = ['date', 'datetime', 'timestamp']
const integers = ['integer', 'biginteger']
const numbers = [...integers, 'float', 'decimal']

const isOfList = (asker: Asker, root: Definition, links: readonly string[]): boolean => {
  const [name, ...rest] = links
  if (name === undefined) return false
  return linkNamed(root, name)?.many === true || isOfList(asker, step(asker, root, name), rest)
}

function placeOfGroup(asker: Asker, root: Definition, { names, part }: AskedGroup): Place {
  const place = placeAt(asker, root, names)
  if (part !== null && !dated.includes(place.type)) throw new Refused(400)
  return place
}

function placeOfAggregate(asker: Asker, root: Definition, { of, names }: AskedAggregate): Place {
  const place = placeAt(asker, root, names)
  if (isOfList(asker, root, place.links)) throw new Refused(400)
  if ((of === 'sum' || of === 'avg') && !numbers.includes(place.type)) throw new Refused(400)
  if ((of === 'min' || of === 'max') && place.type === 'boolean') throw new Refused(400)
  return place
}

// Values.

/** The first day of a part of the date. `Date` counts years below 100 from 1900, so that they are set apart. */
function firstDay(instant: string, part: DatePart): string {
  const day = new Date(`${instant.slice(0, 10)}T00:00:00.000Z`)
  const month = day.getUTCMonth()
  if (part === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  if (part === 'month') day.setUTCDate(1)
  if (part === 'quarter') day.setUTCMonth(month - (month % 3), 1)
  if (part === 'year') day.setUTCMonth(0, 1)
  return day.toISOString().slice(0, 10)
}

const nothing = (type: string): Cell => ({ type, compared: null, shown: null })

function cellOf(row: Row | null, { name, type }: Place): Cell {
  if (row === null) return nothing(type)
  return { type: type === 'id' ? 'integer' : type, compared: comparable(row, name), shown: shown(row, name) }
}

function groupCell(row: Row | null, place: Place, part: DatePart | null): Cell {
  const cell = cellOf(row, place)
  if (part === null || cell.shown === null) return part === null ? cell : nothing('string')
  const day = firstDay(plainText(cell.shown), part)
  return { type: 'string', compared: day, shown: day }
}

/** Integers beyond 2^53 are strings, as all sums of a biginteger are. */
const integerCell = (value: bigint, isString = false): Cell => ({
  type: 'biginteger',
  compared: value,
  shown: isString || !Number.isSafeInteger(Number(value)) ? String(value) : Number(value),
})

const floatCell = (value: number): Cell => ({
  type: 'float',
  compared: value,
  shown: Number(value.toPrecision(15)),
})

/** Cents are exact. The content has no float whose sum is not. */
const sumOfNumbers = (values: readonly number[], type: string): number =>
  type === 'decimal'
    ? values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100
    : values.reduce((sum, value) => sum + value, 0)

const sumOfIntegers = (values: readonly Comparable[]): bigint =>
  values.reduce((sum: bigint, value) => sum + BigInt(value ?? 0), 0n)

function aggregateCell(of: AskedAggregate['of'], type: string, cells: readonly Cell[]): Cell {
  const present = cells.filter(({ compared }) => compared !== null)
  if (of === 'countDistinct')
    return integerCell(BigInt(new Set(present.map(({ compared }) => compared)).size))
  const [first] = present
  if (first === undefined) return nothing(of === 'min' || of === 'max' ? type : 'float')
  if (of === 'min' || of === 'max') {
    const sign = of === 'min' ? 1 : -1
    return present.reduce((best, one) => (order(one.compared, best.compared) * sign < 0 ? one : best), first)
  }
  const values = present.map(({ compared }) => compared)
  const isInteger = integers.includes(type)
  const sum = isInteger ? sumOfIntegers(values) : sumOfNumbers(values.map(Number), type)
  if (of === 'avg') return floatCell(Number(sum) / values.length)
  return typeof sum === 'bigint' ? integerCell(sum, type === 'biginteger') : floatCell(sum)
}

// Groups.

interface Member {
  readonly entry: Row
  readonly groups: readonly Cell[]
  readonly values: readonly Cell[]
}

/** Each way from an entry along the paths, which share what they begin with. A relation that leads nowhere leads to null. */
function waysFrom(
  asker: Asker,
  entry: Row,
  paths: readonly (readonly string[])[],
): Map<string, Row | null>[] {
  const prefixes = new Set(paths.flatMap((links) => links.map((_, at) => links.slice(0, at + 1).join('.'))))
  let ways = [new Map<string, Row | null>([['', entry]])]
  for (const prefix of prefixes) {
    const [parent, name] = [prefix.slice(0, Math.max(0, prefix.lastIndexOf('.'))), prefix.split('.').at(-1)]
    ways = ways.flatMap((way) => {
      const from = way.get(parent) ?? null
      const link = from === null ? undefined : linkNamed(from.type, name ?? '')
      const next = from === null || link === undefined ? [] : follow(asker, from, link)
      return (next.length === 0 ? [null] : next).map((row) => new Map([...way, [prefix, row]]))
    })
  }
  return ways
}

const textOf = (cells: readonly Cell[]): string =>
  JSON.stringify(cells.map(({ compared }) => [typeof compared, String(compared)]))

/** Entries by their groups, each once in each. */
function grouped(members: readonly Member[], hasGroups: boolean): Member[][] {
  const groups = new Map<string, Map<Row, Member>>()
  for (const member of members) {
    const key = textOf(member.groups)
    const group = groups.get(key) ?? new Map<Row, Member>()
    groups.set(key, group.set(member.entry, member))
  }
  const found = [...groups.values()].map((group) => [...group.values()])
  return hasGroups || found.length > 0 ? found : [[]]
}

type GroupRow = ReadonlyMap<string, Cell>

function compareRows(one: GroupRow, other: GroupRow, sort: AskedGroups['sort']): number {
  for (const { name, direction } of sort) {
    const by = order(one.get(name)?.compared ?? null, other.get(name)?.compared ?? null)
    if (by !== 0) return direction === 'asc' ? by : -by
  }
  return 0
}

const rowMeets = (row: GroupRow, { name, test }: AskedHaving): boolean => {
  const cell = row.get(name)
  if (cell === undefined) throw new Refused(400)
  return meets(cell.type, cell.compared, test, false)
}

/** The rows of all groups, in their order, by names as `sort` writes them. */
function rowsOf(asker: Asker, entries: readonly Row[], asked: AskedGroups, minGroup: number): GroupRow[] {
  const root = typeOf(asker, asked.uid)
  const { groups, aggregates, having, sort } = asked
  const groupPlaces = groups.map((group) => placeOfGroup(asker, root, group))
  const places = aggregates.map((one) => placeOfAggregate(asker, root, one))
  const paths = [...groupPlaces, ...places].map(({ links }) => links)
  const members = entries.flatMap((entry) =>
    waysFrom(asker, entry, paths).map((way): Member => {
      const at = ({ links }: Place): Row | null => way.get(links.join('.')) ?? null
      return {
        entry,
        groups: groupPlaces.map((place, index) => groupCell(at(place), place, groups[index]?.part ?? null)),
        values: places.map((place) => cellOf(at(place), place)),
      }
    }),
  )
  const rows = grouped(members, groups.length > 0).map((group): GroupRow => {
    const cells = groups.map((one, index) => [nameOf(one), group[0]?.groups[index]] as const)
    const values = aggregates.map((one, index) => {
      const own = group.flatMap((member) => member.values[index] ?? [])
      return [nameOfAggregate(one), aggregateCell(one.of, places[index]?.type ?? '', own)] as const
    })
    const count = ['count', integerCell(BigInt(group.length))] as const
    return new Map(
      [count, ...cells, ...values].filter((pair): pair is [string, Cell] => pair[1] !== undefined),
    )
  })
  const ascending = groups.map((one) => ({ name: nameOf(one), direction: 'asc' }) as const)
  return rows
    .filter((row) => minGroup === 1 || Number(row.get('count')?.compared) >= minGroup)
    .filter((row) => having.every((one) => rowMeets(row, one)))
    .sort((one, other) => compareRows(one, other, [...sort, ...ascending]))
}

function shownRow(row: GroupRow, { groups, counts, aggregates }: AskedGroups): object {
  const value = (name: string): Json => row.get(name)?.shown ?? null
  const of = (name: string): [string, Json][] =>
    aggregates
      .filter((one) => one.of === name)
      .map((one) => [one.names.join('.'), value(nameOfAggregate(one))])
  return {
    group: Object.fromEntries(groups.map((one) => [nameOf(one), value(nameOf(one))])),
    ...(counts ? { count: value('count') } : {}),
    ...Object.fromEntries(
      aggregateFunctions.flatMap((name) =>
        of(name).length === 0 ? [] : [[name, Object.fromEntries(of(name))]],
      ),
    ),
  }
}

/** Of a role: the smallest group that it is shown; null where it may not aggregate. */
export type MinGroup = number | null

/** The status and the body of `/articles/aggregate`. */
export function aggregateAnswer(
  store: Store,
  grants: Grants,
  minGroup: MinGroup,
  asked: AskedGroups,
): Expected {
  return answerOfRows(store, grants, asked, (asker, entries) => {
    if (minGroup === null) throw new Refused(403)
    if (!asked.counts && asked.aggregates.length === 0) throw new Refused(400)
    const { rows, meta } = pageOf(rowsOf(asker, entries, asked, minGroup), asked.request)
    return { data: rows.map((row) => shownRow(row, asked)), meta: { pagination: meta } }
  })
}

const mostValues = 20

/** `meta.facets` beside a list. */
export function facetsAnswer(
  store: Store,
  grants: Grants,
  minGroup: MinGroup,
  { uid, request, groups: facets }: Pick<AskedGroups, 'uid' | 'request' | 'groups'>,
): Expected {
  return answerOfRows(store, grants, { uid, request }, (asker, entries) => {
    if (minGroup === null) throw new Refused(403)
    const named = facets.map((facet): [string, object] => {
      const sort = [{ name: 'count', direction: 'desc' }] as const
      const asked = { uid, request, groups: [facet], counts: true, aggregates: [], having: [], sort }
      const rows = rowsOf(asker, entries, asked, minGroup).slice(0, mostValues)
      const shownOf = (row: GroupRow, name: string): Json => row.get(name)?.shown ?? null
      return [
        nameOf(facet),
        rows.map((row) => ({ value: shownOf(row, nameOf(facet)), count: shownOf(row, 'count') })),
      ]
    })
    return Object.fromEntries(named)
  })
}
