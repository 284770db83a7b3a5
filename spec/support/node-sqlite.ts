import { knex as makeKnex, type Knex } from 'knex'
import { nodeSqlite } from '../../tools/start/node-sqlite'

/** From 22.16 on, in a form that tells which statements have rows. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
export const bringsSqlite = major > 23 || (major === 22 && minor >= 16) || (major === 23 && minor >= 11)

type ClientClass = new (config: Knex.Config) => Knex.Client

/** A file of SQLite that is read by what Node brings along. */
export function byNodeItself(config: Knex.Config): Knex {
  const { client } = makeKnex({ client: 'better-sqlite3', useNullAsDefault: true }) as unknown as {
    readonly client: { readonly constructor: ClientClass }
  }
  const own = class extends client.constructor {
    _driver(): unknown {
      return nodeSqlite()
    }
  }
  return makeKnex({ ...config, client: own as unknown as typeof Knex.Client, useNullAsDefault: true })
}
