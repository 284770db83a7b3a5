import { setTimeout } from 'node:timers/promises'
import express from 'express'
import { tmpdir } from 'node:os'
import request from 'supertest'
import { ConfigError, ContentError, type ContentRouter, contentRouter } from '../../lib'
import { ContentError as ErrorOfClient } from '../../extensions/client'
import { onSqlite } from '../support/databases'
import { keeping, type Logged } from '../support/hearing'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'
import { pluginTypes } from '../support/plugin-types'
import { watchingSql } from '../support/watching'

describe('reading in the process', () => {
  const types = [
    collection(
      'book',
      {
        title: text,
        slug: { type: 'uid' },
        owner: text,
        price: text,
        code: { ...text, unique: true },
        author: relation('manyToOne', 'author'),
      },
      { drafts: true },
    ),
    collection('author', { name: text }),
    { ...collection('shelf', { label: text }), kind: 'singleType' },
  ] as unknown as Parameters<typeof stocked>[1]

  const content = {
    author: [{ $ref: 'ada', name: 'Ada' }],
    shelf: { label: 'Top' },
    book: [
      { title: 'Dawn', slug: 'dawn', owner: '7', price: '1', code: 'a1', author: 'ada' },
      { title: 'Dusk', slug: 'dusk', owner: '8', price: '2' },
    ],
  }

  const own = { where: { owner: { $asker: 'id' } } }
  const permissions = {
    public: { find: { book: { fields: ['title', 'slug', 'author'] }, author: true, shelf: true } },
    member: { find: { book: own } },
  }

  onSqlite((database) => {
    const { world } = stocked(database, types, content)
    const routerWith = (options: object = {}): ContentRouter =>
      world.closing(
        contentRouter({
          contentTypes: types,
          database: world.config,
          logger: false,
          permissions,
          ...options,
        }),
      )
    const refusal = async (reading: Promise<unknown>): Promise<ContentError> => {
      const error = await reading.then(
        () => null,
        (thrown: unknown) => thrown,
      )
      if (error instanceof ContentError) return error
      throw new Error(`no ContentError: ${String(error)}`)
    }

    describe('a reader', () => {
      let api: ContentRouter
      beforeAll(() => {
        api = routerWith()
      })

      it('returns entries as the role may see them', async () => {
        const query = {
          fields: ['title'],
          populate: { author: { fields: ['name'] } },
          sort: 'title',
          pagination: { limit: 1 },
        }
        expect(await api.as('public').find('books', query)).toEqual({
          data: [
            {
              id: expect.any(Number) as number,
              documentId: expect.any(String) as string,
              title: 'Dawn',
              author: {
                id: expect.any(Number) as number,
                documentId: expect.any(String) as string,
                name: 'Ada',
              },
            },
          ],
          meta: { pagination: { start: 0, limit: 1, total: 2 } },
        })
        expect(Object.keys((await api.as('public').find('books')).data[0] ?? {})).not.toContain('price')
      })

      it('finds one entry by documentId, by slug, and as a single type', async () => {
        const reader = api.as(['public'])
        const { data } = await reader.by('books', 'slug', 'dusk')
        expect(data['title']).toBe('Dusk')
        expect(await reader.findOne('books', String(data['documentId']))).toEqual({ data, meta: {} })
        expect((await reader.single('shelf')).data['label']).toBe('Top')
      })

      it('applies rules to the asker', async () => {
        const titles = async (id: number): Promise<unknown[]> => {
          const { data } = await api.as({ roles: 'member', asker: { id } }).find('books')
          return data.map(({ title }) => title)
        }
        expect(await titles(7)).toEqual(['Dawn'])
        expect(await titles(8)).toEqual(['Dusk'])
        expect(await titles(9)).toEqual([])
      })

      it.each([
        ['a type that is not there', 'public', 'nope', {}, 404, 'Not Found'],
        ['a type that is a single one', 'public', 'shelf', {}, 404, 'Not Found'],
        ['a type that the role may not read', 'member', 'authors', {}, 403, 'Forbidden'],
        ['drafts without the right', 'public', 'books', { status: 'draft' }, 403, 'Forbidden'],
        ['an attribute that is not there', 'public', 'books', { fields: ['nope'] }, 400, 'Invalid key nope'],
        [
          'an attribute that the role may not see',
          'public',
          'books',
          { sort: 'price' },
          400,
          'Invalid key price',
        ],
        [
          'nothing at all as a condition',
          'public',
          'books',
          { filters: { title: undefined } },
          400,
          'Invalid query',
        ],
      ])('rejects %s', async (_what, role, type, query, status, message) => {
        const error = await refusal(api.as(role).find(type, query))
        expect(error.status).toBe(status)
        expect(error.message).toContain(message)
      })

      it('answers 404 for missing and for hidden entries', async () => {
        expect((await refusal(api.as('public').by('books', 'slug', 'nope'))).status).toBe(404)
        expect((await refusal(api.as('public').by('books', 'price', '1'))).status).toBe(404)
        expect((await refusal(api.as('public').findOne('books', 'a\u0000'))).status).toBe(404)
        // It is an attribute by which one entry is found, and the role does not see it.
        expect((await refusal(api.as('public').by('books', 'code', 'a1'))).status).toBe(404)
        const { data } = await api.as('public').by('books', 'slug', 'dusk')
        const reader = api.as({ roles: ['member'], asker: { id: 7 } })
        expect((await refusal(reader.findOne('books', String(data['documentId'])))).status).toBe(404)
      })

      it('stops at the signal of the caller', async () => {
        const reason = new Error('enough')
        await expect(api.as('public').find('books', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(
          reason,
        )
        const caller = new AbortController()
        const reading = api.as('public').find('books', {}, { signal: caller.signal })
        caller.abort(reason)
        await expect(reading).rejects.toBe(reason)
      })
    })

    it('gives each caller objects of its own from the cache', async () => {
      const api = routerWith({ cache: {} })
      const first = await api.as('public').find('books')
      first.data.length = 0
      await setTimeout(10)
      expect((await api.as('public').find('books')).data).toHaveLength(2)
    })

    it('reads once for identical calls, and gives each caller objects of its own', async () => {
      let statements = 0
      const api = routerWith({ extensions: [watchingSql(() => (statements += 1))] })
      const query = { populate: { author: true }, sort: 'title' }
      const [alone] = await Promise.all([api.as('public').find('books', query)])
      const first = statements
      const all = await Promise.all(Array.from({ length: 20 }, () => api.as('public').find('books', query)))
      expect(statements).toBe(3 * first)
      for (const one of all) {
        expect(one).toEqual(alone)
        Object.assign(one.data[0]?.['author'] ?? {}, { name: 'another' })
        one.data.length = 1
      }
    })

    it('is finished before the router closes, and rejected afterwards', async () => {
      const api = routerWith()
      const reading = api.as('public').find('books')
      await Promise.all([reading, api.close()])
      expect((await reading).data).toHaveLength(2)
      const error = await refusal(api.as('public').find('books'))
      expect([error.status, error.message]).toEqual([503, 'The server is shutting down'])
    })

    it('respects the limits of the role', async () => {
      const api = routerWith({ limitsByRole: { public: { maxParameters: 1 } } })
      const query = { fields: ['title', 'slug'], populate: { author: { fields: ['name'] } } }
      const error = await refusal(api.as('public').find('books', query))
      expect(error.status).toBe(400)
      expect(error.message).toContain('maxParameters in limitsByRole')
    })

    it('is rejected if the queue is full', async () => {
      const api = routerWith({ queue: { maxRunning: 1, maxWaiting: 1 } })
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, limit) =>
          api.as('public').find('books', { pagination: { limit: limit + 1 } }),
        ),
      )
      const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
      expect(refused.length).toBeGreaterThan(0)
      expect(refused.length).toBeLessThan(20)
      for (const reason of refused)
        expect(reason).toMatchObject({ status: 503, name: 'ServiceUnavailableError' })
    })
  })

  const children = Array.from({ length: 90 }, (_, at) => ({ label: `child ${String(at)}`, parent: 'one' }))

  onSqlite((database) => {
    const families = [
      collection('parent', { label: text, children: relation('oneToMany', 'child', { mappedBy: 'parent' }) }),
      collection('child', {
        label: text,
        parent: relation('manyToOne', 'parent', { inversedBy: 'children' }),
      }),
    ] as unknown as typeof types
    const { world } = stocked(database, families, {
      parent: [{ $ref: 'one', label: 'one' }],
      child: children,
    })

    it('gives other tasks their turn between many entries', async () => {
      let turns = 0
      let isOver = false
      const count = (): void => {
        turns += 1
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      let read = 0
      const api = world.closing(
        contentRouter({
          ...{ contentTypes: families, database: world.config, permissions: { public: { find: '*' } } },
          extensions: [
            watchingSql(() => {
              read = turns
            }),
          ],
        }),
      )
      const query = { populate: { parent: { populate: { children: true } } }, pagination: { limit: 90 } }
      const { data } = await api
        .as('public')
        .find('childs', query)
        .finally(() => {
          isOver = true
        })
      expect(data[89]).toHaveProperty('parent.children.length', 90)
      expect(turns - read).toBeGreaterThanOrEqual(3)
    })
  })
})

describe('errors in the process', () => {
  const types = [
    collection('book', { title: text, slug: { type: 'uid' } }),
    collection('secret', { title: text, slug: { type: 'uid' } }),
  ] as unknown as Parameters<typeof stocked>[1]

  const permissions = { public: { find: ['book'] } }
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
        { title: 'Dawn', slug: 'dawn' },
        { title: 'Dusk', slug: 'dusk' },
      ],
      secret: [{ title: 'Shh', slug: 'shh' }],
    })
    const routerWith = (options: object = {}): ContentRouter =>
      world.closing(
        contentRouter({
          contentTypes: types,
          database: world.config,
          logger: false,
          permissions,
          ...options,
        }),
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

    describe('a function of the host application that fails', () => {
      const failing = (): boolean => {
        throw new Error('the table of rights is away')
      }
      const wrong = (): unknown => 'yes'
      it.each([
        ['permissions that throw', { permissions: failing }],
        ['permissions that answer a text', { permissions: wrong }],
      ])('is logged and answered as over HTTP: %s', async (_what, options) => {
        const heard: Logged[][] = []
        const answers = []
        for (const ask of [
          (api: ContentRouter) => overHttp(api, 'books'),
          (api: ContentRouter) => inside(api.as('public').find('books')),
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

      it('is thrown as it is with hostErrors: next', async () => {
        const api = routerWith({ permissions: failing, hostErrors: 'next' })
        expect(await thrownBy(api.as('public').find('books'))).toMatchObject({
          name: 'Error',
          message: 'the table of rights is away',
        })
      })
    })

    describe('a ContentError', () => {
      it('looks like the error of the client package, but for its class', async () => {
        const api = routerWith()
        const answer = await request(express().use('/api', api)).get('/api/books?fields=nope')
        const there = new ErrorOfClient(answer.status, answer.body)
        const here = (await thrownBy(api.as('public').find('books', { fields: ['nope'] }))) as Error
        expect(shown(here as unknown as Refusal)).toEqual(shown(there))
        expect(Object.keys(here).sort()).toEqual(Object.keys(there).sort())
        expect(here).toBeInstanceOf(ContentError)
        expect(here).not.toBeInstanceOf(ErrorOfClient)
      })

      it('is a 404 for an attribute that finds no entry, with or without permission for the type', async () => {
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

      it('is a 404 for an empty value', async () => {
        const api = routerWith({ notFound: 'json' })
        expect(await inside(api.as('public').by('books', 'slug', ''))).toEqual(
          await overHttp(api, 'books/by/slug/'),
        )
      })

      it('is preceded by a ConfigError for invalid roles', () => {
        const api = routerWith()
        for (const who of [null, undefined, 7, ['public', 7], { roles: 'public', asker: 7 }]) {
          expect(() => api.as(who as never)).toThrow(ConfigError)
          expect(() => api.as(who as never)).toThrow(/^ {2}as: (asker in )?the argument of as\(\) /m)
        }
      })

      it('belongs to one caller, who may change its message', async () => {
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
        for (const { message } of await refusedOf()) expect(message).toBe('Too many requests are waiting')
      })

      it('has no further properties if a limit is exceeded', async () => {
        const api = routerWith({ query: { maxEntries: 1 } })
        const error = await thrownBy(api.as('public').find('books'))
        expect(error).toMatchObject({ status: 400, name: 'ValidationError' })
        expect(Object.keys(error as object).sort()).toEqual(['details', 'name', 'status'])
      })

      it('is thrown if the database cannot be reached', async () => {
        const away = { client: 'better-sqlite3', connection: { filename: tmpdir() }, useNullAsDefault: true }
        const options = { contentTypes: custom, database: away, permissions: { public: { find: '*' } } }
        const api = routerWith(options)
        expect(await inside(api.as('public').find('lamps'))).toEqual(await overHttp(api, 'lamps'))
      })

      it('is a 404 for unknown types and other values', async () => {
        const api = routerWith({ extensions: [pluginTypes], permissions: { public: { find: '*' } } })
        expect(await inside(api.as('public').find('upload/files'))).toMatchObject({ status: 404 })
        for (const type of [null, undefined, '', '/books', 'book', 'constructor'])
          expect(await inside(api.as('public').find(type as never))).toMatchObject({ status: 404 })
      })
    })

    it('uses the query as it was at the call', async () => {
      const reader = routerWith().as('public')
      const query = { sort: 'title', pagination: { page: 1, pageSize: 1 }, filters: { title: { $ne: 'x' } } }
      const first = reader.find('books', query)
      query.pagination.page = 2
      const second = reader.find('books', query)
      query.filters.title.$ne = 'Dusk'
      const titles = (await Promise.all([first, second])).map(({ data }) => data.map(({ title }) => title))
      expect(titles).toEqual([['Dawn'], ['Dusk']])
    })
  })
})
