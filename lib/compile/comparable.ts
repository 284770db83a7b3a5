import type { Column } from '../schema'
import { column, type SqlScope } from './sql-scope'
import { type Sql, sql } from './sql'

/** What a value is put in order by. MySQL orders a TIMESTAMP by the time of day of the session's zone, where an hour comes twice a year. */
export function comparable(scope: SqlScope, alias: string, { column: name, type, extent }: Column): Sql {
  const value = sql('??', [column(alias, name)])
  if (type === 'timestamp') return scope.dialect.compared(value, type)
  return type === 'string' ? scope.dialect.text[scope.matching].sorted(value, extent === 'line') : value
}
