// Comes in: what `permit` made, and a Database. Goes out: the rows of every level, level by level, as arrays, tied to the
// rows they hang on. Refused: more entries than the role may be shown; all else was
// refused before the first connection is asked for.
import type { BoundAsker } from './access'
import { type Database, isLost, isPreparedElsewhere, isStale } from './database'
import {
  type Compiled,
  dialectOf,
  type CompiledLevel,
  type Dialect,
  type PageRead,
  type Row,
} from './compile'
import {
  type LoadEvent,
  type OnConnection,
  type OnStatement,
  runsSql,
  withConnection,
  readAgain,
  neverPrepared,
  type StatementPreparing,
  type Preparing,
} from './load/with-connection'
import type { Child, CountRows, LevelRows } from './load/level-rows'
import { noting } from './load/noting'
import type { KnownTotal, PageState } from './freshness'
import { type Stop, whileBusy } from './load/stop'
import type { Page, KeysetPage } from './plan'
import { LimitError, malformed } from './errors'
import { type HeldKey, writeCursor } from './query'
import { expand, type Run, eachOnce, type FollowedRows } from './load/expand'

export { basisOf, type ReadFrom } from './load/noting'
export type { Child, LevelRows } from './load/level-rows'
export {
  type LoadEvent,
  type OnConnection,
  type OnStatement,
  type StatementResult,
  type RanStatement,
  ownConnection,
  readAgain,
  preparedStatements,
  unprepared,
} from './load/with-connection'
export { inTime, makeStop, type Stop, whileBusy } from './load/stop'

/** Who looks on while an answer is loaded, what it is to find out, and what is known of it. */
export interface LoadAsking {
  readonly stop: Stop
  readonly emit: ((event: LoadEvent) => void) | null
  readonly total: KnownTotal | null
  readonly onConnection: OnConnection | undefined
  /** Whose values rules compare with. */
  readonly asker: BoundAsker
  /** How many entries the answer may show. */
  readonly maxEntries: number
}

/** Reads from one database. */
export interface Loader {
  readonly database: Database
  readonly dialect: Dialect
  readonly prepared: StatementPreparing
  readonly onStatement: OnStatement
}

export const makeLoader = (
  database: Database,
  prepared: StatementPreparing,
  onStatement: OnStatement,
): Loader => ({ database, dialect: dialectOf(database), prepared, onStatement })

export function loadRows(loader: Loader, compiled: Compiled, asking: LoadAsking): Promise<LoadedAnswer> {
  const { database, prepared } = loader
  const way = { ...asking, ...approach(compiled, asking.total), prepared: prepared.ofPlans }
  const isWorthIt = (error: unknown): boolean => {
    const isElsewhere = isPreparedElsewhere(error)
    if (isElsewhere) prepared.giveUp()
    return isElsewhere || isLost(error) || isStale(error)
  }
  // What the first reading told of the state that it saw is told anew: another server may be behind.
  const attempt = (isAgain: boolean): Promise<LoadedAnswer> =>
    loadOn(loader, compiled, isAgain ? { ...way, prepared: neverPrepared } : way)
  return whileBusy(() => readAgain(database, attempt, isWorthIt), { patience: Infinity, stop: asking.stop })
}

/** How a plan is run, and what of it the database keeps prepared. */
interface LoadWay extends Approach, Omit<LoadAsking, 'total'> {
  readonly prepared: Preparing
}

async function loadOn(loader: Loader, compiled: Compiled, way: LoadWay): Promise<LoadedAnswer> {
  const { database, dialect, onStatement } = loader
  const { prepared, stop, emit, asker } = way
  const reading = { database, dialect, onStatement, snapshot: way.several, prepared, stop, emit, asker }
  const loaded = await withConnection(reading, async (plainRun, connection) => {
    emit?.({ kind: 'stage', stage: 'load' })
    const { run, from } = noting(plainRun, compiled.page?.withCount === true ? [compiled.total] : [])
    const count = rowCounter(way.maxEntries)
    const found = await readAll({ run, count, connection, dialect, isInSnapshot: way.several }, compiled, way)
    if (found === null) return null
    const read = { run: runsSql(dialect, connection), connection, isInSnapshot: way.several }
    if (!stop.isStopped()) await way.onConnection?.({ ...read, from: from(found.rows) })
    return found
  })
  if (loaded !== null) return loaded
  const total = way.total && { ...way.total, isLikely: false }
  return loadOn(loader, compiled, { ...way, ...approach(compiled, total), several: true })
}

/** An entry at an end of a page. Its keys are undefined where the database could not take one of them again. */
interface EdgeEntry {
  readonly id: number
  readonly keys: readonly HeldKey[] | undefined
}

/** Whether the list goes on behind the page, in the direction that was asked, and on its other side. */
interface SeenEdges {
  readonly isMore: boolean
  readonly areOthers: boolean
  readonly first: EdgeEntry | null
  readonly last: EdgeEntry | null
}

/** What a page with cursors tells of the list around it. */
interface PageEdges {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** What there is to tell of the place of a page in its list. */
export interface PagePlace {
  /** Null where it was not asked for. */
  readonly total: number | null
  /** Null for pages with numbers. */
  readonly edges: PageEdges | null
}

const noCursor = ({ path }: KeysetPage): Error =>
  malformed(
    path,
    'Invalid cursor: an entry of this page is sorted by a value that no cursor can hold; sort by something shorter, or page by numbers',
  )

function cursorOf(page: KeysetPage, entry: EdgeEntry | null): string | null {
  if (entry === null) return null
  const { list } = page
  const { id, keys } = entry
  const cursor = keys === undefined ? null : writeCursor({ list, id, keys })
  if (cursor === null) throw noCursor(page)
  return cursor
}

function edgesOf(page: KeysetPage, { isMore, areOthers, first, last }: SeenEdges): PageEdges {
  const isForward = page.side === 'after'
  return {
    hasNextPage: isForward ? isMore : areOthers,
    hasPreviousPage: isForward ? areOthers : isMore,
    startCursor: cursorOf(page, first),
    endCursor: cursorOf(page, last),
  }
}

export interface LoadedAnswer extends PagePlace {
  readonly rows: LevelRows
}

const isReadApart = ({ links, targets }: CompiledLevel): boolean =>
  links.length > 0 || targets.some((target) => target.found.by !== 'rows' || isReadApart(target))

/** How the page of a plan is read, and with what. */
interface Approach {
  readonly read: PageRead
  /** Null where nothing is known of it. */
  readonly total: KnownTotal | null
  /** One statement sees one state of the database by itself. */
  readonly several: boolean
}

function approach(compiled: Compiled, total: KnownTotal | null): Approach {
  const { root, page, telling } = compiled
  const isLikely = total?.isLikely === true
  const read = total === null ? compiled : telling()[isLikely ? 'withoutTotal' : 'withTotal']()
  const countsApart = page?.withCount === true && compiled.totalAt === null && !isLikely
  return { read, total, several: isReadApart(root) || countsApart }
}

/** With what a reading goes on once it has a connection. */
interface LevelReader {
  readonly run: Run
  readonly count: CountRows
  readonly connection: object
  readonly dialect: Dialect
  readonly isInSnapshot: boolean
}

interface CutRows {
  readonly read: FollowedRows
  /** Whether there was one row more than the page has. */
  readonly isMore: boolean
}

/** Without the row that only tells that there are more. */
function cutToPage(page: Page | null, found: readonly Row[]): CutRows {
  const read = eachOnce(found)
  if (page?.by !== 'cursor' || read.rows.length <= page.limit) return { read, isMore: false }
  const beyond = page.side === 'after' ? read.rows.at(-1) : read.rows[0]
  return { read: eachOnce(found.filter((row) => row[0] !== beyond?.[0])), isMore: true }
}

interface PageBeingRead extends CutRows {
  readonly seen: PageState | null
}

async function readPage(
  reader: LevelReader,
  { page }: Compiled,
  { read, total }: Approach,
): Promise<PageBeingRead> {
  const { run, connection, dialect, isInSnapshot } = reader
  const [found, shown = null] = await Promise.all([
    run(read.select),
    total?.page.ask?.(runsSql(dialect, connection), connection),
  ])
  const state = read.stateAt === null ? undefined : found[0]?.[read.stateAt]
  const seen = total?.page.read({ connection, state, shown, isInSnapshot }) ?? null
  return { ...cutToPage(page, found), seen }
}

/** A page that is not full, or not the first yet not empty, tells the total by itself. */
function totalByRows({ page }: Compiled, { rows }: FollowedRows): number | undefined {
  if (page === null || rows.length >= page.limit) return undefined
  if (page.by === 'cursor') return page.from === null ? rows.length : undefined
  return rows.length === 0 && page.start > 0 ? undefined : page.start + rows.length
}

/** Of an empty page no row tells whether there are others on its other side. */
async function edgesAround(
  { run }: LevelReader,
  { page, edges }: Compiled,
  { read: { edgesAt } }: Approach,
  { read: { rows }, isMore }: PageBeingRead,
): Promise<PageEdges | null> {
  if (page?.by !== 'cursor' || edges === null) return null
  const entryIn = (row: Row | undefined): EdgeEntry | null =>
    row === undefined ? null : { id: Number(row[0]), keys: edges.keysOf(row, edgesAt + 1) }
  const [first] = rows
  const [told] = first === undefined && page.from !== null ? await run(edges.others) : []
  const areOthers = Number(first === undefined ? told?.[0] : first[edgesAt]) === 1
  return edgesOf(page, { isMore, areOthers, first: entryIn(first), last: entryIn(rows.at(-1)) })
}

async function count({ run }: LevelReader, { total }: Compiled): Promise<number> {
  const [row] = await run(total)
  return Number(row?.[0])
}

/** Undefined where one statement was not enough after all. */
async function totalOf(
  reader: LevelReader,
  compiled: Compiled,
  { read, total: known, several }: Approach,
  page: PageBeingRead,
): Promise<number | null | undefined> {
  if (compiled.page?.withCount !== true) return null
  const { seen } = page
  const [first] = page.read.rows
  if (read.totalAt !== null && first !== undefined) {
    const total = Number(first[read.totalAt])
    if (seen !== null) known?.learn(seen, total)
    return total
  }
  const told = totalByRows(compiled, page.read) ?? (seen === null ? undefined : await known?.totalIn(seen))
  if (told !== undefined || !several) return told
  const total = await count(reader, compiled)
  // Outside a snapshot the count may have seen more than the page.
  if (seen !== null && reader.isInSnapshot) known?.learn(seen, total)
  return total
}

/** Null where the total takes a reading of several statements, all of one state. */
async function readAll(reader: LevelReader, compiled: Compiled, way: Approach): Promise<LoadedAnswer | null> {
  const page = await readPage(reader, compiled, way)
  const edges = await edgesAround(reader, compiled, way, page)
  const expanding = (): Promise<LevelRows> => expand(reader, compiled.root, page.read)
  if (!way.several) {
    const total = await totalOf(reader, compiled, way, page)
    return total === undefined ? null : { rows: await expanding(), total, edges }
  }
  const [total = null, rows] = await Promise.all([totalOf(reader, compiled, way, page), expanding()])
  return { rows, total, edges }
}

/** Refuses an answer that would show more entries than it may. */
export function checkEntries(shown: number, most: number): void {
  if (shown <= most) return
  const limit = String(most)
  throw new LimitError('maxEntries', ['populate'], `The answer would show more than ${limit} entries`)
}

/** Each is shown at least once: an answer that could not be sent is not read to its end. */
export function rowCounter(most: number): CountRows {
  let all = 0
  return (rows) => {
    all += rows
    checkEntries(all, most)
  }
}

/** How many entries an answer shows, and how many each entry with all below it. */
export interface EntryCounts {
  readonly total: number
  readonly at: (rows: LevelRows, at: number) => number
}

/**
 * Rows are loaded once however many lead to them, so lists of lists can show many times more than was read; this counts
 * them without writing any.
 */
export function countEntries(rows: LevelRows): EntryCounts {
  const known = new Map<LevelRows, number[]>()

  const below = (child: Child): number => (child.in === null ? 1 : countAt(child.in, child.at))

  const countAt = (level: LevelRows, at: number): number => {
    if (level.children.length === 0) return 1
    const counts = known.get(level) ?? []
    known.set(level, counts)
    const seen = counts[at]
    if (seen !== undefined) return seen
    let count = 1
    level.children.forEach((rows, index) => {
      // One number is shown of those.
      if (level.of.branches[index]?.branch.answer === 'count') return
      for (const child of rows[at] ?? []) count += below(child)
    })
    counts[at] = count
    return count
  }

  let total = 0
  for (let at = 0; at < rows.rows.length; at += 1) total += countAt(rows, at)
  return { total, at: countAt }
}
