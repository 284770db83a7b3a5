import type { Database } from '../database'
import { ConfigError } from '../errors'
import type { Schema } from '../schema'
import { type TableNeeds, neededTables, wantedColumns } from './needs'
import { readTables, rowsOf } from './read-tables'
import { quoteFor } from './statements'

/** MySQL knows users by name and host: `reader`, `reader@10.0.0.%`. */
function quotedUser({ dialect }: Database, user: string): string {
  const quote = quoteFor(dialect)
  if (dialect !== 'mysql') return quote(user)
  const at = user.includes('@') ? user.lastIndexOf('@') : user.length
  return `${quote(user.slice(0, at))}@${quote(user.slice(at + 1) || '%')}`
}

/** The SQL that lets a user of the database read what requests need, and nothing else. */
export async function readGrantStatements(
  database: Database,
  schema: Schema,
  { needs, user }: { readonly needs: TableNeeds; readonly user: string },
): Promise<readonly string[]> {
  const { dialect } = database
  if (dialect === 'sqlite') {
    const remedy = 'let the process read the file, and write to none'
    throw new ConfigError([{ where: 'database', problem: 'SQLite has no users', remedy }])
  }
  const quote = quoteFor(dialect)
  const actual = await readTables(database)
  const tables = [...wantedColumns(needs, neededTables(schema, needs, actual))].flatMap(
    ([table, columns]): [string, readonly string[]][] => {
      const there = columns.filter((column) => actual.get(table)?.columns.has(column) === true)
      return there.length === 0 ? [] : [[table, there.map(quote)]]
    },
  )
  const schemas =
    dialect === 'postgres'
      ? await rowsOf<{ name: string }>(database, 'select unnest(current_schemas(false))::text as name')
      : []
  // MySQL refuses a table without its database where none is selected.
  const [selected] =
    dialect === 'mysql' ? await rowsOf<{ name: string }>(database, 'select database() as name') : []
  const inDatabase = selected === undefined ? '' : `${quote(selected.name)}.`
  const to = quotedUser(database, user)
  return [
    ...schemas.map(({ name }) => `grant usage on schema ${quote(name)} to ${to};`),
    ...tables.map(
      ([table, columns]) => `grant select (${columns.join(', ')}) on ${inDatabase}${quote(table)} to ${to};`,
    ),
  ]
}
