import { leadsThroughLinks, type Level } from '../plan'
import type { AskedPage } from '../query'

import { inlineParts, type InlineParent, widthOf } from './inline-targets'
import { carried, isSorted, orderBy, type Ordering, ordering, withJoins } from './order-by'
import { column, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, whole } from './sql'
import type { Selection } from './selection'
import { compile, type Statement } from './statement'
import { whereInTime } from './where'

/**
 * How the rows of a page bring the total: not at all, by a count beside them, or counted while they are put in order,
 * which takes every row that a filter finds in hand anyway.
 */
export type TotalInPage = 'none' | 'beside' | 'over'

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
  readonly page: AskedPage | null
  readonly total: TotalInPage
  /** What comes along in the rows. */
  readonly targets: InlineParent['targets']
  /** Whether the rows are to tell which state of the database they show. */
  readonly tellsState: boolean
}

const stateIn = ({ dialect }: SqlScope, { tellsState }: AskedPageRead): readonly Sql[] =>
  tellsState ? [dialect.state] : []

/** To sort by what links lead to takes long with any conditions. */
const inTimeFor = ({ dialect }: SqlScope, id: string, { keys }: Ordering): readonly Sql[] =>
  dialect.inTime !== null && keys.some(({ isFar }) => isFar) ? [dialect.inTime(id)] : []

/**
 * Rows are skipped and sorted by their ids alone; only those of the page are read whole, with what comes along. How many
 * these are is told in the text, as is that none are skipped: for numbers that it does not know PostgreSQL expects a
 * tenth of the table, and would rather plan anew each time than by that.
 */
function byIds(scope: SqlScope, asked: AskedPageRead): Sql {
  const { level, selection, page, total, targets } = asked
  const { dialect } = scope
  const { limit, start } = page ?? { limit: 1, start: 0 }
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
  const totals: Readonly<Record<TotalInPage, () => readonly Sql[]>> = {
    none: () => [],
    beside: () => [sql('(?)', [count(scope, level)])],
    over: () => [sql('??', [column(picked, 'total')])],
  }
  const { columns, joins } = inlineParts(scope, alias, targets)
  const beside = [...totals[total](), ...stateIn(scope, asked)]
  const list = joined([selection.list(scope, alias), ...columns, ...beside], ', ')
  const rows = sql(`(?) as ?? ${dialect.joinInOrder} ?? as ?? on ?? = ??`, [
    ...[ids, picked, model.table, alias],
    ...[id, column(picked, 'id')],
  ])
  return sql('select ? from ? order by ?', [list, joined([rows, ...joins], ' '), keys.outside])
}

function atOnce(scope: SqlScope, asked: AskedPageRead): Sql {
  const { level, selection, page, total } = asked
  const { model } = level
  const alias = scope.alias()
  const totals = total === 'none' ? [] : [sql('(?)', [count(scope, level)])]
  const list = joined([selection.list(scope, alias), ...totals, ...stateIn(scope, asked)], ', ')
  const found = whereInTime(scope, { alias, model }, level.where)
  const order = orderBy(ordering(scope, alias, level.order).keys)
  const parts = [list, model.table, alias, found, order, whole(page?.limit ?? 1)]
  return sql('select ? from ?? as ?? where ? order by ? limit ?', parts)
}

/**
 * A list that nothing narrows is counted by itself. A short page of one that is filtered tells its total; where the sets
 * of conditions through links are what costs, they are not to be worked out once more for a count.
 */
export function totalInPage(level: Level<never>, page: AskedPage | null, narrowed: boolean): TotalInPage {
  if (page?.withCount !== true) return 'none'
  if (!narrowed) return 'beside'
  return isSorted(level) || leadsThroughLinks(level.where) ? 'over' : 'none'
}

/** A page of the asked type; behind its columns the total and the state of the database, where the rows bring these. */
export function selectPage(scope: SqlScope, asked: AskedPageRead): Statement {
  const skips = (asked.page?.start ?? 0) > 0
  const isCut = skips || isSorted(asked.level) || asked.total === 'over' || widthOf(asked.targets) > 0
  return compile(scope, isCut ? byIds(scope, asked) : atOnce(scope, asked))
}

export function selectTotal(scope: SqlScope, level: Level<never>): Statement {
  return compile(scope, count(scope, level))
}
