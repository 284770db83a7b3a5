import { setTimeout as pause } from 'node:timers/promises'
import { contentRouter, migrate, seed } from '../../lib'
import { type Answer, askerOf } from '../support/asker'
import { serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { onOwnServer } from '../support/own-server'
import express from 'express'

/** So often that a counter which moves some milliseconds late, as MySQL's end of the log does, is caught every time. */
const rounds = 12

const nameIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data[0]?.name

const totalIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly meta: { readonly pagination: { readonly total: unknown } } }).meta
    .pagination.total

onSqlite((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const { dialect } = database

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, { author: [{ name: 'Ada' }] })
  }, 60_000)

  it('shows a commit to whoever asks the moment that it was acknowledged', async () => {
    const { get, kept } = await serveCached({ world, dialect })
    for (let round = 1; round <= rounds; round += 1) {
      const { headers } = await kept('authors')
      const name = `Ada ${String(round)}`
      await world.knex('authors').update({ name })
      const [answer, conditional] = [
        await get('authors'),
        await get('authors', 'public', { 'If-None-Match': headers.etag ?? '' }),
      ]
      expect([nameIn(answer), conditional.status]).toEqual([name, 200])
    }
  }, 60_000)

  it('keeps nothing while MySQL writes no log', async () => {
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
        expect([answer.status, nameIn(answer), answer.headers.etag]).toEqual([200, name, undefined])
      }
    } finally {
      await world.knex.raw('alter instance enable innodb redo_log')
    }
    expect((await kept('authors')).headers.etag).toBeDefined()
  }, 60_000)

  it('counts what was committed the moment before, with the cache off', async () => {
    const { sql, logger } = keeping()
    const many = Array.from({ length: 4000 }, (_, index) => ({ name: 'B', document_id: `b${String(index)}` }))
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
  }, 60_000)
})
