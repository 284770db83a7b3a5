import express from 'express'
import { createHash } from 'node:crypto'
import request from 'supertest'
import {
  contentRouter,
  type ContentRouterConfig,
  fromDatabase,
  type Grant,
  type RoleFunction,
  type Rule,
} from '../../lib'
import { ConfigError } from '../../lib/errors'
import { crowd } from '../support/crowd'
import { onSqlite } from '../support/databases'
import { orderContent, orderTypes } from '../support/orders'
import { collection, picture, pictures, relation, text } from '../support/library'
import { type Entry, roleHeader, type Served, stocked } from '../support/served'

const all = { customer: true, item: true, review: true } as const

const permissions: Readonly<Record<string, Grant>> = {
  /** Through a type that the role may not read. */
  thrifty: { find: { item: { where: { reviews: { text: { $ne: 'dry' } } } } } },
  packer: { find: { ...all, order: { fields: ['items'] } } },
  editor: { find: { review: true }, drafts: { review: true } },
  dateless: { find: { review: { fields: ['text'] } }, drafts: { review: true } },
  datelessDrafts: { find: { review: true }, drafts: { review: { fields: ['text'] } } },
  dated: {
    find: { review: { where: { text: 'fine' }, fields: ['text', 'updatedAt'] } },
    drafts: { review: true },
  },
  undated: { find: { review: { fields: ['text'] } }, drafts: { review: true } },
}

/** What is linked, in pages. */
interface Nested {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: Readonly<Record<string, unknown>> }
}

/** What is told besides the moment. */
const toldBy = ({ status, headers, text }: request.Response): unknown => {
  const others = Object.entries(headers as Record<string, string>).filter(([name]) => name !== 'date')
  return { status, headers: Object.fromEntries(others), text }
}

const faultsOf = (make: () => unknown): string[] => {
  try {
    make()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ where, problem, remedy = '' }) => `${where}: ${problem} (${remedy})`)
  }
}

onSqlite((database) => {
  const { serve } = stocked(database, orderTypes, orderContent)
  const served = (options: Partial<ContentRouterConfig> = {}) => serve({ permissions, ...options })

  describe('filters by what was modified', () => {
    const filtered = (filter: string): string => `reviews?publicationFilter=${filter}`
    const others = 'never-published, has-published-version, never-published-document'

    it('are there for who sees when each version was changed', async () => {
      const { get } = served()
      for (const filter of ['modified', 'unmodified'])
        expect((await get(filtered(filter), 'editor')).status).toBe(200)
    })

    it.each(['dateless', 'datelessDrafts', 'undated,dated'])(
      'are none for who does not: %s',
      async (roles) => {
        const { refusal, get } = served()
        for (const filter of ['modified', 'unmodified', 'modified&status=draft'])
          expect((await refusal(filtered(filter), roles)).message).toContain(`Expected one of: ${others}`)
        expect((await get(filtered('has-published-version'), roles)).status).toBe(200)
      },
    )
  })

  describe('paths by an attribute that a rule leaves out', () => {
    const nobody: RoleFunction = () => null
    const ways = ['get', 'head', 'options', 'post', 'put', 'delete'] as const

    it.each([
      ['a role', {}],
      ['nobody', { role: nobody }],
      ['a role, with answers for unknown paths', { notFound: 'json' }],
      ['nobody, with answers for unknown paths', { role: nobody, notFound: 'json' }],
    ] as const)('look as those by a name that is none, to %s', async (_, options) => {
      const { app } = served(options)
      for (const way of ways) {
        const [hidden, none] = await Promise.all(
          ['number', 'nothin'].map((name) =>
            request(app)[way](`/api/orders/by/${name}/A1`).set(roleHeader, 'packer'),
          ),
        )
        const said: unknown = JSON.parse(
          JSON.stringify(toldBy(hidden as request.Response)).replaceAll('number', 'nothin'),
        )
        expect([way, said]).toEqual([way, toldBy(none as request.Response)])
      }
    })

    it.each(['number', 'nothin'])(
      'are for nobody else where the host says that there are none: %s',
      async (name) => {
        const { app } = served({ headers: { '*': { cacheControl: 'max-age=60', vary: [roleHeader] } } })
        const { status, headers } = await request(app)
          .get(`/api/orders/by/${name}/A1`)
          .set(roleHeader, 'packer')
        expect([status, headers['cache-control']]).toEqual([404, 'private, no-store'])
        expect(headers['vary']).toContain(roleHeader)
      },
    )
  })

  describe('cursors in the order of the editor', () => {
    const own = stocked(database, orderTypes, {
      item: [
        { $ref: 'pen', title: 'Pen' },
        { $ref: 'ink', title: 'Ink' },
      ],
      order: [1, 2, 3, 4, 5, 6].map((total) => ({
        ...{ number: `N${String(total)}`, total, paid: total % 2 === 0 },
        items: total === 4 ? ['pen'] : ['pen', 'ink'],
      })),
    })
    const page = (side: string, cursor = ''): string =>
      `items?sort=id&fields=title&populate[orders][fields]=number&populate[orders][pagination][pageSize]=1&populate[orders][pagination][${side}]=${cursor}`
    const served = (): Served =>
      own.serve({
        nestedPagination: true,
        permissions: {
          payer: { find: { item: true, order: { where: { paid: true } } } },
          clerk: { find: '*' },
        },
      })
    const ordersOf = async (path: string, role: string): Promise<Nested[]> =>
      (await served().list(path, role)).map(({ orders }) => orders as Nested)
    const numbersOf = (all: readonly Nested[]): unknown[] =>
      all.map(({ data }) => data.map(({ number }) => number))

    it('are the same however many entries that a rule hides stand between', async () => {
      const told = async (): Promise<string[]> => {
        const found: string[] = []
        for (const side of ['after', 'before'])
          for (let cursor: unknown = ''; typeof cursor === 'string';) {
            const { text } = await served().get(page(side, cursor), 'payer')
            found.push(text)
            const [pen] = (JSON.parse(text) as { readonly data: readonly Entry[] }).data
            const { pagination } = (pen?.['orders'] as Nested).meta
            cursor = pagination[side === 'after' ? 'hasNextPage' : 'hasPreviousPage']
              ? pagination[side === 'after' ? 'endCursor' : 'startCursor']
              : null
          }
        return found
      }
      const before = await told()
      expect(before.length).toBe(6)
      const links = own.world.knex('orders_items_lnk')
      const hidden = own.world.knex('orders').where({ paid: false }).select('id')
      await links.clone().whereIn('order_id', hidden).delete()
      expect(await told()).toEqual(before)
      await links.clone().increment('order_ord', 7)
      expect(await told()).toEqual(before)
    })

    it('go on behind the entry, wherever it has gone to; and from where it was, if it has gone', async () => {
      const links = own.world.knex('orders_items_lnk')
      const first = await ordersOf(page('after'), 'payer')
      expect(numbersOf(first)).toEqual([['N2'], ['N2']])
      const cursor = String(first[0]?.meta.pagination['endCursor'])
      expect(numbersOf(await ordersOf(page('after', cursor), 'payer'))).toEqual([['N4'], ['N6']])
      const order = await own.world
        .knex('orders')
        .where({ number: 'N2' })
        .first<{ readonly id: number }>('id')
      await links.clone().where({ order_id: order.id }).delete()
      // In the list that it was the first of, and in another.
      expect(numbersOf(await ordersOf(page('after', cursor), 'payer'))).toEqual([['N4'], []])
      expect(numbersOf(await ordersOf(page('before', cursor), 'payer'))).toEqual([[], []])
    })
  })

  describe('statements', () => {
    const page = 'abcdefghijklmnopqrstuvwx'
    const own = stocked(database, orderTypes, {
      item: [
        { $ref: 'pen', title: 'Pen' },
        { $ref: 'ink', title: 'Ink' },
      ],
      order: [
        { number: 'P1', paid: true, items: ['pen', 'ink'] },
        { number: 'H1', paid: false },
      ],
      $locales: ['en', 'de', 'fr'],
      page: [{ title: 'Hello', documentId: page, $locales: { de: { title: 'Servus' } } }],
    })
    const paid = { where: { paid: true } }
    /** Together they show what is linked of some items alone. */
    const permissions: Readonly<Record<string, Grant>> = {
      one: {
        find: {
          item: { where: { title: 'Pen' }, fields: ['title', 'orders', 'reviews'] },
          order: paid,
          review: true,
        },
      },
      two: {
        find: {
          item: { fields: ['title'] },
          order: paid,
          review: true,
          page: { where: { title: { $ne: 'Bonjour' } } },
        },
      },
    }
    const runs: string[] = []
    const told = async (): Promise<unknown> => {
      runs.length = 0
      const { get } = own.serve({
        permissions,
        nestedPagination: true,
        onStatement: (event) => {
          if (event.outcome === 'read') runs.push(`${String(event.rows)} ${event.sql}`)
        },
      })
      const query = 'sort=id&fields=title&populate[orders][fields]=number&populate[reviews][fields]=text'
      const { text } = await get(`items?${query}`, 'one,two')
      const counted = await get(
        'items?sort=id&populate[orders][count]=true&populate[reviews]=true',
        'one,two',
      )
      const pages = await get('pages?populate[localizations][fields]=title', 'one,two')
      return { text, counted: counted.text, pages: pages.text, runs: [...runs].sort() }
    }

    it('are as many, and bring as much, however many hidden entries are linked', async () => {
      const { knex } = own.world
      const before = await told()
      for (const shown of ['P1', 'Servus']) expect(JSON.stringify(before)).toContain(shown)
      const hidden = await knex('orders')
        .where({ number: 'H1' })
        .first<Readonly<Record<string, unknown>>>('*')
      const others = Array.from({ length: 10_050 }, (_, index) => ({
        ...hidden,
        id: 1000 + index,
        number: `H${String(index + 2)}`,
        document_id: `h${String(index)}`,
      }))
      const item = await knex('items').where({ title: 'Pen' }).first<{ readonly id: number }>('id')
      await knex.batchInsert('orders', others, 50)
      await knex.batchInsert(
        'orders_items_lnk',
        others.map(({ id }) => ({ order_id: id, item_id: item.id })),
        100,
      )
      // Ink does not show its orders, not even those that may be seen.
      const ink = await knex('items').where({ title: 'Ink' }).first<{ readonly id: number }>('id')
      await knex('orders').insert({ ...hidden, id: 999, number: 'P2', document_id: 'p2', paid: true })
      await knex('orders_items_lnk').insert({ order_id: 999, item_id: ink.id })
      await knex('pages').insert({ id: 99, title: 'Bonjour', document_id: page, locale: 'fr' })
      const [draft] = [{ document_id: 'd', text: 'hidden', published_at: null }]
      await knex('reviews').insert({ ...draft, id: 77 })
      await knex('reviews_item_lnk').insert({ review_id: 77, item_id: item.id })
      expect(await told()).toEqual(before)
    }, 60_000)
  })

  describe('statements for what rows name themselves', () => {
    const types = [
      collection('mark', { title: text, subject: { type: 'relation', relation: 'morphToOne' } }),
      collection('safe', { code: text }),
    ] as unknown as ContentRouterConfig['contentTypes']
    /** More than one statement would look for, of a type without rules. */
    const many = 10_001
    const own = stocked(database, types, {
      mark: [{ title: 'First' }],
      safe: [{ code: 'hidden' }],
    })
    const permissions = { guest: { find: { mark: true, safe: { where: { code: 'shown' } } } } }
    const told = async (): Promise<unknown> => {
      const runs: string[] = []
      const { get } = own.serve({
        permissions,
        pagination: { maxPageSize: 2 * many },
        query: { maxEntries: 4 * many },
        onStatement: ({ sql }) => runs.push(sql),
      })
      const { status, text } = await get(
        `marks?fields=title&populate[subject][on][api::safe.safe]=true&pagination[pageSize]=${String(2 * many)}`,
        'guest',
      )
      // Megabytes would be printed where it differs.
      return { status, text: createHash('sha256').update(text).digest('hex'), runs: runs.sort() }
    }

    it('are as many, whether they name none, a hidden one, or each another', async () => {
      const { knex } = own.world
      const [mark, safe] = [await knex('marks').first<Entry>('*'), await knex('safes').first<Entry>('*')]
      const more = Array.from({ length: many }, (_, index) => ({
        id: 100 + index,
        document_id: `m${String(index)}`,
      }))
      await knex.batchInsert(
        'marks',
        more.map((each) => ({ ...mark, ...each })),
        50,
      )
      await knex.batchInsert(
        'safes',
        more.map((each) => ({ ...safe, ...each })),
        50,
      )
      const none = await told()
      expect(none).toMatchObject({ status: 200 })
      const [type, key] = ['target_type', 'target_id']
      await knex('marks').update({ [type]: 'api::safe.safe', [key]: 100 })
      expect(await told()).toEqual(none)
      await knex('marks')
        .where('id', '>=', 100)
        .update({ [key]: knex.ref('id') })
      expect(await told()).toEqual(none)
    }, 60_000)
  })

  describe('what is counted and paged', () => {
    const { serve } = stocked(database, orderTypes, orderContent)
    const permissions: Readonly<Record<string, Grant>> = {
      payer: { find: { item: true, order: { where: { paid: true } } } },
      /** Of drafts fewer than of what is published. */
      drafter: {
        find: { item: true, review: true },
        drafts: { review: { where: { text: { $contains: 'fine' } } } },
      },
      /** Of one document the draft alone. */
      half: { find: { review: { where: { text: { $ne: 'fine' } } } }, drafts: { review: true } },
    }
    const served = (): Served => serve({ permissions, nestedPagination: true })

    it('is what may be seen, also where a page is full', async () => {
      const { text } = await served().get('orders?sort=id&pagination[pageSize]=2', 'payer')
      expect((JSON.parse(text) as Nested).meta.pagination).toEqual({
        page: 1,
        pageSize: 2,
        pageCount: 2,
        total: 3,
      })
    })

    it('is so in pages of what is linked', async () => {
      const page = async (number: number): Promise<unknown> => {
        const pagination = { page: number, pageSize: 1, withCount: true }
        const orders = Object.entries(pagination).map(([name, value]) => {
          return `&populate[orders][pagination][${name}]=${String(value)}`
        })
        const query = `sort=id&populate[orders][sort]=number${orders.join('')}`
        const items = await served().list(`items?${query}`, 'payer')
        return items.map((item) => {
          const { data, meta } = item['orders'] as Nested
          return [data.map(({ number }) => number), meta.pagination['total']]
        })
      }
      expect(await page(1)).toEqual([
        [['A1'], 2],
        [['A1'], 1],
        [[], 0],
      ])
      expect(await page(2)).toEqual([
        [['B1'], 2],
        [[], 1],
        [[], 0],
      ])
    })

    it('is nothing that only an entry on the way leads to which may not be seen, however long the way is', async () => {
      const { values } = serve({
        permissions: { ...permissions, clerk: { find: '*' } },
        query: { maxCost: Infinity },
      })
      // The cap leads to the first order through one that is not paid.
      for (const way of ['', '[items][orders]', '[items][orders][items][orders]']) {
        const titles = (role: string): Promise<unknown[]> =>
          values(`items?sort=id&filters[orders][items][orders]${way}[number]=A1`, 'title', role)
        expect([way, await titles('clerk')]).toEqual([way, ['Pen', 'Ink', 'Cap']])
        expect([way, await titles('payer')]).toEqual([way, ['Pen', 'Ink']])
      }
    })

    it('is of drafts what both rules let through, wherever links lead', async () => {
      const { list, values } = served()
      const items = await list('items?status=draft&sort=id&populate[reviews][fields]=text', 'drafter')
      expect(items.map(({ reviews }) => (reviews as Entry[]).map(({ text }) => text))).toEqual([
        ['fine indeed'],
        [],
        [],
      ])
      const titles = (query: string): Promise<unknown[]> =>
        values(`items?status=draft&sort=id&${query}`, 'title', 'drafter')
      expect(await titles('filters[reviews][text][$notNull]=true')).toEqual(['Pen'])
      expect(await titles('filters[reviews][$count]=0')).toEqual(['Ink', 'Cap'])
      expect(await titles('filters[reviews][text]=warm')).toEqual([])
    })

    it('is no version that may not be seen', async () => {
      const { values } = served()
      const drafts = (filter: string): Promise<unknown[]> =>
        values(`reviews?status=draft&sort=id&publicationFilter=${filter}`, 'text', 'half')
      expect(await drafts('has-published-version')).toEqual(['warm'])
      expect(await drafts('never-published')).toEqual(['fine indeed', 'dry'])
    })
  })

  describe('who asks', () => {
    const { serve } = stocked(database, orderTypes, orderContent)
    const own = { where: { customer: { id: { $asker: 'customer' } } } }
    const permissions: Readonly<Record<string, Grant>> = {
      numbered: { find: { order: { where: { paid: true }, fields: ['number'] } } },
      summed: { find: { order: { fields: ['total'] } } },
      own: { find: { order: own } },
      listed: { find: { order: true }, queries: 'named' },
    }

    it('finds no entry by an attribute that it does not show', async () => {
      const { list, get } = serve({ permissions })
      expect((await get('orders/by/number/A1', 'numbered,summed')).status).toBe(200)
      expect(await list('orders?filters[number]=A2', 'numbered,summed')).toEqual([])
      expect((await get('orders/by/number/A2', 'numbered,summed')).status).toBe(404)
    })

    it('has no word for values that rules compare with', async () => {
      const role: RoleFunction = () => ({ roles: 'own', asker: { customer: 1, total: 10 } })
      const { refusal } = serve({ permissions, role })
      expect((await refusal('orders?filters[total][$asker]=total')).message).toBe('Invalid key $asker')
      expect((await refusal('orders?filters[total][$eq][$asker]=total')).message).toMatch(/^Invalid value/)
    })

    it('sees nothing where a value is missing, beside a role that is answered named queries alone', async () => {
      const { list } = serve({ permissions, logger: false })
      expect(await list('orders', 'own')).toEqual([])
      expect(await list('orders', 'own,listed')).toEqual([])
    })
  })

  describe('caches on the way', () => {
    const { serve } = stocked(database, orderTypes, orderContent)
    const own = { where: { id: { $asker: 'id' } } }
    const reachOf = async (
      find: NonNullable<Grant['find']>,
      headers: ContentRouterConfig['headers'],
    ): Promise<unknown> => {
      const role: RoleFunction = () => ({ roles: 'public', asker: { id: 1 } })
      const { get } = serve({ permissions: { public: { find } }, role, ...(headers && { headers }) })
      const answered = await get('orders')
      return (answered.headers as Readonly<Record<string, string>>)['cache-control']
    }

    it('are told that an answer is for whoever asks, also where nothing is said of them', async () => {
      expect(await reachOf({ order: true }, undefined)).toBe('public, no-cache')
      expect(await reachOf({ order: own }, undefined)).toBe('private, no-cache')
      // The rule may be on a type that is not asked for.
      expect(await reachOf({ order: true, item: own }, undefined)).toBe('private, no-cache')
    })

    it('may keep what hangs on values that the host says to be the same for all, if no others do', async () => {
      const [order, item] = [{ shared: true }, { shared: true }]
      expect(await reachOf({ order: own, item: own }, { order, item })).toBe('public, no-cache')
      expect(await reachOf({ order: own, item: own }, { order })).toBe('private, no-cache')
      expect(await reachOf({ order: own, item: own }, { item })).toBe('private, no-cache')
    })

    it('are told so where the host said of all paths, before it was known whose answer it is, that they may keep it', async () => {
      const host = async (
        find: NonNullable<Grant['find']>,
        options: Partial<ContentRouterConfig> = {},
        said = 'public, max-age=60',
      ) => {
        const role: RoleFunction = () => ({ roles: 'public', asker: { id: 1 } })
        const { app } = serve({ permissions: { public: { find } }, role, ...options })
        const before = express().use((_req, res, next) => {
          res.setHeader('Cache-Control', said)
          next()
        })
        before.use(app)
        const ways = ['orders', 'orders/none', 'orders/by/number/none', 'orders?sort=nope', 'customers']
        const answers = ways.map((path) => request(before).get(`/api/${path}`))
        return (await Promise.all(answers)).map(({ status, headers }) => [
          status,
          (headers as Readonly<Record<string, string>>)['cache-control'],
        ])
      }
      const statuses = [200, 404, 404, 400, 403]
      const refused = statuses.slice(1).map((status) => [status, 'private, no-store'])
      expect(await host({ order: true })).toEqual([[200, 'public, max-age=60'], ...refused])
      expect(await host({ order: own })).toEqual([[200, 'private, no-cache'], ...refused])
      expect(await host({ order: own }, {}, 'no-store')).toEqual([[200, 'no-store'], ...refused])
      // What is not there for one may be there for the next, whichever type the rule is on.
      expect(await host({ order: true, item: own })).toEqual([[200, 'private, no-cache'], ...refused])
      const explained = [[200, 'private, no-store'], ...refused]
      expect(await host({ order: own }, { explain: () => true })).toEqual(explained)
      // Nor is it known whose answer it is where that cannot be told.
      const unknown = (status: number): unknown => statuses.map(() => [status, 'private, no-store'])
      expect(await host({ order: own }, { role: () => null })).toEqual(unknown(401))
      const fails: RoleFunction = () => {
        throw new Error('the session store is away')
      }
      expect(await host({ order: own }, { role: fails, logger: false })).toEqual(unknown(500))
    })
  })

  describe('what a query costs', () => {
    const own = stocked(database, orderTypes, orderContent)

    it('tells of no table how many entries it holds, where a rule hides some, or attributes of theirs', async () => {
      const keeper: Grant = { find: { item: { fields: ['title'] } } }
      const asked = ['filters[title][$containsi]=a', 'filters[orders][number][$containsi]=a']
      const told = async (): Promise<unknown> => {
        const { refusal } = own.serve({ permissions, query: { maxCost: 120 } })
        const narrow = own.serve({ permissions: { keeper }, query: { maxCost: 1 } })
        return [
          await narrow.refusal(`items?${asked[0] ?? ''}`, 'keeper'),
          ...(await Promise.all(asked.map((query) => refusal(`items?${query}`, 'thrifty')))),
        ]
      }
      const before = await told()
      for (const table of ['reviews', 'items']) await crowd(own.world.knex, table, 20_001)
      expect(await told()).toEqual(before)
    })

    it('tells so of none to who sees nothing, as a value is missing', async () => {
      const lacking = { find: { customer: { where: { name: { $asker: 'name' } } } } }
      const { refusal } = own.serve({ permissions: { lacking }, query: { maxCost: 30 }, logger: false })
      expect((await refusal('customers?filters[name][$containsi]=a', 'lacking')).message).toMatch(/cost/i)
    })
  })
})

onSqlite((database) => {
  const types = [
    collection('deed', {
      title: text,
      seal: picture,
      scans: pictures,
      owner: relation('manyToOne', 'owner'),
    }),
    collection('owner', { name: text }),
  ] as unknown as ContentRouterConfig['contentTypes']
  const files = ['a.png', 'b.png'].map((name) => ({ $ref: name, name, url: `/${name}` }))
  const content = {
    'plugin::upload.file': files,
    deed: [
      { title: 'Mill', seal: 'a.png', scans: ['a.png', 'b.png'] },
      { title: 'Farm', seal: 'b.png', scans: ['a.png'] },
    ],
  }

  describe('what leads back from files', () => {
    const { serve } = stocked(database, types, content)
    const permissions: Readonly<Record<string, Grant>> = {
      reader: { find: { deed: { fields: ['title', 'scans'] } } },
      lister: { find: { deed: { fields: ['title', 'seal', 'scans'] } } },
      sealer: { find: { deed: { where: { title: 'Mill' }, fields: ['title', 'seal', 'scans'] } } },
      owner: { find: { deed: true } },
    }
    const options = { permissions, nestedPagination: true }
    const leadingBack = (entries: readonly Entry[]): unknown =>
      entries.map(({ scans }) =>
        (scans as Entry[]).map(({ name, related }) => [name, (related as Entry[]).map(({ title }) => title)]),
      )

    it('does not go by an attribute that fields leave out, or that some entries do not show', async () => {
      const { list } = serve(options)
      const ask = async (role: string): Promise<unknown> =>
        leadingBack(await list('deeds?populate[scans][populate][related]=true&sort=id&fields=title', role))
      const whole = [
        ['a.png', ['Mill', 'Mill', 'Farm']],
        ['b.png', ['Mill', 'Farm']],
      ]
      const scans = [
        ['a.png', ['Mill', 'Farm']],
        ['b.png', ['Mill']],
      ]
      const sorted = (told: unknown): unknown =>
        JSON.parse(JSON.stringify(told), (_key, value: unknown) =>
          Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[MF]/.test(one))
            ? [...(value as string[])].sort().reverse()
            : value,
        )
      const [mill, farm] = [whole, [whole[0]]]
      // Asked in turn: nothing that is kept of one role is another's.
      for (const role of ['owner', 'reader', 'lister', 'reader', 'owner'])
        expect([role, sorted(await ask(role))]).toEqual([
          role,
          role === 'reader' ? [scans, [scans[0]]] : [mill, farm],
        ])
      expect(sorted(await ask('reader,sealer'))).toEqual([scans, [scans[0]]])
    })

    it('is not counted, filtered nor sorted by either', async () => {
      const { list, values } = serve(options)
      const counted = await list('deeds?populate[scans][populate][related][count]=true&sort=id', 'reader')
      expect(counted.map(({ scans }) => (scans as Entry[]).map(({ related }) => related))).toEqual([
        [{ count: 2 }, { count: 1 }],
        [{ count: 2 }],
      ])
      const few = 'deeds?sort=id&filters[scans][related][$count]=1'
      expect(await values(few, 'title', 'owner')).toEqual([])
      expect(await values(few, 'title', 'reader')).toEqual(['Mill'])
    })
  })
})

onSqlite((database) => {
  describe('a rule through links to what has drafts', () => {
    const types = [
      collection('photo', { name: text, article: relation('manyToOne', 'article') }),
      collection(
        'article',
        { title: text, state: text, topic: relation('manyToOne', 'topic') },
        { drafts: true },
      ),
      collection('topic', { title: text }, { drafts: true }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const { world, serve } = stocked(database, types, {
      topic: [
        { $ref: 'sea', title: 'sea', $draft: { title: 'sea, anew' } },
        { $ref: 'sky', title: 'sky, anew', $draft: { title: 'sky' } },
      ],
      article: [
        { $ref: 'a', title: 'A', state: 'held', topic: 'sea', $draft: { state: 'out' } },
        { $ref: 'b', title: 'B', state: 'out', topic: 'sky', $draft: { state: 'out' } },
        { $ref: 'c', title: 'C', state: 'held', topic: 'sea', $draft: { state: 'held' } },
      ],
      photo: ['a', 'b', 'c'].map((article) => ({ name: `of ${article}`, article })),
    })
    const byArticle = (article: object): Grant => ({ find: { photo: { where: { article } } } })
    const permissions: Readonly<Record<string, Grant>> = {
      some: byArticle({ state: 'out' }),
      none: byArticle({ $none: { state: 'held' } }),
      not: { find: { photo: { where: { $not: { article: { state: 'held' } } } } } },
      further: byArticle({ topic: { title: 'sky, anew' } }),
      editor: { ...byArticle({ state: 'out' }), drafts: { article: true } },
      topical: {
        find: { article: { where: { topic: { title: { $in: ['sea', 'sky'] } } } } },
        drafts: { article: true },
      },
    }
    const shown = (path: string, role: string): Promise<unknown[]> =>
      serve({ permissions }).values(`${path}&sort=id`, path.startsWith('photos') ? 'name' : 'title', role)

    it.each(['some', 'none', 'not', 'further', 'editor'])(
      'judges an entry without drafts by what is published, whatever is asked: %s',
      async (role) => {
        for (const status of ['published', 'draft'])
          expect([status, await shown(`photos?status=${status}`, role)]).toEqual([status, ['of b']])
        expect(await shown('photos?status=draft&filters[name]=of a', role)).toEqual([])
      },
    )

    it('judges it so where the published entry has no draft at all', async () => {
      const drafts = world.knex('articles').whereNull('published_at').where({ title: 'C' })
      const [gone] = await drafts.clone().select<{ readonly id: number }[]>('id')
      await world.knex('photos_article_lnk').where({ article_id: gone?.id }).delete()
      await world.knex('articles_topic_lnk').where({ article_id: gone?.id }).delete()
      await drafts.delete()
      for (const role of ['some', 'none', 'not'])
        expect(await shown('photos?status=draft', role)).toEqual(['of b'])
    })

    it('judges each version by the versions that it leads to', async () => {
      expect(await shown('articles?status=published', 'topical')).toEqual(['A', 'C'])
      expect(await shown('articles?status=draft', 'topical')).toEqual(['B'])
      // Of A the published version may be seen, of B the draft: neither has another one for this role.
      expect(await shown('articles?status=draft&publicationFilter=has-published-version', 'topical')).toEqual(
        [],
      )
      expect(await shown('articles?status=draft&publicationFilter=never-published', 'topical')).toEqual(['B'])
    })
  })

  describe('a rule that not every database can ask', () => {
    const types = [
      collection('deed', { title: text, facts: { type: 'json' } }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const { serve } = stocked(database, types, {
      deed: [
        { title: 'Mill', facts: { acres: 3 } },
        { title: 'Farm', facts: { acres: 30 } },
      ],
    })
    const where = { facts: { $jsonSupersetOf: '{"acres":3}' } }

    it('holds where it can be asked, and is a fault at start elsewhere', async () => {
      const permissions = { public: { find: { deed: { where } } } }
      const start = (): Served => serve({ permissions, textMatching: 'database' })
      if (database.dialect !== 'sqlite') expect(await start().values('deeds', 'title')).toEqual(['Mill'])
      else
        expect(faultsOf(start)).toEqual([
          expect.stringContaining('permissions.public.find.deed.where.facts.$jsonSupersetOf'),
        ])
    })

    it('compares JSON with no value of whoever asks', () => {
      const own = { facts: { $eq: { $asker: 'facts' } } }
      const permissions = { public: { find: { deed: { where: own } } } }
      expect(faultsOf(() => serve({ permissions, textMatching: 'database' }))).toEqual([
        expect.stringContaining('facts.$eq: No value of whoever asks is compared with JSON'),
      ])
    })

    it('of a function, which tells it late, is a fault of the host and no word to whoever asks', async () => {
      const { get } = serve({
        permissions: (_role, uid) => uid === 'api::deed.deed' && { where },
        textMatching: 'database',
        logger: false,
      })
      const { status, text } = await get('deeds')
      expect(status).toBe(database.dialect === 'sqlite' ? 500 : 200)
      expect(text).not.toContain('Superset')
    })
  })
})

describe('a rule', () => {
  const start = (options: Partial<ContentRouterConfig>): string[] =>
    faultsOf(() =>
      contentRouter({
        ...{ contentTypes: orderTypes, database: { client: 'better-sqlite3', connection: ':memory:' } },
        ...{ role: () => 'member', logger: false, ...options },
      }),
    )
  const ruled = (where: object): { readonly member: { readonly find: Record<string, Rule> } } => ({
    member: { find: { order: { where } } },
  })

  it.each([['no'], ['yes'], ['TRUE'], ['off'], [''], [2], ['null']])(
    'compares a flag with true or false, and not with %j',
    (value) => {
      for (const [where, path] of [
        [{ paid: value }, 'paid'],
        [{ paid: { $eq: value } }, 'paid.$eq'],
        [{ $not: { paid: { $in: [true, value] } } }, '$not.paid.$in'],
        [{ total: { $null: value } }, 'total.$null'],
        [{ customer: { name: { $notNull: value } } }, 'customer.name.$notNull'],
      ] as const) {
        const [fault, ...others] = start({ permissions: ruled(where) })
        expect(fault).toContain(`permissions.member.find.order.where.${path}`)
        expect([fault, others]).toEqual([expect.stringContaining('boolean expects true or false'), []])
      }
    },
  )

  it.each([[true], [false], ['true'], ['false'], ['0'], ['1'], [0], [1], ['t'], ['f']])(
    'takes %j for a flag',
    (value) => {
      expect(start({ permissions: ruled({ paid: value, total: { $null: value } }) })).toEqual([])
    },
  )

  it('that costs more than its role may ask for is a fault at start', () => {
    const permissions = ruled({ customer: { name: 'Ada' } })
    // A link at 110 and a line behind it at 2.
    const told = (where: string): string[] => [
      `${where}: is less than the rules on api::order.order cost the role member by themselves: whatever it asks there would be refused (use at least 112)`,
    ]
    expect(start({ permissions, query: { maxCost: 100 } })).toEqual(told('query.maxCost'))
    const limits = (maxCost: number): Partial<ContentRouterConfig> => ({
      permissions,
      limitsByRole: { member: { maxCost } },
    })
    expect(start(limits(100))).toEqual(told('limitsByRole.member.maxCost'))
    expect(start(limits(112))).toEqual([])
    expect(start({ ...limits(112), query: { maxCost: 1 } })).toEqual([])
    const one = { member: { find: ['order'], findOne: permissions.member.find } }
    expect(start({ permissions: one, query: { maxCost: 100 } })).toEqual(told('query.maxCost'))
    const rules = { member: permissions.member.find }
    expect(start({ permissions: fromDatabase({ rules }), query: { maxCost: 100 } })).toEqual(
      told('query.maxCost'),
    )
  })
})
