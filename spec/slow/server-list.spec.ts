import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouter, type ContentRouterConfig, migrate, seed } from '../../lib'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn } from '../support/databases'
import { library } from '../support/library'
import { startHaProxy } from '../support/servers/haproxy'
import { startPgBouncer } from '../support/servers/pgbouncer'
import type { Running } from '../support/servers/private-server'
import { type Pair, promoted, startPair } from '../support/servers/replica'
import { connectionTo } from '../support/stores'

const nameIn = ({ status, body }: Answer): unknown =>
  status === 200
    ? (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data[0]?.name
    : status

/** What stands before each server by itself, and holds a login while it looks for the server. */
const fronts = {
  HAProxy: (server: URL) => startHaProxy([server], 'tcp-check'),
  PgBouncer: (server: URL) => startPgBouncer(server, 'transaction'),
  'PgBouncer in session mode': (server: URL) => startPgBouncer(server, 'session'),
} as const
type Front = keyof typeof fronts

const frontsOf: Readonly<Record<'postgres' | 'mariadb' | 'mysql', readonly Front[]>> = {
  postgres: ['PgBouncer', 'PgBouncer in session mode', 'HAProxy'],
  mariadb: ['HAProxy'],
  mysql: ['HAProxy'],
}

/** Far less than an answer may take, and more than a busy machine needs. */
const longestAnswer = 5000

describeOn(['postgres', 'mariadb', 'mysql'], ['an installed server', 'HAProxy', 'PgBouncer'])(
  'a list of servers of %s',
  (name) => {
    let servers: Pair
    let writer: Knex
    let served: { readonly asker: Asker; readonly router: ContentRouter } | undefined

    const configOf = (url: string): Knex.Config =>
      name === 'postgres'
        ? { client: 'pg', connection: connectionTo(new URL(url), 5432, 'postgres') }
        : { client: 'mysql2', connection: connectionTo(new URL(url), 3306, 'content') }

    beforeAll(async () => {
      const started = await startPair(name)
      if (started === undefined) throw new Error('a server of the spec’s own has to be installed')
      servers = started
      if (name !== 'postgres') {
        const database = connectionTo(new URL(servers.primary.url), 3306, '')
        const first = makeKnex({
          client: 'mysql2',
          connection: { ...database, database: undefined },
        } as Knex.Config)
        await first.raw('create database content')
        await first.destroy()
      }
      writer = makeKnex(configOf(servers.primary.url))
      await migrate({ contentTypes: library, database: writer })
      await seed({ contentTypes: library, database: writer }, { author: [{ name: 'Ada' }] })
      await untilFollowed('Ada')
    }, 120_000)

    afterEach(async () => {
      await served?.asker.close()
      await served?.router.close()
      served = undefined
    })

    afterAll(async () => {
      await writer.destroy()
      await servers.stop()
    })

    async function untilFollowed(name: string): Promise<void> {
      const follower = makeKnex(configOf(servers.follower.url))
      const read = (): Promise<unknown> =>
        follower('authors')
          .first<{ name: unknown } | undefined>()
          .then(
            (row) => row?.name,
            () => undefined,
          )
      while ((await read()) !== name) await pause(20)
      await follower.destroy()
    }

    async function write(name: string): Promise<void> {
      await writer('authors').update({ name })
    }

    async function serve(options: Partial<ContentRouterConfig> = {}): Promise<NonNullable<typeof served>> {
      const router = contentRouter({
        contentTypes: library,
        database: [configOf(servers.primary.url), configOf(servers.follower.url)],
        permissions: { public: { find: '*' } },
        logger: false,
        ...options,
      })
      const asker = await askerOf(express().use('/api', router))
      return (served = { asker, router })
    }

    /** What the log is told of a server, in the order that it is told. */
    function telling(): { readonly told: string[]; readonly logger: ContentRouterConfig['logger'] } {
      const told: string[] = []
      const tell = (facts: object, message: string): void => {
        if (message.includes('server of the list')) told.push(`${message} ${JSON.stringify(facts)}`)
      }
      return { told, logger: { debug: () => undefined, info: tell, warn: tell, error: tell } }
    }

    /** Each is read by itself, on a connection of its own. */
    const askAtOnce = async (asker: Asker): Promise<unknown[]> => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, number) =>
          asker.ask(`/api/authors?populate=books&pagination[pageSize]=${String(1 + number)}`),
        ),
      )
      return answers.map(nameIn)
    }

    async function askFor(milliseconds: number, asker: Asker): Promise<readonly unknown[]> {
      const answers = new Set<unknown>()
      for (const until = performance.now() + milliseconds; performance.now() < until;)
        for (const answer of await askAtOnce(asker)) answers.add(answer)
      return [...answers].sort()
    }

    it('reads from all of them, and keeps what each of them says', async () => {
      const { asker, router } = await serve({ cache: {} })
      await write('Before')
      await untilFollowed('Before')
      await servers.holdBack()
      await write('After')
      expect(await askFor(1000, asker)).toEqual(['After', 'Before'])
      await servers.letGo()
      await untilFollowed('After')
      await askFor(1000, asker)
      const hitsOfHundred = async (): Promise<number> => {
        const { hits } = router.cache.stats()
        for (let asked = 0; asked < 100; asked += 1) await asker.ask('/api/authors')
        return router.cache.stats().hits - hits
      }
      // What a replica writes down of itself moves the counters, too, now and then.
      let most = 0
      for (let rounds = 0; rounds < 20 && most <= 80; rounds += 1)
        most = Math.max(most, await hitsOfHundred())
      expect(most).toBeGreaterThan(80)
    }, 60_000)

    it('leaves out one that is further behind than it may be, until it has caught up', async () => {
      await write('Followed')
      await untilFollowed('Followed')
      const { told, logger } = telling()
      const { asker } = await serve({ maxLag: 1500, logger })
      expect(await askFor(300, asker)).toEqual(['Followed'])
      await servers.holdBack()
      await write('Newest')
      while (told.length === 0) await pause(50)
      expect(await askFor(1000, asker)).toEqual(['Newest'])
      await servers.letGo()
      await untilFollowed('Newest')
      while (told.length === 1) await pause(50)
      expect(told).toEqual([
        'a server of the list is left out until it is well {"server":1,"reason":"it is behind"}',
        'a server of the list is well again {"server":1}',
      ])
    }, 60_000)

    it.each([
      ['killed', () => servers.follower.kill(), () => servers.follower.restart()],
      ['frozen', () => servers.follower.freeze(), () => servers.follower.thaw()],
    ])(
      'answers all that is asked while one is %s, and is ready',
      async (_what, strike, mend) => {
        await write('Steady')
        await untilFollowed('Steady')
        const { asker, router } = await serve()
        await askAtOnce(asker)
        const [answers] = await Promise.all([askFor(4000, asker), pause(500).then(strike)])
        await expect(router.ready()).resolves.toBeUndefined()
        await mend()
        expect(answers).toEqual(['Steady'])
        expect(await askFor(1500, asker)).toEqual(['Steady'])
      },
      60_000,
    )

    it.each(frontsOf[name])(
      'keeps nobody waiting for one that is killed behind its own %s, and tells of that once',
      async (front) => {
        await write('Steady')
        await untilFollowed('Steady')
        const before: Running[] = []
        for (const { url } of [servers.primary, servers.follower]) {
          const started = await fronts[front](new URL(url))
          if (started === undefined) throw new Error('haproxy and pgbouncer have to be installed')
          before.push(started)
        }
        const { told, logger } = telling()
        const { asker } = await serve({ database: before.map(({ url }) => configOf(url)), logger })
        await askAtOnce(asker)
        const answers = new Set<unknown>()
        const longest = async (milliseconds: number): Promise<number> => {
          let most = 0
          for (const until = performance.now() + milliseconds; performance.now() < until;) {
            const sentAt = performance.now()
            for (const answer of await askAtOnce(asker)) answers.add(answer)
            most = Math.max(most, performance.now() - sentAt)
          }
          return most
        }
        // Each asks by himself: whoever is kept waiting shall not keep the others from asking.
        const asking = Promise.all([1, 2, 3].map(() => longest(3000)))
        await pause(500)
        await servers.follower.kill()
        const waited = await asking
        const ofFollower = (): readonly string[] => told.filter((line) => line.includes('"server":1'))
        const toldMeanwhile = ofFollower()
        await servers.follower.restart()
        for (const until = performance.now() + 20_000; performance.now() < until;) {
          if (ofFollower().at(-1)?.includes('well again') === true) break
          await pause(50)
        }
        const toldInAll = ofFollower()
        await Promise.all(before.map((one) => one.stop()))
        expect([...answers]).toEqual(['Steady'])
        expect(Math.max(...waited)).toBeLessThan(longestAnswer)
        expect(toldMeanwhile[0]).toMatch(/^a server of the list is left out until it is well /)
        expect(toldInAll.at(-1)).toBe('a server of the list is well again {"server":1}')
        // On a busy machine it may seem to be gone more than once, and comes back each time.
        expect(toldInAll.map((line) => line.includes('well again'))).toEqual(
          toldInAll.map((_line, place) => place % 2 === 1),
        )
      },
      60_000,
    )

    it('answers 503 and is not ready while none is there, and goes on with the first that comes back', async () => {
      const { asker, router } = await serve({ timeout: 2000 })
      await askAtOnce(asker)
      await servers.follower.kill()
      await servers.primary.kill()
      expect(nameIn(await asker.ask('/api/authors'))).toBe(503)
      await expect(router.ready()).rejects.toThrow('none of its servers is well')
      await servers.follower.restart()
      const restarted = servers.primary.restart()
      while (nameIn(await asker.ask('/api/authors')) !== 'Steady') await pause(50)
      await restarted
      await expect(router.ready()).resolves.toBeUndefined()
    }, 60_000)

    it('reads on from the follower that takes the place of a primary that is gone', async () => {
      await write('Old')
      await untilFollowed('Old')
      const { asker } = await serve({ cache: {} })
      await askAtOnce(asker)
      const asking = askFor(3000, asker)
      await pause(500)
      await servers.primary.kill()
      await promoted(servers.follower)
      const heir = makeKnex(configOf(servers.follower.url))
      await heir('authors').update({ name: 'New' })
      await heir.destroy()
      expect(await asking).toEqual(['New', 'Old'])
      expect(await askFor(500, asker)).toEqual(['New'])
    }, 60_000)
  },
)
