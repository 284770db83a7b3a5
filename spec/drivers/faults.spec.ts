import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import request, { type Response } from 'supertest'
import { contentRouter, type ContentRouterConfig, fromDatabase, migrate, seed } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import { library } from '../support/library'
import { type Line, lineTo } from '../support/line'
import { lockBooks, untilRunning } from '../support/locked-books'

const content = { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] }
const path = '/api/books?populate=author'
/** Enough for what is to be answered on a machine with more to do. */
const patience = 2000

interface Address {
  readonly host: string
  readonly port: number
}

const addressOf = ({ config }: World): Address => config.connection as unknown as Address

function expectUnavailable({ status, headers, body }: Response): void {
  expect({
    status,
    retry: headers['retry-after'],
    name: (body as { error: { name: string } }).error.name,
  }).toEqual({
    status: 503,
    retry: '1',
    name: 'ServiceUnavailableError',
  })
}

function serve(world: World, options: Partial<ContentRouterConfig>): Express {
  const router = contentRouter({
    contentTypes: library,
    database: world.config,
    permissions: { public: { find: '*' } },
    ...options,
  })
  world.closing(router)
  return express().use('/api', router)
}

eachDatabase((database) => {
  const world = database.fresh()

  beforeAll(async () => {
    await migrate({ contentTypes: library, database: world.config })
    await seed({ contentTypes: library, database: world.config }, content)
  })

  it('answers 503 while the pool has no connection to give, and serves again once it has', async () => {
    const knex = makeKnex({ ...world.config, useNullAsDefault: true, pool: { min: 0, max: 1 } })
    const app = serve(world, { database: knex, timeout: patience })
    await request(app).get(path).expect(200)
    const held = await knex.transaction()
    await held.raw('select 1')
    expectUnavailable(await request(app).get(path))
    await held.rollback()
    await request(app).get(path).expect(200)
    await knex.destroy()
  })

  it('answers 503 once it is closed', async () => {
    const router = contentRouter({
      contentTypes: library,
      database: world.config,
      permissions: { public: { find: '*' } },
    })
    const app = express().use('/api', router)
    await request(app).get(path).expect(200)
    await router.close()
    expectUnavailable(await request(app).get(path))
  })

  const { dialect } = database
  if (dialect === 'sqlite') return

  describe('behind a line that fails', () => {
    let line: Line
    let app: Express

    beforeAll(async () => {
      const { host, port } = addressOf(world)
      line = await lineTo(host, port)
      const connection = { ...addressOf(world), port: line.port }
      const config = { ...world.config, connection, pool: { min: 0, max: 4 } } as Knex.Config
      app = serve(world, { database: config, timeout: patience })
      await request(app).get(path).expect(200)
    })
    afterAll(() => line.close())

    it('reads once more on a fresh connection what was lost with a cut one', async () => {
      line.cut()
      const { body } = (await request(app).get(path).expect(200)) as { body: { data: unknown[] } }
      expect(body.data).toHaveLength(1)
    })

    it('reads once more where a cut under way takes every connection of the pool', async () => {
      const server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
      await once(server, 'listening')
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(Array.from({ length: 8 }, () => request(server).get(path).expect(200)))
        let isCut = false
        line.watch(async () => {
          if (isCut) return
          isCut = true
          await world.knex('books').first()
          line.cut()
        })
        await request(server).get(path).expect(200)
        expect(isCut).toBe(true)
      }
      line.watch(() => undefined)
      server.close()
    })

    it('answers 503 in time when the line is frozen, and serves again once it is not', async () => {
      line.freeze()
      expectUnavailable(await request(app).get(path))
      line.thaw()
      line.cut()
      await request(app).get(path).expect(200)
    })
  })

  it('answers 503 where the line breaks while permissions are read', async () => {
    const { host, port } = addressOf(world)
    const line = await lineTo(host, port)
    line.watch((sent) => {
      if (sent.includes('up_permissions')) line.cut()
    })
    const connection = { ...addressOf(world), port: line.port }
    const database = { ...world.config, connection } as Knex.Config
    expectUnavailable(await request(serve(world, { database, permissions: fromDatabase() })).get(path))
    await line.close()
  })

  it('answers over a slow line, and 503 in time over one that is too slow', async () => {
    const { host, port } = addressOf(world)
    const line = await lineTo(host, port)
    const connection = { ...addressOf(world), host: '127.0.0.1', port: line.port }
    const app = serve(world, {
      database: { ...world.config, connection } as Knex.Config,
      timeout: 2 * patience,
    })
    const { body } = (await request(app).get(path).expect(200)) as { body: unknown }
    line.slow(20)
    expect((await request(app).get(path).expect(200)).body).toEqual(body)
    line.slow(3 * patience)
    expectUnavailable(await request(app).get(path))
    line.slow(0)
    line.cut()
    expect((await request(app).get(path).expect(200)).body).toEqual(body)
    await line.close()
  })

  it('gives up a statement that takes too long, in the database as well', async () => {
    const app = serve(world, { timeout: patience })
    await request(app).get(path).expect(200)
    const unlock = await lockBooks(world.knex, dialect)
    expectUnavailable(await request(app).get(path))
    await untilRunning(0, world.knex, dialect)
    await unlock()
    await request(app).get(path).expect(200)
  })

  it('cancels what a client that went away had asked for', async () => {
    const app = serve(world, { timeout: 60_000 })
    await request(app).get(path).expect(200)
    const server: Server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const unlock = await lockBooks(world.knex, dialect)
    const asked = get({ port: (server.address() as AddressInfo).port, path })
    asked.on('error', () => undefined)
    await untilRunning(1, world.knex, dialect)
    asked.destroy()
    await untilRunning(0, world.knex, dialect)
    await unlock()
    server.close()
  })
})
