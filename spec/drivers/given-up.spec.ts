import express from 'express'
import { setTimeout as pause } from 'node:timers/promises'
import { contentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { askerOf } from '../support/asker'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { lockBooks, untilRunning } from '../support/locked-books'

/** From before anything is sent to long after all of it waits. */
const timeouts = [1, 2, 3, 5, 8, 12, 20, 40, 80, 200]

/** More than the pool has connections. */
const atOnce = 12

describeOn(['mariadb', 'mysql', 'postgres'])('answers that are given up, on %s', (name) => {
  const database = testDatabase(name)
  const { dialect } = database
  const world = database.fresh()

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, { book: [{ title: 'Dawn' }] })
  }, 60_000)

  it.each(timeouts)(
    'leave no statement behind after %i ms, wherever it is by then',
    async (timeout) => {
      if (dialect === 'sqlite') throw new Error('the time on it is another matter')
      const router = contentRouter({
        contentTypes: library,
        database: world.config,
        permissions: { public: { find: '*' } },
        timeout,
      })
      const asker = await askerOf(express().use('/api', router))
      // So that what hangs is the page, and not the first look at how many there are: where there is time for that.
      await asker.ask('/api/books')
      const unlock = await lockBooks(world.knex, dialect)
      try {
        const asked = Array.from({ length: atOnce }, (_, number) =>
          asker.ask(`/api/books?populate=author&pagination[pageSize]=${String(1 + number)}`),
        )
        for (const { status } of await Promise.all(asked)) expect(status).toBe(503)
        await untilRunning(0, world.knex, dialect)
      } finally {
        await unlock()
        await asker.close()
        await router.close()
      }
    },
    60_000,
  )

  const options = (): ContentRouterConfig => ({
    contentTypes: library,
    database: world.config,
    permissions: { public: { find: '*' } },
    logger: false,
  })

  it('free their places in the queue after the timeout', async () => {
    if (dialect === 'sqlite') throw new Error('SQLite waits for no locks of others')
    const router = contentRouter({ ...options(), queue: { maxRunning: 1, maxWaiting: 4 }, timeout: 3000 })
    const asker = await askerOf(express().use('/api', router))
    const askAll = (): Promise<{ readonly status: number; readonly body: string }[]> =>
      Promise.all([1, 2, 3, 4, 5].map((size) => asker.ask(`/api/books?pagination[pageSize]=${String(size)}`)))
    await asker.ask('/api/books')
    const unlock = await lockBooks(world.knex, dialect)
    try {
      for (const { status, body } of await askAll()) {
        expect(status).toBe(503)
        expect(body).toContain('The response took too long')
      }
    } finally {
      await unlock()
    }
    expect((await askAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await asker.close()
    await router.close()
  }, 30_000)

  it('are cancelled in the database for callers in the process', async () => {
    if (dialect === 'sqlite') throw new Error('SQLite waits for no locks of others')
    const router = contentRouter(options())
    await router.as('public').find('authors')
    const unlock = await lockBooks(world.knex, dialect)
    try {
      const caller = new AbortController()
      const reading = router.as('public').find('books', {}, { signal: caller.signal })
      const closing = router.close()
      const first = await Promise.race([closing.then(() => 'closed'), pause(200).then(() => 'waits')])
      expect(first).toBe('waits')
      caller.abort(new Error('enough'))
      await expect(reading).rejects.toThrow('enough')
      await closing
      await untilRunning(0, world.knex, dialect)
    } finally {
      await unlock()
    }
  }, 30_000)
})
