import type { Column } from '../schema'
import { named } from './dialect'
import { column, type SqlScope } from './sql-scope'
import { type Sql, sql } from './sql'

/** Whether a column has to be looked up where rows are sorted. */
export const isLookedUp = ({ dialect }: SqlScope, { type }: Pick<Column, 'type'>): boolean =>
  type === 'json' && dialect.sortedJson !== null

/** What is read of a row's column in a statement that sorts the rows, without the column being one of what it sorts. */
export function lookedUp(
  scope: SqlScope,
  { alias, table }: { readonly alias: string; readonly table: string },
  name: string,
  read: (column: string) => Sql,
): Sql {
  const self = scope.alias()
  const keys = [column(self, 'id'), column(alias, 'id')]
  return sql('(select ? from ?? as ?? where ?? = ??)', [read(column(self, name)), table, self, ...keys])
}

/** A column of a row as it is stored, looked up where it has to be. */
export const storedIn = (
  scope: SqlScope,
  rows: { readonly alias: string; readonly table: string },
  own: Pick<Column, 'column' | 'type'>,
): Sql =>
  isLookedUp(scope, own) ? lookedUp(scope, rows, own.column, named) : named(column(rows.alias, own.column))
