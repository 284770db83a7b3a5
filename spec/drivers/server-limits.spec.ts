import { knex as makeKnex, type Knex } from 'knex'
import { describeOn, testDatabase } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { lockBooks, statementsOn } from '../support/locked-books'
import { type AfterCreate, saying } from '../support/saying'
import { type Response, stocked } from '../support/served'

interface ServerSession {
  query(sql: string, done: (error: Error | null) => void): void
}

const content = { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] }

const names = ['postgres', 'mariadb', 'mysql'] as const
type Server = (typeof names)[number]

const say = (session: unknown, statement: string): Promise<void> =>
  new Promise((resolve, reject) => {
    ;(session as ServerSession).query(statement, (error) => {
      if (error instanceof Error) reject(error)
      else resolve()
    })
  })

/** Holds the process, so that what the server says meanwhile is heard only behind the next statement. */
function hold(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function expectUnavailable({ status, headers, body }: Response, message: string): void {
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(body).toMatchObject({ error: { name: 'ServiceUnavailableError', message } })
}

/** As long as answers that nothing is in the way of may take on a machine with more to do. */
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
  /** In a statement of the answer, before which the session is left alone for so long that it ends. */
  readonly before: string
  readonly milliseconds: number
}

function leaveAlone(session: unknown, { before, milliseconds }: SessionLimit): void {
  const open = session as { query: (...asked: readonly unknown[]) => unknown }
  const query = open.query.bind(open)
  open.query = (...asked) => {
    if (JSON.stringify(asked[0]).includes(before)) hold(milliseconds)
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

describeOn(names)('limits that are set on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, content)

  it.each(statementLimits[name])(
    'make a 503 of a statement that took longer, as our own limit does: $set',
    async ({ set, code }) => {
      const afterCreate = saying(set)
      const { logger, errors } = keeping()
      const { get } = serve({ database: { ...world.config, pool: { afterCreate } }, timeout: 60_000, logger })
      expect((await get('books')).status).toBe(200)
      const unlock = await lockBooks(world.knex, name === 'postgres' ? name : 'mysql')
      const answer = await get('books')
      await unlock()
      expectUnavailable(answer, 'The answer took too long')
      expect(errors).toMatchObject([
        {
          facts: { code },
          message: 'a statement was ended in the database, by a limit that is set there or by somebody',
        },
      ])
      expect((await get('books')).status).toBe(200)
    },
  )

  it.each(sessionLimits[name])('lose no answer with a session: $set', async (limit) => {
    const sessions: unknown[] = []
    const afterCreate: AfterCreate = (session, done) => {
      sessions.push(session)
      done(null, session)
    }
    const database = { ...world.config, pool: { min: 0, max: 1, afterCreate } }
    const { get } = serve({ database, timeout: 60_000 })
    const { text } = await get(limit.path)
    await say(sessions[0], limit.set)
    leaveAlone(sessions[0], limit)
    const again = await get(limit.path)
    expect([again.status, again.text]).toEqual([200, text])
    expect(sessions.length).toBe(2)
  })

  it.each(['EMFILE', 'ENFILE'])('and those on open files are a 503 while they last: %s', async (code) => {
    let isFull = true
    /** As where a password is read from a file. */
    const connection = (): unknown => {
      if (isFull) throw Object.assign(new Error(`${code}: too many open files`), { code })
      return world.config.connection
    }
    const { get } = serve({ database: { ...world.config, connection } as Knex.Config })
    expectUnavailable(await get('books'), 'The database cannot be reached')
    isFull = false
    expect((await get('books')).status).toBe(200)
  })
})

describeOn(['mariadb', 'mysql'])('a user of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, content)
  const user = 'content_router_few'

  it.each([
    ['whose connections are all in use', 'with max_user_connections 1'],
    ['whose account is locked', 'account lock'],
  ])('%s gets a 503', async (_what, settings) => {
    await world.knex.raw(`drop user if exists ${user}`)
    await world.knex.raw(`create user ${user} identified by 'few' ${settings}`)
    await world.knex.raw(`grant select on *.* to ${user}`)
    const connection = { ...(world.config.connection as object), user, password: 'few' }
    const database = { ...world.config, connection, pool: { min: 0, max: 1 } }
    const other = makeKnex(database)
    await other.raw('select 1').catch(() => undefined)
    const { get } = serve({ database })
    expectUnavailable(await get('books'), 'The database cannot be reached')
    await other.destroy()
  })

  /** What books can be read by, once, of a pool that holds so many connections; and how many statements are left of it. */
  async function withFew(pool: { readonly min: number; readonly max: number }) {
    await world.knex.raw(`drop user if exists ${user}`)
    await world.knex.raw(`create user ${user} identified by 'few'`)
    await world.knex.raw(`grant select on *.* to ${user}`)
    const connection = { ...(world.config.connection as object), user, password: 'few' }
    const { get } = serve({ database: { ...world.config, connection, pool }, timeout: 2000 })
    const running = async (): Promise<number> => (await statementsOn(world.knex, { user })).length
    const leftWithin = async (milliseconds: number): Promise<number> => {
      let left = 1
      for (const until = Date.now() + milliseconds; left > 0 && Date.now() < until;) left = await running()
      return left
    }
    return { get, leftWithin }
  }
  const letIn = (password: 'few' | 'other'): Promise<unknown> =>
    world.knex.raw(`alter user ${user} identified by '${password}'`)

  it('has what took too long cancelled where no new connection can be made', async () => {
    const { get, leftWithin } = await withFew({ min: 2, max: 2 })
    await Promise.all([get('books'), get('authors'), get('genres'), get('reviews')])
    await letIn('other')
    const unlock = await lockBooks(world.knex, 'mysql')
    const answer = await get('books')
    const left = await leftWithin(1000)
    await unlock()
    expectUnavailable(answer, 'The answer took too long')
    expect(left).toBe(0)
  })

  it('has what took too long cancelled once a connection can be made again', async () => {
    const { get, leftWithin } = await withFew({ min: 0, max: 1 })
    await get('books')
    await letIn('other')
    const unlock = await lockBooks(world.knex, 'mysql')
    const answer = await get('books')
    const meanwhile = await leftWithin(1500)
    await letIn('few')
    const left = await leftWithin(4000)
    await unlock()
    expectUnavailable(answer, 'The answer took too long')
    expect([meanwhile, left]).toEqual([1, 0])
  })
})
