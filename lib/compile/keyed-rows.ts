import type { KeysetPage, Level } from '../plan'

import {
  directionOf,
  type KeyColumn,
  type KeysOfRow,
  keysOfRow,
  lying,
  opposite,
  toldKeys,
} from './key-column'
import { inTimeFor, valueOrdering, withJoins } from './order-by'
import { column, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql } from './sql'
import { compile, type Statement } from './statement'
import { whereInTime } from './where'

export interface KeyedRows {
  /** To stand behind `from`. */
  readonly set: Sql
  readonly keys: readonly KeyColumn[]
}

/**
 * The rows of a list with what they are sorted by. An index on a column of theirs still finds its way into the set, but where they
 * are sorted through links: what takes long to work out is compared time and again. Nor may conditions on such a key find their
 * way in: SQLite 3.53 looks up rows by several indexes for `or` and then compares a key of some row that is none of them.
 */
export function keyedRows(
  scope: SqlScope,
  { model, where: condition, order }: Level<never>,
  from: KeysetPage['from'],
): KeyedRows {
  const alias = scope.alias()
  const id = column(alias, 'id')
  const sorted = valueOrdering(scope, alias, order)
  const keys = sorted.keys.map((key, at) => {
    const name = at === sorted.keys.length - 1 ? 'id' : `key${String(at)}`
    return { ...key, name }
  })
  const columns = toldKeys(keys).map(({ name }, at) => sql('? as ??', [sorted.keys[at]?.value, name]))
  const rows = sql('select ? from ? where ?', [
    joined([sql('?? as ??', [id, 'id']), ...columns], ', '),
    withJoins(sql('?? as ??', [model.table, alias]), sorted),
    all([...inTimeFor(scope, id, sorted), whereInTime(scope, { alias, model }, condition)]),
  ])
  const isApart = from !== null && keys.some(({ isFar }) => isFar)
  return { set: sql(isApart ? `(? ${scope.dialect.apart}) as ??` : '(?) as ??', [rows, 'keyed']), keys }
}

/** Whether there are rows on the other side of the place that a page begins at: 1 or 0. */
export function othersThere(scope: SqlScope, level: Level<never>, { from, ...page }: KeysetPage): Sql {
  if (from === null) return sql('0')
  const { set, keys } = keyedRows(scope, level, from)
  const there = lying(scope, keys, from, opposite(directionOf(page)))
  return sql('case when exists (select 1 from ? where ?) then 1 else 0 end', [set, there])
}

/** What a page with cursors tells behind all else: whether there are rows on its other side, then what each is sorted by. */
export interface ToldEdges {
  readonly keysOf: KeysOfRow
  /** Where the page itself is empty: whether there are rows on its other side. */
  readonly others: Statement
}

export function toldEdges(scope: SqlScope, level: Level<never>, page: KeysetPage): ToldEdges {
  const { keys } = keyedRows(scope, level, page.from)
  const others = compile(scope, sql('select ?', [othersThere(scope, level, page)]))
  return { keysOf: keysOfRow(scope, keys), others }
}
