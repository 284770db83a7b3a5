import { once } from '../memory'
import type { Column, KeptAs, Model } from '../schema'
import type { Planning } from './planning'

const columns = new WeakMap<Column, Map<KeptAs, Column>>()

/** The attribute with how its table keeps it, where that matters; the same one each time. */
export function asKept({ keptAs }: Planning, { table }: Model, column: Column): Column {
  const kept = keptAs(table, column.column)
  if (kept === null || (kept === 'line' && column.type === 'string')) return column
  const known = once(columns, column, () => new Map<KeptAs, Column>())
  return once(known, kept, () => ({ ...column, kept }))
}
