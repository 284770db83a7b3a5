import { strapi5 } from '../../extensions/strapi'
import { eachDatabase } from '../support/databases'
import { expectSameBothWays, keys, kinds, pageOf, several, things } from '../support/keyset-walks'
import { type Served, stocked } from '../support/served'

const cursorOf = (list: string, values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([list, ...values])).toString('base64url')

/** Keys of a cursor: `t` begins a text, `n` a number and `b` a boolean. */
const hostile = [
  ...['t', 'n', 'b', 'x', 'tabc', 'n1', 'n-1', 'n1e999', 'n1e-999', 'nNaN', 'nInfinity', 'n-Infinity'],
  ...['n0x10', 'n99999999999999999999999999', 'n1.5', 'n ', 'n1;drop table things', "t' or 1=1 --"],
  ...['t\u0000', 't\ud800', 't2024-02-30', 't2024-13-01', 't0000-00-00', 't9999-12-31', 't24:00:00'],
  ...['t25:61:61', 't2024-02-30 10:00:00', 't2024-02-28 10:00:00.1234567', 't2024-02-28 10:00:00+99'],
  ...['tinfinity', 'b////', 'b=', 'btrue', `t${'x'.repeat(1023)}`, null, 1, true, {}, [], ['t']],
]

/** Cursors whose number of values or whose id is wrong. */
const misshapen = [[1], [1, 'tb', 'tb'], [1.5, 'tb'], ['1', 'tb'], [-1, 'tb'], [2 ** 53, 'tb'], [1.5, 1]]

eachDatabase((database) => {
  const shelf = stocked(database, kinds, things)

  describe('pages by cursors', () => {
    it.each([...keys, ...several, 'part.label:desc'])(
      'show each entry once with the collation of the database, sorted by %s',
      async (sort) => {
        await expectSameBothWays(served('database'), `things?sort=${sort}`, 5)
      },
    )
  })

  describe('forged cursors', () => {
    const everyKey = ['name', 'big', 'weight', 'on', 'day', 'hour', 'at']
    const others = ['body', 'rank', 'price', 'stamp', 'kind', 'part.label', 'parts.$count']

    it.each([
      ['exact', [...everyKey, ...others]],
      ['database', ['name', 'big', 'part.label']],
    ] as const)(
      'return a page or a 400, and never another status: textMatching %s',
      async (textMatching, sortedBy) => {
        const { get } = served(textMatching)
        for (const [place, sort] of sortedBy.entries()) {
          const first = `things?sort=${sort}&pagination[after]=&pagination[pageSize]=1`
          const { pagination } = await pageOf(served(textMatching), first)
          const text = Buffer.from(String(pagination.endCursor), 'base64url').toString()
          const [list] = JSON.parse(text) as [string]
          const some = everyKey.includes(sort) ? hostile : hostile.filter((_, at) => at % 3 === place % 3)
          const forged = some.map((key) => [1, key])
          for (const values of sort === 'name' ? [...forged, ...misshapen] : forged) {
            const { status } = await get(`things?sort=${sort}&pagination[after]=${cursorOf(list, values)}`)
            expect({ sort, values, status }).toEqual({ sort, values, status: status === 200 ? 200 : 400 })
          }
        }
      },
    )
  })

  const routers: Partial<Record<'exact' | 'database', Served>> = {}
  function served(textMatching: 'exact' | 'database'): Served {
    return (routers[textMatching] ??= shelf.serve(
      textMatching === 'exact' ? {} : { extensions: [strapi5()] },
    ))
  }
})
