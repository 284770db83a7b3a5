import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ContentRouterConfig, Grant, RoleFunction } from '../../lib'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, relation, text as string } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { type Entry, roleHeader, stocked } from '../support/served'

const own = { where: { customer: { id: { $eq: { $asker: 'customerId' } } } } }
const all = { customer: true, item: true, review: true } as const

const askers: Readonly<Record<string, object>> = {
  ada: { customerId: 1 },
  ben: { customerId: '2' },
  nobody: {},
  odd: { customerId: 'one' },
  large: { customerId: 2 ** 40 },
  none: { customerId: null },
}

/** `member@ada`: which roles, and who. */
const role: RoleFunction = (req) => {
  const [roles = '', who = ''] = (req.get(roleHeader) ?? 'member@nobody').split('@')
  return { roles: roles.split(','), asker: (askers[who] ?? {}) as Record<string, string> }
}

const permissions: Readonly<Record<string, Grant>> = {
  member: { find: { ...all, order: own } },
  auditor: { find: { ...all, order: { where: { paid: true } } } },
  clerk: { find: '*' },
  reader: { find: { ...all, order: own }, findOne: { order: { where: { total: { $gt: 10 } } } } },
  north: { find: { item: { where: { owner: 'north' } }, order: true, review: true, customer: true } },
  blind: { find: { customer: { where: { name: 'Ada' } }, order: { where: { customer: { id: 2 } } } } },
  plain: { find: { page: { where: { title: { $ne: 'Bonjour' } } } } },
  winding: {
    find: {
      item: true,
      order: {
        where: {
          $and: [
            { customer: { orders: { $count: { $gt: 1 } } } },
            { items: { reviews: { $some: { id: { $notNull: true } } } } },
            { customer: { name: 'Ada' } },
            { items: { orders: { customer: { id: { $asker: 'customerId' } } } } },
          ],
        },
      },
    },
  },
  editor: {
    find: { review: { where: { item: { title: { $ne: 'Cap' } } } }, item: true },
    drafts: { review: { where: { text: { $contains: 'fine' } } } },
  },
}

const numbers = (entries: readonly Entry[]): unknown[] => entries.map(({ number }) => number)

onSqlite((database) => {
  const { serve, seeded } = stocked(database, orderTypes, orderContent)
  const { logger, warnings } = keeping()
  const served = (options: Partial<ContentRouterConfig> = {}) =>
    serve({ role, permissions, nestedPagination: true, ...options })
  const ids = (): Record<string, string> =>
    Object.fromEntries(['a1', 'b1', 'n1'].map((ref) => [ref, seeded().entry('order', ref).documentId]))

  describe('rules on rows', () => {
    it('show callers their own rows in lists, totals, counts and by id', async () => {
      const { list, page, get } = served()
      expect(numbers(await list('orders', 'member@ada'))).toEqual(['A1', 'A2'])
      expect(numbers(await list('orders', 'member@ben'))).toEqual(['B1', 'B2'])
      expect((await page('orders', 'member@ben')).meta.pagination).toMatchObject({ total: 2 })
      expect((await get(`orders/${ids()['a1'] ?? ''}`, 'member@ada')).status).toBe(200)
      const foreign = await get(`orders/${ids()['b1'] ?? ''}`, 'member@ada')
      const absent = await get('orders/nowhere', 'member@ada')
      expect([foreign.status, foreign.body]).toEqual([404, absent.body])
      expect((await get('orders/by/number/B1', 'member@ada')).status).toBe(404)
      expect((await get('orders/by/number/A1', 'member@ada')).status).toBe(200)
    })

    it.each(['nobody', 'odd', 'large', 'none'])(
      'grant nothing to %s, whose value is missing or of another kind',
      async (who) => {
        const { list, page } = served()
        expect(await list('orders', `member@${who}`)).toEqual([])
        expect((await page('orders', `member@${who}`)).meta.pagination).toMatchObject({ total: 0 })
      },
    )

    it('apply to populated relations and their counts', async () => {
      const { list } = served()
      const items = await list('items?populate[orders]=true&sort=id', 'member@ada')
      expect(items.map(({ orders }) => numbers(orders as Entry[]))).toEqual([['A1'], ['A1'], ['A2']])
      const counted = await list('items?populate[orders][count]=true&sort=id', 'member@ada')
      expect(counted.map(({ orders }) => orders)).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }])
      const customers = await list('customers?populate[orders][populate]=items&sort=id', 'member@ben')
      expect(customers.map(({ orders }) => (orders as Entry[]).length)).toEqual([0, 2])
    })

    it('apply to filters, counts and sorts through relations', async () => {
      const { values } = served()
      const titles = (query: string, who: string): Promise<unknown[]> =>
        values(`items?sort=id&${query}`, 'title', who)
      expect(await titles('filters[orders][total][$gte]=20', 'member@ada')).toEqual(['Cap'])
      expect(await titles('filters[orders][number]=B1', 'member@ada')).toEqual([])
      expect(await titles('filters[orders][$none][total][$gte]=20', 'member@ada')).toEqual(['Pen', 'Ink'])
      expect(await titles('filters[orders][$count]=1', 'member@ben')).toEqual(['Pen', 'Ink', 'Cap'])
      expect(await titles('filters[orders][id][$null]=true', 'member@nobody')).toEqual(['Pen', 'Ink', 'Cap'])
      expect(await values('items?sort=orders.total:desc,id', 'title', 'member@ada')).toEqual([
        'Cap',
        'Pen',
        'Ink',
      ])
      expect(await values('items?sort=orders.total:desc,id', 'title', 'member@ben')).toEqual([
        'Ink',
        'Cap',
        'Pen',
      ])
    })

    it('grant the rows of each role to a caller with several roles', async () => {
      const { list } = served()
      expect(numbers(await list('orders', 'auditor@ada'))).toEqual(['A1', 'B1', 'N1'])
      expect(numbers(await list('orders', 'member,auditor@ada'))).toEqual(['A1', 'B1', 'A2', 'N1'])
      expect(numbers(await list('orders', 'member,auditor@nobody'))).toEqual(['A1', 'B1', 'N1'])
      expect(numbers(await list('orders', 'member,clerk@ada'))).toHaveLength(5)
    })

    it('may withhold a type with false', async () => {
      const refusing = served({ permissions: { member: { find: { order: false, item: true } } } })
      expect((await refusing.get('orders', 'member@ada')).status).toBe(403)
      expect(await refusing.list('items?populate=orders&pagination[limit]=1', 'member@ada')).toEqual([
        expect.not.objectContaining({ orders: expect.anything() as unknown }),
      ])
    })

    it('may differ between find and findOne', async () => {
      const { list, get } = served()
      expect(numbers(await list('orders', 'reader@ada'))).toEqual(['A1', 'A2'])
      expect((await get(`orders/${ids()['a1'] ?? ''}`, 'reader@ada')).status).toBe(404)
      expect((await get(`orders/${ids()['b1'] ?? ''}`, 'reader@ada')).status).toBe(200)
    })

    it('may compare private attributes, which stay hidden', async () => {
      const { list, refusal } = served()
      const items = await list('items', 'north')
      expect(items.map(({ title }) => title)).toEqual(['Pen', 'Cap'])
      expect(items[0]).not.toHaveProperty('owner')
      expect((await refusal('items?filters[owner]=north', 'north')).message).toBe('Invalid key owner')
      const orders = await list('orders?populate=items&sort=id', 'north')
      expect(orders.map(({ items }) => (items as Entry[]).length)).toEqual([1, 1, 1, 1, 0])
    })

    it('restrict drafts further than published entries', async () => {
      const { list, get } = served()
      const texts = async (path: string): Promise<unknown[]> =>
        (await list(path, 'editor')).map(({ text }) => text)
      expect(await texts('reviews')).toEqual(['fine'])
      expect(await texts('reviews?status=draft')).toEqual(['fine indeed'])
      expect(await texts('reviews?publicationFilter=published-with-draft')).toEqual(['fine'])
      expect(await texts('reviews?status=draft&publicationFilter=never-published')).toEqual([])
      expect((await get('reviews?status=draft', 'member@ada')).status).toBe(403)
    })

    it('may be returned by a permissions function', async () => {
      const granting: ContentRouterConfig['permissions'] = (name, uid, action) =>
        action === 'find' && (uid === 'api::order.order' ? own : name === 'member')
      const { list } = served({ permissions: granting })
      expect(numbers(await list('orders', 'member@ben'))).toEqual(['B1', 'B2'])
    })

    it('log a missing value once', async () => {
      const { list } = served({ logger })
      await list('orders', 'member@nobody')
      await list('orders', 'member@nobody')
      expect(warnings.filter((text) => text.startsWith('a permission rule grants no rows'))).toHaveLength(1)
    })

    it('are evaluated on all rows, while filters see only visible rows', async () => {
      const { list } = served()
      const ask = async (filters: string): Promise<unknown[]> =>
        numbers(await list(`orders?${filters}`, 'blind'))
      expect(await ask('')).toEqual(['B1', 'B2'])
      expect(await ask('filters[customer][id][$null]=true')).toEqual(['B1', 'B2'])
      expect(await ask('filters[customer][name]=Ben')).toEqual([])
      expect(await ask('filters[customer][id]=2')).toEqual([])
    })

    it('use the values of the request, even if the host application reuses one object', async () => {
      const asker: Record<string, number> = {}
      const shared: RoleFunction = (req) => {
        asker['customerId'] = Number(req.get(roleHeader))
        return { roles: 'member', asker }
      }
      const { app } = served({ role: shared })
      const server = app.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      const who = [1, 2, 1, 2, 2, 1]
      const asked = who.map((id, at) => {
        const end = at === who.length - 1 ? 'Connection: close\r\n' : ''
        return `GET /api/orders?fields=number HTTP/1.1\r\nHost: x\r\n${roleHeader}: ${String(id)}\r\n${end}\r\n`
      })
      // All at once, so that the next is heard before the one before it is answered.
      socket.write(asked.join(''))
      const told = await text(socket)
      server.close()
      const firsts = told
        .split('HTTP/1.1 200')
        .slice(1)
        .map((answer) => /"number":"(.)/.exec(answer)?.[1])
      expect(firsts).toEqual(who.map((id) => (id === 1 ? 'A' : 'B')))
    })

    it('hide rows from locale fallback', async () => {
      const { values } = served({ localeFallback: { fr: ['de', 'en'] } })
      expect(await values('pages?locale=fr', 'title', 'clerk')).toEqual(['Bonjour', 'Servus'])
      expect(await values('pages?locale=fr', 'title', 'plain')).toEqual(['Hello', 'Servus'])
      expect(await values('pages?locale=de', 'title', 'plain')).toEqual(['Servus'])
    })

    it.each([
      ['a list', [7]],
      ['no object', 7],
      ['a promise', Promise.resolve({ customerId: 1 })],
      ['an object in it', { customerId: { id: 7 } }],
      ['a list in it', { customerId: [7] }],
    ])('are a 500 if the asker is or has %s', async (_, asker) => {
      const odd = (() => ({ roles: 'member', asker })) as unknown as RoleFunction
      const { get } = served({ role: odd, logger: false })
      expect((await get('orders')).status).toBe(500)
    })

    it.each([undefined, null, NaN, Infinity, 2 ** 53, -(2 ** 60), new Date(NaN)])(
      'grant nothing if the value of the asker is %s',
      async (value) => {
        const permissions = { own: { find: { order: { where: { number: { $ne: { $asker: 'number' } } } } } } }
        const role: RoleFunction = () => ({ roles: 'own', asker: { number: value } })
        expect(await served({ role, permissions, logger: false }).list('orders')).toEqual([])
      },
    )

    it.each([
      ['without values', { roles: 'own' }],
      ['with values that are undefined', { roles: 'own', asker: undefined }],
      ['with values that are null', { roles: ['own'], asker: null }],
    ])('grant nothing to roles %s', async (_, answer) => {
      const permissions = {
        own: { find: { item: true, order: { where: { number: { $ne: { $asker: 'number' } } } } } },
      }
      const { list } = served({ role: () => answer, permissions, logger: false })
      expect(await list('orders')).toEqual([])
      expect(await list('items')).not.toEqual([])
    })

    it('grant nothing with an empty $in', async () => {
      const permissions = { own: { find: { order: { where: { id: { $in: [] } } } } } }
      expect(await served({ role: () => 'own', permissions, logger: false }).list('orders')).toEqual([])
    })

    it('answer 401 if roles are null beside an asker', async () => {
      const { get } = served({ role: () => ({ roles: null, asker: { customerId: 1 } }), logger: false })
      expect((await get('orders')).status).toBe(401)
    })

    it('hide the other version of an entry if only findOne is granted', async () => {
      // The draft of r1 says so, what is published does not.
      const where = { text: 'fine indeed' }
      const permissions = { one: { findOne: { review: { where } }, drafts: ['review'] } } as const
      const { get } = served({ role: () => 'one', permissions, logger: false })
      const { documentId } = seeded().entry('review', 'r1')
      const statusOf = async (filter: string): Promise<number> =>
        (await get(`reviews/${documentId}?status=draft&publicationFilter=${filter}`)).status
      expect((await get(`reviews/${documentId}`)).status).toBe(404)
      expect((await get(`reviews/${documentId}?status=draft`)).status).toBe(200)
      expect(await statusOf('never-published')).toBe(200)
      for (const filter of ['has-published-version', 'modified', 'unmodified'])
        expect([filter, await statusOf(filter)]).toEqual([filter, 404])
    })

    it('apply at each step of a long relation path', async () => {
      const { values } = served({ query: { maxLinks: 14 } })
      const path = 'items?sort=orders.items.orders.items.orders.items.orders.total:desc,title'
      expect(await values(path, 'title', 'winding@ada')).toEqual(['Cap', 'Ink', 'Pen'])
      expect(await values('items?sort=orders.total:desc,title', 'title', 'winding@ada')).toEqual([
        'Cap',
        'Ink',
        'Pen',
      ])
    })
  })

  describe('a rule through relations to types with drafts', () => {
    const types = [
      collection('photo', { name: string, article: relation('manyToOne', 'article') }),
      collection(
        'article',
        { title: string, state: string, topic: relation('manyToOne', 'topic') },
        { drafts: true },
      ),
      collection('topic', { title: string }, { drafts: true }),
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
      'compares entries without drafts with the published version, whatever the status: %s',
      async (role) => {
        for (const status of ['published', 'draft'])
          expect([status, await shown(`photos?status=${status}`, role)]).toEqual([status, ['of b']])
        expect(await shown('photos?status=draft&filters[name]=of a', role)).toEqual([])
      },
    )

    it('compares each version with the versions that it is related to', async () => {
      expect(await shown('articles?status=published', 'topical')).toEqual(['A', 'C'])
      expect(await shown('articles?status=draft', 'topical')).toEqual(['B'])
      // Of A the published version may be seen, of B the draft: neither has another one for this role.
      expect(await shown('articles?status=draft&publicationFilter=has-published-version', 'topical')).toEqual(
        [],
      )
      expect(await shown('articles?status=draft&publicationFilter=never-published', 'topical')).toEqual(['B'])
    })

    // It deletes rows.
    it('compares with the published version if there is no draft', async () => {
      const drafts = world.knex('articles').whereNull('published_at').where({ title: 'C' })
      const [gone] = await drafts.clone().select<{ readonly id: number }[]>('id')
      await world.knex('photos_article_lnk').where({ article_id: gone?.id }).delete()
      await world.knex('articles_topic_lnk').where({ article_id: gone?.id }).delete()
      await drafts.delete()
      for (const role of ['some', 'none', 'not'])
        expect(await shown('photos?status=draft', role)).toEqual(['of b'])
    })
  })
})
