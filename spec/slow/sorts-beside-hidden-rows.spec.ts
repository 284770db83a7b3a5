import type { ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { anyConditions } from '../support/query-limits'
import { stocked } from '../support/served'
import { watchingSql } from '../support/watching'

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

describeOn(['mariadb', 'mysql', 'postgres'])('long sort keys of %s', (name) => {
  const { serve } = stocked(testDatabase(name), weightyTypes, weightyNotes)

  it.each(['own', 'linked'])('of hidden rows fail no sort of the role %s', async (role) => {
    const { get, values } = serve({
      textMatching: 'database',
      nestedPagination: true,
      query: anyConditions,
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
    const { page } = serve({ extensions: [watchingSql((sql) => statements.push(sql))] })
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
