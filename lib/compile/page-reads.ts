import { createHash } from 'node:crypto'
import type { Permitted } from '../access'
import { type InlineParent, widthOf } from './inline-targets'
import { toldEdges, type ToldEdges } from './keyed-rows'
import { selectPage, selectTotal, type TotalInPage, totalInPage } from './select-page'
import { makeScope } from './sql-scope'
import type { Selection } from './selection'
import type { Statement } from './statement'

/** One way to read a page. */
export interface PageRead {
  readonly select: Statement
  /** Where in its rows the total stands. Null: it is not wanted, or a statement of its own, or known. */
  readonly totalAt: number | null
  /** Where they tell which state of the database they show. */
  readonly stateAt: number | null
  /** Where they tell of the list around them, as rows of a page with cursors do. */
  readonly edgesAt: number
}

/** How a page is read that is to tell which state of the database it shows. */
export interface TellingReads {
  /** Equal for plans that count the same. Null where there is no total. */
  readonly key: () => string | null
  /** Made when they are first wanted. */
  readonly withTotal: () => PageRead
  readonly withoutTotal: () => PageRead
}

export interface PageReads extends PageRead {
  readonly total: Statement
  /** Null for a page that is not asked for by cursors. */
  readonly edges: ToldEdges | null
  readonly telling: () => TellingReads
}

/** JSON knows no whole numbers of 64 bits; no binding is an object. */
const writable = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { bigint: String(value) } : value

const keyOf = ({ sql, bindings }: Statement): string =>
  createHash('sha256')
    .update(JSON.stringify([sql, bindings], writable))
    .digest('base64')

function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

interface PageToRead extends Omit<Permitted, 'removed' | 'status'> {
  readonly selection: Selection
  readonly targets: InlineParent['targets']
}

export function pageReads(
  compiler: Parameters<typeof makeScope>[0],
  { root, page, narrowed, selection, targets }: PageToRead,
): PageReads {
  const width = selection.positions.size + widthOf(targets)
  const read = (total: TotalInPage, tellsState: boolean): PageRead => {
    const totalAt = total === 'none' ? null : width
    const stateAt = tellsState ? width + (totalAt === null ? 0 : 1) : null
    const edgesAt = width + Number(totalAt !== null) + Number(stateAt !== null)
    return {
      select: selectPage(makeScope(compiler), { level: root, selection, page, total, targets, tellsState }),
      totalAt,
      stateAt,
      edgesAt,
    }
  }
  const inPage = totalInPage(root, page, narrowed)
  const total = selectTotal(makeScope(compiler), root)
  const isCounted = page?.withCount === true
  const telling = madeOnce<TellingReads>(() => ({
    key: madeOnce(() => (isCounted ? keyOf(total) : null)),
    withTotal: madeOnce(() => read(inPage, true)),
    withoutTotal: madeOnce(() => read('none', true)),
  }))
  const edges = page?.by === 'cursor' ? toldEdges(makeScope(compiler), root, page) : null
  return { ...read(inPage, false), total, edges, telling }
}
