import { aggregates } from '../../../extensions/aggregate'
import { contentRouter, type ContentRouter, type Grant } from '../../../lib'
import type { TestDatabase, World } from '../../support/databases'
import { collection, library } from '../../support/library'
import { roleHeader, type Served, stocked } from '../../support/served'

export const bookTypes = [
  ...(library as readonly object[]),
  collection('sheet', { name: { type: 'string' }, isOpen: { type: 'boolean' }, data: { type: 'json' } }),
  {
    ...collection('home', { title: { type: 'string' } }),
    kind: 'singleType',
  },
] as unknown as Parameters<typeof stocked>[1]

const all = { find: '*', aggregate: '*' } as const

export const bookPermissions: Readonly<Record<string, Grant>> = {
  public: all,
  reader: { find: '*' },
  ofBooks: { find: '*', aggregate: ['book'] },
  denied: { find: '*', aggregate: { book: false } },
  unread: { aggregate: '*' },
  large: { find: '*', aggregate: { book: { minGroup: 2 } } },
  larger: { find: '*', aggregate: { book: { minGroup: 3 } } },
  late: {
    find: {
      book: { where: { year: { $gte: 2000 } }, fields: ['title', 'year', 'author'] },
      author: { where: { name: { $ne: 'Bo' } }, fields: ['name', 'books'] },
    },
    aggregate: ['book', 'author'],
  },
  early: {
    find: { book: { where: { year: { $lt: 2000 } }, fields: ['title', 'genres'] }, genre: true },
    aggregate: ['book'],
  },
  typeless: { find: ['book'], aggregate: ['book'] },
  own: { find: { book: { where: { title: { $asker: 'title' } } } }, aggregate: ['book'] },
  editor: { ...all, drafts: '*' },
}

interface Group {
  readonly group: Readonly<Record<string, unknown>>
  readonly count: number
}

/** Books, authors and genres with aggregates for several roles. */
export interface AggregatedBooks {
  readonly world: World
  /** Serves the content with other options. */
  readonly served: (options?: object) => Served
  readonly api: () => Served
  /** The values and the count of each group. */
  readonly groups: (query: string, role?: string, type?: string) => Promise<unknown[][]>
  readonly counted: (query?: string, role?: string, type?: string) => Promise<unknown>
  readonly inProcess: (role?: string) => ReturnType<ContentRouter['as']>
}

/** Called in a `describe` block. */
export function aggregatedBooks(database: TestDatabase): AggregatedBooks {
  const { serve, world } = stocked(database, bookTypes, {
    $locales: ['en', 'fr'],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [
      { $ref: 'ada', name: 'Ada', age: 30, country: 'uk' },
      { $ref: 'bo', name: 'Bo', age: 40 },
    ],
    genre: [
      { $ref: 'crime', name: 'Crime' },
      { $ref: 'essay', name: 'Essay' },
    ],
    book: [
      {
        ...{
          $ref: 'dawn',
          title: 'Dawn',
          year: 1990,
          ledger: 'x',
          author: 'ada',
          genres: ['crime', 'essay'],
        },
        ...{ seo: { title: 'first' }, notes: [{ text: 'n' }, { text: 'm' }] },
      },
      {
        ...{ title: 'Dusk', year: 2001, ledger: 'y', author: 'ada', genres: ['crime'] },
        ...{ seo: { title: 'first' }, notes: [{ text: 'n' }] },
      },
      { title: 'Noon', year: 2001, ledger: 'x', author: 'bo', $draft: { title: 'Midday', year: 2020 } },
      { title: 'Night', year: 2005, ledger: 'x' },
      { title: 'Sketch', year: 2030, author: 'ada', $status: 'draft' },
    ],
    memo: [{ title: 'one', $locales: { fr: { title: 'un' } } }, { title: 'two' }],
    sheet: [
      { name: 'a', isOpen: true, data: { a: 1 } },
      { name: 'b', isOpen: false },
    ],
    home: { title: 'Home' },
  })

  const served = (options: object = {}): Served =>
    serve({
      permissions: bookPermissions,
      extensions: [aggregates()],
      role: (req) => ({
        roles: (req.get(roleHeader) ?? 'public').split(','),
        asker: { title: 'Night' },
      }),
      ...options,
    })
  let common: Served | undefined
  const api = (): Served => (common ??= served())

  const groups = async (query: string, role = 'public', type = 'books'): Promise<unknown[][]> => {
    const rows = (await api().list(`${type}/aggregate?aggregate[count]=true&${query}`, role)) as unknown
    return (rows as readonly Group[]).map(({ group, count }) => [...Object.values(group), count])
  }
  const counted = async (query = '', role = 'public', type = 'books'): Promise<unknown> =>
    (await groups(query, role, type))[0]?.[0]

  let router: ContentRouter | undefined
  const inProcess = (role = 'public'): ReturnType<ContentRouter['as']> => {
    router ??= world.closing(
      contentRouter({
        ...{ contentTypes: bookTypes, database: world.config, logger: false },
        ...{ permissions: bookPermissions, extensions: [aggregates()] },
      }),
    )
    return router.as(role)
  }

  return { world, served, api, groups, counted, inProcess }
}
