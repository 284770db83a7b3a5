import type { ContentRouterConfig } from '../../lib'
import { describeOn, eachDatabase, testDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { type Served, stocked } from '../support/served'

/*
 * Columns that neither Strapi nor `migrate` creates: no plan of a server, and no failure, may depend on hidden rows in them.
 * The other half is spec/drivers/unusual-columns.
 */

const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const texts = lines.map((name) => `${name}Text`)

const weightyTypes = [
  collection('note', {
    name: text,
    isOpen: { type: 'boolean' },
    ...Object.fromEntries(lines.map((name) => [name, text])),
    ...Object.fromEntries(texts.map((name) => [name, { type: 'text' }])),
    label: relation('manyToOne', 'label', { inversedBy: 'notes' }),
  }),
  collection('label', {
    name: text,
    notes: relation('oneToMany', 'note', { mappedBy: 'label' }),
    isOpen: { type: 'boolean' },
  }),
] as ContentRouterConfig['contentTypes']

/** A character with eighteen weights in a sort key. */
const weighty = (count: number): string => '\ufdfa'.repeat(count)
const heavy = Object.fromEntries([
  ...lines.map((name) => [name, weighty(255)] as const),
  ...texts.map((name) => [name, weighty(1500)] as const),
])

const weightyNotes = {
  label: [
    { $ref: 'open', name: 'open', isOpen: true },
    { $ref: 'closed', name: 'closed', isOpen: false },
  ],
  note: [
    { name: 'second', isOpen: true, a: 'b', aText: 'b', label: 'open' },
    { name: 'first', isOpen: true, a: 'a', aText: 'a', label: 'open' },
    ...Array.from({ length: 20 }, () => ({ name: 'hidden', isOpen: false, ...heavy, label: 'closed' })),
    { name: 'hidden', isOpen: false, ...heavy, label: 'open' },
  ],
}

const sorts = [lines, texts].flatMap((names) => [
  names.join(','),
  names.map((name) => `${name}:desc`).join(','),
])

const weightyPaths = sorts.flatMap((sort) => [
  `notes?sort=${sort}`,
  `notes?sort=${sort}&pagination[after]=&pagination[pageSize]=1`,
  `labels?populate[notes][sort]=${sort}`,
  `labels?populate[notes][sort]=${sort}&populate[notes][pagination][pageSize]=1`,
  `labels?sort=${sort
    .split(',')
    .map((key) => `notes.${key}`)
    .join(',')}`,
])

/** The default, and the collation of MySQL with the longest sort keys. */
const collations = { mariadb: [null], mysql: [null, 'utf8mb4_ja_0900_as_cs_ks'], postgres: [null] } as const

describeOn(['mariadb', 'mysql', 'postgres'])('long sort keys of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), weightyTypes, weightyNotes)

  describe.each(collations[name])('with the collation %p', (collation) => {
    beforeAll(async () => {
      if (collation !== null)
        await world.knex.raw(`alter table notes convert to character set utf8mb4 collate ${collation}`)
    })

    it.each(['own', 'linked'])('of hidden rows fail no sort of the role %s', async (role) => {
      const { get, values } = serve({
        textMatching: 'database',
        nestedPagination: true,
        query: { maxCost: Infinity },
        permissions: {
          own: { find: { note: { where: { isOpen: { $ne: false } } }, label: true } },
          linked: { find: { note: { where: { label: { isOpen: { $ne: false } } } }, label: true } },
        },
      })
      const failed: string[] = []
      for (const path of weightyPaths) if ((await get(path, role)).status >= 500) failed.push(path)
      expect(failed).toEqual([])
      const names = await values('notes?sort=aText&filters[name][$ne]=hidden', 'name', role)
      expect(names).toEqual(['first', 'second'])
    })
  })
})

const inTexts = ['one', 'two', 'three', 'four'] as const

const crowdedTypes = [
  collection('note', {
    name: text,
    isOpen: { type: 'boolean' },
    ...Object.fromEntries(inTexts.map((name) => [name, { type: 'text' }])),
    labels: relation('manyToMany', 'label', { inversedBy: 'notes' }),
  }),
  collection('label', {
    name: text,
    isOpen: { type: 'boolean' },
    notes: relation('manyToMany', 'note', { mappedBy: 'labels' }),
  }),
] as ContentRouterConfig['contentTypes']

/** As long as a TEXT can be: four are more than MySQL sorts rows in by itself. */
const long = Object.fromEntries(inTexts.map((name) => [name, 'x'.repeat(65_535)]))
const openLabel = ['open']

const crowdedNotes = {
  label: [
    { $ref: 'open', name: 'open', isOpen: true },
    { $ref: 'closed', name: 'closed', isOpen: false },
  ],
  note: [
    { name: 'b', isOpen: true, one: 'y', labels: openLabel },
    { name: 'a', isOpen: true, labels: openLabel },
    { name: 'c', isOpen: false, ...long, labels: ['open', 'closed'] },
    ...Array.from({ length: 20 }, () => ({ name: 'd', isOpen: false, ...long, labels: ['closed'] })),
  ],
}

const crowdedRoles = {
  own: { find: { note: { where: { isOpen: true } }, label: true } },
  linked: { find: { note: { where: { labels: { $none: { isOpen: false } } } }, label: true } },
  names: { find: { note: { fields: ['name', 'labels'] }, label: { fields: ['name', 'notes'] } } },
} as const

const filters = inTexts.map((name, at) => `filters[$or][${String(at)}][${name}][$contains]=y`).join('&')

const crowdedPaths = [
  'labels?sort=name&populate[notes][sort]=name',
  'labels?sort=name&populate[notes][sort]=one&populate[notes][fields]=name',
  'labels?sort=name&populate[notes][sort]=name&populate[notes][pagination][pageSize]=2',
  'labels?sort=notes.two',
  `labels?sort=name&populate[notes][sort]=name&${filters.replaceAll('filters', 'populate[notes][filters]')}`,
  'notes?sort=name,id',
  'notes?sort=labels.name,name&pagination[after]=',
  `notes?sort=name&${filters}`,
] as const

describeOn(['mariadb', 'mysql'])('several TEXT columns of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), crowdedTypes, crowdedNotes)

  beforeAll(async () => {
    await world.knex.raw(`alter table notes ${inTexts.map((one) => `modify ${one} text`).join(', ')}`)
  })

  describe.each(['the router', 'the host'] as const)('in a pool of %s', (owner) => {
    let served: Served
    beforeAll(() => {
      served = serve({
        textMatching: 'database',
        nestedPagination: true,
        permissions: crowdedRoles,
        ...(owner === 'the host' ? { database: world.knex } : {}),
      })
    })

    it.each(['own', 'linked', 'own,names', 'linked,names'])(
      'fail no query of the role %s with the texts of hidden rows',
      async (role) => {
        const failed: string[] = []
        for (const path of crowdedPaths) if ((await served.get(path, role)).status >= 500) failed.push(path)
        expect(failed).toEqual([])
      },
    )

    it('are searched by roles that may read them', async () => {
      expect(await served.values(`notes?sort=name&${filters}`, 'name', 'own')).toEqual(['b'])
    })
  })
})

const placeTypes = [
  collection('place', { name: text, isOpen: { type: 'boolean' } }),
] as ContentRouterConfig['contentTypes']

const streets = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'Straße' : 'Strasse'))
const hiddenRows = 3000

const streetPaths = [
  'places?filters[name]=strasse&sort=id',
  'places?filters[name][$in][0]=Strasse&filters[name][$in][1]=Straße&sort=id',
]

/** A prefix index finds less than the rows hold, and a view does not show that its table has one. */
describeOn(['mariadb', 'mysql'])('a view on %s of a table with a prefix index', (name) => {
  const { world, serve } = stocked(testDatabase(name), placeTypes, {
    place: streets.map((own) => ({ name: own, isOpen: true })),
  })

  beforeAll(async () => {
    const { knex } = world
    await knex.raw('alter table places convert to character set utf8mb4 collate utf8mb4_unicode_ci')
    await knex.raw('alter table places rename to base')
    await knex.raw('create index beginnings on base (name(5))')
    await knex.raw('create view places as select * from base')
  })

  it('gives the same responses with any number of hidden rows', async () => {
    const permissions = { public: { find: { place: { where: { isOpen: true } } } } } as const
    const matchings = ['exact', 'database'] as const
    const answers = async (): Promise<readonly string[]> => {
      const all: string[] = []
      for (const textMatching of matchings) {
        const { get } = serve({ textMatching, permissions })
        for (const path of streetPaths) all.push((await get(path)).text)
      }
      return all
    }
    const before = await answers()
    const totals = before.map(
      (answer) => (JSON.parse(answer) as { meta: { pagination: { total: number } } }).meta.pagination.total,
    )
    expect(totals).toEqual([0, 20, 20, 20])
    const rows = Array.from({ length: hiddenRows }, (_, at) => ({
      document_id: `h${String(at)}`,
      name: 'berg',
      is_open: false,
      published_at: world.knex.fn.now(),
    }))
    await world.knex.batchInsert('base', rows, 500)
    await world.knex.raw('analyze table base')
    expect(await answers()).toEqual(before)
  })
})

const labelTypes = [
  collection('note', { name: text, labels: relation('manyToMany', 'label', { inversedBy: 'notes' }) }),
  collection('label', {
    name: text,
    isOpen: { type: 'boolean' },
    notes: relation('manyToMany', 'note', { mappedBy: 'labels' }),
  }),
] as ContentRouterConfig['contentTypes']

/** Equal in many collations. */
const letters = ['a', 'A', 'á', 'Á', 'à', 'b', 'B', 'b\u0301']

const labelled = {
  label: letters.map((name) => ({ $ref: name, name, isOpen: true })),
  note: letters.map((name, at) => ({
    name: String(at),
    labels: letters.filter((other) => other !== name).reverse(),
  })),
}

eachDatabase((database) => {
  describe('a sort by texts that a collation takes for equal', () => {
    const { world, serve } = stocked(database, labelTypes, labelled)
    const paths = ['asc', 'desc'].flatMap((direction) =>
      ['after', 'before'].map(
        (side) => `notes?sort=labels.name:${direction}&pagination[${side}]=&pagination[pageSize]=2`,
      ),
    )

    const answers = async (): Promise<readonly string[]> => {
      const { get } = serve({
        textMatching: 'database',
        permissions: { own: { find: { note: true, label: { where: { isOpen: { $ne: false } } } } } },
      })
      const all: string[] = []
      for (const path of paths) all.push((await get(path, 'own')).text)
      return all
    }

    it('has the same cursors with any number of hidden rows', async () => {
      const before = await answers()
      expect(before.filter((answer) => answer.includes('startCursor'))).toHaveLength(paths.length)
      const { knex } = world
      const ids = Array.from({ length: hiddenRows }, (_, at) => 1000 + at)
      await knex.batchInsert(
        'labels',
        ids.map((id) => ({
          id,
          document_id: `d${String(id)}`,
          name: 'a',
          is_open: false,
          published_at: knex.fn.now(),
        })),
        500,
      )
      await knex.batchInsert(
        'notes_labels_lnk',
        ids.map((id) => ({ note_id: 1 + (id % letters.length), label_id: id, label_ord: 1, note_ord: 1 })),
        500,
      )
      for (const table of ['labels', 'notes_labels_lnk'])
        await knex.raw(database.dialect === 'mysql' ? 'analyze table ??' : 'analyze ??', [table])
      expect(await answers()).toEqual(before)
    })
  })
})

const tagTypes = [
  collection('tag', { name: text, arts: relation('manyToMany', 'art', { mappedBy: 'tags' }) }),
  collection('art', { name: text, tags: relation('manyToMany', 'tag', { inversedBy: 'arts' }) }),
] as ContentRouterConfig['contentTypes']

const tags = 400
const tagged = {
  tag: Array.from({ length: tags }, (_, at) => ({ $ref: `t${String(at)}`, name: String(at) })),
  art: Array.from({ length: 2000 }, (_, at) => ({
    name: String(at),
    tags: [0, 7, 11].map((step) => `t${String((at + step) % tags)}`),
  })),
}

interface Plan {
  readonly select_type: string
}

/** As a lateral derived table, MariaDB 10.11 groups by the key of a set that it has not read yet. */
describeOn(['mariadb'])('$count on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), tagTypes, tagged)

  it.each([
    'tags?filters[arts][$count][$gte]=1&filters[arts][name]=3',
    'tags?filters[arts][$count][$gte]=1&filters[id][$in][0]=3&filters[id][$in][1]=9',
    'tags?filters[arts][$count][$gte]=1&filters[$or][0][arts][name]=3&sort=arts.$count',
  ])('is no lateral derived table: %s', async (path) => {
    await world.knex.raw('analyze table tags, arts, arts_tags_lnk')
    const statements: string[] = []
    const { page } = serve({ onStatement: ({ sql }) => statements.push(sql) })
    await page(path)
    const grouped = statements.filter((sql) => sql.includes('group by'))
    expect(grouped).not.toEqual([])
    for (const sql of grouped) {
      const values = Array.from(sql.matchAll(/\?/g), () => 3)
      const [plan] = await world.knex.raw<readonly [readonly Plan[]]>(`explain ${sql}`, values)
      expect(plan.map((step) => step.select_type)).not.toContain('LATERAL DERIVED')
    }
  })
})

const numberTypes = [
  collection('order', { number: text, body: { type: 'text' } }),
] as unknown as ContentRouterConfig['contentTypes']

describeOn(['mariadb', 'mysql'])('a string attribute in a longtext column of %s', (name) => {
  const last = `4${'x'.repeat(400_000)}`
  const { world, serve } = stocked(testDatabase(name), numberTypes, {
    order: ['1', '2', '3'].map((number) => ({ number, body: Number(number) < 3 ? 'own' : 'hidden' })),
  })
  const permissions = {
    all: { find: '*' },
    own: { find: { order: { where: { body: { $startsWith: 'own' } } } } },
  } as const

  it.each(['exact', 'database'] as const)('is sorted with textMatching %s', async (textMatching) => {
    await world.knex('orders').where({ number: last }).delete()
    await world.knex.raw('alter table orders modify number longtext')
    await world
      .knex('orders')
      .insert({ number: last, body: 'hidden', document_id: 'last', published_at: world.knex.fn.now() })
    const { values } = serve({ textMatching, permissions })
    expect(await values('orders?sort=number:desc', 'number', 'own')).toEqual(['2', '1'])
    expect(await values('orders?sort=number:desc', 'number', 'all')).toEqual([last, '3', '2', '1'])
  })
})
