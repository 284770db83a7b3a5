// Comes in: what `permit` made, and a Database. Goes out: the rows of every level, level by level, as arrays, tied to the
// rows they hang on. Refused: nothing; whatever could be refused has been before the first connection is asked for.
import type { Permitted } from './access'
import { type Database, isLost, isStale } from './database'
import { compilePlan, type Compiled } from './load/compile'
import { withConnection, type OnConnection, type OnStatement } from './load/connection'
import type { Dialect, Matching, Row } from './load/dialect'
import { expand, type Run } from './load/follow'
import { mysql } from './load/mysql'
import { postgres } from './load/postgres'
import type { Rows } from './load/rows'
import { sqlite } from './load/sqlite'
import { type Stop } from './load/stop'
import { whileBusy } from './load/while-busy'
import { type LoadWatch } from './load/watch'
import { modelOf, type Schema, type Uid } from './schema'

export type { Compiled, CompiledBranch, CompiledLevel } from './load/compile'
export { type Form, type Matching, notJson, type Row } from './load/dialect'
export type { Child, Rows } from './load/rows'
export { type OnConnection, type OnStatement, withConnection } from './load/connection'
export type { Run } from './load/follow'
export { countEntries } from './load/entries'
export { type DescribedLevel, describeLevels } from './load/purposes'
export type { Statement } from './load/statement'
export { makeStop, type Stop } from './load/stop'
export { whileBusy } from './load/while-busy'
export type { LoadWatch, Ran } from './load/watch'

const dialects = { sqlite, mysql, postgres } as const

export const dialectOf = ({ dialect }: Database): Dialect => dialects[dialect]

export interface Loaded {
  readonly rows: Rows
  /** Null where it was not asked for. */
  readonly total: number | null
}

export interface LoadSettings {
  readonly textMatching: Matching
  readonly consistency: 'snapshot' | 'relaxed'
}

/** Reads from one database. */
export interface Loader {
  /** Writes the SQL of a plan, once. */
  readonly compile: (permitted: Permitted) => Compiled
  readonly load: (
    compiled: Compiled,
    stop: Stop,
    watch: LoadWatch | null,
    onConnection?: OnConnection,
  ) => Promise<Loaded>
}

/** A page that is not full, or not the first yet not empty, tells the total by itself. */
function totalFromPage({ page, totalAt }: Compiled, rows: readonly Row[]): number | null {
  const [first] = rows
  if (totalAt !== null && first !== undefined) return Number(first[totalAt])
  if (page === null || rows.length >= page.limit || (first === undefined && page.start > 0)) return null
  return page.start + rows.length
}

async function countAll(run: Run, compiled: Compiled, rows: readonly Row[]): Promise<number | null> {
  if (compiled.page?.withCount !== true) return null
  const known = totalFromPage(compiled, rows)
  if (known !== null) return known
  const [row] = await run(compiled.total)
  return Number(row?.[0])
}

/** One statement sees one state of the database by itself. */
function takesSeveral({ root, page, select, totalAt }: Compiled): boolean {
  return (
    root.branches.length > 0 || select.before.length > 0 || (page?.withCount === true && totalAt === null)
  )
}

/**
 * PostgreSQL keeps a named statement for as long as the connection lives, so only plans that come again are named, and
 * no more of them than its memory will not notice.
 */
const runsBeforePreparing = 2
const mostPrepared = 100

function preparing(): (compiled: Compiled) => boolean {
  const runs = new WeakMap<Compiled, number>()
  let prepared = 0
  return (compiled) => {
    const count = (runs.get(compiled) ?? 0) + 1
    if (count > runsBeforePreparing) return true
    if (count === runsBeforePreparing && prepared >= mostPrepared) return false
    if (count === runsBeforePreparing) prepared += 1
    runs.set(compiled, count)
    return false
  }
}

/** How a plan is run: in several statements or in one, and kept prepared by the database or not. */
interface Way {
  readonly several: boolean
  readonly prepared: boolean
  readonly watch: LoadWatch | null
  readonly onConnection: OnConnection | undefined
}

/** Null where one statement was not enough after all. */
async function readAll(run: Run, compiled: Compiled, { several, watch }: Way): Promise<Loaded | null> {
  const { root, page, select } = compiled
  watch?.connected()
  const found = await run(select)
  const isBeyondAll = found.length === 0 && page !== null && page.start > 0
  if (!several && page?.withCount === true && isBeyondAll) return null
  const [total, rows] = await Promise.all([countAll(run, compiled, found), expand(run, root, found)])
  return { rows, total }
}

export function makeLoader(
  database: Database,
  schema: Schema,
  { textMatching: matching, consistency }: LoadSettings,
  onStatement: OnStatement,
): Loader {
  const dialect = dialectOf(database)
  const isPrepared = preparing()
  const compiler = { knex: database.knex, dialect, matching, modelOf: (uid: Uid) => modelOf(schema, uid) }
  const read = async (compiled: Compiled, stop: Stop, way: Way): Promise<Loaded> => {
    const { several, prepared, watch } = way
    const snapshot = several && consistency === 'snapshot'
    const reading = { database, dialect, onStatement, snapshot, prepared, stop, watch }
    const loaded = await withConnection(reading, async (run, connection) => {
      if (way.onConnection !== undefined) await way.onConnection(run, connection)
      return readAll(run, compiled, way)
    })
    // No row brought the total of a page behind the last: page and total are read anew, together.
    return loaded ?? read(compiled, stop, { ...way, several: true })
  }
  return {
    compile: (permitted) => compilePlan(compiler, permitted),
    load: (compiled, stop, watch, onConnection) => {
      const way = { several: takesSeveral(compiled), prepared: isPrepared(compiled), watch, onConnection }
      // Reads change nothing, so what was lost with its connection is read once more on another.
      const attempt = (): Promise<Loaded> =>
        read(compiled, stop, way).catch((error: unknown) => {
          if (isLost(error) || isStale(error)) return read(compiled, stop, { ...way, prepared: false })
          throw error
        })
      return database.dialect === 'sqlite' ? whileBusy(attempt, { patience: Infinity, stop }) : attempt()
    },
  }
}
