import { createHash } from 'node:crypto'
import { type KeysetPage, leadsThroughLinks, type Level, type Page } from '../plan'
import type { CursorKey } from '../query'
import type { Row } from './dialects/dialect'
import { inlineParts, type LevelTarget, shownAlong, widthOf } from './joined-targets'
import {
  carried,
  fromFirst,
  inTimeFor,
  isSorted,
  orderBy,
  ordering,
  type OrderKey,
  withJoins,
} from './order-by'
import type { Selection } from './selection'
import { column, keyOf, makeScope, sortDirection, type SqlScope, type StatementSettings } from './sql-scope'
import { all, compile, joined, type Sql, sql, type Statement, whole } from './statement'
import { whereInTime } from './where'

export interface PageRead {
  readonly select: Statement
  /** Column of the total. Null: not requested, known, or a statement of its own. */
  readonly totalAt: number | null
  readonly stateAt: number | null
  readonly edgesAt: number
}

export interface PageReads extends PageRead {
  readonly total: Statement
  /** Null: the total is exact. */
  readonly estimate: Estimate | null
  readonly edges: KeysetEdges | null
  /** Equal for plans with the same total; null without a count. Compiled on first use, as the reads with the state. */
  readonly totalKey: () => string | null
  readonly withStateAndTotal: () => PageRead
  readonly withState: () => PageRead
}

interface Estimate {
  readonly select: Statement
  readonly rowsIn: (plan: string) => number
}

/** Columns behind all others of a keyset page: rows on the other side, then the sort keys. */
interface KeysetEdges {
  /** Undefined if the database could not compare a key again. */
  readonly keysOf: (row: Row, at: number) => readonly CursorKey[] | undefined
  readonly others: Statement
}

interface PageOfLevel {
  readonly level: Level<never>
  readonly selection: Selection
  readonly page: Page | null
  readonly targets: readonly LevelTarget[]
}

/** Total of a page: `beside`: a subquery; `over`: a window function over rows that are sorted anyway. */
type TotalInPage = 'none' | 'beside' | 'over'

interface PageSelect extends PageOfLevel {
  readonly total: TotalInPage
  readonly withState: boolean
}

function count(scope: SqlScope, { model, where: condition }: Level<never>, what = 'count(*)'): Sql {
  const alias = scope.alias()
  const found = whereInTime(scope, { alias, model }, condition)
  return sql(`select ${what} from ?? as ?? where ?`, [model.table, alias, found])
}

function estimateOf(scope: SqlScope, level: Level<never>): Estimate | null {
  const { estimate } = scope.dialect
  if (estimate === null) return null
  const select = sql(`${estimate.explain} ?`, [count(scope, level, '1')])
  return { select: compile(scope, select), rowsIn: estimate.rowsIn }
}

const totalBeside = (scope: SqlScope, { level, total }: PageSelect): readonly Sql[] =>
  total === 'none' ? [] : [sql('(?)', [count(scope, level)])]

const stateIn = ({ dialect }: SqlScope, { withState }: PageSelect): readonly Sql[] =>
  withState ? [dialect.state] : []

interface PickedRows extends Record<'alias' | 'picked', string>, Record<'ids' | 'order', Sql> {
  readonly beside: readonly Sql[]
}

function wholeRows(
  scope: SqlScope,
  { level, selection, targets }: PageSelect,
  { alias, picked, ids, order, beside }: PickedRows,
): Sql {
  const { model } = level
  const { columns, joins } = inlineParts(scope, { alias, model }, targets)
  const list = joined([selection.list(scope, alias, false), ...columns, ...beside], ', ')
  const rows = sql(`(?) as ?? ${scope.dialect.joinOrder.join} ?? as ?? on ?? = ??`, [
    ...[ids, picked, model.table, alias],
    ...[keyOf({ alias, model }), keyOf({ alias: picked, model })],
  ])
  return sql('select ? from ? order by ?', [list, joined([rows, ...joins], ' '), order])
}

/**
 * Only ids are sorted and skipped; only the page's rows are read whole. LIMIT and a zero OFFSET are literals: for
 * parameters PostgreSQL assumes a tenth of the table, and plans anew each time.
 */
function byIds(scope: SqlScope, select: PageSelect): Sql {
  const { level, page, total } = select
  const { start, limit } = page?.by === 'cursor' || page === null ? { start: 0, limit: 1 } : page
  const [alias, picked] = [scope.alias(), scope.alias()]
  const { model } = level
  const rows = { alias, model }
  const id = keyOf(rows)
  const order = ordering(scope, rows, level.order)
  const keys = carried(order.keys, picked)
  const met = [...fromFirst(scope, rows, level, true), whereInTime(scope, rows, level.where)]
  const found = all([...inTimeFor(scope, id, order), ...met])
  const counted = total === 'over' ? [sql('count(*) over () as ??', ['total'])] : []
  const cut = start === 0 ? whole(limit) : sql('? offset ?', [whole(limit), start])
  const ids = sql('select ? from ? where ? order by ? limit ?', [
    joined([sql('??', [id]), ...keys.columns, ...counted], ', '),
    withJoins(sql('?? as ??', [model.table, alias]), order),
    ...[found, keys.inside, cut],
  ])
  const totals = total === 'over' ? [sql('??', [column(picked, 'total')])] : totalBeside(scope, select)
  const beside = [...totals, ...stateIn(scope, select)]
  return wholeRows(scope, select, { alias, picked, ids, order: keys.outside, beside })
}

function atOnce(scope: SqlScope, select: PageSelect): Sql {
  const { level, selection, page } = select
  const { model } = level
  const alias = scope.alias()
  const totals = totalBeside(scope, select)
  const list = joined([selection.list(scope, alias, true), ...totals, ...stateIn(scope, select)], ', ')
  const rows = { alias, model }
  const first = page === null ? [] : fromFirst(scope, rows, level, false)
  const found = all([...first, whereInTime(scope, rows, level.where)])
  const order = orderBy(ordering(scope, rows, level.order).keys)
  const parts = [list, model.table, alias, found, order, whole(page?.limit ?? 1)]
  return sql('select ? from ?? as ?? where ? order by ? limit ?', parts)
}

interface KeyColumn extends OrderKey {
  readonly name: string
}

/** Rows behind an entry or before it, with the entry or without. */
interface KeysetDirection {
  readonly back: boolean
  readonly inclusive: boolean
}

/** Rows behind the key, rows equal to it, and a weaker condition for an index. */
function parted(
  { dialect, matching }: SqlScope,
  { name, type, isId, isSure, nullsFirst, isDescending }: KeyColumn,
  key: CursorKey,
  { back }: KeysetDirection,
): { readonly further: Sql; readonly level: Sql; readonly atLeast: Sql | null } {
  const nullsBehind = !isSure && nullsFirst === back
  const isNull = sql('?? is null', [name])
  if (key === null) {
    const further = nullsBehind ? sql('1 = 0') : sql('?? is not null', [name])
    return { further, level: isNull, atLeast: null }
  }
  const operand = dialect.keys.operand(key, type)
  const other = type === 'string' && !isId ? dialect.text[matching].ordered(operand) : operand
  const compared = (sign: '>' | '<' | '>=' | '<=' | '='): Sql => sql(`?? ${sign} ?`, [name, other])
  const [sign, orLevel] = isDescending !== back ? (['<', '<='] as const) : (['>', '>='] as const)
  const level = compared('=')
  if (nullsBehind) return { further: sql('(? or ?)', [compared(sign), isNull]), level, atLeast: null }
  return { further: compared(sign), level, atLeast: compared(orLevel) }
}

/** The last key is the id, which is unique. */
function lying(
  scope: SqlScope,
  keys: readonly KeyColumn[],
  from: NonNullable<KeysetPage['from']>,
  direction: KeysetDirection,
): Sql {
  const id: CursorKey = { is: typeof from.id === 'number' ? 'number' : 'text', value: String(from.id) }
  return (
    keys.reduceRight<Sql | null>((rest, key, at) => {
      const value = at === keys.length - 1 ? id : (from.keys[at] ?? null)
      const { further, level, atLeast } = parted(scope, key, value, direction)
      if (rest === null) return direction.inclusive && atLeast !== null ? atLeast : further
      const either = sql('(? or (? and ?))', [further, level, rest])
      return at === 0 && atLeast !== null ? sql('(? and ?)', [atLeast, either]) : either
    }, null) ?? sql('1 = 1')
  )
}

const orderByKeys = (scope: SqlScope, keys: readonly KeyColumn[], back: boolean, set?: string): Sql =>
  joined(
    keys.map(({ name, isDescending, isSure }) => {
      const direction = isDescending === back ? 'asc' : 'desc'
      const words = isSure ? direction : sortDirection(scope, direction)
      return sql(`?? ${words}`, [set === undefined ? name : column(set, name)])
    }),
    ', ',
  )

const shownKeys = (keys: readonly KeyColumn[]): readonly KeyColumn[] => keys.slice(0, -1)

/** Sets sorted through links are evaluated apart: SQLite 3.53 returns wrong rows for `or` of several indexes. */
function keyedRows(
  scope: SqlScope,
  level: Level<never>,
  from: KeysetPage['from'],
): { readonly set: Sql; readonly keys: readonly KeyColumn[] } {
  const alias = scope.alias()
  const { model, order } = level
  const own = { alias, model }
  const id = keyOf(own)
  const sorted = ordering(scope, own, order)
  const last = sorted.keys.length - 1
  const keys = sorted.keys.map((key, at) => ({
    ...key,
    name: at === last ? model.key.column : `key${String(at)}`,
  }))
  const columns = shownKeys(keys).map(({ value, name }) => sql('? as ??', [value, name]))
  const rows = sql('select ? from ? where ?', [
    joined([sql('?? as ??', [id, model.key.column]), ...columns], ', '),
    withJoins(sql('?? as ??', [model.table, alias]), sorted),
    all([
      ...inTimeFor(scope, id, sorted),
      ...(from === null ? fromFirst(scope, own, level, true) : []),
      whereInTime(scope, own, level.where),
    ]),
  ])
  const isApart = from !== null && keys.some(({ isFar }) => isFar)
  return { set: sql(isApart ? `(? ${scope.dialect.apart}) as ??` : '(?) as ??', [rows, 'keyed']), keys }
}

/** 1 if rows exist on the other side of the cursor, else 0. By id, the nearest is found at once, and any other late. */
function othersThere(scope: SqlScope, level: Level<never>, { side, from }: KeysetPage): Sql {
  if (from === null) return sql('0')
  const { set, keys } = keyedRows(scope, level, from)
  const there = lying(scope, keys, from, { back: side === 'after', inclusive: true })
  if (isSorted(level))
    return sql('case when exists (select 1 from ? where ?) then 1 else 0 end', [set, there])
  const nearest = orderByKeys(scope, keys, side === 'after')
  return sql('coalesce((select 1 from ? where ? order by ? limit 1), 0)', [set, there, nearest])
}

/** One more row than the page has shows that there are more. */
function byKeys(scope: SqlScope, select: PageSelect, page: KeysetPage): Sql {
  const { level } = select
  const { from, limit, start = 0 } = page
  const { keys: codec } = scope.dialect
  const back = page.side === 'before'
  const [alias, picked] = [scope.alias(), scope.alias()]
  const { set, keys } = keyedRows(scope, level, from)
  const names = keys.map(({ name }) => sql('??', [name]))
  const ids = sql('select ? from ? where ? order by ? limit ?', [
    joined(names, ', '),
    set,
    from === null ? sql('1 = 1') : lying(scope, keys, from, { back, inclusive: false }),
    orderByKeys(scope, keys, back),
    start === 0 ? whole(limit + 1) : sql('? offset ?', [whole(limit + 1), whole(start)]),
  ])
  const totals = totalBeside(scope, select)
  const others = othersThere(scope, level, page)
  const values = shownKeys(keys).map(({ name, type }) => codec.read(sql('??', [column(picked, name)]), type))
  const beside = [...totals, ...stateIn(scope, select), others, ...values]
  const order = orderByKeys(scope, keys, false, picked)
  return wholeRows(scope, select, { alias, picked, ids, order, beside })
}

function edgesOf(scope: SqlScope, level: Level<never>, page: KeysetPage): KeysetEdges {
  const { dialect, matching } = scope
  const { decode, fits } = dialect.keys
  const shown = shownKeys(keyedRows(scope, level, page.from).keys)
  return {
    keysOf: (row, at) => {
      const found = shown.map(({ type }, index) => decode(row[at + index] ?? null, type))
      const isFit = found.every(
        (key, index) => key === null || fits(shown[index]?.type ?? 'json', key, matching),
      )
      return isFit ? found : undefined
    },
    others: compile(scope, sql('select ?', [othersThere(scope, level, page)])),
  }
}

/** Short filtered pages need no count. Sets of linked rows must not be evaluated twice. */
function totalInPage({ level, page }: PageOfLevel, isNarrowed: boolean): TotalInPage {
  if (page?.withCount !== true) return 'none'
  // Keyset pages see only a part of the list.
  if (!isNarrowed || page.by === 'cursor') return 'beside'
  return isSorted(level) || leadsThroughLinks(level.where) ? 'over' : 'none'
}

function selectPage(scope: SqlScope, select: PageSelect): Statement {
  const { page, selection, targets } = select
  const shows = [selection.positions, ...shownAlong(targets)]
  if (page?.by === 'cursor') return compile(scope, byKeys(scope, select, page), shows)
  const skips = (page?.start ?? 0) > 0
  const isCut = skips || isSorted(select.level) || select.total === 'over' || widthOf(targets) > 0
  return compile(scope, isCut ? byIds(scope, select) : atOnce(scope, select), shows)
}

function totalKeyOf({ sql, bindings }: Statement): string {
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

export function pageReads(settings: StatementSettings, own: PageOfLevel, isNarrowed: boolean): PageReads {
  const { level, page, selection, targets } = own
  const width = selection.positions.size + widthOf(targets)
  const read = (total: TotalInPage, withState: boolean): PageRead => {
    const totalAt = total === 'none' ? null : width
    const stateAt = withState ? width + Number(totalAt !== null) : null
    const edgesAt = width + Number(totalAt !== null) + Number(withState)
    const select = selectPage(makeScope(settings), { ...own, total, withState })
    return { select, totalAt, stateAt, edgesAt }
  }
  const inPage = totalInPage(own, isNarrowed)
  const scope = makeScope(settings)
  const total = compile(scope, count(scope, level))
  return {
    ...read(inPage, false),
    total,
    estimate: page?.withCount === 'estimated' ? estimateOf(makeScope(settings), level) : null,
    edges: page?.by === 'cursor' ? edgesOf(makeScope(settings), level, page) : null,
    totalKey: madeOnce(() => (page?.withCount === true ? totalKeyOf(total) : null)),
    withStateAndTotal: madeOnce(() => read(inPage, true)),
    withState: madeOnce(() => read('none', true)),
  }
}
