import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { type Page, type Served, stocked } from '../support/served'

// What lies on the other side of a page is asked of a set that is cut into: whatever way the database finds its rows by, no row
// that the filters or a rule leave out may decide it.

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

/** A hidden order, which stands among the others by its number and by whose it is, and may be that of others. */
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

onSqlite((database) => {
  const worlds = [
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
  const cases = sorts.flatMap((sort) => choices.map((choice) => `sort=${sort}&${choice}`))

  describe('what lies beside a page', () => {
    it.each(cases)('is what is in the list: %s', async (query) => {
      for (const { serve } of worlds) {
        const api = serve({ permissions })
        const all = await api.list(`orders?fields=number&${query}`)
        expect(all.every(({ number }) => isPaid(String(number)))).toBe(true)
        for (const role of ['public', 'chosen'])
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
    })
  })
})
