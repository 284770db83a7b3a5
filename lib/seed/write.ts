import type { Knex } from 'knex'
import type { DialectName } from '../database'
import type { RowToWrite } from './rows'

const rowsPerStatement = 100

export interface TableToWrite {
  readonly table: string
  readonly rows: readonly RowToWrite[]
  /** Columns that hold keys of other rows. */
  readonly keys: readonly string[]
}

/** Every row of a statement names the same columns; what a row does not say is null. */
function toInsert({ rows, keys }: TableToWrite): readonly Record<string, unknown>[] {
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

async function writeTable(trx: Knex, dialect: DialectName, written: TableToWrite): Promise<void> {
  const { table } = written
  const all = toInsert(written)
  for (let start = 0; start < all.length; start += rowsPerStatement) {
    await trx(table).insert(all.slice(start, start + rowsPerStatement))
  }
  if (dialect === 'postgres') await moveSequence(trx, table)
}

/** Rows that hold keys may lead to each other in circles, so the keys follow once all the rows are there. */
async function writeKeys(trx: Knex, { table, rows, keys }: TableToWrite): Promise<void> {
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

/** What joins others is to come after them: join tables have foreign keys. */
export async function writeTables(
  trx: Knex,
  dialect: DialectName,
  tables: readonly TableToWrite[],
): Promise<void> {
  await inUtc(trx, dialect, async () => {
    for (const table of tables) await writeTable(trx, dialect, table)
    for (const table of tables) await writeKeys(trx, table)
  })
}
