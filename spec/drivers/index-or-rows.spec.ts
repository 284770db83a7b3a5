import type { ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, integer, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('thing', {
    name: text,
    price: { type: 'decimal' },
    rough: { type: 'float' },
    clock: { type: 'time' },
    instant: { type: 'datetime' },
    rank: integer,
    kind: { type: 'enumeration', enum: ['a', 'b', 'c'] },
    marks: text,
    code: { type: 'string', unique: true },
  }),
] as ContentRouterConfig['contentTypes']

const one = {
  price: 1.01,
  rough: 1.5,
  clock: '10:00:01',
  instant: '2024-02-29T10:00:01.000Z',
  rank: 1,
  kind: 'b',
  marks: 'b',
}
const few = {
  price: 2.5,
  rough: 2.5,
  clock: '11:00:00',
  instant: '2024-02-29T11:00:00.000Z',
  rank: 2,
  kind: 'b',
  marks: 'b',
}
const most = {
  price: 3,
  rough: 3.5,
  clock: '12:00:00',
  instant: '2024-02-29T12:00:00.000Z',
  rank: 3,
  kind: 'a',
  marks: 'a',
}

const content = {
  thing: [
    { name: 'Hello', ...one, code: 'b' },
    { name: 'Hello \u{1f389}', ...few },
    { name: 'Hello\u{1f389}', ...few },
    ...Array.from({ length: 600 }, (_, at) => ({ name: `other ${String(at)}`, ...most })),
  ],
}

/** As one that made its tables otherwise than Strapi would keep them. */
const otherwise = [
  'convert to character set utf8mb4 collate utf8mb4_unicode_ci',
  'modify rough float',
  'modify clock time(0)',
  'modify instant datetime(0)',
  `modify kind enum('a', 'b', 'c')`,
  `modify marks set('a', 'b', 'c')`,
  `modify code enum('a', 'b', 'c')`,
]
const indexed = ['name', 'price', 'rough', 'clock', 'instant', 'rank', 'kind', 'marks', 'code']

const inFew = ['Hello', 'Hello \u{1f389}', 'Hello\u{1f389}']
const some = `filters[rank][$lte]=2`

/** What no column holds as it is asked for, what is found beside it, and what goes on beyond the letters of an index. */
const asked: readonly (readonly [filter: string, found: readonly string[]])[] = [
  ['filters[price]=1.005', []],
  ['filters[price][$in][0]=1.005&filters[price][$in][1]=7', []],
  ['filters[price][$between][0]=1.005&filters[price][$between][1]=1.005', []],
  [`filters[price][$ne]=1.005&${some}`, inFew],
  ['filters[price]=1.01', ['Hello']],
  ['filters[instant]=2024-02-29T10:00:00.500Z', []],
  ['filters[instant][$in]=2024-02-29T10:00:00.500Z', []],
  [`filters[instant][$ne]=2024-02-29T10:00:00.500Z&${some}`, inFew],
  ['filters[instant]=2024-02-29T10:00:01.000Z', ['Hello']],
  ['filters[clock]=10:00:00.500', []],
  ['filters[clock]=10:00:01', ['Hello']],
  ['filters[rank]=0.5', []],
  ['filters[rank][$in][0]=0.5&filters[rank][$in][1]=1', ['Hello']],
  [`filters[rank][$ne]=0.5&${some}`, inFew],
  ['filters[id]=0.5', []],
  [`filters[rough][$between][0]=0&filters[rough][$between][1]=1e300&${some}`, inFew],
  ['filters[kind]=2', []],
  ['filters[kind][$in]=2', []],
  [`filters[kind]=b`, inFew],
  [`filters[kind][$ne]=2&${some}`, inFew],
  ['filters[marks]=2', []],
  ['filters[marks]=b,b', []],
  ['filters[marks]=b', inFew],
  ['filters[name][$startsWith]=Hello', inFew],
]

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, content)

  beforeAll(async () => {
    const { knex } = world
    if (database.dialect === 'mysql') await knex.raw(`alter table things ${otherwise.join(', ')}`)
    await knex.schema.alterTable('things', (table) => {
      for (const column of indexed) table.index(column, `by_${column}`)
    })
    await knex.raw(database.dialect === 'mysql' ? 'analyze table things' : 'analyze things')
  })

  describe.each(['exact', 'database'] as const)('with indexes, %s', (textMatching) => {
    it.each(asked)('%s finds what is so by each row', async (filter, found) => {
      const names = await serve({ textMatching }).values(`things?${filter}&sort=id`, 'name')
      expect(names).toEqual(found)
    })

    it('one entry is found by what it holds, and not by a number of it', async () => {
      const { get } = serve({ textMatching })
      expect((await get('things/by/code/b')).status).toBe(200)
      expect((await get('things/by/code/2')).status).toBe(404)
    })
  })
})
