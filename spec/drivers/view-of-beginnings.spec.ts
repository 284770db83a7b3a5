import type { ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('place', { name: text, isOpen: { type: 'boolean' } }),
] as ContentRouterConfig['contentTypes']

const names = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'Straße' : 'Strasse'))
const hidden = 3000

const asked = [
  'places?filters[name]=strasse&sort=id',
  'places?filters[name][$in][0]=Strasse&filters[name][$in][1]=Straße&sort=id',
]

/** By an index over beginnings they find less than by the rows; and no index of a table stands at a view of it. */
describeOn(['mariadb', 'mysql'])('a view on %s of a table with an index over beginnings', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, {
    place: names.map((own) => ({ name: own, isOpen: true })),
  })

  beforeAll(async () => {
    const { knex } = world
    await knex.raw('alter table places convert to character set utf8mb4 collate utf8mb4_unicode_ci')
    await knex.raw('alter table places rename to base')
    await knex.raw('create index beginnings on base (name(5))')
    await knex.raw('create view places as select * from base')
  })

  it('is found in whatever its hidden rows hold', async () => {
    const permissions = { public: { find: { place: { where: { isOpen: true } } } } } as const
    const matchings = ['exact', 'database'] as const
    const answers = async (): Promise<readonly string[]> => {
      const all: string[] = []
      for (const textMatching of matchings) {
        const { get } = serve({ textMatching, permissions })
        for (const path of asked) all.push((await get(path)).text)
      }
      return all
    }
    const before = await answers()
    const totals = before.map(
      (answer) => (JSON.parse(answer) as { meta: { pagination: { total: number } } }).meta.pagination.total,
    )
    expect(totals).toEqual([0, 20, 20, 20])
    const rows = Array.from({ length: hidden }, (_, at) => ({
      document_id: `h${String(at)}`,
      name: 'berg',
      is_open: false,
      published_at: world.knex.fn.now(),
    }))
    await world.knex.batchInsert('base', rows, 500)
    await world.knex.raw('analyze table base')
    expect(await answers()).toEqual(before)
  })
})
