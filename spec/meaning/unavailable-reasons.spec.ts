import { mkdirSync, rmdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import express from 'express'
import type { Knex } from 'knex'
import { type ContentRouter, contentRouter, type ContentRouterConfig, type ObservedEvent } from '../../lib'
import type { Logger } from '../../lib/config'
import { askerOf, type Asker } from '../support/asker'
import { letPass } from '../support/clock'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'
import { watching } from '../support/watching'

interface Line {
  readonly level: 'warn' | 'error'
  readonly facts: Readonly<Record<string, unknown>>
  readonly message: string
}

type Ended = Pick<Extract<ObservedEvent, { readonly kind: 'end' }>, 'status' | 'reason'>

/** A router of its own, with what it logs and what an extension observes. */
interface Heard extends Asker {
  readonly origin: string
  readonly router: ContentRouter
  readonly lines: Line[]
  readonly events: Ended[]
  /** The paths of the requests that have reached the application. */
  readonly arrived: string[]
}

const fileOf = ({ connection }: Knex.Config): string => (connection as { filename: string }).filename

onSqlite((database) => {
  const content = { author: [{ name: 'Ada' }] }
  const { world } = stocked(database, library, content)
  const writeAhead = stocked(database, library, content).world
  const askers: Asker[] = []
  afterAll(() => Promise.all(askers.map((asker) => asker.close())))

  async function listen(options: Partial<ContentRouterConfig> = {}): Promise<Heard> {
    const lines: Line[] = []
    const events: Ended[] = []
    const arrived: string[] = []
    const ended = watching((event) => {
      if (event.kind === 'end') events.push(event)
    })
    const keep =
      (level: Line['level']) =>
      (facts: object, message: string): void => {
        lines.push({ level, facts: { ...facts }, message })
      }
    const silent = (): void => undefined
    const logger: Logger = { debug: silent, info: silent, warn: keep('warn'), error: keep('error') }
    const router = world.closing(
      contentRouter({
        contentTypes: library,
        database: world.config,
        permissions: { public: { find: '*' } },
        logger,
        extensions: [ended],
        ...options,
      }),
    )
    const app = express().use((req, _res, next) => {
      arrived.push(req.path)
      next()
    })
    const asker = await askerOf(app.use('/api', router))
    askers.push(asker)
    return { ...asker, router, lines, events, arrived }
  }

  /** A writer that holds the file until it is told to let go. */
  function lock(): () => void {
    const writer = new Sqlite(fileOf(world.config))
    writer.exec('begin exclusive')
    return () => {
      writer.exec('rollback')
      writer.close()
    }
  }

  const reasonsIn = (lines: readonly Line[]): readonly unknown[] => lines.map(({ facts }) => facts['reason'])

  async function settled<T>(list: readonly T[], count: number): Promise<readonly T[]> {
    for (let times = 0; list.length < count && times < 500; times += 1) await pause(10)
    return list
  }

  describe('a 503', () => {
    it('tells the hook and the log of a time-out, once a minute with their number', async () => {
      const { ask, lines, events, router } = await listen({ timeout: 200 })
      expect((await ask('/api/authors')).status).toBe(200)
      const unlock = lock()
      const timeOut = async (page: string): Promise<void> => {
        expect((await ask(`/api/authors?pagination[page]=${page}`)).status).toBe(503)
      }
      await timeOut('1')
      await timeOut('2')
      const query = { pagination: { page: 3 } }
      await expect(router.as('public').find('authors', query)).rejects.toMatchObject({
        status: 503,
        reason: 'timeout',
      })
      letPass(60)
      await timeOut('4')
      unlock()
      const told = (await settled(events, 5)).map(({ status, reason }) => [status, reason])
      expect(told).toEqual([[200, null], ...Array.from({ length: 4 }, () => [503, 'timeout'])])
      const line = (times: number): Line => ({
        ...{ level: 'error', facts: { times, reason: 'timeout' }, message: 'requests get a 503' },
      })
      expect(lines).toEqual([line(1), line(3)])
    })

    it('tells them of a full queue', async () => {
      const { ask, lines, events } = await listen({ queue: { maxRunning: 1, maxWaiting: 0 } })
      await ask('/api/authors')
      const unlock = lock()
      const first = ask('/api/authors?sort=name')
      await pause(50)
      expect((await ask('/api/authors?sort=age')).status).toBe(503)
      expect((await ask('/api/authors?sort=age:desc')).status).toBe(503)
      unlock()
      expect((await first).status).toBe(200)
      expect((await settled(events, 4)).map(({ reason }) => reason ?? 'none').sort()).toEqual([
        ...['none', 'none'],
        ...['queue', 'queue'],
      ])
      expect(reasonsIn(lines)).toEqual(['queue'])
    })

    it('tells them of a router that is being closed', async () => {
      const { ask, lines, events, router } = await listen()
      await router.close()
      expect((await ask('/api/authors')).status).toBe(503)
      await expect(router.as('public').find('authors')).rejects.toMatchObject({ reason: 'closing' })
      expect((await settled(events, 2)).map(({ reason }) => reason)).toEqual(['closing', 'closing'])
      expect(reasonsIn(lines)).toEqual(['closing'])
    })

    it('tells them of a database that cannot be reached, and the log of its end with their number', async () => {
      const { config } = writeAhead
      const writer = new Sqlite(fileOf(config))
      writer.pragma('journal_mode = wal')
      writer.close()
      const inTheWay = `${fileOf(config)}-wal`
      mkdirSync(inTheWay)
      const { ask, lines, events } = await listen({ database: config })
      const refused = [await ask('/api/authors'), await ask('/api/authors')]
      rmdirSync(inTheWay)
      const served = [await ask('/api/authors'), await ask('/api/authors?sort=name')]
      letPass(5)
      served.push(await ask('/api/authors?sort=age'))
      expect([...refused, ...served].map(({ status }) => status)).toEqual([503, 503, 200, 200, 200])
      expect((await settled(events, 5)).map(({ reason }) => reason)).toEqual([
        ...['unreachable', 'unreachable'],
        ...[null, null, null],
      ])
      expect(lines).toMatchObject([
        { level: 'error', facts: { reason: 'unreachable' }, message: 'the database cannot be reached' },
        {
          level: 'warn',
          facts: { reason: 'unreachable', times: 2, seconds: 0 },
          message: 'the database can be reached again',
        },
      ])
    })
  })

  describe('a client that goes away', () => {
    it('is no 503 in the log', async () => {
      const { origin, ask, lines, events, arrived } = await listen({ timeout: 20_000 })
      await ask('/api/authors')
      const unlock = lock()
      const leaving = new AbortController()
      const left = fetch(`${origin}/api/authors?sort=name`, { signal: leaving.signal }).catch(() => null)
      await settled(arrived, 2)
      leaving.abort()
      await left
      expect((await settled(events, 2)).map(({ status, reason }) => [status, reason])).toEqual([
        [200, null],
        [null, null],
      ])
      unlock()
      expect(lines).toEqual([])
    })
  })
})
