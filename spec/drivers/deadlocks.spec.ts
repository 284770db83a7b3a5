import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { type Knex, knex as makeKnex } from 'knex'
import { contentRouter, migrate, seed } from '../../lib'
import { askerOf } from '../support/asker'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { lineTo } from '../support/line'
import { idsThatWait } from '../support/locked-books'

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
    const until = Date.now() + 10_000
    while ((await idsThatWait(world.knex, dialect)).length === 0) {
      if (Date.now() > until) throw new Error('nobody waits for a lock')
      await pause(10)
    }
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
