import type { Database } from '../database'
import { type Dialect, idsToCome, type Row } from './dialect'
import type { Run } from './follow'
import type { Statement } from './select'

/** Called with the text of every statement that is sent; never with its values. */
export type OnStatement = (sql: string) => void

function fill(
  { bindings }: Statement,
  dialect: Dialect,
  ids: readonly unknown[] | undefined,
): readonly unknown[] {
  if (ids === undefined) return bindings
  const bound = dialect.bindIds(ids)
  return bindings.map((binding) => (binding === idsToCome ? bound : binding))
}

/**
 * Holds one connection while `use` reads. With `snapshot` all its statements see the same state of the database,
 * whatever is written meanwhile.
 */
export async function withConnection<T>(
  { knex }: Database,
  dialect: Dialect,
  snapshot: boolean,
  onStatement: OnStatement,
  use: (run: Run) => Promise<T>,
): Promise<T> {
  const client = knex.client as {
    acquireConnection(): Promise<unknown>
    releaseConnection(connection: unknown): Promise<void>
  }
  const connection = await client.acquireConnection()
  const send = (sql: string, bindings: readonly unknown[] = []): Promise<readonly Row[]> => {
    onStatement(sql)
    return dialect.run(connection, sql, bindings)
  }
  const run: Run = (statement, ids) => send(statement.sql, fill(statement, dialect, ids))
  try {
    if (!snapshot) return await use(run)
    for (const sql of dialect.begin) await dialect.run(connection, sql, [])
    try {
      return await use(run)
    } finally {
      await dialect.run(connection, dialect.end, [])
    }
  } finally {
    await client.releaseConnection(connection)
  }
}
