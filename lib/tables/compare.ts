import type { DialectName } from '../database'
import type { Fault } from '../errors'
import type { Index, PhysicalColumn } from '../schema'
import { declaredType, isSameType, type TableLayout } from './table-dialect'
import type { ActualTable, ActualTables } from './read-tables'

export type Change =
  | { readonly kind: 'table'; readonly layout: TableLayout }
  | { readonly kind: 'column'; readonly table: string; readonly column: PhysicalColumn }
  | { readonly kind: 'index'; readonly table: string; readonly index: Index }

export interface LayoutComparison {
  readonly changes: readonly Change[]
  /** Columns of another type: a migration only adds. */
  readonly refused: readonly Fault[]
  /** `table.column` without a definition. */
  readonly unused: readonly string[]
}

/** An index with the wanted name counts, whatever its columns. */
export function isServed(wanted: Index, existing: readonly Pick<Index, 'name' | 'columns'>[]): boolean {
  const begins = (columns: readonly string[]): boolean =>
    wanted.columns.every((column, place) => columns[place] === column)
  return existing.some(({ name, columns }) => name === wanted.name || begins(columns))
}

function compareTable(dialect: DialectName, layout: TableLayout, actual: ActualTable): LayoutComparison {
  const { table } = layout
  const named = new Set(layout.columns.map(({ column }) => column))
  const missing = layout.columns.filter(({ column }) => !actual.columns.has(column))
  const refused = layout.columns.flatMap(({ column, type }): readonly Fault[] => {
    const found = actual.columns.get(column)
    if (found === undefined || isSameType(dialect, type, found)) return []
    const problem = `the column is ${found}, the definitions ask for ${declaredType(dialect, type)}`
    const remedy = 'change the type by hand, or the definition back: a migration only adds'
    return [{ where: `${table}.${column}`, problem, remedy }]
  })
  const indexes = layout.indexes.filter((index) => !isServed(index, actual.indexes))
  return {
    changes: [
      ...missing.map((column): Change => ({ kind: 'column', table, column })),
      ...indexes.map((index): Change => ({ kind: 'index', table, index })),
    ],
    refused,
    unused: [...(layout.isPart === true ? [] : actual.columns.keys())]
      .filter((column) => !named.has(column))
      .map((column) => `${table}.${column}`),
  }
}

/** `admin_users` is missing without Strapi. */
function reachable(layout: TableLayout, tables: ReadonlySet<string>): TableLayout {
  return { ...layout, foreignKeys: layout.foreignKeys.filter(({ table }) => tables.has(table)) }
}

export function compareLayouts(
  dialect: DialectName,
  layouts: readonly TableLayout[],
  actual: ActualTables,
): LayoutComparison {
  const tables = new Set([...actual.keys(), ...layouts.map(({ table }) => table)])
  const parts = layouts.map((layout): LayoutComparison => {
    const existing = actual.get(layout.table)
    if (existing !== undefined) return compareTable(dialect, layout, existing)
    return { changes: [{ kind: 'table', layout: reachable(layout, tables) }], refused: [], unused: [] }
  })
  return {
    changes: parts.flatMap(({ changes }) => changes),
    refused: parts.flatMap(({ refused }) => refused),
    unused: parts.flatMap(({ unused }) => unused),
  }
}
