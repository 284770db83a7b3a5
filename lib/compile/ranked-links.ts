import type { KeysetPage } from '../plan'
import type { HeldKey } from '../query'
import { directionOf, type KeyColumn, type KeysOfRow, keysOfRow, lying, orderByKeys } from './key-column'
import { column, type SqlScope } from './sql-scope'
import { type Sql, sql } from './sql'

/** Links with what the entries behind them are sorted by, and which of them lie where a page goes on. */
export interface SortedLinks {
  readonly keyed: Sql
  readonly keys: readonly KeyColumn[]
  readonly there: Sql
  /** `own`: the row that the links start from. */
  readonly keysOf: (row: Parameters<KeysOfRow>[0], at: number, own: number) => ReturnType<KeysOfRow>
}

export const isThere = (
  scope: SqlScope,
  keys: readonly KeyColumn[],
  { from, ...page }: Pick<KeysetPage, 'from' | 'side'>,
): Sql =>
  from === null
    ? sql('1')
    : sql('case when ? then 1 else 0 end', [lying(scope, keys, from, directionOf(page))])

const anId = { direction: 'asc', isSure: true, isFar: false, valueOf: null, type: 'id' } as const

/** Links of which those to entries that may be seen are left. */
export interface PlacedLinks {
  readonly ours: string
  /** The alias of the entries. */
  readonly to: string
  /** The column of the editor's order. */
  readonly place: string
  readonly tables: Sql
  readonly conditions: Sql
}

function ranked(scope: SqlScope, { ours, to, place, tables, conditions }: PlacedLinks): Sql {
  const nullsFirst = scope.dialect.nullsFirst('asc', scope.matching)
  const id = { ...anId, nullsFirst }
  const order = orderByKeys(
    scope,
    [
      { ...id, isSure: false, name: place },
      { ...id, name: column(to, 'id') },
    ],
    false,
  )
  return sql(
    `select ?? as ??, ?? as ??, row_number() over (partition by ?? order by ?) as ?? from ? where ? ${scope.dialect.apart}`,
    [ours, 'ours', column(to, 'id'), 'theirs', ours, order, 'key0', tables, conditions],
  )
}

/** Behind the entry of the cursor, in the lists that have it. */
function lyingRanked({ dialect }: SqlScope, { from, side }: KeysetPage): Sql {
  if (from === null) return sql('1')
  const [rank = null, owner = null] = from.keys
  const value = (key: HeldKey, less = 0): Sql =>
    dialect.keys.operand({ is: 'number', value: String(Number(key?.value) - less) }, 'id')
  const otherwise =
    side === 'before'
      ? value(rank)
      : sql('case when ?? = ? then ? else ? end', ['ours', value(owner), value(rank, 1), value(rank)])
  const sign = side === 'before' ? '<' : '>'
  return sql(`case when ?? ${sign} coalesce(??, ?) then 1 else 0 end`, ['key0', 'at', otherwise])
}

/**
 * In the editor's order an entry stands at a place that tells how many others stand before it, those that are hidden as
 * well. A cursor holds its number among those that may be seen, and whose list it was: where the entry has gone from there,
 * the page goes on with what has that number now; in other lists without it, behind that number.
 */
export function rankedLinks(scope: SqlScope, links: PlacedLinks, page: KeysetPage): SortedLinks {
  const id = { ...anId, nullsFirst: scope.dialect.nullsFirst('asc', scope.matching) }
  const keys: readonly KeyColumn[] = [
    { ...id, name: 'key0' },
    { ...id, name: 'theirs' },
  ]
  const known = keysOfRow(scope, keys)
  const rows = ranked(scope, links)
  const entry = scope.dialect.keys.operand({ is: 'number', value: String(page.from?.id ?? 0) }, 'id')
  const keyed = sql(
    'select ??, ??, ??, max(case when ?? = ? then ?? end) over (partition by ??) as ?? from (?) as ??',
    ['ours', 'theirs', 'key0', 'theirs', entry, 'key0', 'ours', 'at', rows, 'ranked'],
  )
  return {
    keyed: page.from === null ? rows : keyed,
    keys,
    there: lyingRanked(scope, page),
    keysOf: (row, at, own) => {
      const held = known(row, at)
      return held && [...held, { is: 'number', value: String(own) }]
    },
  }
}
