import type { TestDatabase } from './databases'
import { collection, relation, text } from './library'
import { type Page, type Served, stocked, type Stocked } from './served'

const unique = { ...text, unique: true }
const types = [
  collection('order', {
    number: unique,
    code: unique,
    paid: { type: 'boolean' },
    customer: relation('manyToOne', 'customer'),
    lines: relation('oneToMany', 'line', { mappedBy: 'order' }),
  }),
  collection('customer', { name: text }),
  collection('line', { label: text, order: relation('manyToOne', 'order', { inversedBy: 'lines' }) }),
] as unknown as Parameters<typeof stocked>[1]

const numbers = ['A1', 'A3', 'B2', 'S1', 'S2', 'T9', 'Z5', 'Z7']
const isPaid = (number: string): boolean => !number.startsWith('S')
const named = ['Ada', 'Bo', 'Mo', 'Quentin', 'Zoe']

/** Hidden orders stand among the others by number and by customer. */
const contentWith = (whose: (number: string, at: number) => string) => ({
  customer: named.map((name) => ({ $ref: name, name })),
  order: numbers.map((number, at) => ({
    ...{ $ref: number, number, code: `c${String(at)}`, paid: isPaid(number), customer: whose(number, at) },
  })),
  line: numbers.flatMap((number, at) =>
    Array.from({ length: isPaid(number) ? at % 3 : 2 }, (_, line) => ({
      label: `${number}-${String(line)}`,
      order: number,
    })),
  ),
})

const sorts = ['customer.name', 'customer.name:desc', 'lines.$count:desc,customer.name', 'number']
const choices = [
  'filters[$or][0][number]=Q&filters[$or][1][id][$lte]=99',
  'filters[$or][0][documentId]=none&filters[$or][1][id][$gte]=1',
  'filters[$or][0][code][$lt]=c4&filters[$or][1][number][$gt]=B',
  'filters[$or][0][code]=c1&filters[$or][1][number]=Z5&filters[$or][2][number]=A1',
  'filters[$or][0][customer][name]=Mo&filters[$or][1][id][$in][0]=1&filters[$or][1][id][$in][1]=7',
  'filters[$not][number]=A1',
]

/** Every sort with every choice of entries. */
export const pageQueries: readonly string[] = sorts.flatMap((sort) =>
  choices.map((choice) => `sort=${sort}&${choice}`),
)

export const pageRoles = ['public', 'chosen'] as const

const permissions = {
  public: { find: { order: { where: { paid: true } }, customer: true, line: true } },
  chosen: {
    find: {
      order: {
        where: { $and: [{ paid: true }, { $or: [{ code: { $lt: 'c9' } }, { number: { $eq: 'none' } }] }] },
      },
      customer: true,
      line: true,
    },
  },
} as const

interface Told {
  readonly data: Page['data']
  readonly meta: {
    readonly pagination: {
      readonly hasNextPage: boolean
      readonly hasPreviousPage: boolean
      readonly startCursor: string | null
      readonly endCursor: string | null
    }
  }
}

async function walk(api: Served, query: string, side: 'after' | 'before', role: string): Promise<Told[]> {
  const pages: Told[] = []
  for (let cursor = ''; pages.length <= numbers.length;) {
    const page = `pagination[${side}]=${cursor}&pagination[pageSize]=1`
    const told = (await api.page(`orders?fields=number&${query}&${page}`, role)) as unknown as Told
    pages.push(told)
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = told.meta.pagination
    if (!(side === 'after' ? hasNextPage : hasPreviousPage)) return pages
    cursor = String(side === 'after' ? endCursor : startCursor)
  }
  throw new Error(`no end of ${query}`)
}

/** Hidden orders belong to customers of others, or all to one. */
export const pagedWorlds = (database: TestDatabase): readonly Stocked[] => [
  stocked(
    database,
    types,
    contentWith((_number, at) => named[at % named.length] ?? ''),
  ),
  stocked(
    database,
    types,
    contentWith((number, at) => (isPaid(number) ? (named[at % named.length] ?? '') : 'Quentin')),
  ),
]

/** Pages of one entry, in both directions, hold together what the list holds, and know whether another page follows. */
export async function expectPagesOfList(
  { serve }: Stocked,
  query: string,
  role: (typeof pageRoles)[number],
): Promise<void> {
  const api = serve({ permissions })
  const all = await api.list(`orders?fields=number&${query}`)
  expect(all.every(({ number }) => isPaid(String(number)))).toBe(true)
  for (const side of ['after', 'before'] as const) {
    const pages = await walk(api, query, side, role)
    const inOrder = side === 'after' ? pages : pages.reverse()
    const last = Math.max(all.length - 1, 0)
    expect(inOrder.flatMap(({ data }) => data.map(({ number }) => number))).toEqual(
      all.map(({ number }) => number),
    )
    expect(
      inOrder.map(({ meta: { pagination } }) => [pagination.hasPreviousPage, pagination.hasNextPage]),
    ).toEqual(inOrder.map((_page, at) => [at > 0, at < last]))
  }
}
