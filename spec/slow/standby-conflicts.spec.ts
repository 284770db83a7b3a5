import express from 'express'
import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouter } from '../../lib'
import { type Asker, askerOf } from '../support/asker'
import { describeOn } from '../support/databases'
import { library } from '../support/library'
import { type LibraryStandby, startLibraryStandby } from '../support/library-standby'

const authors = 4000

/** Slow enough to be met by what is replayed meanwhile. */
const slow = [...Array(30).keys()]
  .map((at) => `filters[$or][${String(at)}][name][$containsi]=zzz${String(at)}`)
  .join('&')

interface Counted {
  readonly count: string | number
}

describeOn(['postgres'])('a standby of %s that gives up what is read for what it replays', () => {
  let servers: LibraryStandby
  let router: ContentRouter
  let asker: Asker

  const countOn = async (knex: Knex, table: string): Promise<number> => {
    const [row] = await knex(table).count<Counted[]>({ count: '*' })
    return Number(row?.count)
  }

  beforeAll(async () => {
    servers = await startLibraryStandby({})
    const rows = [...Array(authors).keys()].map((at) => ({
      name: 'abcdefgh'.repeat(25),
      document_id: `a${String(at)}`,
    }))
    await servers.primary.batchInsert('authors', rows, 400)
    const { standby } = servers
    while (!(await standby.schema.hasTable('authors')) || (await countOn(standby, 'authors')) < authors)
      await pause(50)
    router = contentRouter({
      contentTypes: library,
      database: servers.config,
      permissions: { public: { find: '*' } },
      logger: false,
      timeout: 2000,
    })
    asker = await askerOf(express().use('/api', router))
  }, 120_000)

  afterAll(async () => {
    await asker.close()
    await router.close()
    await servers.stop()
  })

  const conflicts = async (): Promise<number> => {
    const row = await servers
      .standby('pg_stat_database_conflicts')
      .where({ datname: 'postgres' })
      .first<Counted | undefined>(servers.standby.raw('confl_snapshot + confl_lock as count'))
    return Number(row?.count)
  }

  async function askMeanwhile(every: number): Promise<ReadonlySet<string>> {
    const end = performance.now() + 5000
    const churn = async (): Promise<void> => {
      while (performance.now() < end) {
        await servers.primary.raw('update authors set updated_at = now() where id % 7 = 0')
        await servers.primary.raw('vacuum authors')
        await pause(every)
      }
    }
    const heard = new Set<string>()
    const ask = async (client: number): Promise<void> => {
      for (let asked = 0; performance.now() < end; asked += 1) {
        const other = `filters[$or][30][name][$eq]=${String(client)}-${String(asked)}`
        const { status, headers } = await asker.ask(`/api/authors?${slow}&${other}`)
        heard.add([status, headers['retry-after'] ?? ''].join(' ').trim())
      }
    }
    await Promise.all([churn(), ...[0, 1, 2, 3].map(ask)])
    return heard
  }

  it.each([50, 1500])(
    'answers, or says when to ask again, with a vacuum every %i ms',
    async (every) => {
      const before = await conflicts()
      const heard = await askMeanwhile(every)
      expect((await conflicts()) - before).toBeGreaterThan(0)
      expect([...heard].filter((told) => told !== '200' && told !== '503 1')).toEqual([])
      expect((await asker.ask('/api/authors')).status).toBe(200)
    },
    60_000,
  )
})
