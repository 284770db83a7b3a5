import { onSqlite } from '../../support/databases'
import { aggregatedBooks } from './books'

onSqlite((database) => {
  const { served, api, inProcess } = aggregatedBooks(database)

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
      ['aggregate[count]=true&facets=title', 'facets', 'Invalid key facets'],
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
        'Invalid value: expected an integer',
      ],
      [
        'aggregate[count]=true&having[count][$gt]=3.5',
        'having.count.$gt',
        'Invalid value: expected an integer',
      ],
      [
        'aggregate[count]=true&having[$or][0][count][$gt]=3',
        'having.$or',
        'Invalid key $or: write having[count][$gte]=2',
      ],
      ['aggregate[count]=true&having[count][$not][$gt]=3', 'having.count.$not', 'Invalid key $not'],
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

  it('names the path of groups for their parameters at a list', async () => {
    const fault = {
      path: 'groupBy',
      message: 'Invalid key groupBy: it requires /aggregate at the end of the path',
    }
    expect(await api().refusal('books?groupBy=title')).toEqual(fault)
    expect((await api().refusal('books?facets=title&having[count][$gte]=2')).path).toBe('having')
    expect(await served({ strictParameters: false }).list('books?groupBy=title')).toHaveLength(4)
  })

  it('says how a part of a date is written, for visible attributes only', async () => {
    const refusal = (name: string, role?: string): Promise<object> =>
      api().refusal(`books/aggregate?aggregate[count]=true&groupBy=${name}.month`, role)
    expect(await refusal('createdAt')).toEqual({
      path: 'groupBy.createdAt.month',
      message: 'Invalid key createdAt: write createdAt:month for a part of a date',
    })
    for (const hidden of ['createdAt', 'nothing'])
      expect(await refusal(hidden, 'late')).toMatchObject({ message: `Invalid key ${hidden}` })
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
})
