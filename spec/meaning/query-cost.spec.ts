import {
  ConfigError,
  contentRouter,
  type ContentRouterConfig,
  fromDatabase,
  type Grant,
  type Rule,
} from '../../lib'
import { crowd } from '../support/crowd'
import { onSqlite } from '../support/databases'
import { collection, library } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { type Served, stocked } from '../support/served'

const upTo = (count: number): number[] => [...Array(count).keys()]
const wordy = collection(
  'note',
  Object.fromEntries([
    ...upTo(80).map((number) => [`text${String(number)}`, { type: 'text' }] as const),
    ['body', { type: 'richtext' }],
  ]),
  { drafts: true },
)
const types = [...(library as readonly object[]), wordy] as unknown as ContentRouterConfig['contentTypes']

const folding = (name: string, count: number, word = (number: number) => `word${String(number)}`): string =>
  upTo(count)
    .map((number) => `filters[$or][${String(number)}][${name}][$containsi]=${word(number)}`)
    .join('&')

const content = { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] }

/** Links that stand side by side, so that each is looked for by itself. */
const throughGenres = (count: number): string =>
  [...Array(count).keys()].map((index) => `filters[$and][${String(index)}][genres][name]=a`).join('&')

/** What it is foretold to cost, by the message of its refusal. */
async function costOf({ refusal }: Served, path: string): Promise<number> {
  const { message } = await refusal(path)
  return Number(/^The query would cost (\d+),/.exec(message)?.[1])
}

const dearest = { query: { maxCost: 1 } }

const faultsOf = (make: () => unknown): string[] => {
  try {
    make()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ where, problem, remedy = '' }) => `${where}: ${problem} (${remedy})`)
  }
}

onSqlite((database) => {
  describe('query.maxCost', () => {
    const { serve, world } = stocked(database, types, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [{ title: 'Dawn', author: 'ada' }],
      note: [{ text7: 'word' }],
    })

    beforeAll(async () => {
      for (const table of ['books', 'notes']) await crowd(world.knex, table)
    })

    it.each([
      ['comparisons that ignore case', `books?${folding('title', 60)}`],
      ['times one word in one attribute', `books?${folding('title', 60, () => 'word')}`],
      ['lists that are sorted by', 'books?sort=genres.name,genres.id'],
      ['links of conditions', `books?filters${'[author][books]'.repeat(30)}[title]=Dawn`],
      [
        'conditions of what is populated',
        `authors?${folding('name', 1)}&populate[books][filters]${'[author][books]'.repeat(30)}[title]=Dawn`,
      ],
    ])('refuses too many %s, in words that name the option', async (_what, path) => {
      const { message } = await serve().refusal(path)
      expect(message).toMatch(
        /^The query would cost \d+, more than 1000: .* the option query.maxCost raises this$/,
      )
      // No row is compared, as there is no entry 0.
      expect((await serve({ query: { maxCost: Infinity } }).get(`${path}&filters[id]=0`)).status).toBe(200)
    })

    it('lets through what is asked ordinarily', async () => {
      const conditions = ['$eq', '$ne', '$lt', '$gte', '$contains', '$startsWith']
        .flatMap((operator) => [`filters[title][${operator}]=Dawn`, `filters[author][name][${operator}]=Ada`])
        .concat('filters[author][country][name]=a', 'filters[genres][name]=a', 'filters[blurb][$containsi]=a')
      const sort = 'sort=author.name,author.country.name'
      for (const query of [conditions.join('&'), `${folding('title', 9)}&${sort}`, `_q=word&${sort}`])
        expect((await serve().get(`books?${query}`)).status).toBe(200)
    })

    it('lets whoever has several roles ask what each of them may', async () => {
      const names = ['one', 'two', 'three', 'four']
      const permissions = Object.fromEntries(
        names.map((name) => [name, { find: { book: { where: { genres: { $none: { name } } } } } }]),
      )
      const { get } = serve({ permissions, query: { maxCost: 300 } })
      for (const roles of [...names, names.join(',')]) {
        const { status } = await get('books?filters[title]=Dawn', roles)
        expect([roles, status]).toEqual([roles, 200])
      }
    })

    it('lets through twenty links there and back, and twelve through shared lists', async () => {
      const { get } = serve()
      const there = (links: readonly string[], count: number): string =>
        upTo(count)
          .map((index) => `[${links[index % 2] ?? ''}]`)
          .join('')
      for (const [links, most] of [
        [['author', 'books'], 20],
        [['genres', 'books'], 12],
      ] as const) {
        expect((await get(`books?filters${there(links, most)}[title]=Dawn`)).status).toBe(200)
        expect((await get(`books?filters${there(links, most + 2)}[title]=Dawn`)).status).toBe(400)
      }
    })

    it.each([
      ['in rich text', 200, 'notes?filters[text1][$containsi]=word', 'notes?filters[body][$containsi]=word'],
      ['for a sigma', 60, 'notes?filters[text1][$containsi]=o', 'notes?filters[text1][$containsi]=σ'],
      ['at the end', 60, 'notes?filters[text1][$startsWithi]=o', 'notes?filters[text1][$endsWithi]=o'],
      ['behind a link', 100, 'books?filters[title][$eqi]=Dawn', 'authors?filters[books][title][$eqi]=Dawn'],
      [
        'with many letters',
        200,
        `notes?filters[body][$contains]=${'a'.repeat(32)}`,
        `notes?filters[body][$contains]=${'a'.repeat(64)}`,
      ],
      ['with many letters everywhere', 800, 'notes?_q=word', `notes?_q=${'a'.repeat(100)}`],
      ['in shared lists', 130, 'authors?filters[books][id]=1', 'books?filters[genres][id]=1'],
    ])('counts more for what is looked for %s', async (_where, maxCost, cheap, dear) => {
      const { get } = serve({ query: { maxCost } })
      expect((await get(cheap)).status).toBe(200)
      expect((await get(dear)).status).toBe(400)
    })

    it('sends no statement of a query that it refuses', async () => {
      const sent: string[] = []
      const { get } = serve({ query: { maxCost: 20 }, onStatement: ({ sql }) => sent.push(sql) })
      expect((await get('books?filters[author][name]=Ada')).status).toBe(400)
      expect(sent).toEqual([])
    })

    it('searches types of any number of attributes', async () => {
      expect(await serve().values('notes?_q=WORD', 'text7')).toEqual(['word'])
    })

    it('counts nothing of what the role may not read', async () => {
      const { get } = serve({ query: { maxCost: 5 }, permissions: { public: { find: ['book'] } } })
      for (const name of ['name', 'nope']) {
        const answer = await get(`books?populate[author][filters][country][${name}]=a`)
        expect([answer.status, answer.body]).toMatchObject([200, { data: [{ title: 'Dawn' }] }])
      }
    })

    it('is a limit of roles as well', async () => {
      const find = { find: '*' } as const
      const permissions = { public: find, editor: find }
      const { get, refusal } = serve({ permissions, limitsByRole: { public: { maxCost: 40 } } })
      const path = 'books?filters[author][country][name]=a'
      expect((await refusal(path)).message).toContain('the option maxCost in limitsByRole raises this')
      expect((await get(path, 'editor')).status).toBe(200)
    })
  })

  describe('the cost estimate for small tables', () => {
    const { serve, world } = stocked(database, library, content)

    it('lets through by default what many ordinary conditions ask', async () => {
      const { page } = serve()
      expect((await page(`books?${throughGenres(20)}`)).data).toEqual([])
      const files = ['cover', 'plates', 'seo.image', 'author.portrait'].map((path) =>
        path.split('.').join(']['),
      )
      const named = files.map((path) => `filters[${path}][name][$null]=true`).join('&')
      expect((await page(`books?${named}&sort=author.name,genres.name`)).data).toMatchObject([
        { title: 'Dawn' },
      ])
    })

    it('counts each link, however small the tables are', async () => {
      expect(await costOf(serve(dearest), `books?${throughGenres(60)}`)).toBeGreaterThanOrEqual(60 * 20)
    })

    it('counts links of a long chain among the entries of one type as in large tables, for planning them takes as long', async () => {
      const chain = `filters${'[parent]'.repeat(18)}[name]=a`
      // The first link at 47 for a far one, of which a small table costs 20; the name behind them nearly nothing.
      expect(await costOf(serve(dearest), `genres?${chain}`)).toBeGreaterThanOrEqual(20 + 17 * 55)
    })

    it('takes a table that is no table, but a view, for a large one', async () => {
      const path = 'books?filters[title][$containsi]=a&filters[author][name][$containsi]=a'
      const before = await costOf(serve(dearest), path)
      await world.knex.schema.renameTable('authors', 'writers')
      await world.knex.raw('create view authors as select * from writers')
      try {
        // One link at 110, and twice 35 for a line behind it; the books cost a twentieth.
        expect([before, await costOf(serve(dearest), path)]).toEqual([26, 182])
      } finally {
        await world.knex.raw('drop view authors')
        await world.knex.schema.renameTable('writers', 'authors')
      }
    })
  })

  describe('the cost estimate for growing tables', () => {
    const { serve, world } = stocked(database, library, content)
    const folding = 'books?filters[title][$containsi]=a'

    it('tells apart no more than four sizes', async () => {
      const costs: number[] = []
      for (const rows of [10, 1000, 1001, 4000, 4001, 16_000, 16_001, 20_001]) {
        await crowd(world.knex, 'books', rows)
        costs.push(await costOf(serve(dearest), folding))
      }
      // 35 for the line and 1 for being published: a twentieth, a fifth, four fifths and all of it, rounded up.
      expect(costs).toEqual([2, 2, 8, 8, 29, 29, 36, 36])
    })

    it('counts only the tables that a query asks of', async () => {
      const { get } = serve({ query: { maxCost: 30 } })
      expect((await get('authors?filters[name][$containsi]=a')).status).toBe(200)
      expect((await get('authors?filters[country][name]=a')).status).toBe(200)
      expect((await get('authors?filters[books][title]=a')).status).toBe(400)
    })
  })

  describe('the size of tables', () => {
    const { serve, world } = stocked(database, library, content)
    const path = 'books?filters[title][$containsi]=a'

    it('counts again after ten minutes, beside the requests, and prices anew what it let through', async () => {
      const { get, list } = serve({ query: { maxCost: 30 } })
      expect(await list(path)).toHaveLength(1)
      await crowd(world.knex, 'books')
      expect((await get(path)).status).toBe(200)
      const later = performance.now() + 600_001
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => later)
      let { status } = await get(path)
      for (let tries = 0; status === 200 && tries < 1000; tries += 1) ({ status } = await get(path))
      clock.mockRestore()
      expect(status).toBe(400)
    })
  })

  describe('the cost estimate with rules', () => {
    const own = stocked(database, orderTypes, orderContent)

    it('tells of no table how many entries it holds, where a rule hides some, or attributes of theirs', async () => {
      /** Through a type that the role may not read. */
      const thrifty: Grant = { find: { item: { where: { reviews: { text: { $ne: 'dry' } } } } } }
      const keeper: Grant = { find: { item: { fields: ['title'] } } }
      const asked = ['filters[title][$containsi]=a', 'filters[orders][number][$containsi]=a']
      const told = async (): Promise<unknown> => {
        const { refusal } = own.serve({ permissions: { thrifty }, query: { maxCost: 120 } })
        const narrow = own.serve({ permissions: { keeper }, query: { maxCost: 1 } })
        return [
          await narrow.refusal(`items?${asked[0] ?? ''}`, 'keeper'),
          ...(await Promise.all(asked.map((query) => refusal(`items?${query}`, 'thrifty')))),
        ]
      }
      const before = await told()
      for (const table of ['reviews', 'items']) await crowd(own.world.knex, table, 20_001)
      expect(await told()).toEqual(before)
    })

    it('tells so of none to who sees nothing, as a value is missing', async () => {
      const lacking = { find: { customer: { where: { name: { $asker: 'name' } } } } }
      const { refusal } = own.serve({ permissions: { lacking }, query: { maxCost: 30 }, logger: false })
      expect((await refusal('customers?filters[name][$containsi]=a', 'lacking')).message).toMatch(/cost/i)
    })
  })
})

describe('rules that cost more than their role may ask for', () => {
  const start = (options: Partial<ContentRouterConfig>): string[] =>
    faultsOf(() =>
      contentRouter({
        ...{ contentTypes: orderTypes, database: { client: 'better-sqlite3', connection: ':memory:' } },
        ...{ role: () => 'member', logger: false, ...options },
      }),
    )
  const ruled = (where: object): { readonly member: { readonly find: Record<string, Rule> } } => ({
    member: { find: { order: { where } } },
  })

  it('are rejected at start', () => {
    const permissions = ruled({ customer: { name: 'Ada' } })
    // A link at 110 and a line behind it at 2.
    const told = (where: string): string[] => [
      `${where}: is less than the rules on api::order.order cost the role member by themselves: whatever it asks there would be refused (use at least 112)`,
    ]
    expect(start({ permissions, query: { maxCost: 100 } })).toEqual(told('query.maxCost'))
    const limits = (maxCost: number): Partial<ContentRouterConfig> => ({
      permissions,
      limitsByRole: { member: { maxCost } },
    })
    expect(start(limits(100))).toEqual(told('limitsByRole.member.maxCost'))
    expect(start(limits(112))).toEqual([])
    expect(start({ ...limits(112), query: { maxCost: 1 } })).toEqual([])
    const one = { member: { find: ['order'], findOne: permissions.member.find } }
    expect(start({ permissions: one, query: { maxCost: 100 } })).toEqual(told('query.maxCost'))
    const rules = { member: permissions.member.find }
    expect(start({ permissions: fromDatabase({ rules }), query: { maxCost: 100 } })).toEqual(
      told('query.maxCost'),
    )
  })
})
