import { runInNewContext } from 'node:vm'
import { defaultQueries } from '../../../extensions/queries'
import { contentRouter, type ContentRouter } from '../../../lib'
import { contentClient } from '../../../extensions/client'
import { onSqlite } from '../../support/databases'
import { type Host, serveRouters } from '../../support/host'
import { collection, integer, relation, text } from '../../support/library'
import { stocked } from '../../support/served'

const types = [
  collection('book', {
    title: text,
    pages: integer,
    notes: { type: 'json' },
    author: relation('manyToOne', 'author'),
  }),
  collection('author', { name: text, motto: text }),
] as unknown as Parameters<typeof stocked>[1]

const content = {
  author: [
    { $ref: 'ada', name: 'Ada', motto: 'on' },
    { $ref: 'bo', name: 'Bo' },
  ],
  book: [
    { title: 'Dawn', pages: 1, notes: { a: 1 }, author: 'ada' },
    { title: 'Dusk', pages: 2, author: 'bo' },
    { title: 'Noon' },
  ],
}

/** As some write what is asked: none of it is listed. */
class Wanted {
  get title(): string {
    return 'Dawn'
  }
}
const sparse = Object.assign(new Array<string>(2), { 1: 'Dawn' })

/** Of another frame, whose `Date` is another. */
const otherDate: unknown = runInNewContext('new Date(0)')

/** What each finds of Dawn, Dusk and Noon, and what no URL has words of its own for. */
const meanings: readonly (readonly [filters: object, found: readonly string[]])[] = [
  [{ pages: null }, ['Noon']],
  [{ pages: { $eq: null } }, ['Noon']],
  [{ pages: { $ne: null } }, ['Dawn', 'Dusk']],
  [{ pages: { $not: { $eq: null } } }, ['Dawn', 'Dusk']],
  [{ notes: null }, ['Dusk', 'Noon']],
  [{ author: { motto: null, name: { $ne: null } } }, ['Dusk']],
  [{ title: [] }, []],
  [{ author: { $count: [] } }, []],
  [{ title: { $in: [] } }, []],
  [{ pages: { $in: [] } }, []],
  [{ pages: { $in: [], $gt: 0 } }, []],
  [{ author: { name: { $in: [] } } }, []],
  [{ $or: [{ title: { $in: [] } }, { pages: 2 }] }, ['Dusk']],
  [{ $not: { title: { $in: [] } } }, ['Dawn', 'Dusk', 'Noon']],
  [{ pages: { $not: { $in: [] } } }, ['Dawn', 'Dusk', 'Noon']],
  [{ title: { $notIn: [] } }, ['Dawn', 'Dusk', 'Noon']],
  [{ title: { $notIn: [], $startsWith: 'D' } }, ['Dawn', 'Dusk']],
  [{ $or: [{ pages: { $notIn: [] } }, { title: 'Dawn' }] }, ['Dawn', 'Dusk', 'Noon']],
  [{ $not: { title: { $notIn: [] } } }, []],
  [{ title: { $in: [], $null: false } }, []],
  [{ title: { $null: false, $in: [], $notNull: false } }, []],
  [{ $or: [{ title: { $in: [] } }] }, []],
  [{ $and: [{ title: { $notIn: [] } }] }, ['Dawn', 'Dusk', 'Noon']],
  [{ createdAt: { $lt: new Date(0) } }, []],
  [{ createdAt: { $gt: otherDate } }, ['Dawn', 'Dusk', 'Noon']],
  [{}, ['Dawn', 'Dusk', 'Noon']],
]

const shapes: readonly object[] = [
  { fields: [] },
  { fields: ['title'], populate: { author: {} } },
  { fields: ['title'], populate: { author: { fields: [] } } },
  { fields: ['title'], populate: { author: { fields: undefined, populate: undefined } } },
  { fields: ['title'], populate: { author: undefined } },
  { fields: undefined, sort: [], populate: [], pagination: {} },
]

/** What takes the place of the defaults of the type, or leaves them. */
const besideDefaults: readonly (readonly [query: object, titles: readonly string[], hasAuthor: boolean])[] = [
  [{}, ['Noon', 'Dusk', 'Dawn'], true],
  [{ populate: undefined, sort: undefined }, ['Noon', 'Dusk', 'Dawn'], true],
  [{ populate: {} }, ['Noon', 'Dusk', 'Dawn'], false],
  [{ populate: [] }, ['Noon', 'Dusk', 'Dawn'], false],
  [{ populate: { author: undefined } }, ['Noon', 'Dusk', 'Dawn'], false],
  [{ populate: '' }, ['Noon', 'Dusk', 'Dawn'], false],
  [{ sort: [] }, ['Dawn', 'Dusk', 'Noon'], true],
  [{ sort: 'title', populate: { author: { populate: {} } } }, ['Dawn', 'Dusk', 'Noon'], true],
]

/** Conditions that would fall away in a URL, and show what they were to keep back. */
const unsayable: readonly (readonly [query: object, path: string])[] = [
  [{ filters: { title: undefined } }, 'filters.title'],
  [{ filters: { title: { $eq: undefined } } }, 'filters.title.$eq'],
  [{ filters: { title: { $in: ['Dawn', undefined] } } }, 'filters.title.$in.1'],
  [{ filters: { $or: [] } }, 'filters.$or'],
  [{ filters: { $and: [] } }, 'filters.$and'],
  [{ filters: { pages: { $between: [] } } }, 'filters.pages.$between'],
  [{ populate: { author: { filters: { name: undefined } } } }, 'populate.author.filters.name'],
  [{ filters: { title: () => 'Dawn' } }, 'filters.title'],
  [{ filters: { title: { $in: new Set(['Dawn']) } } }, 'filters.title.$in'],
  [{ filters: new Wanted() }, 'filters'],
  [{ filters: null }, 'filters'],
  [{ filters: [] }, 'filters'],
  [{ filters: { title: { $in: sparse } } }, 'filters.title.$in.0'],
  [{ filters: { createdAt: { $lt: new Date(NaN) } } }, 'filters.createdAt.$lt'],
  [{ filters: Object.defineProperty({ pages: 1 }, 'title', { value: 'Dawn' }) }, 'filters'],
  [{ fields: new Set(['title']) }, 'fields'],
  [{ fields: [undefined] }, 'fields.0'],
  [{ query: 'some', ids: new Set([1]) }, 'ids'],
  [new Wanted(), ''],
  [{ filters: { title: Object.assign(new Wanted(), { $in: ['Dawn', 'Dusk'] }) } }, 'filters.title'],
  [{ populate: Object.assign(new Wanted(), { author: true }) }, 'populate'],
  [{ populate: { author: [] } }, 'populate.author'],
  [{ locale: [] }, 'locale'],
  [{ fallback: [] }, 'fallback'],
  [{ filters: { title: { '': 'Dawn' } } }, 'filters.title.'],
]

const alsoUnsayable: readonly (readonly [query: object, path: string])[] = [
  [{ filter: {} }, 'filter'],
  [{ query: 'some', ids: [] }, 'ids'],
  [{ filters: { 'title][$eq': 'Dawn' } }, 'filters.title][$eq'],
  [{ filters: { title: {} } }, 'filters.title'],
  [{ filters: { $or: [{}, { title: 'Dawn' }] } }, 'filters.$or.0'],
  [{ filters: { $not: {} } }, 'filters.$not'],
  [{ filters: { author: { $none: {} } } }, 'filters.author.$none'],
  [{ populate: { author: { on: {} } } }, 'populate.author.on'],
]

onSqlite((database) => {
  const { world } = stocked(database, types, content)

  describe('what a query means', () => {
    let router: ContentRouter
    let withDefaults: ContentRouter
    let host: Host
    const sent: string[] = []
    beforeAll(async () => {
      router = world.closing(
        contentRouter({
          ...{ contentTypes: types, database: world.config, logger: false },
          permissions: { public: { find: ['book', 'author'] } },
        }),
      )
      withDefaults = world.closing(
        contentRouter({
          ...{ contentTypes: types, database: world.config, logger: false },
          permissions: { public: { find: ['book', 'author'] } },
          extensions: [defaultQueries({ book: { populate: ['author'], sort: 'title:desc' } })],
        }),
      )
      host = await serveRouters({ '/api': router, '/defaults': withDefaults })
    })
    afterAll(() => host.close())

    const overHttp = (query: object, at = '/api'): Promise<unknown> =>
      contentClient({
        url: `${host.at}${at}`,
        fetch: (url, init) => {
          sent.push(url)
          return fetch(url, init)
        },
      }).find('books', query)
    const inside = (query: object): Promise<unknown> => router.as('public').find('books', query)

    it.each(meanings)('is the same over HTTP and in the process: %j', async (filters, found) => {
      const query = { filters, sort: 'title', fields: ['title'] }
      const answer = (await inside(query)) as { readonly data: readonly { readonly title: string }[] }
      expect(answer.data.map(({ title }) => title)).toEqual(found)
      expect(await overHttp(query)).toEqual(answer)
    })

    it('leads from a cursor of the one to the page of the other, also where no condition is written', async () => {
      const asked = { filters: {}, sort: 'title', fields: ['title'] }
      const from = (after: string): object => ({ ...asked, pagination: { after, pageSize: 1 } })
      const cursorIn = (answer: unknown): string =>
        (answer as { meta: { pagination: { endCursor: string } } }).meta.pagination.endCursor
      const first = [await overHttp(from('')), await inside(from(''))]
      const [overThere, here] = first.map(cursorIn)
      expect(overThere).toBe(here)
      const second = await overHttp(from(here ?? ''))
      expect(second).toMatchObject({ data: [{ title: 'Dusk' }] })
      expect(await inside(from(overThere ?? ''))).toEqual(second)
    })

    it.each(shapes)('has the same shape: %j', async (query) => {
      expect(await overHttp({ sort: 'title', ...query })).toEqual(await inside({ sort: 'title', ...query }))
    })

    it.each(besideDefaults)('is the same beside defaults: %j', async (query, titles, hasAuthor) => {
      const asked = { fields: ['title'], ...query }
      const answer = await withDefaults.as('public').find('books', asked)
      expect(answer.data.map((book) => book['title'])).toEqual(titles)
      expect(answer.data.some((book) => 'author' in book)).toBe(hasAuthor)
      expect(await overHttp(asked, '/defaults')).toEqual(answer)
    })

    it.each([...unsayable, ...alsoUnsayable])(
      'is not sent where it would be lost: %j',
      async (query, path) => {
        sent.length = 0
        await expect(overHttp(query)).rejects.toMatchObject({ status: 400, details: { path } })
        expect(sent).toEqual([])
      },
    )

    it.each([{ filters: 'Dawn' }, { populate: { author: { on: '*' } } }, { pagination: '5' }])(
      'is refused by the server where it can be said: %j',
      async (query) => {
        sent.length = 0
        await expect(overHttp(query)).rejects.toMatchObject({ status: 400, details: { source: 'query' } })
        expect(sent).toHaveLength(1)
      },
    )

    it('is not asked of what every object has', async () => {
      const named = JSON.parse('{"title":{"__proto__":{"$eq":"Dawn"}}}') as object
      for (const ask of [overHttp, inside])
        await expect(ask({ filters: named })).rejects.toMatchObject({ status: 400 })
    })

    it.each(unsayable)('is refused in the process as well: %j', async (query) => {
      await expect(inside(query)).rejects.toMatchObject({ status: 400 })
    })
  })
})
