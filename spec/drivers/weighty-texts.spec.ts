import type { ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const texts = lines.map((name) => `${name}Text`)

const types = [
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

/** Which weighs as much as eighteen others where it is put in order. */
const weighty = (count: number): string => '\ufdfa'.repeat(count)
const heavy = Object.fromEntries([
  ...lines.map((name) => [name, weighty(255)] as const),
  ...texts.map((name) => [name, weighty(1500)] as const),
])

const content = {
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

const paths = sorts.flatMap((sort) => [
  `notes?sort=${sort}`,
  `notes?sort=${sort}&pagination[after]=&pagination[pageSize]=1`,
  `labels?populate[notes][sort]=${sort}`,
  `labels?populate[notes][sort]=${sort}&populate[notes][pagination][pageSize]=1`,
  `labels?sort=${sort
    .split(',')
    .map((key) => `notes.${key}`)
    .join(',')}`,
])

/** Those of Strapi's tables, and those of MySQL that make the longest of a text. */
const collations = {
  sqlite: [null],
  mariadb: [null],
  mysql: [null, 'utf8mb4_ja_0900_as_cs_ks'],
  postgres: [null],
} as const

eachDatabase((database) => {
  describe.each(collations[database.name])('collation %p', (collation) => {
    const { world, serve } = stocked(database, types, content)

    beforeAll(async () => {
      if (collation !== null)
        await world.knex.raw(`alter table notes convert to character set utf8mb4 collate ${collation}`)
    })

    it.each(['own', 'linked'])(
      'what hidden texts weigh makes no sort fail of whoever is %s',
      async (role) => {
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
        for (const path of paths) if ((await get(path, role)).status >= 500) failed.push(path)
        expect(failed).toEqual([])
        const names = await values('notes?sort=aText&filters[name][$ne]=hidden', 'name', role)
        expect(names).toEqual(['first', 'second'])
      },
    )
  })
})
