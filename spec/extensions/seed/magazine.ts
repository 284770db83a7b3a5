import type { Knex } from 'knex'
import type { ContentTypesConfig } from '../../../lib/config'
import { seed, type SeedContent, type Seeded } from '../../../extensions/seed'
import { migrate } from '../../../lib/http'
import type { TestDatabase, World } from '../../support/databases'
import { recordingOf } from '../../support/recordings'

const { contentTypes } = recordingOf('sqlite')

export const configOf = (world: World): ContentTypesConfig => ({ contentTypes, database: world.config })

/** Tables of the recorded magazine, filled before the tests of a `describe` block. */
export function seededMagazine(
  database: TestDatabase,
  content: SeedContent,
): { world: World; seeded: () => Seeded } {
  const world = database.fresh()
  let seeded: Seeded | undefined
  beforeAll(async () => {
    await migrate(configOf(world))
    seeded = await seed(configOf(world), content)
  }, 60_000)
  return {
    world,
    seeded: () => {
      if (seeded === undefined) throw new Error('the content is seeded in beforeAll')
      return seeded
    },
  }
}

/** The rows of a table in the order of their ids, cut to some columns. */
export async function rowsOf(knex: Knex, table: string, ...columns: readonly string[]): Promise<unknown[][]> {
  const rows = await knex<Record<string, unknown>>(table)
    .orderBy('id')
    .select([...columns])
  return (rows as Record<string, unknown>[]).map((row) => columns.map((column) => row[column]))
}
