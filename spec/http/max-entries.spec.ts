import { eachDatabase } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const numbers = [...Array(10).keys()].map(String)

/** There and back, so that every level leads to all that the one above it leads to. */
const thereAndBack = (levels: number): string =>
  [...Array(levels).keys()].map((level) => (level % 2 === 0 ? 'books' : 'author')).join('.')

eachDatabase((database) => {
  const { serve } = stocked(database, library, {
    author: numbers.map((number) => ({ $ref: `a${number}`, name: `author ${number}` })),
    book: numbers.flatMap((author) =>
      numbers.map((number) => ({ title: `book ${number}`, author: `a${author}` })),
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
})
