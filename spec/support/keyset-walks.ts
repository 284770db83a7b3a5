import type { SeedContent } from '../../extensions/seed'
import { collection, component, integer, type library, relation, repeated, text } from './library'
import type { Entry, Served } from './served'

export interface Edges {
  readonly pageSize: number
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
  readonly total?: number
  readonly pageCount?: number
}

export interface KeysetPage {
  readonly data: readonly Entry[]
  readonly pagination: Edges
}

export async function pageOf(served: Served, path: string): Promise<KeysetPage> {
  const { data, meta } = await served.page(path)
  return { data, pagination: meta.pagination as unknown as Edges }
}

export const ids = ({ data }: Pick<KeysetPage, 'data'>): unknown[] => data.map(({ id }) => id)

/** All pages of a list one after the other, from either end. */
export async function walk(
  served: Served,
  list: string,
  side: 'after' | 'before',
  size: number,
): Promise<KeysetPage[]> {
  const pages: KeysetPage[] = []
  const isForward = side === 'after'
  for (let cursor = ''; pages.length < 100;) {
    const page = await pageOf(
      served,
      `${list}&pagination[pageSize]=${String(size)}&pagination[${side}]=${cursor}`,
    )
    pages.push(page)
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pagination
    if (!(isForward ? hasNextPage : hasPreviousPage)) return pages
    cursor = (isForward ? endCursor : startCursor) ?? ''
  }
  throw new Error(`${list} has no end`)
}

/** The ids of the whole list on one numbered page. */
export const whole = async (served: Served, list: string): Promise<unknown[]> =>
  ids(await served.page(`${list}&pagination[pageSize]=100`))

/** Fails unless the pages of a list, from either end, are the list. */
export async function expectSameBothWays(served: Served, list: string, size: number): Promise<void> {
  const all = await whole(served, list)
  expect(all.length).toBeGreaterThan(4)
  const forth = await walk(served, list, 'after', size)
  const back = await walk(served, list, 'before', size)
  expect(forth.flatMap(ids)).toEqual(all)
  expect([...back].reverse().flatMap(ids)).toEqual(all)
  expect([forth, back].map(({ length }) => length > 1)).toEqual(Array(2).fill(all.length > size))
  expect(forth.map(({ pagination }) => pagination.hasPreviousPage)).toEqual(forth.map((_page, at) => at > 0))
  expect(back.map(({ pagination }) => pagination.hasNextPage)).toEqual(back.map((_page, at) => at > 0))
}

/** An attribute of every type that can be sorted by. */
export const kinds = [
  collection('thing', {
    name: text,
    body: { type: 'text' },
    rank: integer,
    big: { type: 'biginteger' },
    weight: { type: 'float' },
    price: { type: 'decimal' },
    on: { type: 'boolean' },
    day: { type: 'date' },
    hour: { type: 'time' },
    at: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    part: relation('manyToOne', 'part', { inversedBy: 'things' }),
    parts: relation('manyToMany', 'part'),
    rows: repeated('inner.row'),
  }),
  collection('part', {
    label: text,
    things: relation('oneToMany', 'thing', { mappedBy: 'part' }),
    inner: relation('manyToMany', 'part'),
    light: { type: 'float' },
    good: { type: 'boolean' },
  }),
  component('inner.row', { value: integer }),
] as unknown as typeof library

/** Equal values, nulls, and numbers that doubles cannot hold exactly. */
export const things: SeedContent = {
  part: [
    { $ref: 'p1', label: 'b', light: 0.1, good: true, inner: ['p2'] },
    { $ref: 'p2', label: 'a', light: 0.30000000000000004, good: false, inner: ['p1', 'p3'] },
    { $ref: 'p3', label: null, light: 1e300, inner: [] },
    { $ref: 'p4', label: 'ß', inner: ['p4', 'p2'] },
  ],
  thing: [
    { name: 'b', rank: 2, big: '9007199254740993', weight: 0.1, price: 0.1, on: true, kind: 'b' },
    { name: 'B', rank: 1, big: '9007199254740992', weight: 0.30000000000000004, price: 1.25, on: false },
    { name: 'é', rank: 2, big: '-9223372036854775808', weight: 0.3, price: 1.2, kind: 'a', part: 'p1' },
    { name: null, rank: null, big: '9223372036854775807', weight: -1e-300, price: 99999999.99, part: 'p1' },
    { name: '', big: null, weight: 1e300, price: -0.01, on: true, part: 'p2', parts: ['p1', 'p3'] },
    { name: '🦉', rank: -5, big: '0', weight: null, price: null, part: 'p3', parts: ['p2'], kind: 'a' },
    { name: 'ｚ', rank: 2, weight: 0, day: '2024-02-29', hour: '00:00:00.000', parts: ['p2', 'p3'] },
    { name: "o'\\n\u0001%_", day: '1999-12-31', hour: '23:59:59.999', parts: ['p4', 'p1'], part: 'p4' },
    {
      name: 'b',
      day: '2024-02-29',
      at: '2024-02-29T10:00:00.001Z',
      stamp: '2023-11-14T22:13:20.000Z',
      body: 'x',
    },
    {
      name: 'b',
      day: '0099-01-01',
      at: '2024-02-29T10:00:00.002Z',
      stamp: '2023-11-14T22:13:20.001Z',
      body: 'y',
    },
    { name: 'c', at: '1969-12-31T23:59:59.999Z', rows: [{ value: 3 }, { value: 1 }], body: 'x' },
    { name: 'c', at: '2024-02-29T10:00:00.001Z', rows: [{ value: 2 }], body: null, parts: ['p3', 'p4'] },
  ],
}

export const keys = [
  'name',
  'body',
  'rank',
  'big',
  'weight',
  'price',
  'on',
  'day',
  'hour',
  'at',
  'stamp',
  'kind',
  'id',
]
export const several = [
  'kind,rank:desc,name',
  'day:desc,at,part.label:desc',
  'parts.$count:desc,name:desc',
  'on,id:desc,name',
]
