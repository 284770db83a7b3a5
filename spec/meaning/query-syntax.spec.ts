import { asStrapi } from '../support/as-strapi'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const joined = (count: number, part: (index: number) => string): string => range(count).map(part).join('&')

/** The notations of a list. */
const lists: readonly (readonly [string, (count: number) => string])[] = [
  ['indexed values of $in', (count) => joined(count, (n) => `filters[age][$in][${String(n)}]=${String(n)}`)],
  ['bracketed values of $in', (count) => joined(count, (n) => `filters[age][$in][]=${String(n)}`)],
  ['repeated values of $in', (count) => joined(count, (n) => `filters[age][$in]=${String(n)}`)],
  ['values of $notIn', (count) => joined(count, (n) => `filters[age][$notIn][${String(n)}]=1${String(n)}`)],
  ['conditions of $or', (count) => joined(count, (n) => `filters[$or][${String(n)}][age]=${String(n)}`)],
  ['conditions of $and', (count) => joined(count, (n) => `filters[$and][${String(n)}][age][$lt]=5`)],
  ['conditions of $or in brackets', (count) => joined(count, (n) => `filters[$or][][age]=${String(n)}`)],
  ['names to populate', (count) => joined(count, (n) => `populate[${String(n)}]=books`)],
  ['names to populate in brackets', (count) => joined(count, () => 'populate[]=books')],
  ['repeated names to populate', (count) => joined(count, () => 'populate=books')],
  ['fields', (count) => joined(count, (n) => `fields[${String(n)}]=name`)],
  ['fields in brackets', (count) => joined(count, () => 'fields[]=name')],
  ['sort keys', (count) => joined(count, (n) => `sort[${String(n)}]=name`)],
  [
    'nested names to populate',
    (count) => joined(count, (n) => `populate[books][populate][${String(n)}]=author`),
  ],
  ['nested fields', (count) => joined(count, (n) => `populate[books][fields][${String(n)}]=title`)],
  ['locales', (count) => joined(count, () => 'locale[]=en')],
]

function once(make: () => Served): () => Served {
  let made: Served | undefined
  return () => (made ??= make())
}

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    author: range(5).map((age) => ({ name: `author ${String(age)}`, age })),
  })

  describe('a list in a query', () => {
    const longer = once(() => serve({ query: { arrayLimit: 150, maxConditions: 151 } }))
    const shorter = once(() => serve({ query: { arrayLimit: 2 } }))

    it.each(lists)('may have a hundred elements: %s', async (_, write) => {
      expect((await serve().list(`authors?${write(100)}`)).length).toBeGreaterThan(0)
    })

    it.each(lists)(
      'is rejected with a hundred and one elements and the name of the option: %s',
      async (_, write) => {
        const { message } = await serve().refusal(`authors?${write(101)}`)
        expect(message).toContain('100')
        expect(message).toContain('query.arrayLimit')
      },
    )

    it.each(lists)('is limited by query.arrayLimit: %s', async (_, write) => {
      expect((await longer().get(`authors?${write(150)}`)).status).toBe(200)
      expect((await longer().get(`authors?${write(151)}`)).status).toBe(400)
      expect((await shorter().get(`authors?${write(2)}`)).status).toBe(200)
      expect((await shorter().refusal(`authors?${write(3)}`)).message).toContain('2')
    })

    it.each([
      'filters[age][$in][100]=1',
      'filters[age][$in][4294967296]=1',
      'filters[$or][100][age]=1',
      'populate[100]=books',
      'fields[100]=name',
      'sort[100]=name',
    ])('is rejected with an index at the limit or beyond: %s', async (query) => {
      expect((await serve().refusal(`authors?${query}`)).message).toContain('query.arrayLimit')
    })

    it.each([
      'filters[age][$in][a]=1',
      'filters[age][$in][0]=1&filters[age][$in][a]=2',
      'filters[age][$in][-1]=1',
      'filters[age][$in][1.5]=1',
      'filters[$or][0][age]=1&filters[$or][a][age]=2',
      'filters[$and][a][age]=1',
      'populate[0]=books&populate[books]=true',
      'populate=books&populate[country]=true',
      'fields[0]=name&fields[a]=age',
      'fields=name&fields[a]=age',
      'populate[books][populate][0]=author&populate[books][populate][genres]=true',
    ])('is rejected with names among its elements: %s', async (query) => {
      const { path } = await serve().refusal(`authors?${query}`)
      expect(path).toMatch(/^(filters|populate|fields)/)
    })

    it('may leave out indexes below the limit', async () => {
      const query = 'filters[age][$in][3]=1&filters[age][$in][99]=4'
      expect(await serve().values(`authors?${query}`, 'age')).toEqual([1, 4])
      const either = 'filters[$or][7][age]=2&filters[$or][50][age]=3'
      expect(await serve().values(`authors?${either}`, 'age')).toEqual([2, 3])
    })

    it('may be written with empty brackets or by repetition', async () => {
      expect(await serve().values('authors?filters[age][$in][]=1&filters[age][$in][]=2', 'age')).toEqual([
        1, 2,
      ])
      expect(await serve().values('authors?filters[age][$in]=1&filters[age][$in]=2', 'age')).toEqual([1, 2])
      expect(await serve().values('authors?filters%5Bage%5D%5B%24in%5D=3', 'age')).toEqual([3])
    })

    it('is not made of values with commas', async () => {
      expect((await serve().refusal('authors?filters[age][$in]=1,2')).path).toBe('filters.age.$in')
      expect(
        await serve().values('authors?filters[name][$in]=author 1,author 2'.replaceAll(' ', '%20'), 'age'),
      ).toEqual([])
    })
  })

  describe('a query', () => {
    it('is rejected with more than a thousand parameters', async () => {
      const many = (count: number): string => joined(count, (n) => `x${String(n)}=1`)
      expect((await serve().get(`authors?${many(1000)}`)).status).toBe(200)
      const { message } = await serve().refusal(`authors?${many(1001)}`)
      expect(message).toContain('1000')
      expect(message).toContain('query.maxParameters')
    })

    it('is parsed to any depth of its brackets', async () => {
      const nested = '[$not]'.repeat(60)
      expect(await serve().values(`authors?filters${nested}[age]=1`, 'age')).toEqual([1])
      const depth = '[books][populate][author][populate]'.repeat(20)
      expect((await serve().refusal(`authors?populate${depth}=nope`)).message).toBe('Invalid key nope')
    })

    it.each([
      'filters[__proto__][a]=1',
      'filters[constructor][prototype]=1',
      'filters[age][__proto__]=1',
      '__proto__[filters]=1',
      'populate[__proto__]=true',
      'populate[constructor]=true',
      'fields=__proto__',
      'sort=hasOwnProperty',
      'pagination[__proto__]=1',
    ])('is rejected with the names of built-in properties: %s', async (query) => {
      expect((await serve().get(`authors?${query}`)).status).toBe(400)
    })

    it.each([
      'filters[age][$eq][a]=1',
      'filters[name][$eq][0][a]=x',
      'filters[name][$nope]=x',
      'filters[$or]=x',
      'filters[$or][0]=x',
      'filters[$or][]=',
      'filters[age]=x',
      'filters[]=x',
      'filters=x',
      'populate[books][nope]=1',
      'populate[books]=x',
      'fields[0][a]=x',
      'sort[name]=x',
      'pagination[nope]=1',
      'pagination[page]=x',
      'pagination=5',
      'pagination[]=5',
      'pagination[pageSize]=many',
      'pagination[limit]=1e1',
      'pagination[start]=+1',
      'pagination[pageSize][0]=5',
      'pagination[pageSize]=5&pagination[pageSize]=6',
      'sort[0][0]=name',
      'sort=name,,age',
      'sort=name,',
      'sort=:desc',
      'sort[name]=',
      'sort[name]',
      'populate=books,,',
      'populate[0]=books..publisher',
      'populate=books.',
      'status=x',
      'locale[a]=x',
    ])('is rejected if it is malformed: %s', async (query) => {
      const { path } = await serve().refusal(`authors?${query}`)
      expect(query.startsWith(path.split('.')[0] ?? '-')).toBe(true)
    })

    it('may repeat conditions and sort keys', async () => {
      expect(
        await serve().values('authors?filters[age][$gt]=2&filters[age][$lt]=4&sort=age&sort=age', 'age'),
      ).toEqual([3])
    })
  })

  describe('a top-level parameter', () => {
    const near: readonly (readonly [query: string, name: string, meant: string])[] = [
      ['filter[title]=Dawn', 'filter', 'filters'],
      ['Filters[title]=Dawn', 'Filters', 'filters'],
      ['FILTERS[title]=Dawn', 'FILTERS', 'filters'],
      ['fliters[title]=Dawn', 'fliters', 'filters'],
      ['filters.title=Dawn', 'filters.title', 'filters[title]'],
      ['populte=author', 'populte', 'populate'],
      ['popluate[]=author', 'popluate', 'populate'],
      ['field=title', 'field', 'fields'],
      ['sorts=title', 'sorts', 'sort'],
      ['sortBy=title', 'sortBy', 'sort'],
      ['paginaton[page]=2', 'paginaton', 'pagination'],
      ['locales=fr', 'locales', 'locale'],
      ['Status=draft', 'Status', 'status'],
      ['publicationFilters=modified', 'publicationFilters', 'publicationFilter'],
      ['q=dawn', 'q', '_q'],
      ['limit=1', 'limit', 'pagination[limit]'],
      ['start=1', 'start', 'pagination[start]'],
      ['offset=1', 'offset', 'pagination[start]'],
      ['publicationState=preview', 'publicationState', 'status'],
      ['_limit=1', '_limit', 'pagination[limit]'],
      ['_sort=title', '_sort', 'sort'],
      ['pagesize=1', 'pagesize', 'pagination[pageSize]'],
      ['page_size=1', 'page_size', 'pagination[pageSize]'],
      ['perPage=1', 'perPage', 'pagination[pageSize]'],
      ['per_page=1', 'per_page', 'pagination[pageSize]'],
      ['where[title]=Dawn', 'where', 'filters'],
      ['orderBy=title', 'orderBy', 'sort'],
      ['search=dawn', 'search', '_q'],
      ['include=author', 'include', 'populate'],
      ['select=title', 'select', 'fields'],
      ['_where[title]=Dawn', '_where', 'filters'],
      ['fields=title&filter[title]=Dawn', 'filter', 'filters'],
      ['filter', 'filter', 'filters'],
    ]

    /** Parameters of caches, trackers and the host application. */
    const others = [
      '_=17',
      't=17',
      'v=2',
      'utm_source=x',
      'token=x',
      'port=x',
      'lang=x',
      'format=x',
      'id=1',
      'constructor=x',
    ]

    const valid =
      'fields=title&filters[title]=Dawn&sort=title&pagination[page]=1&populate=author&locale=en&status=published&_q=dawn'
    const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }, { title: 'Dusk' }] })
    const strict = once(() => serve({ strictParameters: true }))
    const lax = once(() => serve({ strictParameters: false }))
    const likeStrapi = once(() => serve({ extensions: [asStrapi] }))

    it.each(near)('that is misspelt is rejected with a suggestion: %s', async (query, name, meant) => {
      expect(await serve().refusal(`books?${query}`)).toEqual({
        message: `Invalid key ${name}: did you mean ${meant}?`,
        path: name,
      })
    })

    it.each(others)('that is unknown is ignored: %s', async (query) => {
      expect(await serve().list(`books?${query}`)).toHaveLength(2)
    })

    it.each(others)('that is unknown is rejected with strictParameters: %s', async (query) => {
      const refusal = await serve({ strictParameters: true }).refusal(`books?${query}`)
      expect(refusal.message).toContain('the parameters are fields, filters')
    })

    it.each(near)('that is misspelt is rejected with a suggestion: %s', async (query, name, meant) => {
      const refusal = { message: `Invalid key ${name}: did you mean ${meant}?`, path: name }
      expect(await serve().refusal(`books?${query}`)).toEqual(refusal)
      expect((await strict().refusal(`books?${query}`)).message).toContain(`did you mean ${meant}?`)
    })

    it.each(near)(
      'that is misspelt is ignored without strictParameters and with the strapi5 preset: %s',
      async (query) => {
        for (const router of [lax(), likeStrapi()])
          expect(await router.list(`books?${query}`)).toHaveLength(2)
      },
    )

    it.each(others)('that is unknown is ignored, but rejected with strictParameters: %s', async (query) => {
      expect(await serve().list(`books?${query}`)).toHaveLength(2)
      const { message } = await strict().refusal(`books?${query}`)
      expect(message).toContain('the parameters are fields, filters')
    })

    it('that is known is accepted', async () => {
      for (const router of [serve(), strict(), lax()])
        expect(await router.list(`books?${valid}`)).toHaveLength(1)
    })

    it('that is misspelt is a 403 for roles that may not find the type', async () => {
      const { get } = serve({ permissions: {} })
      expect((await get('books?filter[title]=x')).status).toBe(403)
    })
  })
})
