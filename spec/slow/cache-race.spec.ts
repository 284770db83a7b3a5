import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { fromDatabase, strapi5 } from '../../extensions/strapi'
import { contentRouter, type ContentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { isPermissionsSource } from '../../lib/config'
import { changes } from '../../extensions/changes'
import { seed } from '../../extensions/seed'
import { type Asker, askerOf } from '../support/asker'
import { describeOn, eachDatabase } from '../support/databases'
import { endSenders, following, publishAll, senders } from '../support/feed'
import { facts, type History, makeHistory } from '../support/race/history'
import { faultsOf, type Post, spanOf } from '../support/race/judge'
import { keepingTags } from '../support/race/readers'
import { content, contentTypes, writePermissions } from '../support/race/types'
import { onOwnServer } from '../support/own-server'
import { observe } from '../../extensions/observe'

/** `npm run race` asks for the whole 20,000 of each. */
const readings = Number(process.env['RACE_READINGS'] ?? (process.env['SWEEP'] === 'all' ? 600 : 300))
const readers = 12
const longest = 60_000 + readings * 100

const mostKills = Math.ceil(readings / 2000)

/** Resolves once it has grown by some, or nobody reads any more. */
async function more(on: Reading, count: () => number, by = 3): Promise<void> {
  const before = count()
  while (count() < before + by && !on.isOver) await pause(5)
}

const deep =
  'populate[seo]=true&populate[writer][populate]=place&populate[series]=true&populate[note]=true&populate[tags]=true'
const texts = [deep, `${deep}&sort=title`, `${deep}&pagination[withCount]=false`]

/** Read from a table that nobody writes, asked by nobody else. */
const still = '/api/tags?fields=name&sort=id'

interface Race {
  readonly router: ContentRouter
  readonly faults: readonly string[]
}

/** How far the readers are. */
interface Reading {
  answers: number
  isDown: boolean
  isOver: boolean
}

eachDatabase((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const isFollowed = database.dialect === 'postgres'
  let history: History

  beforeAll(async () => {
    const config = { contentTypes, database: world.config }
    await migrate({ ...config, extensions: [strapi5()] })
    await seed(config, content)
    history = makeHistory(world.config, await writePermissions(world))
    if (database.dialect === 'sqlite') await world.knex.raw('pragma journal_mode = wal')
    if (!isFollowed) return
    await world.knex.raw('create table logs (id serial primary key, text text)')
    await publishAll(world.knex)
  }, 60_000)

  interface Asking {
    readonly count: number
    /** How many milliseconds old an answer may be. */
    readonly old: number
    /** What befalls the server while it is asked, which goes on until it is over. */
    readonly outages?: (router: ContentRouter, on: Reading, asker: Asker) => Promise<void>
  }

  /** Asks over and over, and returns what no state of the database between question and answer explains. */
  async function readOn(
    asker: Asker,
    { count, old, grantsChange }: Asking & { readonly grantsChange: boolean },
    on: Reading,
  ): Promise<string[]> {
    const faults: string[] = []
    let asked = 0
    const loop = async (_: undefined, number: number): Promise<void> => {
      const ask = number % 2 === 0 ? asker.ask : keepingTags(asker)
      while (asked < count || !on.isOver) {
        asked += 1
        const from = performance.now() - old
        const { isDown } = on
        const { status, body } = await ask(`/api/posts?${texts[asked % texts.length] ?? ''}`)
        const span = spanOf(history, facts, from)
        if (status === 503 && (isDown || on.isDown)) {
          asked -= 1
          continue
        }
        if (status !== 200) throw new Error(`${String(status)}: ${body}`)
        on.answers += 1
        const [post] = (JSON.parse(body) as { data: Post[] }).data
        if (post === undefined) throw new Error('the post is gone')
        faults.push(...faultsOf(post, span, grantsChange))
      }
    }
    await Promise.all(Array<undefined>(readers).fill(undefined).map(loop))
    return faults
  }

  async function race(options: Partial<ContentRouterConfig>, asking: Asking): Promise<Race> {
    const router = world.closing(contentRouter({ contentTypes, database: world.config, ...options }))
    const asker = await askerOf(express().use('/api', router))
    try {
      const grantsChange = options.permissions !== undefined && isPermissionsSource(options.permissions)
      const { outages } = asking
      const on: Reading = { answers: 0, isDown: false, isOver: outages === undefined }
      const work = async (): Promise<string[]> => {
        const reading = readOn(asker, { ...asking, grantsChange }, on)
        const over = (): void => {
          on.isOver = true
        }
        const [found] = await Promise.all([reading.finally(over), outages?.(router, on, asker).finally(over)])
        return found
      }
      const faults = await history.during(work, outages !== undefined)
      return { router, faults }
    } finally {
      await asker.close()
    }
  }

  it(
    'no cached response is stale while others write',
    async () => {
      const { router, faults } = await race(
        { permissions: fromDatabase(), cache: {} },
        { count: readings, old: 0 },
      )
      expect(faults).toEqual([])
      const { hits, misses, notModified, questions } = router.cache.stats()
      expect(hits + misses + notModified).toBe(readings)
      expect(hits).toBeGreaterThan(readings / 50)
      expect(notModified).toBeGreaterThan(0)
      expect(misses).toBeGreaterThan(0)
      expect(questions).toBeLessThanOrEqual(readings)
    },
    longest,
  )

  it(
    'no response is older than cache.freshness',
    async () => {
      const old = 50
      const { router, faults } = await race(
        { permissions: fromDatabase(), cache: { freshness: old } },
        { count: readings / 2, old },
      )
      expect(faults).toEqual([])
      expect(router.cache.stats().hits).toBeGreaterThan(0)
    },
    longest,
  )

  it(
    'a query is shared only by requests that came before it began',
    async () => {
      const { router, faults } = await race(
        { permissions: { public: { find: '*' } } },
        { count: readings / 4, old: 0 },
      )
      expect(faults).toEqual([])
      expect(router.cache.stats().shared).toBeGreaterThan(0)
    },
    longest,
  )

  it(
    'no 304 is stale without a cache',
    async () => {
      const { router, faults } = await race(
        { permissions: { public: { find: '*' } }, etag: true },
        { count: readings / 2, old: 0 },
      )
      expect(faults).toEqual([])
      const { hits, notModified } = router.cache.stats()
      expect(notModified).toBeGreaterThan(0)
      expect(hits).toBe(0)
    },
    longest,
  )

  if (isFollowed) {
    const write = (): Promise<unknown> => world.knex('logs').insert({ text: 'written' })

    /** Somebody writes all the time to a table that no answer is read from. */
    async function writeElsewhere(on: Reading): Promise<void> {
      while (!on.isOver) {
        await write()
        await pause(5)
      }
    }

    /**
     * How many answers came from memory after a commit elsewhere, of what is asked for a while. By the clock alone none can:
     * it tells of the commit, and nobody else has read the same since.
     */
    async function survivals({ ask }: Asker, during: number): Promise<number> {
      const end = performance.now() + during
      for (let survived = 0; ;) {
        await ask(still)
        await write()
        const { headers } = await ask(still)
        if (String(headers['server-timing']).includes('from memory')) survived += 1
        if (performance.now() > end) return survived
      }
    }

    /** Holds the feed up, ends it, and does what it tells in part or not at all. */
    const troubles: readonly (() => Promise<void>)[] = [
      async () => {
        const pids = await senders(world.knex)
        for (const pid of pids) process.kill(pid, 'SIGSTOP')
        await pause(150)
        for (const pid of pids) process.kill(pid, 'SIGCONT')
      },
      () => endSenders(world.knex),
      () => world.knex.raw(`alter table logs add column x int; alter table logs drop column x`),
      () => world.knex.raw(`insert into logs (text) values ('x'); alter table logs add column x int`),
      () => world.knex.raw(`alter table logs drop column if exists x`),
      () => world.knex.raw(`alter publication content_router set (publish = 'insert, delete, truncate')`),
      () =>
        world.knex.raw(`alter publication content_router set (publish = 'insert, update, delete, truncate')`),
      () => world.knex.raw(`truncate logs`),
      () => world.knex.raw(`alter table posts replica identity default`),
      () => world.knex.raw(`alter table posts replica identity full`),
    ]

    it(
      'no cached response is stale with changes.feed, whatever happens to the feed',
      async () => {
        let survived = 0
        // So that it is told of row by row.
        await world.knex.raw('alter table posts replica identity full')
        const outages = async (router: ContentRouter, on: Reading, asker: Asker): Promise<void> => {
          const writing = writeElsewhere(on)
          for (let round = 0; round < 4 + readings / 50 && !on.isOver; round += 1) {
            await following(router)
            survived += await survivals(asker, 300)
            await troubles[round % troubles.length]?.()
          }
          on.isOver = true
          await writing
        }
        const { faults } = await race(
          {
            permissions: fromDatabase(),
            cache: {},
            extensions: [changes({ feed: true }), observe({ serverTiming: true })],
            logger: false,
          },
          { count: readings, old: 0, outages },
        )
        expect(faults).toEqual([])
        expect(survived).toBeGreaterThan(0)
      },
      longest,
    )
  }

  if (database.dialect === 'sqlite') return

  describeOn([database.name], ['an installed server'])('with its own server', () => {
    it(
      'no response is stale while the server is killed and restarted',
      async () => {
        const outages = async (router: ContentRouter, on: Reading): Promise<void> => {
          const { cache } = router
          for (let kills = 0; kills < mostKills; kills += 1) {
            if (isFollowed) await following(router)
            await more(on, () => on.answers, readings / mostKills / 2)
            await more(on, () => history.most('row'))
            await more(on, () => cache.stats().hits)
            on.isDown = true
            await world.server().kill()
            await world.server().restart()
            await more(on, () => cache.stats().hits)
            on.isDown = false
          }
        }
        const extensions = isFollowed ? [changes({ feed: true })] : []
        const { router, faults } = await race(
          { permissions: fromDatabase(), cache: {}, extensions },
          { count: readings, old: 0, outages },
        )
        expect(faults).toEqual([])
        expect(router.cache.stats().notModified).toBeGreaterThan(0)
      },
      longest,
    )
  })
})
