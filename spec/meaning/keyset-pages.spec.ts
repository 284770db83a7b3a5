import { type SeedContent, strapi5 } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, component, integer, library, relation, repeated, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

interface Edges {
  readonly pageSize: number
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
  readonly total?: number
  readonly pageCount?: number
}

interface KeysetPage {
  readonly data: readonly Entry[]
  readonly pagination: Edges
}

async function pageOf(served: Served, path: string): Promise<KeysetPage> {
  const { data, meta } = await served.page(path)
  return { data, pagination: meta.pagination as unknown as Edges }
}

const ids = ({ data }: Pick<KeysetPage, 'data'>): unknown[] => data.map(({ id }) => id)

/** All pages of a list one after the other, from either end. */
async function walk(
  served: Served,
  list: string,
  side: 'after' | 'before',
  size: number,
): Promise<KeysetPage[]> {
  const pages: KeysetPage[] = []
  const isForward = side === 'after'
  for (let cursor = ''; pages.length < 100;) {
    const page = await pageOf(
      served,
      `${list}&pagination[pageSize]=${String(size)}&pagination[${side}]=${cursor}`,
    )
    pages.push(page)
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pagination
    if (!(isForward ? hasNextPage : hasPreviousPage)) return pages
    cursor = (isForward ? endCursor : startCursor) ?? ''
  }
  throw new Error(`${list} has no end`)
}

/** What Strapi's own pages show at once. */
const whole = async (served: Served, list: string): Promise<unknown[]> =>
  ids(await served.page(`${list}&pagination[pageSize]=100`))

async function expectSameBothWays(served: Served, list: string): Promise<void> {
  const all = await whole(served, list)
  expect(all.length).toBeGreaterThan(4)
  for (const size of [2, 100]) {
    const forth = await walk(served, list, 'after', size)
    const back = await walk(served, list, 'before', size)
    expect(forth.flatMap(ids)).toEqual(all)
    expect([...back].reverse().flatMap(ids)).toEqual(all)
    const others = [forth, back].map((pages) => pages.length > 1)
    expect(forth.map(({ pagination }) => pagination.hasPreviousPage)).toEqual(
      forth.map((_page, at) => at > 0),
    )
    expect(back.map(({ pagination }) => pagination.hasNextPage)).toEqual(back.map((_page, at) => at > 0))
    expect(others).toEqual(Array(2).fill(all.length > size))
  }
}

/** Every kind of value that a sort can be by, with equal ones, and some that are hard to hold exactly. */
const kinds = [
  collection('thing', {
    name: text,
    body: { type: 'text' },
    rank: integer,
    big: { type: 'biginteger' },
    weight: { type: 'float' },
    price: { type: 'decimal' },
    on: { type: 'boolean' },
    day: { type: 'date' },
    hour: { type: 'time' },
    at: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    part: relation('manyToOne', 'part', { inversedBy: 'things' }),
    parts: relation('manyToMany', 'part'),
    rows: repeated('inner.row'),
  }),
  collection('part', {
    label: text,
    things: relation('oneToMany', 'thing', { mappedBy: 'part' }),
    inner: relation('manyToMany', 'part'),
    light: { type: 'float' },
    good: { type: 'boolean' },
  }),
  component('inner.row', { value: integer }),
] as unknown as typeof library

const things: SeedContent = {
  part: [
    { $ref: 'p1', label: 'b', light: 0.1, good: true, inner: ['p2'] },
    { $ref: 'p2', label: 'a', light: 0.30000000000000004, good: false, inner: ['p1', 'p3'] },
    { $ref: 'p3', label: null, light: 1e300, inner: [] },
    { $ref: 'p4', label: 'ß', inner: ['p4', 'p2'] },
  ],
  thing: [
    { name: 'b', rank: 2, big: '9007199254740993', weight: 0.1, price: 0.1, on: true, kind: 'b' },
    { name: 'B', rank: 1, big: '9007199254740992', weight: 0.30000000000000004, price: 1.25, on: false },
    { name: 'é', rank: 2, big: '-9223372036854775808', weight: 0.3, price: 1.2, kind: 'a', part: 'p1' },
    { name: null, rank: null, big: '9223372036854775807', weight: -1e-300, price: 99999999.99, part: 'p1' },
    { name: '', big: null, weight: 1e300, price: -0.01, on: true, part: 'p2', parts: ['p1', 'p3'] },
    { name: '🦉', rank: -5, big: '0', weight: null, price: null, part: 'p3', parts: ['p2'], kind: 'a' },
    { name: 'ｚ', rank: 2, weight: 0, day: '2024-02-29', hour: '00:00:00.000', parts: ['p2', 'p3'] },
    { name: "o'\\n\u0001%_", day: '1999-12-31', hour: '23:59:59.999', parts: ['p4', 'p1'], part: 'p4' },
    {
      name: 'b',
      day: '2024-02-29',
      at: '2024-02-29T10:00:00.001Z',
      stamp: '2023-11-14T22:13:20.000Z',
      body: 'x',
    },
    {
      name: 'b',
      day: '0099-01-01',
      at: '2024-02-29T10:00:00.002Z',
      stamp: '2023-11-14T22:13:20.001Z',
      body: 'y',
    },
    { name: 'c', at: '1969-12-31T23:59:59.999Z', rows: [{ value: 3 }, { value: 1 }], body: 'x' },
    { name: 'c', at: '2024-02-29T10:00:00.001Z', rows: [{ value: 2 }], body: null, parts: ['p3', 'p4'] },
  ],
}

const keys = [
  'name',
  'body',
  'rank',
  'big',
  'weight',
  'price',
  'on',
  'day',
  'hour',
  'at',
  'stamp',
  'kind',
  'id',
]
const far = [
  ...['part.label', 'part.light', 'part.good', 'parts.label', 'rows.value', 'part.id'],
  ...['parts.inner.label', 'parts.inner.light', 'parts.inner.good', 'part.inner.inner.label'],
  ...['parts.$count', 'part.inner.$count', 'parts.inner.$count', 'rows.$count', 'part.things.name'],
]
const several = [
  'kind,rank:desc,name',
  'day:desc,at,part.label:desc',
  'parts.$count:desc,name:desc',
  'on,id:desc,name',
]

onSqlite((database) => {
  describe('pages by cursors', () => {
    const shelf = stocked(database, kinds, things)

    it.each(keys.flatMap((key) => [key, `${key}:desc`]))(
      'show each entry once, sorted by %s',
      async (sort) => {
        await expectSameBothWays(shelf.serve(), `things?sort=${sort}`)
      },
    )

    it.each(far.flatMap((key) => [key, `${key}:desc`]))(
      'show each entry once, sorted by %s',
      async (sort) => {
        await expectSameBothWays(shelf.serve(), `things?sort=${sort}`)
      },
    )

    it.each(several)('show each entry once, sorted by several keys: %s', async (sort) => {
      await expectSameBothWays(shelf.serve(), `things?sort=${sort}`)
    })

    it.each([...keys, ...several, 'part.label:desc', 'parts.inner.label', 'parts.label:desc'])(
      'show each entry once with the collation of the database, sorted by %s',
      async (sort) => {
        await expectSameBothWays(shelf.serve(strapi5), `things?sort=${sort}`)
      },
    )

    it('are sorted by id by default', async () => {
      await expectSameBothWays(shelf.serve(), 'things?')
    })

    it('work with filters, search and populate', async () => {
      const list =
        'things?filters[parts][$none][label]=a&filters[rank][$null]=true&populate=part,parts&sort=name:desc'
      const served = shelf.serve()
      const pages = await walk(served, list, 'after', 2)
      expect(pages.flatMap(({ data }) => data)).toEqual(await served.list(`${list}&pagination[pageSize]=100`))
      expect(pages.length).toBeGreaterThan(1)
      expect((await walk(served, 'things?_q=b&sort=at', 'after', 1)).flatMap(ids)).toEqual(
        await whole(served, 'things?_q=b&sort=at'),
      )
    })

    it('have a size and cursors in meta, and a total only if requested', async () => {
      const served = shelf.serve()
      const { pagination } = await pageOf(served, 'things?pagination[after]=&pagination[pageSize]=5')
      const { startCursor, endCursor, ...rest } = pagination
      expect(rest).toEqual({ pageSize: 5, hasNextPage: true, hasPreviousPage: false })
      expect([startCursor, endCursor]).toEqual([
        expect.stringMatching(/^[\w-]+$/),
        expect.stringMatching(/^[\w-]+$/),
      ])
      const counted = `things?pagination[pageSize]=5&pagination[withCount]=true&pagination[after]=${String(endCursor)}`
      expect((await pageOf(served, counted)).pagination).toMatchObject({
        ...{ hasNextPage: true, hasPreviousPage: true, total: 12, pageCount: 3 },
      })
    })

    it('have no cursors if the list is empty', async () => {
      const nothing = {
        pageSize: 25,
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: null,
        endCursor: null,
      }
      for (const side of ['after', 'before']) {
        const { data, pagination } = await pageOf(
          shelf.serve(),
          `things?filters[name]=no&pagination[${side}]`,
        )
        expect([data, pagination]).toEqual([[], nothing])
      }
    })

    it('have a previous page behind the last entry', async () => {
      const served = shelf.serve()
      const last = await pageOf(served, 'things?sort=name&pagination[before]=&pagination[pageSize]=1')
      const beyond = `things?sort=name&pagination[withCount]=1&pagination[after]=${String(last.pagination.endCursor)}`
      expect(await pageOf(served, beyond)).toEqual({
        data: [],
        pagination: {
          ...{ pageSize: 25, hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
          ...{ pageCount: 1, total: 12 },
        },
      })
    })

    it('accept a cursor with other fields and another notation of the same sort', async () => {
      const served = shelf.serve()
      const { pagination } = await pageOf(
        served,
        'things?sort=name&pagination[after]=&pagination[pageSize]=5',
      )
      const cursor = String(pagination.endCursor)
      const rest = (await whole(served, 'things?sort=name')).slice(5)
      const others = [
        'sort[]=name:asc&fields=name',
        'sort[name]=asc&populate=*',
        'sort=%20name&pagination[pageSize]=90',
      ]
      for (const other of others) {
        expect(ids(await pageOf(served, `things?${other}&pagination[after]=${cursor}`))).toEqual(rest)
      }
    })

    it('reject a cursor of another type, sort or filter', async () => {
      const served = shelf.serve()
      const { pagination } = await pageOf(
        served,
        'things?sort=name&pagination[after]=&pagination[pageSize]=5',
      )
      const cursor = String(pagination.endCursor)
      const refusal = {
        message: 'Invalid cursor: it is not one that a page of this query has told',
        path: 'pagination.after',
      }
      for (const other of [
        ...[
          'things?',
          'things?sort=name:desc',
          'things?sort=name,rank',
          'things?sort=rank',
          'parts?sort=name',
        ],
        ...['things?sort=name&filters[rank]=2', 'things?sort=name&_q=b', 'parts?sort=label'],
      ]) {
        const refused = await served.refusal(
          `${other}${other.endsWith('?') ? '' : '&'}pagination[after]=${cursor}`,
        )
        expect(other === 'parts?sort=name' ? { ...refused, ...refusal } : refused).toEqual(refusal)
      }
    })

    it.each([
      'pagination[after]=&pagination[page]=1',
      'pagination[after]=&pagination[start]=0',
      'pagination[before]=&pagination[limit]=2',
      'pagination[after]=&pagination[before]=',
      'pagination[after][]=x',
      'pagination[after][a]=x',
      'pagination[after]=x&pagination[after]=y',
      'pagination[after]=nonsense',

      'pagination[after]=W10',
      'pagination[after]=%00',
      'pagination[after]=&pagination[pageSize]=x',
    ])('reject invalid parameters: %s', async (pages) => {
      const served = shelf.serve()
      const { path } = await served.refusal(`things?${pages}`)
      expect(path).toMatch(/^pagination/)
    })
  })

  describe('forged cursors', () => {
    const shelf = stocked(database, kinds, things)
    const forged = (list: string, told: readonly unknown[]): string =>
      Buffer.from(JSON.stringify([list, ...told])).toString('base64url')

    const hostile = [
      ...[
        't',
        'n',
        'b',
        'x',
        'tabc',
        'n1',
        'n-1',
        'n1e999',
        'n1e-999',
        'nNaN',
        'nInfinity',
        'n-Infinity',
        'n0x10',
      ],
      ...[
        'n99999999999999999999999999',
        'n1.5',
        'n',
        'n ',
        'n1;drop table things',
        "t' or 1=1 --",
        't\u0000',
        't\ud800',
      ],
      ...[
        't2024-02-30',
        't2024-13-01',
        't0000-00-00',
        't9999-12-31',
        't24:00:00',
        't25:61:61',
        't2024-02-30 10:00:00',
      ],
      ...[
        't2024-02-28 10:00:00.1234567',
        't2024-02-28 10:00:00+99',
        'tinfinity',
        'b////',
        'b=',
        'btrue',
        `t${'x'.repeat(1023)}`,
      ],
      ...[null, 1, true, {}, [], ['t']],
    ]

    const shapes = (key: unknown): unknown[][] => [
      [1, key, key],
      [1.5, key],
      ['1', key],
      [-1, key],
      [2 ** 53, key],
    ]

    it.each(['exact', 'database'] as const)(
      'return a page or a 400, and never another status: %s',
      async (textMatching) => {
        const served = shelf.serve({ textMatching })
        for (const sort of [
          ...keys.slice(0, -1),
          'part.label',
          'parts.inner.label',
          'parts.$count',
          'part.light',
        ]) {
          const { pagination } = await pageOf(
            served,
            `things?sort=${sort}&pagination[after]=&pagination[pageSize]=1`,
          )
          const [list] = JSON.parse(Buffer.from(String(pagination.endCursor), 'base64url').toString()) as [
            string,
          ]
          for (const key of hostile) {
            for (const told of sort === 'name' ? [[1, key], [1], ...shapes(key)] : [[1, key]]) {
              const { status } = await served.get(
                `things?sort=${sort}&pagination[after]=${forged(list, told)}`,
              )
              expect({ sort, told, status }).toEqual({ sort, told, status: status === 200 ? 200 : 400 })
            }
          }
        }
      },
    )

    it('expose nothing of a type that the role may not read', async () => {
      const served = shelf.serve({ permissions: { public: { find: ['thing'] } } })
      const unknown = await served.refusal('things?sort=nothing.label&pagination[after]=')
      const hidden = await served.refusal('things?sort=part.label&pagination[after]=')
      expect(hidden.message).toBe(unknown.message.replace('nothing', 'part'))
      const { pagination } = await pageOf(
        shelf.serve(),
        'things?sort=part.label&pagination[after]=&pagination[pageSize]=1',
      )
      const [list] = JSON.parse(Buffer.from(String(pagination.endCursor), 'base64url').toString()) as [string]
      for (const key of ['tb', 'n1', null]) {
        expect(
          await served.refusal(`things?sort=part.label&pagination[after]=${forged(list, [1, key])}`),
        ).toEqual(hidden)
      }
    })
  })

  describe('a value that is too long for a cursor', () => {
    const long = 'x'.repeat(1100)
    const shelf = stocked(database, kinds, {
      thing: [
        { name: 'a', body: 'short' },
        { name: 'b', body: long },
        { name: 'c', body: `${long}y` },
      ],
    })

    it('is a 400 that says so, and numbered pages still work', async () => {
      const served = shelf.serve()
      const page = 'things?sort=body&pagination[pageSize]=1&pagination[after]='
      const { pagination } = await pageOf(served, page)
      const refused = await served.refusal(page + String(pagination.endCursor))
      expect(refused.message).toContain('no cursor can hold')
      expect(refused.path).toBe('pagination.after')
      expect(
        await served.values('things?sort=body&pagination[pageSize]=1&pagination[page]=2', 'name'),
      ).toEqual(['b'])
    })
  })

  describe('pages by cursors inside populate', () => {
    const books = (author: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...{
          $ref: `${author}-${String(index)}`,
          title: `${author} ${String(index)}`,
          year: 2000 + (index % 3),
          author,
        },
        genres: ['all'],
      }))
    const shelf = stocked(database, library, {
      genre: [{ $ref: 'all', name: 'all' }],
      author: ['ada', 'bob', 'cid'].map((name) => ({ $ref: name, name })),
      book: [...books('ada', 5), ...books('bob', 2)],
    })
    const paged = (): Served => shelf.serve({ nestedPagination: true })

    interface Nested {
      readonly data: readonly Entry[]
      readonly meta: { readonly pagination: Edges }
    }
    const nested = async (path: string, attribute: string): Promise<Nested[]> =>
      (await paged().list(path)).map((entry) => entry[attribute] as Nested)

    const books1 = 'populate[books][fields]=title&populate[books][pagination]'

    it.each([
      '',
      '&populate[books][sort]=year:desc',
      '&populate[books][sort]=title',
      '&populate[books][sort]=author.name,title:desc',
    ])('go through the list of one parent in its order, both ways: %s', async (sort) => {
      for (const [list, name] of [
        ['authors', 'ada'],
        ['genres', 'all'],
      ] as const) {
        const of = `${list}?filters[name]=${name}${sort}&${books1}`
        const [all] = await paged().list(`${of}[pageSize]=100`)
        const titles = (all?.['books'] as readonly Entry[]).map(({ title }) => title)
        for (const side of ['after', 'before'] as const) {
          const found: unknown[][] = []
          for (let cursor = ''; found.length < 20;) {
            const [page] = await nested(`${of}[pageSize]=2&${books1}[${side}]=${cursor}`, 'books')
            const { hasNextPage, hasPreviousPage, startCursor, endCursor } =
              page?.meta.pagination ?? ({} as Edges)
            found.push((page?.data ?? []).map(({ title }) => title))
            expect(side === 'after' ? hasPreviousPage : hasNextPage).toBe(found.length > 1)
            if (!(side === 'after' ? hasNextPage : hasPreviousPage)) break
            cursor = (side === 'after' ? endCursor : startCursor) ?? ''
          }
          expect((side === 'after' ? found : found.reverse()).flat()).toEqual(titles)
        }
      }
    })

    it('have cursors and a total for each parent', async () => {
      const pages = await nested(
        `authors?sort=name&${books1}[after]=&${books1}[pageSize]=3&${books1}[withCount]=true`,
        'books',
      )
      expect(
        pages.map(({ data, meta: { pagination } }) => [
          data.length,
          pagination.hasNextPage,
          pagination.total,
        ]),
      ).toEqual([
        [3, true, 5],
        [2, false, 2],
        [0, false, 0],
      ])
    })

    it('reject the cursor of another list', async () => {
      const [ada] = await nested(`authors?sort=name&${books1}[after]=&${books1}[pageSize]=3`, 'books')
      const cursor = String(ada?.meta.pagination.endCursor)
      expect((await paged().refusal(`genres?${books1}[after]=${cursor}`)).path).toBe(
        'populate.books.pagination.after',
      )
      expect(
        (await paged().refusal(`authors?${books1}[after]=${cursor}&populate[books][sort]=title`)).message,
      ).toContain('Invalid cursor')
    })
  })

  describe('pages by cursors during writes', () => {
    const shelf = stocked(database, library, {
      genre: Array.from({ length: 60 }, (_, at) => ({ name: `stands ${String(at % 7)}` })),
    })

    it('show every entry once that existed throughout', async () => {
      const served = shelf.serve()
      const { knex } = shelf.world
      const stood = new Set(await whole(served, 'genres?sort=name'))
      const over = new AbortController()
      const idOf = (round: number): string => `w${String(round)}`.padEnd(24, 'x')
      // Some rows stay for a while, and none for good: a list that grows faster than it is read has no end.
      const writing = (async () => {
        for (let round = 0; !over.signal.aborted; round += 1) {
          await knex('genres').insert({ document_id: idOf(round), name: `stands ${String(round % 9)}` })
          const gone = round % 2 === 0 ? round : round - 10
          await knex('genres').where('document_id', idOf(gone)).delete()
          await new Promise((resolve) => setTimeout(resolve, 2))
        }
      })()
      for (const side of ['after', 'before'] as const) {
        for (const sort of ['name', 'name:desc', 'books.$count,name']) {
          const pages = await walk(served, `genres?sort=${sort}`, side, 3)
          const shown = pages.flatMap(ids).filter((id) => stood.has(id))
          expect(shown.length).toBe(60)
          expect(new Set(shown)).toEqual(stood)
        }
      }
      over.abort()
      await writing
    })
  })
})
