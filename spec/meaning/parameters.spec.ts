import { strapi5 } from '../../lib'
import { library } from '../support/library'
import { stocked } from '../support/served'
import { onSqlite } from '../support/databases'

const near: readonly (readonly [query: string, name: string, meant: string])[] = [
  ['filter[title]=Dawn', 'filter', 'filters'],
  ['Filters[title]=Dawn', 'Filters', 'filters'],
  ['FILTERS[title]=Dawn', 'FILTERS', 'filters'],
  ['fliters[title]=Dawn', 'fliters', 'filters'],
  ['filters.title=Dawn', 'filters.title', 'filters[title]'],
  ['populte=author', 'populte', 'populate'],
  ['popluate[]=author', 'popluate', 'populate'],
  ['field=title', 'field', 'fields'],
  ['sorts=title', 'sorts', 'sort'],
  ['sortBy=title', 'sortBy', 'sort'],
  ['paginaton[page]=2', 'paginaton', 'pagination'],
  ['locales=fr', 'locales', 'locale'],
  ['Status=draft', 'Status', 'status'],
  ['publicationFilters=modified', 'publicationFilters', 'publicationFilter'],
  ['q=dawn', 'q', '_q'],
  ['limit=1', 'limit', 'pagination[limit]'],
  ['start=1', 'start', 'pagination[start]'],
  ['offset=1', 'offset', 'pagination[start]'],
  ['publicationState=preview', 'publicationState', 'status'],
  ['_limit=1', '_limit', 'pagination[limit]'],
  ['_sort=title', '_sort', 'sort'],
  ['pagesize=1', 'pagesize', 'pagination[pageSize]'],
  ['page_size=1', 'page_size', 'pagination[pageSize]'],
  ['perPage=1', 'perPage', 'pagination[pageSize]'],
  ['per_page=1', 'per_page', 'pagination[pageSize]'],
  ['where[title]=Dawn', 'where', 'filters'],
  ['orderBy=title', 'orderBy', 'sort'],
  ['search=dawn', 'search', '_q'],
  ['include=author', 'include', 'populate'],
  ['select=title', 'select', 'fields'],
  ['_where[title]=Dawn', '_where', 'filters'],
  ['fields=title&filter[title]=Dawn', 'filter', 'filters'],
  ['filter', 'filter', 'filters'],
]

/** For caches, tracking, and the host itself. */
const others = [
  '_=17',
  't=17',
  'v=2',
  'utm_source=x',
  'token=x',
  'port=x',
  'lang=x',
  'format=x',
  'id=1',
  'constructor=x',
]

const valid =
  'fields=title&filters[title]=Dawn&sort=title&pagination[page]=1&populate=author&locale=en&status=published&_q=dawn'

onSqlite((database) => {
  const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }, { title: 'Dusk' }] })

  describe('a name at the top of a query', () => {
    it.each(near)(
      'that is nearly a parameter is refused, and the parameter named: %s',
      async (query, name, meant) => {
        expect(await serve().refusal(`books?${query}`)).toEqual({
          message: `Invalid key ${name}: did you mean ${meant}?`,
          path: name,
        })
      },
    )

    it.each(others)('that is none is ignored: %s', async (query) => {
      expect(await serve().list(`books?${query}`)).toHaveLength(2)
    })

    it.each(others)('that is none is refused where all are: %s', async (query) => {
      const refusal = await serve({ strictParameters: true }).refusal(`books?${query}`)
      expect(refusal.message).toContain('the parameters are fields, filters')
    })

    it.each(near)('that is nearly one is refused there, too: %s', async (query, _name, meant) => {
      const refusal = await serve({ strictParameters: true }).refusal(`books?${query}`)
      expect(refusal.message).toContain(`did you mean ${meant}?`)
    })

    it.each(near)('is ignored where none are refused: %s', async (query) => {
      for (const options of [{ strictParameters: false }, strapi5]) {
        expect(await serve(options).list(`books?${query}`)).toHaveLength(2)
      }
    })

    it('that is a parameter is answered', async () => {
      for (const strictParameters of ['near', true, false] as const) {
        expect(await serve({ strictParameters }).list(`books?${valid}`)).toHaveLength(1)
      }
    })

    it('says nothing to whoever may not find the type', async () => {
      const { get } = serve({ permissions: {} })
      expect((await get('books?filter[title]=x')).status).toBe(403)
    })
  })
})
