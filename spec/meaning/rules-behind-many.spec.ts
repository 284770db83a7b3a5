import type { ContentRouterConfig, Grant, SeedContent } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { roleHeader, stocked } from '../support/served'

const types = [
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

const content: SeedContent = {
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

const own = { customer: { name: { $eq: { $asker: 'name' } } } } as const
const ownOrShared = { $or: [own, { readers: { $some: { name: { $eq: { $asker: 'name' } } } } }] } as const

const permissions: Readonly<Record<string, Grant>> = {
  customer: { find: { item: true, order: { where: own } } },
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

onSqlite((database) => {
  const { serve } = stocked(database, types, content)

  it.each([
    ['customer', ''],
    ['reader', ''],
    ['writer', ''],
    ['writer', 'status=draft&'],
  ])(
    'what a rule of the role %s hides is found by no filter, however many stand beside it (%s)',
    async (role, status) => {
      const asking: ContentRouterConfig['role'] = (req) => ({
        roles: req.get(roleHeader) ?? '',
        asker: { name: 'Ada' },
      })
      const { get } = serve({ permissions, role: asking, query: { maxCost: Infinity } })
      const titles = async (query: string): Promise<unknown> => {
        const answer = await get(`items?${status}${query}`, role)
        return (answer.body as { readonly data: readonly { readonly title: string }[] }).data.map(
          ({ title }) => title,
        )
      }
      for (const times of [1, 2, 3, 4, 5])
        for (const besides of [0, 1, 2, 3, 5]) {
          expect([times, besides, await titles(asked('A', true, times, besides))]).toEqual([
            times,
            besides,
            ['Pen'],
          ])
          expect([times, besides, await titles(asked('B', false, times, besides))]).toEqual([
            times,
            besides,
            [],
          ])
        }
    },
  )
})
