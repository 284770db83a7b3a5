import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { type Entry, stocked } from '../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const inColumn = { useJoinTable: false }

const types = [
  collection('node', {
    name: text,
    up: relation('manyToOne', 'node', { inversedBy: 'down' }),
    down: relation('oneToMany', 'node', { mappedBy: 'up' }),
    above: relation('manyToOne', 'node', { ...inColumn, inversedBy: 'below' }),
    below: relation('oneToMany', 'node', { mappedBy: 'above' }),
    twin: relation('oneToOne', 'node', inColumn),
    friend: relation('oneToOne', 'node'),
    near: relation('manyToMany', 'node'),
  }),
] as unknown as Definitions

const content = {
  node: [
    { $ref: 'a', name: 'a' },
    { $ref: 'b', name: 'b', up: 'a', above: 'a', twin: 'c', friend: 'c', near: ['a', 'c'] },
    { $ref: 'c', name: 'c', up: 'b', above: 'b', twin: 'a', friend: 'a', near: ['c'] },
    { $ref: 'd', name: 'd', up: 'b', above: 'b' },
  ],
}

/** Who each of a, b, c and d leads to. */
const leads: Readonly<Record<string, readonly (readonly string[])[]>> = {
  up: [[], ['a'], ['b'], ['b']],
  down: [['b'], ['c', 'd'], [], []],
  above: [[], ['a'], ['b'], ['b']],
  below: [['b'], ['c', 'd'], [], []],
  twin: [[], ['c'], ['a'], []],
  friend: [[], ['c'], ['a'], []],
  near: [[], ['a', 'c'], ['c'], []],
}
const names = ['a', 'b', 'c', 'd']

const namesAt = (entry: Entry | null | undefined, field: string): unknown[] => {
  const value = entry?.[field] as Entry | Entry[] | null
  return [value ?? []].flat().map(({ name }) => name)
}

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  const api = (): ReturnType<typeof serve> => serve()

  describe('a relation of a type to itself', () => {
    it.each(Object.entries(leads))(
      '%s shows what it leads to, and not the entry itself',
      async (field, led) => {
        const nodes = await api().list(`nodes?sort=name&populate[${field}][sort]=name`)
        expect(nodes.map((node) => namesAt(node, field))).toEqual(led)
        const all = await api().list('nodes?sort=name&populate=*')
        expect(all.map((node) => namesAt(node, field).sort())).toEqual(led)
      },
    )

    it.each(Object.entries(leads))('%s shows it again below itself', async (field, led) => {
      const nodes = await api().list(
        `nodes?sort=name&populate[${field}][sort]=name&populate[${field}][populate]=${field}`,
      )
      const below = nodes.map((node) =>
        [node[field] ?? []].flat().map((one) => namesAt(one as Entry, field).sort()),
      )
      expect(below).toEqual(led.map((one) => one.map((name) => led[names.indexOf(name)])))
    })

    it.each(Object.entries(leads))('%s is filtered by', async (field, led) => {
      for (const name of names) {
        const found = await api().values(`nodes?sort=name&filters[${field}][name]=${name}`, 'name')
        expect(found).toEqual(names.filter((_, index) => led[index]?.includes(name)))
      }
    })
  })
})
