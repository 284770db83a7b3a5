import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import request from 'supertest'
import {
  ConfigError,
  contentRouter,
  type ContentRouter,
  type ContentRouterConfig,
  type Logger,
} from '../../lib'
import { onSqlite } from '../support/databases'
import { expresses } from '../support/expresses'
import { keeping, type Logged } from '../support/hearing'
import { library } from '../support/library'
import { stocked } from '../support/served'

const query = 'books?filters[title][$in][0]=Dawn&filters[title][$in][1]=Dusk&populate[author][fields][0]=name'

type Setting = readonly [name: string, value: unknown]

const settings: readonly Setting[] = [
  ['query parser', 'simple'],
  ['query parser', 'extended'],
  ['query parser', false],
  ['query parser', () => ({ filters: { title: 'Dusk' } })],
  ['etag', false],
  ['etag', 'weak'],
  ['etag', 'strong'],
  ['json spaces', 2],
  ['json escape', true],
  ['json replacer', () => 'replaced'],
  ['strict routing', true],
  ['case sensitive routing', true],
  ['x-powered-by', false],
  ['trust proxy', true],
]

describe.each(expresses)('under Express %s', (_, express) => {
  onSqlite((database) => {
    const { world } = stocked(database, library, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [{ title: 'Dawn', author: 'ada' }, { title: 'Dusk' }, { title: 'Noon' }],
    })
    const make = (options: Partial<ContentRouterConfig> = {}): ContentRouter =>
      world.closing(
        contentRouter({
          contentTypes: library,
          database: world.config,
          permissions: { public: { find: '*' } },
          ...options,
        }),
      )
    const titles = async (app: Express, path: string): Promise<unknown[]> => {
      const { body } = (await request(app).get(path).expect(200)) as { body: { data: { title: string }[] } }
      return body.data.map(({ title }) => title)
    }
    let shared: ContentRouter
    let expected: string

    beforeAll(async () => {
      shared = make()
      expected = (await request(express().use('/api', shared)).get(`/api/${query}`).expect(200)).text
    })

    it('answers as the specification says', () => {
      const { data } = JSON.parse(expected) as { data: object[] }
      expect(data).toMatchObject([
        { title: 'Dawn', author: { name: 'Ada' } },
        { title: 'Dusk', author: null },
      ])
      expect(data).toHaveLength(2)
    })

    it.each(settings)('ignores the setting %s: %p', async (name, value) => {
      const app = express().set(name, value).use('/api', shared)
      const response = await request(app).get(`/api/${query}`).expect(200)
      expect(response.text).toBe(expected)
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      const refused = await request(app).get('/api/books?filters[nope]=1').expect(400)
      expect(refused.text).toContain('"path":"filters.nope"')
    })

    it('answers the same behind body parsers and other middleware', async () => {
      const app = express()
        .use(express.json(), express.urlencoded({ extended: true }))
        .use('/api', (_req, _res, next) => {
          next()
        })
        .use('/api', shared)
      expect((await request(app).get(`/api/${query}`)).text).toBe(expected)
    })

    it.each(['/api', '/deep/er/still', '/'])('can be mounted at %s', async (path) => {
      const app = express().use(path, shared)
      expect((await request(app).get(`${path === '/' ? '' : path}/${query}`)).text).toBe(expected)
    })

    it('can be mounted below another router, and below another app', async () => {
      const between = express.Router().use('/v1', shared)
      const app = express().use('/api', between).use('/sub', express().use('/app', shared))
      expect((await request(app).get(`/api/v1/${query}`)).text).toBe(expected)
      expect((await request(app).get(`/sub/app/${query}`)).text).toBe(expected)
    })

    it('accepts a trailing slash and uppercase paths', async () => {
      const app = express().use('/api', shared)
      expect((await request(app).get(`/api/${query.replace('?', '/?')}`)).text).toBe(expected)
      expect((await request(app).get(`/api/${query.replace('books', 'BOOKS')}`)).text).toBe(expected)
    })

    it('is independent of other routers in the process', async () => {
      const sized = make({ pagination: { defaultPageSize: 1 }, relations: 'wrapped' })
      const closed = make({ permissions: {} })
      const app = express().use('/all', shared).use('/one', sized).use('/none', closed)
      const [all, one, none] = await Promise.all(
        ['/all', '/one', '/none'].map((path) => request(app).get(`${path}/books?populate=author`)),
      )
      expect([all?.status, one?.status, none?.status]).toEqual([200, 200, 403])
      expect((all?.body as { data: unknown[] }).data).toHaveLength(3)
      expect((one?.body as { data: unknown[] }).data).toMatchObject([{ author: { data: { name: 'Ada' } } }])
    })

    it('passes unknown paths to the next handler', async () => {
      const app = express().use('/api', shared)
      app.use((req, res) => {
        res.status(418).send(req.originalUrl)
      })
      for (const path of [
        '/api/nothing?x=1',
        '/api',
        '/api/books/a/b',
        '/other',
        '/api/files',
        '/api/shared.seo',
      ]) {
        const response = await request(app).get(path)
        expect([response.status, response.text]).toEqual([418, path])
      }
    })

    it('does not change the settings of the app', async () => {
      const app = express()
      const before = { ...app.settings } as Record<string, unknown>
      app.use('/api', shared)
      await titles(app, '/api/books')
      expect({ ...app.settings }).toEqual(before)
    })

    it('finishes running requests before it closes', async () => {
      const closing: Promise<void>[] = []
      const router: ContentRouter = make({
        role: () => {
          closing.push(router.close())
          return 'public'
        },
      })
      const found = await titles(express().use('/api', router), '/api/books?populate=*')
      await Promise.all(closing)
      expect(closing).toHaveLength(1)
      expect(found).toEqual(['Dawn', 'Dusk', 'Noon'])
    })
  })
})

interface Heard {
  readonly status: number
  readonly text: string
  /** What the host's error handler was given. */
  readonly raised: unknown
  readonly logged: readonly Logged[]
}

type Options = Partial<ContentRouterConfig>

/** As a host in JavaScript would give it. */
const untyped = (options: Readonly<Record<string, unknown>>): Options => options

const notYes: readonly (readonly [answered: string, answer: () => unknown])[] = [
  ['a promise', () => Promise.resolve(false)],
  ['a promise', () => Promise.resolve(true)],
  ['a promise', () => Promise.reject(new Error('nobody listens'))],
  ['a string', () => 'no'],
  ['a string', () => 'true'],
  ['a string', () => ''],
  ['a number', () => 1],
  ['a number', () => 0],
  ['an object', () => ({})],
  ['an object', () => new Boolean(true)],
  ['a list', () => []],
  ['a list', () => [true]],
  ['a function', () => () => true],
  ['undefined', () => undefined],
  ['null', () => null],
]

const noRole: readonly (readonly [answered: string, answer: () => unknown])[] = [
  ['undefined', () => undefined],
  ['undefined', () => Promise.resolve()],
  ['a number', () => 5],
  ['a boolean', () => true],
  ['an object', () => ({ role: 'admin' })],
  ['an object', () => new String('admin')],
  ['an object', () => new Set(['admin'])],
  ['a function', () => () => 'admin'],
  ['a list that contains a list', () => [['admin']]],
  ['a list that contains a list', () => Promise.resolve(['public', ['admin']])],
  ['a list that contains an object', () => [{ toString: (): string => 'admin' }]],
  ['a list that contains a promise', () => [Promise.resolve('admin')]],
  ['a list that contains a promise', () => [Promise.reject(new Error('nobody listens'))]],
  ['a list that contains a number', () => ['admin', 7]],
  ['a list that contains null', () => ['admin', null]],
  ['a list that contains undefined', () => Object.assign(['admin'], { 2: 'admin' })],
]

function listening(): { readonly logged: Logged[]; readonly logger: Logger } {
  const logged: Logged[] = []
  const log = (facts: object, message: string): void => {
    logged.push({ facts: { ...facts }, message })
  }
  return { logged, logger: { debug: () => undefined, info: log, warn: log, error: log } }
}

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    book: [{ title: 'Dawn' }, { title: 'Night', $status: 'draft' }],
  })
  const unheard: unknown[] = []
  const note = (error: unknown): void => {
    unheard.push(error)
  }
  beforeAll(() => process.on('unhandledRejection', note))
  afterAll(() => process.off('unhandledRejection', note))

  async function hear(options: Options, paths = ['books'], version = express): Promise<Heard[]> {
    const { errors, logger } = keeping()
    const permissions = { admin: { find: '*', drafts: '*' } } as const
    const given = { contentTypes: library, database: world.config, role: () => 'admin', permissions, logger }
    const config = { ...given, hostErrors: 'next' } as const
    let raised: unknown
    const host: ErrorRequestHandler = (error, _req, res, next) => {
      raised = error
      if (res.headersSent) next(error)
      else res.status(599).send('the host')
    }
    const app = version().use('/api', world.closing(contentRouter({ ...config, ...options })))
    app.use(host)
    const heard: Heard[] = []
    for (const path of paths) {
      const { status, text } = await request(app).get(`/api/${path}`)
      heard.push({ status, text, raised, logged: errors })
    }
    return heard
  }

  /** Each version of Express in turn. */
  let turns = 0
  const eitherExpress = (): typeof express => expresses[(turns += 1) % expresses.length]?.[1] ?? express

  const problemOf = ({ raised }: Heard): unknown =>
    raised instanceof ConfigError ? raised.faults.map(({ where, problem }) => `${where} ${problem}`) : raised

  describe('a permissions function', () => {
    it.each(notYes)('that returns %s grants nothing: %p', async (answered, answer) => {
      const paths = ['books', 'books?status=draft', 'authors']
      for (const heard of await hear(untyped({ permissions: answer }), paths, eitherExpress())) {
        expect([heard.status, heard.text]).toEqual([599, 'the host'])
        expect(problemOf(heard)).toEqual([`permissions the result of the function is ${answered}`])
      }
      expect(unheard).toEqual([])
    })

    it('grants by true only, and reports other values of other types', async () => {
      const permissions = (_role: string, uid: string): unknown => (uid.includes('book') ? true : 'yes')
      const [heard] = await hear(untyped({ permissions }))
      expect([heard?.status, heard && problemOf(heard)]).toEqual([
        599,
        ['permissions the result of the function is a string'],
      ])
      const { get } = serve({ permissions: (_role, uid) => uid === 'api::book.book' })
      expect((await get('books')).status).toBe(200)
      expect((await get('authors')).status).toBe(403)
    })

    it('is told the expected values in the error, and once in the log', async () => {
      const heard = await hear(
        untyped({ permissions: () => Promise.resolve(true) }),
        Array<string>(5).fill('books'),
      )
      const said = 'return true or false'
      expect((heard[0]?.raised as ConfigError).message).toContain(said)
      expect(heard[0]?.logged).toMatchObject([
        {
          facts: { problem: expect.stringContaining(said) as string },
          message: expect.any(String) as string,
        },
      ])
    })
  })

  describe('a role function', () => {
    it.each(noRole)('that returns %s is an error: %p', async (answered, answer) => {
      const [heard] = await hear(untyped({ role: answer }), ['books'], eitherExpress())
      expect([heard?.status, heard?.text]).toEqual([599, 'the host'])
      expect(heard && problemOf(heard)).toEqual([`role the result of the function is ${answered}`])
      expect(unheard).toEqual([])
    })

    it.each([
      ['a role', 'admin', 200],
      ['a list of roles', ['other', 'admin'], 200],
      ['a promise of one', Promise.resolve('admin'), 200],
      ['a promise of a list', Promise.resolve(['admin']), 200],
      ['no role', [], 403],
      ['an empty one', '', 403],
      ['null', null, 401],
      ['a promise of null', Promise.resolve(null), 401],
    ])('may return %s', async (_, answer, status) => {
      expect(await hear(untyped({ role: () => answer }))).toMatchObject([{ status, raised: undefined }])
    })

    it('decides for one request, even if its list changes afterwards', async () => {
      const roles = ['other']
      const permissions = (role: string): boolean => {
        roles.push('admin')
        return role === 'admin'
      }
      expect(await hear(untyped({ role: () => roles, permissions }))).toMatchObject([{ status: 403 }])
    })

    it('returns a list that is read once', async () => {
      let reads = 0
      const roles = Object.defineProperty([], '0', {
        enumerable: true,
        get: () => (reads++ === 0 ? 'other' : 'admin'),
      })
      expect(await hear(untyped({ role: () => roles }))).toMatchObject([{ status: 403 }])
      expect(reads).toBe(1)
    })

    it('is told how anonymous callers get a role if it returns undefined', async () => {
      const [heard] = await hear(untyped({ role: () => undefined }))
      const said =
        "role: the result of the function is undefined (return a role, a list of roles, or null for no role. To give anonymous callers a role, write (req) => req.user?.role ?? 'public')"
      expect((heard?.raised as ConfigError).message).toContain(said)
    })

    it.each(expresses)(
      'that returns no role is a 500 with an id that is logged, under Express %s',
      async (_, version) => {
        for (const [answered, answer] of noRole.filter((_one, at) => at % 5 === 0)) {
          const [heard] = await hear(untyped({ role: answer, hostErrors: 'json' }), ['books'], version)
          const { error } = JSON.parse(heard?.text ?? '') as { error: { details: { id: string } } }
          expect([heard?.status, heard?.raised, error]).toEqual([
            500,
            undefined,
            {
              ...{ status: 500, name: 'InternalServerError', message: 'Internal Server Error' },
              details: { id: expect.any(String) as string },
            },
          ])
          expect(heard?.logged).toMatchObject([
            {
              facts: {
                id: error.details.id,
                problem: expect.stringContaining(`role: the result of the function is ${answered}`) as string,
              },
            },
          ])
        }
      },
    )

    it('is reported without the returned values', async () => {
      const [heard] = await hear(untyped({ role: () => [{ token: 'canary' }, 'canary'] }))
      expect(JSON.stringify([heard?.logged, String(heard?.raised)])).not.toContain('canary')
    })
  })

  it.each<[what: string, never: () => unknown]>([
    ['a promise', () => new Promise(() => undefined)],
    ['something like one', () => ({ then: () => undefined })],
  ])(
    'a role function that never answers, but by %s, holds no request longer than the timeout',
    async (_, never) => {
      const permissions = { public: { find: '*' } } as const
      const common = {
        contentTypes: library,
        database: world.config,
        permissions,
        timeout: 1000,
        logger: false,
      } as const
      const asks = async (options: Options): Promise<number> => {
        const router = contentRouter({ ...common, ...options })
        const { status } = await request(express().use('/api', router)).get('/api/books')
        await router.close()
        return status
      }
      expect(await asks(untyped({ role: never }))).toBe(503)
    },
  )

  describe('a role function that fails', () => {
    const make = (options: Options): ContentRouter =>
      world.closing(
        contentRouter({
          ...{ contentTypes: library, database: world.config, logger: false },
          ...{ permissions: { public: { find: '*' } }, ...options },
        }),
      )

    const failing = [
      [
        'throws',
        (): never => {
          throw new Error('who are you')
        },
      ],
      ['rejects', (): Promise<never> => Promise.reject(new Error('who are you'))],
    ] as const

    it.each(failing)('that %s is a 500 in JSON, whose id is logged without the message', async (_, role) => {
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
            problem: expect.stringMatching(/^Error at .*hosts\.spec\.ts/) as string,
          },
        ])
        // Once a minute; what is asked meanwhile is found under the same id.
        expect(again.text).toBe(response.text)
        expect(response.text + JSON.stringify(logged)).not.toContain('who are you')
      }
    })

    it('that throws in two places is logged for each, with an id of its own', async () => {
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

    it.each(['status', 'statusCode'])(
      'that throws an error with a %s leaves it to the host application',
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
      'that %s passes its error to the host application with hostErrors: next',
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
  })

  const thrown = [undefined, null, false, 'no', new Error('a secret')]

  it.each(['role', 'permissions'])('%s that throws any value is a 500', async (option) => {
    for (const what of thrown) {
      const throwing = (): never => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what a host in JavaScript may do
        throw what
      }
      const { errors, logger } = keeping()
      const { get } = serve(untyped({ [option]: throwing, logger }))
      const answer = await get('books')
      expect([answer.status, JSON.stringify(answer.body).includes('secret')]).toEqual([500, false])
      expect(errors).toHaveLength(1)
    }
  })
})
