// Comes in: what `permit` made, and a Database. Goes out: the rows of every level, level by level, as arrays, tied to the
// rows they hang on. Refused: more entries than the role may be shown; all else was
// refused before the first connection is asked for.
import type { BoundAsker } from './access'
import { type Database, isLost, isPreparedElsewhere, isStale } from './database'
import { type Compiled, dialectOf } from './compile'
import {
  type LoadEvent,
  type OnConnection,
  type OnStatement,
  runsSql,
  withConnection,
  readAgain,
} from './load/with-connection'
import { rowCounter } from './load/level-rows'
import { noting } from './load/noting'
import { neverPrepared, type StatementPreparing, type Preparing } from './load/preparing'
import { type Approach, approach, type LoadedAnswer, readAll } from './load/loaded-answer'
import type { KnownTotal } from './freshness'
import { type Stop, whileBusy } from './load/stop'

export { basisOf, type ReadFrom } from './load/noting'
export { type Child, type LevelRows, checkEntries, countEntries, type EntryCounts } from './load/level-rows'
export {
  type LoadEvent,
  type OnConnection,
  type OnStatement,
  type StatementResult,
  type RanStatement,
  ownConnection,
  readAgain,
} from './load/with-connection'
export type { LoadedAnswer, PagePlace } from './load/loaded-answer'
export { makeStop, type Stop, whileBusy } from './load/stop'
export { preparedStatements, unprepared } from './load/preparing'

/** Who looks on while an answer is loaded, what it is to find out, and what is known of it. */
export interface LoadAsking {
  readonly emit: ((event: LoadEvent) => void) | null
  readonly total: KnownTotal | null
  readonly onConnection: OnConnection | undefined
  /** Whose values rules compare with. */
  readonly asker: BoundAsker
  /** How many entries the answer may show. */
  readonly maxEntries: number
}

/** Reads from one database. */
export type Load = (compiled: Compiled, stop: Stop, asking: LoadAsking) => Promise<LoadedAnswer>

/** How a plan is run, and what of it the database keeps prepared. */
interface LoadWay extends Approach {
  readonly prepared: Preparing
  readonly emit: LoadAsking['emit']
  readonly onConnection: OnConnection | undefined
  readonly asker: BoundAsker
  readonly maxEntries: number
}

export function makeLoader(database: Database, prepared: StatementPreparing, onStatement: OnStatement): Load {
  const dialect = dialectOf(database)
  const read = async (compiled: Compiled, stop: Stop, way: LoadWay): Promise<LoadedAnswer> => {
    const { prepared, emit, asker } = way
    const reading = { database, dialect, onStatement, snapshot: way.several, prepared, stop, emit, asker }
    const loaded = await withConnection(reading, async (plainRun, connection) => {
      emit?.({ kind: 'stage', stage: 'load' })
      const { run, from } = noting(plainRun, compiled.page?.withCount === true ? [compiled.total] : [])
      const count = rowCounter(way.maxEntries)
      const found = await readAll(
        { run, count, connection, dialect, isInSnapshot: way.several },
        compiled,
        way,
      )
      if (found === null) return null
      const read = { run: runsSql(dialect, connection), connection, isInSnapshot: way.several }
      if (!stop.isStopped()) await way.onConnection?.({ ...read, from: from(found.rows) })
      return found
    })
    if (loaded !== null) return loaded
    const total = way.total && { ...way.total, isLikely: false }
    return read(compiled, stop, { ...way, ...approach(compiled, total), several: true })
  }
  return (compiled, stop, asking) => {
    const way = { ...asking, ...approach(compiled, asking.total), prepared: prepared.ofPlans }
    const isWorthIt = (error: unknown): boolean => {
      const isElsewhere = isPreparedElsewhere(error)
      if (isElsewhere) prepared.giveUp()
      return isElsewhere || isLost(error) || isStale(error)
    }
    // What the first reading told of the state that it saw is told anew: another server may be behind.
    const attempt = (isAgain: boolean): Promise<LoadedAnswer> =>
      read(compiled, stop, isAgain ? { ...way, prepared: neverPrepared } : way)
    return whileBusy(() => readAgain(database, attempt, isWorthIt), { patience: Infinity, stop })
  }
}
