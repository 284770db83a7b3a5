import { setTimeout } from 'node:timers/promises'
import { ContentError, contentRouter, type ContentRouter } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

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
  bound: { find: ['book'], queries: 'named' as const },
}

onSqlite((database) => {
  const { world } = stocked(database, types, content)
  const routerWith = (options: object = {}): ContentRouter =>
    world.closing(
      contentRouter({ contentTypes: types, database: world.config, logger: false, permissions, ...options }),
    )
  const refusal = async (reading: Promise<unknown>): Promise<ContentError> => {
    const error = await reading.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (error instanceof ContentError) return error
    throw new Error(`no ContentError: ${String(error)}`)
  }

  describe('reading in the process', () => {
    let api: ContentRouter
    beforeAll(() => {
      api = routerWith({ queries: { titles: { type: 'book', query: { fields: ['title'] } } } })
    })

    it('answers objects, as the role may see them', async () => {
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

    it('finds one by its documentId and by its slug, and a single type', async () => {
      const reader = api.as(['public'])
      const { data } = await reader.by('books', 'slug', 'dusk')
      expect(data['title']).toBe('Dusk')
      expect(await reader.findOne('books', String(data['documentId']))).toEqual({ data, meta: {} })
      expect((await reader.single('shelf')).data['label']).toBe('Top')
    })

    it('knows who asks', async () => {
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
      ['own words where only names are answered', 'bound', 'books', {}, 400, 'Only queries by their name'],
      [
        'nothing at all as a condition',
        'public',
        'books',
        { filters: { title: undefined } },
        400,
        'Invalid query',
      ],
    ])('is refused %s', async (_what, role, type, query, status, message) => {
      const error = await refusal(api.as(role).find(type, query))
      expect(error.status).toBe(status)
      expect(error.message).toContain(message)
    })

    it('answers by name', async () => {
      expect((await api.as('bound').find('books', { query: 'titles' })).data).toHaveLength(2)
    })

    it('finds no entry that is not there, nor one of another', async () => {
      expect((await refusal(api.as('public').by('books', 'slug', 'nope'))).status).toBe(404)
      expect((await refusal(api.as('public').by('books', 'price', '1'))).status).toBe(404)
      expect((await refusal(api.as('public').findOne('books', 'a\u0000'))).status).toBe(404)
      // It is an attribute by which one entry is found, and the role does not see it.
      expect((await refusal(api.as('public').by('books', 'code', 'a1'))).status).toBe(404)
      const { data } = await api.as('public').by('books', 'slug', 'dusk')
      const reader = api.as({ roles: ['member'], asker: { id: 7 } })
      expect((await refusal(reader.findOne('books', String(data['documentId'])))).status).toBe(404)
    })

    it('ends when the caller says so', async () => {
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

  it('gives each caller objects of its own, from memory too', async () => {
    const api = routerWith({ cache: {} })
    const first = await api.as('public').find('books')
    first.data.length = 0
    await setTimeout(10)
    expect((await api.as('public').find('books')).data).toHaveLength(2)
  })

  it('gives those who ask the same at once objects of their own, of one reading', async () => {
    let statements = 0
    const api = routerWith({ onStatement: () => (statements += 1) })
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

  it('is waited for as the router closes, and refused then', async () => {
    const api = routerWith()
    const reading = api.as('public').find('books')
    await Promise.all([reading, api.close()])
    expect((await reading).data).toHaveLength(2)
    const error = await refusal(api.as('public').find('books'))
    expect([error.status, error.message]).toEqual([503, 'The server is about to end'])
  })

  it('is held to the limits of the role, which are told as its own', async () => {
    const api = routerWith({ limitsByRole: { public: { maxParameters: 1 } } })
    const query = { fields: ['title', 'slug'], populate: { author: { fields: ['name'] } } }
    const error = await refusal(api.as('public').find('books', query))
    expect(error.status).toBe(400)
    expect(error.message).toContain('maxParameters in limitsByRole')
  })

  it('is refused where too many wait, as requests are', async () => {
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
    collection('child', { label: text, parent: relation('manyToOne', 'parent', { inversedBy: 'children' }) }),
  ] as unknown as typeof types
  const { world } = stocked(database, families, { parent: [{ $ref: 'one', label: 'one' }], child: children })

  it('lets others have their turn while many entries are made', async () => {
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
        onStatement: () => {
          read = turns
        },
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
