import { copyFileSync } from 'node:fs'
import type { Knex } from 'knex'
import type { World } from './databases'
import type { AfterCreate } from './saying'

export const opening = (config: Knex.Config, afterCreate: AfterCreate): Knex.Config => ({
  ...config,
  pool: { ...config.pool, afterCreate },
})

/** In as many statements as it takes to put something else in the place of a table; then it is read by this. */
export const inStatements =
  (...statements: string[]) =>
  async ({ knex, config }: Pick<World, 'knex' | 'config'>): Promise<Knex.Config> => {
    for (const statement of statements) await knex.raw(statement)
    return config
  }

/** The other file of a world of SQLite. */
export const besides = ({ config }: World): string =>
  `${(config.connection as { readonly filename: string }).filename}.besides`

/** Leaves a table of SQLite to a file that is attached. */
export const attach =
  (table: string) =>
  async (world: World): Promise<Knex.Config> => {
    const { filename } = world.config.connection as { readonly filename: string }
    copyFileSync(filename, besides(world))
    await world.knex.raw(`drop table ${table}`)
    return opening(world.config, (connection, done) => {
      ;(connection as { exec(sql: string): void }).exec(`attach '${besides(world)}' as besides`)
      done(null, connection)
    })
  }
