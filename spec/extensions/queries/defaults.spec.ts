import request from 'supertest'
import {
  defaultQueries,
  type DefaultQueries,
  queryFrom,
  type QueryFunction,
} from '../../../extensions/queries'
import { ConfigError, contentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, component, integer, relation, repeated, text } from '../../support/library'
import { type Entry, type Served, stocked } from '../../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const types = [
  collection('page', {
    title: text,
    rank: integer,
    secret: { type: 'string', private: true },
    author: relation('manyToOne', 'author', { inversedBy: 'pages' }),
    editor: relation('manyToOne', 'author'),
    notes: repeated('shared.note'),
    blocks: { type: 'dynamiczone', components: ['shared.note', 'shared.link'] },
  }),
  collection('author', { name: text, pages: relation('oneToMany', 'page', { mappedBy: 'author' }) }),
  {
    kind: 'singleType',
    collectionName: 'mottos',
    info: { singularName: 'motto', pluralName: 'mottos', displayName: 'motto' },
    attributes: { line: text, by: relation('oneToOne', 'author') },
  },
  component('shared.note', { line: text }),
  component('shared.link', { url: text, to: relation('oneToOne', 'page') }),
] as unknown as Definitions

const content = {
  author: [
    { $ref: 'ann', name: 'Ann' },
    { $ref: 'bob', name: 'Bob' },
  ],
  page: [
    { $ref: 'one', title: 'one', rank: 1, secret: 'x', author: 'ann', editor: 'bob', notes: [{ line: 'n' }] },
    {
      ...{ title: 'two', rank: 2, author: 'bob' },
      blocks: [
        { __component: 'shared.link', url: '/', to: 'one' },
        { __component: 'shared.note', line: 'm' },
      ],
    },
    { title: 'three', rank: 3 },
  ],
  motto: { line: 'Onward', by: 'ann' },
}

async function tagAt({ get }: Served, path: string): Promise<unknown> {
  const { etag } = (await get(path)).headers as Readonly<Record<string, string>>
  expect(etag).toMatch(/^"/)
  return etag
}

/** Definitions are looked at before anything is asked. */
const unreached = { client: 'pg', connection: {} } as const

function faultsOf(defaults: object, others: Partial<ContentRouterConfig> = {}): readonly string[] {
  const config = { contentTypes: types, database: unreached, logger: false, permissions: {}, ...others }
  try {
    const extensions = [defaultQueries(defaults as DefaultQueries)]
    void contentRouter({ ...config, extensions } as ContentRouterConfig).close()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ where, problem, remedy }) => [where, problem, remedy ?? ''].join(' | '))
  }
}

const defaults = {
  page: {
    populate: {
      author: true,
      blocks: { on: { 'shared.link': { populate: { to: { fields: ['title'] } } } } },
    },
    fields: ['title', 'rank'],
    sort: [{ rank: 'desc' }],
    filters: { rank: { $lte: 2 } },
  },
  'api::motto.motto': { populate: '*' },
} as const

const upTo = (count: number): string[] => [...Array(count).keys()].map(String)

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  const permissions = {
    public: { find: '*' },
    guest: { find: ['page', 'motto'] },
  } as const
  let router: Served | undefined
  const api = (): Served =>
    (router ??= serve({ permissions, extensions: [defaultQueries(defaults)], cache: {} }))
  const titles = (query: string): Promise<unknown[]> => api().values(`pages${query}`, 'title')

  describe('the defaults of a type', () => {
    it('apply to requests without parameters', async () => {
      const [two, one, ...others] = await api().list('pages')
      expect(others).toEqual([])
      expect(two).toMatchObject({
        ...{ title: 'two', rank: 2, author: { name: 'Bob' } },
        blocks: [
          { __component: 'shared.link', url: '/', to: { title: 'one' } },
          { __component: 'shared.note' },
        ],
      })
      expect(Object.keys(one ?? {}).toSorted()).toEqual([
        'author',
        'blocks',
        'documentId',
        'id',
        'rank',
        'title',
      ])
    })

    it('apply to one entry and to single types', async () => {
      const [two] = await api().list('pages')
      const one = await api().get(`pages/${String(two?.['documentId'])}`)
      expect(one.body).toMatchObject({ data: { title: 'two', author: { name: 'Bob' } } })
      const motto = await api().get('motto')
      expect(motto.body).toMatchObject({ data: { line: 'Onward', by: { name: 'Ann' } } })
    })

    it.each([
      ['populate=editor', 'editor'],
      ['populate[editor]=true', 'editor'],
      ['populate=*', 'notes'],
    ])('are replaced as a whole by populate of the request: %s', async (query, name) => {
      const [two] = await api().list(`pages?${query}`)
      expect(two).toHaveProperty(name)
      expect(two).not.toHaveProperty('blocks.0.to')
    })

    it('are replaced by empty parameters', async () => {
      const [two] = await api().list('pages?populate=&fields=*')
      expect(Object.keys(two ?? {})).toEqual(expect.arrayContaining(['createdAt', 'rank']))
      expect(two).not.toHaveProperty('author')
      expect(await titles('?sort=')).toEqual(['one', 'two'])
    })

    it.each([
      ['?fields=title', ['two', 'one']],
      ['?sort=title', ['one', 'two']],
      ['?populate=*&sort=rank', ['one', 'two']],
    ])('are replaced parameter by parameter: %s', async (query, expected) => {
      expect(await titles(query)).toEqual(expected)
    })

    it.each([
      ['?filters[rank][$gte]=2', ['two']],
      ['?filters[title]=three', []],
      ['?filters[$or][0][rank]=3&filters[$or][1][rank]=1', ['one']],
    ])('add their filters to those of the request: %s', async (query, expected) => {
      expect(await titles(query)).toEqual(expected)
      const { meta } = await api().page(`pages${query}`)
      expect(meta.pagination['total']).toBe(expected.length)
    })

    it('show a role no more than it may see', async () => {
      const [two] = await api().list('pages', 'guest')
      expect(two).not.toHaveProperty('author')
      expect(two).toMatchObject({ blocks: [{ to: { title: 'one' } }, {}] })
      expect((await api().refusal('pages?populate=nope', 'guest')).message).toBe('Invalid key nope')
    })

    it('reveal no name to a role that may not use it', async () => {
      for (const asks of [
        { filters: { author: { name: 'Ann' } } },
        { sort: 'author.name' },
        { populate: { blocks: { on: { 'shared.link': { populate: { to: { sort: 'author.name' } } } } } } },
      ]) {
        const served = serve({ permissions, extensions: [defaultQueries({ page: asks })] })
        expect((await served.get('pages')).status).toBe(200)
        const refused = await served.get('pages', 'guest')
        expect(refused.status).toBe(403)
        expect(refused.text).not.toContain('author')
      }
    })

    it('have ETags of their own', async () => {
      const plain = serve({ permissions, etag: true })
      expect(await tagAt(plain, 'pages?fields=title')).not.toBe(await tagAt(api(), 'pages?fields=title'))
    })
  })

  describe('queryFrom', () => {
    const asked = {
      populate: { author: { fields: ['name'] } },
      filters: { rank: { $in: [1, 2] } },
      sort: ['rank:desc'],
    }

    it('replaces the query of the URL', async () => {
      const served = serve({ extensions: [queryFrom(() => asked)] })
      const pages = await served.list('pages?filters[rank]=3&nope=1')
      expect(pages.map(({ title }) => title)).toEqual(['two', 'one'])
      expect(pages[0]).toMatchObject({ author: { name: 'Bob' } })
    })

    it('may return a string, a promise, or null for the URL', async () => {
      const query = (req: { readonly headers: object }): Promise<string | null> =>
        Promise.resolve('x-page' in req.headers ? '?filters[title]=two' : null)
      const served = serve({ extensions: [queryFrom(query)], query: { maxDepth: 3 } })
      expect(await served.values('pages?filters[title]=one', 'title')).toEqual(['one'])
      const answer = await request(served.app).get('/api/pages?filters[title]=one').set('x-page', 'two')
      expect((answer.body as { data: Entry[] }).data.map(({ title }) => title)).toEqual(['two'])
    })

    it('may return req.query of any parser', async () => {
      const served = serve({ extensions: [queryFrom((req) => req.query)] })
      const path =
        'pages?filters[rank][$in][0]=1&filters[rank][$in][1]=3&sort[0]=rank:desc&populate[author][fields][0]=name'
      for (const parser of ['simple', 'extended']) {
        served.app.set('query parser', parser)
        const [three, one] = await served.list(path)
        expect([three?.['title'], one?.['title']]).toEqual(['three', 'one'])
        expect(one?.['author']).toMatchObject({ name: 'Ann' })
      }
    })

    it('is combined with the defaults, and cached by its result', async () => {
      let rank = 1
      const served = serve({
        cache: {},
        extensions: [queryFrom(() => ({ filters: { rank } })), defaultQueries(defaults)],
      })
      const ask = async (): Promise<unknown> => (await served.list('pages'))[0]
      expect(await ask()).toMatchObject({ title: 'one', author: { name: 'Ann' } })
      const tag = await tagAt(served, 'pages')
      rank = 2
      expect(await ask()).toMatchObject({ title: 'two' })
      expect(await tagAt(served, 'pages')).not.toBe(tag)
    })

    it.each([
      [{ filters: { nope: 1 } }, 'Invalid key nope'],
      [{ filters: { secret: 'x' } }, 'Invalid key secret'],
      [JSON.parse('{ "filters": { "__proto__": { "rank": 1 } } }') as object, 'Invalid key __proto__'],
      [{ filters: { rank: { $in: Array.from({ length: 101 }, () => 1) } } }, /^Invalid list: at most 100 /],
      [{ 'filters[rank][$in][500]': '1' }, /^Invalid list: at most 100 /],
      [
        {
          fields: Array.from({ length: 60 }, () => 'title'),
          sort: Array.from({ length: 60 }, () => 'title'),
          filters: {
            $or: Array.from({ length: 90 }, () => ({ rank: { $in: Array.from({ length: 20 }, () => 1) } })),
          },
        },
        /^At most 1000 parameters/,
      ],
      [{ filters: { title: 'x'.repeat(50_001) } }, /^A query can have at most 50000 characters/],
    ])('is validated like any query: %#', async (query, message) => {
      const refused = await serve({ extensions: [queryFrom(() => query)] }).refusal('pages')
      expect(refused.message).toMatch(message)
    })

    it('is read no further than the limits of a query', async () => {
      let read = 0
      const counting = (of: object): object =>
        new Proxy(of, {
          get: (target, name): unknown => {
            read += 1
            return Reflect.get(target, name)
          },
        })
      const many = upTo(20_000)
      const wide = (part: unknown): object => Object.fromEntries(many.map((name) => [`k${name}`, part]))
      const doubled = upTo(60).reduce<object>((part) => ({ $and: [part, part] }), { rank: 1 })
      for (const [answered, message] of [
        [wide('1'), /^At most 1000 parameters/],
        [{ filters: counting(wide('1')) }, /^At most 1000 parameters/],
        [wide('x'.repeat(1000)), /^A query can have at most 50000 characters/],
        [counting(wide(counting({}))), /^A query can have at most 50000 characters/],
        [{ filters: { rank: { $in: counting(many) } } }, /^Invalid list: at most 100 /],
        [{ filters: counting(doubled) }, /^At most 1000 parameters/],
      ] as const) {
        read = 0
        expect(
          (await serve({ extensions: [queryFrom(() => counting(answered))] }).refusal('pages')).message,
        ).toMatch(message)
        // Each key takes two reads at most, and a list is asked for its length.
        expect(read).toBeLessThan(12_000)
      }
    })

    it('respects the limits of the role', async () => {
      const query = (): object => ({ filters: { $or: upTo(50).map((rank) => ({ rank })) } })
      const limitsByRole = { guest: { maxParameters: 20 } }
      const served = serve({
        permissions: { public: { find: '*' }, guest: { find: '*' } },
        limitsByRole,
        extensions: [queryFrom(query)],
      })
      expect((await served.get('pages')).status).toBe(200)
      expect((await served.refusal('pages', 'guest')).message).toMatch(/^At most 20 parameters/)
    })

    it.each<[unknown]>([
      [7],
      [{ filters: { rank: () => 1 } }],
      [{ filters: new Map() }],
      [[]],
      [new Date(NaN)],
      [{ filters: { title: undefined } }],
      [{ filters: { $or: [{ title: { $eq: undefined } }] } }],
      [{ populate: { author: { filters: { name: undefined } } } }],
      [{ filters: { $or: [{ rank: 1 }, , { rank: 2 }] } }],
      [{ filters: { rank: NaN } }],
      [{ filters: { rank: 1, [Symbol('title')]: 'x' } }],
      [{ filters: null }],
      [{ populate: { author: { filters: null } } }],
    ])('is a 500 for other values, which are logged with an id and without values: %#', async (query) => {
      const told: string[] = []
      const keep = (facts: object): void => {
        told.push(JSON.stringify(facts))
      }
      const logger = { debug: () => undefined, info: () => undefined, warn: keep, error: keep }
      const answer = await serve({ logger, extensions: [queryFrom(() => query as object)] }).get('pages')
      expect(answer.status).toBe(500)
      expect(told.join()).toContain('queryFrom: the function returned')
      expect(told.join()).toContain((answer.body as { error: { details: { id: string } } }).error.details.id)
    })

    it('may contain undefined filters and null', async () => {
      const all = await serve({}).list('pages?sort=rank')
      expect(
        await serve({ extensions: [queryFrom(() => ({ filters: undefined, sort: 'rank' }))] }).list('pages'),
      ).toEqual(all)
      expect(
        await serve({ extensions: [queryFrom(() => ({ filters: { title: null } }))] }).list('pages'),
      ).toEqual([])
    })

    it('passes its errors to the host application', async () => {
      const served = serve({
        extensions: [
          queryFrom(() => {
            throw Object.assign(new Error('teapot'), { status: 418 })
          }),
        ],
      })
      expect((await served.get('pages')).status).toBe(418)
    })
  })
})

describe('invalid defaults', () => {
  const circle: Record<string, unknown> = {}
  circle['author'] = { populate: circle }

  it.each([
    [{ pgae: {} }, 'defaultQueries.pgae | there is no type pgae | did you mean page?'],
    [
      { 'plugin::users-permissions.user': {} },
      'defaultQueries.plugin::users-permissions.user | the type has no path | ',
    ],
    [
      { page: 'author' },
      'defaultQueries.page | the default query of a type must be an object | write an object with one or more of the keys populate, fields, sort and filters',
    ],
    [
      { page: { popluate: '*' } },
      'defaultQueries.page.popluate | the key does not exist | did you mean populate?',
    ],
    [{ page: { populate: 'nope' } }, 'defaultQueries.page.populate.nope | Invalid key nope | '],
    [
      { page: { populate: { author: { fields: ['nope'] } } } },
      'defaultQueries.page.populate.author.fields.nope | Invalid key nope | ',
    ],
    [{ page: { filters: { secret: 'x' } } }, 'defaultQueries.page.filters.secret | Invalid key secret | '],
    [
      { page: { filters: { author: { nope: 1 } } } },
      'defaultQueries.page.filters.author.nope | Invalid key nope | ',
    ],
    [{ page: { sort: 'author.nope' } }, 'defaultQueries.page.sort.author.nope | Invalid key nope | '],
    [{ page: { filters: { rank: 'many' } } }, /^defaultQueries\.page\.filters\.rank \| /],
    [
      { page: { filters: null } },
      'defaultQueries.page.filters | the value is null. Remove filters without conditions | ',
    ],
    [
      { page: { filters: { title: undefined } } },
      'defaultQueries.page.filters.title | the value is undefined | ',
    ],
    [
      { page: { filters: { rank: { $in: [() => 1] } } } },
      /^defaultQueries\.page\.filters\.rank\.\$in\.0 \| the value must be a string/,
    ],
    [{ page: { populate: circle } }, 'defaultQueries.page | the value has too many levels | '],
    [
      { page: {}, 'api::page.page': {} },
      'defaultQueries.api::page.page | the type api::page.page already has default queries | ',
    ],
  ])('are rejected at start, with their path: %#', (defaults, fault) => {
    const [first, ...others] = faultsOf(defaults)
    expect(first).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault))
    expect(others).toEqual([])
  })

  it('are rejected if they are no table', () => {
    expect(faultsOf([])).toEqual([
      `defaultQueries | the argument of defaultQueries() must be an object with a key for each type | write an object such as { article: { populate: ['author'] } }`,
    ])
  })

  it('are rejected beyond the limits of any role', () => {
    const page = { populate: { author: { populate: { pages: true } } } }
    expect(faultsOf({ page })).toEqual([])
    const [fault] = faultsOf({ page }, { query: { maxDepth: 1 } })
    expect(fault).toContain('the option query.maxDepth sets this limit')
    const ofRole = { permissions: { public: {} }, limitsByRole: { public: { maxDepth: 1 } } }
    const [ofRoles] = faultsOf({ page }, ofRole)
    expect(ofRoles).toContain('defaultQueries.page.populate.author.populate.pages | ')
    expect(ofRoles).toContain('the option maxDepth in limitsByRole sets this limit')
  })
})

it('a function is rejected at start if it is none', () => {
  const extensions = [queryFrom('rank=1' as unknown as QueryFunction)]
  expect(() =>
    contentRouter({ contentTypes: types, database: unreached, logger: false, permissions: {}, extensions }),
  ).toThrow('queryFrom: the argument of queryFrom() must be a function (write queryFrom((req) => req.query))')
})
