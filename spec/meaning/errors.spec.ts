import express, { type ErrorRequestHandler, type Request } from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, type Logger } from '../../lib'
import { expresses } from '../support/expresses'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { type Response, stocked } from '../support/served'
import { onSqlite, type TestDatabase } from '../support/databases'

/** Where nothing listens, and for SQLite a folder is. */
function nowhere({ dialect }: TestDatabase, { client, connection }: Knex.Config): Knex.Config {
  const there = connection as object
  return dialect === 'sqlite'
    ? { client: client as string, connection: { filename: __dirname } }
    : { client: client as string, connection: { ...there, port: 1 } }
}

/** Words that an answer may never hold: of stacks, of statements, of where the database is. */
const tellTales = [
  'stack',
  'node_modules',
  'select',
  'from ',
  '127.0.0.1',
  'localhost',
  'spec/http',
  'ECONN',
  'SQLITE',
]

function expectSilence({ text }: Response): void {
  for (const word of tellTales) expect(text.toLowerCase()).not.toContain(word.toLowerCase())
}

interface Logged {
  readonly facts: object
  readonly message: string
}

function listening(): { logged: Logged[]; logger: Logger } {
  const logged: Logged[] = []
  const log = (facts: object, message: string): void => {
    logged.push({ facts, message })
  }
  return { logged, logger: { debug: () => undefined, info: log, warn: log, error: log } }
}

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

  describe('what is no answer', () => {
    it('is kept by no cache, whatever the host says of all answers', async () => {
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

  describe('what is malformed', () => {
    it.each([
      ['fields=nope', 'fields.nope', 'Invalid key nope'],
      ['populate[author][fields][0]=nope', 'populate.author.fields.nope', 'Invalid key nope'],
      ['filters[author][nope][$eq]=1', 'filters.author.nope', 'Invalid key nope'],
      ['sort=nope:asc', 'sort.nope', 'Invalid key nope'],
      ['status=nope', 'status', 'Invalid status parameter. Expected "draft" or "published"'],
      ['locale[a]=en', 'locale', 'Invalid locale parameter. Expected a locale code or a list of them'],
      ['_q[a]=b', '_q', 'Invalid _q parameter. Expected a text'],
    ])('is answered with 400, and the place in the query: %s', async (query, path, message) => {
      const response = await serve().get(`books?${query}`)
      const param = path.split('.')[0]
      expect(response.status).toBe(400)
      expect(response.body).toMatchObject({
        data: null,
        error: { status: 400, name: 'ValidationError', message, details: { path, param, source: 'query' } },
      })
      expectSilence(response)
    })

    it.each(expresses)('is answered with 400 in a path under Express %s', async (_, version) => {
      const response = await request(version().use('/api', make())).get('/api/books/%E0%A4%A')
      expect(response.status).toBe(400)
      expect(response.text).not.toContain('node_modules')
    })

    it('is not what nobody looks at', async () => {
      await serve().list('books?foo=1&utm_source=x&_=3')
    })
  })

  describe('what is not there', () => {
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

    it('is an empty list where many are asked for', async () => {
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

    it('are left to the host on paths that are not ours', async () => {
      const app = express().use('/api', make())
      app.post('/api/nothing', (_req, res) => {
        res.status(201).end()
      })
      await request(app).post('/api/nothing').expect(201)
    })

    it('are told by OPTIONS', async () => {
      const response = await request(serve().app).options('/api/books')
      expect([response.status, response.headers['allow'], response.text]).toEqual([
        204,
        'GET, HEAD, OPTIONS',
        '',
      ])
    })

    it('have in HEAD what GET has, without the body', async () => {
      const get = await request(serve().app).get('/api/books')
      const head = await request(serve().app).head('/api/books')
      expect(head.status).toBe(200)
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)))
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.text).toBeFalsy()
      expect((await request(serve().app).head('/api/books?fields=nope')).status).toBe(400)
    })
  })

  describe('a role function', () => {
    const failing = [
      [
        'throws',
        (): never => {
          throw new Error('who are you')
        },
      ],
      ['rejects', (): Promise<never> => Promise.reject(new Error('who are you'))],
    ] as const

    it.each(failing)('that %s is a 500 in JSON, and the log has its id and no message', async (_, role) => {
      for (const [, version] of expresses) {
        const { logged, logger } = listening()
        const app = version().use('/api', make({ role, logger }))
        const [response, again] = [
          await request(app).get('/api/books'),
          await request(app).get('/api/genres'),
        ]
        expect(response.status).toBe(500)
        const { error } = response.body as { error: { message: string; details: { id: string } } }
        expect(error.message).toBe('Internal Server Error')
        expect(logged.map(({ facts }) => facts)).toEqual([
          {
            ...{ hook: 'access', id: error.details.id, times: 1 },
            problem: expect.stringMatching(/^Error at .*errors\.spec\.ts/) as string,
          },
        ])
        // Once a minute; what is asked meanwhile is found under the same id.
        expect(again.text).toBe(response.text)
        expect(response.text + JSON.stringify(logged)).not.toContain('who are you')
      }
    })

    it('that throws in two places is told of for each, under an id of its own', async () => {
      const { logged, logger } = listening()
      const role = ({ headers }: Request): string => {
        if (headers['x-fail'] === 'session') throw new Error('there is no session store')
        return (JSON.parse(String(headers['x-fail'])) as { readonly role: string }).role
      }
      const app = express().use('/api', make({ role, logger }))
      const idOf = async (fault: string): Promise<unknown> => {
        const { text } = await request(app).get('/api/books').set('X-Fail', fault)
        return (JSON.parse(text) as { error: { details: { id: string } } }).error.details.id
      }
      const ids = [await idOf('session'), await idOf('{'), await idOf('session'), await idOf('[')]
      const [session, json] = ids
      expect(ids).toEqual([session, json, session, json])
      expect(logged.map(({ facts }) => facts)).toEqual([
        {
          ...{ hook: 'access', times: 1, id: session },
          problem: expect.stringMatching(/^Error at /) as string,
        },
        {
          ...{ hook: 'access', times: 1, id: json },
          problem: expect.stringMatching(/^SyntaxError at /) as string,
        },
      ])
    })

    it('that throws in ever new ways is told of so many times, and no more', async () => {
      const { logged, logger } = listening()
      let count = 0
      const role = (): never => {
        throw Object.assign(new Error('no'), { name: `Error${String((count += 1))}` })
      }
      const app = express().use('/api', make({ role, logger }))
      for (let asked = 0; asked < 40; asked += 1) await request(app).get('/api/books').expect(500)
      expect(logged).toHaveLength(21)
    })

    it.each(['status', 'statusCode'])(
      'that throws an error with a %s of its own leaves it to the host',
      async (name) => {
        const raised = Object.assign(new Error('teapot'), { [name]: 418 })
        const app = express().use('/api', make({ role: () => Promise.reject(raised) }))
        const host: ErrorRequestHandler = (error, _req, res, next) => {
          if (error === raised) res.status(418).send('the host')
          else next(error)
        }
        app.use(host)
        expect((await request(app).get('/api/books')).text).toBe('the host')
      },
    )

    it.each(failing)(
      'that %s hands its error to the host that asks for it: nothing is served',
      async (_, role) => {
        for (const [, version] of expresses) {
          const seen: unknown[] = []
          const answer: ErrorRequestHandler = (error, _req, res, next) => {
            seen.push(error)
            if (res.headersSent) next(error)
            else res.status(599).send('the host')
          }
          const app = version().use('/api', make({ role, hostErrors: 'next' }))
          app.use(answer)
          const response = await request(app).get('/api/books')
          expect([response.status, response.text]).toEqual([599, 'the host'])
          expect(seen).toEqual([new Error('who are you')])
        }
      },
    )

    it('that knows nobody is answered with 401', async () => {
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
      const router = make({ database: nowhere(database, world.config), logger })
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

    it('that cannot be reached is told in the log once, not for every answer', async () => {
      const { errors, logger } = keeping()
      const app = express().use('/api', make({ database: nowhere(database, world.config), logger }))
      const statuses: number[] = []
      for (let at = 0; at < 5; at += 1) statuses.push((await request(app).get('/api/books')).status)
      expect(statuses).toEqual([503, 503, 503, 503, 503])
      expect(errors.filter(({ message }) => message === 'the database cannot be reached')).toMatchObject([
        { facts: { times: 1, code: expect.any(String) as string } },
      ])
    })

    it('that has no connection to spare is answered with 503', async () => {
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

    it('that fails is answered with 500 and an id that the log has as well', async () => {
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
      expect(logged.map(({ facts }) => (facts as { id?: string }).id)).toContain(error.details.id)
      expect(JSON.stringify(logged)).not.toContain('canary-value')
    })
  })
})
