import express from 'express'
import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { contentRouter } from '../../lib'
import { type Answer, askerOf } from '../support/asker'
import { serveCached } from '../support/cached'
import { eachDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, integer, library, relation, text } from '../support/library'
import { lineTo } from '../support/line'
import { alone } from '../support/own-server'
import { type Page, type Served, stocked } from '../support/served'
import { tagOf, whileItHolds } from '../support/tags'
import { raceTotals } from '../support/totals-race'

// The state of a database is asked in another way of each server: how soon it tells of a commit, and whether it tells at all,
// shows on that server only. What the cache does with it is in spec/meaning/cache.

interface Body {
  readonly data: readonly { readonly title?: unknown; readonly name?: unknown }[]
  readonly meta: { readonly pagination: { readonly total: number } }
}

const bodyOf = ({ body }: Pick<Answer, 'body'>): Body => JSON.parse(body) as Body

const titles = (answer: Pick<Answer, 'body'>): unknown[] =>
  bodyOf(answer).data.map(({ title, name }) => title ?? name)

const totalIn = (answer: Answer): number => bodyOf(answer).meta.pagination.total

const content = {
  country: [{ $ref: 'uk', name: 'UK' }],
  author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
  book: [{ title: 'Dawn', author: 'ada' }],
}

/** Often enough to notice a counter that moves some milliseconds late, as the end of the log of MySQL does. */
const rounds = process.env['SWEEP'] === 'all' ? 12 : 4

function addressOf({ config }: World): [host: string, port: number] {
  const { host, port } = config.connection as unknown as { host: string; port: number }
  return [host, port]
}

const own = { place: integer, kind: text, big: { type: 'biginteger' } }

const contentTypes = [
  ...library,
  collection('step', { ...own, next: relation('oneToOne', 'step') }),
  collection('secret', own),
] as never

/** Of a table whose changes no counter of the database tells. */
const ghost = collection('ghost', own)

/** So many that their number is worth keeping. */
const many = 3100
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

/** One statement with its count, a count apart, and more than two statements. */
const ways = {
  plain: 'steps?pagination[pageSize]=2',
  big: `steps?filters[kind]=odd&filters[big]=${big}&pagination[pageSize]=2`,
  populated: 'steps?populate=next&pagination[pageSize]=2',
} as const

eachDatabase((database) => {
  const { dialect } = database
  const { world, serve } = stocked(alone(database), contentTypes, content)
  const on = { world, dialect }
  const rename = async (title: string): Promise<void> => {
    await world.knex('books').update({ title })
  }

  describe('a commit', () => {
    const path = 'books?populate=author'

    it('is visible to requests as soon as it is acknowledged', async () => {
      const { get, kept } = await serveCached({ world, dialect })
      for (let round = 1; round <= rounds; round += 1) {
        const { headers } = await kept('authors')
        const name = `Ada ${String(round)}`
        await world.knex('authors').update({ name })
        const [answer, conditional] = [
          await get('authors'),
          await get('authors', 'public', { 'If-None-Match': headers.etag ?? '' }),
        ]
        expect([titles(answer)[0], conditional.status]).toEqual([name, 200])
      }
    }, 60_000)

    it('prevents caching while MySQL writes no redo log', async () => {
      if (database.name !== 'mysql') return
      const { get, kept } = await serveCached({ world, dialect })
      await world.knex.raw('alter instance disable innodb redo_log')
      try {
        for (let round = 1; round <= 3; round += 1) {
          // For longer than a counter has to have stood for what is read to be kept by it.
          await pause(300)
          const { headers } = await get('authors')
          const name = `Eve ${String(round)}`
          await world.knex('authors').update({ name })
          const answer = await get('authors', 'public', { 'If-None-Match': headers.etag ?? '' })
          expect([answer.status, titles(answer)[0], answer.headers.etag]).toEqual([200, name, undefined])
        }
      } finally {
        await world.knex.raw('alter instance enable innodb redo_log')
      }
      expect((await kept('authors')).headers.etag).toBeDefined()
    }, 60_000)

    describe.each([
      ['with a cache', { cache: {} }],
      ['without a cache', { cache: false, etag: true }],
    ] as const)('an ETag %s', (how, options) => {
      it('is answered with 304 until something is committed, without reading rows', async () => {
        const { sql: statements, logger } = keeping()
        const { get } = await serveCached(on, { ...options, logger })
        let etag = ''
        await whileItHolds(get, path, async (tag) => {
          etag = tag
          statements.length = 0
          const same = await get(path, 'public', { 'If-None-Match': tag })
          expect(statements).toEqual([])
          expect([same.status, same.headers.etag, same.body]).toEqual([304, tag, ''])
        })
        await rename(`Changed ${how}`)
        const changed = await get(path, 'public', { 'If-None-Match': etag })
        expect(changed.status).toBe(200)
        expect(changed.body).toContain('Changed')
        expect(changed.headers.etag).not.toBe(etag)
      })

      it('is shared by routers with the same configuration on a server only', async () => {
        const one = await serveCached(on, options)
        const other = await serveCached(on, options)
        const wrapped = await serveCached(on, { ...options, relations: 'wrapped' })
        // The counter of SQLite means something to one process and connection only.
        const isShared = database.dialect !== 'sqlite'
        await whileItHolds(one.get, path, async (etag) => {
          const headers = { 'If-None-Match': etag }
          await tagOf(other.get, path)
          await tagOf(wrapped.get, path)
          expect((await other.get(path, 'public', headers)).status).toBe(isShared ? 304 : 200)
          expect((await wrapped.get(path, 'public', headers)).status).toBe(200)
        })
      })
    })

    it('is counted at once without a cache', async () => {
      const { sql, logger } = keeping()
      const many = Array.from({ length: 4000 }, (_, index) => ({
        name: 'B',
        document_id: `b${String(index)}`,
      }))
      await world.knex.batchInsert('authors', many, 400)
      const router = world.closing(
        contentRouter({
          contentTypes: library,
          database: world.config,
          permissions: { public: { find: '*' } },
          logger,
        }),
      )
      const asker = world.closing(await askerOf(express().use('/api', router)))
      const path = '/api/authors?pagination[pageSize]=1&filters[name]=B'
      const isCounted = async (total: number): Promise<boolean> => {
        sql.length = 0
        expect(totalIn(await asker.ask(path))).toBe(total)
        return sql.some((one) => one.includes('count('))
      }
      for (let total = many.length; total < many.length + 5; total += 1) {
        while (await isCounted(total)) await pause(100)
        await world.knex('authors').insert({ name: 'B', document_id: `c${String(total)}` })
        expect(totalIn(await asker.ask(path))).toBe(total + 1)
      }
      await world.knex('authors').where({ name: 'B' }).delete()
    }, 60_000)
  })

  describe('totals', () => {
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

    describe.each(Object.entries(ways))('the total of a list that is %s', (_, path) => {
      const expected = (): Promise<number> => stored('steps', path.includes('kind') ? 'odd' : undefined)

      it('is cached until something is committed', async () => {
        const first = await serve().page(path)
        expect(total(first)).toBe(await expected())
        expect(await recalled(path)).toEqual(first)
      })

      it('is right in the first response after a commit', async () => {
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

    it('are counted for each request if the server does not count changes of the table', async () => {
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

    it('exclude uncommitted and rolled back rows', async () => {
      if (database.dialect === 'sqlite') await world.knex.raw('pragma journal_mode = wal')
      const change = await world.knex.transaction()
      await change('steps').insert(rows(9000, 9001, 'odd'))
      expect(total(await recalled(ways.plain))).toBe(many + few)
      await change.rollback()
      expect(total(await recalled(ways.plain))).toBe(many + few)
    }, 60_000)

    it('belong to the state of their page while others write', async () => {
      const [entries, rest] = [many + few, dialect === 'sqlite' ? 200 : 1500]
      const row = (place: number): object => rows(place - 1, place, 'new')[0] ?? {}
      const least = { answers: 120, writes: 20, uncounted: 20 }
      await raceTotals({ knex: world.knex, served, sql, entries, row, rest, least })
    }, 60_000)
  })

  if (dialect === 'sqlite') return

  describe('a failing connection to the server', () => {
    it('reads from the database if the state cannot be asked', async () => {
      const line = world.closing(await lineTo(...addressOf(world)))
      line.watch((sent) => {
        if (/global_status|pg_current_snapshot/.test(sent.toString('latin1'))) line.cut()
      })
      const connection = { ...(world.config.connection as object), port: line.port }
      const { get, router } = await serveCached(on, {
        database: { ...world.config, connection } as Knex.Config,
      })
      for (const title of ['One', 'Two']) {
        await rename(title)
        expect(titles(await get('books'))).toEqual([title])
      }
      expect(router.cache.stats()).toMatchObject({ entries: 0, hits: 0 })
      line.watch(() => undefined)
      expect((await get('books')).status).toBe(200)
    })

    it('keeps no request longer than its timeout, even if others wait for the same state', async () => {
      const line = world.closing(await lineTo(...addressOf(world)))
      const connection = { ...(world.config.connection as object), port: line.port }
      // Long enough for the first answer on a machine that has much else to do.
      const timeout = 4000
      const { get } = await serveCached(on, {
        database: { ...world.config, connection } as Knex.Config,
        timeout,
      })
      expect((await get('books')).status).toBe(200)
      line.freeze()
      const waits = [0, 0.3, 0.6, 0.9].map(async (part) => {
        await new Promise((resolve) => setTimeout(resolve, part * timeout))
        const begun = performance.now()
        const { status } = await get('books')
        return [status, performance.now() - begun] as const
      })
      const answers = await Promise.all(waits)
      line.thaw()
      line.cut()
      expect(answers.map(([status]) => status)).toEqual([503, 503, 503, 503])
      expect(Math.max(...answers.map(([, ms]) => ms))).toBeLessThan(1.5 * timeout)
    })

    it('does not cache rows that were read again after a lost connection', async () => {
      const line = world.closing(await lineTo(...addressOf(world)))
      const connection = { ...(world.config.connection as object), port: line.port }
      const { get, kept, router } = await serveCached(on, {
        database: { ...world.config, connection } as Knex.Config,
      })
      await kept('countries')
      const { hits } = router.cache.stats()
      let isCut = false
      line.watch(async (sent) => {
        if (isCut || !/[`"]books[`"] as/.test(sent.toString('latin1'))) return
        isCut = true
        await world.knex('authors').update({ name: 'Augusta' })
        line.cut()
      })
      const path = 'authors?populate=books'
      expect(titles(await get(path))).toEqual(['Augusta'])
      expect(isCut).toBe(true)
      // It may be kept by the state in which it was asked for, which has passed: what was written meanwhile is in it.
      expect(titles(await get(path))).toEqual(['Augusta'])
      expect(router.cache.stats().hits).toBe(hits)
    })
  })
})
