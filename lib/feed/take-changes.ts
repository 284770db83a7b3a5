import type { ChangeBook } from './change-book'
import { type ChangedRow, readChangedRow } from './changed-row'
import type { LogMessage, LogPlace, ToldColumn } from './decode'

/**
 * What a transaction that changed rows and nothing else writes to the log as it commits. Longer is what tells other connections
 * that the catalog has changed, drops files, held savepoints, or had been prepared.
 */
const plainCommit = 48n

/** What stands at the beginning of a page of the log, also amid what is written there. */
const pageHeader = 24n

/** Tables whose names are known, of all that the database has or had. */
const mostNames = 10_000

/** Rows that one transaction changed in a table and that are told one by one. */
const mostRows = 1000

/** The rows of a table that were changed; null where any may be. */
export interface ChangedRows {
  readonly all: readonly ChangedRow[] | null
  /** Those among them that were published before, or are by now: so many drafts as are not told one by one are none of them. */
  readonly published: readonly ChangedRow[] | null
}

export type ChangedTables = ReadonlyMap<string, ChangedRows>

/** What a transaction changed, as it is told when it is committed. */
export interface ToldCommit {
  /** The last 32 bits of its number. */
  readonly transaction: number
  /** Null where it may have changed any table. */
  readonly tables: ChangedTables | null
  /** It changed rows and nothing else. */
  readonly isPlain: boolean
}

interface NamedTable {
  readonly name: string
  readonly columns: readonly ToldColumn[]
}

interface OpenTransaction {
  readonly number: number
  readonly tables: Map<string, OpenRows>
  /** Changed a table whose name is not known. */
  isVague: boolean
}

export interface TakingChanges {
  readonly take: (message: LogMessage) => void
  /** All that was committed before this place in the log is in the book. */
  readonly reached: () => LogPlace
  readonly isFull: () => boolean
}

interface OpenRows extends ChangedRows {
  readonly all: ChangedRow[] | null
  readonly published: ChangedRow[] | null
}

const anyRows: OpenRows = { all: null, published: null }

const withRow = (rows: ChangedRow[] | null, row: ChangedRow): ChangedRow[] | null => {
  if (rows === null || rows.length >= mostRows) return null
  rows.push(row)
  return rows
}

function addRow(rows: OpenRows, told: Buffer | null, { columns }: NamedTable): OpenRows {
  if (rows.published === null) return anyRows
  const row = told === null ? null : readChangedRow(told, columns)
  if (row === null) return anyRows
  const { all, published } = rows
  return { all: withRow(all, row), published: row.isPublished === true ? withRow(published, row) : published }
}

/** `pageSize`: bytes of a page of the log. */
function isPlainCommit(from: LogPlace, end: LogPlace, pageSize: bigint): boolean {
  const isOnTwoPages = from / pageSize !== (end - 1n) / pageSize
  return end - from - (isOnTwoPages ? pageHeader : 0n) <= plainCommit
}

interface TakingSettings {
  /** Bytes of a page of the log. */
  readonly pageSize: bigint
  /** Whether it matters which rows of a table were changed. */
  readonly tellsRows: (table: string) => boolean
  readonly onCommit: (commit: ToldCommit) => void
}

/** Writes what the log tells into the book. */
export function takeChanges(
  book: ChangeBook,
  { pageSize, tellsRows, onCommit }: TakingSettings,
): TakingChanges {
  const names = new Map<number, NamedTable>()
  let open: OpenTransaction | null = null
  let reached = 0n

  const reach = (end: LogPlace): void => {
    if (end > reached) reached = end
  }
  const change = ({ tables }: OpenTransaction, table: NamedTable, rows: Buffer | null): void => {
    const { name } = table
    const known = tables.get(name) ?? { all: [], published: [] }
    tables.set(name, tellsRows(name) ? addRow(known, rows, table) : anyRows)
  }
  const changeAll = (transaction: OpenTransaction, numbers: readonly number[], rows: Buffer | null): void => {
    for (const number of numbers) {
      const table = names.get(number)
      if (table === undefined) transaction.isVague = true
      else change(transaction, table, rows)
    }
  }
  const commit = ({ number: transaction, tables, isVague }: OpenTransaction, isPlain: boolean): void => {
    book.committed(transaction, isVague || !isPlain ? null : new Set(tables.keys()))
    onCommit({ transaction, tables: isVague ? null : tables, isPlain })
  }

  return {
    take: (message) => {
      switch (message.kind) {
        case 'begin':
          open = { number: message.transaction, tables: new Map(), isVague: false }
          break
        case 'table':
          if (names.size >= mostNames) throw new Error('the log tells of too many tables')
          names.set(message.number, message)
          break
        case 'change':
          if (open === null) throw new Error('a change of no transaction')
          changeAll(open, message.tables, message.rows)
          break
        case 'commit':
          if (open === null) throw new Error('the end of no transaction')
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
