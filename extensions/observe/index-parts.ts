import type { DialectName } from '../../lib/database'
import type { Order } from '../../lib/plan'
import type { Column } from '../../lib/schema'
import { quoteName } from '../../lib/tables'

export interface ComparisonSettings {
  readonly dialect: DialectName
  readonly textMatching: 'exact' | 'database'
}

/** Part of an index that a condition or sort of the router can use. Null: no index serves this use. */
export function indexPart(
  settings: ComparisonSettings,
  { column: name, type, extent, isExisting }: Column,
  use: 'equality' | 'range' | 'order',
): string | null {
  const isExact = settings.textMatching === 'exact'
  const column = quoteName(settings, name)
  if (type === 'json') return null
  switch (settings.dialect) {
    case 'postgres':
      // PostgreSQL rejects rows with index entries above 2,704 bytes.
      if (type === 'string' && extent !== 'line' && isExisting !== true) return null
      if (type === 'string' && use !== 'equality' && isExact) return `${column} collate "C"`
      if (isExisting !== true || use === 'order' || !(type === 'id' || type === 'integer')) return column
      // Existing integers are compared as numeric. Without statistics, no range uses such an index.
      return use === 'equality' ? `(cast(${column} as numeric))` : null
    case 'sqlite':
      // SQLite prefers the order of ids to an index for a range.
      if (use === 'range') return null
      // Existing columns may contain instants as texts, which are converted.
      if (isExisting === true && (type === 'datetime' || type === 'timestamp')) return null
      return type === 'string' && isExact ? `${column} collate binary` : column
    case 'mysql':
      // With an index on it, lists in the order of ids would be sorted.
      if (name === 'published_at' && isExisting !== true) return null
      // Timestamps are sorted by their seconds.
      if (type === 'timestamp' && use === 'order') return null
      if (type !== 'string') return column
      if (use === 'equality') return extent === 'line' ? column : `${column}(191)`
      // Texts are compared as bytes, which no index contains.
      return use === 'order' && extent === 'line' && !isExact ? column : null
  }
}

/** Adds the direction and the place of NULLs, as the router sorts. */
export function sortedPart(settings: ComparisonSettings, { column, direction }: Order<never>): string | null {
  const part = indexPart(settings, column, 'order')
  if (part === null) return null
  const directed = direction === 'desc' ? `${part} desc` : part
  const hasNulls =
    settings.dialect === 'postgres' && settings.textMatching === 'exact' && column.name !== 'id'
  return hasNulls ? `${directed} nulls ${direction === 'desc' ? 'last' : 'first'}` : directed
}
