import express from 'express'
import { aggregates } from '../../../extensions/aggregate'
import { seed } from '../../../extensions/seed'
import { contentRouter, migrate } from '../../../lib'
import { type Asker, askerOf } from '../../support/asker'
import { eachDatabase } from '../../support/databases'
import { countries, customers, makeOrders, type Order, shopTypes, tags } from './shop'

// Each database groups, sums and reads dates by its own functions: all of them must return what JavaScript computes.

type Value = string | number | boolean | null

interface Row {
  readonly group: Readonly<Record<string, Value>>
  readonly [name: string]: unknown
}

interface Body {
  readonly data: readonly Row[]
  readonly meta: {
    readonly pagination: Readonly<Record<string, number>>
    readonly facets?: Readonly<Record<string, readonly { readonly value: Value; readonly count: number }[]>>
  }
  readonly error?: { readonly message: string; readonly details: { readonly path?: string } }
}

const orders = makeOrders(300)

const countryOf: Readonly<Record<string, string | null>> = {
  ada: 'France',
  bob: 'Norway',
  eve: null,
  zoe: null,
}
const nameOf = new Map(customers.map(({ $ref, name }) => [$ref, name]))
const customerName = ({ customer }: Order): string | null =>
  customer === null ? null : (nameOf.get(customer) ?? null)
const country = ({ customer }: Order): string | null =>
  customer === null ? null : (countryOf[customer] ?? null)
const tagNames = ({ tags: own }: Order): readonly (string | null)[] =>
  own.length === 0 ? [null] : [...new Set(own.map((tag) => (tag === 'blue' ? 'blue' : 'red')))]

/** Null first, texts by code point. */
const compare = (one: Value, other: Value): number =>
  one === other ? 0 : one === null || (other !== null && one < other) ? -1 : 1

/** Entries by the value of a group; an entry may be in several groups. */
function grouped(
  valuesOf: (order: Order) => readonly Value[],
): readonly (readonly [Value, readonly Order[]])[] {
  const groups = new Map<Value, Order[]>()
  for (const order of orders)
    for (const value of valuesOf(order)) groups.set(value, [...(groups.get(value) ?? []), order])
  return [...groups].sort(([one], [other]) => compare(one, other))
}

const present = <T>(list: readonly (T | null)[]): T[] => list.filter((one): one is T => one !== null)
const sumOf = (list: readonly (number | null)[]): number | null => {
  const values = present(list)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}
/** Cents, so that the sum is exact. */
const sumOfCents = (list: readonly (number | null)[]): number | null => {
  const cents = sumOf(list.map((value) => (value === null ? null : Math.round(value * 100))))
  return cents === null ? null : cents / 100
}

function firstDay(instant: string | null, part: string): string | null {
  if (instant === null) return null
  const date = new Date(`${instant.slice(0, 10)}T00:00:00Z`)
  if (part === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  if (part === 'month' || part === 'quarter' || part === 'year') date.setUTCDate(1)
  if (part === 'quarter') date.setUTCMonth(Math.floor(date.getUTCMonth() / 3) * 3)
  if (part === 'year') date.setUTCMonth(0)
  return date.toISOString().slice(0, 10)
}

eachDatabase((database) => {
  const world = database.fresh()
  let asker: Asker

  beforeAll(async () => {
    const config = { contentTypes: shopTypes as never, database: world.config, logger: false } as const
    await migrate(config)
    await seed(config, {
      country: countries,
      tag: tags,
      customer: customers,
      order: orders as never,
    })
    const router = world.closing(
      contentRouter({
        ...config,
        permissions: { public: { find: '*', aggregate: '*' } },
        extensions: [aggregates()],
      }),
    )
    await router.ready()
    asker = world.closing(await askerOf(express().use('/api', router)))
  }, 120_000)

  const get = async (path: string): Promise<Body> => {
    const { status, body } = await asker.ask(`/api/${path}`)
    if (status !== 200) throw new Error(`${String(status)} ${body}`)
    return JSON.parse(body) as Body
  }
  const aggregate = (query: string): Promise<Body> =>
    get(`orders/aggregate?pagination[pageSize]=100&${query}`)

  it('aggregates all entries without groups', async () => {
    const functions = [
      'aggregate[count]=true&aggregate[sum]=quantity,units,total,weight&aggregate[avg]=quantity',
      'aggregate[min]=quantity,placedAt,number,day&aggregate[max]=units,total,weight,placedAt,number',
      'aggregate[countDistinct]=customer,state,customer.name',
    ]
    const { data, meta } = await aggregate(functions.join('&'))
    const quantities = present(orders.map(({ quantity }) => quantity))
    const units = present(orders.map((order) => order.units)).map(BigInt)
    const placed = present(orders.map(({ placedAt }) => placedAt)).sort()
    const numbers = orders.map(({ number }) => number).sort()
    expect(data).toEqual([
      {
        group: {},
        count: 300,
        sum: {
          quantity: sumOf(quantities),
          units: String(units.reduce((sum, value) => sum + value, 0n)),
          total: sumOfCents(orders.map(({ total }) => total)),
          weight: sumOf(orders.map(({ weight }) => weight)),
        },
        avg: { quantity: Number((Number(sumOf(quantities)) / quantities.length).toPrecision(15)) },
        min: {
          quantity: Math.min(...quantities),
          placedAt: placed[0],
          number: numbers[0],
          day: present(orders.map((order) => order.day)).sort()[0],
        },
        max: {
          units: String(units.reduce((most, value) => (value > most ? value : most))),
          total: Math.max(...present(orders.map(({ total }) => total))),
          weight: Math.max(...present(orders.map(({ weight }) => weight))),
          placedAt: placed.at(-1),
          number: numbers.at(-1),
        },
        countDistinct: { customer: 4, state: 3, 'customer.name': 4 },
      },
    ])
    expect(meta.pagination).toEqual({ page: 1, pageSize: 100, pageCount: 1, total: 1 })
  })

  it('returns null for functions of no value, and counts 0', async () => {
    const none = 'filters[number]=none&aggregate[count]=true'
    const { data } = await aggregate(
      `${none}&aggregate[sum]=quantity,total&aggregate[avg]=total&aggregate[max]=day`,
    )
    expect(data).toEqual([
      { group: {}, count: 0, sum: { quantity: null, total: null }, avg: { total: null }, max: { day: null } },
    ])
    const groups = await aggregate(`${none}&groupBy=state`)
    expect(groups).toEqual({
      data: [],
      meta: { pagination: { page: 1, pageSize: 100, pageCount: 0, total: 0 } },
    })
  })

  it.each<[string, (order: Order) => readonly Value[]]>([
    ['state', ({ state }) => [state]],
    ['isPaid', ({ isPaid }) => [isPaid]],
    ['quantity', ({ quantity }) => [quantity]],
    ['units', ({ units }) => [units]],
    ['total', ({ total }) => [total]],
    ['weight', ({ weight }) => [weight]],
    ['day', (order) => [order.day]],
    ['placedAt', ({ placedAt }) => [placedAt]],
    ['customer.name', (order) => [customerName(order)]],
    ['customer.country.name', (order) => [country(order)]],
    ['tags.name', tagNames],
    ...(['year', 'quarter', 'month', 'week', 'day'] as const).flatMap(
      (part): [string, (order: Order) => readonly Value[]][] => [
        [`placedAt:${part}`, ({ placedAt }) => [firstDay(placedAt, part)]],
        [`day:${part}`, (order) => [firstDay(order.day, part)]],
      ],
    ),
  ])('groups by %s', async (group, valuesOf) => {
    const [first, second] = await Promise.all(
      [1, 2, 3].map((page) =>
        get(
          `orders/aggregate?groupBy=${group}&aggregate[count]=true&aggregate[sum]=quantity,total&pagination[pageSize]=100&pagination[page]=${String(page)}`,
        ),
      ),
    )
    const expected = grouped(valuesOf)
    expect([...(first?.data ?? []), ...(second?.data ?? [])]).toEqual(
      expected.slice(0, 200).map(([value, of]) => ({
        group: { [group]: value },
        count: of.length,
        sum: {
          quantity: sumOf(of.map(({ quantity }) => quantity)),
          total: sumOfCents(of.map(({ total }) => total)),
        },
      })),
    )
    expect(second?.meta.pagination['total']).toBe(expected.length)
  })

  it('groups by several paths, and by a relation', async () => {
    const { data } = await aggregate('groupBy=state,customer&aggregate[count]=true&sort=count:desc,state')
    expect(data.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(300)
    const counts = data.map((row) => Number(row['count']))
    expect(counts).toEqual([...counts].sort((one, other) => other - one))
    expect(Object.keys(data[0]?.group ?? {})).toEqual(['state', 'customer'])
    const documents = await get('customers?fields=name')
    const known = documents.data.map((one) => one['documentId'])
    expect(data.every(({ group }) => group['customer'] === null || known.includes(group['customer']))).toBe(
      true,
    )
  })

  it('joins a relation once for groups and aggregates behind it', async () => {
    const { data } = await aggregate('groupBy=tags.name,tags.documentId&aggregate[count]=true')
    const rows = ['red', 'crimson', 'blue'].map(
      (tag) => orders.filter((order) => order.tags.includes(tag)).length,
    )
    const none = orders.filter((order) => order.tags.length === 0).length
    expect(data.map((row) => row['count']).sort()).toEqual([...rows, none].sort())
  })

  it('filters groups by having, and sorts them', async () => {
    const counted = grouped((order) => [customerName(order)]).map(
      ([value, of]) => [value, of.length] as const,
    )
    const most = Math.max(...counted.map(([, count]) => count))
    const above = await aggregate(
      `groupBy=customer.name&aggregate[count]=true&having[count][$gte]=${String(most)}&having[customer.name][$notNull]=true`,
    )
    expect(above.data.map(({ group }) => group['customer.name'])).toEqual(
      counted.filter(([value, count]) => value !== null && count >= most).map(([value]) => value),
    )
    const sorted = await aggregate('groupBy=customer.name&aggregate[sum]=total&sort=sum.total:desc')
    const sums = sorted.data.map((row) => (row['sum'] as Readonly<Record<string, number>>)['total'] ?? 0)
    expect(sums).toEqual([...sums].sort((one, other) => other - one))
    const named = await aggregate('groupBy=customer.name&aggregate[count]=true&sort=customer.name:desc')
    expect(named.data.map(({ group }) => group['customer.name'])).toEqual(
      ['bob', 'ada', 'Ève', 'Ada', null].sort(compare).reverse(),
    )
  })

  it('counts the groups behind the last page', async () => {
    const { data, meta } = await get(
      'orders/aggregate?groupBy=state&aggregate[count]=true&pagination[page]=9&pagination[pageSize]=2',
    )
    expect(data).toEqual([])
    expect(meta.pagination).toEqual({ page: 9, pageSize: 2, pageCount: 2, total: 3 })
  })

  it('adds facets to a list, under its filters', async () => {
    const { data, meta } = await get(
      'orders?filters[state]=open&facets=customer.name,tags.name,isPaid&pagination[pageSize]=1',
    )
    const open = orders.filter(({ state }) => state === 'open')
    const facet = (valuesOf: (order: Order) => readonly Value[]): object =>
      grouped(valuesOf)
        .map(([value, of]) => ({ value, count: of.filter(({ state }) => state === 'open').length }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count || compare(one.value, other.value))
    expect(data).toHaveLength(1)
    expect(meta.pagination['total']).toBe(open.length)
    expect(meta.facets).toEqual({
      'customer.name': facet((order) => [customerName(order)]),
      'tags.name': facet(tagNames),
      isPaid: facet(({ isPaid }) => [isPaid]),
    })
  })
})
