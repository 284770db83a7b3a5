import { createHash } from 'node:crypto'
import type { Permitted } from '../access'
import { type KeysetPage, leadsThroughLinks, type Level, type Page } from '../plan'
import { type InlineParent, widthOf, inlineParts, shownAlong } from './inline-targets'
import {
  edgesOf,
  type KeysetEdges,
  keyedRows,
  othersThere,
  directionOf,
  lying,
  orderByKeys,
  readKeys,
} from './keyed-rows'
import { makeScope, column, type SqlScope } from './sql-scope'
import type { Selection } from './selection'
import { type Statement, compile, all, joined, type Sql, sql, whole } from './statement'
import { carried, inTimeFor, isSorted, orderBy, ordering, withJoins } from './order-by'
import { whereInTime } from './where'

/** Total of a page: `beside`: a subquery; `over`: a window function over rows that are sorted anyway. */
type TotalInPage = 'none' | 'beside' | 'over'

function count(scope: SqlScope, { model, where: condition }: Level<never>): Sql {
  const alias = scope.alias()
  return sql('select count(*) from ?? as ?? where ?', [
    model.table,
    alias,
    whereInTime(scope, { alias, model }, condition),
  ])
}

interface AskedPageRead {
  readonly level: Level<never>
  readonly selection: Selection
  readonly page: Page | null
  readonly total: TotalInPage
  readonly targets: InlineParent['targets']
  readonly tellsState: boolean
}

const totalBeside = (scope: SqlScope, { level, total }: AskedPageRead): readonly Sql[] =>
  total === 'none' ? [] : [sql('(?)', [count(scope, level)])]

const stateIn = ({ dialect }: SqlScope, { tellsState }: AskedPageRead): readonly Sql[] =>
  tellsState ? [dialect.state] : []

function wholeRows(
  scope: SqlScope,
  { level, selection, targets }: AskedPageRead,
  {
    alias,
    picked,
    ids,
    order,
    beside,
  }: Record<'alias' | 'picked', string> & Record<'ids' | 'order', Sql> & { readonly beside: readonly Sql[] },
): Sql {
  const { columns, joins } = inlineParts(scope, alias, targets)
  const list = joined([selection.list(scope, alias, false), ...columns, ...beside], ', ')
  const rows = sql(`(?) as ?? ${scope.dialect.joinOrder.join} ?? as ?? on ?? = ??`, [
    ...[ids, picked, level.model.table, alias],
    ...[column(alias, 'id'), column(picked, 'id')],
  ])
  return sql('select ? from ? order by ?', [list, joined([rows, ...joins], ' '), order])
}

/**
 * Only ids are sorted and skipped; only the page's rows are read whole. LIMIT and a zero OFFSET are literals: for
 * parameters PostgreSQL assumes a tenth of the table, and plans anew each time.
 */
function byIds(scope: SqlScope, asked: AskedPageRead): Sql {
  const { level, page, total } = asked
  const { start, limit } = page?.by === 'cursor' || page === null ? { start: 0, limit: 1 } : page
  const [alias, picked] = [scope.alias(), scope.alias()]
  const { model } = level
  const id = column(alias, 'id')
  const order = ordering(scope, alias, level.order)
  const keys = carried(order.keys, picked)
  const found = all([...inTimeFor(scope, id, order), whereInTime(scope, { alias, model }, level.where)])
  const counted = total === 'over' ? [sql('count(*) over () as ??', ['total'])] : []
  const cut = start === 0 ? whole(limit) : sql('? offset ?', [whole(limit), start])
  const ids = sql('select ? from ? where ? order by ? limit ?', [
    joined([sql('??', [id]), ...keys.columns, ...counted], ', '),
    withJoins(sql('?? as ??', [model.table, alias]), order),
    ...[found, keys.inside, cut],
  ])
  const totals = total === 'over' ? [sql('??', [column(picked, 'total')])] : totalBeside(scope, asked)
  const beside = [...totals, ...stateIn(scope, asked)]
  return wholeRows(scope, asked, { alias, picked, ids, order: keys.outside, beside })
}

/** One more row than the page has shows that there are more. */
function byKeys(scope: SqlScope, asked: AskedPageRead, page: KeysetPage): Sql {
  const { level } = asked
  const { from, limit } = page
  const [alias, picked] = [scope.alias(), scope.alias()]
  const { set, keys } = keyedRows(scope, level, from)
  const direction = directionOf(page, false)
  const ids = sql('select ? from ? where ? order by ? limit ?', [
    joined(
      keys.map(({ name }) => sql('??', [name])),
      ', ',
    ),
    set,
    from === null ? sql('1 = 1') : lying(scope, keys, from, direction),
    ...[orderByKeys(scope, keys, direction.back), whole(limit + 1)],
  ])
  const totals = totalBeside(scope, asked)
  const told = [othersThere(scope, level, page), ...readKeys(scope, keys, picked)]
  const beside = [...totals, ...stateIn(scope, asked), ...told]
  const order = orderByKeys(scope, keys, false, picked)
  return wholeRows(scope, asked, { alias, picked, ids, order, beside })
}

function atOnce(scope: SqlScope, asked: AskedPageRead): Sql {
  const { level, selection, page } = asked
  const { model } = level
  const alias = scope.alias()
  const totals = totalBeside(scope, asked)
  const list = joined([selection.list(scope, alias, true), ...totals, ...stateIn(scope, asked)], ', ')
  const found = whereInTime(scope, { alias, model }, level.where)
  const order = orderBy(ordering(scope, alias, level.order).keys)
  const parts = [list, model.table, alias, found, order, whole(page?.limit ?? 1)]
  return sql('select ? from ?? as ?? where ? order by ? limit ?', parts)
}

/**
 * Lists without filters are counted beside the page. Short filtered pages need no count; sets of linked rows must not
 * be evaluated twice.
 */
function totalInPage(level: Level<never>, page: Page | null, narrowed: boolean): TotalInPage {
  if (page?.withCount !== true) return 'none'
  // Keyset pages see only a part of the list.
  if (!narrowed || page.by === 'cursor') return 'beside'
  return isSorted(level) || leadsThroughLinks(level.where) ? 'over' : 'none'
}

function selectPage(scope: SqlScope, asked: AskedPageRead): Statement {
  const { page, selection, targets } = asked
  const shows = [selection.positions, ...shownAlong(targets)]
  if (page?.by === 'cursor') return compile(scope, byKeys(scope, asked, page), shows)
  const skips = (page?.start ?? 0) > 0
  const isCut = skips || isSorted(asked.level) || asked.total === 'over' || widthOf(targets) > 0
  return compile(scope, isCut ? byIds(scope, asked) : atOnce(scope, asked), shows)
}

export interface PageRead {
  readonly select: Statement
  /** Column of the total. Null: not requested, known, or a statement of its own. */
  readonly totalAt: number | null
  /** Column of the database's state. */
  readonly stateAt: number | null
  /** First column of a keyset page's edges. */
  readonly edgesAt: number
}

/** Reads of a page with the state of the database. */
export interface TellingReads {
  /** Equal for plans with the same total. */
  readonly key: () => string | null
  /** Compiled on first use. */
  readonly withTotal: () => PageRead
  readonly withoutTotal: () => PageRead
}

export interface PageReads extends PageRead {
  readonly total: Statement
  /** Null for numbered pages. */
  readonly edges: KeysetEdges | null
  readonly telling: () => TellingReads
}

function keyOf({ sql, bindings }: Statement): string {
  // JSON has no 64-bit integers; no binding is an object.
  const writable = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? { bigint: String(value) } : value
  const text = JSON.stringify([sql, bindings], writable)
  return createHash('sha256').update(text).digest('base64')
}

function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

export function pageReads(
  compiler: Parameters<typeof makeScope>[0],
  {
    root,
    page,
    narrowed,
    selection,
    targets,
  }: Omit<Permitted, 'status'> & Pick<AskedPageRead, 'selection' | 'targets'>,
): PageReads {
  const width = selection.positions.size + widthOf(targets)
  const read = (total: TotalInPage, tellsState: boolean): PageRead => {
    const totalAt = total === 'none' ? null : width
    const stateAt = tellsState ? width + (totalAt === null ? 0 : 1) : null
    const edgesAt = width + Number(totalAt !== null) + Number(stateAt !== null)
    const asked = { level: root, selection, page, total, targets, tellsState }
    return { select: selectPage(makeScope(compiler), asked), totalAt, stateAt, edgesAt }
  }
  const inPage = totalInPage(root, page, narrowed)
  const counting = makeScope(compiler)
  const total = compile(counting, count(counting, root))
  const isCounted = page?.withCount === true
  const telling = madeOnce<TellingReads>(() => ({
    key: madeOnce(() => (isCounted ? keyOf(total) : null)),
    withTotal: madeOnce(() => read(inPage, true)),
    withoutTotal: madeOnce(() => read('none', true)),
  }))
  const edges = page?.by === 'cursor' ? edgesOf(makeScope(compiler), root, page) : null
  return { ...read(inPage, false), total, edges, telling }
}
