import { defaultQueries, type DefaultQueries, namedQueries } from '../../../extensions/queries'
import { contentRouter, type ContentRouterConfig } from '../../../lib'
import { describe as describeApi, openapi } from '../../../extensions/openapi'
import { onSqlite } from '../../support/databases'
import { documented, type Documented, type OpenApi, type Operation } from '../../support/documented'
import { collection, component, integer, relation, single, text } from '../../support/library'
import { type Served, stocked } from '../../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const types = [
  collection(
    'page',
    {
      title: { type: 'string', required: true },
      slug: { type: 'uid' },
      rank: integer,
      kind: { type: 'enumeration', enum: ['short', 'long'] },
      day: { type: 'date' },
      big: { type: 'biginteger' },
      facts: { type: 'json' },
      canarySecret: { type: 'string', private: true },
      author: relation('manyToOne', 'author', { inversedBy: 'pages' }),
      canaryVault: relation('manyToOne', 'canary'),
      seo: single('shared.seo'),
      blocks: { type: 'dynamiczone', components: ['shared.note', 'shared.seo'] },
    },
    { drafts: true },
  ),
  collection('author', { name: text, pages: relation('oneToMany', 'page', { mappedBy: 'author' }) }),
  collection('canary', { canaryCode: text, canaryPages: relation('oneToMany', 'page') }),
  component('shared.note', { line: text }),
  component('shared.seo', { line: text }),
] as unknown as Definitions

const content = {
  author: [{ $ref: 'ann', name: 'Ann' }],
  canary: [{ $ref: 'bird', canaryCode: 'x' }],
  page: [
    {
      ...{ title: 'one', slug: 'one', rank: 1, kind: 'short', big: '9007199254740993', facts: { a: 1 } },
      ...{ author: 'ann', canaryVault: 'bird', canarySecret: 'x', seo: { line: 'A line' } },
      blocks: [
        { __component: 'shared.note', line: 'A note' },
        { __component: 'shared.seo', line: 'Another' },
      ],
    },
    { title: 'two', slug: 'two', $status: 'draft' },
  ],
}

const permissions = {
  public: { find: ['page', 'author'] },
  lister: { find: ['page'], findOne: [] },
  editor: { find: '*', drafts: '*' },
  bound: { find: ['page'], queries: 'named' },
  titled: { find: { page: { fields: ['title'] } } },
  priced: { find: { page: { fields: ['title', 'canaryVault'] }, author: true } },
} as const

const queries = {
  card: { type: 'page', query: { fields: ['title'] }, parameters: { of: 'filters.rank.$eq' } },
} as const

onSqlite((database) => {
  const { world, serve } = stocked(database, types, content)

  const told = async (served: Served, role?: string): Promise<Documented> => {
    const response = await served.get('openapi.json', role)
    expect([response.status, response.headers['cache-control']]).toEqual([200, 'private, no-store'])
    return documented(response.body as OpenApi)
  }

  const operationAt = ({ operations }: Documented, path: string): Operation => {
    const found = operations.find((one) => one.path === path)
    if (found === undefined) throw new Error(`nothing is told of ${path}`)
    return found
  }

  const namesAt = (document: Documented, path: string): readonly string[] =>
    operationAt(document, path).parameters.map(({ name }) => name)

  describe('the document of what may be asked', () => {
    const open = (options: Partial<ContentRouterConfig> = {}): Served =>
      serve({ extensions: [openapi(), namedQueries(queries)], permissions, ...options })

    it('is a path that nobody knows, unless the option says so', async () => {
      expect((await serve({ permissions: { public: { find: '*' } } }).get('openapi.json')).status).toBe(404)
    })

    it('is refused to whoever may not ask at all, and to other methods', async () => {
      expect((await open().get('openapi.json', '')).status).toBe(401)
    })

    it('has a path for each thing that a role may read, and none for anything else', async () => {
      const paths = async (role: string): Promise<readonly string[]> =>
        (await told(open(), role)).operations.map(({ path }) => path).filter((path) => path !== '/')
      const pages = ['/pages', '/pages/{documentId}', '/pages/by/slug/{value}']
      expect(await paths('public')).toEqual(['/authors', '/authors/{documentId}', ...pages])
      expect(await paths('lister')).toEqual(['/pages'])
      expect(await paths('editor')).toContain('/canaries')
      expect(await paths('unknown')).toEqual([])
    })

    it('has no word of what a role may not read', async () => {
      for (const role of ['public', 'lister', 'bound', 'titled', 'priced', 'unknown'])
        expect([role, JSON.stringify((await told(open(), role)).document)]).toEqual([
          role,
          expect.not.stringMatching(/canary/i),
        ])
      expect(JSON.stringify((await told(open(), 'editor')).document)).not.toContain('canarySecret')
      const titled = JSON.stringify((await told(open(), 'titled')).document)
      expect(titled).toContain('filters[title][$eq]')
      expect(titled).not.toMatch(/rank|blocks|seo|\bauthors?\b/i)
    })

    it('tells each role its own, however often others ask between', async () => {
      const served = open()
      const first = [await told(served, 'public'), await told(served, 'editor')]
      const again = [await told(served, 'public'), await told(served, 'editor')]
      expect(again.map(({ document }) => document)).toEqual(first.map(({ document }) => document))
      expect(first[0]?.document).not.toEqual(first[1]?.document)
    })

    it('names the operators that have a meaning for an attribute, and drafts to whom they are granted', async () => {
      const names = namesAt(await told(open()), '/pages')
      expect(names).toEqual(
        expect.arrayContaining([
          'filters[rank][$between]',
          'filters[title][$containsi]',
          'filters[facts][$null]',
          'filters[author][documentId][$eq]',
          'pagination[after]',
        ]),
      )
      expect(names).not.toContain('filters[facts][$eq]')
      expect(names).not.toContain('filters[title][$jsonSupersetOf]')
      expect(names).not.toContain('status')
      const loose = namesAt(await told(open({ textMatching: 'database' })), '/pages')
      expect(loose).toContain('filters[facts][$jsonSupersetOf]')
      expect(namesAt(await told(open(), 'editor'), '/pages')).toContain('status')
    })

    it('tells a role that is bound to named queries of these alone', async () => {
      const names = namesAt(await told(open(), 'bound'), '/pages')
      expect(names).toEqual(expect.arrayContaining(['query', 'of', 'pagination[page]', 'locale']))
      expect(names.filter((name) => /^(filters|fields|populate|sort|_q)/.test(name))).toEqual([])
    })

    it('tells how large a page of a role may be', async () => {
      const limits = { pagination: { maxPageSize: 50 }, limitsByRole: { editor: { maxPageSize: 70 } } }
      const sizeFor = async (role: string): Promise<string> =>
        JSON.stringify((await told(open(limits), role)).document.components.parameters['pageSize'])
      expect(await sizeFor('public')).toContain('at most 50')
      expect(await sizeFor('editor')).toContain('at most 70')
    })

    const withDefaults = (defaults: DefaultQueries): Partial<ContentRouterConfig> => ({
      extensions: [openapi(), namedQueries(queries), defaultQueries(defaults)],
    })
    const shapes: readonly Partial<ContentRouterConfig>[] = [
      {},
      { relations: 'wrapped', localizations: 'flat' },
      { unlistedZoneElements: 'omit', nestedPagination: true },
      withDefaults({ page: { populate: { author: { count: true } } } }),
      {
        nestedPagination: true,
        ...withDefaults({ author: { populate: { pages: { pagination: { withCount: true } } } } }),
      },
    ]

    it.each(shapes)('is right of what is answered with %j', async (shape) => {
      const served = open(shape)
      // A default that populates what a role may not know is refused to it.
      const roles = ['public', 'editor', 'lister', ...(shape.extensions === undefined ? ['titled'] : [])]
      for (const role of roles) {
        const document = await told(served, role)
        for (const operation of document.operations.filter(({ isList }) => isList)) {
          const asked = [
            '',
            'populate=*',
            'populate=seo,blocks',
            'status=draft&populate=*',
            'pagination[start]=0',
          ]
          for (const query of asked.filter((one) => role === 'editor' || !one.startsWith('status'))) {
            const response = await served.get(`${operation.path.slice(1)}?${query}`, role)
            const { status } = response
            if (status === 400 && query.includes('seo')) continue
            const faults = document.faultsOf(operation, status, response.body)
            expect({ role, query, status, faults }).toEqual({ role, query, status: 200, faults: null })
          }
        }
      }
    })

    it('is told in the process, too: for a role, or of all that is not private', async () => {
      const router = contentRouter({
        ...{ contentTypes: types, database: world.config, logger: false, permissions },
        extensions: [openapi(), namedQueries(queries)],
      })
      world.closing(router)
      const served = open()
      const { document } = await told(served, 'public')
      const url = 'https://example.org/content'
      expect(await describeApi(router, { role: 'public', url })).toEqual({ ...document, servers: [{ url }] })
      const all = JSON.stringify(await describeApi(router))
      expect(all).toContain('canaryCode')
      expect(all).not.toContain('canarySecret')
    })

    it('tells of the mount itself and of tags where there are any', async () => {
      const plain = await told(open())
      expect(JSON.stringify(plain.document)).not.toContain('"304"')
      const served = open({ etag: true })
      const document = await told(served)
      const index = operationAt(document, '/')
      const answer = await served.get('', 'public')
      expect([answer.status, document.faultsOf(index, 200, answer.body)]).toEqual([200, null])
      const list = document.document.paths['/pages']?.get as unknown as { readonly responses: object }
      expect(Object.keys(list.responses)).toContain('304')
    })

    it('tells each what a function grants at this request', async () => {
      let may: readonly string[] = ['page']
      const served = open({ permissions: (_role, uid) => may.some((name) => uid.endsWith(`.${name}`)) })
      const paths = async (): Promise<readonly string[]> =>
        (await told(served)).operations.map(({ path }) => path)
      expect(await paths()).not.toContain('/authors')
      may = ['page', 'author']
      expect(await paths()).toContain('/authors')
      may = ['page']
      expect(await paths()).not.toContain('/authors')
    })
  })
})
