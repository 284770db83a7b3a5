import { strapi5 } from '../../extensions/strapi'
import { type ContentRouterConfig } from '../../lib'
import { fingerprintOf } from '../../lib/http/content'
import { readSettings } from '../../lib/http/settings'
import { onSqlite } from '../support/databases'
import { collection, component, relation, single, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'
import { hiding } from '../support/hiding'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const listing = (definition: object, privateAttributes: readonly string[], others: object = {}): object => ({
  ...definition,
  options: { ...(definition as { options?: object }).options, ...others, privateAttributes },
})

const builtIn = ['createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations', 'createdBy', 'updatedBy']

const article = collection(
  'article',
  {
    title: text,
    // What the list says holds, whatever the attribute says.
    draftOf: { ...text, private: false },
    seo: single('shared.seo'),
    notes: relation('morphMany', 'note', { morphBy: 'subject' }),
    author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
  },
  { drafts: true, localized: true },
)
const others = (seo: readonly string[]): object[] => [
  collection('author', { name: text, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
  collection('note', { text, subject: { type: 'relation', relation: 'morphToOne' } }),
  listing(component('shared.seo', { title: text, score: text }), seo),
]

const creators = { populateCreatorFields: true }
const open = [listing(article, [], creators), ...others([])] as unknown as Definitions
const listed = [
  listing(article, ['draftOf', ...builtIn], creators),
  ...others(['score']),
] as unknown as Definitions

const content = {
  $locales: ['en', 'fr'],
  author: [{ $ref: 'ada', name: 'Ada' }],
  article: [
    {
      ...{ $ref: 'dawn', title: 'Dawn', draftOf: 'kept-draft', author: 'ada' },
      ...{ seo: { title: 'Seen', score: 'kept-score' }, createdAt: '2024-05-05T00:00:00.000Z' },
      $draft: { title: 'Dawn, again' },
      $locales: { fr: { title: 'Aube' } },
    },
    { title: 'Dusk', draftOf: 'other', author: 'ada' },
    { title: 'Unsent', $status: 'draft' },
  ],
  note: [{ text: 'on dawn', subject: { article: 'dawn' } }],
}

/** In a list, behind a relation, and behind the other side of one to any type. */
const queries = [
  'articles?fields=NAME',
  'articles?filters[NAME][$null]=true',
  'articles?filters[NAME][$gt]=2024-01-01',
  'articles?filters[$or][0][NAME][$startsWith]=kept',
  'articles?filters[$not][NAME][id]=1',
  'articles?sort=NAME',
  'articles?sort=NAME.id',
  'articles?populate=NAME',
  'articles?populate[NAME][filters][id]=1',
  'authors?filters[articles][NAME]=kept-draft',
  'authors?sort=articles.NAME',
  'authors?populate[articles][fields]=NAME',
  'authors?populate[articles][sort]=NAME',
  'authors?populate[articles][filters][NAME][$null]=true',
  'authors?populate[articles][populate]=NAME',
  'authors?populate=articles.NAME',
]

const titlesOf = (entries: readonly Entry[]): unknown[] => entries.map(({ title }) => title)

onSqlite((database) => {
  const { world, serve } = stocked(database, open, content)
  const servings: readonly [string, Definitions, names: readonly string[]][] = [
    ['the list of its type', listed, []],
    ['a list for all types', open, ['draftOf', 'score', ...builtIn]],
  ]

  describe.each(servings)('what is private by %s', (_, contentTypes, privateAttributes) => {
    let closed: Served
    let asStrapi: Served

    beforeAll(() => {
      closed = serve({ contentTypes, extensions: [hiding(privateAttributes)] })
      asStrapi = serve({ contentTypes, extensions: [strapi5({ privateAttributes })], logger: false })
    })

    it('is in no response', async () => {
      const query = 'populate[author]=true&populate[seo]=true&populate[notes]=true'
      for (const served of [closed, asStrapi]) {
        for (const path of [`articles?${query}`, 'articles?populate=*', 'articles?fields=*&populate=*']) {
          const [dawn] = await served.list(`${path}&sort=title`)
          expect(Object.keys(dawn ?? {}).sort()).toEqual([
            ...['author', 'documentId', 'id', 'notes', 'seo', 'title'],
          ])
          const seo = dawn?.['seo'] as Entry
          expect([seo['title'], Object.keys(seo)]).toEqual(['Seen', expect.not.arrayContaining(['score'])])
        }
        expect(await served.list('articles?fields=title&sort=title')).toEqual([
          { id: expect.any(Number) as number, documentId: expect.any(String) as string, title: 'Dawn' },
          { id: expect.any(Number) as number, documentId: expect.any(String) as string, title: 'Dusk' },
        ])
      }
    })

    it.each(['draftOf', ...builtIn])('%s is refused like an unknown name', async (name) => {
      const unknown = 'q'.repeat(name.length)
      for (const served of [closed, asStrapi]) {
        for (const query of queries) {
          const ask = async (one: string): Promise<readonly unknown[]> => {
            const { status, headers, text: body } = await served.get(query.replaceAll('NAME', one))
            return [query, status, headers['etag'], body.replaceAll(one, name)]
          }
          expect(await ask(name)).toEqual(await ask(unknown))
        }
      }
      const [shown] = (await serve().list('articles?populate=*&sort=title')) as [Entry]
      expect(Object.keys(shown)).toContain(name)
    })

    it.each(['score'])('%s of a component is refused like an unknown name', async (name) => {
      for (const query of [
        'articles?filters[seo][NAME][$startsWith]=kept',
        'articles?sort=seo.NAME',
        'articles?populate[seo][fields]=NAME',
        'authors?filters[articles][seo][NAME]=kept-score',
      ]) {
        const ask = async (one: string): Promise<readonly unknown[]> => {
          const { status, text: body } = await closed.get(query.replaceAll('NAME', one))
          return [query, status, body.replaceAll(one, name)]
        }
        expect(await ask(name)).toEqual(await ask('qqqqq'))
        expect((await ask(name))[1]).toBe(400)
      }
    })

    it('is not searched', async () => {
      for (const served of [closed, asStrapi]) {
        expect(await served.list('articles?_q=kept-draft')).toEqual([])
        expect(await served.list('articles?_q=en')).toEqual([])
      }
      expect(await serve().list('articles?_q=kept-draft')).toHaveLength(1)
    })

    it('still distinguishes versions and locales', async () => {
      for (const extension of [hiding(privateAttributes), strapi5({ privateAttributes })]) {
        const served = serve({ contentTypes, extensions: [extension], drafts: 'open', logger: false })
        const titles = async (query: string): Promise<unknown[]> =>
          titlesOf(await served.list(`articles?sort=title${query}`))
        expect(await titles('')).toEqual(['Dawn', 'Dusk'])
        expect(await titles('&locale=fr')).toEqual(['Aube'])
        expect(await titles('&locale=*')).toEqual(['Aube', 'Dawn', 'Dusk'])
        expect(await titles('&status=draft')).toEqual(['Dawn, again', 'Dusk', 'Unsent'])
        expect(await titles('&status=draft&publicationFilter=never-published')).toEqual(['Unsent'])
        const [ada] = await served.list('authors?populate[articles][sort]=title')
        expect(titlesOf(ada?.['articles'] as Entry[])).toEqual(['Aube', 'Dawn', 'Dusk'])
      }
    })
  })

  it('a private locale is not shown by the preset either', async () => {
    const [dawn] = await serve({
      extensions: [strapi5({ privateAttributes: ['locale'] })],
      logger: false,
    }).list('articles?populate=notes&sort=title')
    const [note] = dawn?.['notes'] as Entry[]
    expect(note).toMatchObject({ text: 'on dawn' })
    expect(Object.keys(note ?? {})).not.toContain('locale')
    const [usual] = await serve({ extensions: [strapi5()], logger: false }).list(
      'articles?populate=notes&sort=title',
    )
    expect(Object.keys((usual?.['notes'] as Entry[])[0] ?? {})).toContain('locale')
  })

  it('responses have other ETags than with public attributes', () => {
    const saltOf = (options: Partial<ContentRouterConfig>): string => {
      const settings = readSettings({ contentTypes: open, database: world.config, logger: false, ...options })
      return fingerprintOf(settings, database.dialect)
    }
    const listings = [[open, []], ...servings.map(([, ...one]) => one), [open, ['title']]] as const
    const salts = listings.map(([contentTypes, names]) =>
      saltOf({ contentTypes, extensions: [hiding(names)] }),
    )
    expect(new Set(salts).size).toBe(4)
  })

  it('ids cannot be private, as in Strapi', async () => {
    const privateAttributes = ['id', 'documentId', '_v']
    const [dawn] = await serve({ extensions: [hiding(privateAttributes)] }).list('articles?sort=title')
    expect(dawn).toMatchObject({ id: expect.any(Number) as number, documentId: expect.any(String) as string })
  })
})
