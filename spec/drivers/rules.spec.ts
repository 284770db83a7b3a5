import { ConfigError, type ContentRouterConfig, type Grant } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { eachDatabase } from '../support/databases'
import { expectPagesOfList, pagedWorlds, pageQueries, pageRoles } from '../support/edges-of-pages'
import { collection, relation, text } from '../support/library'
import {
  expectRejectedOrServed,
  ruleValueContent,
  ruleValueTypes,
  someRuleValues,
} from '../support/rule-values'
import { roleHeader, type Served, stocked } from '../support/served'

const faultsOf = (make: () => unknown): string[] => {
  try {
    make()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ where, problem, remedy = '' }) => `${where}: ${problem} (${remedy})`)
  }
}

const itemTypes = [
  collection('customer', {
    name: text,
    orders: relation('oneToMany', 'order', { mappedBy: 'customer' }),
    shared: relation('manyToMany', 'order', { mappedBy: 'readers' }),
  }),
  collection(
    'order',
    {
      number: text,
      customer: relation('manyToOne', 'customer', { inversedBy: 'orders' }),
      readers: relation('manyToMany', 'customer', { inversedBy: 'shared' }),
      items: relation('manyToMany', 'item', { inversedBy: 'orders' }),
    },
    { drafts: true },
  ),
  collection('item', { title: text, orders: relation('manyToMany', 'order', { mappedBy: 'items' }) }),
] as unknown as ContentRouterConfig['contentTypes']

const itemContent: SeedContent = {
  customer: [
    { $ref: 'ada', name: 'Ada' },
    { $ref: 'ben', name: 'Ben' },
  ],
  item: [
    { $ref: 'pen', title: 'Pen' },
    { $ref: 'safe', title: 'Safe' },
  ],
  order: [
    { number: 'A-1', customer: 'ada', items: ['pen'] },
    { number: 'B-2', customer: 'ben', items: ['safe'] },
  ],
}

const ownOrders = { customer: { name: { $eq: { $asker: 'name' } } } } as const
const ownOrShared = {
  $or: [ownOrders, { readers: { $some: { name: { $eq: { $asker: 'name' } } } } }],
} as const

const itemRoles: Readonly<Record<string, Grant>> = {
  customer: { find: { item: true, order: { where: ownOrders } } },
  reader: { find: { item: true, order: { where: ownOrShared } } },
  writer: {
    find: { item: true, order: { where: ownOrShared } },
    drafts: { item: true, order: { where: ownOrShared } },
  },
}

const upTo = (count: number): readonly number[] => [...Array(count).keys()]

/** The same condition on orders so many times, and beside it so many that say whether any is seen. */
const asked = (letter: string, isSeen: boolean, times: number, besides: number): string =>
  [
    ...upTo(times).map((at) => `filters[$and][${String(at)}][orders][number][$startsWith]=${letter}`),
    ...upTo(besides).map(
      (at) => `filters[$and][${String(times + at)}][orders][number][$null]=${String(!isSeen)}`,
    ),
  ].join('&')

eachDatabase((database) => {
  describe('rules with values of other types', () => {
    const { serve } = stocked(database, ruleValueTypes, ruleValueContent)

    it.each(['exact', 'database'] as const)(
      'are rejected at start or can be queried, with textMatching %s',
      async (textMatching) => {
        await expectRejectedOrServed(serve, someRuleValues, textMatching)
      },
      60_000,
    )
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
        expect.stringContaining('facts.$eq: $asker is not supported for JSON'),
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

  describe('rows that a rule hides', () => {
    const { serve } = stocked(database, itemTypes, itemContent)

    it.each([
      ['customer', ''],
      ['reader', ''],
      ['writer', ''],
      ['writer', 'status=draft&'],
    ])('match no filter among several on the same relation: role %s, %s', async (role, status) => {
      const asking: ContentRouterConfig['role'] = (req) => ({
        roles: req.get(roleHeader) ?? '',
        asker: { name: 'Ada' },
      })
      const { values } = serve({ permissions: itemRoles, role: asking })
      for (const [times, besides] of [
        [1, 0],
        [1, 5],
        [2, 1],
        [3, 3],
        [5, 0],
        [5, 2],
      ] as const)
        for (const [letter, isSeen, found] of [
          ['A', true, ['Pen']],
          ['B', false, []],
        ] as const) {
          const query = `items?${status}${asked(letter, isSeen, times, besides)}`
          expect([times, besides, await values(query, 'title', role)]).toEqual([times, besides, found])
        }
    })
  })

  describe('rows that a rule hides, between pages', () => {
    const worlds = pagedWorlds(database)
    /** Each sort and each choice with every world and every role. */
    const cases = pageQueries.map((query, at) => ({
      query,
      world: worlds[at % 2],
      role: pageRoles[(at >> 1) % 2],
    }))

    it.each(cases.filter((_one, at) => at % 5 < 2))(
      'do not change the pages before and after: $query',
      async ({ query, world, role }) => {
        if (world === undefined || role === undefined) throw new Error('unreachable')
        await expectPagesOfList(world, query, role)
      },
    )
  })

  describe('a field that some entries do not show', () => {
    const types = [
      collection('paper', {
        name: text,
        isOpen: { type: 'boolean' },
        body: { type: 'text' },
        meta: { type: 'json' },
        page: relation('manyToOne', 'sheet', { inversedBy: 'papers' }),
      }),
      collection('sheet', { name: text, papers: relation('oneToMany', 'paper', { mappedBy: 'page' }) }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const roles = {
      all: { find: { paper: { fields: ['name', 'page'] }, sheet: true } },
      open: { find: { paper: { where: { isOpen: true }, fields: ['name', 'body', 'meta'] } } },
      whole: { find: '*' },
    } as const
    const kept = { body: 'a body', meta: { a: 1 } }
    const { world, serve } = stocked(database, types, {
      sheet: [{ $ref: 'one', name: 'one' }],
      paper: [
        { name: 'a', isOpen: true, page: 'one', ...kept },
        { name: 'b', isOpen: false, page: 'one', ...kept },
      ],
    })

    /** A view that cannot show what some rows hold: whether that is read is seen by its failing. */
    const failing: Readonly<Record<typeof database.dialect, string>> = {
      sqlite: 'abs(-9223372036854775807 - length(name))',
      mysql: 'exp(710 + length(name))',
      postgres: '(1 / (length(name) - length(name)))::text',
    }

    it('is omitted under long rules', async () => {
      const names = Array.from({ length: 300 }, (_, at) => `n${String(at)}`)
      const long = {
        find: { paper: { where: { name: { $in: ['a', ...names] } }, fields: ['body', 'meta'] } },
      }
      const served = serve({ permissions: { ...roles, long } })
      const [a, b] = await served.list('papers?sort=name', 'all,long')
      expect(a).toMatchObject(kept)
      expect([b?.['name'], b?.['body'], b?.['meta']]).toEqual(['b', undefined, undefined])
    })

    it('is not read from those rows', async () => {
      const { knex } = world
      await knex.schema.renameTable('papers', 'all_papers')
      const asJson = database.dialect === 'postgres' ? '::jsonb' : ''
      await knex.raw(`create view papers as select id, document_id, published_at, locale, created_at, updated_at,
        created_by_id, updated_by_id, name, is_open,
        case when name = 'b' then ${failing[database.dialect]} else body end as body,
        case when name = 'b' then (${failing[database.dialect]})${asJson} else meta end as meta from all_papers`)
      const served = serve({ permissions: roles, nestedPagination: true })
      for (const path of [
        'papers?sort=name',
        'papers?sort=name&fields=body,meta',
        'papers?sort=name&populate=*',
      ]) {
        const [a, b] = await served.list(path, 'all,open')
        expect(a).toMatchObject(kept)
        expect([b?.['body'], b?.['meta']]).toEqual([undefined, undefined])
      }
      for (const below of ['', '[sort]=name', '[pagination][limit]=5&populate[papers][sort]=name']) {
        const [sheet] = await served.list(`sheets?populate[papers]${below || '=true'}`, 'all,open')
        expect(sheet).toMatchObject({ papers: [kept, { name: 'b' }] })
      }
      expect((await served.get('papers', 'whole')).status).toBe(500)
    })
  })
})
