import { aggregates } from '../../../extensions/aggregate'
import { ConfigError, contentRouter, type ContentRouter, type Grant } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, library } from '../../support/library'
import { roleHeader, type Served, stocked } from '../../support/served'

const types = [
  ...(library as readonly object[]),
  collection('sheet', { name: { type: 'string' }, isOpen: { type: 'boolean' }, data: { type: 'json' } }),
  {
    ...collection('home', { title: { type: 'string' } }),
    kind: 'singleType',
  },
] as unknown as Parameters<typeof stocked>[1]

const all = { find: '*', aggregate: '*' } as const

const permissions: Readonly<Record<string, Grant>> = {
  public: all,
  reader: { find: '*' },
  ofBooks: { find: '*', aggregate: ['book'] },
  denied: { find: '*', aggregate: { book: false } },
  unread: { aggregate: '*' },
  large: { find: '*', aggregate: { book: { minGroup: 2 } } },
  larger: { find: '*', aggregate: { book: { minGroup: 3 } } },
  late: {
    find: {
      book: { where: { year: { $gte: 2000 } }, fields: ['title', 'year', 'author'] },
      author: { where: { name: { $ne: 'Bo' } }, fields: ['name', 'books'] },
    },
    aggregate: ['book', 'author'],
  },
  early: {
    find: { book: { where: { year: { $lt: 2000 } }, fields: ['title', 'genres'] }, genre: true },
    aggregate: ['book'],
  },
  typeless: { find: ['book'], aggregate: ['book'] },
  own: { find: { book: { where: { title: { $asker: 'title' } } } }, aggregate: ['book'] },
  editor: { ...all, drafts: '*' },
}

interface Group {
  readonly group: Readonly<Record<string, unknown>>
  readonly count: number
}

onSqlite((database) => {
  const { serve, world } = stocked(database, types, {
    $locales: ['en', 'fr'],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [
      { $ref: 'ada', name: 'Ada', age: 30, country: 'uk' },
      { $ref: 'bo', name: 'Bo', age: 40 },
    ],
    genre: [
      { $ref: 'crime', name: 'Crime' },
      { $ref: 'essay', name: 'Essay' },
    ],
    book: [
      {
        ...{
          $ref: 'dawn',
          title: 'Dawn',
          year: 1990,
          ledger: 'x',
          author: 'ada',
          genres: ['crime', 'essay'],
        },
        ...{ seo: { title: 'first' }, notes: [{ text: 'n' }, { text: 'm' }] },
      },
      {
        ...{ title: 'Dusk', year: 2001, ledger: 'y', author: 'ada', genres: ['crime'] },
        ...{ seo: { title: 'first' }, notes: [{ text: 'n' }] },
      },
      { title: 'Noon', year: 2001, ledger: 'x', author: 'bo', $draft: { title: 'Midday', year: 2020 } },
      { title: 'Night', year: 2005, ledger: 'x' },
      { title: 'Sketch', year: 2030, author: 'ada', $status: 'draft' },
    ],
    memo: [{ title: 'one', $locales: { fr: { title: 'un' } } }, { title: 'two' }],
    sheet: [
      { name: 'a', isOpen: true, data: { a: 1 } },
      { name: 'b', isOpen: false },
    ],
    home: { title: 'Home' },
  })

  const served = (options: object = {}): Served =>
    serve({
      permissions,
      extensions: [aggregates()],
      role: (req) => ({
        roles: (req.get(roleHeader) ?? 'public').split(','),
        asker: { title: 'Night' },
      }),
      ...options,
    })
  let common: Served | undefined
  const api = (): Served => (common ??= served())

  const groups = async (query: string, role = 'public', type = 'books'): Promise<unknown[][]> => {
    const rows = (await api().list(`${type}/aggregate?aggregate[count]=true&${query}`, role)) as unknown
    return (rows as readonly Group[]).map(({ group, count }) => [...Object.values(group), count])
  }
  const counted = async (query = '', role = 'public', type = 'books'): Promise<unknown> =>
    (await groups(query, role, type))[0]?.[0]

  let router: ContentRouter | undefined
  const inProcess = (role = 'public'): ReturnType<ContentRouter['as']> => {
    router ??= world.closing(
      contentRouter({
        ...{ contentTypes: types, database: world.config, logger: false },
        ...{ permissions, extensions: [aggregates()] },
      }),
    )
    return router.as(role)
  }

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
      const { get } = serve({ permissions: { public: { find: '*' } } })
      expect((await get('books/aggregate?aggregate[count]=true')).status).toBe(404)
    })

    const refusedAt = (grant: object, extensions = [aggregates()]): unknown => {
      const given = { contentTypes: types, database: world.config, logger: false, extensions } as const
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
          problem: 'the key is not an action, and no extension defines the key',
        },
      ])
    })

    it.each([
      ['aggregate', 'book', 'the value must be a list of types or *'],
      ['aggregate', true, 'the value must be a list of types or *'],
      ['aggregate', [1], 'the list contains a value that is not the name of a type'],
      ['aggregate.book', { book: 1 }, 'the value must be true, false or an object'],
      ['aggregate.book', { book: null }, 'the value must be true, false or an object'],
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
        'the value must be true, false or { minGroup: 5 } with a positive integer',
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

  describe('a fault', () => {
    const six = ['title', 'year', 'blurb', 'author.name', 'author.age', 'seo.title'].join(',')
    const many = (count: number, name: string): string =>
      Array.from({ length: count }, (_, at) => `${name}${String(at)}`).join(',')

    it.each([
      ['', 'aggregate', 'Set the parameter aggregate, for example aggregate[count]=true'],
      ['aggregate=count', 'aggregate', 'Set the parameter aggregate, for example aggregate[count]=true'],
      ['aggregate[count]=1', 'aggregate.count', 'Invalid aggregate parameter: write aggregate[count]=true'],
      [
        'aggregate[median]=year',
        'aggregate.median',
        'Invalid key median: the functions are count, countDistinct, sum, avg, min, max',
      ],
      ['aggregate[sum]=', 'aggregate.sum', 'Invalid aggregate parameter: expected names of attributes'],
      ['aggregate[sum]=year,', 'aggregate.sum', 'Invalid aggregate parameter: a name is empty'],
      ['aggregate[sum]=title', 'aggregate.sum', 'sum requires a number, and title is not a number'],
      [
        'aggregate[avg]=year&aggregate[avg]=title',
        'aggregate.avg.1',
        'avg requires a number, and title is not a number',
      ],
      [
        'aggregate[sum]=genres.books.year',
        'aggregate.sum',
        'genres is a to-many relation: aggregate the entries of that type instead',
      ],
      [
        'aggregate[count]=true&groupBy[0]=title&groupBy[1]=year:month',
        'groupBy.1',
        'year is not a date and has no month',
      ],
      [
        'aggregate[count]=true&groupBy=publishedAt:hour',
        'groupBy',
        'Invalid groupBy parameter: a part of a date is one of year, quarter, month, week, day',
      ],
      [`aggregate[count]=true&groupBy=${six}`, 'groupBy', 'A query can have at most 5 groups'],
      [`aggregate[sum]=${many(21, 'a')}`, 'aggregate', 'A query can have at most 20 aggregates'],
      ['aggregate[count]=true&groupBy=genres.$count', 'groupBy', '$count has no groups: it is a count'],
      ['aggregate[count]=true&populate=author', 'populate', 'Invalid key populate'],
      ['aggregate[count]=true&fields=title', 'fields', 'Invalid key fields'],
      [
        'aggregate[count]=true&pagination[after]=',
        'pagination',
        'Groups have no cursors: use page and pageSize',
      ],
      [
        'aggregate[count]=true&groupBy=title&sort=year',
        'sort',
        'Invalid key year: sort supports only the groups and aggregates of the query: title, count',
      ],
      [
        'aggregate[sum]=year&sort=sum.year&sort=count',
        'sort.1',
        'Invalid key count: sort supports only the groups and aggregates of the query: sum.year',
      ],
      [
        'aggregate[count]=true&having[sum][year][$gte]=1',
        'having.sum.year',
        'Invalid key sum.year: having supports only the groups and aggregates of the query: count',
      ],
      [
        'aggregate[count]=true&having[count][$gte]=many',
        'having.count.$gte',
        'Invalid value: expected a value of type biginteger',
      ],
      [
        'aggregate[count]=true&having[count][$between]=1',
        'having.count.$between',
        'Invalid value: expected two values',
      ],
      ['aggregate[count]=true&having[count][$nope]=1', 'having.count.$nope', 'Invalid key $nope'],
      [
        'aggregate[count]=true&groupBy=title&having[title][$contains]=a',
        'having.title.$contains',
        'having does not support $contains',
      ],
      [
        'aggregate[count]=true&having[count]=2',
        'having.count',
        'Invalid having parameter: write having[count][$gte]=2',
      ],
      [
        'aggregate[count]=true&having=count',
        'having',
        'Invalid having parameter: write having[count][$gte]=2',
      ],
      [
        'aggregate[count]=true&having[count][$null]=1',
        'having.count.$null',
        'Invalid value: expected true or false',
      ],
    ])('names its place: %s', async (query, path, message) => {
      expect(await api().refusal(`books/aggregate?${query}`)).toEqual({ path, message })
    })

    it.each([
      [
        'aggregate[count]=true&groupBy=data',
        'groupBy.data',
        'Invalid groupBy: data is JSON, and databases sort JSON differently',
      ],
      [
        'aggregate[countDistinct]=data',
        'aggregate.countDistinct.data',
        'Invalid aggregate: data is JSON, and databases sort JSON differently',
      ],
      [
        'aggregate[max]=isOpen',
        'aggregate.max',
        'max requires a number, a date or a string, and isOpen is a boolean',
      ],
    ])('names the attribute: %s', async (query, path, message) => {
      expect(await api().refusal(`sheets/aggregate?${query}`)).toEqual({ path, message })
    })

    it('of facets names its place', async () => {
      expect(await api().refusal(`books?facets=${many(11, 'a')}`)).toEqual({
        path: 'facets',
        message: 'A query can have at most 10 facets',
      })
      expect((await api().refusal('books?facets=title&facets=year:day')).path).toBe('facets.1')
      expect((await api().refusal('books?facets[a][b]=year')).path).toBe('facets.a')
    })
  })

  it('counts relations by maxLinks, with the limit of the role', async () => {
    const { refusal, page } = served({ query: { maxLinks: 2 } })
    await page('books/aggregate?aggregate[count]=true&groupBy=author.country.name')
    const { message } = await refusal(
      'books/aggregate?aggregate[count]=true&groupBy=author.country.name,genres.name',
    )
    expect(message).toContain('the option query.maxLinks sets this limit')
    await refusal('books?facets=author.country.name,genres.name')
    const limited = served({ limitsByRole: { public: { maxLinks: 1 } } })
    expect(
      (await limited.refusal('books/aggregate?aggregate[count]=true&groupBy=author.country.name')).message,
    ).toContain('limitsByRole')
  })

  it('takes lists of 100 values in having', async () => {
    const having = { count: { $in: Array.from({ length: 100 }, (_, at) => String(at)) } }
    const found = await inProcess().read('books', 'aggregate', { aggregate: { count: true }, having })
    expect(found).toMatchObject({ data: [{ count: 4 }] })
  })

  describe('a read in the process', () => {
    const query = { groupBy: 'author.name', aggregate: { count: true } }

    it('returns the body of the response', async () => {
      const page = await api().page('books/aggregate?groupBy=author.name&aggregate[count]=true')
      expect(await inProcess().read('books', 'aggregate', query)).toEqual(page)
      const list = await api().page('books?facets=author.name')
      expect(await inProcess().find('books', { facets: 'author.name' })).toEqual(list)
    })

    it('fails like the response', async () => {
      await expect(inProcess('reader').read('books', 'aggregate', query)).rejects.toMatchObject({
        status: 403,
      })
      await expect(inProcess('reader').find('books', { facets: 'title' })).rejects.toMatchObject({
        status: 403,
      })
      await expect(inProcess().read('books', 'nothing', query)).rejects.toMatchObject({ status: 404 })
      await expect(inProcess().read('home', 'aggregate', query)).rejects.toMatchObject({ status: 404 })
      await expect(
        inProcess().read('books', 'aggregate', { ...query, groupBy: 'ledger' }),
      ).rejects.toMatchObject({
        status: 400,
        details: { path: 'groupBy.ledger' },
      })
    })
  })

  describe('a response', () => {
    const path = 'books/aggregate?aggregate[count]=true&groupBy=author.name'

    it('has the ETag of equal responses, and is of its role', async () => {
      const { get } = served({ cache: {} })
      const first = await get(path)
      const second = await get(path)
      expect(second.text).toBe(first.text)
      expect(second.headers['etag']).toBe(first.headers['etag'])
      expect(first.headers['etag']).toMatch(/^(W\/)?".+"$/)
      const other = await get(path, 'late')
      expect(other.text).not.toBe(first.text)
    })

    it('sends one statement, and facets one more each', async () => {
      const { sql, logger } = keeping()
      const { page } = served({ logger })
      const sentBy = async (query: string): Promise<number> => {
        await page(query)
        sql.length = 0
        await page(query)
        return sql.filter((text) => text.startsWith('select') && !/pragma|strapi_|data_version/i.test(text))
          .length
      }
      expect(await sentBy(path)).toBe(1)
      expect(
        await sentBy(`${path},genres.name&having[count][$gte]=1&aggregate[sum]=year&sort=sum.year`),
      ).toBe(1)
      const list = await sentBy('books')
      expect(await sentBy('books?facets=title')).toBe(list + 1)
      expect(await sentBy('books?facets=title,author.name,genres.name')).toBe(list + 3)
    })
  })
})
