import { aggregates } from '../../../extensions/aggregate'
import { ConfigError, contentRouter } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { aggregatedBooks, bookTypes } from './books'

onSqlite((database) => {
  const { world, served, api, groups } = aggregatedBooks(database)

  describe('the grant', () => {
    it.each(['reader', 'denied', 'unread'])('is required for the path and for facets: %s', async (role) => {
      const [path, facets] = await Promise.all([
        api().get('books/aggregate?aggregate[count]=true', role),
        api().get('books?facets=author.name', role),
      ])
      expect([path.status, facets.status]).toEqual([403, 403])
    })

    it('is checked before the query', async () => {
      for (const query of ['', '?aggregate[nope]=1', '?aggregate[count]=true&groupBy=nope'])
        expect((await api().get(`books/aggregate${query}`, 'reader')).status).toBe(403)
    })

    it('is one for each type', async () => {
      expect((await api().get('books/aggregate?aggregate[count]=true', 'ofBooks')).status).toBe(200)
      expect((await api().get('authors/aggregate?aggregate[count]=true', 'ofBooks')).status).toBe(403)
      expect((await api().get('authors?facets=name', 'ofBooks')).status).toBe(403)
    })

    it('adds nothing to lists without facets', async () => {
      const [granted, other] = await Promise.all([
        api().get('books', 'ofBooks'),
        api().get('books', 'reader'),
      ])
      expect(granted.text).toBe(other.text)
    })

    it('leaves an unknown path below a list unknown without the extension', async () => {
      const { get } = served({ permissions: { public: { find: '*' } }, extensions: [] })
      expect((await get('books/aggregate?aggregate[count]=true')).status).toBe(404)
    })

    const refusedAt = (grant: object, extensions = [aggregates()]): unknown => {
      const given = { contentTypes: bookTypes, database: world.config, logger: false, extensions } as const
      try {
        contentRouter({ ...given, permissions: { public: grant } })
      } catch (error) {
        if (error instanceof ConfigError) return error.faults
        throw error
      }
      throw new Error('the grant is accepted')
    }

    it('is unknown without the extension', () => {
      expect(refusedAt({ find: '*', aggregate: '*' }, [])).toMatchObject([
        {
          where: 'permissions.public.aggregate',
          problem: 'aggregate is not an action, and no extension defines aggregate',
        },
      ])
    })

    it.each([
      ['aggregate', 'book', 'a grant must be a list of types or *'],
      ['aggregate', true, 'a grant must be a list of types or *'],
      ['aggregate', [1], 'the list of types contains a value that is not the name of a type'],
      ['aggregate.book', { book: 1 }, 'a grant must be true, false or an object'],
      ['aggregate.book', { book: null }, 'a grant must be true, false or an object'],
      ...[
        {},
        { minGroup: 0 },
        { minGroup: -1 },
        { minGroup: 1.5 },
        { minGroup: '5' },
        { minGroup: 5, where: {} },
      ].map((grant): [string, object, string] => [
        'aggregate.book',
        { book: grant },
        'aggregates() requires the grant true, false or { minGroup: 5 } with a positive integer',
      ]),
    ])('has its faults reported at the start: %s %j', (where, aggregate, problem) => {
      expect(refusedAt({ find: '*', aggregate })).toMatchObject([
        { where: `permissions.public.${where}`, problem },
      ])
    })

    it.each([[['boks']], [{ boks: true }]])('names known types: %j', (aggregate) => {
      expect(refusedAt({ find: '*', aggregate })).toMatchObject([
        { where: expect.stringMatching(/^permissions\.public\.aggregate/) as string },
      ])
    })

    it('may come from a function', async () => {
      const asked: string[] = []
      const { get } = served({
        permissions: (_role: string, type: string, action: string) => {
          asked.push(`${type} ${action}`)
          return type === 'api::book.book' || action === 'find'
        },
      })
      expect((await get('books/aggregate?aggregate[count]=true')).status).toBe(200)
      expect((await get('authors/aggregate?aggregate[count]=true')).status).toBe(403)
      expect(asked).toContain('api::author.author aggregate')
    })
  })

  describe('minGroup', () => {
    it('hides smaller groups, in pages, totals and facets', async () => {
      expect(await groups('groupBy=author.name')).toEqual([
        [null, 1],
        ['Ada', 2],
        ['Bo', 1],
      ])
      expect(await groups('groupBy=author.name', 'large')).toEqual([['Ada', 2]])
      expect(await groups('groupBy=author.name', 'larger')).toEqual([])
      const { meta } = await api().page('books?facets=author.name', 'large')
      expect(meta).toMatchObject({ facets: { 'author.name': [{ value: 'Ada', count: 2 }] } })
      const page = await api().page(
        'books/aggregate?groupBy=author.name&aggregate[count]=true&pagination[page]=7',
        'large',
      )
      expect(page.meta.pagination['total']).toBe(1)
    })

    it('hides a whole list, too', async () => {
      expect(await groups('filters[title]=Dawn', 'large')).toEqual([])
      expect(await groups('', 'larger')).toEqual([[4]])
    })

    it('is the smallest of the roles', async () => {
      expect(await groups('groupBy=author.name', 'large,larger')).toEqual([['Ada', 2]])
      expect(await groups('groupBy=author.name', 'larger,ofBooks')).toHaveLength(3)
    })
  })
})
