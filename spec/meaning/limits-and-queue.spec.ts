import express from 'express'
import { type Knex, knex as makeKnex } from 'knex'
import request from 'supertest'
import { setImmediate as settled } from 'node:timers/promises'
import { contentRouter, type ContentRouterConfig, type RoleLimits } from '../../lib'
import { makeQueue, type Queue, type QueueLimits } from '../../lib/http/queue'
import { makeDeadline, type Deadline } from '../../lib/read'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { roleHeader, type Served, stocked } from '../support/served'

/** As many as `pool.max` says, which is one. */
interface Pool {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
}

const find = { find: '*' } as const

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    author: [
      { $ref: 'ada', name: 'Ada' },
      { $ref: 'bo', name: 'Bo' },
    ],
    book: ['Dawn', 'Dusk', 'Noon'].map((title) => ({ title, author: 'ada' })),
  })

  const limited = (limitsByRole: Readonly<Record<string, RoleLimits>>, other: object = {}): Served => {
    const roles = ['public', 'editor', ...Object.keys(limitsByRole)]
    return serve({
      permissions: Object.fromEntries(roles.map((role) => [role, find])),
      limitsByRole,
      ...other,
    })
  }

  describe('a limit of a role', () => {
    it.each([
      ['maxDepth', { maxDepth: 1 }, 'books?populate=author.country'],
      ['maxNodes', { maxNodes: 2 }, 'books?populate=author,genres,cover'],
      ['maxInValues', { maxInValues: 2 }, 'books?filters[id][$in]=1&filters[id][$in]=2&filters[id][$in]=3'],
      ['arrayLimit', { arrayLimit: 2 }, 'books?sort[]=id&sort[]=title&sort[]=year'],
      ['maxParameters', { maxParameters: 2 }, 'books?sort=id&fields=title&status=published'],
      ['maxLength', { maxLength: 20 }, 'books?filters[title]=Dawn&sort=id'],
      ['maxEntries', { maxEntries: 4 }, 'books?populate=author'],
      ['maxSortKeys', { maxSortKeys: 2 }, 'books?sort=year,title,id'],
      ['maxSortKeys', { maxSortKeys: 0 }, 'authors?populate[books][sort]=title'],
      ['maxLinks', { maxLinks: 1 }, 'books?sort=author.country.name'],
      ['maxConditions', { maxConditions: 1 }, 'books?filters[title]=Dawn&filters[year]=1'],
      ['maxNodes', { maxNodes: 2 }, 'books?sort=author.country.name'],
    ])('is a 400 that names the option, for that role only: %s', async (name, limits, path) => {
      const { get, refusal } = limited({ public: limits })
      expect((await refusal(path)).message).toContain(`the option ${name} in limitsByRole sets this limit`)
      expect((await get(path, 'editor')).status).toBe(200)
      expect((await get(path)).status).toBe(400)
    })

    it('is named only if it is the one that applies', async () => {
      const { refusal } = limited(
        { public: { maxDepth: 1 }, reader: { maxNodes: 500 }, narrow: { maxDepth: 0 } },
        { query: { maxDepth: 1 } },
      )
      const told = async (roles: string): Promise<string> =>
        (await refusal('books?populate=author.country', roles)).message
      const ofRole =
        'The query populates more than 1 levels; the option maxDepth in limitsByRole sets this limit'
      const ofAll = 'The query populates more than 1 levels; the option query.maxDepth sets this limit'
      expect(await told('public')).toBe(ofRole)
      for (const roles of ['editor', 'reader', 'narrow,editor']) expect(await told(roles)).toBe(ofAll)
      expect(await told('narrow')).toContain(
        'populates more than 0 levels; the option maxDepth in limitsByRole',
      )
      expect(JSON.stringify(await refusal('books?populate=author.country', 'narrow'))).not.toContain('narrow')
    })

    it('restricts the page size, also the default one', async () => {
      const { list } = limited({ public: { maxPageSize: 2 } })
      expect(await list('books?pagination[pageSize]=50')).toHaveLength(2)
      expect(await list('books')).toHaveLength(2)
      expect(await list('books', 'editor')).toHaveLength(3)
    })

    it('restricts the pages of populated relations', async () => {
      const { list } = limited({ public: { maxPageSize: 1 } }, { nestedPagination: true })
      const query = 'authors?sort=name&populate[books][pagination][pageSize]=2'
      expect((await list(query))[0]?.['books']).toHaveLength(1)
      expect((await list(query, 'editor'))[0]?.['books']).toHaveLength(2)
    })

    it('may exceed the limit of the option query', async () => {
      const { get, list } = limited(
        { public: { maxDepth: 5 } },
        { query: { maxDepth: 1 }, pagination: { maxPageSize: 1 } },
      )
      expect((await get('books?populate=author.country', 'editor')).status).toBe(400)
      expect((await get('books?populate=author.country')).status).toBe(200)
      expect(await list('books?pagination[pageSize]=50')).toHaveLength(1)
    })

    it('is the highest one of several roles, limit by limit', async () => {
      const { get, list } = limited({
        deep: { maxDepth: 2, maxPageSize: 1 },
        wide: { maxDepth: 1, maxPageSize: 2 },
      })
      const path = 'books?populate=author.country'
      expect((await get(path, 'wide')).status).toBe(400)
      expect(await list(path, 'deep')).toHaveLength(1)
      expect(await list(path, 'wide,deep')).toHaveLength(2)
      expect(await list(path, 'wide,editor')).toHaveLength(3)
    })

    it('is not mixed up with that of other roles in cached plans', async () => {
      const { list } = limited({ few: { maxPageSize: 1 }, some: { maxPageSize: 2 } })
      const counts: number[] = []
      for (const role of ['editor', 'few', 'some', 'few', 'editor', 'some']) {
        counts.push((await list('books?pagination[pageSize]=9', role)).length)
      }
      expect(counts).toEqual([3, 1, 2, 1, 3, 2])
    })

    it('on time ends requests of that role only', async () => {
      const knex: Knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
      world.closing({ close: () => knex.destroy() })
      const pool = knex.client as Pool
      const router = contentRouter({
        contentTypes: library,
        database: knex,
        role: (req) => req.get(roleHeader) ?? 'public',
        permissions: { public: find, hurried: find },
        limitsByRole: { hurried: { timeout: 50 } },
      })
      const app = express().use('/api', router)
      await request(app).get('/api/books').expect(200)
      const held = await pool.acquireConnection()
      const patient = request(app)
        .get('/api/books')
        .then(({ status }) => status)
      await request(app).get('/api/books').set(roleHeader, 'hurried').expect(503)
      await pool.releaseConnection(held)
      expect(await patient).toBe(200)
    })
  })
})

describe('requests that wait', () => {
  const path = '/api/books?populate=author'

  const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status)
  /** No two texts are the same: identical requests would share one place. */
  const several = (asker: Asker, count: number, at = path): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, number) => asker.ask(`${at}${'&'.repeat(number)}`)))

  onSqlite((database) => {
    const { serve } = stocked(database, library, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [{ title: 'Dawn', author: 'ada' }],
    })
    const askers: Asker[] = []
    afterAll(() => Promise.all(askers.map((asker) => asker.close())))

    /** With as many open connections as will be asked over at once. */
    async function open(options: Partial<ContentRouterConfig>, connections: number): Promise<Asker> {
      const asker = await askerOf(
        serve({ permissions: { public: { find: ['book', 'author'] } }, ...options }).app,
      )
      askers.push(asker)
      await several(asker, connections, '/nowhere')
      expect((await asker.ask(path)).status).toBe(200)
      return asker
    }

    it('are served in order, and rejected if the queue is full', async () => {
      const asker = await open({ queue: { maxRunning: 1, maxWaiting: 2 } }, 6)
      const answers = await several(asker, 6)
      expect(statuses(answers)).toEqual([200, 200, 200, 503, 503, 503])
      for (const { headers, body } of answers.slice(3)) {
        expect(headers['retry-after']).toBe('1')
        expect(JSON.parse(body)).toMatchObject({ data: null, error: { name: 'ServiceUnavailableError' } })
      }
      expect(statuses(await several(asker, 3))).toEqual([200, 200, 200])
    })

    it('do not count if they are rejected without the database', async () => {
      const asker = await open({ queue: { maxRunning: 1, maxWaiting: 1 } }, 8)
      const wrong = ['/api/books?sort=nope', '/api/genres', '/api/books/%zz', '/api/books?pagination[page]=x']
      const answers = await Promise.all([...wrong, path, path, ...wrong].map((one) => asker.ask(one)))
      expect(statuses(answers)).toEqual([400, 403, 400, 400, 200, 200, 400, 403, 400, 400])
    })

    it('include a burst of 60 by default', async () => {
      const asker = await open({}, 60)
      expect(new Set(statuses(await several(asker, 60)))).toEqual(new Set([200]))
    })
  })
})

const nothing = (): void => undefined
const forever = (): Deadline => makeDeadline(Infinity)
const busy = { status: 503, message: 'Too many requests are waiting' }

const limits = (
  maxRunning: number,
  maxWaiting: number,
  maxWaitingWhileRefusing = maxWaiting,
): QueueLimits => ({
  maxRunning,
  maxWaiting,
  maxWaitingWhileRefusing,
})

interface Job {
  readonly begun: () => boolean
  readonly end: () => void
  readonly fail: () => void
  readonly done: Promise<void>
}

/** Work that lasts until it is told to end. */
function start(queue: Queue, stop = forever()): Job {
  let isBegun = false
  let end = nothing
  let fail = nothing
  const work = (): Promise<void> => {
    isBegun = true
    return new Promise((resolve, reject) => {
      end = resolve
      fail = () => {
        reject(new Error('failed'))
      }
    })
  }
  const done = queue.run(stop, work)
  done.catch(nothing)
  return {
    begun: () => isBegun,
    end: () => {
      end()
    },
    fail: () => {
      fail()
    },
    done,
  }
}

/** Once all that could begin has. */
async function begun(jobs: readonly Job[]): Promise<boolean[]> {
  await settled()
  return jobs.map((job) => job.begun())
}

describe('the queue', () => {
  it('runs as many as it may, and the next in their order', async () => {
    const queue = makeQueue(limits(2, 3))
    const jobs = [start(queue), start(queue), start(queue), start(queue), start(queue)] as const
    expect(await begun(jobs)).toEqual([true, true, false, false, false])
    expect(queue.load()).toEqual({ running: 2, waiting: 3 })
    jobs[1].end()
    await jobs[1].done
    expect(await begun(jobs)).toEqual([true, true, true, false, false])
    jobs[0].fail()
    await expect(jobs[0].done).rejects.toThrow('failed')
    expect(await begun(jobs)).toEqual([true, true, true, true, false])
  })

  it('rejects at once while it is full', async () => {
    const queue = makeQueue(limits(1, 1))
    const [first, second, third] = [start(queue), start(queue), start(queue)]
    await expect(third.done).rejects.toMatchObject(busy)
    first.end()
    await first.done
    expect(await begun([second, third])).toEqual([true, false])
    second.end()
    await second.done
    expect(await begun([start(queue)])).toEqual([true])
  })

  it('gives the place of an abandoned request to another', async () => {
    const queue = makeQueue(limits(1, 1))
    const stop = forever()
    const [first, left] = [start(queue), start(queue, stop)]
    stop.stop()
    await expect(left.done).rejects.toMatchObject({ status: 503 })
    const third = start(queue)
    first.end()
    await first.done
    expect(await begun([left, third])).toEqual([false, true])
  })

  it('counts running requests until their work ends, even if the client left', async () => {
    const queue = makeQueue(limits(1, 0))
    const stop = forever()
    const first = start(queue, stop)
    stop.stop()
    await expect(start(queue).done).rejects.toMatchObject(busy)
    first.end()
    await first.done
    expect(await begun([start(queue)])).toEqual([true])
  })

  it('is shorter after a rejection, until ten seconds pass without one', async () => {
    let time = 0
    const queue = makeQueue(limits(1, 4, 1), { now: () => time })
    const burst = Array.from({ length: 5 }, () => start(queue))
    await expect(start(queue).done).rejects.toMatchObject(busy)
    const finish = async (jobs: readonly Job[]): Promise<void> => {
      for (const job of jobs) {
        job.end()
        await job.done
        await settled()
      }
    }
    await finish(burst.slice(0, 3))
    time = 9_999
    await expect(start(queue).done).rejects.toMatchObject(busy)
    await finish(burst.slice(3, 4))
    time = 19_998
    const next = start(queue)
    await expect(start(queue).done).rejects.toMatchObject(busy)
    time = 29_998
    const others = [start(queue), start(queue), start(queue)]
    await expect(start(queue).done).rejects.toMatchObject(busy)
    await finish([...burst.slice(4), next, ...others])
  })
})

describe('the signal that ends a read', () => {
  it('reaches listeners of before and after', async () => {
    const early = makeDeadline(Infinity)
    const heard = expect(early.stopped).rejects.toMatchObject({ status: 503 })
    early.stop()
    await heard
    const late = makeDeadline(Infinity)
    late.stop()
    await expect(late.stopped).rejects.toMatchObject({ status: 503 })
    expect([early.isStopped(), late.isStopped()]).toEqual([true, true])
  })

  it('is sent after the timeout', async () => {
    await expect(makeDeadline(1).stopped).rejects.toMatchObject({ status: 503 })
  })

  it('does nothing once the response is finished', async () => {
    const one = makeDeadline(Infinity)
    one.finish()
    one.stop()
    expect(one.isStopped()).toBe(false)
    expect(await Promise.race([one.stopped, Promise.resolve('nothing')])).toBe('nothing')
  })
})
