import { library } from '../support/library'
import { stocked, type Entry } from '../support/served'
import { onSqlite } from '../support/databases'

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    country: [
      { $ref: 'uk', name: 'UK' },
      { $ref: 'fr', name: 'France' },
    ],
    genre: [
      { $ref: 'a', name: 'a' },
      { $ref: 'b', name: 'b' },
      { $ref: 'c', name: 'c' },
      { $ref: 'd', name: 'd' },
    ],
    author: [
      { $ref: 'ada', name: 'Ada', age: 30, country: 'uk' },
      { $ref: 'bo', name: 'Bo', age: 50, country: 'fr' },
      { $ref: 'cy', name: 'Cy', age: 40 },
    ],
    book: [
      { title: 'b', year: 2, author: 'ada', genres: ['a', 'd'], seo: { title: 'z' } },
      { title: 'B', year: 1, author: 'bo', genres: ['b', 'c'], notes: [{ text: 'm' }, { text: 'a' }] },
      { title: 'é', author: 'cy', seo: { title: 'y' }, notes: [{ text: 'b' }] },
      { title: 'a', year: 2 },
      { title: 'Я', year: 1, author: 'ada', genres: ['c'] },
      { title: '🦉', author: 'bo', genres: [] },
      { title: 'ｚ', year: 3, genres: ['b'] },
      { title: 'hidden', author: 'cy', genres: ['a'], $status: 'draft' },
    ],
  })
  const sorted = async (query: string): Promise<unknown[]> => serve().values(`books?${query}`, 'title')
  const reversed = (titles: readonly string[]): string[] => [...titles].reverse()

  describe('the order of a list', () => {
    const byId = ['b', 'B', 'é', 'a', 'Я', '🦉', 'ｚ']
    const byTitle = ['B', 'a', 'b', 'é', 'Я', 'ｚ', '🦉']

    it.each(['', 'sort=', 'sort[0]=', 'sort=id', 'sort=id:asc', 'sort[0]=id:ASC'])(
      'is that of the ids: %s',
      async (query) => {
        expect(await sorted(query)).toEqual(byId)
      },
    )

    it.each([
      ...['sort=title', 'sort=title:asc', 'sort[0]=title:asc', 'sort[0]=title%3Aasc', 'sort[]=title:ASC'],
      ...['sort[title]=asc', 'sort[0][title]=asc', 'sort=%20title%20'],
    ])('is by code point, so the same everywhere: %s', async (query) => {
      expect(await sorted(query)).toEqual(byTitle)
    })

    it.each(['sort=title:desc', 'sort[0]=title:DESC', 'sort[title]=desc'])(
      'can be backwards: %s',
      async (query) => {
        expect(await sorted(query)).toEqual(reversed(byTitle))
      },
    )

    it('has NULLs first, and last backwards, and breaks ties by id', async () => {
      expect(await sorted('sort=year')).toEqual(['é', '🦉', 'B', 'Я', 'b', 'a', 'ｚ'])
      expect(await sorted('sort=year:desc')).toEqual(['ｚ', 'b', 'a', 'B', 'Я', 'é', '🦉'])
    })

    it('breaks ties by id whatever order the database finds them in', async () => {
      await world.knex.schema.table('books', (table) => table.index(['year', 'title'], 'ties'))
      await world.knex('books').where({ title: 'b' }).update({ blurb: 'moved' })
      expect(await sorted('sort=year&filters[year][$notNull]=true')).toEqual(['B', 'Я', 'b', 'a', 'ｚ'])
      expect(await sorted('sort=year:desc&fields=title')).toEqual(['ｚ', 'b', 'a', 'B', 'Я', 'é', '🦉'])
    })

    it.each([
      'sort=year:desc,title:asc',
      'sort[0]=year:desc&sort[1]=title:asc',
      'sort[0]=year:desc&sort[1]=title',
      'sort[0]=year:desc,title',
      'sort[year]=desc&sort[title]=asc',
    ])('takes several keys: %s', async (query) => {
      expect(await sorted(query)).toEqual(['ｚ', 'a', 'b', 'B', 'Я', 'é', '🦉'])
    })

    it('goes through relations and components, where a missing one is NULL', async () => {
      expect(await sorted('sort=author.age')).toEqual(['a', 'ｚ', 'b', 'Я', 'é', 'B', '🦉'])
      expect(await sorted('sort=author.age:desc')).toEqual(['B', '🦉', 'é', 'b', 'Я', 'a', 'ｚ'])
      expect(await sorted('sort=author.country.name')).toEqual(['é', 'a', 'ｚ', 'B', '🦉', 'b', 'Я'])
      expect(await sorted('sort[author][country][name]=desc')).toEqual(['b', 'Я', 'B', '🦉', 'é', 'a', 'ｚ'])
      expect(await sorted('sort=seo.title:desc')).toEqual(['b', 'é', 'B', 'a', 'Я', '🦉', 'ｚ'])
    })

    it('goes by the first value of many in its direction, and shows no entry twice', async () => {
      expect(await sorted('sort=genres.name')).toEqual(['é', 'a', '🦉', 'b', 'B', 'ｚ', 'Я'])
      expect(await sorted('sort=genres.name:desc')).toEqual(['b', 'B', 'Я', 'ｚ', 'é', 'a', '🦉'])
      expect(await sorted('sort=notes.text:desc')).toEqual(['B', 'é', 'b', 'a', 'Я', '🦉', 'ｚ'])
      expect(await sorted('sort=notes.text&filters[notes][$notNull]=true')).toEqual(['B', 'é'])
      const { meta } = await serve().page('books?sort=genres.name&pagination[pageSize]=2')
      expect(meta.pagination['total']).toBe(7)
    })

    it('is the same over pages', async () => {
      const titles: unknown[] = []
      for (const page of [1, 2, 3, 4]) {
        titles.push(...(await sorted(`sort=year&pagination[pageSize]=2&pagination[page]=${String(page)}`)))
      }
      expect(titles).toEqual(['é', '🦉', 'B', 'Я', 'b', 'a', 'ｚ'])
    })

    it('goes through eight links, and is refused with the limit beyond', async () => {
      const path = (links: number): string => `sort=${'author.books.'.repeat(links / 2)}title`
      expect(await sorted(path(8))).toHaveLength(7)
      const { message } = await serve().refusal(`books?${path(40)}`)
      expect(message).toBe('Sorting leads through at most 8 links')
    })

    it('does not tell of drafts behind a relation', async () => {
      const names = await serve().values('authors?sort=books.title', 'name')
      expect(names).toEqual(['Bo', 'Ada', 'Cy'])
    })

    it('holds inside populate, entry by entry', async () => {
      const titlesOf = async (query: string): Promise<unknown[][]> => {
        const authors = await serve().list(`authors?${query}`)
        return authors.map(({ books }) => (books as Entry[]).map(({ title }) => title))
      }
      expect(await titlesOf('populate[books][sort][0]=title:asc')).toEqual([['b', 'Я'], ['B', '🦉'], ['é']])
      expect(await titlesOf('populate[books][sort][0]=year:asc')).toEqual([['Я', 'b'], ['🦉', 'B'], ['é']])
      expect(await titlesOf('populate[books][sort]=genres.name:desc')).toEqual([
        ['b', 'Я'],
        ['B', '🦉'],
        ['é'],
      ])
    })

    it.each([
      ['sort=nope', 'nope'],
      ['sort=author', 'author'],
      ['sort=author.nope', 'nope'],
      ['sort=title.nope', 'title'],
      ['sort=-title', '-title'],
      ['sort=ledger', 'ledger'],
      ['sort=sections.id', 'sections'],
      ['sort=createdBy.id', 'createdBy'],
      ['sort[0]=constructor', 'constructor'],
    ])('cannot be by what is no attribute: %s', async (query, key) => {
      const { message, path } = await serve().refusal(`books?${query}`)
      expect(message).toBe(`Invalid key ${key}`)
      expect(path).toMatch(/^sort/)
    })

    it.each([
      ...['sort=title:up', 'sort=title:', 'sort=title:asc:desc', 'sort[title]=up', 'sort[title][$eq]=asc'],
      ...['populate[author][sort]=name:up', 'populate[author][sort]=nope'],
    ])('is refused where it is malformed: %s', async (query) => {
      expect((await serve().refusal(`books?${query}`)).path).toContain('sort')
    })
  })
})
