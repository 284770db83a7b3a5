import type { DialectName } from '../../lib/database'
import type { ColumnType } from '../../lib/schema'
import { type Sql, sql } from '../../lib/sql'
import type { DatePart } from './aggregate-query'

/** Types whose values have a day. */
export const datedTypes: readonly ColumnType[] = ['date', 'datetime', 'timestamp']

/** Arguments of SQLite's functions of dates: instants are stored as milliseconds, days as texts. */
const sqliteDay = (value: Sql, type: ColumnType): Sql =>
  type === 'date' ? value : sql(`? / 1000.0, 'unixepoch'`, [value])

const formats = { year: '%Y-01-01', month: '%Y-%m-01', day: '%Y-%m-%d' } as const

function onSqlite(value: Sql, type: ColumnType, part: DatePart): Sql {
  const day = sqliteDay(value, type)
  if (part === 'week') return sql(`date(?, '-6 days', 'weekday 1')`, [day])
  if (part !== 'quarter') return sql(`strftime('${formats[part]}', ?)`, [day])
  const month = `(cast(strftime('%m', ?) as integer) - 1) / 3 * 3 + 1`
  return sql(`strftime('%Y', ?) || '-' || substr('0' || (${month}), -2) || '-01'`, [day, day])
}

/** TIMESTAMP is read by its seconds, because its text depends on the time zone of the connection. */
const mysqlDay = (value: Sql, type: ColumnType): Sql =>
  type === 'timestamp' ? sql(`timestampadd(second, floor(unix_timestamp(?)), '1970-01-01')`, [value]) : value

function onMysql(value: Sql, type: ColumnType, part: DatePart): Sql {
  const day = mysqlDay(value, type)
  if (part === 'week') return sql(`date_format(date_sub(?, interval weekday(?) day), '%Y-%m-%d')`, [day, day])
  if (part !== 'quarter') return sql(`date_format(?, '${formats[part]}')`, [day])
  return sql(`concat(date_format(?, '%Y-'), lpad(quarter(?) * 3 - 2, 2, '0'), '-01')`, [day, day])
}

/** The epoch of a column with a time zone and of one without are both in UTC. */
function onPostgres(value: Sql, type: ColumnType, part: DatePart): Sql {
  const day =
    type === 'date'
      ? sql('cast(? as timestamp)', [value])
      : sql(`to_timestamp(extract(epoch from ?)) at time zone 'UTC'`, [value])
  return sql(`case when isfinite(?) then date_trunc('${part}', ?) end`, [value, day])
}

const writers = { sqlite: onSqlite, mysql: onMysql, postgres: onPostgres } as const

/** The first day of a part of the date. Weeks begin on Monday; days are those of UTC. */
export const firstDayOf = (dialect: DialectName, value: Sql, type: ColumnType, part: DatePart): Sql =>
  writers[dialect](value, type, part)

/** The day as a text: `2026-01-01`. PostgreSQL writes it once for each group, because that takes longer than grouping. */
export const textOfDay = (dialect: DialectName, day: Sql): Sql =>
  dialect === 'postgres' ? sql(`to_char(?, 'YYYY-MM-DD')`, [day]) : day
