import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import { eachDatabase, type TestDatabase } from '../support/databases'
import { collection } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { saying } from '../support/saying'
import { type Served, stocked } from '../support/served'

/** Central Europe by its rules, so that the server needs no files of zones. */
const withSummerTime = 'CET-1CEST,M3.5.0,M10.5.0/3'

const zones: Readonly<Record<TestDatabase['dialect'], readonly string[]>> = {
  sqlite: [''],
  mysql: ["set time_zone = 'SYSTEM'", "set time_zone = '+05:00'", "set time_zone = '-12:00'"],
  postgres: [`set time zone '${withSummerTime}'`, "set time zone '+05:00'", "set time zone '-12:00'"],
}

/** The half hours around both changes of the clock: in summer time one of them comes twice, and one never. */
const instants = [
  '1970-01-01T00:00:01.000Z',
  ...['2024-03-31T00:30:00.000Z', '2024-03-31T01:00:00.000Z', '2024-03-31T01:30:00.000Z'],
  ...['2024-10-26T23:30:00.000Z', '2024-10-27T00:30:00.000Z', '2024-10-27T01:30:00.000Z'],
  ...['2024-10-27T02:30:00.000Z', '2038-01-19T03:14:07.999Z'],
]
const beside = ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '2024-03-31T02:00:00.000Z']
const beyond = ['0001-01-01T00:00:00.000Z', '2038-01-19T03:14:08.000Z', '9999-12-31T23:59:59.999Z']

const operators: Readonly<Record<string, (actual: string, asked: string) => boolean>> = {
  $eq: (actual, asked) => actual === asked,
  $ne: (actual, asked) => actual !== asked,
  $lt: (actual, asked) => actual < asked,
  $lte: (actual, asked) => actual <= asked,
  $gt: (actual, asked) => actual > asked,
  $gte: (actual, asked) => actual >= asked,
  $in: (actual, asked) => actual === asked,
  $notIn: (actual, asked) => actual !== asked,
}

/** By this session since its counters were set to nothing. */
async function rowsRead(knex: Knex): Promise<number> {
  const [rows] = (await knex.raw("show session status like 'Handler_read%'")) as [{ Value: string }[]]
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
}

eachDatabase((database) => {
  const types = [collection('bell', { rungAt: { type: 'timestamp' }, heardAt: { type: 'datetime' } })]
  let stock: ReturnType<typeof stocked> | undefined
  const make = () => {
    stock = stocked(database, types as Parameters<typeof stocked>[1], {
      bell: instants.map((at) => ({ rungAt: at, heardAt: at })),
    })
    return stock.world
  }
  const world = onOwnServer(database, make, { TZ: withSummerTime })

  const serveIn = (zone: string): Served => {
    const afterCreate = saying(zone)
    const pool = zone === '' ? {} : { pool: { min: 0, max: 2, afterCreate } }
    const own: Partial<ContentRouterConfig> = { database: { ...world.config, ...pool } }
    return (stock as ReturnType<typeof stocked>).serve(own)
  }

  it.each(zones[database.dialect])('compares and shows instants after "%s" as everywhere', async (zone) => {
    const served = serveIn(zone)
    for (const name of ['rungAt', 'heardAt']) {
      expect(await served.values('bells?sort=id', name)).toEqual(instants)
      expect(await served.values(`bells?sort=${name}:desc`, name)).toEqual([...instants].reverse())
      for (const asked of [...instants, ...beside, ...beyond]) {
        for (const [operator, meets] of Object.entries(operators)) {
          const path = `bells?sort=id&filters[${name}][${operator}]=${asked}`
          const expected = instants.filter((actual) => meets(actual, asked))
          expect([path, await served.values(path, name)]).toEqual([path, expected])
        }
      }
    }
  })

  const overMySql = database.dialect === 'mysql' ? it.each(zones.mysql) : null

  overMySql?.('finds timestamps by an index after "%s"', async (zone) => {
    const single = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    try {
      await single.raw(zone)
      await single.raw('create index rung on bells (rung_at)')
      const far = Array.from({ length: 2000 }, (_, day) => ({
        rung_at: single.raw('from_unixtime(?)', [1e9 + day * 86_400]),
      }))
      await single('bells').insert(far)
      await single.raw('analyze table bells')
      const served = (stock as ReturnType<typeof stocked>).serve({ database: single })
      for (const condition of [
        '[$eq]=2024-10-27T00:30Z',
        '[$gt]=2024-10-27',
        '[$in]=2024-03-31T01:00Z',
        '[$lt]=1971',
      ]) {
        // The first request reads more than entries.
        await served.get('bells?fields=id')
        await single.raw('flush status')
        expect(await served.values(`bells?filters[rungAt]${condition}`, 'rungAt')).not.toEqual([])
        expect(await rowsRead(single)).toBeLessThan(50)
      }
    } finally {
      await single('bells').where('id', '>', instants.length).delete()
      await single.raw('drop index rung on bells')
      await single.destroy()
    }
  })

  it('shows whole milliseconds of what another program has stored finer, and compares all of it', async () => {
    const fine = '1999-12-31 23:59:59.999999'
    const shown = '1999-12-31T23:59:59.999Z'
    await world.knex.transaction(async (connection) => {
      if (database.dialect === 'mysql') await connection.raw("set time_zone = '+00:00'")
      await connection('bells').insert({ document_id: 'fine', rung_at: stored(fine), heard_at: stored(fine) })
    })
    const served = serveIn('')
    for (const name of ['rungAt', 'heardAt']) {
      const asked = `bells?filters[documentId]=fine&filters[${name}]`
      expect(await served.values(`${asked}[$gte]=${shown}`, name)).toEqual([shown])
      expect(await served.values(`${asked}[$lt]=2000-01-01`, name)).toEqual([shown])
    }
  })

  const overPostgres = database.dialect === 'postgres' ? it.each : null

  overPostgres?.([
    ['infinity', null],
    ['-infinity', null],
    ['4713-01-01 00:00:00 BC', '-004712-01-01T00:00:00.000Z'],
    ['0001-02-28 12:00:00.5 BC', '0000-02-28T12:00:00.500Z'],
    ['10000-12-31 23:59:59.25', '+010000-12-31T23:59:59.250Z'],
    ['294276-12-31 23:59:59', null],
  ])(
    'shows as JSON writes it what is far from today, and the ends of time as nothing: %s',
    async (at, told) => {
      await world.knex.transaction(async (connection) => {
        await connection.raw(`set local time zone 'UTC'`)
        await connection('bells').insert({ document_id: 'far', rung_at: at, heard_at: at })
      })
      const served = serveIn('')
      for (const query of ['', '&sort=rungAt', '&sort=heardAt:desc']) {
        const [bell] = await served.list(`bells?filters[documentId]=far${query}`)
        expect([bell?.['rungAt'], bell?.['heardAt']]).toEqual([told, told])
      }
      await world.knex('bells').where({ document_id: 'far' }).delete()
    },
  )

  /** As the database keeps it; SQLite has milliseconds. */
  const stored = (text: string): string | number =>
    database.dialect === 'sqlite' ? Date.parse(`${text.slice(0, 23)}Z`) : text
})
