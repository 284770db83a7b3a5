import express from 'express'
import { aggregates } from '../../../extensions/aggregate'
import { seed } from '../../../extensions/seed'
import { contentRouter, migrate } from '../../../lib'
import { type Answer, type Asker, askerOf } from '../../support/asker'
import { eachDatabase } from '../../support/databases'
import { collection, text } from '../../support/library'

// Values at which databases differ: sums beyond 64 bits, the first and the last days, texts longer than a sort key.

const types = [
  collection('reading', {
    name: text,
    units: { type: 'biginteger' },
    ratio: { type: 'float' },
    price: { type: 'decimal' },
    day: { type: 'date' },
    moment: { type: 'datetime' },
    clock: { type: 'time' },
    isDone: { type: 'boolean' },
    body: { type: 'text' },
  }),
  collection('giant', { size: { type: 'float' } }),
  collection('nothing', { name: text, amount: { type: 'integer' } }),
]

const most = '9223372036854775807'
const least = '-9223372036854775808'
const long = 'x'.repeat(2000)
const longest = 'y'.repeat(300_000)

const readings = [
  { name: 'a', units: most, price: 0.1, ratio: 0.1, day: '9999-12-31', moment: '9999-12-31T23:59:59.999Z' },
  { name: 'a', units: most, price: 0.2, ratio: 0.2, day: '9999-10-01', moment: '9999-12-26T00:00:00.000Z' },
  { name: 'a', units: most, ratio: 0.3, day: '0001-01-03', moment: '0001-01-03T00:00:00.000Z' },
  { name: 'b', units: least, price: 0.3, day: '0999-05-06', moment: '0999-05-06T07:08:09.010Z' },
  { name: 'b', units: least, day: '1969-12-31', moment: '1969-12-31T23:59:59.999Z' },
  { name: 'c', units: '9007199254740993', clock: '09:30', isDone: true, body: `${long}b` },
  { name: 'c', clock: '09:30:00', isDone: false, body: `${long}a` },
  { name: 'c', clock: '23:59:59.999', isDone: true, body: `${long}a` },
  { name: 'c', body: longest },
]

interface Row {
  readonly group: Readonly<Record<string, unknown>>
  readonly [name: string]: unknown
}

eachDatabase((database) => {
  const world = database.fresh()
  let asker: Asker

  beforeAll(async () => {
    const config = { contentTypes: types as never, database: world.config, logger: false } as const
    await migrate(config)
    await seed(config, { reading: readings, giant: [{ size: 1.7e308 }, { size: 1.7e308 }] })
    const permissions = { public: { find: '*', aggregate: '*' } } as const
    const router = world.closing(contentRouter({ ...config, permissions, extensions: [aggregates()] }))
    asker = world.closing(await askerOf(express().use('/api', router)))
  }, 60_000)

  const ask = (query: string, type = 'readings'): Promise<Answer> =>
    asker.ask(`/api/${type}/aggregate?${query}`)
  async function rows(query: string, type?: string): Promise<readonly Row[]> {
    const { status, body } = await ask(query, type)
    if (status !== 200) throw new Error(`${String(status)} ${body}`)
    return (JSON.parse(body) as { readonly data: readonly Row[] }).data
  }
  const groups = async (query: string): Promise<unknown[][]> =>
    (await rows(`${query}&aggregate[count]=true`)).map(({ group, count }) => [...Object.values(group), count])

  it('sums of 64-bit integers are exact beyond 64 bits', async () => {
    expect(await rows('groupBy=name&aggregate[sum]=units&sort=sum.units:desc')).toEqual([
      { group: { name: 'a' }, sum: { units: '27670116110564327421' } },
      { group: { name: 'c' }, sum: { units: '9007199254740993' } },
      { group: { name: 'b' }, sum: { units: '-18446744073709551616' } },
    ])
    const average = await rows('groupBy=name&aggregate[avg]=units')
    expect(average.map(({ avg }) => avg)).toEqual([
      { units: 9.22337203685478e18 },
      { units: -9.22337203685478e18 },
      { units: 9.00719925474099e15 },
    ])
  })

  it('conditions on sums of integers are exact', async () => {
    const names = async (having: string): Promise<unknown[]> =>
      (await rows(`groupBy=name&aggregate[sum]=units&having[sum][units]${having}`)).map(
        ({ group }) => group['name'],
      )
    expect(await names('[$eq]=9007199254740993')).toEqual(['c'])
    expect(await names('[$eq]=9007199254740992')).toEqual([])
    expect(await names(`[$gte]=${most}`)).toEqual(['a'])
    expect(await names('[$lt]=0')).toEqual(['b'])
    expect(await names('[$gte]=0.5')).toEqual(['a', 'c'])
  })

  it('sums of decimals are those of their digits', async () => {
    const query = 'groupBy=name&aggregate[sum]=price&filters[price][$notNull]=true&sort=sum.price,name'
    const expected = ['a', 'b'].map((name) => ({ group: { name }, sum: { price: 0.3 } }))
    expect(await rows(query)).toEqual(expected)
    expect(await rows(`${query}&having[sum][price][$eq]=0.3`)).toEqual(expected)
  })

  it('sums and averages of floats have 15 digits', async () => {
    expect(await rows('aggregate[sum]=ratio&aggregate[avg]=ratio')).toEqual([
      { group: {}, sum: { ratio: 0.6 }, avg: { ratio: 0.2 } },
    ])
  })

  it('a sum beyond the doubles is null on SQLite, and fails on the other databases', async () => {
    for (const name of ['sum', 'avg']) {
      const { status, body } = await ask(`aggregate[${name}]=size`, 'giants')
      if (database.dialect === 'sqlite')
        expect(JSON.parse(body)).toMatchObject({ data: [{ [name]: { size: null } }] })
      else expect(status).toBe(500)
    }
  })

  it('parts of the first and the last dates', async () => {
    expect(await groups('groupBy=day:week&filters[day][$notNull]=true')).toEqual([
      ['0001-01-01', 1],
      ['0999-05-06', 1],
      ['1969-12-29', 1],
      ['9999-09-27', 1],
      ['9999-12-27', 1],
    ])
    expect(await groups('groupBy=moment:week&filters[moment][$notNull]=true')).toEqual([
      ['0001-01-01', 1],
      ['0999-05-06', 1],
      ['1969-12-29', 1],
      ['9999-12-20', 1],
      ['9999-12-27', 1],
    ])
    for (const name of ['day', 'moment'])
      expect(await groups(`groupBy=${name}:quarter&filters[${name}][$notNull]=true`)).toEqual([
        ['0001-01-01', 1],
        ['0999-04-01', 1],
        ['1969-10-01', 1],
        ['9999-10-01', 2],
      ])
  })

  it('groups of times and booleans', async () => {
    expect(await groups('groupBy=clock&filters[clock][$notNull]=true')).toEqual([
      ['09:30:00.000', 2],
      ['23:59:59.999', 1],
    ])
    expect(await groups('groupBy=isDone')).toEqual([
      [null, 6],
      [false, 1],
      [true, 2],
    ])
    expect(await rows('aggregate[min]=clock&aggregate[max]=clock&aggregate[countDistinct]=isDone')).toEqual([
      {
        group: {},
        min: { clock: '09:30:00.000' },
        max: { clock: '23:59:59.999' },
        countDistinct: { isDone: 2 },
      },
    ])
  })

  it('groups of texts that are longer than a sort key, on pages in one order', async () => {
    const query = 'groupBy=body&aggregate[countDistinct]=name&filters[body][$notNull]=true'
    const whole = await groups(query)
    expect(whole.map(([body, count]) => [String(body).slice(1999, 2002), count]).sort()).toEqual([
      ['xa', 2],
      ['xb', 1],
      ['yyy', 1],
    ])
    for (const sort of ['body', 'body:desc', 'max.body']) {
      const pages = await Promise.all(
        [1, 2, 3].map((page) =>
          groups(
            `${query}&aggregate[max]=body&sort=${sort}&pagination[pageSize]=1&pagination[page]=${String(page)}`,
          ),
        ),
      )
      expect(new Set(pages.flat().map(([body]) => body))).toEqual(new Set(whole.map(([body]) => body)))
    }
    expect(await rows('aggregate[countDistinct]=body&aggregate[max]=body')).toEqual([
      { group: {}, countDistinct: { body: 3 }, max: { body: longest } },
    ])
  })

  it('an empty table has one row without groups, and no groups', async () => {
    const functions = 'aggregate[count]=true&aggregate[sum]=amount&aggregate[min]=name'
    expect(await rows(functions, 'nothings')).toEqual([
      { group: {}, count: 0, sum: { amount: null }, min: { name: null } },
    ])
    expect(await rows(`${functions}&groupBy=name`, 'nothings')).toEqual([])
  })
})
