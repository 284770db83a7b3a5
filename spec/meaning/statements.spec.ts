import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'
import { onSqlite } from '../support/databases'

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const books = 120

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    $locales: ['en', 'fr'],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [
      { $ref: 'ada', name: 'Ada', country: 'uk', portrait: { name: 'ada.png' } },
      { $ref: 'none', name: 'None' },
    ],
    genre: [
      { $ref: 'essay', name: 'Essay' },
      { $ref: 'crime', name: 'Crime', parent: 'essay' },
    ],
    book: range(books).map((year) => ({
      ...{ $ref: `b${String(year)}`, title: `Book ${String(year)}`, year, ledger: 'private' },
      ...{ author: 'ada', genres: ['crime', 'essay'], cover: { name: 'c.png' } },
      ...{ plates: [{ name: 'p.png' }], seo: { title: 's', social: { headline: 'h' } } },
      notes: [{ text: 'n', by: 'ada' }, { text: 'm' }],
      sections: [
        { __component: 'page.prose', heading: 'h' },
        { __component: 'page.pick', title: 't', books: [`b${String((year + 1) % books)}`] },
        { __component: 'page.gallery', caption: 'c', plates: [{ name: 'g.png' }] },
      ],
    })),
    review: range(books).map((year) => ({ verdict: 'v', subject: { book: `b${String(year)}` } })),
    memo: range(books).map((year) => ({
      title: String(year),
      $locales: { fr: { title: `f${String(year)}` } },
    })),
  })

  const { sql: statements, logger } = keeping()
  let watched: Served | undefined

  /** The statements of a request; what a router asks once for itself is asked before. */
  async function statementsOf(path: string, role?: string): Promise<readonly string[]> {
    watched ??= serve({
      logger,
      query: { maxCost: Infinity },
      permissions: { public: { find: '*' }, guest: { find: ['book', 'review', 'memo'] } },
    })
    await watched.list('countries')
    statements.length = 0
    await watched.list(path, role)
    return [...statements]
  }
  const countOf = async (path: string): Promise<number> => (await statementsOf(path)).length
  const sized = (path: string, size: number): string => `${path}&pagination[pageSize]=${String(size)}`

  describe('the statements of a request', () => {
    it.each([
      'books?fields=title',
      'books?populate=author',
      'books?populate=*',
      'books?populate=author.country,genres.parent,seo.social,notes.by,sections.books.author,reviews',
      'books?populate[sections][populate]=*',
      'books?populate[sections][on][page.pick][populate][books][populate]=*',
      'books?populate[genres][filters][name]=Essay&populate[genres][sort]=name:desc',
      'books?filters[author][name]=Ada&filters[genres][name]=Crime&sort=author.country.name,genres.name:desc',
      'books?populate[notes][count]=true',
      'reviews?populate=*',
      'memos?populate=*',
    ])('are as many for 1, 25 and 100 entries: %s', async (path) => {
      const counts: number[] = []
      for (const size of [1, 25, 100]) counts.push(await countOf(sized(path, size)))
      expect(counts).toEqual([counts[0], counts[0], counts[0]])
      expect(counts[0]).toBeGreaterThan(0)
    })

    it('are one for the entries and their total, and two where a filter may leave a page that tells it', async () => {
      expect(await countOf('books?sort=title')).toBe(1)
      expect(await countOf('books?pagination[page]=3')).toBe(1)
      expect(await countOf('books?sort=title&pagination[withCount]=false')).toBe(1)
      expect(await countOf('books?filters[year][$gte]=0')).toBe(2)
      expect(await countOf('books?filters[year][$gte]=0&sort=title')).toBe(1)
      expect(await countOf('books?filters[year][$lt]=20')).toBe(1)
    })

    it('are one more for each type that is populated as a list, links included', async () => {
      expect(await countOf('books?populate=genres')).toBe(2)
      expect(await countOf('books?populate=genres.children')).toBe(3)
      expect(await countOf('books?populate=genres.children,plates,notes')).toBe(5)
    })

    it('are no more for what the entries of a page lead to one of, and on from there', async () => {
      expect(await countOf('books?populate=author')).toBe(1)
      expect(await countOf('books?populate=author.country,seo.social')).toBe(1)
      expect(await countOf('books?populate=author.country,genres.parent,seo.social')).toBe(3)
    })

    it('are one more for each such type beyond the four that come along', async () => {
      expect(await countOf('books?populate=author.country,cover,seo.social')).toBe(2)
      expect(await countOf('books?populate=author.country,cover,seo.social,sequel')).toBe(3)
    })

    it('are at most one more for a join table and one for a type, whatever shares them', async () => {
      const tables = ['author', 'genres', 'sequel', 'files', 'components', 'reviews'].length
      const types = ['author', 'genre', 'book', 'review', 'file', 'seo', 'note', 'prose', 'pick', 'gallery']
        .length
      expect(await countOf('books?populate=*')).toBeLessThanOrEqual(2 + tables + types)
    })

    it('are no more for relations that lead to the same type in the same way', async () => {
      expect(await countOf('books?populate=cover,plates')).toBe(await countOf('books?populate=plates'))
    })

    it('read nothing of what was not asked for', async () => {
      const [page, ...rest] = await statementsOf('books?fields=title&pagination[withCount]=false')
      expect(rest).toEqual([])
      expect(page).not.toMatch(/year|blurb|ledger|author/)
      expect((await statementsOf('books?populate=author')).join()).not.toMatch(/genres|files|components/)
    })

    it('never read private attributes', async () => {
      expect((await statementsOf('books?populate=*')).join()).not.toContain('ledger')
    })

    it('read nothing of what the role may not find', async () => {
      const all = await statementsOf(
        'books?populate=author.country,genres,notes.by,sections.books.author',
        'guest',
      )
      expect(all.join()).not.toMatch(/authors|genres|countries/)
      expect(all.join()).toContain('components_shared_note')
    })

    it('read nothing behind an empty page, nor of relations that lead nowhere', async () => {
      const nothing = await statementsOf('books?filters[title]=nothing&populate=*')
      expect(nothing).toHaveLength(1)
      const lonely = await statementsOf('authors?filters[name]=None&populate=country.authors')
      expect(lonely.join()).not.toMatch(/from [`"]countries/)
    })

    it('hold no value of the client', async () => {
      const all = await statementsOf(
        'books?filters[title][$contains]=Book&filters[genres][name]=Crime&populate=author',
      )
      expect(all.join()).not.toMatch(/Book|Crime/)
    })
  })
})
