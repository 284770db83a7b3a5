import type { Compiled, CompiledLevel, Dialect, PageRead, Row } from '../compile'
import type { KnownTotal, PageState } from '../freshness'
import type { Page, KeysetPage } from '../plan'
import { malformed } from '../errors'
import { type HeldKey, writeCursor } from '../query'
import { runsSql } from './with-connection'
import type { CountRows, LevelRows } from './level-rows'
import { expand, type Run, eachOnce, type FollowedRows } from './expand'

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
export interface Approach {
  readonly read: PageRead
  /** Null where nothing is known of it. */
  readonly total: KnownTotal | null
  /** One statement sees one state of the database by itself. */
  readonly several: boolean
}

export function approach(compiled: Compiled, total: KnownTotal | null): Approach {
  const { root, page, telling } = compiled
  const isLikely = total?.isLikely === true
  const read = total === null ? compiled : telling()[isLikely ? 'withoutTotal' : 'withTotal']()
  const countsApart = page?.withCount === true && compiled.totalAt === null && !isLikely
  return { read, total, several: isReadApart(root) || countsApart }
}

/** With what a reading goes on once it has a connection. */
export interface LevelReader {
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
export async function readAll(
  reader: LevelReader,
  compiled: Compiled,
  way: Approach,
): Promise<LoadedAnswer | null> {
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
