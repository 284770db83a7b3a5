// What the host's functions answer, in JavaScript, where nobody holds them to their types.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { ConfigError, contentRouter, type ContentRouterConfig, fromDatabase } from '../../lib'
import { expresses } from '../support/expresses'
import { keeping, type Logged } from '../support/hearing'
import { library } from '../support/library'
import { onSqlite } from '../support/databases'
import { stocked } from '../support/served'

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
  ['a promise', async () => Promise.resolve(false)],
  ['a text', () => 'no'],
  ['a text', () => 'true'],
  ['a text', () => ''],
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
  ['a list that holds a list', () => [['admin']]],
  ['a list that holds a list', () => Promise.resolve(['public', ['admin']])],
  ['a list that holds an object', () => [{ toString: (): string => 'admin' }]],
  ['a list that holds a promise', () => [Promise.resolve('admin')]],
  ['a list that holds a promise', () => [Promise.reject(new Error('nobody listens'))]],
  ['a list that holds a number', () => ['admin', 7]],
  ['a list that holds null', () => ['admin', null]],
  ['a list that holds undefined', () => Object.assign(['admin'], { 2: 'admin' })],
]

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

  const problemOf = ({ raised }: Heard): unknown =>
    raised instanceof ConfigError ? raised.faults.map(({ where, problem }) => `${where} ${problem}`) : raised

  describe('a permissions function', () => {
    it.each(notYes)('that answers %s grants nothing: %p', async (answered, answer) => {
      for (const [, version] of expresses) {
        const paths = ['books', 'books?status=draft', 'authors']
        for (const heard of await hear(untyped({ permissions: answer }), paths, version)) {
          expect([heard.status, heard.text]).toEqual([599, 'the host'])
          expect(problemOf(heard)).toEqual([`permissions answered ${answered}`])
        }
      }
      expect(unheard).toEqual([])
    })

    it('grants by true and by nothing else, whatever it answers of other types', async () => {
      const permissions = (_role: string, uid: string): unknown => (uid.includes('book') ? true : 'yes')
      const [heard] = await hear(untyped({ permissions }))
      expect([heard?.status, heard && problemOf(heard)]).toEqual([599, ['permissions answered a text']])
      const { get } = serve({ permissions: (_role, uid) => uid === 'api::book.book' })
      expect((await get('books')).status).toBe(200)
      expect((await get('authors')).status).toBe(403)
    })

    it('hears what to answer, in the error and once in the log', async () => {
      const heard = await hear(
        untyped({ permissions: () => Promise.resolve(true) }),
        Array<string>(5).fill('books'),
      )
      const said = 'answer true or false at once: read beforehand what has to be waited for'
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
    it.each(noRole)('that answers %s gives nobody a role: %p', async (answered, answer) => {
      for (const [, version] of expresses) {
        const [heard] = await hear(untyped({ role: answer }), ['books'], version)
        expect([heard?.status, heard?.text]).toEqual([599, 'the host'])
        expect(heard && problemOf(heard)).toEqual([`role answered ${answered}`])
      }
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
    ])('may answer %s without an error', async (_, answer, status) => {
      expect(await hear(untyped({ role: () => answer }))).toMatchObject([{ status, raised: undefined }])
    })

    it('answers for one request, whatever becomes of its list afterwards', async () => {
      const roles = ['other']
      const permissions = (role: string): boolean => {
        roles.push('admin')
        return role === 'admin'
      }
      expect(await hear(untyped({ role: () => roles, permissions }))).toMatchObject([{ status: 403 }])
    })

    it('is read once, though what stands in its list may answer anew each time', async () => {
      let reads = 0
      const roles = Object.defineProperty([], '0', {
        enumerable: true,
        get: () => (reads++ === 0 ? 'other' : 'admin'),
      })
      expect(await hear(untyped({ role: () => roles }))).toMatchObject([{ status: 403 }])
      expect(reads).toBe(1)
    })

    it('hears how strangers get a role where it answered undefined', async () => {
      const [heard] = await hear(untyped({ role: () => undefined }))
      const said = `role: answered undefined (answer a role, a list of roles, or null for nobody; for strangers (req) => req.user?.role ?? 'public')`
      expect((heard?.raised as ConfigError).message).toContain(said)
    })

    it.each(noRole)(
      'that answers %s is a 500 with the id of what the log says: %p',
      async (answered, answer) => {
        for (const [, version] of expresses) {
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
                problem: expect.stringContaining(`role: answered ${answered}`) as string,
              },
            },
          ])
        }
        expect(unheard).toEqual([])
      },
    )

    it('is told of without what it answered', async () => {
      const [heard] = await hear(untyped({ role: () => [{ token: 'canary' }, 'canary'] }))
      expect(JSON.stringify([heard?.logged, String(heard?.raised)])).not.toContain('canary')
    })
  })

  it.each<[what: string, never: () => unknown]>([
    ['a promise', () => new Promise(() => undefined)],
    ['something like one', () => ({ then: () => undefined })],
  ])('that never answers, but by %s, holds nothing for longer than an answer may take', async (_, never) => {
    const permissions = { public: { find: '*' } } as const
    const common = {
      contentTypes: library,
      database: world.config,
      permissions,
      // Long enough to make a connection on a machine that has much else to do.
      timeout: 3000,
      logger: false,
    } as const
    const asks = async (options: Options): Promise<number> => {
      const router = contentRouter({ ...common, ...options })
      const { status } = await request(express().use('/api', router)).get('/api/books')
      await router.close()
      return status
    }
    expect(await asks(untyped({ role: never }))).toBe(503)
    expect(await asks(untyped({ explain: never }))).toBe(200)
  })

  describe('a function that may say yes', () => {
    it.each(notYes)('does not by %s, which it is told once: %p', async (answered, answer) => {
      for (const hook of ['explain', 'serverTiming']) {
        // `explain` may be waited for.
        if (hook === 'explain' && answered === 'a promise') continue
        const [heard] = await hear(untyped({ [hook]: answer }), ['books', 'books'])
        expect(heard?.status).toBe(200)
        expect(heard?.text).not.toContain('explain')
        expect(heard?.logged).toMatchObject([
          { facts: { hook, problem: expect.stringContaining(`${hook}: answered ${answered}`) as string } },
        ])
      }
      expect(unheard).toEqual([])
    })
  })
})

onSqlite((database) => {
  const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }] })
  const refuse = (): never => {
    throw new Error('a secret')
  }
  const traps = { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse }
  const thrown = [undefined, null, false, 'no', new Error('a secret'), new Proxy({}, traps)]

  it.each(['role', 'permissions'])(
    '%s that throws, be it nothing at all, is a failure and no refusal',
    async (option) => {
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
    },
  )
})

onSqlite((database) => {
  const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }] })

  it.each([
    [
      'throws',
      (): never => {
        throw new Error('the log is full')
      },
    ],
    ['answers a promise that is rejected', () => Promise.reject(new Error('the log is full'))],
  ])('a logger that %s changes no answer, and the console is told', async (_how, fail) => {
    const told = jest.spyOn(console, 'error').mockImplementation(() => undefined)
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    const role = (): never => {
      throw new Error('no role')
    }
    const answer = await serve(untyped({ logger, role })).get('books')
    await new Promise(setImmediate)
    const said = JSON.stringify(told.mock.calls)
    told.mockRestore()
    expect([answer.status, said.includes('the log is full')]).toEqual([500, true])
    expect(answer.body).toMatchObject({ data: null, error: { status: 500 } })
  })
})

describe('permissions that are no function', () => {
  const faultsOf = (permissions: unknown): readonly string[] => {
    const database = { client: 'better-sqlite3', connection: ':memory:' }
    try {
      void contentRouter({ contentTypes: library, database, ...untyped({ permissions }) }).close()
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ where, problem }) => `${where} ${problem}`)
      throw error
    }
  }
  const noList = 'is neither a list of types nor *'
  const noName = 'holds something that is no name of a type'

  it.each([
    ['all', 'permissions is neither a table nor a function'],
    [null, 'permissions is neither a table nor a function'],
    [5, 'permissions is neither a table nor a function'],
    [[{ find: '*' }], 'permissions is neither a table nor a function'],
    [Promise.resolve({}), 'permissions is neither a table nor a function'],
    [new Map([['public', { find: '*' }]]), 'permissions is neither a table nor a function'],
    [{ public: null }, 'permissions.public is no grant'],
    [{ public: undefined }, 'permissions.public is no grant'],
    [{ public: true }, 'permissions.public is no grant'],
    [{ public: '*' }, 'permissions.public is no grant'],
    [{ public: ['book'] }, 'permissions.public is no grant'],
    [{ public: () => true }, 'permissions.public is no grant'],
    [{ public: { find: true } }, `permissions.public.find ${noList}`],
    [{ public: { find: 'book' } }, `permissions.public.find ${noList}`],
    [{ public: { find: new Set(['book']) } }, `permissions.public.find ${noList}`],
    [{ public: { findOne: undefined } }, `permissions.public.findOne ${noList}`],
    [{ public: { drafts: { book: 1 } } }, 'permissions.public.drafts.book is neither true, false nor a rule'],
    [{ public: { drafts: { boook: true } } }, 'permissions.public.drafts.boook there is no type boook'],
    [{ public: { find: [['book']] } }, `permissions.public.find ${noName}`],
    [{ public: { find: [null] } }, `permissions.public.find ${noName}`],
    [{ public: { find: [{ toString: (): string => 'book' }] } }, `permissions.public.find ${noName}`],
    [{ public: { find: ['*'] } }, 'permissions.public.find there is no type *'],
    [{ public: { find: ['boook'] } }, 'permissions.public.find there is no type boook'],
    [{ public: { read: ['book'] } }, 'permissions.public.read there is no such action'],
    [{ source: 'database' }, 'permissions.maxAge is not a number of milliseconds'],
    [fromDatabase({ maxAge: NaN }), 'permissions.maxAge is not a number of milliseconds'],
    [fromDatabase({ maxAge: -1 }), 'permissions.maxAge is not a number of milliseconds'],
  ])('are refused at start where they have to be guessed: %p', (permissions, fault) => {
    expect(faultsOf(permissions)).toEqual([fault])
  })

  it.each([
    [{}],
    [{ public: {} }],
    [{ public: { find: [] } }],
    [{ source: { find: ['book'] } }],
    [Object.assign(Object.create(null) as object, { public: { find: '*' } })],
    [fromDatabase({ maxAge: Infinity })],
  ])('are taken as they are written: %p', (permissions) => {
    expect(faultsOf(permissions)).toEqual([])
  })
})
