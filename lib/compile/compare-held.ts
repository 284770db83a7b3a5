import type { HeldKey } from '../query'
import type { ColumnType } from '../schema'
import type { SqlScope } from './sql-scope'
import { type Sql, sql } from './sql'

/** A value that rows are sorted by beside one that a cursor holds. */
export function compareHeld(
  { dialect, matching }: SqlScope,
  { value, type }: { readonly value: Sql; readonly type: ColumnType },
  held: NonNullable<HeldKey>,
): (sign: '>' | '<' | '>=' | '<=' | '=') => Sql {
  const operand = dialect.keys.operand(held, type)
  const other = type === 'string' ? dialect.text[matching].ordered(operand) : operand
  return (sign) => sql(`? ${sign} ?`, [value, other])
}
