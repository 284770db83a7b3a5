import type { Order } from '../plan'
import { isLookedUp, lookedUp } from './looked-up'
import { column, type SqlScope } from './sql-scope'
import { type Sql, sql } from './sql'

/** What a value is put in order by. MySQL orders a TIMESTAMP by the time of day of the session's zone, where an hour comes twice a year. */
export function comparable(scope: SqlScope, alias: string, { column: by, table }: Order<never>): Sql {
  const { column: name, type, extent } = by
  const { dialect, matching } = scope
  const { sortedJson } = dialect
  if (type === 'json' && sortedJson !== null)
    return lookedUp(scope, { alias, table }, name, (own) => sortedJson(sql('??', [own])))
  const value = sql('??', [column(alias, name)])
  if (type === 'timestamp') return dialect.compared(value, type)
  return type === 'string' ? dialect.text[matching].sorted(value, extent === 'line') : value
}

/** What is NULL where there is nothing to put a row in order by. */
export const perhapsNull = (scope: SqlScope, alias: string, order: Order<never>): Sql =>
  isLookedUp(scope, order.column)
    ? comparable(scope, alias, order)
    : sql('??', [column(alias, order.column.column)])
