import { onSqlite } from '../support/databases'
import { collection, library } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { anyConditions } from '../support/query-limits'
import { stocked } from '../support/served'
import type { ContentRouterConfig } from '../../lib'
import { watchingSql } from '../support/watching'

const note = collection('note', {
  title: { type: 'string' },
  summary: { type: 'text' },
  body: { type: 'richtext' },
})
const types = [...(library as readonly object[]), note] as unknown as ContentRouterConfig['contentTypes']

const upTo = (count: number): number[] => [...Array(count).keys()]
const genres = (count: number, at = 'filters'): string =>
  upTo(count)
    .map((index) => `${at}[$and][${String(index)}][genres][name][$ne]=a`)
    .join('&')
const lists = (keys: number): string =>
  ['name', 'id', 'documentId', 'createdAt', 'updatedAt']
    .slice(0, keys)
    .map((name) => `genres.${name}`)
    .join()
const chain = (links: number): string =>
  upTo(links)
    .map((index) => (index % 2 === 0 ? '[author]' : '[books]'))
    .join('')
const titles = (count: number, at = 'filters'): string =>
  upTo(count)
    .map((index) => `${at}[$or][${String(index)}][title][$ne]=a`)
    .join('&')
const searches = (attribute: string, count: number): string =>
  upTo(count)
    .map((index) => `filters[$or][${String(index)}][${attribute}][$containsi]=a`)
    .join('&')

onSqlite((database) => {
  const { serve } = stocked(database, types, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    book: [{ title: 'Dawn', author: 'ada' }],
    note: [{ title: 'word', body: 'word' }],
  })

  /** True if this is the lowest limit that lets the query through. */
  const isLowest = async (
    limit: 'maxLinks' | 'maxConditions',
    most: number,
    path: string,
  ): Promise<boolean> => {
    const statuses = [most, most - 1]
      .filter((value) => value >= 0)
      .map(async (value) => (await serve({ query: { ...anyConditions, [limit]: value } }).get(path)).status)
    return (await Promise.all(statuses)).every((status, index) => status === (index === 0 ? 200 : 400))
  }

  describe('query.maxLinks', () => {
    it('is 8 by default', async () => {
      const { get, refusal } = serve()
      expect((await get(`books?${genres(8)}`)).status).toBe(200)
      expect(await refusal(`books?${genres(9)}`)).toEqual({
        message: 'Filters and sorts follow more than 8 relations; the option query.maxLinks sets this limit',
        path: 'filters.$and.8.genres.name',
      })
      expect((await get(`books?filters${chain(8)}[id]=1`)).status).toBe(200)
      expect((await get(`books?filters${chain(9)}[id]=1`)).status).toBe(400)
      expect((await serve({ query: { maxLinks: 9 } }).get(`books?${genres(9)}`)).status).toBe(200)
      expect((await get(`books?sort=${lists(4)}`)).status).toBe(200)
      expect((await get(`books?sort=${lists(5)}`)).status).toBe(400)
    })

    it('counts the filters and sorts of all levels', async () => {
      const { get } = serve()
      const path = `authors?populate[books][sort]=genres.name&${genres(6, 'populate[books][filters]')}`
      expect((await get(`${path}&filters[country][name]=a`)).status).toBe(400)
      expect((await get(path)).status).toBe(200)
    })

    it.each([
      ['books?filters[title]=a&sort=title', 0],
      ['books?populate[author][populate][country]=true', 0],
      ['books?filters[author][name]=a', 1],
      ['books?filters[author][country][name]=a', 2],
      ['books?sort=author.country.name', 2],
      ['books?filters[author]=1', 1],
      ['books?filters[genres][$null]=true', 1],
      ['books?filters[author][name]=a&filters[author][age]=1', 1],
      ['books?filters[author][$or][0][name]=a&filters[author][$or][1][age]=1', 1],
      ['books?filters[$or][0][author][name]=a&filters[$or][1][author][age]=1', 1],
      ['books?filters[$or][0][author][country][name]=a&filters[$or][1][author][country][name]=b', 2],
      ['books?filters[$and][0][author][name]=a&filters[$and][1][author][age]=1', 2],
      ['books?filters[$not][$and][0][genres][name]=a&filters[$not][$and][1][genres][name]=b', 1],
      ['books?filters[$not][$or][0][genres][name]=a&filters[$not][$or][1][genres][name]=b', 2],
      ['books?filters[$or][0][genres][$none][name]=a&filters[$or][1][genres][$none][name]=b', 2],
      ['books?filters[$not][author][$not][name]=a', 1],
      ['books?filters[seo][title]=a', 1],
      ['books?filters[cover][name]=a', 1],
      ['books?filters[genres][$none][name]=a', 1],
      ['books?filters[genres][$some][name]=a&filters[genres][$none][name]=b', 2],
      ['books?filters[genres][$count]=1', 2],
      ['books?sort=genres.$count', 2],
      ['books?sort=author.name,author.age', 2],
      ['books?sort=genres.name', 2],
      ['books?sort=author.books.title', 3],
    ])('counts in %s: %i', async (path, links) => {
      expect(await isLowest('maxLinks', links, path)).toBe(true)
    })

    it('sends no statement of a query that it rejects', async () => {
      const sent: string[] = []
      const extensions = [watchingSql((sql) => sent.push(sql))]
      const { get } = serve({ query: { maxLinks: 0 }, extensions })
      expect((await get('books?filters[author][name]=Ada')).status).toBe(400)
      expect(sent).toEqual([])
    })

    it('counts nothing of a type that the role may not read', async () => {
      const { get, refusal } = serve({ query: { maxLinks: 0 }, permissions: { public: { find: ['book'] } } })
      for (const name of ['name', 'nope'])
        expect((await get(`books?populate[author][filters][country][${name}]=a`)).status).toBe(200)
      for (const name of ['author', 'nobody'])
        expect((await refusal(`books?filters[${name}][name]=a`)).message).toBe(`Invalid key ${name}`)
    })
  })

  describe('query.maxConditions', () => {
    it('is 100 by default', async () => {
      const { get, refusal } = serve()
      const both = (count: number): string =>
        `authors?${titles(count, 'populate[books][filters]')}&${upTo(50)
          .map((index) => `filters[$or][${String(index)}][name][$ne]=a`)
          .join('&')}`
      expect((await get(both(50))).status).toBe(200)
      expect(await refusal(both(51))).toMatchObject({
        message: 'Filters contain more than 100 conditions; the option query.maxConditions sets this limit',
      })
      expect((await serve({ query: { maxConditions: 101 } }).get(both(51))).status).toBe(200)
    })

    it.each([
      ['notes?sort=title&_q=word', 0],
      ['notes?filters[title]=a', 1],
      ['notes?filters[title][$in][0]=a&filters[title][$in][1]=b', 1],
      ['notes?filters[title][$containsi]=a', 2],
      ['notes?filters[id][$gt]=1', 1],
      ['notes?filters[createdAt][$lt]=2020-01-01', 1],
      ['notes?filters[title][$contains][0]=a&filters[title][$contains][1]=b', 4],
      ['notes?filters[$not][title][$not][$eq]=a', 1],
      ['notes?filters[id][$between][0]=1&filters[id][$between][1]=2', 1],
      ['books?filters[genres][$count][$gt]=1', 1],
      ['notes?filters[summary]=a', 1],
      ['notes?filters[title][$endsWithi]=a', 4],
      ['notes?filters[summary][$contains]=a', 4],
      ['notes?filters[summary][$endsWithi]=a', 8],
      ['notes?filters[body][$eq]=a', 1],
      ['notes?filters[body][$notNull]=true', 1],
      ['notes?filters[body][$in][0]=a&filters[body][$in][1]=b', 1],
      ['notes?filters[body][$lt]=a', 32],
      ['notes?filters[body][$contains][0]=a&filters[body][$contains][1]=b', 64],
    ])('counts in %s: %i', async (path, conditions) => {
      expect(await isLowest('maxConditions', conditions, path)).toBe(true)
    })

    it('takes fifty searches of lines, 25 of paragraphs and three of long texts by default', async () => {
      const { get } = serve()
      for (const [attribute, most] of [
        ['title', 50],
        ['summary', 25],
        ['body', 3],
      ] as const) {
        expect((await get(`notes?${searches(attribute, most)}`)).status).toBe(200)
        expect((await get(`notes?${searches(attribute, most + 1)}`)).status).toBe(400)
      }
    })
  })

  describe('limits on links and conditions with rules', () => {
    const own = stocked(database, orderTypes, orderContent)

    it('leave out the conditions of rules', async () => {
      const permissions = { public: { find: { order: { where: { customer: { name: 'Ada' } } } } } }
      const { get, list } = own.serve({ permissions, query: { maxLinks: 0, maxConditions: 0 } })
      expect((await list('orders')).length).toBeGreaterThan(0)
      expect((await get('orders?filters[paid]=true')).status).toBe(400)
    })
  })
})
