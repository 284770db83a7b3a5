import express from 'express'
import { contentRouter, migrate } from '../../lib'
import { type Asker, askerOf } from '../support/asker'
import { eachDatabase } from '../support/databases'
import { createShop, shopTypes, uuids } from '../support/shop-tables'

// Keys are compared by the driver and the server: integers, 64-bit integers, texts and uuids, and both sides of each relation.

interface Entry {
  readonly [name: string]: unknown
}

interface Body {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: { readonly endCursor: string | null; readonly total?: number } }
  readonly error?: { readonly message: string }
}

eachDatabase((database) => {
  const world = database.fresh()
  let asker: Asker

  beforeAll(async () => {
    await createShop(world.knex)
    const router = world.closing(
      contentRouter({
        contentTypes: shopTypes as never,
        database: world.config,
        nestedPagination: true,
        permissions: { public: { find: '*', findOne: '*' } },
        logger: false,
      }),
    )
    await router.ready()
    asker = world.closing(await askerOf(express().use('/api', router)))
  }, 60_000)

  const get = async (path: string): Promise<Body> => {
    const { status, body } = await asker.ask(`/api/${path}`)
    if (status !== 200) throw new Error(`${String(status)} ${body}`)
    return JSON.parse(body) as Body
  }
  const list = async (path: string): Promise<readonly Entry[]> => (await get(path)).data
  const statusOf = async (path: string): Promise<number> => (await asker.ask(`/api/${path}`)).status
  const idsIn = async (path: string): Promise<unknown[]> => (await list(path)).map(({ id }) => id)

  describe('an entry', () => {
    it('shows its key as id, and as a string as documentId', async () => {
      expect(await list('purchases?fields=note&pagination[pageSize]=1')).toEqual([
        { id: 1, documentId: '1', note: 'gift' },
      ])
      expect(await list('customers?fields=fullName&pagination[pageSize]=1')).toEqual([
        { id: '9', documentId: '9', fullName: 'Ada' },
      ])
      expect(await list('countries?filters[name]=France')).toEqual([
        { id: 'fr', documentId: 'fr', name: 'France' },
      ])
      expect(await list('products?filters[sku]=desk')).toEqual([
        { id: uuids.desk, documentId: uuids.desk, sku: 'desk', price: 250, active: true },
      ])
    })

    it('shows updatedAt of the named column, in UTC', async () => {
      const [first, , last] = await list('purchases?fields=updatedAt')
      expect(first?.['updatedAt']).toBe('2024-02-29T10:00:00.000Z')
      expect(last?.['updatedAt']).toBeNull()
      expect(await idsIn('purchases?filters[updatedAt][$gte]=2024-03-01')).toEqual([2])
    })

    it('is found by its key in the form of responses', async () => {
      for (const path of ['purchases/17', 'customers/10', 'countries/fr', `products/${uuids.mug}`])
        expect([path, await statusOf(path)]).toEqual([path, 200])
      const others = [
        'purchases/2147483648',
        'purchases/017',
        'purchases/x',
        'customers/1e1',
        'countries/xx',
        'products/mug',
      ]
      for (const path of [...others, `products/${uuids.mug.toUpperCase()}`, 'customers/99999999999999999999'])
        expect([path, await statusOf(path)]).toEqual([path, 404])
    })

    it('is found by a unique attribute', async () => {
      const { body } = await asker.ask('/api/products/by/sku/mug')
      expect(JSON.parse(body)).toMatchObject({ data: { id: uuids.mug, price: null, active: false } })
    })
  })

  describe('relations', () => {
    it('are populated from the side of the foreign key', async () => {
      const path = 'purchases?populate[customer][populate]=country&populate=payer&fields=note'
      expect(await list(path.replace('populate=payer', 'populate[payer][fields]=fullName'))).toEqual([
        {
          ...{ id: 1, documentId: '1', note: 'gift' },
          customer: {
            ...{ id: '9', documentId: '9', fullName: 'Ada' },
            country: { id: 'de', documentId: 'de', name: 'Germany' },
          },
          payer: { id: '10', documentId: '10', fullName: 'Bo' },
        },
        expect.objectContaining({ id: 2 }),
        { id: 17, documentId: '17', note: 'open', customer: null, payer: null },
      ])
    })

    it('are populated from the other side, by key', async () => {
      const [ada] = await list('customers?populate[referred][fields]=fullName&populate[purchases][fields]=id')
      expect(ada).toMatchObject({
        referred: [
          { id: '10', fullName: 'Bo' },
          { id: '11', fullName: 'Cy' },
        ],
        purchases: [{ id: 1 }],
      })
    })

    it('of a join table are populated in its order, and in the other direction', async () => {
      const orders = await list('purchases?populate[products][fields]=sku&fields=id')
      expect(orders.map(({ products }) => (products as Entry[]).map(({ sku }) => sku))).toEqual([
        ['mug', 'lamp'],
        ['desk', 'lamp'],
        [],
      ])
      const products = await list('products?populate[purchases][fields]=id&sort=sku')
      expect(products.map(({ purchases }) => (purchases as Entry[]).map(({ id }) => id))).toEqual([
        [2],
        [1, 2],
        [1],
      ])
    })

    it('of all kinds of keys are populated at once', async () => {
      const [first] = await list('purchases?populate=*')
      expect(first).toMatchObject({ customer: { id: '9' }, payer: { id: '10' } })
      expect((first?.['products'] as Entry[]).map(({ id }) => id)).toEqual([uuids.mug, uuids.lamp])
      const [ada] = await list('customers?populate=*')
      expect(ada).toMatchObject({ country: { id: 'de' }, referrer: null, paid: [], purchases: [{ id: 1 }] })
    })

    it('have pages and counts of their own', async () => {
      const [first] = await list(
        'purchases?populate[products][fields]=sku&populate[products][sort]=sku:desc&populate[products][pagination][pageSize]=1&fields=id',
      )
      expect(first).toMatchObject({ products: [{ sku: 'mug' }] })
    })

    it.each([
      ['purchases?filters[customer][country][name]=Germany', [1]],
      ['purchases?filters[documentId][$in][0]=99999999999&filters[documentId][$in][1]=2', [2]],
      ['purchases?filters[customer][documentId]=99999999999', []],
      ['purchases?filters[products][sku]=desk', [2]],
      ['purchases?filters[products][$none][sku]=desk', [1, 17]],
      [
        'purchases?filters[products][$every][sku][$in][0]=mug&filters[products][$every][sku][$in][1]=lamp',
        [1, 17],
      ],
      ['purchases?filters[products][$count]=2', [1, 2]],
      ['purchases?filters[customer][$null]=true', [17]],
      ['purchases?filters[payer][id]=10', [1, 2]],
      [`purchases?filters[products][id]=${uuids.mug}`, [1]],
      ['customers?filters[referred][fullName]=Cy', ['9']],
      ['customers?filters[purchases][products][sku]=lamp', ['9', '10']],
      ['countries?filters[customers][$count][$gte]=1', ['de', 'fr']],
      ['customers?filters[id][$gt]=9', ['10', '11']],
      [`products?filters[id][$in][0]=${uuids.desk}&filters[id][$in][1]=nothing`, [uuids.desk]],
      ['products?filters[price][$lt]=100', [uuids.lamp]],
      ['products?filters[active]=false', [uuids.mug]],
      ['products?filters[documentId][$startsWith]=f81d', [uuids.mug]],
    ])('are followed by %s', async (path, ids) => {
      expect(await idsIn(path)).toEqual(ids)
    })

    it.each([
      ['purchases?sort=customer.fullName:desc,id', [2, 1, 17]],
      ['customers?sort=country.name:desc', ['9', '10', '11']],
      ['customers?sort=paid.$count:desc,id', ['10', '9', '11']],
      ['products?sort=purchases.$count:desc,sku', [uuids.lamp, uuids.desk, uuids.mug]],
      ['products?sort=id:desc', [uuids.mug, uuids.desk, uuids.lamp]],
      ['customers?sort=referred.fullName', ['10', '11', '9']],
    ])('are sorted by %s', async (path, ids) => {
      expect(await idsIn(path)).toEqual(ids)
    })
  })

  it.each(['purchases', 'customers', 'countries', 'products'])(
    'cursors lead through all %s',
    async (type) => {
      for (const sort of ['id', 'id:desc']) {
        const expected = await idsIn(`${type}?sort=${sort}`)
        const found: unknown[] = []
        let after: string | null = ''
        while (after !== null) {
          const page: Body = await get(
            `${type}?sort=${sort}&pagination[pageSize]=1&pagination[after]=${after}`,
          )
          found.push(...page.data.map(({ id }) => id))
          after = page.data.length === 0 ? null : page.meta.pagination.endCursor
        }
        expect(found).toEqual(expected)
      }
    },
  )

  describe('ready()', () => {
    const faultsOf = async (change: (types: typeof shopTypes) => object[]): Promise<unknown> => {
      const router = world.closing(
        contentRouter({ contentTypes: change(shopTypes) as never, database: world.config, logger: false }),
      )
      return router.ready().then(
        () => [],
        (error: unknown) => (error as { readonly faults: unknown }).faults,
      )
    }
    const withCountry = (parts: object) => (types: typeof shopTypes) =>
      types.map((type, at) => (at === 0 ? { ...type, ...parts } : type))

    it('rejects a table and a column that are missing, and names the definition as the remedy', async () => {
      const remedy = expect.stringContaining('correct the definition') as unknown
      const attributes = { title: { type: 'string' } }
      expect(
        await faultsOf(() => [
          { ...shopTypes[0], attributes },
          {
            ...shopTypes[0],
            collectionName: 'land',
            info: { singularName: 'land', pluralName: 'lands' },
            attributes: {},
          },
        ]),
      ).toEqual([
        { where: 'country.title', problem: 'the column is missing', remedy },
        { where: 'land', problem: 'the table is missing', remedy },
      ])
    })

    it('rejects an attribute that its column cannot hold', async () => {
      const own = (shopTypes[0] as { readonly attributes: object }).attributes
      const attributes = { ...own, name: { type: 'integer' } }
      expect(await faultsOf(withCountry({ attributes }))).toEqual([
        expect.objectContaining({ where: 'country.name' }),
      ])
    })

    it('rejects a key without a unique index', async () => {
      const table = { id: { name: 'name', type: 'string' } }
      const attributes = { code: { type: 'string' } }
      expect(await faultsOf(() => [{ ...shopTypes[0], table, attributes }])).toEqual([
        expect.objectContaining({
          where: 'country.name',
          problem: 'the key column can be NULL, or has no unique index',
        }),
      ])
    })

    it('trusts the key of a view, which is served as a table', async () => {
      await world.knex.raw(
        'create view open_purchase as select purchase_id, note from purchase where customer_no is null',
      )
      const info = { singularName: 'open-purchase', pluralName: 'open-purchases' }
      const attributes = { note: { type: 'string' } }
      const view = { kind: 'collectionType', collectionName: 'open_purchase', info, attributes }
      const router = world.closing(
        contentRouter({
          contentTypes: [{ ...view, table: { id: 'purchase_id' } }] as never,
          database: world.config,
          permissions: { public: { find: '*' } },
          logger: false,
        }),
      )
      await router.ready()
      const own = world.closing(await askerOf(express().use(router)))
      const { body } = await own.ask('/open-purchases')
      expect(JSON.parse(body)).toMatchObject({ data: [{ id: 17, documentId: '17', note: 'open' }] })
    })

    it('logs the index that a relation needs', async () => {
      const statements: unknown[] = []
      const warn = (facts: object): void => {
        if ('statement' in facts) statements.push(facts.statement)
      }
      const logger = { debug: () => undefined, info: () => undefined, error: () => undefined, warn }
      const router = world.closing(
        contentRouter({ contentTypes: shopTypes as never, database: world.config, logger }),
      )
      await router.ready()
      const quoted = (name: string): string => (database.dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
      const [name, table, column] = ['purchase_payer_no', 'purchase', 'payer_no'].map(quoted)
      const statement = `create index ${String(name)} on ${String(table)} (${String(column)})`
      // MySQL and MariaDB make an index for each foreign key.
      if (database.dialect === 'mysql') expect(statements).not.toContain(statement)
      else {
        expect(statements).toContain(statement)
        await world.knex.raw(statement)
      }
    })
  })

  it('are cached until a commit changes them', async () => {
    const router = world.closing(
      contentRouter({
        ...{ contentTypes: shopTypes as never, database: world.config, cache: {}, logger: false },
        permissions: { public: { find: '*' } },
      }),
    )
    const own = world.closing(await askerOf(express().use(router)))
    const path = '/purchases?populate=customer&filters[id]=1'
    const end = Date.now() + 15_000
    let etag = ''
    let status = 0
    while (status !== 304) {
      if (Date.now() > end) throw new Error('no response is cached')
      const answer = await own.ask(path, { 'If-None-Match': etag })
      etag = answer.headers.etag ?? ''
      status = answer.status
    }
    await world.knex('customer').where({ customer_no: 9 }).update({ full_name: 'Ada L.' })
    const { body } = await own.ask(path, { 'If-None-Match': etag })
    await world.knex('customer').where({ customer_no: 9 }).update({ full_name: 'Ada' })
    expect(body).toContain('Ada L.')
  }, 30_000)

  it('are restricted by rules with keys of the caller', async () => {
    const where = { customer: { id: { $eq: { $asker: 'customer' } } } }
    const router = world.closing(
      contentRouter({
        ...{ contentTypes: shopTypes as never, database: world.config, logger: false },
        role: (req) => ({ roles: ['buyer'], asker: { customer: req.get('customer') } }),
        permissions: {
          buyer: { find: { purchase: { where }, product: { fields: ['sku'] }, customer: true } },
        },
      }),
    )
    const own = world.closing(await askerOf(express().use(router)))
    const seen = async (path: string, customer: string): Promise<unknown> =>
      JSON.parse((await own.ask(path, { customer })).body)
    expect(await seen('/purchases?fields=id&populate[products][fields]=sku', '9')).toMatchObject({
      data: [{ id: 1, products: [{ id: uuids.mug }, { id: uuids.lamp }] }],
      meta: { pagination: { total: 1 } },
    })
    expect(await seen('/customers?fields=id&populate[purchases][fields]=id&sort=id', '10')).toMatchObject({
      data: [{ purchases: [] }, { purchases: [{ id: 2 }] }, { purchases: [] }],
    })
    expect(await seen('/products?filters[price][$gt]=1', '9')).toMatchObject({ error: { status: 400 } })
    expect(await seen('/purchases', 'nobody')).toMatchObject({ data: [] })
  })

  it('are related to types whose tables migrate creates, in both directions', async () => {
    const { knex } = world
    await knex.schema.createTable('memo', (table) => {
      table.integer('id').primary()
      table.integer('post_id')
    })
    const to = (relation: string, target: string, rest: object = {}): object => ({
      ...{ type: 'relation', relation, target },
      ...rest,
    })
    const posts = {
      ...{ kind: 'collectionType', collectionName: 'posts' },
      info: { singularName: 'post', pluralName: 'posts' },
      attributes: {
        title: { type: 'string' },
        product: to('manyToOne', 'product'),
        customers: to('manyToMany', 'customer'),
        memos: to('oneToMany', 'memo', { mappedBy: 'post' }),
      },
    }
    const memos = {
      ...{ kind: 'collectionType', collectionName: 'memo', table: {} },
      info: { singularName: 'memo', pluralName: 'memos' },
      attributes: { post: to('manyToOne', 'post', { inversedBy: 'memos', joinColumn: { name: 'post_id' } }) },
    }
    const contentTypes = [...shopTypes, posts, memos] as never
    const { statements } = await migrate({ contentTypes, database: world.config })
    expect(statements.filter((one) => /(alter|drop) /i.test(one))).toEqual([])
    await knex('posts').insert({ document_id: 'p1', title: 'New lamp', published_at: '2024-01-01 00:00:00' })
    const [id] = (await knex('posts').pluck('id')) as number[]
    await knex('posts_product_lnk').insert({ post_id: id, product_id: uuids.lamp })
    await knex('posts_customers_lnk').insert([
      { post_id: id, customer_id: 10, customer_ord: 1 },
      { post_id: id, customer_id: 9, customer_ord: 2 },
    ])
    await knex('memo').insert({ id: 5, post_id: id })
    const permissions = { public: { find: '*' } } as const
    const router = world.closing(
      contentRouter({ contentTypes, database: world.config, permissions, logger: false }),
    )
    await router.ready()
    const own = world.closing(await askerOf(express().use(router)))
    const { body } = await own.ask('/posts?populate=*&filters[product][sku]=lamp&filters[memos][id]=5')
    expect(JSON.parse(body)).toMatchObject({
      data: [
        {
          ...{ documentId: 'p1', title: 'New lamp', product: { id: uuids.lamp, sku: 'lamp' } },
          ...{ customers: [{ id: '10' }, { id: '9' }], memos: [{ id: 5 }] },
        },
      ],
    })
    const { body: memo } = await own.ask('/memos?populate=post&filters[post][title]=New%20lamp')
    expect(JSON.parse(memo)).toMatchObject({ data: [{ id: 5, post: { documentId: 'p1' } }] })
  }, 60_000)

  it('migrate leaves existing tables alone', async () => {
    const { statements, refused } = await migrate(
      { contentTypes: shopTypes as never, database: world.config },
      { dryRun: true },
    )
    expect([statements, refused]).toEqual([[], []])
  })

  if (database.name !== 'postgres') return

  it('with keys that PostgreSQL pads, and numbers of two bytes, are found and linked', async () => {
    const { knex } = world
    await knex.raw('create table client (code char(5) primary key, rank smallint, weight real)')
    await knex.raw('create table contract (nr smallint primary key, client_code char(5) references client)')
    await knex('client').insert([
      { code: 'ABC', rank: 7, weight: 1.5 },
      { code: 'DEFGH', rank: null, weight: null },
    ])
    await knex('contract').insert([
      { nr: 1, client_code: 'ABC' },
      { nr: 2, client_code: 'DEFGH' },
      { nr: 3, client_code: 'ABC' },
    ])
    const relation = { type: 'relation', target: 'client', relation: 'manyToOne', inversedBy: 'contracts' }
    const types = [
      {
        ...{
          kind: 'collectionType',
          collectionName: 'client',
          table: { id: { name: 'code', type: 'string' } },
        },
        info: { singularName: 'client', pluralName: 'clients' },
        attributes: {
          ...{ rank: { type: 'integer' }, weight: { type: 'float' } },
          contracts: { type: 'relation', relation: 'oneToMany', target: 'contract', mappedBy: 'client' },
        },
      },
      {
        ...{ kind: 'collectionType', collectionName: 'contract', table: { id: 'nr' } },
        info: { singularName: 'contract', pluralName: 'contracts' },
        attributes: { client: { ...relation, joinColumn: { name: 'client_code' } } },
      },
    ]
    const router = world.closing(
      contentRouter({
        ...{ contentTypes: types, database: world.config, logger: false, nestedPagination: true },
        permissions: { public: { find: '*' } },
      }),
    )
    await router.ready()
    const own = world.closing(await askerOf(express().use(router)))
    const dataOf = async (path: string): Promise<unknown> =>
      (JSON.parse((await own.ask(path)).body) as { readonly data: unknown }).data
    const contracts = [
      { id: 1, documentId: '1' },
      { id: 3, documentId: '3' },
    ]
    const abc = { id: 'ABC', documentId: 'ABC', rank: 7, weight: 1.5 }
    expect(await dataOf('/clients/ABC?populate=contracts')).toEqual({ ...abc, contracts })
    expect(
      await dataOf('/clients?populate[contracts][pagination][pageSize]=5&filters[rank]=7'),
    ).toMatchObject([{ ...abc, contracts }])
    expect(
      await dataOf('/contracts?populate=client&filters[client][documentId]=ABC&sort=id:desc'),
    ).toMatchObject([
      { id: 3, client: abc },
      { id: 1, client: abc },
    ])
    expect(await dataOf('/contracts/99999')).toBeNull()
    expect(await dataOf('/clients?filters[rank][$gt]=100000')).toEqual([])
    expect(await dataOf('/clients?filters[rank][$gt]=6.5')).toMatchObject([abc])
    expect(await dataOf('/clients?filters[weight][$lt]=1e60')).toMatchObject([abc])
  })

  it('are read in the schema that they name, with relations to another one', async () => {
    const { knex } = world
    await knex.raw('create schema sales')
    await knex.raw('create table sales.country (code varchar(2) primary key, tax numeric(4, 1) not null)')
    await knex.raw(
      'create table sales.branch (id int primary key, country_code varchar(2), tags text[], opened timestamptz)',
    )
    await knex('sales.country').insert({ code: 'de', tax: 19 })
    const opened = '2024-02-29 23:30:00-02'
    await knex('sales.branch').insert({ id: 3, country_code: 'de', tags: ['a', 'b c'], opened })
    const named = (singularName: string, pluralName: string): object => ({
      info: { singularName, pluralName },
    })
    const inSales = { schema: 'sales' }
    const foreignKey = { type: 'relation', relation: 'manyToOne', joinColumn: { name: 'country_code' } }
    const kind = 'collectionType'
    const types = [
      { ...shopTypes[0], attributes: { name: { type: 'string' } } },
      {
        ...{ kind, collectionName: 'country', ...named('tax', 'taxes') },
        ...{
          table: { ...inSales, id: { name: 'code', type: 'string' } },
          attributes: { tax: { type: 'decimal' } },
        },
      },
      {
        ...{ kind, collectionName: 'branch', ...named('branch', 'branches'), table: inSales },
        attributes: {
          ...{ tags: { type: 'json' }, opened: { type: 'timestamp' } },
          ...{ tax: { ...foreignKey, target: 'tax' }, country: { ...foreignKey, target: 'country' } },
        },
      },
    ]
    const permissions = { public: { find: '*' } } as const
    const router = world.closing(
      contentRouter({ contentTypes: types as never, database: world.config, permissions, logger: false }),
    )
    await router.ready()
    const own = world.closing(await askerOf(express().use(router)))
    const { body } = await own.ask('/branches?populate=*&filters[opened][$gte]=2024-03-01T01:30:00Z')
    expect((JSON.parse(body) as Body).data).toEqual([
      {
        ...{ id: 3, documentId: '3', tags: ['a', 'b c'], opened: '2024-03-01T01:30:00.000Z' },
        tax: { id: 'de', documentId: 'de', tax: 19 },
        country: { id: 'de', documentId: 'de', name: 'Germany' },
      },
    ])
    const { body: later } = await own.ask('/branches?filters[opened][$gt]=2024-03-01T01:30:00Z')
    expect((JSON.parse(later) as Body).data).toEqual([])
  })
})
