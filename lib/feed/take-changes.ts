import type { ChangeBook } from './change-book'
import type { LogMessage, LogPlace } from './decode'

/**
 * What a transaction that changed rows and nothing else writes to the log as it commits. Longer is what tells other connections
 * that the catalog has changed, drops files, held savepoints, or had been prepared.
 */
const plainCommit = 48n

/** What stands at the beginning of a page of the log, also amid what is written there. */
const pageHeader = 24n

/** Tables whose names are known, of all that the database has or had. */
const mostNames = 10_000

interface OpenTransaction {
  readonly number: number
  readonly tables: Set<string>
  /** Changed a table whose name is not known. */
  isVague: boolean
}

export interface TakingChanges {
  readonly take: (message: LogMessage) => void
  /** All that was committed before this place in the log is in the book. */
  readonly reached: () => LogPlace
  readonly isFull: () => boolean
}

/** Writes what the log tells into the book. */
export function takeChanges(book: ChangeBook, pageSize: bigint): TakingChanges {
  const names = new Map<number, string>()
  let open: OpenTransaction | null = null
  let reached = 0n

  const isPlain = (from: LogPlace, end: LogPlace): boolean => {
    const isOnTwoPages = from / pageSize !== (end - 1n) / pageSize
    return end - from - (isOnTwoPages ? pageHeader : 0n) <= plainCommit
  }
  const reach = (end: LogPlace): void => {
    if (end > reached) reached = end
  }
  const change = (transaction: OpenTransaction, numbers: readonly number[]): void => {
    for (const number of numbers) {
      const name = names.get(number)
      if (name === undefined) transaction.isVague = true
      else transaction.tables.add(name)
    }
  }
  const commit = ({ number, tables, isVague }: OpenTransaction, isPlain: boolean): void => {
    book.committed(number, isVague || !isPlain ? null : tables)
  }

  return {
    take: (message) => {
      switch (message.kind) {
        case 'begin':
          open = { number: message.transaction, tables: new Set(), isVague: false }
          break
        case 'table':
          if (names.size >= mostNames) throw new Error('the log tells of too many tables')
          names.set(message.number, message.name)
          break
        case 'change':
          if (open === null) throw new Error('a change of no transaction')
          change(open, message.tables)
          break
        case 'commit':
          if (open === null) throw new Error('the end of no transaction')
          commit(open, isPlain(message.from, message.end))
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
