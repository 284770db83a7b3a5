import { aggregates } from '../../../extensions/aggregate'
import { describe as describeApi, openapi } from '../../../extensions/openapi'
import { namedQueries } from '../../../extensions/queries'
import { contentRouter } from '../../../lib'
import { onSqlite } from '../../support/databases'
import {
  documented,
  type Documented,
  type OpenApi,
  type Operation,
  type Parameter,
  type Part,
  valueFor,
  written,
} from '../../support/documented'
import { type Served, stocked } from '../../support/served'
import { countries, customers, makeOrders, shopTypes, tags } from './shop'

const open = { type: 'order', query: { filters: { state: 'open' } } }
const extensions = [openapi(), aggregates(), namedQueries({ open })]

const permissions = {
  public: { find: ['order', 'customer'] },
  analyst: { find: ['order', 'customer'], aggregate: ['order'] },
  clerk: { find: { order: { fields: ['number', 'state'] } }, aggregate: ['order'] },
  named: { find: ['order'], aggregate: ['order'], queries: 'named' },
} as const

onSqlite((database) => {
  const { world, serve } = stocked(database, shopTypes as never, {
    ...{ country: countries, tag: tags, customer: customers, order: makeOrders(40) as never },
  })
  const open = (): Served => serve({ extensions, permissions })

  const documentFor = async (served: Served, role: string): Promise<Documented> =>
    documented((await served.get('openapi.json', role)).body as OpenApi)

  const operationAt = ({ operations }: Documented, path: string): Operation => {
    const found = operations.find((one) => one.path === path)
    if (found === undefined) throw new Error(`the document has no ${path}`)
    return found
  }

  const namesAt = (document: Documented, path: string): readonly string[] =>
    operationAt(document, path).parameters.map(({ name }) => name)

  const pathsFor = async (served: Served, role: string): Promise<readonly string[]> =>
    (await documentFor(served, role)).operations.map(({ path }) => path)

  it('describes aggregates and facets only for types and roles with the grant', async () => {
    const served = open()
    expect(await pathsFor(served, 'public')).not.toContain('/orders/aggregate')
    expect(namesAt(await documentFor(served, 'public'), '/orders')).not.toContain('facets')
    const paths = await pathsFor(served, 'analyst')
    expect(paths).toContain('/orders/aggregate')
    expect(paths).not.toContain('/customers/aggregate')
    const document = await documentFor(served, 'analyst')
    expect(namesAt(document, '/orders')).toContain('facets')
    expect(namesAt(document, '/customers')).not.toContain('facets')
    expect(await pathsFor(served, 'named')).not.toContain('/orders/aggregate')
  })

  it('lists parameters of aggregates, filters and pages by number', async () => {
    const names = namesAt(await documentFor(open(), 'analyst'), '/orders/aggregate')
    expect(names).toEqual(
      expect.arrayContaining([
        ...['aggregate[count]', 'aggregate[sum]', 'groupBy', 'sort', 'locale', 'pagination[pageSize]'],
        ...['having[count][$gte]', 'having[sum][quantity][$gte]', 'filters[state][$eq]'],
      ]),
    )
    expect(names.filter((name) => /^(fields|populate|pagination\[(after|before)\])/.test(name))).toEqual([])
  })

  it('names only attributes that the role can read', async () => {
    const { parameters } = operationAt(await documentFor(open(), 'clerk'), '/orders/aggregate')
    const text = JSON.stringify(parameters)
    expect(text).toContain('"state"')
    expect(text).not.toMatch(/quantity|placedAt:|customer/)
  })

  it.each([
    'orders/aggregate?aggregate[count]=true',
    'orders/aggregate?groupBy=state&groupBy=placedAt:month&aggregate[sum]=units&aggregate[sum]=total&aggregate[avg]=quantity',
    'orders/aggregate?groupBy=customer&aggregate[min]=day&aggregate[max]=number&aggregate[countDistinct]=isPaid',
    'orders/aggregate?aggregate[count]=true&having[count][$gte]=2&pagination[start]=0',
    'orders?facets=state&facets=customer.name&facets=isPaid',
    'orders',
  ])('has the schema of the response to %s', async (path) => {
    const served = open()
    const document = await documentFor(served, 'analyst')
    const response = await served.get(path, 'analyst')
    const operation = operationAt(document, `/${path.split('?')[0] ?? ''}`)
    expect(response.status).toBe(200)
    expect(document.faultsOf(operation, 200, response.body)).toBeNull()
  })

  /** The names that a list of names offers, or a value of any other schema. */
  const valuesOf = ({ schema }: Parameter): readonly unknown[] => {
    const [names] = ((schema['items'] as Part | undefined)?.['anyOf'] ?? []) as readonly Part[]
    return names === undefined ? [valueFor(schema)] : (names['enum'] as readonly string[])
  }

  it('offers only parameters and names that requests accept', async () => {
    const served = open()
    const document = await documentFor(served, 'analyst')
    const sums = 'aggregate[sum]=quantity,units,total,weight'
    const sent: unknown[] = []
    const faults: unknown[] = []
    for (const path of ['/orders', '/orders/aggregate']) {
      const operation = operationAt(document, path)
      const own = operation.parameters.filter(({ name }) => /^(aggregate|groupBy|having|facets)/.test(name))
      for (const parameter of own) {
        for (const value of valuesOf(parameter)) {
          const others = parameter.name === 'aggregate[count]' ? sums : `aggregate[count]=true&${sums}`
          const query = `${written(parameter.name, value)}${path === '/orders' ? '' : `&${others}`}`
          const response = await served.get(`${path.slice(1)}?${query}`, 'analyst')
          const fault = document.faultsOf(operation, response.status, response.body)
          sent.push(query)
          if (response.status !== 200 || fault !== null) faults.push([query, response.status, fault])
        }
      }
    }
    expect(faults).toEqual([])
    expect(sent.length).toBeGreaterThan(100)
  })

  it('describes aggregates without HTTP, for a role or for everything', async () => {
    const router = contentRouter({
      ...{ contentTypes: shopTypes as never, database: world.config, logger: false, permissions },
      extensions,
    })
    world.closing(router)
    const pathsOf = async (role?: string): Promise<readonly string[]> =>
      Object.keys((await describeApi(router, role === undefined ? {} : { role }))['paths'] as object)
    expect(await pathsOf('public')).not.toContain('/orders/aggregate')
    expect(await pathsOf('analyst')).toContain('/orders/aggregate')
    expect(await pathsOf()).toContain('/tags/aggregate')
  })
})
