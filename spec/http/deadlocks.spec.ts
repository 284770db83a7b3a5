import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { type Knex, knex as makeKnex } from 'knex'
import { contentRouter, migrate, seed } from '../../lib'
import { askerOf } from '../support/asker'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { lineTo } from '../support/line'

/** In another order than the router reads them in: MySQL goes by their names. */
const locks = {
  mysql: { begin: 'do 0', lock: 'lock tables books write, genres write', end: 'unlock tables' },
  // Whoever looks first whether there is a circle is refused.
  postgres: {
    begin: `set deadlock_timeout = '20s'; begin`,
    lock: 'lock table books, genres in access exclusive mode',
    end: 'commit',
  },
} as const

/** Statements that wait for a lock on a table. */
const waiting = {
  mysql: `select count(*) as found from information_schema.processlist where state like 'Waiting for table metadata lock%'
    and db = database()`,
  postgres: `select count(*) as found from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
} as const

interface Found {
  readonly found: unknown
}

describeOn(['mariadb', 'mysql', 'postgres'])('locks on %s that are waited for in a circle', (name) => {
  const database = testDatabase(name)
  const world = database.fresh()
  const dialect = database.dialect === 'mysql' ? 'mysql' : 'postgres'

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, {
      genre: [{ $ref: 'essay', name: 'Essay' }],
      book: [{ title: 'Dawn', genres: ['essay'] }],
    })
  }, 60_000)

  async function untilWaiting(): Promise<void> {
    for (const until = Date.now() + 10_000; Date.now() < until;) {
      const answer: unknown = await world.knex.raw(waiting[dialect])
      const rows = dialect === 'mysql' ? (answer as [Found[]])[0] : (answer as { rows: Found[] }).rows
      if (Number(rows[0]?.found) > 0) return
      await pause(10)
    }
    throw new Error('nobody waits for a lock')
  }

  it('are read again behind whoever else held some', async () => {
    const connection = world.config.connection as { readonly host: string; readonly port: number }
    const line = await lineTo(connection.host, connection.port)
    const config: Knex.Config = {
      ...world.config,
      connection: { ...connection, port: line.port },
      pool: { min: 0, max: 2 },
    }
    const router = contentRouter({
      contentTypes: library,
      database: config,
      permissions: { public: { find: '*' } },
    })
    const asker = await askerOf(express().use('/api', router))
    // One session, whose statements follow each other.
    const other = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    const { begin, lock, end } = locks[dialect]
    try {
      const path = '/api/genres?populate=books&pagination[withCount]=false'
      const { body } = await asker.ask(path)
      expect(body).toContain('Dawn')
      let locking: Promise<unknown> | undefined
      line.watch(async (sent) => {
        if (locking !== undefined || !/from [`"]books/.test(sent.toString('latin1'))) return
        await other.raw(begin)
        locking = other.raw(lock).then(() => other.raw(end))
        await untilWaiting()
      })
      const answer = await asker.ask(path)
      expect(locking).toBeDefined()
      await locking
      expect([answer.status, answer.body]).toEqual([200, body])
    } finally {
      await other.destroy()
      await asker.close()
      await router.close()
      await line.close()
    }
  }, 30_000)
})
