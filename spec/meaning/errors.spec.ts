import express from 'express'
import { knex as makeKnex } from 'knex'
import { format, inspect } from 'node:util'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, type Logger, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { askerOf } from '../support/asker'
import { onSqlite } from '../support/databases'
import { expresses } from '../support/expresses'
import { keeping, type Logged } from '../support/hearing'
import { collection, library } from '../support/library'
import { type Response, stocked } from '../support/served'

/** A folder, which SQLite cannot open. */
const nowhere = { client: 'better-sqlite3', connection: { filename: __dirname } }

/** Words that an answer may never hold: of stacks, of statements, of where the database is. */
const tellTales = [
  'stack',
  'node_modules',
  'select',
  'from ',
  '127.0.0.1',
  'localhost',
  'spec/meaning',
  'ECONN',
  'SQLITE',
]

function expectSilence({ text }: Response): void {
  for (const word of tellTales) expect(text.toLowerCase()).not.toContain(word.toLowerCase())
}

function listening(): { readonly logged: Logged[]; readonly logger: Logger } {
  const logged: Logged[] = []
  const log = (facts: object, message: string): void => {
    logged.push({ facts: { ...facts }, message })
  }
  return { logged, logger: { debug: () => undefined, info: log, warn: log, error: log } }
}

/** Everything that was handed to a logger, whatever it is and however deep. */
function keepingAll(): { readonly logger: Logger; readonly kept: () => string } {
  const all: unknown[] = []
  const keep = (...facts: unknown[]): void => {
    all.push(facts)
  }
  const logger = { debug: keep, info: keep, warn: keep, error: keep }
  return { logger, kept: () => wholly(all) }
}

const wholly = (value: unknown): string =>
  inspect(value, { depth: 20, showHidden: true, maxArrayLength: null })

const raised = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'nothing was raised',
      (error: unknown) => error,
    )

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, library, {
    book: [
      { $ref: 'dawn', title: 'Dawn' },
      { $ref: 'night', title: 'Night', $status: 'draft' },
    ],
    genre: [{ name: 'Essay' }],
  })
  const one = (ref: string): string => `books/${seeded().entry('book', ref).documentId}`
  const make = (options: Partial<ContentRouterConfig> = {}): ReturnType<typeof contentRouter> =>
    world.closing(
      contentRouter({
        contentTypes: library,
        database: world.config,
        logger: false,
        permissions: { public: { find: '*' } },
        ...options,
      }),
    )

  describe('an error', () => {
    it('is not stored by caches, even if the host application allows it for all responses', async () => {
      const { app } = serve({ permissions: { public: { find: ['book'] } } })
      for (const [path, status] of [
        ['books/none', 404],
        ['books?filters[nope]=1', 400],
        ['genres', 403],
      ] as const) {
        const { status: came, headers } = await request(app).get(`/api/${path}`)
        expect([path, came, headers['cache-control']]).toEqual([path, status, 'private, no-store'])
      }
      const host = express().use((_req, res, next) => {
        res.setHeader('Cache-Control', 'max-age=5')
        next()
      })
      const { headers } = await request(host.use(app)).get('/api/books/none')
      expect(headers['cache-control']).toBe('private, no-store')
    })
  })

  describe('an invalid request', () => {
    it.each([
      ['fields=nope', 'fields.nope', 'Invalid key nope'],
      ['populate[author][fields][0]=nope', 'populate.author.fields.nope', 'Invalid key nope'],
      ['filters[author][nope][$eq]=1', 'filters.author.nope', 'Invalid key nope'],
      ['sort=nope:asc', 'sort.nope', 'Invalid key nope'],
      ['status=nope', 'status', 'Invalid status parameter. Expected "draft" or "published"'],
      [
        'locale[a]=en',
        'locale',
        'Invalid locale parameter. Expected a locale code or a list of locale codes',
      ],
      ['_q[a]=b', '_q', 'Invalid _q parameter. Expected a text'],
    ])('is answered with 400 and the path of the mistake: %s', async (query, path, message) => {
      const response = await serve().get(`books?${query}`)
      const param = path.split('.')[0]
      expect(response.status).toBe(400)
      expect(response.body).toMatchObject({
        data: null,
        error: { status: 400, name: 'ValidationError', message, details: { path, param, source: 'query' } },
      })
      expectSilence(response)
    })

    it.each(expresses)('is answered with 400 for an invalid path, under Express %s', async (_, version) => {
      const response = await request(version().use('/api', make())).get('/api/books/%E0%A4%A')
      expect(response.status).toBe(400)
      expect(response.text).not.toContain('node_modules')
    })

    it('is none with unknown parameters', async () => {
      await serve().list('books?foo=1&utm_source=x&_=3')
    })
  })

  describe('a missing entry', () => {
    it('is answered with 404', async () => {
      for (const path of ['books/nope', 'books/1', one('night'), `${one('dawn')}?filters[title]=Dusk`]) {
        const response = await serve().get(path)
        expect(response.body).toEqual({
          data: null,
          error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
        })
        expect(response.status).toBe(404)
      }
    })

    it('is an empty list if a list is requested', async () => {
      expect(await serve().list('books?filters[title]=nothing')).toEqual([])
    })
  })

  describe('other methods', () => {
    it.each(['post', 'put', 'patch', 'delete'] as const)('are answered with 405: %s', async (method) => {
      for (const path of ['/api/books', `/api/${one('dawn')}`]) {
        const response = await request(serve().app)[method](path)
        expect(response.status).toBe(405)
        expect(response.headers['allow']).toBe('GET, HEAD, OPTIONS')
        expect(response.body).toMatchObject({
          data: null,
          error: { status: 405, name: 'MethodNotAllowedError' },
        })
      }
    })

    it('are left to the host application on other paths', async () => {
      const app = express().use('/api', make())
      app.post('/api/nothing', (_req, res) => {
        res.status(201).end()
      })
      await request(app).post('/api/nothing').expect(201)
    })

    it('are listed by OPTIONS', async () => {
      const response = await request(serve().app).options('/api/books')
      expect([response.status, response.headers['allow'], response.text]).toEqual([
        204,
        'GET, HEAD, OPTIONS',
        '',
      ])
    })

    it('include HEAD, which is GET without the body', async () => {
      const get = await request(serve().app).get('/api/books')
      const head = await request(serve().app).head('/api/books')
      expect(head.status).toBe(200)
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)))
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.text).toBeFalsy()
      expect((await request(serve().app).head('/api/books?fields=nope')).status).toBe(400)
    })
  })

  describe('a caller without a role', () => {
    it('is answered with 401', async () => {
      const response = await request(express().use('/api', make({ role: () => null }))).get('/api/books')
      expect(response.status).toBe(401)
      expect(response.body).toEqual({
        data: null,
        error: {
          status: 401,
          name: 'UnauthorizedError',
          message: 'Missing or invalid credentials',
          details: {},
        },
      })
    })
  })

  describe('a database', () => {
    it('that cannot be reached is answered with 503 and when to come back', async () => {
      const { logged, logger } = listening()
      const router = make({ database: nowhere, logger })
      const response = await request(express().use('/api', router)).get('/api/books?populate=*')
      expect(response.status).toBe(503)
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
      expect(response.body).toEqual({
        data: null,
        error: {
          ...{ status: 503, name: 'ServiceUnavailableError' },
          ...{ message: 'The database cannot be reached', details: {} },
        },
      })
      expectSilence(response)
      expect(logged.length).toBeGreaterThan(0)
    })

    it('that cannot be reached is logged once', async () => {
      const { errors, logger } = keeping()
      const app = express().use('/api', make({ database: nowhere, logger }))
      const statuses: number[] = []
      for (let at = 0; at < 5; at += 1) statuses.push((await request(app).get('/api/books')).status)
      expect(statuses).toEqual([503, 503, 503, 503, 503])
      expect(errors.filter(({ message }) => message === 'the database cannot be reached')).toMatchObject([
        { facts: { times: 1, code: expect.any(String) as string } },
      ])
    })

    it('without a free connection is answered with 503', async () => {
      const pool = { min: 0, max: 1 }
      const log = { error: () => undefined, warn: () => undefined }
      const shared = makeKnex({ ...world.config, pool, log, acquireConnectionTimeout: 150 })
      const client = shared.client as {
        acquireConnection(): Promise<object>
        releaseConnection(it: object): Promise<void>
      }
      const held = await client.acquireConnection()
      const response = await request(express().use('/api', make({ database: shared }))).get('/api/books')
      await client.releaseConnection(held)
      await shared.destroy()
      expect(response.status).toBe(503)
      expectSilence(response)
    })

    it('that fails is answered with 500 and an id that is logged', async () => {
      const { logged, logger } = listening()
      await world.knex.schema.renameTable('genres', 'genres_gone')
      const response = await request(express().use('/api', make({ logger }))).get(
        '/api/genres?filters[name]=canary-value',
      )
      await world.knex.schema.renameTable('genres_gone', 'genres')
      expect(response.status).toBe(500)
      expectSilence(response)
      const { error } = response.body as { error: { message: string; details: { id: string } } }
      expect(error.message).toBe('Internal Server Error')
      expect(logged.map(({ facts }) => facts['id'])).toContain(error.details.id)
      expect(JSON.stringify(logged)).not.toContain('canary-value')
    })
  })

  describe('secrets', () => {
    const [user, secret] = ['user-of-ours', 'pa55-w0rd%27']
    const [host, name] = ['host-of-ours.invalid', 'base-of-ours']
    const secrets = [user, secret, encodeURIComponent(secret), host, name, 'folder-of-ours']
    type DatabaseConfig = Exclude<ContentRouterConfig['database'], readonly unknown[]>
    const { world, serve } = stocked(database, library, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [{ title: 'Dawn', ledger: 'kept-in-a-row', author: 'ada' }],
    })

    it('are not repeated in errors of an invalid connection', async () => {
      const broken = [`mysql://${user}:${secret}%@${host}/${name}`, `${user}:${secret}@${host}`]
      const misplaced = `postgres://${user}:${secret}@${host}/${name}`
      const configs = [
        ...broken.map((connection) => ({ client: 'mysql2', connection })),
        { client: 'pg', connection: `postgres://${user}:${secret}@${host}:port/${name}` },
        { client: misplaced },
        { client: 'pg', connection: `mysql://${user}:${secret}@${host}/${name}` },
        { client: 'better-sqlite3', connection: { filename: '/nowhere/folder-of-ours/base.db' } },
        misplaced as unknown as DatabaseConfig,
      ]
      for (const config of configs) {
        const seedNothing = (options: ContentRouterConfig): Promise<unknown> => seed(options, {})
        for (const work of [contentRouter, migrate, seedNothing]) {
          const error = await raised(() => work({ contentTypes: library, database: config }))
          expect((error as Error).name).toBe('ConfigError')
          for (const secret of secrets) expect(wholly(error)).not.toContain(secret)
        }
      }
    })

    it('are not logged: values of requests and rows', async () => {
      const { logger, kept } = keepingAll()
      const open = serve({ logger })
      await open.get('books?populate=*&filters[title]=Dawn&filters[author][name][$contains]=value-of-ours')
      await open.get('books?_q=value-of-ours&locale=value-of-ours&sort=title')
      await open.get('books/value-of-ours')
      await open.get('books?filters[nope]=value-of-ours')
      await world.knex.schema.renameTable('authors', 'authors_away')
      const failed = await open.get('books?filters[author][name]=value-of-ours')
      await world.knex.schema.renameTable('authors_away', 'authors')
      expect(failed.status).toBe(500)
      expect(failed.text).not.toMatch(/value-of-ours|select|authors/)
      expect(kept()).toContain('select')
      expect(kept()).not.toMatch(/of-ours|Dawn|Ada|kept-in-a-row/)
    })
  })

  describe('the default logger', () => {
    const world = database.fresh()
    const failed = 'express-content-router: the tables do not match the definitions'
    const open = { permissions: { public: { find: '*' } } } as const

    interface Heard {
      readonly errors: readonly { readonly status: number; readonly details: { readonly id?: string } }[]
      readonly printed: string
    }

    /** Two requests to a table that is missing. */
    async function hear(options: Partial<ContentRouterConfig>): Promise<Heard> {
      const lines: string[] = []
      const print = (...facts: unknown[]): void => {
        lines.push(format(...facts))
      }
      const spies = (['error', 'warn'] as const).map((name) =>
        jest.spyOn(console, name).mockImplementation(print),
      )
      const router = contentRouter({ contentTypes: library, database: world.config, ...options })
      const asker = await askerOf(express().use('/api', router))
      const ask = async (): Promise<Heard['errors'][number]> =>
        (JSON.parse((await asker.ask('/api/books')).body) as { error: Heard['errors'][number] }).error
      try {
        return { errors: [await ask(), await ask()], printed: lines.join('\n') }
      } finally {
        for (const spy of spies) spy.mockRestore()
        await asker.close()
        await router.close()
      }
    }

    it('prints each error with the id of the response', async () => {
      const { errors, printed } = await hear(open)
      expect(errors.map(({ status }) => status)).toEqual([500, 500])
      expect(printed.split(failed)).toHaveLength(3)
      for (const { details } of errors) expect(printed).toContain(details.id ?? 'none')
    })

    it('names every attribute that is left out', async () => {
      const lost = { type: 'relation', relation: 'oneToMany', target: 'api::none.none', mappedBy: 'tag' }
      const types = [collection('book', { lost, gone: lost })] as unknown as typeof library
      const { printed } = await hear({ ...open, contentTypes: types })
      for (const name of ['lost', 'gone']) expect(printed).toContain(`attribute: '${name}'`)
    })

    it('warns once of missing permissions', async () => {
      const { errors, printed } = await hear({})
      expect(errors.map(({ status }) => status)).toEqual([403, 403])
      expect(printed.match(/every request gets a 403: the option permissions is empty/g)).toHaveLength(1)
    })

    it('warns once of permissions without the role public', async () => {
      const { errors, printed } = await hear({ permissions: { Public: { find: '*' } } })
      expect(errors.map(({ status }) => status)).toEqual([403, 403])
      expect(printed.match(/every request gets a 403: the default role public/g)).toHaveLength(1)
      expect(printed).toContain("roles: [ 'Public' ]")
    })

    it.each([
      ['logger: false', false],
      [
        'a logger',
        { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      ],
    ] as const)('is replaced by %s', async (_, logger) => {
      const { errors, printed } = await hear({ ...open, logger })
      expect(errors.map(({ status }) => status)).toEqual([500, 500])
      expect(printed).toBe('')
    })
  })
})
