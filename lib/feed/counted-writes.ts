import { randomUUID } from 'node:crypto'
import type { Logger } from '../config'
import { RequestError } from '../errors'
import { type CountedTables, readCountedTables } from './counted-tables'
import type { AskRows } from './ask-rows'
import { makeWriteBook, type WriteBook } from './write-book'
import { countsQuestion, readCounts, type WriteCounts } from './write-counts'

/** How often it is read which tables there are, where a definition may have changed. */
const betweenReadings = 1000

/** A server that cannot tell is not asked again by every request. */
const patience = 10_000

export interface CountedWritesSettings {
  readonly logger: Logger
  /** Whether answers are read from a table. */
  readonly isRead: (table: string) => boolean
  /** SQL that names the server as states do. */
  readonly server: string
}

/** What a server tells of writes, and a name for it. */
export interface ToldWrites extends Pick<WriteCounts, 'status' | 'now' | 'server'> {
  /** The same only where nothing was written in between; null where what was counted says nothing. */
  readonly name: string | null
  /** Nobody is writing: all that was counted can be seen by a reading that begins now. */
  readonly isSettled: boolean
}

export interface CountedWrites {
  /** Asks on one connection, also for these variables of its status. Null where it cannot be asked. */
  readonly tell: (ask: AskRows, status: readonly string[]) => Promise<ToldWrites | null>
  readonly book: () => WriteBook | null
}

/** The tables as they are while no definition is being changed, and what was counted of them since. */
interface CountedRun {
  readonly tables: CountedTables
  readonly book: WriteBook
  readonly definitions: string
  readonly server: string
}

const startOf = ({ now, status }: WriteCounts): number => now - Number(status.get('uptime'))

/** One run of one server. */
const serverOf = (counts: WriteCounts): string => `${String(startOf(counts))} ${counts.server}`

/** Seconds by which the start of a run may seem to be another. */
const inexactness = 2

const isSameRun = (one: WriteCounts, other: WriteCounts): boolean =>
  one.server === other.server && Math.abs(startOf(one) - startOf(other)) <= inexactness

/**
 * Whether something is not counted, or was not since the server was started: locks that were taken while they were not listed
 * never are, however long they are held.
 */
function watchForGaps(tell: (facts: object) => void): (counts: WriteCounts) => boolean {
  let last: WriteCounts | null = null
  return (counts) => {
    const { uncounted } = counts
    if (uncounted.length > 0) {
      last = counts
      tell({ uncounted })
    } else if (last !== null && !isSameRun(last, counts)) last = null
    return last !== null
  }
}

const isOf = ({ definitions, server }: CountedRun, counts: WriteCounts): boolean =>
  definitions === counts.definitions && server === serverOf(counts)

const beginRun = (tables: CountedTables, salt: string, counts: WriteCounts): CountedRun => ({
  tables,
  book: makeWriteBook(tables, salt),
  definitions: counts.definitions,
  server: serverOf(counts),
})

function toldBy(run: CountedRun | null, counts: WriteCounts): ToldWrites {
  const { status, now, server, isWriting, unstable } = counts
  const name = run?.book.note(counts) ?? null
  return { status, now, server, name, isSettled: name !== null && !isWriting && unstable.size === 0 }
}

/** With what code the server refused to tell. Of a connection that is lost nothing follows for what the server counts. */
function refusalIn(error: unknown): unknown {
  const { code, sqlState } = error as { readonly code?: unknown; readonly sqlState?: unknown }
  if (error instanceof RequestError || sqlState === undefined) throw error
  return code
}

/** On MySQL: each table's writes are counted before others can see them, and a lock tells who has not finished. */
export function makeCountedWrites({ logger, isRead, server }: CountedWritesSettings): CountedWrites {
  let run: CountedRun | null = null
  let triedAt = -Infinity
  let failedAt = -Infinity
  let isWarned = false
  let salt = ''

  const giveUp = (facts: object): null => {
    run = null
    // What was kept before may have been written to, uncounted, by the time that all is counted again.
    salt = randomUUID()
    if (!isWarned) logger.warn(facts, 'changes are not followed: each commit costs all answers')
    isWarned = true
    return null
  }

  const hasGap = watchForGaps(giveUp)

  /** The tables are those of what was counted if no definition changed before, while, or after they were read. */
  const begin = async (before: WriteCounts, ask: AskRows, status: readonly string[]): Promise<ToldWrites> => {
    const now = performance.now()
    if (before.isDefining || now - triedAt < betweenReadings) return toldBy(null, before)
    triedAt = now
    const tables = await readCountedTables(ask, isRead)
    if (tables.uncounted.length > 0) {
      giveUp({ tables: tables.uncounted })
      return toldBy(null, before)
    }
    const after = readCounts(await ask(countsQuestion(status, tables.names, server)))
    const begun = beginRun(tables, salt, before)
    if (after === null || hasGap(after) || !isOf(begun, after)) return toldBy(null, before)
    run = begun
    if (isWarned) logger.info({}, 'changes are followed again')
    isWarned = false
    return toldBy(run, after)
  }

  const tell: CountedWrites['tell'] = async (ask, status) => {
    const asked = run
    const counts = readCounts(await ask(countsQuestion(status, asked?.tables.names ?? [], server)))
    if (counts === null) return null
    if (hasGap(counts)) return toldBy(null, counts)
    if (asked !== null && isOf(asked, counts)) return toldBy(asked === run ? asked : null, counts)
    if (asked === run) run = null
    return begin(counts, ask, status)
  }

  return {
    tell: async (ask, status) => {
      if (performance.now() - failedAt < patience) return null
      return tell(ask, status).catch((error: unknown) => {
        const facts = { reason: refusalIn(error) }
        failedAt = performance.now()
        return giveUp(facts)
      })
    },
    book: () => run?.book ?? null,
  }
}
