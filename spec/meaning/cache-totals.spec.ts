import { setTimeout as pause } from 'node:timers/promises'
import { knex as makeKnex, type Knex } from 'knex'
import { keeping } from '../support/hearing'
import { onSqlite } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { type Page, type Served, stocked, type Stocked } from '../support/served'

const own = { place: integer, kind: text, big: { type: 'biginteger' } }

const contentTypes = [
  collection('step', { ...own, next: relation('oneToOne', 'step') }),
  collection('secret', own),
] as never

/** Of a table whose changes no counter of the database tells. */
const ghost = collection('ghost', own)

/** So many that their number is worth keeping. */
const many = 4000
const few = 100

/** No double is this one. */
const big = '9007199254740993'

const rows = (from: number, to: number, kind: string): object[] =>
  Array.from({ length: to - from }, (_, index) => ({
    document_id: `d${String(from + index)}`,
    place: from + index + 1,
    kind,
    big,
  }))

const isCount = (sql: string): boolean => sql.includes('count(')

const total = ({ meta }: Page): number => meta.pagination['total'] ?? NaN

/** A plain list, a filtered one that counts apart, one that counts while it sorts, and one with what takes more statements. */
const ways = {
  plain: 'steps?pagination[pageSize]=2',
  filtered: 'steps?filters[kind]=odd&pagination[pageSize]=2',
  sorted: 'steps?filters[kind]=odd&sort=place:desc&pagination[pageSize]=2',
  big: `steps?filters[kind]=odd&filters[big]=${big}&pagination[pageSize]=2`,
  populated: 'steps?populate=next&pagination[pageSize]=2',
} as const

onSqlite((database) => {
  let stock: Stocked | undefined
  const world = onOwnServer(database, () => (stock = stocked(database, contentTypes, {})).world)
  const serve: Stocked['serve'] = (options) => (stock as Stocked).serve(options)
  const { sql, logger } = keeping()
  let served: Served

  beforeAll(async () => {
    await world.knex.batchInsert('steps', rows(0, many, 'odd'), 400)
    await world.knex.batchInsert('steps', rows(many, many + few, 'even'), 400)
    await world.knex.batchInsert('secrets', rows(0, many, 'odd'), 400)
    served = serve({ logger, permissions: { public: { find: ['step'] }, other: { find: '*' } } })
  }, 60_000)

  const asked = async (path: string): Promise<{ readonly page: Page; readonly counts: number }> => {
    sql.length = 0
    const page = await served.page(path)
    return { page, counts: sql.filter(isCount).length }
  }

  /** Asks until an answer counts nothing, and returns it. */
  async function recalled(path: string): Promise<Page> {
    const end = Date.now() + 20_000
    for (;;) {
      const { page, counts } = await asked(path)
      if (counts === 0) return page
      if (Date.now() > end) throw new Error(`${path} is still counted after 20 seconds`)
    }
  }

  const stored = async (table: string, kind?: string): Promise<number> => {
    const found = world.knex(table).count({ count: '*' })
    const [row] = (await (kind === undefined ? found : found.where({ kind }))) as { count: unknown }[]
    return Number(row?.count)
  }

  it('is counted at first, and again where it is large enough to be kept', async () => {
    const fresh = serve({ logger })
    for (let times = 0; times < 2; times += 1) {
      sql.length = 0
      await fresh.page(ways.plain)
      expect(sql.filter(isCount)).toHaveLength(1)
    }
  })

  describe.each(Object.entries(ways))('the total of a list that is %s', (_, path) => {
    const expected = (): Promise<number> => stored('steps', path.includes('kind') ? 'odd' : undefined)

    it('is counted no more while nothing is committed, and the answer is the same', async () => {
      const first = await serve().page(path)
      expect(total(first)).toBe(await expected())
      expect(await recalled(path)).toEqual(first)
    })

    it('is right in the first answer after a commit', async () => {
      for (const change of [
        () => world.knex('steps').insert(rows(9000, 9001, 'odd')),
        () => world.knex('steps').where({ place: 9001 }).delete(),
      ]) {
        await recalled(path)
        await change()
        expect(total(await served.page(path))).toBe(await expected())
      }
    })
  })

  it('is not that of another filter, nor of another type', async () => {
    await recalled(ways.filtered)
    const other = serve({ logger, permissions: { public: { find: '*' } } })
    expect(total(await served.page('steps?filters[kind]=even&pagination[pageSize]=2'))).toBe(few)
    expect(total(await other.page('secrets?filters[kind]=odd&pagination[pageSize]=2'))).toBe(many)
    expect((await served.get('secrets?filters[kind]=odd&pagination[pageSize]=2')).status).toBe(403)
  })

  it('is not that of a number of 64 bits that is next to it', async () => {
    await recalled(ways.big)
    expect(total(await served.page(ways.big.replace(big, '9007199254740992')))).toBe(0)
  })

  it.each([{ cache: {} }, { etag: true }])(
    'is told where answers are kept or tagged: %j',
    async (options) => {
      const page = await serve(options).page(ways.big)
      expect(total(page)).toBe(await stored('steps', 'odd'))
    },
  )

  it('is counted where it is small: that costs less than to ask whether it has changed', async () => {
    const path = 'steps?filters[kind]=even&pagination[pageSize]=2'
    for (let times = 0; times < 5; times += 1) expect((await asked(path)).counts).toBe(1)
  })

  it('is counted each time where changes to a table are not counted', async () => {
    const of = serve({ logger, contentTypes: [...(contentTypes as object[]), ghost] as never })
    const path = 'ghosts?pagination[pageSize]=2'
    const table = database.dialect === 'mysql' ? 'ghosts' : 'secrets'
    if (database.dialect === 'mysql') {
      await world.knex.schema.raw('create table ghosts engine = MyISAM as select * from secrets')
    } else await world.knex.schema.raw('create view ghosts as select * from secrets')
    for (let place = many; place > many - 4; place -= 1) {
      expect(total(await of.page(path))).toBe(place)
      await world.knex(table).where({ place }).delete()
    }
    // Whatever was committed is long over.
    for (const milliseconds of [0, 1300, 0, 0]) {
      await pause(milliseconds)
      sql.length = 0
      await of.page(path)
      expect(sql.filter(isCount)).toHaveLength(1)
    }
  })

  it('is counted for whoever is told how the answer came about', async () => {
    await recalled(ways.plain)
    const explaining = serve({ logger, explain: () => true })
    const whole = await explaining.page(ways.plain)
    expect(JSON.stringify(whole.meta)).toContain('count(')
    expect(total(whole)).toBe(many + few)
  })

  it('does not tell of what is not committed, nor of what is taken back', async () => {
    if (database.dialect === 'sqlite') await world.knex.raw('pragma journal_mode = wal')
    const change = await world.knex.transaction()
    await change('steps').insert(rows(9000, 9001, 'odd'))
    expect(total(await recalled(ways.plain))).toBe(many + few)
    await change.rollback()
    expect(total(await recalled(ways.plain))).toBe(many + few)
  }, 60_000)

  if (database.dialect === 'sqlite') {
    it('is not kept from a transaction that others began on the connection, and take back', async () => {
      const knex = makeKnex({ ...world.config, useNullAsDefault: true, pool: { min: 1, max: 1 } })
      world.closing({ close: () => knex.destroy() })
      const of = serve({ logger, database: knex })
      const before = await stored('steps')
      await knex.raw('begin')
      await knex('steps').insert(rows(9000, 9001, 'odd'))
      for (let times = 0; times < 3; times += 1) expect(total(await of.page(ways.plain))).toBe(before + 1)
      await knex.raw('rollback')
      expect(total(await of.page(ways.plain))).toBe(before)
    })
  }

  describe('while others write', () => {
    const newest = 'sort=place:desc&pagination[pageSize]=1'
    const paths = [
      `steps?${newest}`,
      `steps?${newest}&populate=next`,
      `steps?filters[place][$gt]=0&${newest}`,
    ]

    /** The newest says how many there are: entries come and go at the end. */
    async function write(knex: Knex, wrote: (writes: number) => boolean): Promise<void> {
      let place = many + few
      for (let writes = 1; wrote(writes); writes += 1) {
        const isMore = writes % 3 < 2
        if (isMore) await knex('steps').insert(rows(place, place + 1, 'new'))
        else await knex('steps').where({ place }).delete()
        place += isMore ? 1 : -1
        // Long enough for totals to be kept now and then.
        await pause(writes % 20 === 0 ? 2500 : 5)
      }
    }

    it('belongs to the state that the page shows', async () => {
      const count = { answers: 0, writes: 0 }
      let isOver = false
      const writing = write(world.knex, (writes) => {
        count.writes = writes
        return !isOver
      })
      const counts = (): number => sql.filter(isCount).length
      const read = async (path: string): Promise<void> => {
        while (count.answers < 600 || count.writes < 60 || count.answers - counts() < 50) {
          const page = await served.page(path)
          count.answers += 1
          expect(page.data[0]?.['place']).toBe(total(page))
        }
      }
      sql.length = 0
      await Promise.all(paths.map(read))
      isOver = true
      await writing
    }, 60_000)
  })
})
