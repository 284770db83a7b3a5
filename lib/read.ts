// Input: a compiled plan, and a Database. Output: the rows of every level, as arrays, tied to the rows that lead to
// them. Rejected: more entries than the role may get.
import type { BoundAsker } from './access'
import type { Logger } from './config'
import { type Database, isLost } from './database'
import {
  type Compiled,
  dialectOf,
  type CompiledLevel,
  type Dialect,
  keyReader,
  type PageRead,
  type Row,
} from './sql'
import {
  type LoadEvent,
  type OnConnection,
  runsSql,
  withConnection,
  readAgain,
  neverPrepared,
  retriable,
  type StatementPreparing,
} from './read/with-connection'
import { recordSources } from './read/record-sources'
import type { CachedTotal, PageState } from './freshness'
import { type Deadline, whileBusy } from './read/deadline'
import { LimitError, malformed } from './errors'
import { writeCursor } from './query'
import type { KeysetPage } from './plan'
import { type CountRows, eachOnce, expand, type FollowedRows, type LevelRows, type Run } from './read/expand'

export { basisOf, type ReadFrom } from './read/record-sources'
export type { Child, LevelRows, Run } from './read/expand'
export type * from './read/with-connection'
export { ownConnection, preparedStatements, readAgain, unprepared } from './read/with-connection'
export { inTime, makeDeadline, type Deadline, whileBusy } from './read/deadline'

export interface LoadOptions {
  readonly stop: Deadline
  readonly emit: ((event: LoadEvent) => void) | null
  readonly total: CachedTotal | null
  readonly onConnection: OnConnection
  readonly asker: BoundAsker
  readonly maxEntries: number
  /** Runs more statements on the connection, and returns what is added to `meta`. */
  readonly beside: ((run: Run, page: readonly unknown[]) => Promise<object>) | null
}

export interface Loader {
  readonly database: Database
  readonly dialect: Dialect
  readonly prepared: StatementPreparing
  readonly onStatement: (sql: string) => void
}

export function makeLoader(database: Database, prepared: StatementPreparing, logger: Logger): Loader {
  const onStatement = (sql: string): void => {
    logger.debug({ sql }, 'statement')
  }
  return { database, dialect: dialectOf(database), prepared, onStatement }
}

export function loadRows(loader: Loader, compiled: Compiled, options: LoadOptions): Promise<LoadedRows> {
  const found = approach(compiled, options.total)
  return loadBy(loader, compiled, { ...options, ...found, several: found.several || options.beside !== null })
}

async function loadBy(
  loader: Loader,
  compiled: Compiled,
  way: Approach & Omit<LoadOptions, 'total'>,
): Promise<LoadedRows> {
  const { dialect } = loader
  const { read, total, several, stop } = way
  const readOn = async (plainRun: Run, connection: object): Promise<LoadedRows | null> => {
    const { run, from } = recordSources(plainRun, compiled.page?.withCount === true ? [compiled.total] : [])
    const count = countUpTo(way.maxEntries)
    const found = await readAll({ compiled, dialect, connection, run, count, read, total, several })
    if (found === null) return null
    const page = found.rows.rows.map((row) => row?.[0])
    const beside = (await way.beside?.(run, page)) ?? null
    const state = { run: runsSql(dialect, connection), connection, isInSnapshot: several }
    if (!stop.isStopped()) await way.onConnection({ ...state, from: from(found.rows) })
    return { ...found, beside }
  }
  const loaded = await runReading(loader, readOn, { ...way, snapshot: several, onConnection: undefined })
  if (loaded !== null) return loaded
  const exact = total && { ...total, isLikely: false }
  return loadBy(loader, compiled, { ...way, ...approach(compiled, exact), several: true })
}

export interface PagePlace {
  readonly total: number | null
  readonly isEstimated?: true
  readonly edges: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  } | null
}

export interface LoadedRows extends PagePlace {
  readonly rows: LevelRows
  readonly beside: object | null
}

const isReadApart = ({ links, targets }: CompiledLevel): boolean =>
  links.length > 0 || targets.some((target) => target.found.by !== 'rows' || isReadApart(target))

interface Approach {
  readonly read: PageRead
  readonly total: CachedTotal | null
  /** Several statements need a snapshot; a single one sees one state of the database anyway. */
  readonly several: boolean
}

function approach(compiled: Compiled, total: CachedTotal | null): Approach {
  const { root, page, estimate, withState, withStateAndTotal } = compiled
  const isLikely = total?.isLikely === true
  const read = total === null ? compiled : (isLikely ? withState : withStateAndTotal)()
  const countsApart = page?.withCount === true && compiled.totalAt === null && !isLikely
  return { read, total, several: isReadApart(root) || countsApart || estimate !== null }
}

interface PageReading extends Approach {
  readonly compiled: Compiled
  readonly dialect: Dialect
  readonly connection: object
  readonly run: Run
  readonly count: CountRows
}

interface PageBeingRead {
  readonly read: FollowedRows
  readonly isMore: boolean
  readonly seen: PageState | null
}

interface ReadingOptions extends Pick<LoadOptions, 'stop' | 'emit' | 'asker'> {
  /** False for a single statement. */
  readonly snapshot: boolean
  readonly onConnection: OnConnection | undefined
}

/** Runs statements on one connection, in one state of the database. */
export function runReading<T>(
  { database, dialect, prepared, onStatement }: Loader,
  read: (run: Run, connection: object) => Promise<T>,
  { snapshot, stop, emit, asker, onConnection }: ReadingOptions,
): Promise<T> {
  const reading = { database, dialect, onStatement, snapshot, stop, emit, asker }
  const use = async (plainRun: Run, connection: object): Promise<T> => {
    emit?.({ kind: 'stage', stage: 'load' })
    // Statements of many batches would fill the memory.
    if (onConnection === undefined) return read(plainRun, connection)
    const { run, from } = recordSources(plainRun, [])
    const made = await read(run, connection)
    const state = { run: runsSql(dialect, connection), connection, isInSnapshot: snapshot }
    if (!stop.isStopped()) await onConnection({ ...state, from: from(null) })
    return made
  }
  const attempt = (isAgain: boolean): Promise<T> =>
    withConnection({ ...reading, prepared: isAgain ? neverPrepared : prepared.ofPlans }, use)
  const isWorthIt = retriable(prepared, isLost)
  return whileBusy(() => readAgain(database, attempt, isWorthIt), { patience: Infinity, stop })
}

/** A page, and its last entry for a keyset page behind it. Null if the database cannot compare its sort keys again. */
export interface LoadedBatch {
  readonly loaded: LoadedRows
  readonly last: KeysetPage['from']
}

/** Reads a page on a connection of `runReading`. */
export async function loadBatch(
  batch: Pick<PageReading, 'compiled' | 'dialect' | 'run' | 'connection'> & { readonly maxEntries: number },
): Promise<LoadedBatch> {
  const { root, edges, edgesAt } = batch.compiled
  const count = countUpTo(batch.maxEntries)
  const { read } = await readPage({ ...batch, count, read: batch.compiled, total: null, several: true })
  const row = read.rows.at(-1)
  const keys = row && edges?.keysOf(row, edgesAt + 1)
  const last = row && keys && { id: keyReader(root.level.model)(row[0]), keys }
  const isFit = last !== undefined && writeCursor({ list: '', ...last }) !== null
  const rows = await expand({ ...batch, count }, root, read)
  return { loaded: { rows, total: null, edges: null, beside: null }, last: isFit ? last : null }
}

/** The page, without the extra row that shows that there are more. */
function cutToPage({ page, root }: Compiled, found: readonly Row[]): Omit<PageBeingRead, 'seen'> {
  const read = eachOnce(root, found)
  if (page?.by !== 'cursor' || read.rows.length <= page.limit) return { read, isMore: false }
  const beyond = page.side === 'after' ? read.rows.at(-1) : read.rows[0]
  return {
    read: eachOnce(
      root,
      found.filter((row) => row[0] !== beyond?.[0]),
    ),
    isMore: true,
  }
}

async function readPage(reading: PageReading): Promise<PageBeingRead> {
  const { compiled, dialect, connection, run, read, total, several } = reading
  const [found, shown = null] = await Promise.all([
    run(read.select),
    total?.page.ask?.(runsSql(dialect, connection), connection),
  ])
  const state = read.stateAt === null ? undefined : found[0]?.[read.stateAt]
  const seen = total?.page.read({ connection, state, shown, isInSnapshot: several }) ?? null
  return { ...cutToPage(compiled, found), seen }
}

/** The total that follows from a page which is not full; undefined if it does not follow. */
function totalByRows({ page }: Compiled, { rows }: FollowedRows): number | undefined {
  if (page === null || rows.length >= page.limit) return undefined
  if (page.by === 'cursor') return page.from === null ? rows.length : undefined
  return rows.length === 0 && page.start > 0 ? undefined : page.start + rows.length
}

async function edgesAround(
  { compiled: { page, root, edges }, run, read: { edgesAt } }: PageReading,
  { read: { rows }, isMore }: PageBeingRead,
): Promise<PagePlace['edges']> {
  if (page?.by !== 'cursor' || edges === null) return null
  const { list, side, from, path } = page
  const readKey = keyReader(root.level.model)
  const cursorOf = (row: Row | undefined): string | null => {
    if (row === undefined) return null
    // Keys are undefined if the database could not take one of them back.
    const keys = edges.keysOf(row, edgesAt + 1)
    const cursor = keys === undefined ? null : writeCursor({ list, id: readKey(row[0]), keys })
    if (cursor !== null) return cursor
    const problem = 'Invalid cursor: this page has a sort value that a cursor cannot contain'
    throw malformed(path, `${problem}; sort by a shorter value, or use page and pageSize`)
  }
  const [first] = rows
  // An empty page has no row that shows the other side of the list.
  const [row] = first === undefined && from !== null ? await run(edges.others) : []
  const areOthers = Number(first === undefined ? row?.[0] : first[edgesAt]) === 1
  const [hasNextPage, hasPreviousPage] = side === 'after' ? [isMore, areOthers] : [areOthers, isMore]
  return { hasNextPage, hasPreviousPage, startCursor: cursorOf(first), endCursor: cursorOf(rows.at(-1)) }
}

/** Totals up to this are counted: that takes a few milliseconds. */
const mostCounted = 10_000

/** The total; undefined if it takes another statement, and so a snapshot. */
async function totalOf(
  { compiled, run, read, total: known, several }: PageReading,
  page: PageBeingRead,
): Promise<Pick<PagePlace, 'total' | 'isEstimated'> | undefined> {
  const { page: asked, estimate } = compiled
  if (asked === null || asked.withCount === false) return { total: null }
  const { seen } = page
  const [first] = page.read.rows
  if (read.totalAt !== null && first !== undefined) {
    const total = Number(first[read.totalAt])
    if (seen !== null) known?.learn(seen, total)
    return { total }
  }
  const found = totalByRows(compiled, page.read) ?? (seen === null ? undefined : await known?.totalIn(seen))
  if (found !== undefined) return { total: found }
  if (!several) return undefined
  const rows = estimate === null ? 0 : estimate.rowsIn(String((await run(estimate.select))[0]?.[0]))
  const start = asked.by === 'cursor' ? 0 : asked.start
  const shown = first === undefined ? 0 : start + page.read.rows.length
  // An empty page beyond the first proves that the list ends before it.
  const likely = first === undefined && start > 0 ? Math.min(rows, start) : rows
  if (likely > mostCounted) return { total: Math.max(likely, shown), isEstimated: true }
  const [row] = await run(compiled.total)
  const total = Number(row?.[0])
  if (seen !== null) known?.learn(seen, total)
  return { total }
}

/** Null if the total takes a snapshot. */
async function readAll(reading: PageReading): Promise<Omit<LoadedRows, 'beside'> | null> {
  const page = await readPage(reading)
  const edges = await edgesAround(reading, page)
  const expanding = (): Promise<LevelRows> => expand(reading, reading.compiled.root, page.read)
  if (!reading.several) {
    const total = await totalOf(reading, page)
    return total === undefined ? null : { rows: await expanding(), ...total, edges }
  }
  const [total = { total: null }, rows] = await Promise.all([totalOf(reading, page), expanding()])
  return { rows, ...total, edges }
}

function countUpTo(most: number): CountRows {
  let entries = 0
  return (rows) => {
    entries += rows
    checkEntries(entries, most)
  }
}

export function checkEntries(shown: number, most: number): void {
  if (shown > most)
    throw new LimitError(
      'maxEntries',
      ['populate'],
      `The response would contain more than ${String(most)} entries`,
    )
}

export interface EntryCounts {
  readonly total: number
  readonly at: (rows: LevelRows, at: number) => number
}

/** Rows are loaded once however many lead to them, so a response can show many times more entries than rows. */
export function countEntries(rows: LevelRows): EntryCounts {
  const known = new Map<LevelRows, number[]>()
  const countAt = (level: LevelRows, at: number): number => {
    if (level.children.length === 0) return 1
    const counts = known.get(level) ?? []
    known.set(level, counts)
    const seen = counts[at]
    if (seen !== undefined) return seen
    let count = 1
    level.children.forEach((rows, index) => {
      if (level.of.branches[index]?.branch.answer === 'count') return
      for (const child of rows[at] ?? []) count += child.in === null ? 1 : countAt(child.in, child.at)
    })
    counts[at] = count
    return count
  }

  let total = 0
  for (let at = 0; at < rows.rows.length; at += 1) total += countAt(rows, at)
  return { total, at: countAt }
}
