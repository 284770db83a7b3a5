import request from 'supertest'
import type { ContentRouterConfig, Grant, RoleFunction } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, picture, pictures, relation, text } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { type Entry, roleHeader, type Served, stocked } from '../support/served'

const all = { customer: true, item: true, review: true } as const

const permissions: Readonly<Record<string, Grant>> = {
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

onSqlite((database) => {
  const { serve } = stocked(database, orderTypes, orderContent)
  const served = (options: Partial<ContentRouterConfig> = {}) => serve({ permissions, ...options })

  describe('publicationFilter=modified', () => {
    const filtered = (filter: string): string => `reviews?publicationFilter=${filter}`
    const others = 'never-published, has-published-version, never-published-document'

    it('is available to roles that see updatedAt of both versions', async () => {
      const { get } = served()
      for (const filter of ['modified', 'unmodified'])
        expect((await get(filtered(filter), 'editor')).status).toBe(200)
    })

    it.each(['dateless', 'datelessDrafts', 'undated,dated'])(
      'is unknown to other roles: %s',
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
    ] as const)('are answered like those of unknown attributes, to %s', async (_, options) => {
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

    it.each(['number', 'nothin'])('are not stored by caches: %s', async (name) => {
      const { app } = served({ headers: { '*': { cacheControl: 'max-age=60', vary: [roleHeader] } } })
      const { status, headers } = await request(app)
        .get(`/api/orders/by/${name}/A1`)
        .set(roleHeader, 'packer')
      expect([status, headers['cache-control']]).toEqual([404, 'private, no-store'])
      expect(headers['vary']).toContain(roleHeader)
    })
  })

  describe('a response with linked entries', () => {
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
    const told = async (): Promise<unknown> => {
      const { get } = own.serve({ permissions, nestedPagination: true })
      const query = 'sort=id&fields=title&populate[orders][fields]=number&populate[reviews][fields]=text'
      const { text } = await get(`items?${query}`, 'one,two')
      const counted = await get(
        'items?sort=id&populate[orders][count]=true&populate[reviews]=true',
        'one,two',
      )
      const pages = await get('pages?populate[localizations][fields]=title', 'one,two')
      return { text, counted: counted.text, pages: pages.text }
    }

    it('does not depend on the number of hidden entries', async () => {
      const { knex } = own.world
      const before = await told()
      for (const shown of ['P1', 'Servus']) expect(JSON.stringify(before)).toContain(shown)
      const hidden = await knex('orders')
        .where({ number: 'H1' })
        .first<Readonly<Record<string, unknown>>>('*')
      const item = await knex('items').where({ title: 'Pen' }).first<{ readonly id: number }>('id')
      const many =
        'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10050)'
      await knex.raw(`insert into orders (id, number, document_id, paid, published_at)
        ${many} select 1000 + n, 'H' || n, 'h' || n, paid, published_at from orders, numbers where number = 'H1'`)
      await knex.raw(
        'insert into orders_items_lnk (order_id, item_id) select id, ? from orders where id > 1000',
        [item.id],
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

  describe('totals and pages', () => {
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

    it('count visible entries only, even if a page is full', async () => {
      const { text } = await served().get('orders?sort=id&pagination[pageSize]=2', 'payer')
      expect((JSON.parse(text) as Nested).meta.pagination).toEqual({
        page: 1,
        pageSize: 2,
        pageCount: 2,
        total: 3,
      })
    })

    it('count visible entries only in pages of populated relations', async () => {
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

    it('exclude entries that only hidden entries lead to, at any depth', async () => {
      const { values } = serve({
        permissions: { ...permissions, clerk: { find: '*' } },
      })
      // The cap leads to the first order through one that is not paid.
      for (const way of ['', '[items][orders]', '[items][orders][items][orders]']) {
        const titles = (role: string): Promise<unknown[]> =>
          values(`items?sort=id&filters[orders][items][orders]${way}[number]=A1`, 'title', role)
        expect([way, await titles('clerk')]).toEqual([way, ['Pen', 'Ink', 'Cap']])
        expect([way, await titles('payer')]).toEqual([way, ['Pen', 'Ink']])
      }
    })

    it('count drafts that pass the rules of both find and drafts', async () => {
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

    it('exclude versions that are hidden', async () => {
      const { values } = served()
      const drafts = (filter: string): Promise<unknown[]> =>
        values(`reviews?status=draft&sort=id&publicationFilter=${filter}`, 'text', 'half')
      expect(await drafts('has-published-version')).toEqual(['warm'])
      expect(await drafts('never-published')).toEqual(['fine indeed', 'dry'])
    })
  })

  describe('a caller', () => {
    const own = { where: { customer: { id: { $asker: 'customer' } } } }
    const permissions: Readonly<Record<string, Grant>> = {
      numbered: { find: { order: { where: { paid: true }, fields: ['number'] } } },
      summed: { find: { order: { fields: ['total'] } } },
      own: { find: { order: own } },
    }

    it('finds no entry by an attribute that is hidden in that entry', async () => {
      const { list, get } = serve({ permissions })
      expect((await get('orders/by/number/A1', 'numbered,summed')).status).toBe(200)
      expect(await list('orders?filters[number]=A2', 'numbered,summed')).toEqual([])
      expect((await get('orders/by/number/A2', 'numbered,summed')).status).toBe(404)
    })

    it('cannot use $asker in filters', async () => {
      const role: RoleFunction = () => ({ roles: 'own', asker: { customer: 1, total: 10 } })
      const { refusal } = serve({ permissions, role })
      expect((await refusal('orders?filters[total][$asker]=total')).message).toBe('Invalid key $asker')
      expect((await refusal('orders?filters[total][$eq][$asker]=total')).message).toMatch(/^Invalid value/)
    })
  })

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

  describe('the relation from files to entries', () => {
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

    it('omits attributes that are hidden in all or in some entries', async () => {
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

    it('omits them from counts and filters', async () => {
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
