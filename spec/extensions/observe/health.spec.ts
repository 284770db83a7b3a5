import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { knex as makeKnex } from 'knex'
import request from 'supertest'
import { type ContentRouter, contentRouter, type ContentRouterConfig } from '../../../lib'
import { health, type HealthOptions } from '../../../extensions/observe'
import { letPass } from '../../support/clock'
import { onSqlite } from '../../support/databases'
import { keeping, type Logged } from '../../support/hearing'
import { library } from '../../support/library'
import { stocked } from '../../support/served'

interface Probed {
  readonly app: Express
  readonly router: ContentRouter
  readonly lines: readonly Logged[]
}

/** An instance of the host whose only connection a spec can hold. */
interface Client {
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<void>
}

onSqlite((database) => {
  const { world } = stocked(database, library, { author: [{ name: 'Ada' }] })

  function probed(given: ContentRouterConfig['database'], options?: HealthOptions): Probed {
    const { logger, lines } = keeping()
    const permissions = { public: { find: '*' } } as const
    const router = world.closing(
      contentRouter({ contentTypes: library, database: given, permissions, logger }),
    )
    const app = express().use(health(router, options)).use('/api', router)
    return { app, router, lines }
  }

  describe('the router for probes', () => {
    it('is live and ready while the database answers', async () => {
      const { app } = probed(world.config)
      const live = await request(app).get('/live')
      expect([live.status, live.body, live.headers['cache-control']]).toEqual([
        ...[200, { status: 'live' }, 'no-store'],
      ])
      const ready = await request(app).get('/ready')
      expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }])
      expect((await request(app).head('/ready')).status).toBe(200)
    })

    it('is live and unavailable once the content router closes', async () => {
      const { app, router } = probed(world.config)
      await router.close()
      expect((await request(app).get('/live')).status).toBe(200)
      const { status, text } = await request(app).get('/ready')
      expect([status, JSON.parse(text)]).toEqual([503, { status: 'unavailable', reason: 'closing' }])
    })

    it('is unavailable while the database cannot be reached, and logs outage and end', async () => {
      const { filename } = world.config.connection as { readonly filename: string }
      const folder = `${filename}-later`
      const knex = makeKnex({ ...world.config, connection: { filename: join(folder, 'copy') } })
      const { app, router, lines } = probed(knex)
      const { status, text } = await request(app).get('/ready')
      expect([status, JSON.parse(text)]).toEqual([503, { status: 'unavailable', reason: 'unreachable' }])
      // Probes share a result for a second.
      mkdirSync(folder)
      expect((await request(app).get('/ready')).status).toBe(503)
      for (const seconds of [2, 5]) {
        letPass(seconds)
        expect((await request(app).get('/ready')).status).toBe(200)
      }
      expect(lines).toMatchObject([
        { facts: { times: 1, reason: 'unreachable' }, message: 'the database cannot be reached' },
        { facts: { times: 1, seconds: 2 }, message: 'the database can be reached again' },
      ])
      await router.close()
      await knex.destroy()
      rmSync(folder, { recursive: true })
    })

    it('is unavailable after the given time if the database does not answer', async () => {
      let answer = (): void => undefined
      const afterCreate = (connection: object, done: (error: null, connection: object) => void): void => {
        answer = () => {
          done(null, connection)
        }
      }
      const knex = makeKnex({ ...world.config, pool: { min: 0, max: 1, afterCreate } })
      const { app, router, lines } = probed(knex, { timeout: 50 })
      const { status, text } = await request(app).get('/ready')
      expect([status, JSON.parse(text)]).toEqual([503, { status: 'unavailable', reason: 'unreachable' }])
      expect(lines).toMatchObject([
        { facts: { times: 1, code: 'ETIMEDOUT' }, message: 'the database cannot be reached' },
      ])
      answer()
      await router.close()
      await knex.destroy()
    })

    it('is ready while requests use all connections, and logs nothing', async () => {
      const knex = makeKnex({ ...world.config, pool: { min: 0, max: 1 } })
      const client = knex.client as Client
      const { app, router, lines } = probed(knex, { timeout: 50 })
      const held = await client.acquireConnection()
      const { status, text } = await request(app).get('/ready')
      expect([status, JSON.parse(text), lines]).toEqual([200, { status: 'ready' }, []])
      await client.releaseConnection(held)
      await router.close()
      await knex.destroy()
    })

    it('rejects other routers and wrong options', () => {
      expect(() => health(express.Router() as ContentRouter)).toThrow(
        'health: the first argument of health() must be a router of express-content-router',
      )
      expect(() => probed(world.config, { timeout: 0 })).toThrow(
        'health.timeout: the option timeout must be a number of milliseconds above 0',
      )
      expect(() => probed(world.config, { every: 1 } as HealthOptions)).toThrow('health.every')
    })
  })
})
