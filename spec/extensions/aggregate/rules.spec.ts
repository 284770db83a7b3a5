import { onSqlite } from '../../support/databases'
import { aggregatedBooks } from './books'

onSqlite((database) => {
  const { api, groups, counted } = aggregatedBooks(database)

  describe('the rules of find', () => {
    const authorId = async (): Promise<unknown> =>
      (await api().values('authors?filters[name]=Ada', 'documentId'))[0]

    it('select the entries', async () => {
      expect(await counted('', 'late')).toBe(3)
      expect(await groups('groupBy=title', 'late')).toEqual([
        ['Dusk', 1],
        ['Night', 1],
        ['Noon', 1],
      ])
    })

    it('hide linked entries as if there were none', async () => {
      expect(await groups('groupBy=author.name', 'late')).toEqual([
        [null, 2],
        ['Ada', 1],
      ])
      expect(await groups('groupBy=author', 'late')).toEqual([
        [null, 2],
        [await authorId(), 1],
      ])
      expect(await groups('groupBy=books.title', 'late', 'authors')).toEqual([['Dusk', 1]])
    })

    it('hide books behind an author', async () => {
      expect(await groups('groupBy=books.title', 'public', 'authors')).toEqual([
        ['Dawn', 1],
        ['Dusk', 1],
        ['Noon', 1],
      ])
    })

    it('compare with values of the caller', async () => {
      expect(await groups('groupBy=title', 'own')).toEqual([['Night', 1]])
    })

    it('of several roles add up', async () => {
      expect(await counted('', 'late,early')).toBe(4)
      expect(await counted('', 'own,early')).toBe(2)
    })
  })

  /** `hidden`: the name that the role may not use. Beside it a request with a name that does not exist. */
  describe.each([
    ['a private attribute', 'public', 'ledger', 'ledger'],
    ['a field that a rule leaves out', 'late', 'blurb', 'blurb'],
    ['a relation that a rule leaves out', 'late', 'genres', 'genres'],
    ['an attribute behind a relation that a rule leaves out', 'late', 'genres.name', 'genres'],
    ['a field that a rule of a linked type leaves out', 'late', 'author.age', 'age'],
    ['a relation to a type without a grant', 'typeless', 'author', 'author'],
    ['an attribute of a type without a grant', 'typeless', 'author.name', 'author'],
  ])('%s', (_, role, name, hidden) => {
    it.each([
      'books/aggregate?groupBy=NAME&aggregate[count]=true',
      'books/aggregate?groupBy=title&groupBy=NAME&aggregate[count]=true',
      'books/aggregate?groupBy=NAME:month&aggregate[count]=true',
      'books/aggregate?aggregate[countDistinct]=NAME',
      'books/aggregate?aggregate[sum]=NAME',
      'books/aggregate?aggregate[min]=title,NAME',
      'books/aggregate?groupBy=NAME&sort=NAME&aggregate[count]=true',
      'books/aggregate?groupBy=NAME&having[NAME][$eq]=x&aggregate[count]=true',
      'books/aggregate?aggregate[count]=true&having[NAME][$eq]=x',
      'books/aggregate?aggregate[count]=true&sort=NAME',
      'books?facets=NAME',
      'books?facets=title,NAME',
    ])('is an unknown name: %s', async (query) => {
      const word = new RegExp(`\\b${hidden}\\b`, 'g')
      const none = name.replace(word, 'nothing')
      const [refused, unknown] = await Promise.all(
        [name, none].map((one) => api().get(query.replaceAll('NAME', one), role)),
      )
      expect(unknown?.status).toBe(400)
      expect(refused?.status).toBe(400)
      expect(refused?.text.replace(word, 'nothing')).toBe(unknown?.text)
      expect(refused?.headers['cache-control']).toBe(unknown?.headers['cache-control'])
    })
  })

  it('an attribute that some entries hide has no groups, with a fault that names the parameter', async () => {
    const { message, path } = await api().refusal(
      'books/aggregate?groupBy=year&aggregate[count]=true',
      'late,early',
    )
    expect([message, path]).toEqual(['Invalid groupBy: year is hidden in some entries', 'groupBy.year'])
    const facet = await api().refusal('books?facets=year', 'late,early')
    expect(facet.message).toBe('Invalid facets: year is hidden in some entries')
    expect(await counted('aggregate[countDistinct]=title', 'late,early')).toBe(4)
  })
})
