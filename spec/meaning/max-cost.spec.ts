import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { crowd } from '../support/crowd'
import { collection, library } from '../support/library'
import { stocked } from '../support/served'

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

onSqlite((database) => {
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
    expect((await serve({ query: { maxCost: Infinity } }).get(path)).status).toBe(200)
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
})
