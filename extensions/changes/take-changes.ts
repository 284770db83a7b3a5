import type { ChangeBook } from './change-book'
import { type ChangedRow, type LogMessage, type LogPlace, type LoggedColumn, readChangedRow } from './decode'
import type { ChangedInTable } from './table-changes'

/**
 * Bytes that a transaction with row changes alone logs at its commit. Transactions that changed the catalog, dropped
 * files, used savepoints or were prepared log more.
 */
const plainCommit = 48n

/** Bytes of a page header of the log, also inside an entry. */
const pageHeader = 24n

/** Known table names, dropped tables included. */
const mostNames = 10_000

/** Changed rows of a transaction in a table that are listed one by one. */
const mostRows = 1000

/** The changed rows of a table; null for any. */
export interface ChangedRows extends ChangedInTable {
  /** Rows that were published before, or are now. Drafts do not count towards its limit. */
  readonly published: readonly ChangedRow[] | null
}

export type ChangedTables = ReadonlyMap<string, ChangedRows>

/** The changes of a transaction, logged at its commit. */
export interface LoggedCommit {
  /** The last 32 bits of its number. */
  readonly transaction: number
  readonly tables: ChangedTables | null
  /** True if it changed only rows. */
  readonly isPlain: boolean
}

interface NamedTable {
  readonly name: string
  readonly columns: readonly LoggedColumn[]
  readonly matters: boolean
}

interface OpenTransaction {
  readonly number: number
  readonly tables: Map<string, OpenRows>
  /** True if it changed a table with an unknown name. */
  isVague: boolean
}

export interface TakingChanges {
  readonly take: (message: LogMessage) => void
  /** All commits before this position are in the book. */
  readonly reached: () => LogPlace
  readonly isFull: () => boolean
}

interface OpenRows extends ChangedRows {
  readonly all: ChangedRow[] | null
  readonly published: ChangedRow[] | null
}

const withRow = (rows: ChangedRow[] | null, row: ChangedRow): ChangedRow[] | null => {
  if (rows === null || rows.length >= mostRows) return null
  rows.push(row)
  return rows
}

function addRow(rows: OpenRows, bytes: Buffer, { columns }: NamedTable): OpenRows {
  const row = rows.published === null ? null : readChangedRow(bytes, columns)
  if (row === null) return { ...rows, all: null, published: null }
  const { all, published } = rows
  return {
    ...rows,
    all: withRow(all, row),
    published: row.isPublished === true ? withRow(published, row) : published,
  }
}

/** True if the whole old row is logged, so that the changed columns are known. */
const areLoggedWhole = (columns: readonly LoggedColumn[]): boolean => columns.every(({ isKey }) => isKey)

function isPlainCommit(from: LogPlace, end: LogPlace, pageSize: bigint): boolean {
  const isOnTwoPages = from / pageSize !== (end - 1n) / pageSize
  return end - from - (isOnTwoPages ? pageHeader : 0n) <= plainCommit
}

const named = (
  { name, columns }: LogMessage & { readonly kind: 'table' },
  { isRead, isWatched }: TakingSettings,
): NamedTable => ({
  ...{ name, columns },
  matters: isRead(name) && (isWatched || areLoggedWhole(columns)),
})

interface TakingSettings {
  readonly pageSize: bigint
  /** True if responses are read from the table, so that its rows matter. */
  readonly isRead: (table: string) => boolean
  /** Hook or listeners need the changed documents. */
  readonly isWatched: boolean
  readonly onCommit: (commit: LoggedCommit) => void
}

export function takeChanges(book: ChangeBook, settings: TakingSettings): TakingChanges {
  const { pageSize, onCommit } = settings
  const names = new Map<number, NamedTable>()
  let open: OpenTransaction | null = null
  let reached = 0n

  const reach = (end: LogPlace): void => {
    if (end > reached) reached = end
  }
  const change = ({ tables }: OpenTransaction, table: NamedTable, rows: Buffer | null): void => {
    const { name, matters } = table
    const columns = table.columns.length
    const known = tables.get(name) ?? { all: [], published: [], columns }
    if (rows !== null && matters) tables.set(name, addRow(known, rows, table))
    else tables.set(name, { all: null, published: null, columns })
  }
  const changeAll = (transaction: OpenTransaction, numbers: readonly number[], rows: Buffer | null): void => {
    for (const number of numbers) {
      const table = names.get(number)
      if (table === undefined) transaction.isVague = true
      else change(transaction, table, rows)
    }
  }
  const commit = ({ number: transaction, tables, isVague }: OpenTransaction, isPlain: boolean): void => {
    book.committed(transaction, isVague || !isPlain ? null : tables)
    onCommit({ transaction, tables: isVague ? null : tables, isPlain })
  }

  return {
    take: (message) => {
      switch (message.kind) {
        case 'begin':
          open = { number: message.transaction, tables: new Map(), isVague: false }
          break
        case 'table':
          if (names.size >= mostNames) throw new Error('the log names too many tables')
          names.set(message.number, named(message, settings))
          break
        case 'change':
          if (open === null) throw new Error('a change in the WAL belongs to no transaction')
          changeAll(open, message.tables, message.rows)
          break
        case 'commit':
          if (open === null) throw new Error('the WAL ends a transaction without a start')
          commit(open, isPlainCommit(message.from, message.end, pageSize))
          open = null
          reach(message.end)
          break
        case 'place':
          reach(message.end)
          break
        case 'other':
      }
    },
    reached: () => reached,
    isFull: book.isFull,
  }
}
