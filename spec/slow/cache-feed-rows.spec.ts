import fc from 'fast-check'
import type { Knex } from 'knex'
import { chanceFrom } from '../../lab/requests/chance'
import { printRequest } from '../../lab/requests/request'
import { type ContentRouter, contentRouter, migrate } from '../../lib'
import { changes } from '../../extensions/changes'
import { seed } from '../../extensions/seed'
import { randomAsking } from '../support/arbitrary-requests'
import { describeOn, testDatabase } from '../support/databases'
import { following, publishAll } from '../support/feed'
import { type Host, serveRouters } from '../support/host'
import { store } from '../support/oracle-content'
import { onOwnServer } from '../support/own-server'
import { firstSeed, runs } from '../support/property-runs'
import { asWritten, pathOf, silent, worldOf } from '../meaning/world'
import { anyConditions } from '../support/query-limits'

interface TableColumns {
  readonly table: string
  readonly columns: readonly string[]
}

async function tablesOf(knex: Knex): Promise<readonly TableColumns[]> {
  const { rows } = await knex.raw<{ rows: { table: string; columns: string[] }[] }>(`
    select table_name as table, array_agg(column_name::text order by column_name) as columns
    from information_schema.columns where table_schema = 'public' group by 1 order by 1`)
  return rows
}

/** What a write may run into: a value that has to stand once, a row that has to be there, a column that has to have one. */
const refusals = ['23505', '23503', '23502']

/** Gives one row the value that another has in the same column. */
async function writeAt(
  knex: Knex,
  { table, columns }: TableColumns,
  at: readonly [number, number, number],
): Promise<boolean> {
  const rows = await knex(table).select<{ id: number }[]>('id').orderBy('id')
  const column = columns.filter((name) => name !== 'id')[at[0] % (columns.length - 1)]
  const [to, from] = [rows[at[1] % rows.length]?.id, rows[at[2] % rows.length]?.id]
  if (column === undefined || to === undefined || from === undefined || to === from) return false
  const value = knex(table).select(column).where({ id: from })
  try {
    return (
      (await knex(table)
        .where({ id: to })
        .update({ [column]: value })) === 1
    )
  } catch (error) {
    if (!refusals.includes(String((error as { code?: unknown }).code))) throw error
    return false
  }
}

/** Writes of random rows. */
const rounds = runs(process.env['SWEEP'] === 'all' ? 120 : 40)

describeOn(['postgres'])('changes.feed with whole rows on %s', (name) => {
  const database = testDatabase(name)

  describe.each([firstSeed, firstSeed + 1])('with the model and the content of seed %i', (seedNumber) => {
    const world = onOwnServer(database, () => database.fresh())
    const { definitions, content } = worldOf(seedNumber)
    const stored = store(definitions, content)
    const find = [...stored.types.keys()]
    const shared = {
      contentTypes: asWritten(definitions),
      logger: silent,
      nestedPagination: true,
      query: anyConditions,
    }
    let host: Host
    let kept: ContentRouter

    beforeAll(async () => {
      const options = { ...shared, database: world.config, permissions: { public: { find: '*' } } } as const
      await migrate(options)
      await seed(options, content)
      for (const { table } of await tablesOf(world.knex))
        await world.knex.raw('alter table ?? replica identity full', [table])
      await publishAll(world.knex)
      kept = world.closing(contentRouter({ ...options, cache: {}, extensions: [changes({ feed: true })] }))
      host = await serveRouters({ '/kept': kept, '/read': world.closing(contentRouter(options)) })
      await host.ask('/kept/nothing', 'public')
      await following(kept)
    }, 60_000)
    afterAll(() => host.close())

    it('invalidates exactly the responses that a random write of a row may change', async () => {
      const tables = (await tablesOf(world.knex)).filter(({ columns }) => columns.includes('id'))
      const asking = randomAsking(stored, { public: { find } as never }, { beyondStrapi: true })
      const asked = fc
        .sample(asking, { seed: seedNumber, numRuns: 25 })
        .map(({ target, request }) => `${pathOf(definitions, target)}?${printRequest(request)}`)
      const chance = chanceFrom(seedNumber)
      const draw = (): number => chance(2 ** 20)
      let [written, survived] = [0, 0]
      for (let round = 0; round < rounds; round += 1) {
        for (const path of asked) await host.ask(`/kept${path}`, 'public')
        const table = tables[draw() % tables.length]
        if (table === undefined || !(await writeAt(world.knex, table, [draw(), draw(), draw()]))) continue
        written += 1
        for (const path of asked) {
          const { hits } = kept.cache.stats()
          const [memory, read] = [
            await host.ask(`/kept${path}`, 'public'),
            await host.ask(`/read${path}`, 'public'),
          ]
          if (memory.text !== read.text || memory.status !== read.status)
            expect({ path, table, memory }).toEqual({ path, table, memory: read })
          survived += kept.cache.stats().hits - hits
        }
      }
      expect(written).toBeGreaterThan(rounds / 3)
      expect(survived).toBeGreaterThan(written)
    }, 300_000)
  })
})
