import { once } from 'node:events'
import { createServer, get as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { knex as makeKnex } from 'knex'
import request from 'supertest'
import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, library, text } from '../../support/library'
import { type Served, stocked } from '../../support/served'
import { anyConditions } from '../../support/query-limits'
import type { ObserveOptions, RequestTrace, Tracing } from '../../../extensions/observe'
import { hearing, observing } from './hearing'

const permissions = {
  public: { find: '*', drafts: '*' },
  guest: { find: ['book', 'review'] },
} as const

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, library, {
    $locales: ['en', 'fr'],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
    genre: [{ $ref: 'essay', name: 'Essay' }],
    book: [
      {
        ...{ $ref: 'dawn', title: 'Dawn', author: 'ada', genres: ['essay'] },
        ...{ cover: { name: 'c.png' }, plates: [{ name: 'p.png' }] },
        sections: [{ __component: 'page.pick', title: 't', source: { place: 'p' } }],
      },
      { title: 'Dusk', author: 'ada', ledger: 'private' },
    ],
  })
  const heard = hearing()
  const { sql, logger } = keeping()
  let known: Served | undefined
  const served = (): Served =>
    (known ??= serve({
      ...{ permissions, logger, nestedPagination: true, query: anyConditions },
      ...observing(heard.hooks),
    }))

  describe('onRequest', () => {
    it('receives the caller, the outcome, rows, statements and stages', async () => {
      const event = await heard.ask(served(), 'books?populate=genres', 'guest,public')
      expect(event).toMatchObject({
        ...{ type: 'api::book.book', action: 'find', outcome: 'answered', status: 200 },
        ...{ asker: { kind: 'roles', roles: ['guest', 'public'] }, rows: 2 + 1 },
        statements: heard.statements.length,
      })
      const { authorize, plan, wait, load, write } = event.stages
      const spent = authorize + plan + wait + load + write
      expect(event.stages.load).toBeGreaterThan(0)
      expect(event.ms).toBeGreaterThanOrEqual(spent)
    })

    it.each([
      ['books', 'api::book.book'],
      ['books?filters[title]=Dawn&sort=year:desc', 'api::book.book?filters=title&sort=year:desc'],
      [
        'books?filters[$or][0][author][name]=Ada&filters[$or][1][$not][year]=1&filters[author][name]=B&sort=author.name',
        'api::book.book?filters=author.name,year&sort=author.name',
      ],
      [
        'books?populate[author][populate]=country&populate[genres][filters][name]=x&populate[genres][sort]=name',
        'api::book.book?populate=author(populate=country),genres(filters=name&sort=name)',
      ],
      ['books?populate[notes][count]=true', 'api::book.book?populate=notes#'],
      ['authors?populate[books][pagination][pageSize]=1', 'api::author.author?populate=books…'],
      [
        'books?populate[sections][on][page.pick][populate]=source',
        'api::book.book?populate=sections(populate=source)',
      ],
      ['memos?locale=fr&publicationFilter=modified', 'api::memo.memo?filters=locale,publishedAt'],
      ['genres?_q=x', 'api::genre.genre?filters=name'],
    ])('receives the shape of the query without values: %s', async (path, shape) => {
      expect((await heard.ask(served(), path)).shape?.text).toBe(shape)
    })

    it('receives the populated relations as a tree', async () => {
      const { shape } = await heard.ask(served(), 'books?populate[author][sort]=name&populate[sections]=true')
      const [author, sections] = shape?.populate ?? []
      expect(author).toEqual({
        ...{ name: 'author', answer: 'entries', paged: false },
        targets: [{ type: 'api::author.author', filters: [], sort: ['name'], populate: [] }],
      })
      expect(sections?.targets.map(({ type }) => type)).toEqual(['page.prose', 'page.pick', 'page.gallery'])
    })

    it('receives no names that the role may not read', async () => {
      const event = await heard.ask(served(), 'books?populate=author.country,reviews', 'guest')
      expect(event.shape?.text).toBe('api::book.book?populate=reviews')
      expect(JSON.stringify([event, ...heard.statements])).not.toMatch(/author(?!ize)|countr/)
    })

    it.each([
      ['books?filters[nowhere]=1', undefined, 400, 'refused'],
      ['books?filters[ledger]=private', undefined, 400, 'refused'],
      ['authors', 'guest', 403, 'refused'],
      ['books', '', 401, 'refused'],
      ['books/none', undefined, 404, 'refused'],
    ])('receives the rejection of %s to %s', async (path, role, status, outcome) => {
      const event = await heard.ask(served(), path, role)
      expect(event).toMatchObject({
        status,
        outcome,
        asker: role === '' ? { kind: 'unknown' } : { kind: 'roles' },
      })
      expect(event.shape === null).toBe(status !== 404)
      expect(JSON.stringify(event)).not.toMatch(/nowhere|ledger|none/)
    })

    it('receives HEAD requests and requests of one entry', async () => {
      const { documentId } = seeded().entry('book', 'dawn')
      expect(await heard.ask(served(), `books/${documentId}`)).toMatchObject({ action: 'findOne', rows: 1 })
      const head = await heard.after(() => request(served().app).head('/api/books'))
      expect(head).toMatchObject({ action: 'find', outcome: 'answered', status: 200 })
    })

    it('receives that the client has left', async () => {
      const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
      world.closing({ close: () => knex.destroy() })
      const busy = serve({ database: knex, permissions, ...observing(heard.hooks) })
      await heard.ask(busy, 'books')
      const pool = knex.client as {
        acquireConnection(): Promise<unknown>
        releaseConnection(connection: unknown): Promise<void>
      }
      const held = await pool.acquireConnection()
      const server = createServer({ keepAliveTimeout: 0 }, busy.app).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const event = await heard.after(async () => {
        const leaving = ask(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/books`)
        leaving.on('error', () => undefined)
        await once(server, 'request')
        leaving.destroy()
      })
      expect(event).toMatchObject({ outcome: 'abandoned', status: null, statements: 0 })
      await pool.releaseConnection(held)
      server.close()
    })
  })

  describe('onStatement', () => {
    it('receives each statement with its text, rows and purpose', async () => {
      await heard.ask(served(), 'countries')
      sql.length = 0
      const { statements, rows } = await heard.ask(served(), 'books?populate=cover,plates,author.books')
      expect(heard.statements.map((one) => one.sql).sort()).toEqual([...sql].sort())
      expect(statements).toBe(sql.length)
      const counts = heard.statements.map((one) => (one.outcome === 'read' ? one.rows : NaN))
      expect(counts.reduce((all, count) => all + count, 0)).toBe(rows)
      const told = heard.statements.map(({ reads, of, paths }) => `${reads} ${of} ${paths.join()}`)
      expect(new Set(told)).toEqual(
        new Set([
          'entries api::book.book ',
          'entries plugin::upload.file cover,plates',
          'links api::author.author author',
          'entries api::book.book author.books',
        ]),
      )
      expect(heard.statements.map(({ type }) => type)).toEqual(sql.map(() => 'api::book.book'))
      expect(heard.statements.every(({ ms }) => ms > 0)).toBe(true)
    })

    it('receives the statement of the total', async () => {
      await heard.ask(served(), 'books?filters[title][$notNull]=true&pagination[pageSize]=1')
      expect(heard.statements).toMatchObject([
        { reads: 'entries', table: 'books', rows: 1 },
        { reads: 'total', table: 'books', rows: 1 },
      ])
    })

    it('receives the code of an error, without message', async () => {
      const missing = serve({
        contentTypes: [...library, collection('ghost', { title: text })] as typeof library,
        permissions,
        ...observing(heard.hooks),
      })
      const event = await heard.ask(missing, 'ghosts?filters[title]=canary')
      expect(event).toMatchObject({ outcome: 'failed', status: 500, statements: 1, rows: 0 })
      expect(heard.statements).toMatchObject([{ outcome: 'failed', of: 'api::ghost.ghost' }])
      expect(heard.statements[0]).toHaveProperty('code', 'SQLITE_ERROR')
      expect(JSON.stringify(heard.statements)).not.toContain('canary')
    })
  })

  describe('reading in the process', () => {
    const routerWith = (options: Partial<ContentRouterConfig> = {}): ContentRouter =>
      world.closing(
        contentRouter({
          ...{ contentTypes: library, database: world.config, logger: false, permissions },
          ...options,
        }),
      )

    it('sends the same events as the request', async () => {
      const api = routerWith(observing(heard.hooks))
      const app = express().use('/api', api)
      const event = await heard.after(() => api.as('public').find('books', { sort: 'title' }))
      const statements = heard.statements.map(({ sql }) => sql)
      const overHttp = await heard.after(() => request(app).get('/api/books?sort=title'))
      const plain = (told: typeof event): object => ({ ...told, ms: 0, stages: {} })
      expect(plain(event)).toEqual(plain(overHttp))
      expect(heard.statements.map(({ sql }) => sql)).toEqual(statements)
      expect(event.stages.load).toBeGreaterThan(0)
    })

    it('sends the outcome', async () => {
      const reader = routerWith(observing(heard.hooks)).as('guest')
      const endedBy = async (act: () => Promise<unknown>): Promise<unknown> => {
        const { type, action, asker, outcome, status } = await heard.after(() => act().catch(() => null))
        return [type, action, asker.kind, outcome, status]
      }
      const book = 'api::book.book'
      expect(await endedBy(() => reader.find('books', { sort: 'nope' }))).toEqual([
        ...[book, 'find', 'roles', 'refused', 400],
      ])
      expect(await endedBy(() => reader.findOne('books', 'nope'))).toEqual([
        ...[book, 'findOne', 'roles', 'refused', 404],
      ])
      expect(await endedBy(() => reader.find('authors'))).toEqual([
        ...['api::author.author', 'find', 'roles', 'refused', 403],
      ])
      const caller = new AbortController()
      expect(
        await endedBy(() => {
          const reading = reader.find('books', {}, { signal: caller.signal })
          caller.abort()
          return reading
        }),
      ).toEqual([book, 'find', 'roles', 'abandoned', null])
    })

    it('begins and ends a trace', async () => {
      const steps: string[] = []
      const tracing: Tracing = {
        begin: (start, proceed) => {
          steps.push(`begin ${start.action}`)
          proceed()
          return { onRequest: () => steps.push('over'), onStatement: () => undefined }
        },
      }
      await routerWith(observing({ tracing })).as('public').find('books')
      expect(steps).toEqual(['begin find', 'over'])
    })
  })

  it('events contain no values of requests or rows', async () => {
    const all: unknown[] = []
    const paths = [
      'books?filters[title]=canary&filters[author][name][$in]=canary&_q=canary',
      'books?filters[canary]=1',
      'books?populate[canary]=true',
      'books?populate[author][populate][canary]=true',
      'books?populate[author][filters][canary]=true&fields=title',
      'books?sort=canary',
      'memos?locale=canary',
      'books/canary',
      'books?canary=canary',
    ]
    for (const path of paths) {
      for (const role of ['public', 'guest'])
        all.push(await heard.ask(served(), path, role), ...heard.statements)
    }
    expect(all.length).toBeGreaterThan(2 * paths.length)
    expect(JSON.stringify(all)).not.toMatch(/canary|Dawn|Ada/)
  })
})

const fail = (): never => {
  throw new TypeError('the hook is broken')
}
const failLater = (): Promise<never> => Promise.reject(new TypeError('the hook is broken'))
const deaf: RequestTrace = { onRequest: () => undefined, onStatement: () => undefined }

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    genre: [{ $ref: 'essay', name: 'Essay' }],
    book: [{ title: 'Dawn', genres: ['essay'] }],
  })
  const path = 'books?populate=genres'

  describe('a failing hook', () => {
    it.each([
      ['onRequest', fail],
      ['onRequest', failLater],
      ['onStatement', fail],
      ['onStatement', failLater],
    ])('changes no response and is logged once: %s %p', async (name, hook) => {
      const { errors, logger } = keeping()
      const heard = hearing()
      const plain = await serve().get(path)
      const told = name === 'onStatement' ? { ...heard.hooks, onStatement: hook } : { onRequest: hook }
      const served = serve({ logger, ...observing(told) })
      for (let count = 0; count < 3; count += 1) {
        const answer = await served.get(path)
        expect([answer.status, answer.text]).toEqual([200, plain.text])
      }
      await complained(errors)
      expect(errors).toEqual([
        {
          facts: { hook: name, times: 1, problem: 'TypeError: the hook is broken' },
          message: 'a hook of observe() failed, but responses are not affected',
        },
      ])
    })

    it('does not stop other hooks', async () => {
      const heard = hearing()
      const served = serve(observing({ ...heard.hooks, onStatement: fail }))
      expect(await heard.ask(served, path)).toMatchObject({ outcome: 'answered', statements: 2 })
    })

    it.each<[string, Tracing]>([
      ['fails before it goes on', { begin: fail }],
      [
        'fails after it went on',
        {
          begin: (_start, proceed) => {
            proceed()
            return fail()
          },
        },
      ],
      ['never goes on', { begin: () => deaf }],
      [
        'goes on twice',
        {
          begin: (_start, proceed) => {
            proceed()
            proceed()
            return deaf
          },
        },
      ],
      [
        'begins a trace that fails',
        { begin: (_start, proceed) => (proceed(), { onRequest: fail, onStatement: fail }) },
      ],
    ])('is ignored as tracing if it %s', async (_name, tracing) => {
      const heard = hearing()
      const { logger } = keeping()
      const served = serve({ logger, ...observing({ tracing, ...heard.hooks }) })
      expect(await heard.ask(served, path)).toMatchObject({ outcome: 'answered', status: 200, statements: 2 })
      expect(await served.list(path)).toMatchObject([{ genres: [{ name: 'Essay' }] }])
    })
  })

  describe('a hook', () => {
    it('cannot change the events of others', async () => {
      const heard = hearing()
      let kept: string | undefined
      const tracing: Tracing = {
        begin: (_start, proceed) => {
          proceed()
          return {
            onRequest: ({ shape }) => {
              kept = shape?.text
              ;(shape?.populate as unknown[]).pop()
            },
            onStatement: () => undefined,
          }
        },
      }
      const served = serve(observing({ ...heard.hooks, tracing }))
      for (let count = 0; count < 2; count += 1) {
        const { shape } = await heard.ask(served, path)
        expect(shape?.populate).toHaveLength(1)
      }
      expect(kept).toBe('api::book.book?populate=genres')
    })
  })

  describe('without hooks', () => {
    it('the clock is read once per request, for the timeout', async () => {
      const served: Served = serve({})
      await served.list(path)
      const read: string[] = []
      const now = jest.spyOn(performance, 'now').mockImplementation(() => {
        read.push(new Error('now').stack ?? '')
        return 0
      })
      await served.list(path)
      now.mockRestore()
      const callers = read.map((stack) => /\/lib\/(\w+\/[\w-]+)/.exec(stack)?.[1] ?? '')
      expect(callers.filter((caller) => /^(http|read)\//.test(caller))).toEqual(['read/deadline'])
    })
  })

  /** Rejections are complained of a turn later than answers are sent. */
  async function complained(errors: readonly unknown[]): Promise<void> {
    for (let turn = 0; turn < 1000 && errors.length === 0; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
})

describe('hooks', () => {
  it.each([
    [{ onRequest: 5 }, 'onRequest: each hook of observe() must be a function'],
    [{ onStatement: {} }, 'onStatement: each hook of observe() must be a function'],
    [
      { tracing: () => undefined },
      'tracing: the option tracing must be an object with the function begin (set tracing: openTelemetry())',
    ],
    [{ serverTiming: 'yes' }, 'serverTiming: the option serverTiming must be true, false or a function'],
    [
      { onRequests: () => undefined },
      'observe.onRequests: the option onRequests does not exist (did you mean onRequest?)',
    ],
  ])('are rejected at start: %j', (options, fault) => {
    const config = {
      ...{ contentTypes: library, database: { client: 'pg' } },
      ...observing(options as ObserveOptions),
    }
    expect(() => contentRouter(config)).toThrow(fault)
  })
})

const stages =
  /^authorize;dur=\d+\.\d, plan;dur=\d+\.\d, wait;dur=\d+\.\d, load;dur=\d+\.\d, write;dur=\d+\.\d$/

onSqlite((database) => {
  const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }] })

  describe('Server-Timing', () => {
    it.each(['books?filters[title]=Dawn', 'books/none', 'books?filters[nowhere]=1'])(
      'holds the duration of each stage: %s',
      async (path) => {
        const { headers } = await serve(observing({ serverTiming: true })).get(path)
        expect(headers['server-timing']).toMatch(stages)
      },
    )

    it('tells the stages apart', async () => {
      const { headers } = await serve(observing({ serverTiming: true })).get('books/none?populate=nothing')
      expect(headers['server-timing']).toMatch(/wait;dur=0\.0, load;dur=0\.0, write;dur=0\.0$/)
    })

    it('is sent if the function returns true', async () => {
      const { get } = serve(observing({ serverTiming: (req) => req.query['timed'] !== undefined }))
      expect((await get('books?timed=1')).headers['server-timing']).toMatch(stages)
      expect((await get('books')).headers).not.toHaveProperty('server-timing')
    })

    it.each([
      ['off', {}],
      ['false', { serverTiming: false }],
    ])('is not sent with serverTiming %s', async (_name, options) => {
      expect((await serve(observing(options)).get('books')).headers).not.toHaveProperty('server-timing')
    })

    it('is omitted if the function throws', async () => {
      const { errors, logger } = keeping()
      const serverTiming = (): never => {
        throw new Error('broken')
      }
      const answer = await serve({ logger, ...observing({ serverTiming }) }).get('books')
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('server-timing')
      expect(errors).toMatchObject([{ facts: { hook: 'serverTiming', problem: 'Error: broken' } }])
    })
  })
})

describe('a hook that decides by true or false', () => {
  const notYes: readonly (readonly [answered: string, answer: () => unknown])[] = [
    ['a promise', () => Promise.resolve(true)],
    ['a promise', () => Promise.reject(new Error('nobody listens'))],
    ['a string', () => 'true'],
    ['a number', () => 1],
    ['an object', () => new Boolean(true)],
    ['a list', () => [true]],
    ['a function', () => () => true],
    ['undefined', () => undefined],
    ['null', () => null],
  ]

  onSqlite((database) => {
    const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }] })
    const unheard: unknown[] = []
    const note = (error: unknown): void => {
      unheard.push(error)
    }
    beforeAll(() => process.on('unhandledRejection', note))
    afterAll(() => process.off('unhandledRejection', note))

    it.each(notYes)('takes %s for false, and logs that once: %p', async (answered, answer) => {
      for (const hook of ['explain', 'serverTiming']) {
        // `explain` may be waited for.
        if (hook === 'explain' && answered === 'a promise') continue
        const { errors, logger } = keeping()
        const options = { [hook]: answer } as ObserveOptions
        const { get } = serve({ hostErrors: 'next', logger, ...observing(options) })
        for (const told of [await get('books'), await get('books')]) {
          expect(told.status).toBe(200)
          expect(told.text).not.toContain('explain')
          expect(told.headers).not.toHaveProperty('server-timing')
        }
        expect(errors).toMatchObject([
          {
            facts: {
              hook,
              problem: expect.stringContaining(
                `${hook}: the result of the function is ${answered}`,
              ) as string,
            },
          },
        ])
      }
      expect(unheard).toEqual([])
    })

    it.each<[what: string, never: () => unknown]>([
      ['a promise', () => new Promise(() => undefined)],
      ['something like one', () => ({ then: () => undefined })],
    ])('is not waited for longer than the timeout: %s', async (_, never) => {
      const options = observing({ explain: never } as ObserveOptions)
      expect((await serve({ timeout: 1000, ...options }).get('books')).status).toBe(200)
    })
  })
})
