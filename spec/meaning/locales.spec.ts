import { ConfigError, contentRouter, type ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, integer, library, relation, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'
import { anyConditions } from '../support/query-limits'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const localized = { localized: true, drafts: true }
const types = [
  collection(
    'page',
    {
      title: text,
      slug: { type: 'uid' },
      rank: integer,
      author: relation('manyToOne', 'author', { inversedBy: 'pages' }),
    },
    localized,
  ),
  collection('author', { name: text, pages: relation('oneToMany', 'page', { mappedBy: 'author' }) }),
  collection('note', { line: text }),
  {
    kind: 'singleType',
    collectionName: 'mottos',
    info: { singularName: 'motto', pluralName: 'mottos', displayName: 'motto' },
    pluginOptions: { i18n: { localized: true } },
    attributes: { line: { ...text, pluginOptions: { i18n: { localized: true } } } },
  },
] as unknown as Definitions

interface Row {
  readonly document: string
  readonly locale: string
  readonly published: boolean
  readonly title: string
  readonly rank: number
}

const row = (document: string, locale: string, rank: number, published = true): Row => ({
  ...{ document, locale, rank, published },
  title: `${document} ${locale}`,
})

/** Documents with different locales, some of them drafts only. */
const rows: readonly Row[] = [
  row('all', 'en', 5),
  row('all', 'de', 1),
  row('all', 'de-AT', 9),
  row('plain', 'en', 4),
  row('german', 'de', 3),
  row('german', 'en', 8),
  row('austrian', 'de-AT', 2),
  row('french', 'fr', 6),
  row('draft', 'de-AT', 7, false),
  row('draft', 'en', 7),
  row('unpublished', 'en', 10, false),
]

const documents = [...new Set(rows.map(({ document }) => document))]

/** The expected rows: the first of the chain for each document. */
function shownIn(chain: readonly string[], status: 'published' | 'draft' = 'published'): readonly Row[] {
  const seen = rows.filter(({ published }) => published || status === 'draft')
  return documents.flatMap((document) => {
    const own = chain.flatMap((locale) =>
      seen.filter((one) => one.document === document && one.locale === locale),
    )
    return own.slice(0, 1)
  })
}

const titlesOf = (some: readonly { readonly title: string }[]): string[] =>
  some.map(({ title }) => title).sort()

const chains: readonly (readonly string[])[] = [
  ['de-AT', 'de', 'en'],
  ['de', 'en'],
  ['fr', 'en'],
  ['en', 'fr', 'de', 'de-AT'],
  ['xx', 'de-AT'],
  ['de-AT', 'xx', 'yy', 'fr'],
]

onSqlite((database) => {
  const content = {
    author: [
      { $ref: 'ann', name: 'Ann' },
      { $ref: 'bob', name: 'Bob' },
    ],
    note: [{ line: 'plain' }],
    motto: { line: 'Onward', $locale: 'en' },
  }
  const { serve, world } = stocked(database, types, content)
  const permissions = { public: { find: '*' }, editor: { find: '*', drafts: '*' } } as const
  let router: Served | undefined
  const api = (): Served => (router ??= serve({ permissions, defaultLocale: 'en' }))
  const titles = (query: string, role?: string): Promise<unknown[]> =>
    api().values(`pages?${query}`, 'title', role)

  async function idsOf(table: string, among: Readonly<Record<string, readonly string[]>>): Promise<number[]> {
    const query = world.knex<{ id: number }>(table).orderBy('id').select('id')
    for (const [name, values] of Object.entries(among)) void query.whereIn(name, [...values])
    return (await query).map(({ id }) => id)
  }

  /** A draft of each, and a published row of some. */
  beforeAll(async () => {
    let id = 0
    const instant = new Date(Date.UTC(2026, 0, 1))
    const stored = database.dialect === 'sqlite' ? instant.getTime() : instant
    for (const { document, locale, published, title, rank } of rows) {
      const common = { document_id: document, locale, title, rank, slug: title.replace(' ', '-') }
      for (const published_at of [null, ...(published ? [stored] : [])])
        await world
          .knex('pages')
          .insert({ ...common, id: (id += 1), published_at, created_at: stored, updated_at: stored })
    }
    const [ann, bob] = await idsOf('authors', {})
    const byAnn = await idsOf('pages', { title: ['all de', 'german de'] })
    const byBob = await idsOf('pages', { title: ['all en', 'plain en'] })
    for (const [author, pages] of [
      [ann, byAnn],
      [bob, byBob],
    ] as const)
      for (const page of pages)
        await world.knex('pages_author_lnk').insert({ page_id: page, author_id: author })
  })

  describe('the fallback parameter', () => {
    it.each(chains)(
      'shows each document once, in the first locale of the chain that it has: %s, %s',
      async (...chain) => {
        const [locale = '', ...fallback] = chain
        for (const said of [
          `fallback=${fallback.join()}`,
          fallback.map((code) => `fallback[]=${code}`).join('&'),
        ]) {
          const { data, meta } = await api().page(`pages?locale=${locale}&${said}`)
          const expected = shownIn(chain)
          expect(titlesOf(data as unknown as Row[])).toEqual(titlesOf(expected))
          expect(meta.pagination['total']).toBe(expected.length)
          for (const entry of data)
            expect(expected).toContainEqual(
              expect.objectContaining({ title: entry['title'], locale: entry['locale'] }),
            )
        }
      },
    )

    it.each(chains)('works with status=draft: %s, %s', async (...chain) => {
      const [locale = '', ...fallback] = chain
      const shown = await titles(`locale=${locale}&fallback=${fallback.join()}&status=draft`, 'editor')
      expect([...shown].sort()).toEqual(titlesOf(shownIn(chain, 'draft')))
    })

    it('applies filters, search, sort, pages and totals to the version that is shown', async () => {
      const asked = 'locale=de-AT&fallback=de,en'
      const shown = shownIn(['de-AT', 'de', 'en'])
      const byRank = [...shown].sort((one, other) => one.rank - other.rank)
      expect(await titles(`${asked}&sort=rank`)).toEqual(byRank.map(({ title }) => title))
      const { data, meta } = await api().page(
        `pages?${asked}&sort=rank&pagination[page]=2&pagination[pageSize]=2`,
      )
      expect(data.map(({ title }) => title)).toEqual(byRank.slice(2, 4).map(({ title }) => title))
      expect(meta.pagination).toEqual({ page: 2, pageSize: 2, pageCount: 3, total: shown.length })
      const high = shown.filter(({ rank }) => rank > 4)
      expect(await titles(`${asked}&filters[rank][$gt]=4&sort=title`)).toEqual(titlesOf(high))
      expect(await titles(`${asked}&_q=all`)).toEqual(['all de-AT'])
      // The German row is not the one that is shown.
      expect(await titles(`${asked}&filters[rank]=1`)).toEqual([])
      expect(await titles(`${asked}&filters[locale]=en&sort=title`)).toEqual(['draft en', 'plain en'])
    })

    it('shows the relations of the version that is shown', async () => {
      const shown = await api().list('pages?locale=de&fallback=en&populate=author&sort=title')
      const authors = shown.map(({ title, author }) => [title, (author as Entry | null)?.['name']])
      expect(authors).toEqual([
        ['all de', 'Ann'],
        ['draft en', undefined],
        ['german de', 'Ann'],
        ['plain en', 'Bob'],
      ])
      expect(await titles('locale=de&fallback=en&filters[author][name]=Bob')).toEqual(['plain en'])
    })

    it('works for single entries, entries by a unique attribute and single types', async () => {
      const title = async (path: string): Promise<unknown> => {
        const answer = await api().get(path)
        return answer.status === 200 ? (answer.body as { data: Entry }).data['title'] : answer.status
      }
      expect(await title('pages/plain?locale=de')).toBe(404)
      expect(await title('pages/plain?locale=de&fallback=fr,en')).toBe('plain en')
      expect(await title('pages/all?locale=de&fallback=en')).toBe('all de')
      expect(await title('pages/by/slug/plain-en?locale=de&fallback=en')).toBe('plain en')
      expect(await title('pages/by/slug/all-en?locale=de&fallback=en')).toBe(404)
      expect(await title('pages/unpublished?locale=de&fallback=en')).toBe(404)
      expect((await api().get('motto?locale=de')).status).toBe(404)
      const motto = await api().get('motto?locale=de&fallback=en')
      expect(motto.body).toMatchObject({ data: { line: 'Onward', locale: 'en' } })
    })

    it('is ignored for types that are not localized', async () => {
      expect(await api().values('notes?locale=de&fallback=en', 'line')).toEqual(['plain'])
    })

    it('ignores repeated locales', async () => {
      expect(await titles('locale=en&fallback=en,de,en&sort=rank')).toEqual(
        await titles('locale=en&fallback=de&sort=rank'),
      )
    })

    it.each([
      ['fallback[a]=de', 'Invalid fallback parameter. Expected locale codes or "false"'],
      ['fallback[]=', 'Invalid fallback parameter. Expected locale codes or "false"'],
      ['fallback=de,', 'Invalid fallback parameter: a name is empty'],
      ['fallback=%00', 'Invalid fallback parameter. Expected locale codes or "false"'],
      [`fallback=${'a,'.repeat(10)}b`, 'Invalid fallback parameter: at most 10 locales are allowed'],
      ['locale=*&fallback=de', 'Invalid fallback parameter: fallback requires a single locale'],
      [
        'locale[]=de&locale[]=en&fallback=de',
        'Invalid fallback parameter: fallback requires a single locale',
      ],
      ['fallbck=de', 'Invalid key fallbck: did you mean fallback?'],
    ])('is rejected if it is invalid: %s', async (asked, message) => {
      expect((await api().refusal(`pages?${asked}`)).message).toBe(message)
    })
  })

  describe('the option localeFallback', () => {
    const localeFallback = { 'de-AT': ['de', 'en'], fr: [], '*': ['en'] }
    const served = (): Served => serve({ permissions, defaultLocale: 'en', localeFallback })

    it('is the default chain of each locale', async () => {
      const own = served()
      const shown = async (query: string): Promise<unknown[]> =>
        [...(await own.values(`pages?${query}`, 'title'))].sort()
      expect(await shown('locale=de-AT')).toEqual(titlesOf(shownIn(['de-AT', 'de', 'en'])))
      expect(await shown('locale=de')).toEqual(titlesOf(shownIn(['de', 'en'])))
      expect(await shown('locale=fr')).toEqual(titlesOf(shownIn(['fr'])))
      expect(await shown('')).toEqual(titlesOf(shownIn(['en'])))
      expect(await shown('locale=*')).toHaveLength(rows.filter(({ published }) => published).length)
      expect(await shown('filters[locale]=de')).toEqual(['all de', 'german de'])
    })

    it('is overridden by the fallback parameter', async () => {
      const own = served()
      expect([...(await own.values('pages?locale=de&fallback=false', 'title'))].sort()).toEqual(
        titlesOf(shownIn(['de'])),
      )
      expect([...(await own.values('pages?locale=de&fallback=fr', 'title'))].sort()).toEqual(
        titlesOf(shownIn(['de', 'fr'])),
      )
    })
  })

  it('is invalidated in the cache when the missing locale is added', async () => {
    const own = serve({ permissions, cache: {} })
    const title = async (): Promise<unknown> =>
      (await own.values('pages?locale=it&fallback=en&filters[documentId]=plain', 'title'))[0]
    expect(await title()).toBe('plain en')
    expect(await title()).toBe('plain en')
    const { published_at, created_at, updated_at } = (await world
      .knex('pages')
      .where({ title: 'plain en' })
      .whereNotNull('published_at')
      .first()) as Record<'published_at' | 'created_at' | 'updated_at', Date>
    const times = { published_at, created_at, updated_at }
    await world
      .knex('pages')
      .insert({ id: 900, document_id: 'plain', locale: 'it', title: 'plain it', ...times })
    expect(await title()).toBe('plain it')
    await world.knex('pages').where({ id: 900 }).delete()
    expect(await title()).toBe('plain en')
  })

  describe('the order of localizations', () => {
    const types = [
      collection(
        'memo',
        { title: text, folder: relation('manyToOne', 'folder') },
        { drafts: true, localized: true },
      ),
      collection('folder', { name: text }),
    ] as unknown as Parameters<typeof stocked>[1]

    /** Seeded in neither the order of the codes nor its reverse. */
    const others = { pt: 'd', fr: 'a', 'de-AT': 'b', de: 'c', zh: 'e' }
    const byCode = ['de', 'de-AT', 'fr', 'pt', 'zh']

    const content = {
      $locales: ['en', ...Object.keys(others)],
      folder: [{ $ref: 'blue', name: 'blue' }],
      memo: ['x', 'y'].map((title) => ({
        title,
        folder: 'blue',
        $locales: Object.fromEntries(Object.entries(others).map(([code, name]) => [code, { title: name }])),
      })),
    }
    const { serve } = stocked(database, types, content)
    let served: Served | undefined
    const api = (): Served => (served ??= serve({ localizations: 'flat', drafts: 'open' }))
    const shown = (entry: Entry | undefined, name = 'locale'): unknown[] =>
      (entry?.['localizations'] as Entry[]).map((other) => other[name])

    it.each(['populate=localizations', 'populate=*', 'status=draft&populate=localizations'])(
      'is that of the locale codes: %s',
      async (query) => {
        const memos = await api().list(`memos?${query}`)
        expect(memos.map((memo) => shown(memo))).toEqual([byCode, byCode])
      },
    )

    it('is that of the codes if they are not selected', async () => {
      const [memo] = await api().list('memos?populate[localizations][fields]=title')
      expect(shown(memo, 'title')).toEqual(['c', 'b', 'a', 'd', 'e'])
      expect(memo).not.toHaveProperty('localizations.0.locale')
    })

    it('is that of the codes if some are on the page themselves', async () => {
      const memos = await api().list(
        'memos?locale=*&filters[title][$in][]=d&filters[title][$in][]=c&populate=localizations',
      )
      expect(memos).toHaveLength(4)
      for (const memo of memos) {
        const rest = ['de', 'de-AT', 'en', 'fr', 'pt', 'zh'].filter((code) => code !== memo['locale'])
        expect(shown(memo)).toEqual(rest)
      }
    })

    it('is that of the codes on deeper levels', async () => {
      const [memo] = await api().list('memos?locale=fr&populate[localizations][populate]=localizations')
      const [first] = (memo?.['localizations'] ?? []) as Entry[]
      expect(shown(memo)).toEqual(['de', 'de-AT', 'en', 'pt', 'zh'])
      expect(shown(first)).toEqual(['de-AT', 'en', 'fr', 'pt', 'zh'])
    })

    it('is the requested sort', async () => {
      const [memo] = await api().list('memos?populate[localizations][sort]=title:desc')
      expect(shown(memo)).toEqual(['zh', 'pt', 'de', 'de-AT', 'fr'])
    })
  })

  describe('localizations', () => {
    const { serve } = stocked(database, library, {
      $locales: ['en', 'fr', 'de'],
      memo: [
        {
          title: 'Hello',
          $locales: { fr: { title: 'Bonjour' }, de: { title: 'Hallo', $status: 'draft' } },
        },
      ],
    })
    let router: Served | undefined
    const api = (): Served =>
      (router ??= serve({ drafts: 'open', localizations: 'flat', query: anyConditions }))
    const titles = (path: string): Promise<unknown[]> => api().values(`memos?${path}`, 'title')

    it('are selected by locale', async () => {
      expect(await titles('')).toEqual(['Hello'])
      expect(await titles('locale=fr')).toEqual(['Bonjour'])
      expect(await titles('locale=de')).toEqual([])
      expect(await titles('locale=de&status=draft')).toEqual(['Hallo'])
      expect(await titles('locale=*&sort=title')).toEqual(['Bonjour', 'Hello'])
      expect(await titles('locale[]=fr&locale[]=en&sort=title')).toEqual(['Bonjour', 'Hello'])
    })

    it('list the other versions of a document, never itself', async () => {
      const of = async (query: string): Promise<unknown[]> =>
        (await api().list(`memos?${query}&sort=title&populate[localizations][sort]=title`)).map(
          ({ localizations }) => (localizations as Entry[]).map(({ title }) => title),
        )
      expect(await of('locale=fr')).toEqual([['Hello']])
      expect(await of('locale=*')).toEqual([['Hello'], ['Bonjour']])
      expect(await of('status=draft')).toEqual([['Bonjour', 'Hallo']])
    })

    it('can be filtered and sorted by', async () => {
      expect(await titles('filters[localizations][title]=Bonjour')).toEqual(['Hello'])
      expect(await titles('filters[localizations][title]=Hello')).toEqual([])
      expect(await titles('filters[localizations][title]=Hallo')).toEqual([])
      expect(await titles('locale=*&sort=localizations.title')).toEqual(['Hello', 'Bonjour'])
      for (const links of [3, 7]) {
        expect(await titles(`filters${'[localizations]'.repeat(links)}[title]=Bonjour`)).toEqual(['Hello'])
        expect(await titles(`filters${'[localizations]'.repeat(links)}[title]=Hello`)).toEqual([])
      }
      expect(await titles('sort=localizations.localizations.title')).toEqual(['Hello'])
    })

    it('can be populated inside each other', async () => {
      const [memo] = await serve().list(
        'memos?populate[localizations][populate][localizations][fields]=title',
      )
      expect(memo?.['localizations']).toMatchObject({
        data: [{ title: 'Bonjour', localizations: { data: [{ title: 'Hello' }] } }],
      })
    })
  })
})

describe('an invalid localeFallback', () => {
  it.each([
    7,
    ['de'],
    { de: 'en' },
    { de: [''] },
    { de: [7] },
    { de: Array.from({ length: 11 }, () => 'en') },
  ])('is rejected at start: %j', (localeFallback) => {
    const config = { contentTypes: types, database: { client: 'pg', connection: {} }, permissions: {} }
    expect(() => contentRouter({ ...config, localeFallback } as unknown as ContentRouterConfig)).toThrow(
      ConfigError,
    )
  })
})
