import { get as send } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import { askerOf } from '../support/asker'
import { describeOn, eachDatabase, testDatabase } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, library, text } from '../support/library'
import { lockBooks, statementsOn, untilRunning } from '../support/locked-books'
import { type AfterCreate, saying } from '../support/saying'
import { type Response, stocked } from '../support/served'
import { anyConditions } from '../support/query-limits'

const names = ['postgres', 'mariadb', 'mysql'] as const
type Server = (typeof names)[number]

const dialectOf = (name: Server): 'postgres' | 'mysql' => (name === 'postgres' ? name : 'mysql')

const content = { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] }

/** Enough for a response on a busy machine. */
const patience = 2000

const tooLong = 'The response took too long'

function expectUnavailable({ status, headers, body }: Response, message = tooLong): void {
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(body).toMatchObject({ error: { name: 'ServiceUnavailableError', message } })
}

const notes = [
  collection('note', { title: text, body: { type: 'text' } }),
] as unknown as ContentRouterConfig['contentTypes']

const rows = 3000
const words = 'the quick brown fox jumps over the lazy dog '.repeat(20)
const nowhere = [...Array(90).keys()].map((number) => `nowhere${String(number)}`)

/** Each row is compared 180 times. */
const slow = ['title', 'body']
  .flatMap((name) => nowhere.map((word) => ({ name, word })))
  .map(({ name, word }, at) => `filters[$or][${String(at % 90)}][${name}][$containsi]=${word}`)
  .join('&')

eachDatabase((database) => {
  describe('timeout', () => {
    const { world, serve } = stocked(database, notes, { note: [{ title: 'first', body: 'first' }] })
    const permissions = { public: { find: '*' }, hasty: { find: '*' } } as const
    const query = anyConditions

    beforeAll(async () => {
      const filled = [...Array(rows).keys()].map((number) => ({
        document_id: `note${String(number)}`,
        title: `title ${String(number)}`,
        body: words,
        published_at: null,
      }))
      await world.knex.transaction(async (trx) => {
        for (let at = 0; at < rows; at += 500) await trx('notes').insert(filled.slice(at, at + 500))
      })
    }, 60_000)

    it('ends a statement that takes too long, and the response is a 503', async () => {
      const { get } = serve({ query, limitsByRole: { hasty: { timeout: 50 } }, permissions })
      const answer = await get(`notes?${slow}`, 'hasty')
      expectUnavailable(answer)
      expect(answer.body).toEqual({
        data: null,
        error: { status: 503, name: 'ServiceUnavailableError', message: tooLong, details: {} },
      })
      expect((await get('notes?filters[title]=first')).status).toBe(200)
    })

    it('lets the same statement finish if it is longer', async () => {
      const { list } = serve({ query, timeout: 60_000 })
      expect(await list(`notes?${slow}&filters[$or][90][title][$eqi]=FIRST`)).toMatchObject([
        { title: 'first' },
      ])
    })
  })
})

const say = (session: unknown, statement: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const open = session as { query(sql: string, done: (error: Error | null) => void): void }
    open.query(statement, (error) => {
      if (error instanceof Error) reject(error)
      else resolve()
    })
  })

/** Blocks this process, so that the end of a session is noticed with the next statement alone. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

const statementLimits: Readonly<Record<Server, readonly { readonly set: string; readonly code: string }[]>> =
  {
    postgres: [
      { set: `set statement_timeout = '2s'`, code: '57014' },
      { set: `set lock_timeout = '2s'`, code: '55P03' },
    ],
    mariadb: [{ set: 'set session max_statement_time = 2', code: '1969' }],
    mysql: [{ set: 'set session max_execution_time = 2000', code: 'ER_QUERY_TIMEOUT' }],
  }

interface SessionLimit {
  readonly set: string
  readonly path: string
  /** Part of the statement before which the session is idle for so long that it ends. */
  readonly before: string
  readonly milliseconds: number
}

function idleBefore(session: unknown, { before, milliseconds }: SessionLimit): void {
  const open = session as { query: (...asked: readonly unknown[]) => unknown }
  const query = open.query.bind(open)
  open.query = (...asked) => {
    if (JSON.stringify(asked[0]).includes(before)) block(milliseconds)
    return query(...asked)
  }
}

const idle = { path: 'authors', before: 'authors', milliseconds: 2500, set: 'set session wait_timeout = 1' }
const sessionLimits: Readonly<Record<Server, readonly SessionLimit[]>> = {
  postgres: [
    {
      set: `set idle_in_transaction_session_timeout = '50ms'`,
      path: 'books?populate[0]=genres&populate[1]=notes',
      before: 'books_genres_lnk',
      milliseconds: 400,
    },
    { ...idle, set: `set idle_session_timeout = '500ms'`, milliseconds: 1200 },
  ],
  mariadb: [idle],
  mysql: [idle],
}

describeOn(names)('on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, content)
  const dialect = dialectOf(name)

  describe('a request that waits for a lock', () => {
    it('is cancelled in the database once its timeout has passed', async () => {
      const { get } = serve({ timeout: patience })
      expect((await get('books')).status).toBe(200)
      const unlock = await lockBooks(world.knex, dialect)
      expectUnavailable(await get('books?populate=author'))
      await untilRunning(0, world.knex, dialect)
      await unlock()
      expect((await get('books?populate=author')).status).toBe(200)
    })

    it('is cancelled in the database once its client disconnects', async () => {
      const { app } = serve({ timeout: 60_000 })
      const { ask, origin } = world.closing(await askerOf(app))
      await ask('/api/books')
      const unlock = await lockBooks(world.knex, dialect)
      const asked = send(`${origin}/api/books?populate=author`)
      asked.on('error', () => undefined)
      await untilRunning(1, world.knex, dialect)
      asked.destroy()
      await untilRunning(0, world.knex, dialect)
      await unlock()
    })
  })

  describe('a limit of the server', () => {
    it.each(statementLimits[name])(
      'on the time of a statement is a 503, as the timeout of the router is: $set',
      async ({ set, code }) => {
        const afterCreate = saying(set)
        const { logger, errors } = keeping()
        const pool = { afterCreate }
        const { get } = serve({ database: { ...world.config, pool }, timeout: 60_000, logger })
        expect((await get('books')).status).toBe(200)
        const unlock = await lockBooks(world.knex, dialect)
        const answer = await get('books')
        await unlock()
        expectUnavailable(answer)
        expect(errors).toMatchObject([
          {
            facts: { code },
            message:
              'the database cancelled an SQL statement, because of a database limit or an administrator',
          },
        ])
        expect((await get('books')).status).toBe(200)
      },
    )

    it.each(sessionLimits[name])('on the time of a session costs no response: $set', async (limit) => {
      const sessions: unknown[] = []
      const afterCreate: AfterCreate = (session, done) => {
        sessions.push(session)
        done(null, session)
      }
      const database = { ...world.config, pool: { min: 0, max: 1, afterCreate } }
      const { get } = serve({ database, timeout: 60_000 })
      const whole = (await get(limit.path)).text
      await say(sessions[0], limit.set)
      idleBefore(sessions[0], limit)
      const again = await get(limit.path)
      expect([again.status, again.text]).toEqual([200, whole])
      expect(sessions.length).toBe(2)
    })
  })

  it.each(['EMFILE', 'ENFILE'])('too many open files are a 503 while they last: %s', async (code) => {
    let isFull = true
    /** As if a password were read from a file. */
    const connection = (): unknown => {
      if (isFull) throw Object.assign(new Error(`${code}: too many open files`), { code })
      return world.config.connection
    }
    const { get } = serve({ database: { ...world.config, connection } as Knex.Config })
    expectUnavailable(await get('books'), 'The database cannot be reached')
    isFull = false
    expect((await get('books')).status).toBe(200)
  })

  if (name === 'postgres') return

  describe('a user', () => {
    const user = 'content_router_few'

    async function makeUser(settings = ''): Promise<object> {
      await world.knex.raw(`drop user if exists ${user}`)
      await world.knex.raw(`create user ${user} identified by 'few' ${settings}`)
      await world.knex.raw(`grant select on *.* to ${user}`)
      return { ...(world.config.connection as object), user, password: 'few' }
    }

    it.each([
      ['whose connections are all in use', 'with max_user_connections 1'],
      ['whose account is locked', 'account lock'],
    ])('%s gets a 503', async (_what, settings) => {
      const connection = await makeUser(settings)
      const database = { ...world.config, connection, pool: { min: 0, max: 1 } }
      const other = makeKnex(database)
      await other.raw('select 1').catch(() => undefined)
      const { get } = serve({ database })
      expectUnavailable(await get('books'), 'The database cannot be reached')
      await other.destroy()
    })

    const changePassword = (password: 'few' | 'other'): Promise<unknown> =>
      world.knex.raw(`alter user ${user} identified by '${password}'`)

    async function leftWithin(milliseconds: number): Promise<number> {
      for (const until = Date.now() + milliseconds; ;) {
        const left = (await statementsOn(world.knex, { user })).length
        if (left === 0 || Date.now() > until) return left
        await pause(20)
      }
    }

    it('whose password has changed has its statement cancelled by a connection that is open', async () => {
      const connection = await makeUser()
      const database = { ...world.config, connection, pool: { min: 2, max: 2 } }
      const { get } = serve({ database, timeout: patience })
      await Promise.all([get('books'), get('authors'), get('genres'), get('reviews')])
      await changePassword('other')
      const unlock = await lockBooks(world.knex, 'mysql')
      const answer = await get('books')
      const left = await leftWithin(1000)
      await unlock()
      expectUnavailable(answer)
      expect(left).toBe(0)
    })

    it('whose password has changed has its statement cancelled once a connection can be opened', async () => {
      const connection = await makeUser()
      const database = { ...world.config, connection, pool: { min: 0, max: 1 } }
      const { get } = serve({ database, timeout: patience })
      await get('books')
      await changePassword('other')
      const unlock = await lockBooks(world.knex, 'mysql')
      const answer = await get('books')
      const meanwhile = await leftWithin(1500)
      await changePassword('few')
      const left = await leftWithin(4000)
      await unlock()
      expectUnavailable(answer)
      expect([meanwhile, left]).toEqual([1, 0])
    })
  })
})
