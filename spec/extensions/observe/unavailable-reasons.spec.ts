import { mkdirSync, rmdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import express from 'express'
import type { Knex } from 'knex'
import { Registry } from 'prom-client'
import { type ContentRouter, contentRouter, type ContentRouterConfig } from '../../../lib'
import { metrics, observe, type RequestEvent } from '../../../extensions/observe'
import { type Asker, askerOf } from '../../support/asker'
import { describeOn, onSqlite, testDatabase, type World } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { library } from '../../support/library'
import { lockBooks } from '../../support/locked-books'
import { samplesIn } from '../../support/samples'
import { saying } from '../../support/saying'
import { stocked } from '../../support/served'

/** The reasons in the log, in `onRequest`, and in the metrics with their counts. */
interface Reported {
  readonly log: readonly unknown[]
  readonly hook: readonly unknown[]
  readonly metrics: Readonly<Record<string, number>>
}

interface Reporting extends Asker {
  readonly router: ContentRouter
  /** Waits until the hook was called for so many requests with status 503. */
  readonly reported: (count: number) => Promise<Reported>
}

async function open(world: World, options: Partial<ContentRouterConfig> = {}): Promise<Reporting> {
  const { logger, errors } = keeping()
  const events: RequestEvent[] = []
  const router = world.closing(
    contentRouter({
      ...{ contentTypes: library, database: world.config, permissions: { public: { find: '*' } }, logger },
      extensions: [observe({ onRequest: (event) => events.push(event) })],
      ...options,
    }),
  )
  const register = metrics(router, { register: new Registry() })
  const asker = world.closing(await askerOf(express().use('/api', router)))
  const reported = async (count: number): Promise<Reported> => {
    const unavailable = (): readonly RequestEvent[] => events.filter(({ status }) => status === 503)
    for (let times = 0; unavailable().length < count && times < 500; times += 1) await pause(10)
    const counted = [...(await samplesIn(register))].flatMap(([name, value]): [string, number][] => {
      const [, reason] = /^content_requests_total\{.*status="503",reason="(\w*)"/.exec(name) ?? []
      return reason === undefined ? [] : [[reason, value]]
    })
    return {
      log: errors.map(({ facts }) => facts['reason']),
      hook: unavailable().map(({ reason }) => reason),
      metrics: Object.fromEntries(counted),
    }
  }
  return { ...asker, router, reported }
}

/** One line of the log for all requests of a minute. */
const twice = (reason: string): Reported => {
  return { log: [reason], hook: [reason, reason], metrics: { [reason]: 2 } }
}

const statusesOf = async (asker: Asker, ...queries: readonly string[]): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (const query of queries) statuses.push((await asker.ask(`/api/books${query}`)).status)
  return statuses
}

const fileOf = ({ config }: World): string => (config.connection as { readonly filename: string }).filename
const content = { book: [{ title: 'Dawn' }] }

onSqlite((database) => {
  const { world } = stocked(database, library, content)
  const writeAhead = stocked(database, library, content).world

  /** A writer that holds the file until the returned function is called. */
  function lock(): () => void {
    const writer = new Sqlite(fileOf(world))
    writer.exec('begin exclusive')
    return () => {
      writer.exec('rollback')
      writer.close()
    }
  }

  describe('the reason of a 503 in the log, in onRequest and in the metrics', () => {
    it('is timeout if a response takes too long', async () => {
      const asker = await open(world, { timeout: 200 })
      expect(await statusesOf(asker, '')).toEqual([200])
      const unlock = lock()
      expect(await statusesOf(asker, '?sort=title', '?sort=title:desc')).toEqual([503, 503])
      unlock()
      expect(await asker.reported(2)).toEqual(twice('timeout'))
    })

    it('is queue if too many requests wait', async () => {
      const asker = await open(world, { queue: { maxRunning: 1, maxWaiting: 0 } })
      expect(await statusesOf(asker, '')).toEqual([200])
      const unlock = lock()
      const first = asker.ask('/api/books?sort=title')
      await pause(50)
      expect(await statusesOf(asker, '?sort=title:desc', '?sort=id')).toEqual([503, 503])
      unlock()
      expect((await first).status).toBe(200)
      expect(await asker.reported(2)).toEqual(twice('queue'))
    })

    it('is unreachable if no connection to the database is possible', async () => {
      const writer = new Sqlite(fileOf(writeAhead))
      writer.pragma('journal_mode = wal')
      writer.close()
      const inTheWay = `${fileOf(writeAhead)}-wal`
      mkdirSync(inTheWay)
      const asker = await open(writeAhead)
      expect(await statusesOf(asker, '', '')).toEqual([503, 503])
      rmdirSync(inTheWay)
      expect(await statusesOf(asker, '')).toEqual([200])
      expect(await asker.reported(2)).toEqual(twice('unreachable'))
    })

    it('is closing while the router closes', async () => {
      const asker = await open(world)
      await asker.router.close()
      expect(await statusesOf(asker, '', '')).toEqual([503, 503])
      expect(await asker.reported(2)).toEqual(twice('closing'))
    })
  })
})

describeOn(['postgres'])('the reason of a 503 in the log, in onRequest and in the metrics', (name) => {
  const { world } = stocked(testDatabase(name), library, content)

  it('is database if a limit of the database ends the statement', async () => {
    const pool = { afterCreate: saying(`set statement_timeout = '1s'`) }
    const asker = await open(world, {
      database: { ...world.config, pool } as Knex.Config,
      timeout: 60_000,
    })
    expect(await statusesOf(asker, '')).toEqual([200])
    const unlock = await lockBooks(world.knex, name)
    const both = [asker.ask('/api/books?sort=title'), asker.ask('/api/books?sort=id')]
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([503, 503])
    await unlock()
    expect(await asker.reported(2)).toEqual(twice('database'))
  })
})
