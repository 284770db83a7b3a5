import { ConfigError, contentRouter, type ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

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

/** Every document with other locales, some of them drafts only. */
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

/** What has to be shown, worked out without a database: of each document the first row of the chain. */
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

  /** As Strapi's tables have them: a draft of each, and a published row of those that are. */
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

  describe('another locale where one is missing', () => {
    it.each(chains)('shows each document once, in the first locale that it has: %s, %s', async (...chain) => {
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
    })

    it.each(chains)('reads drafts where they are asked for: %s, %s', async (...chain) => {
      const [locale = '', ...fallback] = chain
      const shown = await titles(`locale=${locale}&fallback=${fallback.join()}&status=draft`, 'editor')
      expect([...shown].sort()).toEqual(titlesOf(shownIn(chain, 'draft')))
    })

    it('goes by the row that is shown in filters, search, sort, pages and totals', async () => {
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

    it('is what its row is linked to, and leads to rows of their own', async () => {
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

    it('holds for one entry, one by a unique attribute, and single types', async () => {
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

    it('is nothing to types that are not localized', async () => {
      expect(await api().values('notes?locale=de&fallback=en', 'line')).toEqual(['plain'])
    })

    it('takes a locale that stands twice for the first', async () => {
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
      ['locale=*&fallback=de', 'Invalid fallback parameter: it stands in for one locale, not for several'],
      [
        'locale[]=de&locale[]=en&fallback=de',
        'Invalid fallback parameter: it stands in for one locale, not for several',
      ],
      ['fallbck=de', 'Invalid key fallbck: did you mean fallback?'],
    ])('is refused where it means nothing: %s', async (asked, message) => {
      expect((await api().refusal(`pages?${asked}`)).message).toBe(message)
    })
  })

  describe('the option localeFallback', () => {
    const localeFallback = { 'de-AT': ['de', 'en'], fr: [], '*': ['en'] }
    const served = (): Served => serve({ permissions, defaultLocale: 'en', localeFallback })

    it('does so where a request does not say, by the locale that is asked for', async () => {
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

    it('gives way to what a request says', async () => {
      const own = served()
      expect([...(await own.values('pages?locale=de&fallback=false', 'title'))].sort()).toEqual(
        titlesOf(shownIn(['de'])),
      )
      expect([...(await own.values('pages?locale=de&fallback=fr', 'title'))].sort()).toEqual(
        titlesOf(shownIn(['de', 'fr'])),
      )
    })
  })

  it('is seen by the cache as soon as the locale is there', async () => {
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
})

describe('a localeFallback that means nothing', () => {
  it.each([
    7,
    ['de'],
    { de: 'en' },
    { de: [''] },
    { de: [7] },
    { de: Array.from({ length: 11 }, () => 'en') },
  ])('is refused at start: %j', (localeFallback) => {
    const config = { contentTypes: types, database: { client: 'pg', connection: {} }, permissions: {} }
    expect(() => contentRouter({ ...config, localeFallback } as unknown as ContentRouterConfig)).toThrow(
      ConfigError,
    )
  })
})
