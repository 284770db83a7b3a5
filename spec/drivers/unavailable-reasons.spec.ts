import { setTimeout as pause } from 'node:timers/promises'
import express, { type Express } from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { Pool, type PoolConfig } from 'pg'
import request from 'supertest'
import { contentRouter } from '../../lib'
import type { Logger } from '../../lib/config'
import { health } from '../../extensions/observe'
import { letPass } from '../support/clock'
import { describeOn, testDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { lineTo } from '../support/line'
import { lockBooks } from '../support/locked-books'
import { saying } from '../support/saying'
import { stocked } from '../support/served'
import { watching } from '../support/watching'

function probed(world: World, database: Knex | Knex.Config, logger: Logger): Express {
  const permissions = { public: { find: '*' } } as const
  const router = world.closing(contentRouter({ contentTypes: library, database, permissions, logger }))
  return express().use(health(router)).use('/api', router)
}

const limits = {
  postgres: `set statement_timeout = '2s'`,
  mariadb: 'set session max_statement_time = 2',
  mysql: 'set session max_execution_time = 2000',
}

describeOn(['postgres', 'mariadb', 'mysql'])('the reason of a 503 on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, { book: [{ title: 'Dawn' }] })

  it('is the database, where a limit that is set there ended a statement', async () => {
    const { logger, errors } = keeping()
    const reasons: unknown[] = []
    const pool = { afterCreate: saying(limits[name]) }
    const ended = watching((event) => {
      if (event.kind === 'end') reasons.push(event.reason)
    })
    const { get } = serve({
      ...{ database: { ...world.config, pool }, timeout: 60_000, logger },
      extensions: [ended],
    })
    await get('books')
    const unlock = await lockBooks(world.knex, name === 'postgres' ? name : 'mysql')
    const { status } = await get('books')
    await unlock()
    expect(status).toBe(503)
    await get('books')
    expect(reasons).toContain('database')
    expect(errors).toMatchObject([{ facts: { reason: 'database' } }])
  })

  it('is that it cannot be reached, with a line about the beginning and the end of each outage', async () => {
    const { host, port, ...others } = world.config.connection as { host: string; port: number }
    const line = await lineTo(host, port)
    const { logger, lines } = keeping()
    const database = { ...world.config, connection: { ...others, host: '127.0.0.1', port: line.port } }
    const { get } = serve({ database: database as Knex.Config, logger })
    const getTimes = async (times: number, status: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) expect((await get('books')).status).toBe(status)
    }
    await getTimes(1, 200)
    for (const refused of [4, 2]) {
      // Nothing listens there.
      line.lead(1)
      line.cut()
      await getTimes(refused, 503)
      line.lead(port)
      await getTimes(3, 200)
      letPass(5)
      await getTimes(1, 200)
    }
    const linesOf = (refused: number): readonly object[] => [
      { facts: { times: 1, reason: 'unreachable' }, message: 'the database cannot be reached' },
      { facts: { times: refused, reason: 'unreachable' }, message: 'the database can be reached again' },
    ]
    expect(lines).toMatchObject([...linesOf(4), ...linesOf(2)])
    await line.close()
  })

  it('is none for a health check while a lock holds all connections', async () => {
    const { logger, lines } = keeping()
    const app = probed(world, { ...world.config, pool: { min: 0, max: 2 } }, logger)
    await request(app).get('/api/books')
    const unlock = await lockBooks(world.knex, name === 'postgres' ? name : 'mysql')
    const asked = ['title', 'year', 'id'].map((key) => request(app).get(`/api/books?sort=${key}`))
    const answers = Promise.all(asked)
    await pause(200)
    expect((await request(app).get('/ready')).status).toBe(200)
    await unlock()
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(lines).toEqual([])
  })
})

describeOn(['postgres'])('a pool of the driver', (name) => {
  const { world } = stocked(testDatabase(name), library, { book: [{ title: 'Dawn' }] })

  it('is ready for a health check, although it has no counts of its connections', async () => {
    const { logger, lines } = keeping()
    const connectionPool = new Pool(world.config.connection as PoolConfig)
    const app = probed(world, makeKnex({ client: 'pg', connectionPool }), logger)
    expect((await request(app).get('/ready')).status).toBe(200)
    expect(lines).toEqual([])
    await connectionPool.end()
  })
})

describeOn(['postgres'])('a limit of connections below the size of the pool', (name) => {
  const { world } = stocked(testDatabase(name), library, { book: [{ title: 'Dawn' }] })

  it('is one outage in the log while some connections work', async () => {
    const { knex, config } = world
    await knex.raw(`create role three login password 'three' connection limit 3`)
    await knex.raw('grant select on all tables in schema public to three')
    const { logger, lines } = keeping()
    const connection = { ...(config.connection as object), user: 'three', password: 'three' }
    const app = probed(world, { ...config, connection, pool: { min: 0, max: 10 } }, logger)
    const statuses: number[] = []
    for (let round = 0; round < 10; round += 1) {
      const asked = Array.from({ length: 30 }, (_, at) =>
        request(app).get(`/api/books?pagination[start]=${String(at)}`),
      )
      for (const { status } of await Promise.all(asked)) statuses.push(status)
    }
    const refused = statuses.filter((status) => status === 503).length
    expect([new Set(statuses), refused > 30]).toEqual([new Set([200, 503]), true])
    letPass(5)
    await request(app).get('/api/books')
    expect(lines).toMatchObject([
      {
        facts: { times: 1, reason: 'unreachable', code: '53300' },
        message: 'the database cannot be reached',
      },
      { facts: { times: refused, reason: 'unreachable' }, message: 'the database can be reached again' },
    ])
    await knex.raw('drop owned by three')
    await knex.raw('drop role three')
  })
})
