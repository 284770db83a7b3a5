import type { Database } from '../database'
import { type Dialect, idsToCome, type Row } from './dialect'
import type { Run } from './follow'
import type { Statement } from './select'

/** Called with the text of every statement that is sent; never with its values. */
export type OnStatement = (sql: string) => void

interface Client {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

interface Connection {
  /** Knex does not hand out again what carries this mark. */
  __knex__disposed?: unknown
}

export interface Reading {
  readonly database: Database
  readonly dialect: Dialect
  readonly onStatement: OnStatement
  /** All statements see the same state of the database, whatever is written meanwhile. */
  readonly snapshot: boolean
  /** The statements will come again, so that the database may keep them prepared. */
  readonly prepared: boolean
}

function fill(
  { bindings }: Statement,
  dialect: Dialect,
  ids: readonly unknown[] | undefined,
): readonly unknown[] {
  if (ids === undefined) return bindings
  const bound = dialect.bindIds(ids)
  return bindings.map((binding) => (binding === idsToCome ? bound : binding))
}

function runner(connection: Connection, { dialect, onStatement, prepared }: Reading): Run {
  return (statement, ids): Promise<readonly Row[]> => {
    onStatement(statement.sql)
    return dialect.run(
      connection,
      statement.sql,
      fill(statement, dialect, ids),
      prepared ? statement.name : undefined,
    )
  }
}

/**
 * Ends the snapshot and gives the connection back. The answer does not wait for it; a connection that cannot end what
 * it began is not used again.
 */
async function giveBack(
  connection: Connection,
  client: Client,
  { dialect, snapshot }: Reading,
): Promise<void> {
  try {
    if (snapshot) await dialect.run(connection, dialect.end, [])
  } catch (error) {
    connection.__knex__disposed = error
  }
  await client.releaseConnection(connection)
}

/** Holds one connection while `use` reads. */
export async function withConnection<T>(reading: Reading, use: (run: Run) => Promise<T>): Promise<T> {
  const { database, dialect, snapshot } = reading
  const client = database.knex.client as Client
  const connection = await client.acquireConnection()
  try {
    // Sent without waiting for its answer: a connection works off its statements in the order they come.
    const begun = snapshot ? dialect.run(connection, dialect.begin, []) : undefined
    const [result] = await Promise.all([use(runner(connection, reading)), begun])
    return result
  } finally {
    void giveBack(connection, client, reading)
  }
}
