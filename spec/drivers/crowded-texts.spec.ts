import type { ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const inTexts = ['one', 'two', 'three', 'four'] as const

const types = [
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
const labels = ['open']

const content = {
  label: [
    { $ref: 'open', name: 'open', isOpen: true },
    { $ref: 'closed', name: 'closed', isOpen: false },
  ],
  note: [
    { name: 'b', isOpen: true, one: 'y', labels },
    { name: 'a', isOpen: true, labels },
    { name: 'c', isOpen: false, ...long, labels: ['open', 'closed'] },
    ...Array.from({ length: 20 }, () => ({ name: 'd', isOpen: false, ...long, labels: ['closed'] })),
  ],
}

const permissions = {
  own: { find: { note: { where: { isOpen: true } }, label: true } },
  linked: { find: { note: { where: { labels: { $none: { isOpen: false } } } }, label: true } },
  names: { find: { note: { fields: ['name', 'labels'] }, label: { fields: ['name', 'notes'] } } },
} as const

const filters = inTexts.map((name, at) => `filters[$or][${String(at)}][${name}][$contains]=y`).join('&')

const paths = [
  'labels?sort=name&populate[notes][sort]=name',
  'labels?sort=name&populate[notes][sort]=one&populate[notes][fields]=name',
  'labels?sort=name&populate[notes][sort]=name&populate[notes][pagination][pageSize]=2',
  'labels?sort=notes.two',
  `labels?sort=name&populate[notes][sort]=name&${filters.replaceAll('filters', 'populate[notes][filters]')}`,
  'notes?sort=name,id',
  'notes?sort=labels.name,name&pagination[after]=',
  `notes?sort=name&${filters}`,
] as const

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, content)

  beforeAll(async () => {
    if (database.dialect !== 'mysql') return
    await world.knex.raw(`alter table notes ${inTexts.map((name) => `modify ${name} text`).join(', ')}`)
  })

  /** A pool of the host's own is set as it sets it. */
  describe.each(['of our own', 'of the host'] as const)('in a pool %s', (pool) => {
    const served = () =>
      serve({
        textMatching: 'database',
        nestedPagination: true,
        permissions,
        ...(pool === 'of the host' ? { database: world.knex } : {}),
      })

    it.each(['own', 'linked', 'own,names', 'linked,names'])(
      'hidden texts make no question fail of whoever is %s',
      async (role) => {
        const { get } = served()
        const failed: string[] = []
        for (const path of paths) if ((await get(path, role)).status >= 500) failed.push(path)
        expect(failed).toEqual([])
      },
    )

    it('and are found where they may be seen', async () => {
      expect(await served().values(`notes?sort=name&${filters}`, 'name', 'own')).toEqual(['b'])
    })
  })
})
