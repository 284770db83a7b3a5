import type { ContentRouterConfig } from '../../lib'
import type { Definition } from '../../lib/schema'
import { describeOn, eachDatabase, testDatabase } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { type Served, stocked } from '../support/served'

/** More than MySQL sorts in its default buffer. */
const long = 'x'.repeat(400_000)

const orderTypes = [
  collection('order', { number: text, body: { type: 'text' }, customer: relation('manyToOne', 'customer') }),
  collection('customer', { name: text }),
] as Definition[]

const orders = {
  customer: [{ $ref: 'ada', name: 'Ada' }],
  order: [
    { number: '1', body: 'own b', customer: 'ada' },
    { number: '2', body: 'own a', customer: 'ada' },
    { number: '3', body: `hidden ${long}`, customer: 'ada' },
    { number: '4', body: `${long}y`, customer: 'ada' },
  ],
}

const noteTypes = [
  collection('note', {
    name: text,
    rank: integer,
    isOpen: { type: 'boolean' },
    meta: { type: 'json' },
    kept: { type: 'json', private: true },
    labels: relation('manyToMany', 'label', { inversedBy: 'notes' }),
  }),
  collection('label', {
    name: text,
    isSecret: { type: 'boolean' },
    notes: relation('manyToMany', 'note', { mappedBy: 'labels' }),
  }),
] as Definition[]

const notes = {
  label: [
    { $ref: 'open', name: 'open', isSecret: false },
    { $ref: 'secret', name: 'secret', isSecret: true },
  ],
  note: [
    { name: 'b', rank: 2, isOpen: true, meta: { a: 1 }, kept: { a: 1 }, labels: ['open'] },
    { name: 'a', rank: 1, isOpen: true, meta: { a: 2 }, kept: { a: 2 } },
    ...Array.from({ length: 40 }, (_, at) => ({
      name: `d${String(at)}`,
      rank: at,
      isOpen: at % 2 > 0,
      labels: ['open'],
    })),
    { name: 'c', rank: 3, isOpen: false, meta: { a: long }, kept: { a: long }, labels: ['secret'] },
  ],
}

const withoutSecret = { labels: { $none: { isSecret: true } } }

/** Each reads, hides or filters other columns of the same rows. */
const roles: ContentRouterConfig['permissions'] = {
  all: { find: '*' },
  own: { find: { note: { where: { isOpen: true } }, label: true } },
  none: { find: { note: { where: withoutSecret }, label: true } },
  kept: { find: { note: { where: { $and: [{ kept: { $notNull: true } }, withoutSecret] } } } },
  some: { find: { note: { fields: ['name', 'rank'] } } },
  part: { find: { note: { where: { isOpen: true }, fields: ['name', 'rank', 'meta'] } } },
}

const besideJson = [
  'notes?sort=name',
  'notes?sort=rank:desc&filters[meta][$notNull]=true',
  'notes?sort=createdAt,name&pagination[after]=',
  'notes?sort=labels.name,name&filters[$or][0][meta][$notNull]=true&filters[$or][1][rank][$gte]=0',
  'notes?sort=name&filters[name][$in][0]=a&filters[name][$in][1]=c&filters[meta][$null]=false&fields=name',
  'labels?populate[notes][sort]=name',
  'labels?populate[notes][sort]=rank:desc&populate[notes][filters][meta][$notNull]=true',
  'labels?populate[notes][sort]=createdAt&populate[notes][pagination][pageSize]=2',
  'labels?filters[notes][meta][$notNull]=true&sort=name',
  'labels?sort=notes.name',
] as const

const byJson = [
  'notes?sort=meta',
  'notes?sort=meta&pagination[after]=',
  'notes?sort=meta:desc&pagination[pageSize]=1',
  'notes?sort=labels.name,meta&filters[meta][$notNull]=true',
  'labels?sort=notes.meta',
  'labels?sort=notes.labels.notes.meta:desc',
  'labels?populate[notes][sort]=meta:desc&populate[notes][pagination][pageSize]=2',
] as const

const sortedTypes = [collection('note', { name: text, meta: { type: 'json' } })] as Definition[]

const short = [10, 9, -3, 1.5, 'b', 'a', 'Z', { a: 1 }, { b: 0 }, { a: 1, b: 1 }, {}, [1, 2], [3], [], true]
const metas = [...short, false, null, { big: 'x'.repeat(900) }, ['x'.repeat(900)], 'x'.repeat(900)]

const matchings = ['exact', 'database'] as const

const searches = [
  ['$contains', 'x'.repeat(60_000), ['3', '4']],
  ['$containsi', 'X'.repeat(60_000), ['3', '4']],
  ['$startsWith', 'x'.repeat(60_000), ['4']],
  ['$endsWith', '_'.repeat(60_000), []],
  ['$contains', '_'.repeat(60_000), []],
  ['$notContains', '_'.repeat(60_000), ['1', '2', '3', '4']],
] as const

/** A role for each search: its text is longer than a URL may be. */
const readers: ContentRouterConfig['permissions'] = {
  all: { find: '*' },
  own: { find: { order: { where: { body: { $startsWith: 'own' } } }, customer: true } },
  ...Object.fromEntries(
    searches.map(([operator, part], at) => [
      `search ${String(at)}`,
      { find: { order: { where: { body: { [operator]: part } } } } },
    ]),
  ),
}

eachDatabase((database) => {
  describe('a long text', () => {
    const { serve } = stocked(database, orderTypes, orders)

    describe.each(matchings)('with textMatching %s', (textMatching) => {
      let served: Served
      beforeAll(() => {
        served = serve({ textMatching, permissions: readers })
      })
      const numbers = (path: string, role: string): Promise<unknown[]> => served.values(path, 'number', role)

      it.each([
        ['sort=body', ['2', '1'], ['3', '2', '1', '4']],
        ['sort=body:desc', ['1', '2'], ['4', '1', '2', '3']],
        ['sort=body&filters[customer][name]=Ada', ['2', '1'], ['3', '2', '1', '4']],
      ])('is sorted for roles that may read it and for others: %s', async (query, own, all) => {
        expect(await numbers(`orders?${query}`, 'own')).toEqual(own)
        expect(await numbers(`orders?${query}&fields=number`, 'all')).toEqual(all)
        expect(await numbers(`orders?${query}`, 'all')).toEqual(all)
      })

      it('is sorted in pages by cursors', async () => {
        expect(await numbers('orders?sort=body&pagination[after]=&pagination[pageSize]=1', 'own')).toEqual([
          '2',
        ])
      })

      it.each([...searches.entries()])(
        'is searched for another long text by rule %i',
        async (at, [, , found]) => {
          expect(await numbers('orders?sort=id&fields=number', `search ${String(at)}`)).toEqual(found)
        },
      )
    })
  })

  describe('long JSON', () => {
    const { serve } = stocked(database, noteTypes, notes)

    describe.each(matchings)('with textMatching %s', (textMatching) => {
      let served: Served
      beforeAll(() => {
        served = serve({ textMatching, permissions: roles, nestedPagination: true })
      })
      const paths = textMatching === 'exact' ? besideJson : [...besideJson, ...byJson]

      it.each(['all', 'own', 'none', 'kept', 'some,part'])(
        'fails no sort or filter of the role %s',
        async (role) => {
          const failed: string[] = []
          for (const path of paths) if ((await served.get(path, role)).status >= 500) failed.push(path)
          expect(failed).toEqual([])
        },
      )
    })
  })

  describe('JSON', () => {
    const { world, serve } = stocked(database, sortedTypes, {
      note: metas.map((meta, at) => ({ name: String(at), meta })),
    })
    const sorted = (sort: string): Promise<unknown[]> =>
      serve({ textMatching: 'database' }).values(`notes?sort=${sort}&pagination[pageSize]=100`, 'name')

    it.each(['asc', 'desc'] as const)('is sorted as the database sorts it: %s', async (direction) => {
      const rows = await world
        .knex<{ name: string }>('notes')
        .select('name')
        .orderBy([{ column: 'meta', order: direction }, { column: 'id' }])
      expect(rows).toHaveLength(metas.length)
      expect(await sorted(`meta:${direction}`)).toEqual(rows.map(({ name }) => name))
    })

    if (database.name !== 'mysql') return

    it('that is too long for the sort of MySQL stands among others of its kind', async () => {
      const kinds = [`"${long}"`, JSON.stringify({ a: long }), JSON.stringify([long])]
      for (const [at, meta] of kinds.entries())
        await world
          .knex('notes')
          .insert({ name: `long ${String(at)}`, meta, published_at: world.knex.fn.now() })
      const names = (await sorted('meta')).map(String)
      const place = (name: string): number => names.indexOf(name)
      const nameOf = (meta: unknown): string => String(metas.indexOf(meta as never))
      expect(place('long 0')).toBeGreaterThan(place(nameOf('b')))
      expect(names.filter((name) => name.startsWith('long'))).toHaveLength(3)
      expect(place('long 1')).toBeGreaterThan(place('long 0'))
      expect(place('long 1')).toBeLessThan(place(nameOf(short[7])))
      expect(place('long 2')).toBeGreaterThan(place(nameOf(short[9])))
      expect(place('long 2')).toBeLessThan(place(nameOf(short[11])))
    })
  })
})

const pageTypes = [
  collection('page', { name: text, isOpen: { type: 'boolean' }, body: { type: 'text' } }),
] as Definition[]

const wide = JSON.stringify({ a: 1, lists: Array.from({ length: 60 }, () => [{}]) })
/** One level more than MySQL reads. */
const tooDeep = '['.repeat(101) + ']'.repeat(101)

const pages = {
  page: [
    { name: 'a', isOpen: true, body: '{"a":1}' },
    { name: 'b', isOpen: true, body: wide },
    { name: 'c', isOpen: true, body: '{"a":2}' },
    { name: 'd', isOpen: false, body: tooDeep },
  ],
}

describeOn(['mariadb', 'mysql'])('JSON in a text of %s', (name) => {
  const { serve } = stocked(testDatabase(name), pageTypes, pages)
  const where = { body: { $jsonSupersetOf: '{"a":1}' } }
  const permissions = {
    own: { find: { page: { where: { isOpen: true } } } },
    held: { find: { page: { where } } },
    unheld: { find: { page: { where: { $not: where } } } },
  } as const

  it('is found by filters and rules, except with many brackets on MySQL', async () => {
    const { values } = serve({ textMatching: 'database', permissions })
    const found = name === 'mysql' ? ['a'] : ['a', 'b']
    const held = '[body][$jsonSupersetOf]={"a":1}'
    expect(await values(`pages?filters${held}&sort=name`, 'name', 'own')).toEqual(found)
    expect(await values('pages?sort=name', 'name', 'held')).toEqual(found)
    expect(await values('pages?filters[name][$ne]=d&sort=name', 'name', 'unheld')).toEqual(['c'])
  })
})
