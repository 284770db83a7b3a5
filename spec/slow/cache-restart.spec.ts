import express from 'express'
import type { Knex } from 'knex'
import type { Row } from '../../lib/sql'
import type { RunSql } from '../../lib/freshness'
import { makePostgresProbe, mysqlProbe } from '../../lib/freshness/probes'
import type { ProbeResult } from '../../lib/freshness/probing'
import { contentRouter, type ContentRouter, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase } from '../support/databases'
import { type Kind, kindsWithServers, onceOn, startWithDatabase } from '../support/killable'
import { library } from '../support/library'
import type { Killable } from '../support/servers/private-server'

/** What is written before `lose` is there after a crash; what is committed later need not be. */
const innodb = {
  options: ['--innodb-flush-log-at-timeout=2700'],
  lose: 'set global innodb_flush_log_at_trx_commit = 0',
} as const

const durability = {
  mariadb: innodb,
  mysql: innodb,
  postgres: {
    options: ['-c', 'synchronous_commit=off', '-c', 'wal_writer_delay=10s'],
    lose: 'checkpoint',
  },
} as const

type Rows = readonly Row[]

/** What the clock is told, on a connection of its own. `setting`: what is said to it before. */
const shownBy = (kind: Kind, config: Knex.Config, setting = 'select 1'): Promise<ProbeResult> =>
  onceOn({ ...config, pool: { min: 1, max: 1 } }, async (knex) => {
    await knex.raw(setting)
    const run: RunSql = async (sql) => {
      const raw = knex.raw(sql).options({ rowsAsArray: true, rowMode: 'array' })
      const answer = (await raw) as [Rows] | { readonly rows: Rows }
      return 'rows' in answer ? answer.rows : answer[0]
    }
    const told = await { mariadb: mysqlProbe, mysql: mysqlProbe, postgres: makePostgresProbe(null) }[
      kind
    ].read(run, knex)
    if (told === null) throw new Error('the server tells nothing')
    return told
  })

describeOn(kindsWithServers, ['an installed server'])(
  'a %s server that loses what was committed last',
  (kind) => {
    let server: Killable
    let config: Knex.Config
    let router: ContentRouter
    let asker: Asker

    beforeAll(async () => {
      const { options, lose } = durability[kind]
      const own = await startWithDatabase(kind, options)
      server = own.server
      config = own.config
      await migrate({ contentTypes: library, database: config })
      await seed({ contentTypes: library, database: config }, { author: [{ name: 'Ada' }] })
      await onceOn(config, (knex) => knex.raw(lose))
      router = contentRouter({
        contentTypes: library,
        database: config,
        permissions: { public: { find: '*' } },
        cache: {},
      })
      asker = await askerOf(express().use('/api', router))
    }, 120_000)

    afterAll(async () => {
      await asker.close()
      await router.close()
      await server.stop()
    })

    const nameIn = ({ body }: Answer): unknown =>
      (JSON.parse(body) as { data: { name: unknown }[] }).data[0]?.name
    const stored = (): Promise<unknown> =>
      onceOn(config, async (knex) => (await knex<{ name: string }>('authors').select('name'))[0]?.name)
    const rename = (name: string): Promise<unknown> =>
      onceOn(config, (knex) => knex('authors').update({ name }))

    async function kept(): Promise<Answer> {
      for (;;) {
        const { hits } = router.cache.stats()
        const answer = await asker.ask('/api/authors')
        if (router.cache.stats().hits > hits) return answer
      }
    }

    it('invalidates its responses, even after as many commits as before', async () => {
      await rename('First')
      const before = await kept()
      expect(nameIn(before)).toBe('First')
      const [one, other] = [await shownBy(kind, config), await shownBy(kind, config)]
      expect(one.server).toBe(other.server)
      await server.kill()
      await server.restart()
      const afterwards = await shownBy(kind, config)
      expect(afterwards.server).not.toBe(one.server)
      expect(nameIn(await asker.ask('/api/authors'))).toBe(await stored())
      for (const name of ['Other', 'Third']) {
        await rename(name)
        expect(nameIn(await asker.ask('/api/authors'))).toBe(name)
        const { status, body } = await asker.ask('/api/authors', {
          'If-None-Match': before.headers.etag ?? '',
        })
        expect([status, nameIn({ ...before, body })]).toEqual([200, name])
      }
    }, 120_000)
  },
)

describeOn(['mariadb', 'mysql'], ['an installed server'])(
  'a %s server that restarts with a wrong clock',
  (kind) => {
    let server: Killable
    let config: Knex.Config
    /** Without the second of its start, which such a clock may tell again. */
    const label = async (): Promise<string> => (await shownBy(kind, config)).server.replace(/^\d+ /, '')

    beforeAll(async () => {
      const own = await startWithDatabase(kind)
      server = own.server
      config = own.config
    }, 60_000)
    afterAll(() => server.stop())

    it('is recognized as another run', async () => {
      const labels = [await label()]
      expect(await label()).toBe(labels[0])
      // What is drawn at a start may be drawn again, once in 16,000 times.
      for (let starts = 0; starts < 2; starts += 1) {
        await server.kill()
        await server.restart()
        labels.push(await label())
      }
      expect(new Set(labels).size).toBeGreaterThan(1)
    }, 120_000)
  },
)

/** Where the server keeps its time in seconds. */
describeOn(['mariadb', 'mysql'])('a %s server in the second of its start', (kind) => {
  const world = testDatabase(kind).fresh()

  it('is not cached, as a restart within that second would look the same', async () => {
    const { server } = await shownBy(kind, world.config)
    const startedAt = Number.parseInt(server)
    const at = (second: number): Promise<ProbeResult> =>
      shownBy(kind, world.config, `set timestamp = ${String(second)}`)
    expect(await at(startedAt)).toEqual({ count: null, server })
    expect(await at(startedAt + 1)).toEqual({
      count: expect.stringMatching(/^\d+( \d+)?$/) as unknown,
      server,
    })
  })
})
