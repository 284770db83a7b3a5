import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, library, relation, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'
import { anyConditions } from '../support/query-limits'

const rows = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** An attribute of each type. All are sorted as the numbers that their values are made of. */
const kinds: Readonly<Record<string, (number: number) => unknown>> = {
  string: (number) => `n${String(number)}`,
  text: (number) => `${'n'.repeat(300)}${String(number)}`,
  integer: (number) => number,
  biginteger: (number) => `90071992547409${String(number)}`,
  float: (number) => number + 0.5,
  decimal: (number) => number + 0.25,
  boolean: (number) => number > 100,
  date: (number) => `1${String(number)}-01-01`,
  time: (number) => `12:00:00.${String(number)}`,
  datetime: (number) => `1${String(number)}-01-01T00:00:00.000Z`,
  timestamp: (number) => `2001-01-01T00:00:00.${String(number)}Z`,
  json: (number) => number,
}

const node = (name: string, out: readonly string[], number: number | null, more: object = {}): object => ({
  ...{ $ref: name, name, out, ...more },
  ...(number === null
    ? {}
    : Object.fromEntries(Object.entries(kinds).map(([kind, make]) => [`${kind}Value`, make(number)]))),
})

/** Each is linked to all of them: every link multiplies the paths by eight. */
const dense = rows(8, (index) => `dense${String(index)}`)

const types = [
  collection('node', {
    name: text,
    ...Object.fromEntries(Object.keys(kinds).map((type) => [`${type}Value`, { type }])),
    out: relation('manyToMany', 'node', { inversedBy: 'in' }),
    in: relation('manyToMany', 'node', { mappedBy: 'out' }),
  }),
  collection('shelf', { name: text, nodes: relation('manyToMany', 'node') }),
] as unknown as Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const nodes = [
  node('high', ['high'], 999),
  ...dense.map((name, index) => node(name, dense, 110 + index)),
  node('either', ['high', 'blind'], 105),
  node('blind', ['end'], 104),
  node('end', [], null),
  node('low', ['low'], 100),
]
const names = ['high', ...dense, 'either', 'blind', 'end', 'low']

const upwards = ['either', 'blind', 'end', 'low', ...dense, 'high']
const downwards = ['high', 'either', ...dense, 'low', 'blind', 'end']

const far = (links: number): string => 'out.'.repeat(links)

onSqlite((database) => {
  describe('the order of a list', () => {
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

    const byId = ['b', 'B', 'é', 'a', 'Я', '🦉', 'ｚ']
    const byTitle = ['B', 'a', 'b', 'é', 'Я', 'ｚ', '🦉']

    it.each(['', 'sort=', 'sort[0]=', 'sort=id', 'sort=id:asc', 'sort[0]=id:ASC'])(
      'is by id: %s',
      async (query) => {
        expect(await sorted(query)).toEqual(byId)
      },
    )

    it.each([
      ...['sort=title', 'sort=title:asc', 'sort[0]=title:asc', 'sort[0]=title%3Aasc', 'sort[]=title:ASC'],
      ...['sort[title]=asc', 'sort[0][title]=asc', 'sort=%20title%20'],
    ])('is by code points for text: %s', async (query) => {
      expect(await sorted(query)).toEqual(byTitle)
    })

    it.each(['sort=title:desc', 'sort[0]=title:DESC', 'sort[title]=desc'])(
      'can be descending: %s',
      async (query) => {
        expect(await sorted(query)).toEqual(reversed(byTitle))
      },
    )

    it('has nulls first, or last if descending, and breaks ties by id', async () => {
      expect(await sorted('sort=year')).toEqual(['é', '🦉', 'B', 'Я', 'b', 'a', 'ｚ'])
      expect(await sorted('sort=year:desc')).toEqual(['ｚ', 'b', 'a', 'B', 'Я', 'é', '🦉'])
    })

    it('breaks ties by id whatever index the database reads', async () => {
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
    ])('accepts several keys: %s', async (query) => {
      expect(await sorted(query)).toEqual(['ｚ', 'a', 'b', 'B', 'Я', 'é', '🦉'])
    })

    it('follows relations and components, and takes a missing one for null', async () => {
      expect(await sorted('sort=author.age')).toEqual(['a', 'ｚ', 'b', 'Я', 'é', 'B', '🦉'])
      expect(await sorted('sort=author.age:desc')).toEqual(['B', '🦉', 'é', 'b', 'Я', 'a', 'ｚ'])
      expect(await sorted('sort=author.country.name')).toEqual(['é', 'a', 'ｚ', 'B', '🦉', 'b', 'Я'])
      expect(await sorted('sort[author][country][name]=desc')).toEqual(['b', 'Я', 'B', '🦉', 'é', 'a', 'ｚ'])
      expect(await sorted('sort=seo.title:desc')).toEqual(['b', 'é', 'B', 'a', 'Я', '🦉', 'ｚ'])
    })

    it('is by the first of many values in its direction, and shows no entry twice', async () => {
      expect(await sorted('sort=genres.name')).toEqual(['é', 'a', '🦉', 'b', 'B', 'ｚ', 'Я'])
      expect(await sorted('sort=genres.name:desc')).toEqual(['b', 'B', 'Я', 'ｚ', 'é', 'a', '🦉'])
      expect(await sorted('sort=notes.text:desc')).toEqual(['B', 'é', 'b', 'a', 'Я', '🦉', 'ｚ'])
      expect(await sorted('sort=notes.text&filters[notes][$notNull]=true')).toEqual(['B', 'é'])
      const { meta } = await serve().page('books?sort=genres.name&pagination[pageSize]=2')
      expect(meta.pagination['total']).toBe(7)
    })

    it('is the same across pages', async () => {
      const titles: unknown[] = []
      for (const page of [1, 2, 3, 4]) {
        titles.push(...(await sorted(`sort=year&pagination[pageSize]=2&pagination[page]=${String(page)}`)))
      }
      expect(titles).toEqual(['é', '🦉', 'B', 'Я', 'b', 'a', 'ｚ'])
    })

    it('follows eight links at most, and is rejected with the limit beyond', async () => {
      const path = (links: number): string => `sort=${'author.books.'.repeat(links / 2)}title`
      // A list counts twice.
      expect(await serve({ query: { maxLinks: 12 } }).list(`books?${path(8)}`)).toHaveLength(7)
      const { message } = await serve({ query: anyConditions }).refusal(`books?${path(40)}`)
      expect(message).toBe('Sort keys follow at most 8 relations')
    })

    it('does not depend on drafts behind a relation', async () => {
      const names = await serve().values('authors?sort=books.title', 'name')
      expect(names).toEqual(['Bo', 'Ada', 'Cy'])
    })

    it('is kept inside populate for each parent', async () => {
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
    ])('is rejected for an unknown attribute: %s', async (query, key) => {
      const { message, path } = await serve().refusal(`books?${query}`)
      expect(message.split(': did')[0]).toBe(`Invalid key ${key}`)
      expect(path).toMatch(/^sort/)
    })

    it.each([
      ...['sort=title:up', 'sort=title:', 'sort=title:asc:desc', 'sort[title]=up', 'sort[title][$eq]=asc'],
      ...['populate[author][sort]=name:up', 'populate[author][sort]=nope'],
    ])('is rejected if it is malformed: %s', async (query) => {
      expect((await serve().refusal(`books?${query}`)).path).toContain('sort')
    })
  })

  const { serve } = stocked(database, types, {
    node: nodes as Entry[] as never,
    shelf: [
      { name: 'all', nodes: names },
      { name: 'some', nodes: ['low', 'high', 'dense4', 'end'] },
    ],
  })
  /** A list counts twice. */
  const deep = { query: { maxLinks: 16 } }
  const { sql: statements, logger } = keeping()
  let watched: Served | undefined
  async function sqlOf(path: string): Promise<readonly string[]> {
    watched ??= serve({ ...deep, logger })
    await watched.list('shelfs')
    statements.length = 0
    await watched.list(path)
    return [...statements]
  }

  describe('a sort through many to-many links', () => {
    it.each([2, 3, 5, 8])(
      'is by the smallest value at the end of all paths, or the largest if descending: %i',
      async (links) => {
        expect(await serve(deep).values(`nodes?sort=${far(links)}integerValue`, 'name')).toEqual(upwards)
        expect(await serve(deep).values(`nodes?sort=${far(links)}integerValue:desc`, 'name')).toEqual(
          downwards,
        )
      },
    )

    it.each(Object.keys(kinds).filter((kind) => kind !== 'boolean' && kind !== 'json'))(
      'accepts values of any type: %s',
      async (kind) => {
        const key = `${far(3)}${kind}Value`
        expect(await serve(deep).values(`nodes?sort=${key}`, 'name')).toEqual(upwards)
        expect(await serve(deep).values(`nodes?sort=${key}:desc`, 'name')).toEqual(downwards)
      },
    )

    it('puts false before true', async () => {
      const key = `${far(8)}booleanValue`
      const yes = ['high', ...dense]
      expect(await serve(deep).values(`nodes?sort=${key}`, 'name')).toEqual([
        ...['either', 'blind', 'end', 'low'],
        ...yes,
      ])
      expect(await serve(deep).values(`nodes?sort=${key}:desc`, 'name')).toEqual([
        ...[...yes, 'either', 'low'],
        ...['blind', 'end'],
      ])
    })

    it.each(['integer', 'string', 'json', 'datetime'])(
      'puts nulls where the database puts them with textMatching: database: %s',
      async (kind) => {
        // Without limits it is not replayed on servers, where nulls stand elsewhere (spec/drivers/sort-nulls).
        const api = serve({ textMatching: 'database', query: anyConditions })
        const sorted = (direction: string): Promise<unknown[]> =>
          api.values(`nodes?sort=${far(4)}${kind}Value:${direction}`, 'name')
        expect(await sorted('asc')).toEqual(upwards)
        expect(await sorted('desc')).toEqual(downwards)
      },
    )

    it('works with other keys and pages', async () => {
      const sort = `sort=${far(6)}integerValue:desc,in.out.name:desc,name:desc`
      const expected = ['high', 'either', ...dense.toReversed(), 'low', 'blind', 'end']
      expect(await serve(deep).values(`nodes?${sort}`, 'name')).toEqual(expected)
      const pages: unknown[] = []
      for (const page of [1, 2, 3]) {
        const cut = `pagination[pageSize]=5&pagination[page]=${String(page)}`
        pages.push(...(await serve(deep).values(`nodes?${sort}&${cut}`, 'name')))
      }
      expect(pages).toEqual(expected)
    })

    it('works with a filter and a total', async () => {
      const path = `nodes?sort=${far(8)}integerValue&filters[name][$startsWith]=dense&pagination[pageSize]=4`
      const { data, meta } = await serve(deep).page(path)
      expect(data.map(({ name }) => name)).toEqual(dense.slice(0, 4))
      expect(meta.pagination['total']).toBe(8)
    })

    it.each(['', '&populate[nodes][fields]=name'])(
      'sorts populated entries as it sorts a list%s',
      async (more) => {
        const namesOf = async (api: Served, query: string): Promise<unknown[]> => {
          const shelves = await api.list(`shelfs?${query}${more}`)
          return shelves.map((shelf) => (shelf['nodes'] as Entry[]).map(({ name }) => name))
        }
        const sort = `populate[nodes][sort]=${far(8)}integerValue`
        const few = ['end', 'low', 'dense4', 'high']
        expect(await namesOf(serve(deep), sort)).toEqual([upwards, few])
        const paged = `${sort}:desc&populate[nodes][pagination][pageSize]=3`
        expect(await namesOf(serve({ ...deep, nestedPagination: true }), paged)).toEqual([
          downwards.slice(0, 3),
          few.toReversed().slice(0, 3),
        ])
      },
    )
  })

  describe('the links of a sort', () => {
    it.each([
      [3, 'nodes?sort=out.out.name'],
      [4, 'nodes?sort=out.out.name,name,out.out.name'],
      [4, 'nodes?populate[out][sort]=in.out.name'],
    ])('count towards query.maxNodes: %i, %s', async (maxNodes, path) => {
      const { message } = await serve({ query: { maxNodes: maxNodes - 1 } }).refusal(path)
      expect(message).toContain('the option query.maxNodes sets this limit')
      expect(await serve({ query: { maxNodes } }).list(path)).toHaveLength(names.length)
    })
  })

  describe('the statement of a sort', () => {
    const linksIn = ([sql = '']: readonly string[]): number => sql.split('nodes_out_lnk').length - 1

    it.each([1, 2, 4, 8])('reads each link of the path once: %i', async (links) => {
      expect(linksIn(await sqlOf(`nodes?sort=${far(links)}name`))).toBe(links)
    })

    it.each([
      ['a key that stood before', 'sort=name', 'sort=name,name:desc,name'],
      ['one in another form', 'sort[out][name]=asc', 'sort[0]=out.name&sort[1][out][name]=asc'],
      ['one that stood long before', 'sort=name,id', 'sort=name,id,name'],
      [
        'what stands behind the id',
        'sort=out.name,id:desc',
        'sort=out.name,id:desc,name,out.out.integerValue',
      ],
      ['what stands behind the id alone', 'sort=id', 'sort=id,name'],
    ])('leaves out %s', async (_, once, again) => {
      expect(await sqlOf(`nodes?${again}`)).toEqual(await sqlOf(`nodes?${once}`))
    })

    it('is the same for a key that is repeated a thousand times', async () => {
      const thousand = rows(1000, (index) => (index % 2 === 0 ? 'out.name' : 'out.name:desc')).join()
      const api = serve()
      expect(await api.values(`nodes?sort=${thousand},integerValue:desc`, 'name')).toEqual(
        await api.values('nodes?sort=out.name,out.name:desc,integerValue:desc', 'name'),
      )
    })

    it('keeps a to-many key that is repeated in the other direction', async () => {
      const api = serve()
      const some = 'filters[name][$in][0]=high&filters[name][$in][1]=either'
      // Both lead to 999; `either` leads to the 104 of `blind` as well.
      const key = 'out.integerValue'
      expect(await api.values(`nodes?sort=${key}:desc&${some}`, 'name')).toEqual(['high', 'either'])
      expect(await api.values(`nodes?sort=${key}:desc,${key}&${some}`, 'name')).toEqual(['either', 'high'])
    })

    it('may have query.maxSortKeys keys, however long their paths', async () => {
      const ordered = Object.keys(kinds).filter((kind) => kind !== 'json')
      const keys = [7, 5, 3].flatMap((links) =>
        ordered.flatMap((kind) => ['asc', 'desc'].map((way) => `${far(links)}${kind}Value:${way}`)),
      )
      const api = serve({ query: { maxSortKeys: 50, maxLinks: Infinity } })
      expect(await api.values(`nodes?sort=${keys.slice(0, 50).join()}`, 'name')).toEqual(upwards)
      expect((await api.refusal(`nodes?sort=${keys.slice(0, 51).join()}`)).message).toBe(
        'The list has more than 50 sort keys; the option query.maxSortKeys sets this limit',
      )
    })

    it.each([
      ['sort', 'nodes?sort='],
      ['populate.out.sort', 'nodes?populate[out][sort]='],
      ['populate.out.populate.in.sort', 'nodes?populate[out][populate][in][sort]='],
    ])('has at most ten keys by default: %s', async (place, path) => {
      const keys = Object.keys(kinds).filter((kind) => kind !== 'json')
      const ten = keys.slice(0, 10).map((kind) => `${kind}Value`)
      expect(await serve().list(`${path}${[...ten, ...ten].join()}`)).toHaveLength(names.length)
      expect(await serve().refusal(`${path}${[...ten, 'name'].join()}`)).toEqual({
        message: 'The list has more than 10 sort keys; the option query.maxSortKeys sets this limit',
        path: place,
      })
    })

    it.each(['sort=id,nope', 'sort=id,out.nope', 'sort=name,name.nope'])(
      'rejects invalid keys that would have no effect: %s',
      async (query) => {
        expect((await serve().refusal(`nodes?${query}`)).message).toMatch(/^Invalid key (nope|name)$/)
      },
    )
  })
})
