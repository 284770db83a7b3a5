import type { Knex } from 'knex'
import type { DialectName } from '../database'
import type { RowToWrite, RowsToWrite } from './rows'

const rowsPerStatement = 100

type KeysOf = (table: string) => readonly string[]

/** Every row of a statement names the same columns; what a row does not say is null. */
function toInsert(rows: readonly RowToWrite[], keys: readonly string[]): readonly Record<string, unknown>[] {
  const named = new Set(rows.flatMap((row) => Object.keys(row.columns)))
  const columns = [...named].filter((column) => !keys.includes(column))
  return rows.map((row) => ({
    id: row.id,
    ...Object.fromEntries(columns.map((column) => [column, row.columns[column] ?? null])),
  }))
}

/** Ids that were given by us do not move PostgreSQL's sequences; the next row of the host must find a free one. */
async function moveSequence(trx: Knex, table: string): Promise<void> {
  await trx.raw(`select setval(pg_get_serial_sequence(?, 'id'), max(id)) from ??`, [`"${table}"`, table])
}

async function writeTable(
  trx: Knex,
  dialect: DialectName,
  table: string,
  rows: readonly RowToWrite[],
  keys: readonly string[],
): Promise<void> {
  const all = toInsert(rows, keys)
  for (let start = 0; start < all.length; start += rowsPerStatement) {
    await trx(table).insert(all.slice(start, start + rowsPerStatement))
  }
  if (dialect === 'postgres') await moveSequence(trx, table)
}

/** Rows that hold keys may lead to each other in circles, so the keys follow once all the rows are there. */
async function writeKeys(
  trx: Knex,
  table: string,
  rows: readonly RowToWrite[],
  keys: readonly string[],
): Promise<void> {
  for (const { id, columns } of rows) {
    const held = Object.entries(columns).filter(([column, value]) => keys.includes(column) && value !== null)
    if (held.length > 0) await trx(table).where({ id }).update(Object.fromEntries(held))
  }
}

/** `timestamp` columns of MySQL take their values in the session's time zone. The pool gets its connection back as it was. */
async function inUtc(trx: Knex, dialect: DialectName, work: () => Promise<void>): Promise<void> {
  if (dialect !== 'mysql') return work()
  await trx.raw("set @content_router_time_zone = @@session.time_zone, time_zone = '+00:00'")
  try {
    await work()
  } finally {
    await trx.raw('set time_zone = @content_router_time_zone, @content_router_time_zone = null')
  }
}

/** Writes the rows of the types before those that join them: join tables have foreign keys. */
export async function write(
  trx: Knex,
  dialect: DialectName,
  rows: RowsToWrite,
  isJoin: (table: string) => boolean,
  keysOf: KeysOf,
): Promise<void> {
  const tables = [...rows.byTable]
  const inOrder = [
    ...tables.filter(([table]) => !isJoin(table)),
    ...tables.filter(([table]) => isJoin(table)),
  ]
  await inUtc(trx, dialect, async () => {
    for (const [table, ofTable] of inOrder) await writeTable(trx, dialect, table, ofTable, keysOf(table))
    for (const [table, ofTable] of tables) await writeKeys(trx, table, ofTable, keysOf(table))
  })
}
