import type { Knex } from 'knex'

/** The statement with which a connection begins, for what its server may have been set to otherwise. */
const snapshotsHold = 'set session transaction isolation level repeatable read'

type Done = (error: unknown, connection: unknown) => void
type AfterCreate = (connection: unknown, done: Done) => void

interface MySqlConnection {
  query(sql: string, done: (error: unknown) => void): void
}

/** A pool that only reads. The owner's own `afterCreate` goes first, so that it cannot undo what answers rest on. */
export function forReadingMySql(option: Knex.Config): Knex.Config {
  const theirs = option.pool?.afterCreate as AfterCreate | undefined
  const afterCreate: AfterCreate = (connection, done) => {
    const ours: Done = (error) => {
      if (error !== null && error !== undefined) done(error, connection)
      else
        (connection as MySqlConnection).query(snapshotsHold, (failure) => {
          done(failure, connection)
        })
    }
    if (theirs === undefined) ours(null, connection)
    else theirs(connection, ours)
  }
  return { ...option, pool: { ...option.pool, afterCreate } }
}
