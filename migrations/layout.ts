import type { PhysicalColumn, PhysicalType } from '../lib/schema'
import type { TableLayout } from '../lib/tables/table-dialect'

const column = (name: string, type: PhysicalType): PhysicalColumn => ({ column: name, type })

function columns(types: Readonly<Record<string, PhysicalType>>): readonly PhysicalColumn[] {
  return Object.entries(types).map(([name, type]) => column(name, type))
}

/** A table with columns of its own and nothing else. */
export function plainTable(table: string, own: Readonly<Record<string, PhysicalType>>): TableLayout {
  return { table, columns: [column('id', 'increments'), ...columns(own)], indexes: [], foreignKeys: [] }
}

/** A content type's table: what every entry has stands around its own columns. */
export function entryTable(table: string, own: Readonly<Record<string, PhysicalType>>): TableLayout {
  const creators = ['created_by_id', 'updated_by_id']
  const name = (creator: string): string => `${table}_${creator}_fk`
  return {
    table,
    columns: [
      column('id', 'increments'),
      column('document_id', 'string'),
      ...columns(own),
      ...columns({ created_at: 'datetime', updated_at: 'datetime', published_at: 'datetime' }),
      ...creators.map((creator) => column(creator, 'key')),
      column('locale', 'string'),
    ],
    indexes: [
      { name: `${table}_documents_idx`, columns: ['document_id', 'locale', 'published_at'], unique: false },
      ...creators.map((creator) => ({ name: name(creator), columns: [creator], unique: false })),
    ],
    foreignKeys: creators.map((creator) => ({
      name: name(creator),
      column: creator,
      table: 'admin_users',
      onDelete: 'SET NULL',
    })),
  }
}

interface Ends {
  /** The column, and the table that it leads to. */
  readonly from: readonly [column: string, table: string]
  readonly to: readonly [column: string, table: string]
  readonly order: string
}

/** The join table of a to-one relation whose other side is a list. */
export function linkTable(table: string, { from, to, order }: Ends): TableLayout {
  return {
    table,
    columns: columns({ id: 'increments', [from[0]]: 'key', [to[0]]: 'key', [order]: 'order' }),
    indexes: [
      { name: `${table}_fk`, columns: [from[0]], unique: false },
      { name: `${table}_ifk`, columns: [to[0]], unique: false },
      { name: `${table}_uq`, columns: [from[0], to[0]], unique: true },
      { name: `${table}_oifk`, columns: [order], unique: false },
    ],
    foreignKeys: [
      { name: `${table}_fk`, column: from[0], table: from[1], onDelete: 'CASCADE' },
      { name: `${table}_ifk`, column: to[0], table: to[1], onDelete: 'CASCADE' },
    ],
  }
}
