import { aggregates } from '../../extensions/aggregate'
import { listExports } from '../../extensions/export'
import { search } from '../../extensions/search'
import { type ContentRouterConfig, migrate } from '../../lib'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'

onSqlite((database) => {
  describe('a parameter of an extension', () => {
    const { serve, world } = stocked(database, library, { book: [{ title: 'Dawn' }, { title: 'Dusk' }] })
    const all = { find: '*', aggregate: '*', export: '*' } as const
    const extensions = [aggregates(), listExports(), search({ book: { title: 1 } })]
    const withExtensions = (options: object = {}): Served =>
      serve({ permissions: { public: all }, extensions, ...options })
    let near: Served
    let strict: Served
    let lax: Served

    beforeAll(async () => {
      const contentTypes = library as ContentRouterConfig['contentTypes']
      await migrate({ contentTypes, database: world.config, logger: false, extensions })
      near = withExtensions()
      strict = withExtensions({ strictParameters: true })
      lax = withExtensions({ strictParameters: false })
    })

    const count = 'books/aggregate?aggregate[count]=true'

    const misspelt: [string, string, string][] = [
      [`${count}&groupby=title`, 'groupby', 'groupBy'],
      [`${count}&groupBys=title`, 'groupBys', 'groupBy'],
      [`${count}&group=title`, 'group', 'groupBy'],
      [`${count}&groupBy=title&havin[count][$gt]=1`, 'havin', 'having'],
      [`${count}&aggregates[sum]=year`, 'aggregates', 'aggregate'],
      [`${count}&filter[title]=Dawn`, 'filter', 'filters'],
      ['books?facet=title', 'facet', 'facets'],
      ['books?Facets=title', 'Facets', 'facets'],
      ['books/export?formt=csv', 'formt', 'format'],
      ['books?_q=dawn&highlights=title', 'highlights', 'highlight'],
      ['books?_q=dawn&rank=true', 'rank', 'ranks'],
    ]

    it.each(misspelt)('that is misspelt is rejected with a suggestion: %s', async (url, name, meant) => {
      const refusal = { message: `Invalid key ${name}: did you mean ${meant}?`, path: name }
      for (const router of [near, strict]) expect(await router.refusal(url)).toEqual(refusal)
    })

    it.each(misspelt)('that is misspelt is ignored without strictParameters: %s', async (url) => {
      expect((await lax.get(url)).status).toBe(200)
    })

    it.each([
      `${count}&groupBy=title&having[count][$gte]=1`,
      'books?facets=title',
      'books/export?format=csv',
      'books?_q=dawn&highlight=title&ranks=true&sort=_rank',
    ])('is accepted with its own name: %s', async (url) => {
      for (const router of [near, strict, lax]) expect((await router.get(url)).status).toBe(200)
    })

    it.each([`${count}&token=x`, `${count}&fac=x`, 'books?groupby=title', 'books?forma=x'])(
      'is compared only with similar names of the same path: %s',
      async (url) => {
        expect((await near.get(url)).status).toBe(200)
      },
    )

    it('is listed where every unknown name is rejected', async () => {
      const { message } = await strict.refusal(`${count}&token=x`)
      expect(message).toMatch(
        /^Invalid key token: the parameters are fields, .*, aggregate, groupBy, having$/,
      )
    })

    it('is unknown without its extension', async () => {
      expect(await serve().list('books?facet=title')).toHaveLength(2)
    })
  })
})
