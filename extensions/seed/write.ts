import type { Knex } from 'knex'
import type { DialectName } from '../../lib/database'
import type { RowToWrite } from './rows'

const rowsPerStatement = 100

export interface TableToWrite {
  readonly table: string
  readonly rows: readonly RowToWrite[]
  readonly keys: readonly string[]
}

/** All rows of a statement have the same columns; missing values are null. */
function toInsert({ rows, keys }: TableToWrite): readonly Record<string, unknown>[] {
  const named = new Set(rows.flatMap((row) => Object.keys(row.columns)))
  const columns = [...named].filter((column) => !keys.includes(column))
  return rows.map((row) => ({
    id: row.id,
    ...Object.fromEntries(columns.map((column) => [column, row.columns[column] ?? null])),
  }))
}

/** Given ids do not move PostgreSQL's sequences; the host's next row needs an unused one. */
export async function moveSequence(trx: Knex, table: string): Promise<void> {
  await trx.raw(`select setval(pg_get_serial_sequence(?, 'id'), max(id)) from ??`, [`"${table}"`, table])
}

async function writeTable(trx: Knex, dialect: DialectName, written: TableToWrite): Promise<void> {
  const { table } = written
  const all = toInsert({ ...written, rows: written.rows.filter(({ isKept }) => isKept !== true) })
  const kept = written.rows.filter(({ isKept }) => isKept === true)
  for (const { id, columns } of kept) {
    const own = Object.entries(columns).filter(([column]) => !written.keys.includes(column))
    if (own.length > 0) await trx(table).where({ id }).update(Object.fromEntries(own))
  }
  for (let start = 0; start < all.length; start += rowsPerStatement) {
    await trx(table).insert(all.slice(start, start + rowsPerStatement))
  }
  if (dialect === 'postgres') await moveSequence(trx, table)
}

/** Foreign keys may form cycles, so they are written after all rows. */
async function writeKeys(trx: Knex, { table, rows, keys }: TableToWrite): Promise<void> {
  for (const { id, columns } of rows) {
    const held = Object.entries(columns).filter(([column, value]) => keys.includes(column) && value !== null)
    if (held.length > 0) await trx(table).where({ id }).update(Object.fromEntries(held))
  }
}

/**
 * MySQL stores values depending on the session: its time zone applies to `timestamp` columns, its mode decides on
 * backslashes, empty strings and truncation, and its character set may lack characters. The driver follows the
 * session's character set.
 */
const sessionWhileWriting = [
  ['time_zone', "'+00:00'"],
  ['sql_mode', "'STRICT_TRANS_TABLES'"],
  ['character_set_client', "'utf8mb4'"],
  ['collation_connection', "'utf8mb4_general_ci'"],
] as const

const kept = (variable: string): string => `@content_router_${variable}`

async function assign(
  trx: Knex,
  values: readonly (readonly [variable: string, value: string])[],
): Promise<void> {
  await trx.raw(`set ${values.map(([variable, value]) => `${variable} = ${value}`).join(', ')}`)
}

/** The pool gets its connection back unchanged. */
async function inMysqlSession(trx: Knex, work: () => Promise<void>): Promise<void> {
  const variables = sessionWhileWriting.map(([variable]) => variable)
  const keep = variables.map((variable) => [kept(variable), `@@session.${variable}`] as const)
  const restore = variables.map((variable) => [variable, kept(variable)] as const)
  const forget = variables.map((variable) => [kept(variable), 'null'] as const)
  await assign(trx, [...keep, ...sessionWhileWriting])
  try {
    await work()
  } finally {
    await assign(trx, [...restore, ...forget])
  }
}

/** Runs in a session that stores values as given, whatever settings the pool's owner or the server has. */
async function inOwnSession(trx: Knex, dialect: DialectName, work: () => Promise<void>): Promise<void> {
  switch (dialect) {
    case 'sqlite':
      return work()
    case 'mysql':
      return inMysqlSession(trx, work)
    case 'postgres':
      await trx.raw(`set local client_encoding = 'UTF8'`)
      return work()
  }
}

/** Join tables come last, as they have foreign keys. */
export async function writeTables(
  trx: Knex,
  dialect: DialectName,
  tables: readonly TableToWrite[],
): Promise<void> {
  await inOwnSession(trx, dialect, async () => {
    for (const table of tables) await writeTable(trx, dialect, table)
    for (const table of tables) await writeKeys(trx, table)
  })
}
