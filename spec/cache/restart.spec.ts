import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouter, migrate, seed } from '../../lib'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { testDatabases } from '../support/databases'
import { library } from '../support/library'
import { startMariaDb } from '../support/servers/mariadb'
import { startPostgres } from '../support/servers/postgres'
import type { Killable } from '../support/servers/private-server'
import { connectionTo } from '../support/stores'

/** What is written between `hold` and `lose` is there after a crash; what is committed later need not be. */
const kinds = {
  mariadb: {
    ...{ client: 'mysql2', start: startMariaDb, port: 3306, first: 'mysql' },
    hold: 'set global innodb_flush_log_at_trx_commit = 2',
    lose: 'set global innodb_flush_log_at_trx_commit = 0',
  },
  postgres: {
    ...{ client: 'pg', start: startPostgres, port: 5432, first: 'postgres' },
    hold: 'select 1',
    lose: 'checkpoint',
  },
} as const

type Kind = keyof typeof kinds

const present = testDatabases.flatMap(({ name }) => (name === 'sqlite' ? [] : [name]))

async function makeDatabase({ url }: Killable, kind: Kind): Promise<Knex.Config> {
  const { client, port, first } = kinds[kind]
  const at = (name: string): Knex.Config => ({ client, connection: connectionTo(new URL(url), port, name) })
  const knex = makeKnex(at(first))
  await knex.raw('create database content')
  await knex.raw(kinds[kind].hold)
  await knex.destroy()
  return at('content')
}

describe.each(present)('a %s server that loses what was committed last', (kind) => {
  let server: Killable
  let config: Knex.Config
  let router: ContentRouter
  let asker: Asker

  beforeAll(async () => {
    const started = await kinds[kind].start()
    if (started === undefined) throw new Error(`a ${kind} server of the spec's own has to be installed`)
    server = started
    config = await makeDatabase(server, kind)
    await migrate({ contentTypes: library, database: config })
    await seed({ contentTypes: library, database: config }, { author: [{ name: 'Ada' }] })
    await ask((knex) => knex.raw(kinds[kind].lose))
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

  /** What the database itself says, on a connection of its own. */
  async function ask(sql: (knex: Knex) => Promise<unknown>): Promise<unknown> {
    const knex = makeKnex(config)
    try {
      return await sql(knex)
    } finally {
      await knex.destroy()
    }
  }

  const nameIn = ({ body }: Answer): unknown =>
    (JSON.parse(body) as { data: { name: unknown }[] }).data[0]?.name
  const stored = (): Promise<unknown> =>
    ask(async (knex) => (await knex<{ name: string }>('authors').select('name'))[0]?.name)
  const rename = (name: string): Promise<unknown> => ask((knex) => knex('authors').update({ name }))

  async function kept(): Promise<Answer> {
    for (;;) {
      const { hits } = router.cache.stats()
      const answer = await asker.ask('/api/authors')
      if (router.cache.stats().hits > hits) return answer
    }
  }

  it('is answered for as it is afterwards, and as it is after the same has been written again', async () => {
    await rename('First')
    const before = await kept()
    expect(nameIn(before)).toBe('First')
    await server.kill()
    await server.restart()
    expect(nameIn(await asker.ask('/api/authors'))).toBe(await stored())
    for (const name of ['Other', 'Third']) {
      await rename(name)
      expect(nameIn(await asker.ask('/api/authors'))).toBe(name)
      const { status, body } = await asker.ask('/api/authors', { 'If-None-Match': before.headers.etag ?? '' })
      expect([status, nameIn({ ...before, body })]).toEqual([200, name])
    }
  }, 120_000)
})
