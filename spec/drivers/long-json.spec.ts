import type { ContentRouterConfig } from '../../lib'
import type { Definition } from '../../lib/schema'
import { eachDatabase } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
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

/** More than MySQL takes along while it sorts, in the buffer that it has by itself. */
const long = { a: 'x'.repeat(400_000) }

const content = {
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
    { name: 'c', rank: 3, isOpen: false, meta: long, kept: long, labels: ['secret'] },
  ],
}

const shown = { fields: ['name', 'rank'] }
const permissions: ContentRouterConfig['permissions'] = {
  all: { find: '*' },
  own: { find: { note: { where: { isOpen: true } }, label: true } },
  none: { find: { note: { where: { labels: { $none: { isSecret: true } } } }, label: true } },
  kept: {
    find: {
      note: { where: { $and: [{ kept: { $notNull: true } }, { labels: { $none: { isSecret: true } } }] } },
    },
  },
  some: { find: { note: shown } },
  part: { find: { note: { where: { isOpen: true }, fields: ['name', 'rank', 'meta'] } } },
}

const sorts = ['', 'sort=name', 'sort=rank:desc', 'sort=createdAt,name', 'sort=labels.name,name'] as const
const filters = [
  '',
  'filters[meta][$notNull]=true',
  'filters[$or][0][meta][$notNull]=true&filters[$or][1][rank][$gte]=0',
  'filters[name][$in][0]=a&filters[name][$in][1]=b&filters[name][$in][2]=c&filters[meta][$null]=false',
] as const
const pages = ['', 'pagination[after]=', 'pagination[withCount]=false&fields=name'] as const

const lists = sorts.flatMap((sort) =>
  filters.flatMap((filter) => pages.map((page) => `notes?${[sort, filter, page].filter(Boolean).join('&')}`)),
)

const below = [
  'labels?populate[notes][sort]=name',
  'labels?populate[notes][sort]=rank:desc&populate[notes][filters][meta][$notNull]=true',
  'labels?populate[notes][sort]=createdAt&populate[notes][pagination][pageSize]=2',
  'labels?populate[notes][filters][meta][$null]=false&populate[notes][fields]=name',
  'labels?filters[notes][meta][$notNull]=true&sort=name',
  'labels?sort=notes.name',
] as const

/** Where the database puts JSON in order. */
const byJson = [
  ...pages.map((page) => ['notes?sort=meta', page].filter(Boolean).join('&')),
  'notes?sort=meta:desc&pagination[pageSize]=1',
  'notes?sort=labels.name,meta&filters[meta][$notNull]=true',
  'labels?sort=notes.meta',
  'labels?sort=notes.labels.notes.meta:desc&pagination[after]=',
  'labels?populate[notes][sort]=meta',
  'labels?populate[notes][sort]=meta:desc&populate[notes][pagination][pageSize]=2',
] as const
const shared = [...lists, ...below]
const asked = { exact: shared, database: [...shared, ...byJson] }

eachDatabase((database) => {
  describe.each(['exact', 'database'] as const)('JSON that is long, %s', (textMatching) => {
    const { serve } = stocked(database, types, content)

    it.each(['all', 'own', 'none', 'kept', 'some,part'])(
      'makes no question fail of whoever is %s',
      async (role) => {
        const { get } = serve({ textMatching, permissions, nestedPagination: true })
        const failed: string[] = []
        for (const path of asked[textMatching]) if ((await get(path, role)).status >= 500) failed.push(path)
        expect(failed).toEqual([])
      },
    )
  })
})
