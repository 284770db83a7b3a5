import request from 'supertest'
import { type ContentRouterConfig, type Grant } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { type Entry, roleHeader, type Served, stocked } from '../support/served'
import { asStrapi, olderFormat } from '../support/as-strapi'

const permissions: Readonly<Record<string, Grant>> = {
  packer: { find: { order: { fields: ['number', 'items'] }, item: true, customer: true } },
  blank: { find: { order: { fields: [] }, customer: { fields: ['orders'] } } },
  /** What is paid, with its total; and what is large, with its items. */
  cashier: { find: { order: { where: { paid: true }, fields: ['number', 'total'] }, item: true } },
  carrier: {
    find: { order: { where: { total: { $gte: 20 } }, fields: ['items', 'number'] }, item: true },
  },
  clerk: { find: { order: { where: { paid: true }, fields: ['paid'] } } },
  paid: { find: { order: { where: { paid: true }, fields: ['number', 'total'] }, item: true } },
  largeTotal: { find: { order: { where: { total: { $gte: 20 } }, fields: ['total'] }, item: true } },
  largeNumber: { find: { order: { where: { total: { $gte: 20 } }, fields: ['number'] }, item: true } },
  owner: {
    find: {
      order: { where: { customer: { id: { $asker: 'customerId' } } }, fields: ['number'] },
      item: true,
    },
  },
  whole: { find: { order: true, item: true, customer: true } },
  near: {
    find: { order: { fields: ['number'] }, item: true },
    findOne: { order: { fields: ['total'] } },
  },
  editor: {
    find: { review: { fields: ['text', 'item', 'publishedAt'] }, item: true },
    drafts: { review: { fields: ['item', 'publishedAt'] } },
  },
  page: { find: { page: { fields: ['title', 'localizations'] } } },
}

interface Body {
  readonly data: readonly Entry[]
}

/** The keys of what stands in the older format. */
const attributesOf = (body: unknown): string[][] =>
  (body as Body).data.map(({ attributes }) => Object.keys(attributes as object))

const noteTypes = [
  collection('leaf', {
    title: text,
    notes: relation('morphMany', 'note', { morphBy: 'subject' }),
    ghosts: relation('oneToMany', 'note', { mappedBy: 'nothing' }),
  }),
  collection(
    'note',
    { line: text, subject: { type: 'relation', relation: 'morphToOne' } },
    { localized: true },
  ),
] as unknown as ContentRouterConfig['contentTypes']

onSqlite((database) => {
  describe('fields that a rule does not grant', () => {
    const content = {
      leaf: [{ $ref: 'oak', title: 'Oak' }],
      note: [{ line: 'Of an oak', subject: { leaf: 'oak' } }],
    }
    const { serve } = stocked(database, noteTypes, content)

    it('are omitted, even the locale that Strapi adds', async () => {
      const grants = { public: { find: { leaf: true, note: { fields: ['line'] } } } }
      const [leaf] = await serve({ extensions: [asStrapi], permissions: grants }).list('leafs?populate=notes')
      expect((leaf?.['notes'] as Entry[]).map((note) => Object.keys(note))).toEqual([
        ['id', 'documentId', 'line'],
      ])
    })

    it('are unknown, even if other roles may name them', async () => {
      const { get } = serve({ permissions: { public: { find: { leaf: { fields: ['title'] } } } } })
      expect((await get('leafs?populate=ghosts')).status).toBe(400)
      expect((await serve().get('leafs?populate=ghosts')).status).toBe(200)
    })
  })

  const { serve, seeded } = stocked(database, orderTypes, orderContent)
  let router: Served | undefined
  const api = (): Served =>
    (router ??= serve({ permissions, nestedPagination: true, extensions: [olderFormat] }))
  const titlesOf = (entries: unknown): unknown[] => (entries as Entry[]).map(({ title }) => title)

  describe('fields that a rule does not grant', () => {
    it('are omitted from whole entries and populate=*', async () => {
      const [plain] = await api().list('orders', 'packer')
      expect(Object.keys(plain ?? {})).toEqual(['id', 'documentId', 'number'])
      const [all] = await api().list('orders?populate=*', 'packer')
      expect(Object.keys(all ?? {})).toEqual(['id', 'documentId', 'number', 'items'])
      const [bare] = await api().list('orders', 'blank')
      expect(Object.keys(bare ?? {})).toEqual(['id', 'documentId'])
    })

    it('are omitted from populated relations', async () => {
      const [item] = await api().list('items?populate[orders]=true&sort=id', 'packer')
      expect(item?.['orders']).toEqual([
        { id: 1, documentId: expect.any(String) as unknown, number: 'A1' },
        { id: 2, documentId: expect.any(String) as unknown, number: 'B1' },
      ])
      const [customer] = await api().list('customers?populate=*', 'blank')
      expect(Object.keys(customer ?? {})).toEqual(['id', 'documentId', 'orders'])
      expect(Object.keys((customer?.['orders'] as Entry[])[0] ?? {})).toEqual(['id', 'documentId'])
    })

    it.each([
      ['orders?fields=NAME', 'total'],
      ['orders?sort=NAME', 'total'],
      ['orders?filters[NAME]=10', 'total'],
      ['orders?filters[$or][0][NAME][$null]=true', 'total'],
      ['orders?populate=NAME', 'customer'],
      ['orders?populate[NAME][fields]=name', 'customer'],
      ['orders?populate=items,NAME', 'customer'],
      ['orders?filters[NAME][name]=Ada', 'customer'],
      ['orders?filters[NAME][$some][name]=Ada', 'customer'],
      ['orders?filters[NAME][$count]=1', 'customer'],
      ['orders?sort=NAME.name', 'customer'],
      ['orders?sort=NAME.$count', 'customer'],
      ['items?filters[orders][NAME]=10', 'total'],
      ['items?filters[orders][$none][NAME]=10', 'total'],
      ['items?sort=orders.NAME', 'total'],
      ['items?populate[orders][sort]=NAME', 'total'],
      ['items?populate[orders][filters][NAME]=10', 'total'],
      ['items?populate[orders][fields]=NAME', 'total'],
      ['items?populate[orders][populate]=NAME', 'customer'],
      ['items?populate[orders][populate][NAME][count]=true', 'customer'],
    ])('are unknown names: %s', async (path, name) => {
      const told = async (word: string): Promise<string> => {
        const { status, text } = await api().get(path.replace('NAME', word), 'packer')
        expect(status).toBe(400)
        return text.replace(/"id":"[^"]*"/, '').replaceAll(word, '…')
      }
      expect(await told(name)).toBe(await told('nothing'))
      expect((await api().get(path.replace('NAME', name), 'whole')).status).toBe(200)
    })

    it('are not searched', async () => {
      expect(await api().values('orders?_q=A1', 'number', 'packer')).toEqual(['A1'])
      expect(await api().list('orders?_q=A1', 'blank')).toEqual([])
    })

    it('are no attribute of paths by attribute', async () => {
      const to = async (name: string, role: string): Promise<readonly [number, string]> => {
        const { status, text } = await api().get(`orders/by/${name}/A1`, role)
        return [status, text.replace(name, '…')]
      }
      expect((await to('number', 'packer'))[0]).toBe(200)
      expect(await to('number', 'blank')).toEqual(await to('nothing', 'blank'))
      expect((await to('number', 'blank'))[0]).toBe(404)
    })

    it('are omitted in the older format', async () => {
      const shown = async (role: string): Promise<unknown> => {
        const asked = request(api().app).get('/api/orders?populate=*&pagination[limit]=1')
        const older = await asked.set(roleHeader, role).set('Strapi-Response-Format', 'v4')
        return attributesOf(older.body)
      }
      expect(await shown('packer')).toEqual([['number', 'items']])
      expect(await shown('blank')).toEqual([[]])
    })

    it('differ by role', async () => {
      const keys = async (role: string): Promise<string[]> =>
        Object.keys((await api().list('orders?sort=id', role))[0] ?? {}).slice(2)
      expect(await keys('cashier')).toEqual(['number', 'total'])
      expect(await keys('clerk')).toEqual(['paid'])
      expect(await keys('cashier,clerk')).toEqual(['number', 'total', 'paid'])
      expect(await api().values('orders?sort=total', 'paid', 'cashier,clerk')).toEqual([true, true, true])
    })

    it('are unknown if the value of the asker is missing', async () => {
      const asked = async (path: string): Promise<number> => (await api().get(path, 'owner')).status
      expect(await api().list('orders?filters[number]=A1&sort=number', 'owner')).toEqual([])
      expect(await asked('orders?filters[total]=10')).toBe(400)
      expect(await asked('orders?sort=total')).toBe(400)
      expect(await asked('orders/by/total/10')).toBe(404)
      expect(await asked('items?filters[orders][total]=10')).toBe(400)
      expect(await asked('items?filters[orders][$none][number]=A1')).toBe(200)
    })

    it('may differ between find and findOne', async () => {
      const { documentId } = seeded().entry('order', 'a1')
      const keys = async (path: string): Promise<string[]> => {
        const answered = await api().get(path, 'near')
        const { data } = answered.body as { readonly data: Entry | readonly Entry[] }
        return Object.keys([data].flat()[0] ?? {})
      }
      expect(await keys('orders')).toEqual(['id', 'documentId', 'number'])
      expect(await keys(`orders/${documentId}`)).toEqual(['id', 'documentId', 'total'])
      expect(await keys('orders/by/number/A1')).toEqual([])
    })

    it('are narrowed further for drafts', async () => {
      const keys = async (path: string): Promise<string[]> =>
        Object.keys((await api().list(path, 'editor'))[0] ?? {})
      expect(await keys('reviews')).toEqual(['id', 'documentId', 'text', 'publishedAt'])
      expect(await keys('reviews?status=draft')).toEqual(['id', 'documentId', 'publishedAt'])
      expect((await api().refusal('reviews?status=draft&filters[text]=fine', 'editor')).path).toBe(
        'filters.text',
      )
    })

    it('do not affect status, locale and localizations', async () => {
      const { values } = serve({ permissions, localeFallback: { fr: ['en'] } })
      expect(await values('pages?locale=fr', 'title', 'page')).toEqual(['Bonjour', 'Bye'])
      const [hello] = await api().list('pages?populate=localizations&locale=en', 'page')
      expect(Object.keys(hello ?? {})).toEqual(['id', 'documentId', 'title', 'localizations'])
      expect(
        Object.keys((hello?.['localizations'] as { readonly data: readonly Entry[] }).data[0] ?? {}),
      ).toEqual(['id', 'documentId', 'title'])
    })

    it('may be returned by a permissions function', async () => {
      const rule = { fields: ['number'] }
      const granting: ContentRouterConfig['permissions'] = (_role, uid) => uid === 'api::order.order' && rule
      const [order] = await serve({ permissions: granting }).list('orders', 'anyone')
      expect(Object.keys(order ?? {})).toEqual(['id', 'documentId', 'number'])
    })

    it('are granted by another role', async () => {
      const both = await api().get('orders?populate=*', 'packer,whole')
      expect(both.body).toEqual((await api().get('orders?populate=*', 'whole')).body)
    })
  })

  describe('fields that rules grant in some entries', () => {
    const both = 'cashier,carrier'
    const asked = 'orders?sort=id&populate=*'

    it('are shown in entries for which one rule grants both', async () => {
      const orders = await api().list(asked, both)
      const shown = orders.map(({ number, total, items }) => [
        number,
        total,
        items === undefined ? undefined : titlesOf(items),
      ])
      expect(shown).toEqual([
        ['A1', 10, undefined],
        ['B1', 20, ['Pen']],
        ['A2', undefined, ['Cap']],
        ['B2', undefined, ['Ink', 'Cap']],
        ['N1', 50, []],
      ])
      expect(orders.map((order) => Object.keys(order).slice(2))).toEqual([
        ['number', 'total'],
        ['number', 'total', 'items'],
        ['number', 'items'],
        ['number', 'items'],
        ['number', 'total', 'items'],
      ])
    })

    it.each([
      ['filters[total][$gt]=0', ['A1', 'B1', 'N1']],
      ['filters[total][$ne]=20', ['A1', 'N1']],
      ['filters[$not][total]=20', ['A1', 'N1']],
      ['filters[total][$null]=true', []],
      ['filters[total][$null]=false', ['A1', 'B1', 'N1']],
      ['filters[$or][0][total]=40&filters[$or][1][items][title]=Cap', ['A2', 'B2']],
      ['filters[items][title]=Pen', ['B1']],
      ['filters[items][id][$null]=true', ['N1']],
      ['filters[items][$none][title]=Pen', ['A2', 'B2', 'N1']],
      ['filters[items][$every][title]=Pen', ['B1', 'N1']],
      ['filters[items][$count]=0', ['N1']],
      ['filters[items][$count][$gte]=0', ['B1', 'A2', 'B2', 'N1']],
      ['filters[$not][items][$some][title]=Pen', ['A2', 'B2', 'N1']],
    ])('are compared in those entries only: %s', async (filters, numbers) => {
      expect(await api().values(`orders?sort=id&${filters}`, 'number', both)).toEqual(numbers)
    })

    it('are compared in those entries only, through relations', async () => {
      const titles = (query: string): Promise<unknown[]> =>
        api().values(`items?sort=id&${query}`, 'title', both)
      expect(await titles('filters[orders][total][$gte]=20')).toEqual(['Pen'])
      expect(await titles('filters[orders][$none][total][$notNull]=true')).toEqual(['Cap'])
      expect(await titles('filters[orders][$every][total][$gte]=10')).toEqual(['Pen'])
    })

    it('differ by set of roles, even if these share rules', async () => {
      const shown = async (roles: string): Promise<unknown[]> => {
        const [pen] = await api().list('items?sort=id&populate[orders][sort]=id', roles)
        const [, ink] = await api().list('items?sort=id&populate[orders][sort]=id', roles)
        return [pen, ink].map((item) =>
          (item?.['orders'] as Entry[]).map((order) => Object.keys(order).slice(2).join()),
        )
      }
      expect(await shown('paid,largeTotal')).toEqual([
        ['number,total', 'number,total'],
        ['number,total', 'total'],
      ])
      expect(await shown('paid,largeNumber')).toEqual([
        ['number,total', 'number,total'],
        ['number,total', 'number'],
      ])
    })

    it('are counted, paged and populated in those entries only', async () => {
      const counted = await api().list('orders?sort=id&populate[items][count]=true', both)
      expect(counted.map(({ items }) => items)).toEqual([
        undefined,
        { count: 1 },
        { count: 1 },
        { count: 2 },
        { count: 0 },
      ])
      const paged = await api().list(
        'orders?sort=id&populate[items][pagination][limit]=1&populate[items][sort]=title',
        both,
      )
      expect(paged.map(({ items }) => items && titlesOf(items))).toEqual([
        undefined,
        ['Pen'],
        ['Cap'],
        ['Cap'],
        [],
      ])
      const deep = await api().list('orders?sort=id&populate[items][populate][orders][fields]=total', both)
      const ofPen = (deep[1]?.['items'] as Entry[])[0]?.['orders'] as Entry[]
      expect(ofPen.map(({ total }) => total)).toEqual([10, 20])
      const ofCap = (deep[2]?.['items'] as Entry[])[0]?.['orders'] as Entry[]
      expect(ofCap.map((order) => Object.keys(order))).toEqual([
        ['id', 'documentId'],
        ['id', 'documentId'],
      ])
    })

    it('do not count towards maxEntries in other entries', async () => {
      const { list, get } = serve({ permissions, query: { maxEntries: 1 } })
      const one = (number: string): string => `orders?filters[number]=${number}&populate=items`
      expect(await list(one('A1'), both)).toHaveLength(1)
      expect((await get(one('B2'), both)).status).toBe(400)
      expect((await get(one('A1'), 'packer')).status).toBe(400)
    })

    it('are rejected in sort', async () => {
      for (const path of ['orders?sort=total', 'items?sort=orders.total', 'orders?sort=items.title']) {
        const { message } = await api().refusal(path, both)
        expect(message).toMatch(/^Invalid sort: (total|items) is hidden in some entries$/)
      }
      expect(await api().values('orders?sort=number:desc&fields=number', 'number', both)).toEqual([
        'N1',
        'B2',
        'B1',
        'A2',
        'A1',
      ])
    })

    it('are valid JSON in the older format', async () => {
      const query = 'fields=total&populate=items&sort=id'
      const v4 = request(api().app).get(`/api/orders?${query}`).set(roleHeader, both)
      const older = await v4.set('Strapi-Response-Format', 'v4')
      expect(attributesOf(older.body)).toEqual([
        ['total'],
        ['total', 'items'],
        ['items'],
        ['items'],
        ['total', 'items'],
      ])
    })
  })
})
