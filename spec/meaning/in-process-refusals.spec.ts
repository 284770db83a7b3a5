import express from 'express'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import request from 'supertest'
import { ContentError as ErrorOfClient } from '../../lib/client'
import { ConfigError, ContentError, contentRouter, type ContentRouter, strapi5 } from '../../lib'
import { onSqlite } from '../support/databases'
import { hearing, keeping, type Logged } from '../support/hearing'
import { collection, picture, text } from '../support/library'
import { lockBooks, untilRunning } from '../support/locked-books'
import { stocked } from '../support/served'

const types = [
  collection('book', { title: text, slug: { type: 'uid' }, cover: picture }),
  collection('secret', { title: text, slug: { type: 'uid' } }),
] as unknown as Parameters<typeof stocked>[1]

const permissions = { public: { find: ['book', 'plugin::upload.file'] } }
const custom = [
  collection('lamp', { tint: { type: 'customField', customField: 'plugin::picker.tint' } }),
] as unknown as Parameters<typeof stocked>[1]

interface Refusal {
  readonly status: number
  readonly name: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

/** But for the id, which is of one answer. */
const shown = ({ status, name, message, details: { id, ...details } }: Refusal): object => ({
  ...{ status, name, message, details },
  hasId: id !== undefined,
})

async function thrownBy(reading: Promise<unknown>): Promise<unknown> {
  try {
    await reading
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

onSqlite((database) => {
  const { world } = stocked(database, types, {
    book: [
      { title: 'Dawn', slug: 'dawn', cover: { name: 'c.png' } },
      { title: 'Dusk', slug: 'dusk' },
    ],
    secret: [{ title: 'Shh', slug: 'shh' }],
  })
  const routerWith = (options: object = {}): ContentRouter =>
    world.closing(
      contentRouter({ contentTypes: types, database: world.config, logger: false, permissions, ...options }),
    )
  const overHttp = async (api: ContentRouter, path: string): Promise<object> => {
    const app = express().use('/api', api)
    const { body } = (await request(app).get(`/api/${path}`)) as { readonly body: { error: Refusal } }
    return shown(body.error)
  }
  const inside = async (reading: Promise<unknown>): Promise<object> => {
    const error = await thrownBy(reading)
    if (error instanceof ContentError) return shown(error)
    throw new Error(`no ContentError: ${String(error)}`)
  }

  describe('a function of the host that fails', () => {
    const failing = (): boolean => {
      throw new Error('the table of rights is away')
    }
    const wrong = (): unknown => 'yes'
    const unsigned = (): string => {
      throw new Error('no key to sign with')
    }

    it.each([
      ['permissions that throw', { permissions: failing }, ''],
      ['permissions that answer a text', { permissions: wrong }, ''],
      ['addresses of files that cannot be made', { fileUrl: unsigned }, 'populate=cover'],
    ])('is answered as over HTTP, and logged: %s', async (_what, options, query) => {
      const heard: Logged[][] = []
      const answers = []
      for (const ask of [
        (api: ContentRouter) => overHttp(api, `books?${query}`),
        (api: ContentRouter) => inside(api.as('public').find('books', query as never)),
      ]) {
        const { logger, errors } = keeping()
        answers.push(await ask(routerWith({ logger, ...options })))
        heard.push(errors)
      }
      expect(answers[0]).toMatchObject({ status: 500, hasId: true })
      expect(answers[1]).toEqual(answers[0])
      const [one, other] = heard.map((errors) =>
        errors.map(({ facts: { hook, problem }, message }) => ({ hook, problem, message })),
      )
      expect(one).toHaveLength(1)
      expect(other).toEqual(one)
    })

    it('is told as it is where the host answers its own errors', async () => {
      const api = routerWith({ permissions: failing, hostErrors: 'next' })
      expect(await thrownBy(api.as('public').find('books'))).toMatchObject({
        name: 'Error',
        message: 'the table of rights is away',
      })
    })
  })

  describe('what is refused', () => {
    it('has the face of what a client throws, and is told apart by its class alone', async () => {
      const api = routerWith()
      const answer = await request(express().use('/api', api)).get('/api/books?fields=nope')
      const there = new ErrorOfClient(answer.status, answer.body)
      const here = (await thrownBy(api.as('public').find('books', { fields: ['nope'] }))) as Error
      expect(shown(here as unknown as Refusal)).toEqual(shown(there))
      expect(Object.keys(here).sort()).toEqual(Object.keys(there).sort())
      expect(here).toBeInstanceOf(ContentError)
      expect(here).not.toBeInstanceOf(ErrorOfClient)
    })

    it('is no entry by an attribute that finds none, whether the role may read the type or not', async () => {
      const api = routerWith({ notFound: 'json' })
      for (const [type, attribute] of [
        ['secrets', 'title'],
        ['secrets', 'slug'],
        ['secrets', 'nope'],
        ['books', 'title'],
        ['books', 'nope'],
        ['nope', 'slug'],
      ] as const) {
        const reading = api.as('public').by(type, attribute, 'x')
        expect(await inside(reading)).toEqual(await overHttp(api, `${type}/by/${attribute}/x`))
      }
    })

    it('is no path that lacks its end', async () => {
      const api = routerWith({ notFound: 'json' })
      expect(await inside(api.as('public').by('books', 'slug', ''))).toEqual(
        await overHttp(api, 'books/by/slug/'),
      )
    })

    it('is nobody, as soon as it is said, in words of the call', () => {
      const api = routerWith()
      for (const who of [null, undefined, 7, ['public', 7], { roles: 'public', asker: 7 }]) {
        expect(() => api.as(who as never)).toThrow(ConfigError)
        expect(() => api.as(who as never)).toThrow(/^ {2}as: was given /m)
      }
    })

    it('is an error of the caller alone, which may write to it as templates do', async () => {
      const api = routerWith({ queue: { maxRunning: 1, maxWaiting: 1 } })
      const refusedOf = async (): Promise<Error[]> => {
        const asked = await Promise.allSettled(
          Array.from({ length: 8 }, (_, at) =>
            api.as('public').find('books', { pagination: { limit: at + 1 } }),
          ),
        )
        return asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
      }
      const refused = await refusedOf()
      expect(refused.length).toBeGreaterThan(1)
      expect(new Set(refused).size).toBe(refused.length)
      for (const error of refused) error.message = `/views/article.ejs:1 ${error.message}`
      for (const { message } of await refusedOf())
        expect(message).toBe('Too many requests wait for an answer')
    })

    it('shows nothing of how limits are kept', async () => {
      const api = routerWith({ query: { maxEntries: 1 } })
      const error = await thrownBy(api.as('public').find('books'))
      expect(error).toMatchObject({ status: 400, name: 'ValidationError' })
      expect(Object.keys(error as object).sort()).toEqual(['details', 'name', 'status'])
    })

    it('is what waits for a database that is away, where it has to say what custom fields are', async () => {
      const away = {
        sqlite: { client: 'better-sqlite3', connection: { filename: tmpdir() }, useNullAsDefault: true },
        mysql: { client: 'mysql2', connection: { host: '127.0.0.1', port: 1 } },
        postgres: { client: 'pg', connection: { host: '127.0.0.1', port: 1 } },
      }[database.dialect]
      const options = { contentTypes: custom, database: away, permissions: { public: { find: '*' } } }
      const api = routerWith(options)
      expect(await inside(api.as('public').find('lamps'))).toEqual(await overHttp(api, 'lamps'))
    })

    it('is what no type is called in a path', async () => {
      const api = routerWith({ ...strapi5, permissions: { public: { find: '*' } } })
      expect(await inside(api.as('public').find('upload/files'))).toMatchObject({ status: 404 })
      for (const type of [null, undefined, '', '/books', 'book', 'constructor'])
        expect(await inside(api.as('public').find(type as never))).toMatchObject({ status: 404 })
    })
  })

  it('asks what was said at the call, though the caller goes on writing to it', async () => {
    const reader = routerWith().as('public')
    const query = { sort: 'title', pagination: { page: 1, pageSize: 1 }, filters: { title: { $ne: 'x' } } }
    const first = reader.find('books', query)
    query.pagination.page = 2
    const second = reader.find('books', query)
    query.filters.title.$ne = 'Dusk'
    const titles = (await Promise.all([first, second])).map(({ data }) => data.map(({ title }) => title))
    expect(titles).toEqual([['Dawn'], ['Dusk']])
  })

  describe('hooks', () => {
    it('are told of what is read in the process as of a request', async () => {
      const heard = hearing()
      const api = routerWith(heard.hooks)
      const app = express().use('/api', api)
      const event = await heard.after(() => api.as('public').find('books', { sort: 'title' }))
      const statements = heard.statements.map(({ sql }) => sql)
      const overHttp = await heard.after(() => request(app).get('/api/books?sort=title'))
      const plain = (told: typeof event): object => ({ ...told, ms: 0, stages: {} })
      expect(plain(event)).toEqual(plain(overHttp))
      expect(heard.statements.map(({ sql }) => sql)).toEqual(statements)
      expect(event.stages.load).toBeGreaterThan(0)
    })

    it('are told how it ended', async () => {
      const heard = hearing()
      const api = routerWith(heard.hooks)
      const endedBy = async (act: () => Promise<unknown>): Promise<unknown> => {
        const { type, action, asker, outcome, status } = await heard.after(() => act().catch(() => null))
        return [type, action, asker.kind, outcome, status]
      }
      const uid = 'api::book.book'
      const reader = api.as('public')
      expect(await endedBy(() => reader.find('books', { sort: 'nope' }))).toEqual([
        uid,
        'find',
        'roles',
        'refused',
        400,
      ])
      expect(await endedBy(() => reader.by('books', 'slug', 'nope'))).toEqual([
        uid,
        'findOne',
        'roles',
        'refused',
        404,
      ])
      expect(await endedBy(() => reader.find('secrets'))).toEqual([
        'api::secret.secret',
        'find',
        'roles',
        'refused',
        403,
      ])
      const caller = new AbortController()
      expect(
        await endedBy(() => {
          const reading = reader.find('books', {}, { signal: caller.signal })
          caller.abort()
          return reading
        }),
      ).toEqual([uid, 'find', 'roles', 'abandoned', null])
    })

    it('follow it from its beginning', async () => {
      const steps: string[] = []
      const tracing = {
        begin: (start: { readonly action: string }, proceed: () => void) => {
          steps.push(`begin ${start.action}`)
          proceed()
          return {
            onRequest: () => steps.push('over'),
            onStatement: () => undefined,
          }
        },
      }
      await routerWith({ tracing }).as('public').find('books')
      expect(steps).toEqual(['begin find', 'over'])
    })
  })

  if (database.dialect !== 'sqlite') {
    const dialect = database.dialect
    it('asks the database to stop what its caller gave up', async () => {
      const api = routerWith()
      const unlock = await lockBooks(world.knex, dialect)
      try {
        const caller = new AbortController()
        const reading = api.as('public').find('books', {}, { signal: caller.signal })
        const closing = api.close()
        const first = await Promise.race([closing.then(() => 'closed'), pause(200).then(() => 'waits')])
        expect(first).toBe('waits')
        caller.abort(new Error('enough'))
        await expect(reading).rejects.toThrow('enough')
        await closing
        await untilRunning(0, world.knex, dialect)
      } finally {
        await unlock()
      }
    }, 30_000)
  }
})
