// Comes in: what `permit` made, and a Database. Goes out: the rows of every level, level by level, as arrays, tied to the
// rows they hang on. Refused: nothing; whatever could be refused has been before the first connection is asked for.
import { type Database, isLost, isStale } from './database'
import type { Compiled } from './load/compile'
import { withConnection, type OnConnection, type OnStatement } from './load/connection'
import type { Dialect, Matching } from './load/dialect'
import { mysql } from './load/mysql'
import { postgres } from './load/postgres'
import { rowCounter } from './load/entries'
import { type Compile, type Hanging, makeCompile } from './load/hanging'
import { makePreparing, neverPrepared, type Preparing } from './load/prepared'
import { type Approach, approach, type LoadedAnswer, readAll } from './load/reading'
import type { Recall, Sight } from './load/recall'
import { notationOf } from './load/sql'
import { sqlite } from './load/sqlite'
import { type Stop } from './load/stop'
import { whileBusy } from './load/while-busy'
import { type LoadWatch } from './load/watch'
import { makeMemory } from './memory'
import { bytesBelow } from './plan'
import { modelOf, type Schema, type Uid } from './schema'

export type { Compiled, CompiledBranch, CompiledLevel } from './load/compile'
export { type Form, type Matching, notJson, type Row } from './load/dialect'
export type { Child, LevelRows } from './load/rows'
export { type OnConnection, type OnStatement, withConnection } from './load/connection'
export type { Run } from './load/follow'
export { checkEntries, countEntries, type EntryCounts } from './load/entries'
export type { LoadedAnswer } from './load/reading'
export type { Recall, SeenState, Shown, Sight, ToldState } from './load/recall'
export { type DescribedLevel, describeLevels } from './load/purposes'
export type { Statement } from './load/statement'
export { makeStop, type Stop } from './load/stop'
export { makePreparing } from './load/prepared'
export { positionOf } from './load/select'
export { whileBusy } from './load/while-busy'
export type { LoadWatch, Ran } from './load/watch'

const dialects = { sqlite, mysql, postgres } as const

export const dialectOf = ({ dialect }: Database): Dialect => dialects[dialect]

/** Of what hangs on pages. */
const maxBytes = 32 * 1024 * 1024

export interface LoadSettings {
  readonly textMatching: Matching
  readonly consistency: 'snapshot' | 'relaxed'
}

/** Who looks on while an answer is loaded, what it is to find out, and what is known of it. */
export interface LoadAsking {
  readonly watch: LoadWatch | null
  readonly sight: Sight | null
  readonly recall: Recall | null
  readonly onConnection: OnConnection | undefined
  /** How many entries the answer may show. */
  readonly maxEntries: number
}

/** Reads from one database. */
export interface Loader {
  /** Writes the SQL of a plan; the same again for the same plan, unless it had to make room. */
  readonly compile: Compile
  readonly load: (compiled: Compiled, stop: Stop, asking: LoadAsking) => Promise<LoadedAnswer>
}

/** How a plan is run, and what of it the database keeps prepared. */
interface LoadWay extends Approach {
  readonly prepared: Preparing
  readonly watch: LoadWatch | null
  readonly onConnection: OnConnection | undefined
  readonly maxEntries: number
}

export function makeLoader(
  database: Database,
  schema: Schema,
  { textMatching: matching, consistency }: LoadSettings,
  onStatement: OnStatement,
): Loader {
  const dialect = dialectOf(database)
  // The others take no names.
  const prepared = database.dialect === 'postgres' ? makePreparing({ from: 3 }) : neverPrepared
  const notation = notationOf(database.knex, dialect.placeholder)
  const kept = makeMemory<Hanging>({
    maxBytes,
    bytesOf: ({ below }) => bytesBelow(below.branches.map(({ branch }) => branch)),
  })
  const compiler = { notation, dialect, matching, modelOf: (uid: Uid) => modelOf(schema, uid) }
  const read = async (compiled: Compiled, stop: Stop, way: LoadWay): Promise<LoadedAnswer> => {
    const { prepared, watch } = way
    const snapshot = way.several && consistency === 'snapshot'
    const reading = { database, dialect, onStatement, snapshot, prepared, stop, watch }
    const loaded = await withConnection(reading, async (run, connection) => {
      if (way.onConnection !== undefined) await way.onConnection(run, connection)
      watch?.connected()
      const count = rowCounter(way.maxEntries)
      return readAll({ run, count, connection, dialect, isInSnapshot: snapshot }, compiled, way)
    })
    if (loaded !== null) return loaded
    const recall = way.recall && { ...way.recall, isLikely: false }
    return read(compiled, stop, { ...way, ...approach(compiled, { ...way, recall }), several: true })
  }
  return {
    compile: makeCompile(compiler, kept),
    load: (compiled, stop, asking) => {
      const way = { ...asking, ...approach(compiled, asking), prepared }
      // Reads change nothing, so what was lost with its connection is read once more on another. What the first reading
      // told of the state that it saw is told anew: another server may be behind.
      const attempt = (): Promise<LoadedAnswer> =>
        read(compiled, stop, way).catch((error: unknown) => {
          if (!isLost(error) && !isStale(error)) throw error
          return read(compiled, stop, { ...way, prepared: neverPrepared })
        })
      return database.dialect === 'sqlite' ? whileBusy(attempt, { patience: Infinity, stop }) : attempt()
    },
  }
}
