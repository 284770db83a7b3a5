import { defaultQueries, namedQueries, type NamedQueries } from '../../../extensions/queries'
import {
  ConfigError,
  contentRouter,
  type ContentRouter,
  type ContentRouterConfig,
  type Extension,
} from '../../../lib'
import { fingerprintOf } from '../../../lib/http/content'
import { readSettings } from '../../../lib/http/settings'
import { onSqlite } from '../../support/databases'
import { collection, component, integer, relation, text } from '../../support/library'
import { orderContent, orderTypes } from '../../support/orders'
import { type Served, stocked } from '../../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const types = [
  collection(
    'page',
    {
      title: text,
      slug: { type: 'uid' },
      rank: integer,
      day: { type: 'date' },
      secret: { type: 'string', private: true },
      author: relation('manyToOne', 'author', { inversedBy: 'pages' }),
      tags: relation('manyToMany', 'tag'),
      blocks: { type: 'dynamiczone', components: ['shared.note'] },
    },
    { drafts: true, localized: true },
  ),
  collection('author', { name: text, pages: relation('oneToMany', 'page', { mappedBy: 'author' }) }),
  collection('tag', { slug: text }),
  {
    kind: 'singleType',
    collectionName: 'mottos',
    info: { singularName: 'motto', pluralName: 'mottos', displayName: 'motto' },
    attributes: { line: text, by: relation('oneToOne', 'author') },
  },
  component('shared.note', { line: text }),
] as unknown as Definitions

const content = {
  author: [
    { $ref: 'ann', name: 'Ann' },
    { $ref: 'bob', name: 'Bob' },
  ],
  tag: [
    { $ref: 'red', slug: 'red' },
    { $ref: 'blue', slug: 'blue' },
  ],
  page: [
    {
      ...{ title: 'one', slug: 'one', rank: 1, day: '2026-01-01', secret: 'x', author: 'ann', tags: ['red'] },
      blocks: [{ __component: 'shared.note', line: 'A note' }],
    },
    { title: 'two', slug: 'two', rank: 2, day: '2026-02-01', author: 'bob', tags: ['red', 'blue'] },
    { title: 'three', slug: 'three', rank: 3, day: '2026-03-01', tags: ['blue'] },
    { title: 'drei', slug: 'drei', rank: 3, $locale: 'de' },
    { title: 'four', slug: 'four', rank: 4, $status: 'draft' },
  ],
  motto: { line: 'Onward', by: 'ann' },
}

const queries = {
  card: {
    type: 'page',
    query: { fields: ['title', 'slug'], populate: { author: { fields: ['name'] } }, sort: 'rank:desc' },
  },
  tagged: {
    type: 'api::page.page',
    query: { fields: ['title'], sort: ['rank'], filters: { rank: { $gte: 1 } } },
    parameters: { tag: 'filters.tags.slug.$eq' },
  },
  ranked: {
    type: 'page',
    query: { fields: ['title'], sort: 'rank', filters: { rank: { $gte: 2 } }, pagination: { pageSize: 2 } },
    parameters: { from: 'filters.rank.$gte', days: 'filters.day.$in', text: '_q' },
  },
  within: {
    type: 'page',
    query: { fields: ['title'], populate: { tags: { fields: ['slug'] } } },
    parameters: { tag: 'populate.tags.filters.slug.$in' },
  },
  either: {
    type: 'page',
    query: { fields: ['title'], filters: { $or: [{ title: 'one' }, { rank: { $eq: 3 } }] } },
    parameters: { rank: 'filters.$or.1.rank.$eq' },
  },
  noted: {
    type: 'page',
    query: { fields: ['title'] },
    parameters: { line: 'filters[blocks][$some][on][shared.note][line][$eq]' },
  },
  holding: {
    type: 'page',
    query: { fields: ['title'] },
    parameters: { kind: 'filters.blocks.$some.__component.$eq' },
  },
  motto: { type: 'motto', query: { fields: ['line'], populate: ['by'] } },
} as const satisfies NamedQueries

const extensions = [namedQueries(queries)]

const permissions = {
  public: { find: '*', queries: 'named' },
  editor: { find: '*', drafts: '*' },
  reader: { find: ['page'], queries: 'named' },
  names: { find: ['author'] },
  nobody: {},
} as const

onSqlite((database) => {
  const { world, serve } = stocked(database, types, content)
  let router: Served | undefined
  const api = (): Served => (router ??= serve({ permissions, extensions }))
  const titles = (query: string, role?: string): Promise<unknown[]> =>
    api().values(`pages?${query}`, 'title', role)
  const same = async (one: string, other: string): Promise<void> => {
    const [named, plain] = await Promise.all([api().page(one, 'editor'), api().page(other, 'editor')])
    expect(named).toEqual(plain)
    expect(named.data).not.toHaveLength(0)
  }

  describe('a named query', () => {
    it('is answered like the same query in a URL', async () => {
      await same(
        'pages?query=card',
        'pages?fields[]=title&fields[]=slug&populate[author][fields][]=name&sort=rank:desc',
      )
    })

    it('takes values for its parameters, and lists if the operator does', async () => {
      expect(await titles('query=tagged&tag=red')).toEqual(['one', 'two'])
      expect(await titles('query=tagged&tag=blue')).toEqual(['two', 'three'])
      expect(await titles('query=either&rank=2')).toEqual(['one', 'two'])
      await same(
        'pages?query=within&tag[]=red&tag[]=none',
        'pages?fields=title&populate[tags][fields]=slug&populate[tags][filters][slug][$in][]=red',
      )
    })

    it('takes values for a component in a zone, and the name of a component as a value', async () => {
      expect(await titles('query=noted&line=A note')).toEqual(['one'])
      expect(await titles('query=noted&line=Another')).toEqual([])
      expect(await titles('query=holding&kind=shared.note')).toEqual(['one'])
      expect((await api().get('pages?query=holding&kind=shared.other')).status).toBe(400)
    })

    it('has default values for parameters, and requires the others', async () => {
      expect(await api().refusal('pages?query=tagged')).toEqual({
        message: 'Missing parameter tag: the query requires this parameter',
        path: 'tag',
      })
      expect(await titles('query=either')).toEqual(['one', 'three'])
      const { message } = await api().refusal('pages?query=ranked&from=2')
      expect(message).toMatch(/^Missing parameter days/)
      expect(await titles('query=ranked&days[]=2026-02-01&days[]=2026-01-01&text=')).toEqual(['two'])
      expect(await titles('query=ranked&from=1&days[]=2026-02-01&days[]=2026-01-01&text=t')).toEqual(['two'])
    })

    it('takes pagination, locale and status as far as the role may use them', async () => {
      const { data, meta } = await api().page('pages?query=card&pagination[page]=2&pagination[pageSize]=1')
      expect(data).toMatchObject([{ title: 'two' }])
      expect(meta.pagination).toEqual({ page: 2, pageSize: 1, pageCount: 3, total: 3 })
      expect(await titles('query=card&locale=de')).toEqual(['drei'])
      expect(await titles('query=card&status=draft', 'editor')).toContain('four')
      expect((await api().get('pages?query=card&status=draft')).status).toBe(403)
    })

    it.each([
      'filters[title]=one',
      'populate=*',
      'sort=title',
      'fields=title',
      '_q=one',
      'publicationFilter=modified',
      'nope=1',
      'tag=red',
    ])('takes no other parameter: %s', async (more) => {
      const name = /^\w+/.exec(more)?.[0] ?? ''
      expect(await api().refusal(`pages?query=card&${more}`, 'editor')).toEqual({
        message: `Invalid key ${name}: the parameters of the query are pagination, locale, fallback, status`,
        path: name,
      })
    })

    it.each(['tag', 'tag[]=red&tag[]=blue', 'tag[$ne]=red', 'tag[red]=red', 'tag[]=red'])(
      'takes no value in another form: %s',
      async (said) => {
        const { message } = await api().refusal(`pages?query=tagged&${said}`)
        expect(message).toBe('Invalid parameter tag: expected a string')
      },
    )

    it('reports which value is invalid, without names of the query', async () => {
      const { message, path } = await api().refusal('pages?query=either&rank=high')
      expect({ message, path }).toEqual({ message: 'Invalid parameter rank', path: 'rank' })
    })

    it('is available for lists, for one entry, by attribute and for single types', async () => {
      const [first] = await api().list('pages?query=card')
      expect(first).toMatchObject({ title: 'three' })
      const one = await api().get(`pages/${String(first?.['documentId'])}?query=card`)
      expect(one.body).toMatchObject({ data: first as object })
      expect((await api().get('pages/by/slug/three?query=card')).body).toEqual(one.body)
      const motto = await api().get('motto?query=motto')
      expect(motto.body).toMatchObject({ data: { line: 'Onward', by: { name: 'Ann' } } })
    })

    it.each([
      'query=nope',
      'query=motto',
      'query',
      'query=',
      'query[]=card',
      'query[a]=card',
      'query=__proto__',
    ])('is unknown under another name or type: %s', async (asked) => {
      expect(await api().refusal(`pages?${asked}`, 'editor')).toEqual({
        message: 'Invalid query: the type does not have the named query',
        path: 'query',
      })
    })

    it('grants no permissions, and is rejected without names', async () => {
      const refused = await api().get('pages?query=tagged&tag=red', 'reader')
      expect(refused.status).toBe(403)
      expect(refused.text).not.toMatch(/tags|slug/)
      const pruned = await api().get('pages?query=within&tag=red', 'reader')
      expect(pruned.status).toBe(200)
      expect(pruned.text).not.toMatch(/tags|slug/)
      expect((await api().get('pages?query=card', 'names')).status).toBe(403)
      expect((await api().get('pages?query=card', 'nobody')).status).toBe(403)
    })

    it('is combined with the defaults of its type, in any order of the extensions', async () => {
      const defaults = defaultQueries({ page: { filters: { rank: { $lt: 3 } }, populate: 'tags' } })
      for (const both of [
        [...extensions, defaults],
        [defaults, ...extensions],
      ])
        expect(await serve({ extensions: both }).values('pages?query=card', 'title')).toEqual(['two', 'one'])
    })

    it.each([[[]], [[namedQueries({})]]])('is ignored if there are no named queries: %j', async (none) => {
      const served = serve({ permissions: { public: { find: '*' } }, extensions: none })
      expect(await served.values('pages?query=card&fields=title&sort=rank', 'title')).toEqual([
        'one',
        'two',
        'three',
      ])
    })
  })

  describe('a role that is restricted to named queries', () => {
    it.each(['pages', 'pages?fields=title', 'pages/by/slug/one', 'motto', 'authors?populate=pages'])(
      'gets no other response: %s',
      async (path) => {
        expect(await api().refusal(path)).toEqual({
          message: 'Only named queries are allowed. Set the parameter query to a name',
          path: 'query',
        })
      },
    )

    it('gets a 403 for other types', async () => {
      const paths = ['authors', 'authors?query=card', 'tags?filters[nope]=1']
      for (const path of paths) expect((await api().get(path, 'reader')).status).toBe(403)
    })

    it('may use any query that another role of the caller may use, and only those', async () => {
      expect(await api().values('authors?sort=name', 'name', 'public,names')).toEqual(['Ann', 'Bob'])
      expect((await api().refusal('pages', 'public,names')).path).toBe('query')
      const { message } = await api().refusal('authors?filters[pages][title]=one', 'public,names')
      expect(message).toBe('Invalid key pages')
      const pruned = await api().get('authors?populate=pages', 'public,names')
      expect(pruned.text).not.toContain('pages')
      expect(await titles('query=card', 'names,public')).toEqual(['three', 'two', 'one'])
      expect(await titles('sort=rank&fields=title', 'public,editor')).toEqual(['one', 'two', 'three'])
      expect((await api().refusal('pages', 'public,nobody')).path).toBe('query')
    })

    it('is a fault if there are no named queries', () => {
      expect(() => serve({ permissions })).toThrow(
        'permissions.public.queries: the role can send only named queries, but no extension defines named queries (add namedQueries() to the option extensions)',
      )
    })
  })

  describe('named queries in the process', () => {
    const api = (): ContentRouter =>
      world.closing(
        contentRouter({
          contentTypes: types,
          database: world.config,
          logger: false,
          permissions,
          extensions,
        }),
      )

    it('are found by name', async () => {
      const { data } = await api().as('public').find('pages', { query: 'card' })
      expect(data.map(({ title }) => title)).toEqual(['three', 'two', 'one'])
    })

    it('are required of roles that are restricted to them', async () => {
      await expect(api().as('public').find('pages', {})).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('Only named queries are allowed') as string,
      })
    })
  })

  describe('a role that is restricted to named queries, beside rules', () => {
    const { serve } = stocked(database, orderTypes, orderContent)

    it('sees no rows if the asker lacks the value of the other role', async () => {
      const { list } = serve({
        logger: false,
        permissions: {
          own: { find: { order: { where: { customer: { id: { $asker: 'customer' } } } } } },
          listed: { find: { order: true }, queries: 'named' },
        },
        extensions: [namedQueries({})],
      })
      expect(await list('orders', 'own')).toEqual([])
      expect(await list('orders', 'own,listed')).toEqual([])
    })
  })

  it('named queries are cached apart from other queries', async () => {
    const served = serve({ permissions, extensions, cache: {} })
    for (let asked = 0; asked < 3; asked += 1) {
      expect((await served.get('pages?sort=rank', 'editor')).status).toBe(200)
      expect((await served.get('pages?sort=rank')).status).toBe(400)
      expect((await served.get('pages?query=card')).status).toBe(200)
    }
  })
})

describe('the part of ETags that tells routers apart', () => {
  const partWith = (extension: Extension): string => {
    const database = { client: 'pg', connection: {} }
    const config = { contentTypes: types, database, logger: false, permissions: {} } as const
    return fingerprintOf(readSettings({ ...config, extensions: [extension] }), 'postgres')
  }
  const filters = { rank: { $gte: 1n } }
  const named = (...fields: string[]): Extension =>
    namedQueries({ card: { type: 'page', query: { fields, filters } } })
  const byDefault = (...fields: string[]): Extension => defaultQueries({ page: { fields, filters } })

  it.each([
    ['named queries', named],
    ['defaults', byDefault],
  ])('is another for other %s', (_what, extension) => {
    expect(partWith(extension('title'))).toBe(partWith(extension('title')))
    expect(partWith(extension('title'))).not.toBe(partWith(extension('title', 'rank')))
  })
})

describe('invalid named queries', () => {
  const faultsOf = (given: object): string[] => {
    const config = {
      contentTypes: types,
      database: { client: 'pg', connection: {} },
      logger: false,
      permissions: { public: { find: '*', queries: 'named' } },
    }
    try {
      void contentRouter({ ...config, ...given } as ContentRouterConfig).close()
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.faults.map(({ where, problem, remedy }) => [where, problem, remedy ?? ''].join(' | '))
    }
  }
  const page = { type: 'page', query: { fields: ['title'] } }

  it.each<[object, string]>([
    [{ a: 7 }, 'namedQueries.a | a named query must be an object with the keys type and query'],
    [
      { a: { type: 'page' } },
      'namedQueries.a | a named query must be an object with the keys type and query',
    ],
    [{ a: { ...page, type: 'pge' } }, 'namedQueries.a.type | there is no type pge | did you mean page?'],
    [{ a: { ...page, type: 'shared.note' } }, 'namedQueries.a.type | the type has no path'],
    [
      { a: { ...page, querry: {} } },
      'namedQueries.a.querry | a named query does not have the key | did you mean query?',
    ],
    [
      { a: { ...page, query: { field: 'title' } } },
      'namedQueries.a.query.field | the query parameter does not exist',
    ],
    [{ a: { ...page, query: { fields: ['nope'] } } }, 'namedQueries.a.query.fields.nope | Invalid key nope'],
    [{ a: { ...page, query: { filters: { secret: 'x' } } } }, 'Invalid key secret'],
    [{ a: { ...page, query: { filters: { title: undefined } } } }, 'filters.title | the value is undefined'],
    [{ a: { ...page, query: { pagination: { pageSize: 'x' } } } }, 'namedQueries.a.query.pagination'],
    [
      { a: { ...page, parameters: ['x'] } },
      'namedQueries.a.parameters | the key parameters must be an object whose values are strings',
    ],
    [
      { a: { ...page, parameters: { x: 7 } } },
      'namedQueries.a.parameters | the key parameters must be an object whose values are strings',
    ],
    [
      { a: { ...page, parameters: { locale: 'filters.title.$eq' } } },
      'a parameter of a named query cannot have the name locale',
    ],
    [
      { a: { ...page, parameters: { 'x[y]': 'filters.title.$eq' } } },
      'a parameter of a named query cannot have the name x[y]',
    ],
    [
      { a: { ...page, parameters: { x: 'filters.title' } } },
      'a parameter cannot set the value of filters.title',
    ],
    [{ a: { ...page, parameters: { x: 'sort' } } }, 'a parameter cannot set the value of sort'],
    [
      { a: { ...page, parameters: { x: 'filters.nope.$eq' } } },
      'namedQueries.a.parameters.x | Invalid key nope',
    ],
    [{ a: { ...page, parameters: { x: 'filters.secret.$eq' } } }, 'Invalid key secret'],
    [
      {
        a: { ...page, query: { filters: { rank: 7 } }, parameters: { x: 'filters.rank.$gt' } },
      },
      'the query of the named query already contains another value at filters.rank.$gt',
    ],
    [
      { a: { ...page, query: { populate: ['tags'] }, parameters: { x: 'populate.tags.filters.slug.$eq' } } },
      'already contains another value at',
    ],
  ])('are rejected at start: %j', (given, words) => {
    const faults = faultsOf({ extensions: [namedQueries(given as NamedQueries)] })
    expect(faults).toHaveLength(1)
    expect(faults.join()).toContain(words)
  })

  it('are rejected if they are no table', () => {
    expect(faultsOf({ extensions: [namedQueries('card' as unknown as NamedQueries)] })).toEqual([
      `namedQueries | the argument of namedQueries() must be an object with a query for each name | write an object such as { card: { type: 'article', query: { fields: ['title'] } } }`,
    ])
  })

  it('are rejected beyond the limits of any role', () => {
    const limitsByRole = { public: { maxDepth: 1 } }
    const query = { populate: { author: { populate: 'pages' } } }
    const extensions = [namedQueries({ a: { ...page, query } })]
    expect(faultsOf({ extensions })).toEqual([])
    expect(faultsOf({ limitsByRole, extensions }).join()).toContain('maxDepth')
  })

  it('are reported if a grant has another value than named', () => {
    const permissions = { public: { find: '*', queries: 'all' } }
    expect(faultsOf({ permissions })).toEqual([
      "permissions.public.queries | queries must be 'named' | write queries: 'named', or remove the key queries",
    ])
  })
})
