import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { Registry } from 'prom-client'
import { type ContentRouter, contentRouter, type Extension } from '../../../lib'
import { metrics, observe } from '../../../extensions/observe'
import { askerOf } from '../../support/asker'
import { onSqlite } from '../../support/databases'
import { library } from '../../support/library'
import { stocked } from '../../support/served'
import { samplesIn, samplesOf } from '../../support/samples'

const root = join(__dirname, '..', '..', '..')

/** Follows nothing, and reports what a change feed would. */
const feed: Extension = {
  name: 'feed',
  start: () => ({
    follower: {
      beside: 'null',
      learnState: () => Promise.resolve(),
      isStillValid: () => false,
      isFollowing: () => true,
      retainedWal: () => 4096,
    },
  }),
}

onSqlite((database) => {
  const { world } = stocked(database, library, { author: [{ name: 'Ada' }], genre: [{ name: 'Essay' }] })
  const permissions = { public: { find: ['author', 'genre'] } } as const
  const routerOf = (extensions: readonly Extension[], options: object = {}): ContentRouter =>
    world.closing(
      contentRouter({
        ...{ contentTypes: library, database: world.config, permissions, logger: false },
        ...{ extensions, ...options },
      }),
    )

  describe('metrics of a router', () => {
    it('count requests by type, status and reason, and the time of their stages', async () => {
      const router = routerOf([observe()])
      const register = metrics(router, { register: new Registry() })
      const asker = await askerOf(express().use('/api', router))
      for (const path of ['authors', 'authors?sort=name', 'genres', 'authors?sort=none', 'books'])
        await asker.ask(`/api/${path}`)
      await router.as('public').find('authors')
      await router.close()
      await asker.ask('/api/authors')
      await asker.close()
      const requests = (labels: string): string => `content_requests_total{${labels}}`
      const counted = await samplesIn(register)
      expect(
        Object.fromEntries([...counted].filter(([name]) => name.startsWith('content_requests'))),
      ).toEqual({
        [requests('type="api::author.author",status="200",reason=""')]: 3,
        [requests('type="api::author.author",status="400",reason=""')]: 1,
        [requests('type="api::author.author",status="503",reason="closing"')]: 1,
        [requests('type="api::genre.genre",status="200",reason=""')]: 1,
        [requests('type="api::book.book",status="403",reason=""')]: 1,
      })
      expect(counted.get('content_request_duration_seconds_count{type="api::author.author"}')).toBe(5)
      const stage = (name: string): unknown =>
        counted.get(`content_stage_duration_seconds_count{stage="${name}"}`)
      // A 503 of a router that is being closed reaches the first stage alone, as does a 403.
      expect([stage('authorize'), stage('plan'), stage('load')]).toEqual([7, 5, 4])
    })

    it('show the queue, the pool and the cache', async () => {
      const router = routerOf([observe()], { cache: { maxEntries: 1 } })
      const register = metrics(router, { register: new Registry() })
      const asker = await askerOf(express().use('/api', router))
      for (const path of ['authors', 'genres']) {
        // A state counts once it was seen twice.
        for (let times = 0; times < 3; times += 1) {
          await asker.ask(`/api/${path}`)
          await pause(20)
        }
      }
      await asker.close()
      const samples = await samplesIn(register)
      expect(Object.fromEntries(samples)).toMatchObject({
        ...{ content_queue_running: 0, content_queue_waiting: 0 },
        ...{ content_pool_used: 0, content_pool_pending: 0, content_pool_max: 1 },
        ...{ content_cache_entries: 1, content_cache_evictions_total: 1 },
      })
      const { hits, misses, bytes } = router.cache.stats()
      expect(hits).toBeGreaterThan(0)
      const shown = ['hits_total', 'misses_total', 'bytes'].map((name) =>
        samples.get(`content_cache_${name}`),
      )
      expect(shown).toEqual([hits, misses, bytes])
      expect([...samples.keys()].filter((name) => name.startsWith('content_feed'))).toEqual([])
    })

    it('show a change feed where the router has one', async () => {
      const register = metrics(routerOf([observe(), feed], { cache: {} }), { register: new Registry() })
      const samples = await samplesIn(register)
      expect(samples.get('content_feed_following')).toBe(1)
      expect(samples.get('content_feed_retained_wal_bytes')).toBe(4096)
    })

    it('need the extension observe(), and a registry', () => {
      expect(() => metrics(routerOf([]))).toThrow('metrics: the router does not use the extension observe()')
      expect(() => metrics(routerOf([observe()]), { register: {} as Registry })).toThrow(
        'metrics.register: the option register must be a Registry of prom-client',
      )
      expect(() => metrics(express.Router() as ContentRouter)).toThrow(
        'metrics: the first argument of metrics() must be a router',
      )
    })

    it('are those of docs/reference/events-and-metrics.md', () => {
      const register = new Registry()
      metrics(routerOf([observe()]), { register })
      const page = readFileSync(join(root, 'docs', 'reference', 'events-and-metrics.md'), 'utf8')
      const listed = [...page.matchAll(/^\| `(content_\w+)` +\| (\w+)/gm)].map(([, name, type]) => [
        name,
        type,
      ])
      const types = register.getMetricsAsArray().map(({ name, type }) => [name, String(type)])
      expect(listed.toSorted()).toEqual(types.toSorted())
    })

    describe('in the dashboard and the alert rules of the example', () => {
      const read = (name: string): string => readFileSync(join(root, 'examples', 'metrics', name), 'utf8')
      const { panels } = JSON.parse(read('dashboard.json')) as {
        readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
      }
      const rules = [...read('alerts.yml').matchAll(/^ {8}expr: (.*?)^ {8}for: \d+m$/gms)]
      const expressions = [
        ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
        ...rules.map(([, expr = '']) => expr),
      ]

      it('have names and labels that exist', () => {
        const register = new Registry()
        metrics(routerOf([observe()]), { register })
        const isKnown = (name: string, labels: readonly string[]): boolean => {
          const [base = ''] = name.split(/_(?:bucket|sum|count)$/)
          const metric: unknown = register.getSingleMetric(name) ?? register.getSingleMetric(base)
          if (metric === undefined) return false
          const { labelNames } = metric as { readonly labelNames: readonly string[] }
          return labels.every((label) => labelNames.includes(label))
        }
        const used = expressions.flatMap((expression) =>
          [...expression.matchAll(/\b(content_\w+)(?:\{(.*?)\})?/g)].map(([, name = '', labels = '']) => ({
            name,
            labels: [...labels.matchAll(/(\w+)[!=]/g)].map(([, label = '']) => label),
          })),
        )
        expect(used.filter(({ name, labels }) => !isKnown(name, labels))).toEqual([])
        expect([rules.length, used.length > 30]).toEqual([9, true])
      })
    })
  })
})

describe('the example that feeds prom-client', () => {
  let server: ChildProcess
  let at = ''

  beforeAll(async () => {
    server = spawn(process.execPath, ['examples/metrics/start.mjs'], {
      cwd: root,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (server.stdout === null) throw new Error('the example has no output')
    for await (const line of createInterface({ input: server.stdout })) {
      at = /http:\/\/localhost:\d+/.exec(line)?.[0] ?? ''
      if (at !== '') break
    }
    if (at === '') throw new Error('the example ended before it served anything')
    server.stdout.resume()
  }, 60_000)

  afterAll(() => {
    server.kill('SIGKILL')
  })

  const ask = async (path: string): Promise<string> => (await fetch(at + path)).text()

  it('counts what is asked by type and status, statements and rows', async () => {
    await ask('/api/notes?populate=tags')
    await ask('/api/notes?filters[title]=First')
    await ask('/api/notes?filters[nowhere]=1')
    await ask('/api/tags')
    const text = await ask('/metrics')
    const samples = samplesOf(text)
    const requests = (type: string, status: number): number | undefined =>
      samples.get(`content_requests_total{type="api::${type}.${type}",status="${String(status)}",reason=""}`)
    expect([requests('note', 200), requests('note', 400), requests('tag', 200)]).toEqual([2, 1, 1])
    const statements = (reads: string): number | undefined =>
      samples.get(`content_statement_duration_seconds_count{reads="${reads}",outcome="read"}`)
    expect(statements('entries')).toBe(4)
    expect(samples.get('content_rows_total{type="api::note.note"}')).toBe(2 + 1 + 1)
    expect(samples.get('content_stage_duration_seconds_sum{stage="load"}')).toBeGreaterThan(0)
    expect(text).not.toMatch(/First|nowhere/)
  })

  it('answers probes', async () => {
    expect(JSON.parse(await ask('/live'))).toEqual({ status: 'live' })
    expect(JSON.parse(await ask('/ready'))).toEqual({ status: 'ready' })
  })

  it('ends when it is told to', async () => {
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
  })
})
