import { once } from '../../lib/memory'
import type { ChangedRow } from './decode'
import type { ChangedRows, ChangedTables, LoggedCommit } from './take-changes'

/** Rows of a table that are listed one by one, over all waiting commits. */
const most = 1000

/** Logged commits that were not reported yet, oldest first. */
export interface WaitingCommits {
  readonly push: (commit: LoggedCommit) => void
  readonly first: () => LoggedCommit | undefined
  readonly takeFirst: () => void
  readonly size: () => number
  readonly arePlain: () => boolean
}

interface Room {
  all: number
  published: number
}

const sizeOf = (rows: readonly ChangedRow[] | null): number => rows?.length ?? 0

/** Drafts have a limit of their own: a reset would reveal that there are many. */
function fitted({ all, published, ...rest }: ChangedRows, room: Room): ChangedRows {
  const shown = room.published + sizeOf(published) > most ? null : published
  const isFull = room.all + sizeOf(all) > most
  return {
    ...rest,
    all: shown === null || isFull ? null : all,
    published: sizeOf(published) === 0 ? published : shown,
  }
}

export function makeWaitingCommits(): WaitingCommits {
  const commits: LoggedCommit[] = []
  let unplain = 0
  const rooms = new Map<string, Room>()
  const roomOf = (table: string): Room => once(rooms, table, () => ({ all: 0, published: 0 }))

  const count = ({ tables, isPlain }: LoggedCommit, sign: 1 | -1): void => {
    if (!isPlain) unplain += sign
    for (const [table, { all, published }] of tables ?? []) {
      const room = roomOf(table)
      room.all += sign * sizeOf(all)
      room.published += sign * sizeOf(published)
    }
  }
  const fitAll = (tables: ChangedTables): ChangedTables =>
    new Map([...tables].map(([table, rows]) => [table, fitted(rows, roomOf(table))]))

  return {
    push: (commit) => {
      const { tables } = commit
      const kept = { ...commit, tables: tables === null ? null : fitAll(tables) }
      count(kept, 1)
      commits.push(kept)
    },
    first: () => commits[0],
    takeFirst: () => {
      const taken = commits.shift()
      if (taken !== undefined) count(taken, -1)
    },
    size: () => commits.length,
    arePlain: () => unplain === 0,
  }
}
