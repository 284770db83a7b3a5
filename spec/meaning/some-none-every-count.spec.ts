import request from 'supertest'
import type { SeedContent } from '../../extensions/seed'
import { asStrapi } from '../support/as-strapi'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'
import { anyConditions } from '../support/query-limits'
import { watchingSql } from '../support/watching'

const prose = (heading: string | null): Readonly<Record<string, string | null>> => ({
  __component: 'page.prose',
  heading,
})

/** The title of a book describes its links. */
const content: SeedContent = {
  $locales: ['en', 'fr'],
  country: [
    { $ref: 'pt', name: 'Portugal' },
    { $ref: 'se', name: 'Sweden' },
  ],
  genre: [
    { $ref: 'red', name: 'red' },
    { $ref: 'blue', name: 'blue' },
    { $ref: 'nameless', name: null },
  ],
  author: [
    { $ref: 'ada', name: 'Ada', age: 40, country: 'pt' },
    { $ref: 'bob', name: 'Bob', age: 50 },
    { $ref: 'eve', name: 'Eve', age: 60, country: 'se' },
  ],
  book: [
    {
      ...{ $ref: 'both', title: 'both', year: 1, author: 'ada', genres: ['red', 'blue'] },
      notes: [{ text: 'long', by: 'ada' }, { text: 'short' }],
      ...{ cover: { name: 'a.png' }, plates: [{ name: 'b.png' }, { name: 'c.png' }] },
      sections: [prose('one'), { __component: 'page.pick', title: 'one', books: ['bare'] }, prose('two')],
    },
    {
      ...{ $ref: 'reds', title: 'reds', year: 2, author: 'ada', genres: ['red'] },
      notes: [{ text: 'long', by: 'bob' }],
      sections: [prose('two')],
      seo: { title: 'seo' },
    },
    {
      ...{ $ref: 'unnamed', title: 'unnamed', year: 3, author: 'bob', genres: ['red', 'nameless'] },
      sections: [{ __component: 'page.gallery', caption: 'two', plates: [{ name: 'd.png' }] }, prose(null)],
    },
    { $ref: 'bare', title: 'bare', year: 4 },
    {
      ...{ $ref: 'unsent', title: 'unsent', year: 5, author: 'ada', genres: ['blue'], $status: 'draft' },
      sections: [prose('three')],
    },
  ],
  review: [
    {
      ...{ $ref: 'r1', verdict: 'good', subject: { book: 'both' } },
      mentions: [{ book: 'reds' }, { author: 'eve' }],
    },
    { $ref: 'r2', verdict: 'bad', subject: { book: 'both' }, mentions: [{ book: 'unsent' }] },
    { $ref: 'r3', verdict: 'good', subject: { author: 'bob' }, mentions: [] },
    { $ref: 'r4', verdict: 'none' },
  ],
  memo: [
    { title: 'everywhere', $locales: { fr: { title: 'partout' } } },
    { title: 'drafted', $locales: { fr: { title: 'brouillon', $status: 'draft' } } },
    { title: 'alone' },
  ],
}

const of = (list: string, query: string): string => `${list}?sort=id&${query}`

onSqlite((database) => {
  const { serve } = stocked(database, library, content)
  const all = { public: { find: '*', drafts: '*' } } as const
  let kept: Served | undefined
  const api = (): Served => (kept ??= serve({ permissions: all }))
  const books = (query: string): Promise<unknown[]> => api().values(of('books', query), 'title')
  const refused = (path: string): Promise<unknown> => api().refusal(path)

  describe('$some', () => {
    it('finds entries with a linked entry that meets all conditions inside', async () => {
      expect(await books('filters[genres][$some][name]=red')).toEqual(['both', 'reds', 'unnamed'])
      const same = 'filters[notes][$some][text]=long&filters[notes][$some][by][name]=Bob'
      expect(await books(same)).toEqual(['reds'])
    })

    it('requires a linked entry, also for $null', async () => {
      expect(await books('filters[genres][name][$null]=true')).toEqual(['unnamed', 'bare'])
      expect(await books('filters[genres][$some][name][$null]=true')).toEqual(['unnamed'])
      expect(await books('filters[author][$some][country][name][$null]=true')).toEqual(['unnamed'])
    })

    it('compares ids if no attribute is named', async () => {
      const [red] = await api().list('genres?filters[name]=red')
      expect(await books(`filters[genres][$some]=${String(red?.['id'])}`)).toEqual([
        'both',
        'reds',
        'unnamed',
      ])
    })
  })

  describe('$none', () => {
    it('finds entries without a matching linked entry, and empty lists', async () => {
      expect(await books('filters[genres][$none][name]=blue')).toEqual(['reds', 'unnamed', 'bare'])
      expect(await books('filters[genres][$none][name]=red')).toEqual(['bare'])
      expect(await books('filters[genres][$none][id][$notNull]=true')).toEqual(['bare'])
    })

    it('takes a linked entry with null for one that does not match', async () => {
      expect(await books('filters[genres][$none][name][$ne]=red')).toEqual(['reds', 'unnamed', 'bare'])
    })
  })

  describe('$every', () => {
    it('finds entries whose linked entries all match, and empty lists', async () => {
      expect(await books('filters[genres][$every][name]=red')).toEqual(['reds', 'bare'])
      expect(await books('filters[notes][$every][text]=long')).toEqual(['reds', 'unnamed', 'bare'])
    })

    it('does not match a linked entry with null, nor does its negation', async () => {
      expect(await books('filters[genres][$every][name][$ne]=blue')).toEqual(['reds', 'bare'])
      expect(await books('filters[genres][$every][$not][name]=blue')).toEqual(['reds', 'bare'])
      expect(
        await books(
          'filters[genres][$every][$or][0][name]=red&filters[genres][$every][$or][1][name][$null]=true',
        ),
      ).toEqual(['reds', 'unnamed', 'bare'])
    })

    it('accepts conditions through further links', async () => {
      expect(
        await books('filters[notes][$every][by][$some][name][$in][0]=Ada&filters[notes][$count]=1'),
      ).toEqual([])
      expect(await books('filters[notes][$every][by][$some][name]=Bob&filters[notes][$count]=1')).toEqual([
        'reds',
      ])
    })
  })

  describe('$count', () => {
    it.each([
      ['[$gte]=2', ['both', 'unnamed']],
      ['[$gt]=0', ['both', 'reds', 'unnamed']],
      ['=1', ['reds']],
      ['=0', ['bare']],
      ['[$lt]=2', ['reds', 'bare']],
      ['[$lte]=0', ['bare']],
      ['[$ne]=2', ['reds', 'bare']],
      ['[$in][0]=0&filters[genres][$count][$in][1]=1', ['reds', 'bare']],
      ['[$notIn][0]=0&filters[genres][$count][$notIn][1]=1', ['both', 'unnamed']],
      ['[$between][0]=0&filters[genres][$count][$between][1]=1', ['reds', 'bare']],
      ['[$not][$gte]=2', ['reds', 'bare']],
      ['[$eqi]=2', ['both', 'unnamed']],
      ['[$nei]=2', ['reds', 'bare']],
      ['[$contains]=2', ['both', 'unnamed']],
      ['[$startsWith]=0', ['bare']],
      ['[$notContains]=0', ['both', 'reds', 'unnamed']],
      ['[$null]=true', []],
      ['[$notNull]=true', ['both', 'reds', 'unnamed', 'bare']],
      ['[$gte]=1&filters[genres][$count][$lt]=2', ['reds']],
      ['[$or][0]=0&filters[genres][$count][$or][1][$eq]=2', null],
      ['[$or][0][$eq]=0&filters[genres][$count][$or][1][$eq]=2', ['both', 'unnamed', 'bare']],
    ])('compares the number of linked entries as an integer: %s', async (end, found) => {
      const path = of('books', `filters[genres][$count]${end}`)
      if (found === null) expect((await api().get(path)).status).toBe(400)
      else expect(await api().values(path, 'title')).toEqual(found)
    })

    it('sorts by the number of linked entries, and breaks ties by id', async () => {
      const sorted = (sort: string): Promise<unknown[]> => api().values(`books?sort=${sort}`, 'title')
      expect(await sorted('genres.$count:desc')).toEqual(['both', 'unnamed', 'reds', 'bare'])
      expect(await sorted('genres.$count')).toEqual(['bare', 'reds', 'both', 'unnamed'])
      expect(await sorted('genres.$count:desc,title:desc')).toEqual(['unnamed', 'both', 'reds', 'bare'])
      expect(await api().values('books?sort[genres][$count]=desc', 'title')).toEqual(
        await sorted('genres.$count:desc'),
      )
    })

    it('sorts through links, and counts a missing relation as zero', async () => {
      expect(await api().values('books?sort=author.books.$count:desc,title', 'title')).toEqual([
        ...['both', 'reds', 'unnamed', 'bare'],
      ])
      expect(await api().values('genres?sort=books.genres.$count:desc,id', 'name')).toEqual([
        'red',
        'blue',
        null,
      ])
      expect(await api().values('genres?sort=books.genres.$count,id', 'name')).toEqual(['red', 'blue', null])
    })

    it('sorts pages that show each entry once', async () => {
      const pages: unknown[] = []
      for (const page of [1, 2, 3, 4]) {
        const cut = `pagination[pageSize]=1&pagination[page]=${String(page)}`
        const { data, meta } = await api().page(
          `books?sort=genres.$count:desc&filters[genres][$count][$gte]=0&${cut}`,
        )
        expect(meta.pagination['total']).toBe(4)
        pages.push(...data.map(({ title }) => title))
      }
      expect(pages).toEqual(['both', 'unnamed', 'reds', 'bare'])
    })
  })

  describe('every kind of link', () => {
    it.each([
      ['a relation to one', 'filters[author][$none][name]=Ada', ['unnamed', 'bare']],
      ['a relation to one that is counted', 'filters[author][$count]=0', ['bare']],
      ['media', 'filters[plates][$count][$gte]=2', ['both']],
      ['media of which there is one', 'filters[cover][$some][name]=a.png', ['both']],
      ['media that none may be', 'filters[plates][$none][name]=b.png', ['reds', 'unnamed', 'bare']],
      ['a repeatable component', 'filters[notes][$count]=2', ['both']],
      ['a component', 'filters[seo][$every][title]=other', ['both', 'unnamed', 'bare']],
      ['the other side of a relation to any type', 'filters[reviews][$count]=2', ['both']],
      ['the same for each', 'filters[reviews][$every][verdict]=good', ['reds', 'unnamed', 'bare']],
    ])('accepts these operators: %s', async (_, query, found) => {
      expect(await books(query)).toEqual(found)
    })

    it('accepts these operators for visible localizations', async () => {
      const titles = (query: string): Promise<unknown[]> => api().values(of('memos', query), 'title')
      expect(await titles('filters[localizations][$count]=1')).toEqual(['everywhere'])
      expect(await titles('filters[localizations][$none][title]=partout')).toEqual(['drafted', 'alone'])
      expect(await titles('status=draft&filters[localizations][$count]=1')).toEqual(['everywhere', 'drafted'])
      expect(await titles('locale=fr&filters[localizations][$some][title]=everywhere')).toEqual(['partout'])
    })
  })

  describe('a zone', () => {
    it.each([
      ['[$some][__component]=page.pick', ['both']],
      ['[$none][__component]=page.prose', ['bare']],
      ['[$every][__component]=page.prose', ['reds', 'bare']],
      ['[$every][__component][$ne]=page.pick', ['reds', 'unnamed', 'bare']],
      [
        '[$some][__component][$in][0]=page.pick&filters[sections][$some][__component][$in][1]=page.gallery',
        null,
      ],
      ['[$some][__component][$notIn][0]=page.prose', ['both', 'unnamed']],
      ['[$some][on][page.prose][heading][$contains]=tw', ['both', 'reds']],
      ['[$none][on][page.prose][heading][$contains]=tw', ['unnamed', 'bare']],
      ['[$every][on][page.prose][heading][$contains]=tw', ['reds', 'bare']],
      ['[$none][on][page.prose][heading][$null]=true', ['both', 'reds', 'bare']],
      ['[$some][on][page.pick][books][$some][title]=bare', ['both']],
      ['[$some][on][page.gallery][plates][$count]=1', ['unnamed']],
      ['[$some][$not][on][page.prose][heading]=two', ['both', 'unnamed']],
      ['[$count]=3', ['both']],
      ['[$count][$lt]=2', ['reds', 'bare']],
    ])('is filtered by its components and by the attributes of one component: %s', async (query, found) => {
      expect(await books(`filters[sections]${query}`)).toEqual(found ?? ['both', 'unnamed'])
    })

    it('matches conditions for several components with $or', async () => {
      const either = (which: string): Promise<unknown[]> =>
        books(
          `filters[sections][${which}][on][page.prose][heading]=two&filters[sections][${which}][on][page.gallery][caption]=two`,
        )
      expect(await either('$some')).toEqual(['both', 'reds', 'unnamed'])
      expect(await either('$every')).toEqual(['reds', 'bare'])
      expect(await either('$none')).toEqual(['bare'])
    })

    it('is sorted by the number of its components', async () => {
      expect(await api().values('books?sort=sections.$count:desc', 'title')).toEqual([
        ...['both', 'unnamed', 'reds', 'bare'],
      ])
    })

    it.each([
      [
        'filters[sections][$some][on][page.nope][x]=1',
        'Invalid key page.nope: did you mean page.prose?',
        'filters.sections.$some.on.page.nope',
      ],
      [
        'filters[sections][$some][on][shared.note][text]=1',
        'Invalid key shared.note',
        'filters.sections.$some.on.shared.note',
      ],
      [
        'filters[sections][$some][__component]=page.nope',
        'Invalid key page.nope: did you mean page.prose?',
        'filters.sections.$some.__component',
      ],
      ['filters[sections][$some][heading]=two', 'Invalid key heading', 'filters.sections.$some.heading'],
      [
        'filters[sections][$some][on][page.prose][nope]=1',
        'Invalid key nope',
        'filters.sections.$some.on.page.prose.nope',
      ],
      [
        'filters[sections][$none][$and][0][__component]=page.pick&filters[sections][$none][$and][1][on][page.prose][nope]=1',
        'Invalid key nope',
        'filters.sections.$none.$and.1.on.page.prose.nope',
      ],
      [
        'filters[sections][$some][$or][0][__component]=page.prose&filters[sections][$some][$or][1][on][page.prose][nope]=1',
        'Invalid key nope',
        'filters.sections.$some.$or.1.on.page.prose.nope',
      ],
      ['filters[sections][$some][__type]=page.prose', 'Invalid key __type', 'filters.sections.$some.__type'],
      [
        'filters[sections][$some][__component][$contains]=page',
        'Invalid key $contains',
        'filters.sections.$some.__component.$contains',
      ],
      ['filters[sections][$some]=1', '$eq needs an attribute to compare', 'filters.sections.$some'],
      ['filters[sections][$some][$some][heading]=1', 'Invalid key $some', 'filters.sections.$some.$some'],
      [
        'filters[sections][$none][on]=page.prose',
        'Invalid key on: expected an object with conditions for each type',
        'filters.sections.$none.on',
      ],
      ['filters[sections][heading]=two', 'Invalid key sections', 'filters.sections'],
    ])('rejects invalid conditions: %s', async (query, message, path) => {
      expect(await refused(`books?${query}`)).toEqual({ message, path })
    })
  })

  describe('a morph relation', () => {
    const reviews = (query: string): Promise<unknown[]> => api().values(of('reviews', query), 'id')
    const idsOf = async (...verdicts: number[]): Promise<unknown[]> => {
      const ids = await api().values('reviews?sort=id', 'id')
      return verdicts.map((number) => ids[number - 1])
    }

    it.each([
      ['filters[subject][$some][__type]=api::book.book', [1, 2]],
      ['filters[subject][$none][__type]=api::book.book', [3, 4]],
      ['filters[subject][$some][on][api::author.author][name]=Bob', [3]],
      ['filters[subject][$count]=0', [4]],
      ['filters[mentions][$count]=2', [1]],
      ['filters[mentions][$count]=0', [2, 3, 4]],
      ['filters[mentions][$every][__type]=api::book.book', [2, 3, 4]],
      ['filters[mentions][$some][on][api::book.book][genres][$some][name]=red', [1]],
      ['status=draft&filters[mentions][$count]=1', [2]],
    ])('is filtered by types that the role may find: %s', async (query, found) => {
      expect(await reviews(query)).toEqual(await idsOf(...found))
    })

    it('is sorted by the number of its entries', async () => {
      expect(await api().values('reviews?sort=mentions.$count:desc', 'id')).toEqual(await idsOf(1, 2, 3, 4))
      expect(await api().values('reviews?sort=subject.$count,id:desc', 'id')).toEqual(await idsOf(4, 3, 2, 1))
    })

    it('counts only types that the role may find', async () => {
      const some = serve({ permissions: { public: { find: ['review', 'book'] } } })
      const found = (query: string): Promise<unknown[]> => some.values(of('reviews', query), 'id')
      expect(await found('filters[mentions][$count]=1')).toEqual(await idsOf(1))
      expect(await found('filters[subject][$count]=0')).toEqual(await idsOf(3, 4))
      expect(await found('filters[mentions][$every][__type]=api::book.book')).toEqual(await idsOf(1, 2, 3, 4))
      expect(await found('filters[mentions][$none][__type][$ne]=api::book.book')).toEqual(
        await idsOf(1, 2, 3, 4),
      )
      for (const uid of ['api::author.author', 'api::nope.nope']) {
        expect(await some.refusal(`reviews?filters[subject][$some][__type]=${uid}`)).toEqual({
          message: `Invalid key ${uid}`,
          path: 'filters.subject.$some.__type',
        })
        expect(await some.refusal(`reviews?filters[subject][$none][on][${uid}][name]=Bob`)).toEqual({
          message: `Invalid key ${uid}`,
          path: `filters.subject.$none.on.${uid}`,
        })
      }
    })

    it('is unknown to a role that may find none of its types', async () => {
      const alone = serve({ permissions: { public: { find: ['author'] } } })
      expect(await alone.refusal('authors?filters[books][$count]=1')).toEqual({
        message: 'Invalid key books',
        path: 'filters.books',
      })
      expect(await alone.refusal('authors?sort=books.$count')).toEqual({
        message: 'Invalid key books',
        path: 'sort.books.$count',
      })
      expect(await alone.refusal('authors?filters[nope][$count]=1')).toEqual({
        message: 'Invalid key nope',
        path: 'filters.nope',
      })
    })
  })

  describe('linked entries', () => {
    it('are counted in the requested status', async () => {
      const authors = (query: string): Promise<unknown[]> => api().values(of('authors', query), 'name')
      expect(await authors('filters[books][$count]=2')).toEqual(['Ada'])
      expect(await authors('status=draft&filters[books][$count]=3')).toEqual(['Ada'])
      expect(await authors('filters[books][$none][title]=unsent')).toEqual(['Ada', 'Bob', 'Eve'])
      expect(await authors('status=draft&filters[books][$none][title]=unsent')).toEqual(['Bob', 'Eve'])
      expect(await api().values('authors?sort=books.$count:desc,id', 'name')).toEqual(['Ada', 'Bob', 'Eve'])
      expect(await api().values('countries?sort=authors.books.$count:desc,id', 'name')).toEqual([
        'Portugal',
        'Sweden',
      ])
    })

    it('are as many as populate counts', async () => {
      const fields = ['genres', 'author', 'notes', 'sections', 'plates', 'cover', 'reviews', 'seo']
      const populate = fields.map((name) => `populate[${name}][count]=true`).join('&')
      const entries = await api().list(`books?${populate}`)
      expect(entries).toHaveLength(4)
      for (const entry of entries)
        for (const name of fields) {
          const { count } = entry[name] as { readonly count: number }
          expect([name, await books(`filters[${name}][$count]=${String(count)}`)]).toEqual([
            name,
            expect.arrayContaining([entry['title']]),
          ])
        }
    })
  })

  describe('with other conditions', () => {
    it.each([
      ['$not turns them round', 'filters[$not][genres][$some][name]=blue', ['reds', 'unnamed', 'bare']],
      ['$not of $none', 'filters[$not][genres][$none][name]=blue', ['both']],
      ['$not of $every', 'filters[$not][genres][$every][name]=red', ['both', 'unnamed']],
      ['$not of $count', 'filters[$not][genres][$count][$gte]=2', ['reds', 'bare']],
      ['$not at the attribute', 'filters[genres][$not][$none][name]=blue', ['both']],
      ['$not keeps its meaning beside them', 'filters[$not][genres][name]=blue', ['both', 'reds', 'unnamed']],
      [
        'a plain condition is about one row',
        'filters[genres][name]=red&filters[genres][$count]=2',
        ['both', 'unnamed'],
      ],
      [
        'any of both',
        'filters[genres][$or][0][name]=blue&filters[genres][$or][1][$count]=0',
        ['both', 'bare'],
      ],
      [
        '$or at the top',
        'filters[$or][0][genres][$none][name]=red&filters[$or][1][year]=2',
        ['reds', 'bare'],
      ],
      [
        'two of one list',
        'filters[genres][$some][name]=red&filters[genres][$none][name]=blue',
        ['reds', 'unnamed'],
      ],
      ['through a relation to one', 'filters[author][books][$every][genres][$some][name]=blue', ['bare']],
      ['behind nothing a list is empty', 'filters[author][books][$none][title]=both', ['unnamed', 'bare']],
      [
        'in each other',
        'filters[genres][$none][books][$some][genres][$none][name]=red',
        ['both', 'reds', 'unnamed', 'bare'],
      ],
      ['in each other for each', 'filters[genres][$every][books][$every][genres][$count]=2', ['bare']],
    ])('%s: %s', async (_, query, found) => {
      expect(await books(query)).toEqual(found)
    })

    it('the operators filter and sort populated entries', async () => {
      const linked = async (query: string): Promise<unknown[]> => {
        const [ada] = await api().list(`authors?sort=id&${query}`)
        return (ada?.['books'] as readonly { readonly title: string }[]).map(({ title }) => title)
      }
      expect(await linked('populate[books][filters][genres][$none][name]=blue')).toEqual(['reds'])
      expect(await linked('populate[books][filters][genres][$count]=2')).toEqual(['both'])
      expect(await linked('populate[books][sort]=genres.$count')).toEqual(['reds', 'both'])
      expect(await linked('populate[books][sort]=genres.$count:desc')).toEqual(['both', 'reds'])
    })

    it('the operators sort nested pages', async () => {
      const paged = serve({ permissions: all, nestedPagination: true })
      const [ada] = await paged.list(
        'authors?sort=id&populate[books][sort]=genres.$count&populate[books][pagination][pageSize]=1',
      )
      expect(ada).toMatchObject({ books: [{ title: 'reds' }] })
    })

    it.each([1, 2, 3])('the operators work at depth: %i', async (links) => {
      const there = '[author][books]'.repeat(links)
      const api = serve({ permissions: all, query: anyConditions })
      expect(await api.values(of('books', `filters${there}[genres][$none][name]=blue`), 'title')).toEqual([
        'both',
        'reds',
        'unnamed',
        'bare',
      ])
      const none = '[author][$none][books][$none]'.repeat(links)
      const found = await api.values(of('books', `filters${none}[title]=unnamed`), 'title')
      expect(found).toEqual(['unnamed', 'bare'])
    })

    it('forty operators work side by side', async () => {
      const api = serve({ permissions: all, query: anyConditions })
      const sides = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? `filters[$and][${String(index)}][genres][$none][name]=n${String(index)}`
          : `filters[$and][${String(index)}][genres][$count][$lt]=${String(index + 3)}`,
      )
      expect(await api.values(of('books', sides.join('&')), 'title')).toEqual([
        'both',
        'reds',
        'unnamed',
        'bare',
      ])
    }, 20_000)
  })

  describe('in the wrong place the operators are unknown', () => {
    it.each([
      ['books?filters[title][$some]=a', 'Invalid key $some', 'filters.title.$some'],
      ['books?filters[title][$count]=1', 'Invalid key $count', 'filters.title.$count'],
      ['books?filters[$none][title]=a', 'Invalid key $none', 'filters.$none'],
      ['books?filters[$count]=1', 'Invalid key $count', 'filters.$count'],
      ['books?filters[genres][$some][$none][name]=a', 'Invalid key $none', 'filters.genres.$some.$none'],
      ['books?filters[genres][$some][nope]=a', 'Invalid key nope', 'filters.genres.$some.nope'],
      ['books?filters[ledger][$count]=1', 'Invalid key ledger', 'filters.ledger'],
      [
        'books?filters[genres][$some][$nope]=a',
        'Invalid key $nope: did you mean $none?',
        'filters.genres.$some.$nope',
      ],
      ['books?filters[genres][$count][name]=a', 'Invalid key name', 'filters.genres.$count.name'],
      [
        'books?filters[genres][$count]=many',
        'Invalid value: integer expects a number',
        'filters.genres.$count',
      ],
      [
        'books?filters[genres][$count][$jsonSupersetOf]=1',
        'Invalid operator $jsonSupersetOf: databases apply it differently to integer',
        'filters.genres.$count.$jsonSupersetOf',
      ],
      ['books?sort=$count', 'Invalid key $count', 'sort.$count'],
      ['books?sort=title.$count', 'Invalid key title', 'sort.title.$count'],
      ['books?sort=genres.$count.name', 'Invalid key $count', 'sort.genres.$count.name'],
      ['books?sort=genres.$some', 'Invalid key $some', 'sort.genres.$some'],
      ['books?fields=$count', 'Invalid key $count', 'fields.$count'],
    ])('%s', async (path, message, place) => {
      expect(await refused(path)).toEqual({ message, path: place })
    })

    it('$count accepts no JSON operator', async () => {
      const strapi = serve({ extensions: [asStrapi], permissions: all })
      const { status } = await strapi.get('books?filters[genres][$count][$jsonSupersetOf]=1')
      expect(status).toBe(400)
    })
  })

  describe('the operators', () => {
    it('take one statement that contains no value', async () => {
      const sent: string[] = []
      const { get } = serve({ permissions: all, extensions: [watchingSql((sql) => sent.push(sql))] })
      const query =
        'filters[genres][$none][name]=canary&filters[notes][$count][$gt]=0&sort=genres.$count:desc'
      expect((await get(`books?${query}`)).status).toBe(200)
      const narrowed = sent.splice(0)
      expect((await get('books?filters[title]=canary&sort=title')).status).toBe(200)
      expect(narrowed).toHaveLength(sent.length)
      expect(narrowed.join()).not.toContain('canary')
    })

    it('work with the strapi5 preset and the response format of Strapi 4', async () => {
      const { app } = serve({ extensions: [asStrapi], permissions: all })
      const { body } = (await request(app)
        .get('/api/books?filters[genres][$none][name]=blue&sort=genres.$count:desc,title&fields=title')
        .set('Strapi-Response-Format', 'v4')) as { readonly body: unknown }
      expect(body).toMatchObject({
        data: ['unnamed', 'reds', 'bare'].map((title) => ({ attributes: { title } })),
      })
    })
  })

  describe('the limits of a query', () => {
    it.each([
      ['books?filters[genres][$none][name]=red', 1],
      ['books?filters[genres][$every][name]=red', 1],
      ['books?filters[genres][$some][name]=red', 1],
      ['books?filters[genres][$count]=1', 2],
      ['books?sort=genres.$count', 2],
      ['books?sort=sections.$count', 2],
    ])('count the relation of %s: %i', async (path, links) => {
      const refusal = await serve({ query: { maxLinks: links - 1 } }).refusal(path)
      expect(refusal.message).toContain('query.maxLinks')
      expect((await serve({ query: { maxLinks: links } }).get(path)).status).toBe(200)
    })

    it('count each operator as one node', async () => {
      const path = 'books?filters[genres][$none][name]=red'
      expect((await serve({ query: { maxNodes: 4 } }).get(path)).status).toBe(200)
      expect((await serve({ query: { maxNodes: 3 } }).refusal(path)).message).toContain('query.maxNodes')
    })
  })
})
