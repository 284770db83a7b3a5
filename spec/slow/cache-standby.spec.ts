import express from 'express'
import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouter } from '../../lib'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn } from '../support/databases'
import { library } from '../support/library'
import { type LibraryStandby, startLibraryStandby } from '../support/library-standby'

const nameIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data[0]?.name

describeOn(['postgres'])('a standby of %s', () => {
  let servers: LibraryStandby
  let primary: Knex
  let standby: Knex
  let router: ContentRouter
  let asker: Asker

  beforeAll(async () => {
    servers = await startLibraryStandby({ author: [{ name: 'Ada' }] })
    ;({ primary, standby } = servers)
    while (!(await standby.schema.hasTable('authors')) || (await nameOn(standby)) !== 'Ada') await pause(10)
    router = contentRouter({
      contentTypes: library,
      database: servers.config,
      permissions: { public: { find: '*' } },
      cache: {},
    })
    asker = await askerOf(express().use('/api', router))
  }, 120_000)

  afterAll(async () => {
    await asker.close()
    await router.close()
    await servers.stop()
  })

  const nameOn = async (knex: Knex): Promise<unknown> =>
    (await knex('authors').first<{ name: unknown } | undefined>())?.name

  /** Whoever asks first sees the commit on the standby itself, and then asks the router. */
  async function expectFresh(name: string, writer: Knex): Promise<void> {
    await writer('authors').update({ name })
    while ((await nameOn(standby)) !== name) await pause(1)
    expect(nameIn(await asker.ask('/api/authors'))).toBe(name)
  }

  it('answers from memory what was read there, and shows what it has replayed at once', async () => {
    const before = router.cache.stats().hits
    for (let round = 0; round < 50; round += 1) {
      await expectFresh(`Ada ${String(round)}`, primary)
      const { headers } = await asker.ask('/api/authors')
      const again = await asker.ask('/api/authors', { 'If-None-Match': headers.etag ?? '' })
      expect([again.status, nameIn(await asker.ask('/api/authors'))]).toEqual([304, `Ada ${String(round)}`])
    }
    expect(router.cache.stats().hits - before).toBeGreaterThan(50)
  }, 60_000)

  it('shows what is committed behind what began later, too, which moves no snapshot of it', async () => {
    // Both have numbers of their own, and the first goes on: the oldest that runs stays the same.
    const [oldest, older] = [await primary.transaction(), await primary.transaction()]
    try {
      await oldest('genres').insert({ name: 'open', document_id: 'open' })
      await older('authors').update({ name: 'Behind' })
      await primary('genres').insert({ name: 'later', document_id: 'later' })
      while ((await standby('genres').where({ name: 'later' })).length === 0) await pause(1)
      for (let asked = 0; asked < 3; asked += 1)
        expect(nameIn(await asker.ask('/api/authors'))).not.toBe('Behind')
      await older.commit()
      while ((await nameOn(standby)) !== 'Behind') await pause(1)
      expect(nameIn(await asker.ask('/api/authors'))).toBe('Behind')
    } finally {
      await oldest.rollback()
      if (!older.isCompleted()) await older.rollback()
    }
  }, 60_000)

  it('goes on so once it is promoted', async () => {
    await standby.raw('select pg_promote()')
    while (
      (await standby.raw<{ rows: { pg_is_in_recovery: boolean }[] }>('select pg_is_in_recovery()')).rows[0]
        ?.pg_is_in_recovery !== false
    )
      await pause(10)
    for (let round = 0; round < 20; round += 1) await expectFresh(`Promoted ${String(round)}`, standby)
  }, 60_000)
})
