import type { Definition } from '../../lib/schema'
import { eachDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { stocked } from '../support/served'

const types = [collection('note', { name: text, meta: { type: 'json' } })] as Definition[]

const short = [
  10,
  9,
  -3,
  1.5,
  'b',
  'a',
  'Z',
  { a: 1 },
  { b: 0 },
  { a: 1, b: 1 },
  {},
  [1, 2],
  [3],
  [],
  true,
  false,
]
const metas = [...short, null, { big: 'x'.repeat(900) }, ['x'.repeat(900)], 'x'.repeat(900)]

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, {
    note: metas.map((meta, at) => ({ name: String(at), meta })),
  })
  const named = (sort: string): Promise<unknown[]> =>
    serve({ textMatching: 'database' }).values(`notes?sort=${sort}&pagination[pageSize]=100`, 'name')

  it.each(['asc', 'desc'] as const)(
    'JSON is put in the order that the database has for it: %s',
    async (direction) => {
      const rows = await world
        .knex<{ name: string }>('notes')
        .select('name')
        .orderBy([{ column: 'meta', order: direction }, { column: 'id' }])
      expect(rows).toHaveLength(metas.length)
      expect(await named(`meta:${direction}`)).toEqual(rows.map(({ name }) => name))
    },
  )

  if (database.name === 'mysql') {
    it('and what is longer than MySQL sorts by stands among its like, as the empty one does', async () => {
      const long = 'x'.repeat(300_000)
      const kinds = [`"${long}"`, JSON.stringify({ a: long }), JSON.stringify([long])]
      for (const [at, meta] of kinds.entries())
        await world
          .knex('notes')
          .insert({ name: `long ${String(at)}`, meta, published_at: world.knex.fn.now() })
      const names = (await named('meta')).map(String)
      const place = (name: string): number => names.indexOf(name)
      const nameOf = (meta: unknown): string => String(metas.indexOf(meta as never))
      expect(place('long 0')).toBeGreaterThan(place(nameOf('b')))
      expect(names.filter((name) => name.startsWith('long'))).toHaveLength(3)
      expect(place('long 1')).toBeGreaterThan(place('long 0'))
      expect(place('long 1')).toBeLessThan(place(nameOf(short[7])))
      expect(place('long 2')).toBeGreaterThan(place(nameOf(short[9])))
      expect(place('long 2')).toBeLessThan(place(nameOf(short[11])))
    })
  }
})
