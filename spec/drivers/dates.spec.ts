import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import { eachDatabase, type TestDatabase } from '../support/databases'
import { collection, relation } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { saying } from '../support/saying'
import { type Served, stocked } from '../support/served'

const eventTypes = [
  collection('event', {
    day: { type: 'date' },
    at: { type: 'datetime' },
    next: relation('manyToOne', 'event'),
  }),
] as unknown as ContentRouterConfig['contentTypes']

const days = ['0001-01-01', '2023-12-31', '2024-02-29', '2024-04-30', '9999-12-31']
const invalidDays = ['0000-00-00', '2024-00-00', '2024-01-00', '2023-02-29', '2024-04-31']
const events = days.map((day, at) => ({ $ref: `e${String(at)}`, day, next: `e${String(at)}` }))

eachDatabase((database) => {
  describe('a date', () => {
    const { serve, world } = stocked(database, eventTypes, { event: events })

    it('is shown as its day', async () => {
      expect(await serve().values('events?sort=id', 'day')).toEqual(days)
    })

    if (database.dialect !== 'mysql') return

    it('that is no valid day, as a lax SQL mode stores it, is null in every query', async () => {
      const lax = makeKnex({ ...world.config, pool: { min: 0, max: 1 } })
      await lax.raw("set session sql_mode = 'ALLOW_INVALID_DATES'")
      for (const [at, day] of invalidDays.entries())
        await lax('events').where({ day: days[at] }).update({ day, at: day })
      expect(await lax('events').where({ day: '2024-00-00' })).toHaveLength(1)
      await lax.destroy()
      const { list, values } = serve({ nestedPagination: true })
      const nulls = invalidDays.map(() => null)
      expect(await values('events', 'day')).toEqual(nulls)
      expect(await values('events?sort=next.id', 'day')).toEqual(nulls)
      expect(await values('events', 'at')).toEqual(nulls)
      const next = (await list('events?populate[next][fields]=day,at')).map((event) => event['next'])
      expect(next).toMatchObject(nulls.map((day) => ({ day, at: day })))
    })
  })
})

/** Central Europe as a POSIX rule, so that the server needs no time zone files. */
const withSummerTime = 'CET-1CEST,M3.5.0,M10.5.0/3'

const zones: Readonly<Record<TestDatabase['dialect'], readonly string[]>> = {
  sqlite: [''],
  mysql: ["set time_zone = 'SYSTEM'", "set time_zone = '+05:00'", "set time_zone = '-12:00'"],
  postgres: [`set time zone '${withSummerTime}'`, "set time zone '+05:00'", "set time zone '-12:00'"],
}

/** Around both changes of the clock: in local time one half hour comes twice, and one never. */
const instants = [
  '1970-01-01T00:00:01.000Z',
  ...['2024-03-31T00:30:00.000Z', '2024-03-31T01:00:00.000Z', '2024-03-31T01:30:00.000Z'],
  ...['2024-10-26T23:30:00.000Z', '2024-10-27T00:30:00.000Z', '2024-10-27T01:30:00.000Z'],
  ...['2024-10-27T02:30:00.000Z', '2038-01-19T03:14:07.999Z'],
]
const beside = ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '2024-03-31T02:00:00.000Z']
const beyond = ['0001-01-01T00:00:00.000Z', '2038-01-19T03:14:08.000Z', '9999-12-31T23:59:59.999Z']

/** spec/slow/edges-agree asks by every operator, without other time zones. */
const operators: Readonly<Record<string, (actual: string, asked: string) => boolean>> = {
  $eq: (actual, asked) => actual === asked,
  $lt: (actual, asked) => actual < asked,
  $gte: (actual, asked) => actual >= asked,
}

/** Rows that this session has read since its counters were reset. */
async function rowsRead(knex: Knex): Promise<number> {
  const [rows] = (await knex.raw("show session status like 'Handler_read%'")) as [{ Value: string }[]]
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
}

eachDatabase((database) => {
  describe('an instant', () => {
    const bellTypes = [collection('bell', { rungAt: { type: 'timestamp' }, heardAt: { type: 'datetime' } })]
    let stock: ReturnType<typeof stocked> | undefined
    const make = () => {
      stock = stocked(database, bellTypes as Parameters<typeof stocked>[1], {
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

    it.each(zones[database.dialect])('is the same in a session with "%s"', async (zone) => {
      const served = serveIn(zone)
      const [first] = zones[database.dialect]
      // A zone without summer time differs from UTC by an offset alone.
      const compared = zone === first ? Object.keys(operators) : ['$lt']
      for (const name of ['rungAt', 'heardAt']) {
        expect(await served.values('bells?sort=id', name)).toEqual(instants)
        expect(await served.values(`bells?sort=${name}:desc`, name)).toEqual([...instants].reverse())
        for (const asked of [...instants, ...beside, ...beyond]) {
          for (const operator of compared) {
            const path = `bells?sort=id&filters[${name}][${operator}]=${asked}`
            const expected = instants.filter((actual) => operators[operator]?.(actual, asked))
            expect([path, await served.values(path, name)]).toEqual([path, expected])
          }
        }
      }
    })

    if (database.dialect === 'mysql')
      it('of a timestamp is found by an index, whatever the time zone of the session', async () => {
        const { knex } = world
        await knex.raw('create index rung on bells (rung_at)')
        const far = Array.from({ length: 2000 }, (_, day) => ({
          rung_at: knex.raw('from_unixtime(?)', [1e9 + day * 86_400]),
        }))
        await knex('bells').insert(far)
        await knex.raw('analyze table bells')
        for (const zone of zones.mysql) {
          const single = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
          world.closing({ close: () => single.destroy() })
          await single.raw(zone)
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
        }
        await knex('bells').where('id', '>', instants.length).delete()
      })

    it('with microseconds is shown in milliseconds, and compared in full', async () => {
      const fine = '1999-12-31 23:59:59.999999'
      const shown = '1999-12-31T23:59:59.999Z'
      await world.knex.transaction(async (connection) => {
        if (database.dialect === 'mysql') await connection.raw("set time_zone = '+00:00'")
        await connection('bells').insert({
          document_id: 'fine',
          rung_at: stored(fine),
          heard_at: stored(fine),
        })
      })
      const served = serveIn('')
      for (const name of ['rungAt', 'heardAt']) {
        const asked = `bells?filters[documentId]=fine&filters[${name}]`
        expect(await served.values(`${asked}[$gte]=${shown}`, name)).toEqual([shown])
        expect(await served.values(`${asked}[$lt]=2000-01-01`, name)).toEqual([shown])
      }
    })

    if (database.dialect === 'postgres')
      it.each([
        ['infinity', null],
        ['-infinity', null],
        ['4713-01-01 00:00:00 BC', '-004712-01-01T00:00:00.000Z'],
        ['0001-02-28 12:00:00.5 BC', '0000-02-28T12:00:00.500Z'],
        ['10000-12-31 23:59:59.25', '+010000-12-31T23:59:59.250Z'],
        ['294276-12-31 23:59:59', null],
      ])(
        'beyond the year 9999 or before 1 is written as JSON does, and infinity is null: %s',
        async (at, shown) => {
          await world.knex.transaction(async (connection) => {
            await connection.raw(`set local time zone 'UTC'`)
            await connection('bells').insert({ document_id: 'far', rung_at: at, heard_at: at })
          })
          const served = serveIn('')
          for (const query of ['', '&sort=rungAt', '&sort=heardAt:desc']) {
            const [bell] = await served.list(`bells?filters[documentId]=far${query}`)
            expect([bell?.['rungAt'], bell?.['heardAt']]).toEqual([shown, shown])
          }
          await world.knex('bells').where({ document_id: 'far' }).delete()
        },
      )

    /** As the database stores it; SQLite has milliseconds. */
    const stored = (text: string): string | number =>
      database.dialect === 'sqlite' ? Date.parse(`${text.slice(0, 23)}Z`) : text
  })
})
