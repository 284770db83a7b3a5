import { type ContentRouterConfig } from '../../lib'
import { nodeSqlite } from '../../lib/database/node-sqlite'
import { describeOn, testDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { bringsSqlite, byNodeItself } from '../support/node-sqlite'
import { stocked } from '../support/served'

const types = [
  collection('item', { title: text, kind: text, hidden: { type: 'boolean' } }),
] as unknown as ContentRouterConfig['contentTypes']

/** Which SQLite keeps as a whole number in a column of such a type, and which no double holds. */
const digits = '90071992547409931'

const permissions = {
  public: { find: { item: { where: { hidden: false } } } },
  some: { find: { item: { where: { hidden: false }, fields: ['kind'] } } },
  more: { find: { item: { where: { kind: 'b' } } } },
} as const

describe('the SQLite that Node brings along', () => {
  it('is there from Node 22.16 on', () => {
    expect(nodeSqlite() !== null).toBe(bringsSqlite)
  })
})

describeOn(['sqlite'])('whole numbers in a column of texts of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, {
    item: [
      { title: 'Abc', kind: 'a', hidden: false },
      { title: digits, kind: 'b', hidden: true },
    ],
  })

  beforeAll(async () => {
    await world.knex.raw('alter table items rename column title to before')
    await world.knex.raw('alter table items add column title string')
    await world.knex.raw('update items set title = before')
    const stored = world.knex('items').where('kind', 'b').select(world.knex.raw('typeof(title) as type'))
    expect(await stored).toEqual([{ type: 'integer' }])
  })

  const drivers = [
    ['better-sqlite3', () => world.config],
    ...(bringsSqlite
      ? ([['Node itself', () => world.closing(closed(byNodeItself(world.config)))]] as const)
      : []),
  ] as const

  function closed<T extends { destroy(): Promise<void> }>(knex: T): T & { close(): Promise<void> } {
    return Object.assign(knex, { close: () => knex.destroy() })
  }

  describe.each(drivers)('by %s', (_driver, database) => {
    const kinds = (path: string, role = 'public'): Promise<unknown[]> =>
      serve({ database: database(), permissions }).values(path, 'kind', role)

    it.each(['$containsi', '$eqi', '$startsWithi', '$contains', '$eq'])(
      'are no failure where a rule hides them: %s',
      async (operator) => {
        expect(await kinds(`items?filters[title][${operator}]=Abc`)).toEqual(['a'])
        expect(await kinds(`items?filters[title][${operator}]=${digits}`)).toEqual([])
      },
    )

    it('are none where they are searched for, nor where they are read for who may see others', async () => {
      expect(await kinds('items?_q=abc')).toEqual(['a'])
      expect(await kinds('items?sort=kind', 'some,more')).toEqual(['a', 'b'])
    })

    it('are found by their digits', async () => {
      expect(await kinds('items?filters[title][$containsi]=40993', 'more')).toEqual(['b'])
    })
  })
})
