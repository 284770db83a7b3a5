import type { DialectName } from '../../lib/database'
import type { ColumnType } from '../../lib/schema'
import { type Sql, sql } from '../../lib/sql'
import type { DatePart } from './aggregate-query'

/** Types whose values have a day. */
export const datedTypes: readonly ColumnType[] = ['date', 'datetime', 'timestamp']

/** The moment of a value in UTC, for functions of dates. */
function momentOf(dialect: DialectName, value: Sql, type: ColumnType): Sql {
  switch (dialect) {
    case 'sqlite':
      // Instants are milliseconds, or texts of other programs.
      return type === 'date'
        ? value
        : sql(`iif(typeof(?) = 'text', julianday(?), ? / 86400000.0 + 2440587.5)`, [value, value, value])
    case 'mysql':
      // The text of TIMESTAMP depends on the time zone of the connection, its seconds do not. Zero dates have second 0.
      return type === 'timestamp'
        ? sql(`timestampadd(second, floor(nullif(unix_timestamp(?), 0)), '1970-01-01')`, [value])
        : value
    case 'postgres':
      // The epoch is in UTC for columns with and without a time zone.
      return type === 'date'
        ? sql('cast(? as timestamp)', [value])
        : sql(`to_timestamp(extract(epoch from ?)) at time zone 'UTC'`, [value])
  }
}

const onSqlite: Readonly<Record<DatePart, string>> = {
  year: `date(?, 'start of year')`,
  quarter: `date(?, 'start of month', '-' || ((strftime('%m', ?) + 2) % 3) || ' months')`,
  month: `date(?, 'start of month')`,
  week: `date(?, '-6 days', 'weekday 1')`,
  day: 'date(?)',
}

const inFirstMonth = 'date_sub(?, interval (month(?) + 2) % 3 month)'

/** Numbers of days are grouped faster than texts. Zero dates have none. */
const onMysql: Readonly<Record<DatePart, string>> = {
  year: 'to_days(?) - dayofyear(?) + 1',
  quarter: `to_days(${inFirstMonth}) - dayofmonth(${inFirstMonth}) + 1`,
  month: 'to_days(?) - dayofmonth(?) + 1',
  week: 'to_days(?) - weekday(?)',
  day: 'to_days(?)',
}

/** The first day of a part of the date, to group by. Weeks begin on Monday; days are those of UTC. */
export function firstDayOf(dialect: DialectName, value: Sql, type: ColumnType, part: DatePart): Sql {
  const moment = momentOf(dialect, value, type)
  if (dialect === 'postgres')
    return sql(`case when isfinite(?) then date_trunc('${part}', ?) end`, [value, moment])
  const text = (dialect === 'sqlite' ? onSqlite : onMysql)[part]
  return sql(text, Array<Sql>(text.split('?').length - 1).fill(moment))
}

/** The text of a first day: `2026-01-01`. It is written once for each group, because that takes longer than grouping. */
export function textOfDay(dialect: DialectName, day: Sql): Sql {
  if (dialect === 'sqlite') return day
  return sql(dialect === 'mysql' ? `date_format(from_days(?), '%Y-%m-%d')` : `to_char(?, 'YYYY-MM-DD')`, [
    day,
  ])
}
