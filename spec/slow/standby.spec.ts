import express from 'express'
import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../lib'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn } from '../support/databases'
import { library } from '../support/library'
import { type LibraryStandby, startLibraryStandby } from '../support/library-standby'

const authors = 4000

/** Slow enough to conflict with replayed changes. */
const slow = [...Array(30).keys()]
  .map((at) => `filters[$or][${String(at)}][name][$containsi]=zzz${String(at)}`)
  .join('&')

interface Counted {
  readonly count: string | number
}

const nameIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data[0]?.name

describeOn(['postgres'], ['an installed server'])('a standby of %s', () => {
  let servers: LibraryStandby
  let primary: Knex
  let standby: Knex
  let router: ContentRouter
  let asker: Asker
  const closing: (() => Promise<void>)[] = []

  beforeAll(async () => {
    servers = await startLibraryStandby({ author: [{ name: 'Ada' }] })
    ;({ primary, standby } = servers)
    while (!(await standby.schema.hasTable('authors')) || (await nameOn(standby)) !== 'Ada') await pause(10)
    ;({ asker, router } = await serve({ cache: {} }))
  }, 120_000)

  afterAll(async () => {
    await Promise.all(closing.map((close) => close()))
    await servers.stop()
  })

  async function serve(
    options: Partial<ContentRouterConfig>,
  ): Promise<{ readonly asker: Asker; readonly router: ContentRouter }> {
    const permissions = { public: { find: '*' } } as const
    const own = contentRouter({ contentTypes: library, database: servers.config, permissions, ...options })
    const client = await askerOf(express().use('/api', own))
    closing.push(async () => {
      await client.close()
      await own.close()
    })
    return { asker: client, router: own }
  }

  const nameOn = async (knex: Knex): Promise<unknown> =>
    (await knex('authors').first<{ name: unknown } | undefined>())?.name

  /** Waits for the commit on the standby itself, and then asks the router. */
  async function expectFresh(name: string, writer: Knex): Promise<void> {
    await writer('authors').update({ name })
    while ((await nameOn(standby)) !== name) await pause(1)
    expect(nameIn(await asker.ask('/api/authors'))).toBe(name)
  }

  it('is cached, and a replayed commit is served at once', async () => {
    const before = router.cache.stats().hits
    for (let round = 0; round < 50; round += 1) {
      await expectFresh(`Ada ${String(round)}`, primary)
      const { headers } = await asker.ask('/api/authors')
      const again = await asker.ask('/api/authors', { 'If-None-Match': headers.etag ?? '' })
      expect([again.status, nameIn(await asker.ask('/api/authors'))]).toEqual([304, `Ada ${String(round)}`])
    }
    expect(router.cache.stats().hits - before).toBeGreaterThan(50)
  }, 60_000)

  it('serves a commit behind a later transaction as well, although its snapshot stays the same', async () => {
    // Both have transaction ids, and the first goes on: the oldest one that runs stays the same.
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

  describe('that cancels statements for what it replays', () => {
    let hasty: Asker

    beforeAll(async () => {
      const rows = [...Array(authors).keys()].map((at) => ({
        name: 'abcdefgh'.repeat(25),
        document_id: `a${String(at)}`,
      }))
      await primary.batchInsert('authors', rows, 400)
      while ((await countOn(standby, 'authors')) < authors) await pause(50)
      hasty = (await serve({ logger: false, timeout: 2000 })).asker
    }, 60_000)

    const countOn = async (knex: Knex, table: string): Promise<number> => {
      const [row] = await knex(table).count<Counted[]>({ count: '*' })
      return Number(row?.count)
    }

    const conflicts = async (): Promise<number> => {
      const row = await standby('pg_stat_database_conflicts')
        .where({ datname: 'postgres' })
        .first<Counted | undefined>(standby.raw('confl_snapshot + confl_lock as count'))
      return Number(row?.count)
    }

    async function askMeanwhile(client: Asker, every: number): Promise<ReadonlySet<string>> {
      const end = performance.now() + 4000
      const churn = async (): Promise<void> => {
        while (performance.now() < end) {
          await primary.raw('update authors set updated_at = now() where id % 7 = 0')
          await primary.raw('vacuum authors')
          await pause(every)
        }
      }
      const heard = new Set<string>()
      const ask = async (place: number): Promise<void> => {
        for (let asked = 0; performance.now() < end; asked += 1) {
          const other = `filters[$or][30][name][$eq]=${String(place)}-${String(asked)}`
          const { status, headers } = await client.ask(`/api/authors?${slow}&${other}`)
          heard.add([status, headers['retry-after'] ?? ''].join(' ').trim())
        }
      }
      await Promise.all([churn(), ...[0, 1, 2, 3].map(ask)])
      return heard
    }

    it.each([50, 1500])(
      'serves all or sends 503 with Retry-After, with a vacuum every %i ms',
      async (every) => {
        const before = await conflicts()
        const heard = await askMeanwhile(hasty, every)
        expect((await conflicts()) - before).toBeGreaterThan(0)
        expect([...heard].filter((one) => one !== '200' && one !== '503 1')).toEqual([])
        expect((await hasty.ask('/api/authors')).status).toBe(200)
      },
      60_000,
    )
  })

  describe('that is promoted', () => {
    beforeAll(() => primary('authors').where('name', 'like', 'abcdefgh%').delete())

    it('serves its own commits at once after its promotion', async () => {
      await standby.raw('select pg_promote()')
      while (
        (await standby.raw<{ rows: { pg_is_in_recovery: boolean }[] }>('select pg_is_in_recovery()')).rows[0]
          ?.pg_is_in_recovery !== false
      )
        await pause(10)
      for (let round = 0; round < 20; round += 1) await expectFresh(`Promoted ${String(round)}`, standby)
    }, 60_000)
  })
})
