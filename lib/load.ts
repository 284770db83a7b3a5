// Comes in: what `permit` made, and a Database. Goes out: the rows of every level, level by level, as arrays, tied to the
// rows they hang on. Refused: nothing; whatever could be refused has been before the first connection is asked for.
import { LRUCache } from 'lru-cache'
import type { Permitted } from './access'
import { type Database, isLost, isStale } from './database'
import { type Below, compilePlan, type Compiled, type CompiledLevel } from './load/compile'
import { withConnection, type OnConnection, type OnStatement } from './load/connection'
import type { Dialect, Matching, Row } from './load/dialect'
import { eachOnce, expand, type Run } from './load/follow'
import { mysql } from './load/mysql'
import { postgres } from './load/postgres'
import { makePreparing, neverPrepared, type Preparing } from './load/prepared'
import type { Rows } from './load/rows'
import { notationOf } from './load/sql'
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
export { countEntries, type Entries } from './load/entries'
export { type DescribedLevel, describeLevels } from './load/purposes'
export type { Statement } from './load/statement'
export { makeStop, type Stop } from './load/stop'
export { alwaysPrepared } from './load/prepared'
export { whileBusy } from './load/while-busy'
export type { LoadWatch, Ran } from './load/watch'

const dialects = { sqlite, mysql, postgres } as const

export const dialectOf = ({ dialect }: Database): Dialect => dialects[dialect]

/** As many as there are plans, so that what these hold is held once. */
const mostKept = 1000

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

const isReadApart = ({ links, targets }: CompiledLevel): boolean =>
  links.length > 0 || targets.some((target) => target.found.by !== 'rows' || isReadApart(target))

/** One statement sees one state of the database by itself. */
function takesSeveral({ root, page, select, totalAt }: Compiled): boolean {
  const countsApart = page?.withCount === true && totalAt === null
  return isReadApart(root) || select.before.length > 0 || countsApart
}

/** How a plan is run: in several statements or in one, and what of it the database keeps prepared. */
interface Way {
  readonly several: boolean
  readonly prepared: Preparing
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
  const once = eachOnce(found)
  const [total, rows] = await Promise.all([countAll(run, compiled, once.rows), expand(run, root, once)])
  return { rows, total }
}

export function makeLoader(
  database: Database,
  schema: Schema,
  { textMatching: matching, consistency }: LoadSettings,
  onStatement: OnStatement,
): Loader {
  const dialect = dialectOf(database)
  // The others take no names.
  const prepared = database.dialect === 'postgres' ? makePreparing() : neverPrepared
  const notation = notationOf(database.knex, dialect.placeholder)
  const kept = new LRUCache<string, Below>({ max: mostKept })
  const compiler = { kept, notation, dialect, matching, modelOf: (uid: Uid) => modelOf(schema, uid) }
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
      const way = { several: takesSeveral(compiled), prepared, watch, onConnection }
      // Reads change nothing, so what was lost with its connection is read once more on another.
      const attempt = (): Promise<Loaded> =>
        read(compiled, stop, way).catch((error: unknown) => {
          if (isLost(error) || isStale(error))
            return read(compiled, stop, { ...way, prepared: neverPrepared })
          throw error
        })
      return database.dialect === 'sqlite' ? whileBusy(attempt, { patience: Infinity, stop }) : attempt()
    },
  }
}
