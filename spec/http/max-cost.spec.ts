import type { ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, library } from '../support/library'
import { stocked } from '../support/served'

const upTo = (count: number): number[] => [...Array(count).keys()]
const wordy = collection(
  'note',
  Object.fromEntries(upTo(80).map((number) => [`text${String(number)}`, { type: 'text' }])),
)
const types = [...(library as readonly object[]), wordy] as unknown as ContentRouterConfig['contentTypes']

const folding = (name: string, count: number): string =>
  upTo(count)
    .map((number) => `filters[$or][${String(number)}][${name}][$containsi]=word${String(number)}`)
    .join('&')

eachDatabase((database) => {
  const { serve } = stocked(database, types, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    book: [{ title: 'Dawn', author: 'ada' }],
    note: [{ text7: 'word' }],
  })

  it.each([
    ['comparisons that ignore case', `books?${folding('title', 60)}`],
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
