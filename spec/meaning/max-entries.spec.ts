import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const numbers = [...Array(10).keys()].map(String)

/** There and back, so that every level leads to all that the one above it leads to. */
const thereAndBack = (levels: number): string =>
  [...Array(levels).keys()].map((level) => (level % 2 === 0 ? 'books' : 'author')).join('.')

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    author: numbers.map((number) => ({ $ref: `a${number}`, name: `author ${number}` })),
    book: numbers.flatMap((author) =>
      [...numbers, '10'].map((number) => ({ title: `book ${number}`, author: `a${author}` })),
    ),
  })

  it('reads an answer that would show too many entries no further than it has to', async () => {
    let statements = 0
    const onStatement = (): void => {
      statements += 1
    }
    const { get } = serve({ query: { maxEntries: 300 }, onStatement })
    const answer = await get(`authors?populate=${thereAndBack(100)}`)
    expect([answer.status, answer.body]).toMatchObject([
      400,
      {
        error: {
          message: expect.stringContaining('query.maxEntries') as string,
          details: { path: 'populate' },
        },
      },
    ])
    expect(statements).toBeLessThan(20)
  })

  it('takes no entries for shown that are merely counted, but for a tenth of them', async () => {
    const counted = 'authors?populate[books][count]=true'
    const answer = await serve({ query: { maxEntries: 11 } }).get(counted)
    const { data } = answer.body as {
      readonly data: readonly { readonly books: { readonly count: number } }[]
    }
    expect([answer.status, data.map(({ books }) => books.count)]).toEqual([200, numbers.map(() => 11)])
    expect((await serve({ query: { maxEntries: 10 } }).get('authors')).status).toBe(200)
    expect((await serve({ query: { maxEntries: 10 } }).get(counted)).status).toBe(400)
    expect((await serve({ query: { maxEntries: 11 } }).get('authors?populate=books')).status).toBe(400)
  })
})
