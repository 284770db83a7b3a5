import type { Knex } from 'knex'

type Done = (error: unknown, connection: unknown) => void
type AfterCreate = (connection: unknown, done: Done) => void

interface MySqlConnection {
  query(sql: string, done: (error: unknown) => void): void
}

interface SqliteConnection {
  pragma(text: string): unknown
}

/** Whatever the server is set to: snapshots hold at this isolation alone. */
const setIsolation: AfterCreate = (connection, done) => {
  const statement = 'set session transaction isolation level repeatable read'
  ;(connection as MySqlConnection).query(statement, (error) => {
    done(error, connection)
  })
}

/** The driver waits for a writer by holding the process; whoever reads waits better. */
const setNoWait: AfterCreate = (connection, done) => {
  ;(connection as SqliteConnection).pragma('busy_timeout = 0')
  done(null, connection)
}

const settings = { mysql: setIsolation, sqlite: setNoWait, postgres: null } as const

/** A pool that only reads. The owner's own `afterCreate` goes first, so that it cannot undo what answers rest on. */
export function forReading(option: Knex.Config, dialect: keyof typeof settings): Knex.Config {
  const ours = settings[dialect]
  if (ours === null) return option
  const theirs = option.pool?.afterCreate as AfterCreate | undefined
  const afterCreate: AfterCreate = (connection, done) => {
    if (theirs === undefined) ours(connection, done)
    else
      theirs(connection, (error) => {
        if (error !== null && error !== undefined) done(error, connection)
        else ours(connection, done)
      })
  }
  return { ...option, pool: { ...option.pool, afterCreate } }
}
