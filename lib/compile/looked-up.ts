import type { Column } from '../schema'
import { named } from './dialect'
import { column, type SqlScope } from './sql-scope'
import { type Sql, sql } from './sql'

/** Whether a column has to be looked up where rows are sorted. */
export const isLookedUp = ({ dialect }: SqlScope, { type, kept }: Pick<Column, 'type' | 'kept'>): boolean =>
  kept === 'crowded' || (type === 'json' && dialect.sortedJson !== null)

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

/**
 * A column of a row as it is stored, looked up where it has to be. What MySQL keeps as something else is made the text or the double that
 * it is read as, so that it is not compared as a number of six digits, of a member or of a year.
 */
export function storedIn(
  scope: SqlScope,
  rows: { readonly alias: string; readonly table: string },
  own: Pick<Column, 'column' | 'type' | 'kept'>,
): Sql {
  if (isLookedUp(scope, own)) return lookedUp(scope, rows, own.column, named)
  const stored = named(column(rows.alias, own.column))
  if (own.kept !== 'rough') return stored
  return sql(own.type === 'string' ? 'concat(?)' : '? + 0e0', [stored])
}
