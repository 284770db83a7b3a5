import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { knex as makeKnex } from 'knex'
import {
  contentRouter,
  type ContentRouterConfig,
  fromDatabase,
  type Grant,
  type RoleFunction,
  type RulesOfRoles,
} from '../../lib'
import { ConfigError, type Fault } from '../../lib/errors'
import { component } from '../support/library'
import { describeOn, onSqlite, testDatabase } from '../support/databases'
import { hearing, keeping } from '../support/hearing'
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

interface Explained {
  readonly meta: { readonly explain: { readonly removed: readonly Entry[] } }
}

const numbers = (entries: readonly Entry[]): unknown[] => entries.map(({ number }) => number)

onSqlite((database) => {
  const { serve, seeded } = stocked(database, orderTypes, orderContent)
  const { logger, warnings } = keeping()
  const served = (options: Partial<ContentRouterConfig> = {}) =>
    serve({ role, permissions, nestedPagination: true, ...options })
  const ids = (): Record<string, string> =>
    Object.fromEntries(['a1', 'b1', 'n1'].map((ref) => [ref, seeded().entry('order', ref).documentId]))

  it('look at all rows themselves, where a query looks at those that may be seen', async () => {
    const { list } = served()
    const ask = async (filters: string): Promise<unknown[]> =>
      numbers(await list(`orders?${filters}`, 'blind'))
    expect(await ask('')).toEqual(['B1', 'B2'])
    expect(await ask('filters[customer][id][$null]=true')).toEqual(['B1', 'B2'])
    expect(await ask('filters[customer][name]=Ben')).toEqual([])
    expect(await ask('filters[customer][id]=2')).toEqual([])
  })

  it('compare with what whoever asks was as he asked, also where a host fills one object anew each time', async () => {
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

  it('hide what stands in for other locales', async () => {
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
  ])('are not held against an asker that is or has %s', async (_, asker) => {
    const odd = (() => ({ roles: 'member', asker })) as unknown as RoleFunction
    const { get } = served({ role: odd, logger: false })
    expect((await get('orders')).status).toBe(500)
  })

  it.each([undefined, null, NaN, Infinity, 2 ** 53, -(2 ** 60), new Date(NaN)])(
    'grant nothing where the value of whoever asks is %s',
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

  it('grant nothing where they are met by what is in an empty list', async () => {
    const permissions = { own: { find: { order: { where: { id: { $in: [] } } } } } }
    expect(await served({ role: () => 'own', permissions, logger: false }).list('orders')).toEqual([])
  })

  it('are held against nobody where there are no roles beside the values', async () => {
    const { get } = served({ role: () => ({ roles: null, asker: { customerId: 1 } }), logger: false })
    expect((await get('orders')).status).toBe(401)
  })

  it('hide the other version of what is asked one by one, where no list is granted', async () => {
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

  it('are not told to hooks', async () => {
    const heard = hearing()
    const { shape } = await heard.ask(served(heard.hooks), 'orders?filters[total]=10', 'member@ada')
    expect(shape?.filters).toEqual(['total'])
  })

  it('hold at each step of a long way', async () => {
    const { values } = served()
    const path = 'items?sort=orders.items.orders.items.orders.items.orders.total:desc,title'
    expect(await values(path, 'title', 'winding@ada')).toEqual(['Cap', 'Ink', 'Pen'])
    expect(await values('items?sort=orders.total:desc,title', 'title', 'winding@ada')).toEqual([
      'Cap',
      'Ink',
      'Pen',
    ])
  })

  describe('rules on rows', () => {
    it('show whoever asks the own rows, in lists, counts, totals and by id', async () => {
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
      'let nothing through for %s, who has no such value',
      async (who) => {
        const { list, page } = served()
        expect(await list('orders', `member@${who}`)).toEqual([])
        expect((await page('orders', `member@${who}`)).meta.pagination).toMatchObject({ total: 0 })
      },
    )

    it('hold wherever links lead', async () => {
      const { list } = served()
      const items = await list('items?populate[orders]=true&sort=id', 'member@ada')
      expect(items.map(({ orders }) => numbers(orders as Entry[]))).toEqual([['A1'], ['A1'], ['A2']])
      const counted = await list('items?populate[orders][count]=true&sort=id', 'member@ada')
      expect(counted.map(({ orders }) => orders)).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }])
      const customers = await list('customers?populate[orders][populate]=items&sort=id', 'member@ben')
      expect(customers.map(({ orders }) => (orders as Entry[]).length)).toEqual([0, 2])
    })

    it('hold in conditions, counts and sorts through links', async () => {
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

    it('are enough one by one where there are several', async () => {
      const { list } = served()
      expect(numbers(await list('orders', 'auditor@ada'))).toEqual(['A1', 'B1', 'N1'])
      expect(numbers(await list('orders', 'member,auditor@ada'))).toEqual(['A1', 'B1', 'A2', 'N1'])
      expect(numbers(await list('orders', 'member,auditor@nobody'))).toEqual(['A1', 'B1', 'N1'])
      expect(numbers(await list('orders', 'member,clerk@ada'))).toHaveLength(5)
    })

    it('are none for a type that is false', async () => {
      const refusing = served({ permissions: { member: { find: { order: false, item: true } } } })
      expect((await refusing.get('orders', 'member@ada')).status).toBe(403)
      expect(await refusing.list('items?populate=orders&pagination[limit]=1', 'member@ada')).toEqual([
        expect.not.objectContaining({ orders: expect.anything() as unknown }),
      ])
    })

    it('may differ for one entry by its id', async () => {
      const { list, get } = served()
      expect(numbers(await list('orders', 'reader@ada'))).toEqual(['A1', 'A2'])
      expect((await get(`orders/${ids()['a1'] ?? ''}`, 'reader@ada')).status).toBe(404)
      expect((await get(`orders/${ids()['b1'] ?? ''}`, 'reader@ada')).status).toBe(200)
    })

    it('may name what is private, which no answer shows', async () => {
      const { list, refusal } = served()
      const items = await list('items', 'north')
      expect(items.map(({ title }) => title)).toEqual(['Pen', 'Cap'])
      expect(items[0]).not.toHaveProperty('owner')
      expect((await refusal('items?filters[owner]=north', 'north')).message).toBe('Invalid key owner')
      const orders = await list('orders?populate=items&sort=id', 'north')
      expect(orders.map(({ items }) => (items as Entry[]).length)).toEqual([1, 1, 1, 1, 0])
    })

    it('narrow drafts further', async () => {
      const { list, get } = served()
      const texts = async (path: string): Promise<unknown[]> =>
        (await list(path, 'editor')).map(({ text }) => text)
      expect(await texts('reviews')).toEqual(['fine'])
      expect(await texts('reviews?status=draft')).toEqual(['fine indeed'])
      expect(await texts('reviews?publicationFilter=published-with-draft')).toEqual(['fine'])
      expect(await texts('reviews?status=draft&publicationFilter=never-published')).toEqual([])
      expect((await get('reviews?status=draft', 'member@ada')).status).toBe(403)
    })

    it('come from a function, too', async () => {
      const granting: ContentRouterConfig['permissions'] = (name, uid, action) =>
        action === 'find' && (uid === 'api::order.order' ? own : name === 'member')
      const { list } = served({ permissions: granting })
      expect(numbers(await list('orders', 'member@ben'))).toEqual(['B1', 'B2'])
    })

    it('are told to operators, and not what they say', async () => {
      const { get } = served({ explain: () => true })
      const explained = await get('items?populate=orders', 'member@ada')
      const { meta } = explained.body as Explained
      expect(meta.explain.removed).toEqual([
        {
          path: 'orders',
          type: 'api::order.order',
          reason: 'rows',
          missing: 'entries',
          rules: ['permissions.member.find.api::order.order'],
          because: 'no rule of whoever asks lets other entries of api::order.order be seen',
        },
      ])
    })

    it.each([
      ['orders', 'member@ada', ['member.find.api::order.order']],
      ['orders', 'reader@ada', ['reader.find.api::order.order']],
      ['orders/ID', 'reader@ben', ['reader.findOne.api::order.order']],
      ['orders', 'member,auditor@ada', ['member.find.api::order.order', 'auditor.find.api::order.order']],
      ['reviews', 'editor', ['editor.find.api::review.review']],
      [
        'reviews?status=draft',
        'editor',
        ['editor.find.api::review.review', 'editor.drafts.api::review.review'],
      ],
      ['items', 'clerk', []],
    ])('are told of what is asked itself: %s, to %s', async (path, who, places) => {
      const { get } = served({ explain: () => true })
      const answered = await get(path.replace('ID', ids()['b1'] ?? ''), who)
      const { explain } = (answered.body as Explained).meta
      expect(explain.removed.map(({ path, reason, rules }) => ({ path, reason, rules }))).toEqual(
        places.length === 0
          ? []
          : [{ path: '', reason: 'rows', rules: places.map((place) => `permissions.${place}`) }],
      )
    })

    it('log once which value is never given', async () => {
      const { list } = served({ logger })
      await list('orders', 'member@nobody')
      await list('orders', 'member@nobody')
      expect(warnings.filter((text) => text.startsWith('A rule compares'))).toHaveLength(1)
    })
  })
})

describeOn(['postgres'] as const)('on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), orderTypes, orderContent)

  it('all who ask share one prepared statement', async () => {
    const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    const { list } = serve({
      database: knex,
      permissions,
      role: (req) => ({ roles: 'member', asker: { customerId: req.get(roleHeader) } }),
    })
    for (let number = 1; number <= 1000; number += 1) await list('orders', String(number))
    const { rows } = await knex.raw<{ rows: readonly { readonly statement: string }[] }>(
      'select statement from pg_prepared_statements',
    )
    await knex.destroy()
    expect(rows.filter(({ statement }) => statement.includes('"orders"'))).toHaveLength(1)
  }, 60_000)
})

describe('faults of rules', () => {
  const start = (options: Partial<ContentRouterConfig>): void => {
    contentRouter({
      contentTypes: orderTypes,
      database: { client: 'better-sqlite3', connection: { filename: ':memory:' } },
      ...options,
    })
  }
  const faultsOfConfig = (options: Partial<ContentRouterConfig>): readonly Fault[] => {
    try {
      start(options)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.faults
      throw error
    }
  }
  const faultsOf = (find: unknown): readonly Fault[] =>
    faultsOfConfig({ permissions: { member: { find } as Grant } })
  const where = (rule: unknown): string[] =>
    faultsOf({ order: rule }).map((fault) => `${fault.where}: ${fault.problem}`)

  const noValue = 'is neither a text, a number, true, false, null, a list nor an object'

  it.each([
    ['an unknown attribute', { where: { nope: 1 } }, 'where.nope: Invalid key nope'],
    ['one behind a link', { where: { customer: { nope: 1 } } }, 'where.customer.nope: Invalid key nope'],
    ['a wrong type', { where: { total: 'much' } }, 'where.total: Invalid value: integer expects a number'],
    ['no condition', { where: {} }, 'where: holds no condition'],
    ['nothing that is asked of an attribute', { where: { total: {} } }, 'where.total: holds no condition'],
    ['nothing behind a link', { where: { customer: { id: {} } } }, 'where.customer.id: holds no condition'],
    [
      'one of several that holds for all',
      { where: { $or: [{ total: 1 }, {}] } },
      'where.$or.1: holds no condition',
    ],
    ['none of several', { where: { $and: [] } }, 'where.$and: holds no condition'],
    [
      'every one of whichever',
      { where: { items: { $every: {} } } },
      'where.items.$every: holds no condition',
    ],
    ['nothing that is left out', { where: { id: { $notIn: [] } } }, 'where.id.$notIn: holds no condition'],
    [
      'not to be in nothing',
      { where: { $not: { id: { $in: [] } } } },
      'where.$not.id.$in: holds no condition',
    ],
    [
      'none that is in nothing',
      { where: { items: { $none: { id: { $in: [] } } } } },
      'where.items.$none.id.$in: holds no condition',
    ],
    ['a hole in a list', { where: { $or: [{ total: 1 }, , { total: 2 }] } }, `where.$or.1: ${noValue}`],
    ['what is no number', { where: { total: { $ne: NaN } } }, `where.total.$ne: ${noValue}`],
    [
      'a name that is no text',
      { where: { paid: true, [Symbol('total')]: 1 } },
      'where: has a name that is no text, or that is not listed',
    ],
    ['an undefined value', { where: { customer: { id: undefined } } }, 'where.customer.id: is undefined'],
    ['no filter', { where: 'own' }, 'where: is no filter'],
    ['an undefined filter', { where: undefined, fields: ['total'] }, 'where: is no filter'],
    ['fields that are no list', { fields: 'total' }, 'fields: is no list of attributes'],
    ['undefined fields', { where: { total: 1 }, fields: undefined }, 'fields: is no list of attributes'],
    [
      'a field that is none',
      { fields: ['total', 'totl'] },
      'fields.1: api::order.order has no attribute totl that answers show',
    ],
    ['another part', { where: { total: 1 }, when: 'now' }, 'when: there is no such part of a rule'],
    ['an unknown operator', { where: { total: { $is: 1 } } }, 'where.total.$is: Invalid key $is'],
    [
      'a number in the place of a name',
      { where: { total: { $asker: 7 } } },
      'where: $asker: 7 is a number, and no name of a value',
    ],
    [
      'a value of whoever asks in a search',
      { where: { number: { $contains: { $asker: 'x' } } } },
      'where.number.$contains: No value of whoever asks can stand here: compare with $eq, $ne, $in, $notIn, $lt, $lte, $gt, $gte, $between',
    ],
    [
      'a value of whoever asks for how many there are',
      { where: { items: { $count: { $gt: { $asker: 'x' } } } } },
      'where.items.$count.$gt: No value of whoever asks is compared with $count',
    ],
  ])('%s is one', (_, rule, fault) => {
    expect(where(rule)).toEqual([`permissions.member.find.order.${fault}`])
  })

  it('all of them are told at once', () => {
    expect(where({ where: { $and: [{ nope: 1 }, { customer: { nope: 1 } }] } })).toHaveLength(2)
    expect(where({})).toEqual(['permissions.member.find.order: says neither where nor fields'])
    expect(faultsOf({ order: 'own', ordr: true }).map(({ where }) => where)).toEqual([
      'permissions.member.find.order',
      'permissions.member.find.ordr',
    ])
  })

  it('what is inherited is granted to nobody', () => {
    expect(
      faultsOf({ __proto__: { order: true } }).map(({ where, problem }) => `${where}: ${problem}`),
    ).toEqual(['permissions.member.find: is neither a list of types nor *'])
  })

  it('one type is granted once', () => {
    expect(faultsOf({ order: true, 'api::order.order': true }).map(({ problem }) => problem)).toEqual([
      'api::order.order is granted already',
    ])
  })

  it('what is private is no field, and what is near is told', () => {
    const [fault] = faultsOf({ customer: { fields: ['pin'] } })
    expect(fault?.problem).toBe('api::customer.customer has no attribute pin that answers show')
    const [near] = faultsOf({ order: { fields: ['totl'] } })
    expect(near).toMatchObject({ remedy: 'did you mean total?' })
  })

  it('but to have any at all is a condition, and to have none', () => {
    expect(where({ where: { items: { $some: {} } } })).toEqual([])
    expect(where({ where: { items: { $none: {} } } })).toEqual([])
  })

  it('no rule hides a component, which has no entries', () => {
    const told = (rule: unknown): string[] => {
      try {
        contentRouter({
          contentTypes: [
            ...(orderTypes as readonly object[]),
            component('shared.card', { text: { type: 'string' } }),
          ] as never,
          database: { client: 'better-sqlite3', connection: { filename: ':memory:' } },
          permissions: { member: { find: { order: true, 'shared.card': rule as boolean } } },
        })
        return []
      } catch (error) {
        if (error instanceof ConfigError)
          return error.faults.map(({ where: at, problem }) => `${at}: ${problem}`)
        throw error
      }
    }
    const fault =
      'permissions.member.find.shared.card: shared.card is a component, which is shown with whatever holds it'
    for (const rule of [{ fields: ['text'] }, { where: { text: 'a' } }, false])
      expect(told(rule)).toEqual([fault])
  })

  it('drafts that are refused where they are open are one', () => {
    const review = { find: { review: true }, drafts: { review: false } }
    const told = (drafts: 'open' | 'granted'): string[] =>
      faultsOfConfig({ permissions: { member: review }, drafts }).map(
        ({ where: at, problem }) => `${at}: ${problem}`,
      )
    expect(told('granted')).toEqual([])
    expect(told('open')).toEqual([
      'permissions.member.drafts.review: says nothing, as drafts are open to whoever may find their type',
    ])
  })

  it('a list beside rules is none, but is warned of: it shows one by one what the rules hide', () => {
    const { logger, warnings } = keeping()
    const find = { order: { where: { paid: true } }, item: true }
    const wider = 'all entries are shown one by one, of which lists show some'
    const warned = (findOne: Grant['findOne']): boolean => {
      warnings.length = 0
      start({ permissions: { public: findOne === undefined ? { find } : { find, findOne } }, logger })
      return warnings.includes(wider)
    }
    expect([['order'] as const, '*' as const].map(warned)).toEqual([true, true])
    expect([undefined, ['item'] as const, { order: true }].map(warned)).toEqual([false, false, false])
  })

  it('answers of several states are none, but are warned of where rules hide', () => {
    const { logger, warnings } = keeping()
    const warnedOf = (
      permissions: NonNullable<ContentRouterConfig['permissions']>,
      consistency: 'snapshot' | 'relaxed',
    ): boolean => {
      warnings.length = 0
      start({ permissions, consistency, logger })
      return warnings.includes(
        'an entry that a commit hides may be shown with what the same commit wrote into it',
      )
    }
    const warned = (find: Grant['find'] = [], consistency: 'snapshot' | 'relaxed'): boolean =>
      warnedOf({ public: { find } }, consistency)
    const ruled = { order: { where: { paid: true } } }
    const stored = (rules: RulesOfRoles): boolean => warnedOf(fromDatabase({ rules }), 'relaxed')
    expect([stored({ public: ruled }), stored({ public: { order: false } })]).toEqual([true, false])
    expect(warned(ruled, 'relaxed')).toBe(true)
    expect(warned(ruled, 'snapshot')).toBe(false)
    expect(warned(['order'], 'relaxed')).toBe(false)
  })

  it('answers that caches may share are none, but are warned of where roles see others and nothing tells them apart', () => {
    const { logger, warnings } = keeping()
    const paid = { order: { where: { paid: true } } }
    const warned = (member: Grant, headers: NonNullable<ContentRouterConfig['headers']>): boolean => {
      warnings.length = 0
      start({ permissions: { public: { find: paid }, member }, headers, logger })
      return warnings.includes('caches on the way may give the answer to one role to another')
    }
    const shared = { order: { shared: true } }
    const others: readonly Grant[] = [{ find: ['order'] }, { find: paid, drafts: ['order'] }, {}]
    expect(others.map((member) => warned(member, shared))).toEqual([true, true, true])
    expect(warned({ find: paid }, shared)).toBe(false)
    expect(warned({ find: ['order'] }, { order: { shared: true, vary: ['Authorization'] } })).toBe(false)
    expect(warned({ find: ['order'] }, { '*': { cacheControl: 'max-age=60' } })).toBe(false)
    // Through what it leads to, an answer of another type shows what they see otherwise.
    expect(warned({ find: ['order'] }, { review: { shared: true } })).toBe(true)
    expect(warned({ find: ['order'] }, { page: { shared: true } })).toBe(false)
    expect(warned({ find: ['order'] }, { '*': { shared: true }, order: { vary: ['X-Role'] } })).toBe(false)
  })

  it('the short names of types that are not of the host are told with what to say', () => {
    expect(faultsOf({ user: true })).toMatchObject([
      { problem: 'there is no type user', remedy: 'use plugin::users-permissions.user' },
    ])
  })

  it('no rule hides a file that entries show', () => {
    const [fault] = faultsOf({ 'plugin::upload.file': { where: { name: 'a' } } })
    expect(fault?.problem).toBe('is shown wherever it is linked: no rule can hide it there')
  })
})
