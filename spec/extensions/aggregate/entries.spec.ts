import { onSqlite } from '../../support/databases'
import { aggregatedBooks } from './books'

onSqlite((database) => {
  const { api, groups, counted } = aggregatedBooks(database)

  describe('status and locale', () => {
    it('drafts take the grant for drafts', async () => {
      expect((await api().get('books/aggregate?aggregate[count]=true&status=draft')).status).toBe(403)
      expect((await api().get('books?facets=title&status=draft')).status).toBe(403)
      expect(await counted('status=draft', 'editor')).toBe(5)
      expect(await groups('status=draft&groupBy=year&filters[year][$gte]=2010', 'editor')).toEqual([
        [2020, 1],
        [2030, 1],
      ])
      expect(await counted('', 'editor')).toBe(4)
    })

    it('count one locale, or all', async () => {
      expect(await groups('groupBy=title', 'public', 'memos')).toEqual([
        ['one', 1],
        ['two', 1],
      ])
      expect(await groups('groupBy=title&locale=fr', 'public', 'memos')).toEqual([['un', 1]])
      expect(await groups('groupBy=locale&locale=*', 'public', 'memos')).toEqual([
        ['en', 2],
        ['fr', 1],
      ])
    })

    it('_q and publication filters select entries', async () => {
      expect(await groups('groupBy=title&_q=Du')).toEqual([['Dusk', 1]])
      expect(await counted('status=draft&publicationFilter=never-published', 'editor')).toBe(1)
    })
  })

  describe('paths', () => {
    it('follow components, and repeated ones count an entry once in each group', async () => {
      expect(await groups('groupBy=seo.title')).toEqual([
        [null, 2],
        ['first', 2],
      ])
      expect(await groups('groupBy=notes.text')).toEqual([
        [null, 2],
        ['m', 1],
        ['n', 2],
      ])
      expect(await groups('groupBy=genres.name')).toEqual([
        [null, 2],
        ['Crime', 2],
        ['Essay', 1],
      ])
    })

    it.each(['sections', 'sections.heading'])('do not follow dynamic zones: %s', async (name) => {
      const { path } = await api().refusal(`books/aggregate?aggregate[count]=true&groupBy=${name}`)
      expect(path).toBe(`groupBy.${name}`)
    })

    it('lead to media', async () => {
      expect(await groups('groupBy=cover.name')).toEqual([[null, 4]])
    })

    it('of single types have no aggregates', async () => {
      expect((await api().get('home/aggregate?aggregate[count]=true')).status).toBe(404)
    })
  })
})
