import { knex as makeKnex, type Knex } from 'knex'
import { readOnlyDatabase } from '../../lib/database'
import { describeOn, testDatabase } from '../support/databases'
import { startPgBouncer } from '../support/servers/pgbouncer'
import type { Running } from '../support/servers/private-server'
import { connectionTo } from '../support/stores'

/** A pooler gives a session that was used here to another next. */
const rounds = 40

describeOn(['postgres'])('a pooler before a database that is opened for reading, on %s', (name) => {
  const world = testDatabase(name).fresh()
  let pooler: Running
  let through: Knex.Config

  beforeAll(async () => {
    await world.knex.schema.createTable('notes', (table) => table.increments('id'))
    const { host, port, user, password, database } = world.config.connection as ReturnType<
      typeof connectionTo
    >
    const url = new URL(`postgres://${user}:${password}@${host}:${String(port)}/${database}`)
    const started = await startPgBouncer(url, 'transaction')
    if (started === undefined) throw new Error('pgbouncer has to be installed: apt-get install pgbouncer')
    pooler = started
    through = { client: 'pg', connection: connectionTo(new URL(pooler.url), 5432, database) }
  }, 60_000)
  afterAll(() => pooler.stop())

  it('keeps no session that takes no writes, as others are given it', async () => {
    const reading = readOnlyDatabase(through, __dirname)
    const strapi = makeKnex({ ...through, pool: { min: 0, max: 4 } })
    try {
      for (let round = 0; round < rounds; round += 1) {
        await Promise.all([reading('notes').select('id'), reading('notes').count()])
        await Promise.all([strapi('notes').insert({}), strapi('notes').insert({})])
      }
      expect(await strapi('notes').select('id')).toHaveLength(2 * rounds)
    } finally {
      await reading.destroy()
      await strapi.destroy()
    }
  })
})
