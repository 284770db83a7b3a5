import { keeping } from '../support/hearing'
import { collection, relation, text } from '../support/library'
import { onSqlite } from '../support/databases'
import { type Entry, type Served, stocked } from '../support/served'
import type { ContentRouterConfig } from '../../lib'

const rows = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** An attribute of each type that has an order, each with the same order as the numbers that it is made of. */
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

/** Each leads to all of them, so that the ways from one to another are eight times as many with every link. */
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
/** What Postgres does with NULLs by itself: they are the largest. */
const upwardsNullsLast = ['low', ...dense, 'high', 'either', 'blind', 'end']
const downwardsNullsFirst = ['either', 'blind', 'end', 'high', ...dense, 'low']

const far = (links: number): string => 'out.'.repeat(links)

onSqlite((database) => {
  const { serve } = stocked(database, types, {
    node: nodes as Entry[] as never,
    shelf: [
      { name: 'all', nodes: names },
      { name: 'some', nodes: ['low', 'high', 'dense4', 'end'] },
    ],
  })
  const query = { maxCost: Infinity }
  const { sql: statements, logger } = keeping()
  let watched: Served | undefined
  async function sqlOf(path: string): Promise<readonly string[]> {
    watched ??= serve({ logger, query })
    await watched.list('shelfs')
    statements.length = 0
    await watched.list(path)
    return [...statements]
  }

  describe('a sort through many links that lead to many', () => {
    it.each([2, 3, 4, 5, 6, 7, 8])(
      'is by the first value at the end of all ways, and last of it backwards: %i',
      async (links) => {
        expect(await serve().values(`nodes?sort=${far(links)}integerValue`, 'name')).toEqual(upwards)
        expect(await serve().values(`nodes?sort=${far(links)}integerValue:desc`, 'name')).toEqual(downwards)
      },
    )

    it.each(Object.keys(kinds).filter((kind) => kind !== 'boolean' && kind !== 'json'))(
      'is by values of any type: %s',
      async (kind) => {
        const key = `${far(3)}${kind}Value`
        expect(await serve().values(`nodes?sort=${key}`, 'name')).toEqual(upwards)
        expect(await serve().values(`nodes?sort=${key}:desc`, 'name')).toEqual(downwards)
      },
    )

    it('is by booleans, false before true', async () => {
      const key = `${far(8)}booleanValue`
      const yes = ['high', ...dense]
      expect(await serve().values(`nodes?sort=${key}`, 'name')).toEqual([
        ...['either', 'blind', 'end', 'low'],
        ...yes,
      ])
      expect(await serve().values(`nodes?sort=${key}:desc`, 'name')).toEqual([
        ...[...yes, 'either', 'low'],
        ...['blind', 'end'],
      ])
    })

    it.each(['integer', 'string', 'json', 'datetime'])(
      'has NULLs where the database has them, if it is left to that: %s',
      async (kind) => {
        const api = serve({ textMatching: 'database', query })
        const sorted = (direction: string): Promise<unknown[]> =>
          api.values(`nodes?sort=${far(4)}${kind}Value:${direction}`, 'name')
        const isPostgres = database.name === 'postgres'
        expect(await sorted('asc')).toEqual(isPostgres ? upwardsNullsLast : upwards)
        expect(await sorted('desc')).toEqual(isPostgres ? downwardsNullsFirst : downwards)
      },
    )

    it('is one of several keys, and breaks no page', async () => {
      const sort = `sort=${far(6)}integerValue:desc,in.out.name:desc,name:desc`
      const expected = ['high', 'either', ...dense.toReversed(), 'low', 'blind', 'end']
      expect(await serve().values(`nodes?${sort}`, 'name')).toEqual(expected)
      const pages: unknown[] = []
      for (const page of [1, 2, 3]) {
        const cut = `pagination[pageSize]=5&pagination[page]=${String(page)}`
        pages.push(...(await serve().values(`nodes?${sort}&${cut}`, 'name')))
      }
      expect(pages).toEqual(expected)
    })

    it('counts what a filter finds', async () => {
      const path = `nodes?sort=${far(8)}integerValue&filters[name][$startsWith]=dense&pagination[pageSize]=4`
      const { data, meta } = await serve().page(path)
      expect(data.map(({ name }) => name)).toEqual(dense.slice(0, 4))
      expect(meta.pagination['total']).toBe(8)
    })

    it.each(['', '&populate[nodes][fields]=name'])(
      'sorts what is populated as it sorts a list%s',
      async (more) => {
        const namesOf = async (api: Served, query: string): Promise<unknown[]> => {
          const shelves = await api.list(`shelfs?${query}${more}`)
          return shelves.map((shelf) => (shelf['nodes'] as Entry[]).map(({ name }) => name))
        }
        const sort = `populate[nodes][sort]=${far(8)}integerValue`
        const few = ['end', 'low', 'dense4', 'high']
        expect(await namesOf(serve(), sort)).toEqual([upwards, few])
        const paged = `${sort}:desc&populate[nodes][pagination][pageSize]=3`
        expect(await namesOf(serve({ nestedPagination: true }), paged)).toEqual([
          downwards.slice(0, 3),
          few.toReversed().slice(0, 3),
        ])
      },
    )
  })

  describe('the links of a sort', () => {
    it.each([
      [0, 'nodes?sort=out.name', 'sort'],
      [1, 'nodes?sort=name,out.out.name', 'sort'],
      [1, 'nodes?populate[out][sort]=in.name', 'populate.out.sort'],
      [2, 'nodes?populate[out][populate][in][sort][0]=out.name', 'populate.out.populate.in.sort.0'],
    ])('count towards maxDepth, from what is asked for: %i, %s', async (maxDepth, path, place) => {
      expect(await serve({ query: { maxDepth } }).refusal(path)).toEqual({
        message: `Sorted deeper than ${String(maxDepth)} levels; the option query.maxDepth raises this`,
        path: place,
      })
      const allowed = serve({ query: { maxDepth: maxDepth + 1 } })
      expect(await allowed.list(path)).toHaveLength(names.length)
    })

    it.each([
      [3, 'nodes?sort=out.out.name'],
      [4, 'nodes?sort=out.out.name,name,out.out.name'],
      [4, 'nodes?populate[out][sort]=in.out.name'],
    ])('count towards maxNodes, each as one: %i, %s', async (maxNodes, path) => {
      const { message } = await serve({ query: { maxNodes: maxNodes - 1 } }).refusal(path)
      expect(message).toContain('the option query.maxNodes raises this')
      expect(await serve({ query: { maxNodes } }).list(path)).toHaveLength(names.length)
    })
  })

  describe('the statement of a sort', () => {
    const linksIn = ([sql = '']: readonly string[]): number => sql.split('nodes_out_lnk').length - 1

    it.each([1, 2, 4, 8])('reads each link along the path once: %i', async (links) => {
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
    ])('has no place for %s', async (_, once, again) => {
      expect(await sqlOf(`nodes?${again}`)).toEqual(await sqlOf(`nodes?${once}`))
    })

    it('is the same for a key that stands there a thousand times', async () => {
      const thousand = rows(1000, (index) => (index % 2 === 0 ? 'out.name' : 'out.name:desc')).join()
      const api = serve({ query })
      expect(await api.values(`nodes?sort=${thousand},integerValue:desc`, 'name')).toEqual(
        await api.values('nodes?sort=out.name,out.name:desc,integerValue:desc', 'name'),
      )
    })

    it('keeps a key through many that is repeated backwards, as that is by another of their values', async () => {
      const api = serve({ query })
      const some = 'filters[name][$in][0]=high&filters[name][$in][1]=either'
      // Both lead to 999; `either` leads to the 104 of `blind` as well.
      const key = 'out.integerValue'
      expect(await api.values(`nodes?sort=${key}:desc&${some}`, 'name')).toEqual(['high', 'either'])
      expect(await api.values(`nodes?sort=${key}:desc,${key}&${some}`, 'name')).toEqual(['either', 'high'])
    })

    it('may have as many keys as the option allows at most, however far they lead', async () => {
      const ordered = Object.keys(kinds).filter((kind) => kind !== 'json')
      const keys = [7, 5, 3].flatMap((links) =>
        ordered.flatMap((kind) => ['asc', 'desc'].map((way) => `${far(links)}${kind}Value:${way}`)),
      )
      const api = serve({ query: { maxSortKeys: 50, maxCost: Infinity } })
      expect(await api.values(`nodes?sort=${keys.slice(0, 50).join()}`, 'name')).toEqual(upwards)
      expect((await api.refusal(`nodes?sort=${keys.slice(0, 51).join()}`)).message).toBe(
        'More than 50 sort keys; the option query.maxSortKeys raises this',
      )
    })

    it.each([
      ['sort', 'nodes?sort='],
      ['populate.out.sort', 'nodes?populate[out][sort]='],
      ['populate.out.populate.in.sort', 'nodes?populate[out][populate][in][sort]='],
    ])('has at most ten keys unless an option says otherwise: %s', async (place, path) => {
      const keys = Object.keys(kinds).filter((kind) => kind !== 'json')
      const ten = keys.slice(0, 10).map((kind) => `${kind}Value`)
      expect(await serve().list(`${path}${[...ten, ...ten].join()}`)).toHaveLength(names.length)
      expect(await serve().refusal(`${path}${[...ten, 'name'].join()}`)).toEqual({
        message: 'More than 10 sort keys; the option query.maxSortKeys raises this',
        path: place,
      })
    })

    it.each(['sort=id,nope', 'sort=id,out.nope', 'sort=name,name.nope'])(
      'refuses what decides nothing like anything else: %s',
      async (query) => {
        expect((await serve().refusal(`nodes?${query}`)).message).toMatch(/^Invalid key (nope|name)$/)
      },
    )
  })
})
