import { crowd } from '../support/crowd'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'

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

onSqlite((database) => {
  describe('of tables that stay small', () => {
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

  describe('of tables that grow', () => {
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

  describe('while a router runs', () => {
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
})
