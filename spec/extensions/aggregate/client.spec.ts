import { aggregates } from '../../../extensions/aggregate'
import { contentClient } from '../../../extensions/client'
import { contentRouter } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { type Served, stocked } from '../../support/served'
import { countries, customers, makeOrders, shopTypes, tags } from './shop'

const options = {
  extensions: [aggregates()],
  permissions: { public: { find: '*', aggregate: ['order'] } },
} as const

const query = {
  groupBy: ['state', 'customer.name'],
  aggregate: { count: true, sum: ['quantity', 'units'], max: 'placedAt' },
  having: { count: { $gte: 2 }, sum: { quantity: { $gt: 1 } } },
  filters: { isPaid: true },
  sort: ['count:desc', 'state', 'customer.name'],
  pagination: { pageSize: 3 },
} as const

const address =
  'orders/aggregate?groupBy=state,customer.name&aggregate[count]=true&aggregate[sum]=quantity,units&aggregate[max]=placedAt' +
  '&having[count][$gte]=2&having[sum][quantity][$gt]=1&filters[isPaid]=true&sort=count:desc,state,customer.name&pagination[pageSize]=3'

onSqlite((database) => {
  const { world, serve } = stocked(database, shopTypes as never, {
    ...{ country: countries, tag: tags, customer: customers, order: makeOrders(60) as never },
  })

  /** A client whose requests reach the router without a network. */
  const clientOf = (served: Served) =>
    contentClient({
      url: 'http://shop.example',
      fetch: async (url) => {
        const { status, text } = await served.get(new URL(url).pathname.slice(1) + new URL(url).search)
        return new Response(text, { status })
      },
    })

  it('reads the groups of the path, and the same without HTTP', async () => {
    const served = serve(options)
    const body = await served.page(address)
    expect(body.data).toHaveLength(3)
    expect(await clientOf(served).aggregate('orders', query)).toEqual(body)
    expect(await clientOf(served).read('orders', 'aggregate', query)).toEqual(body)
    const router = world.closing(
      contentRouter({
        ...{ contentTypes: shopTypes as never, database: world.config, logger: false },
        ...options,
      }),
    )
    expect(await router.as('public').read('orders', 'aggregate', query)).toEqual(body)
  })

  it('reads facets beside a list', async () => {
    const served = serve(options)
    const { meta } = await clientOf(served).find('orders', { facets: ['state', 'tags.name'] })
    const path = 'orders?facets=state&facets=tags.name'
    expect(meta).toEqual((await served.page(path)).meta)
    expect(meta).toHaveProperty(['facets', 'tags.name'])
  })

  it('never drops a condition on groups', async () => {
    const client = clientOf(serve(options))
    const counted = { groupBy: 'state', aggregate: { count: true } }
    const none = { ...counted, having: { count: { $in: [], $gte: 0 } } }
    expect((await client.aggregate('orders', counted)).data).toHaveLength(3)
    expect((await client.aggregate('orders', none)).data).toEqual([])
    for (const having of [{ count: { $gte: undefined } }, { count: {} }])
      await expect(client.aggregate('orders', { ...counted, having })).rejects.toMatchObject({ status: 400 })
  })

  it('throws the error of the server', async () => {
    const client = clientOf(serve(options))
    const asked = client.aggregate('customers', { aggregate: { count: true } })
    await expect(asked).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
  })
})
