import type { KeysetPage, Level } from '../plan'
import type { HeldKey } from '../query'
import { inTimeFor, ordering, withJoins, type OrderKey } from './order-by'
import { column, sortDirection, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, compile, type Statement } from './statement'
import { whereInTime } from './where'
import type { Row } from './dialects/dialect'

/** Sort key as a column of a set. */
interface KeyColumn extends Omit<OrderKey, 'value'> {
  readonly name: string
}

/** Rows behind an entry or before it, with the entry or without. */
interface KeysetDirection {
  readonly back: boolean
  readonly inclusive: boolean
}

/** `isOther`: the rows that are not on the page's side. */
export const directionOf = ({ side }: KeysetPage, isOther: boolean): KeysetDirection => ({
  back: (side === 'before') !== isOther,
  inclusive: isOther,
})

const isNull = ({ name }: KeyColumn): Sql => sql('?? is null', [name])

function compareHeld(
  { dialect, matching }: SqlScope,
  { name, type }: KeyColumn,
  held: NonNullable<HeldKey>,
): (sign: '>' | '<' | '>=' | '<=' | '=') => Sql {
  const operand = dialect.keys.operand(held, type)
  const other = type === 'string' ? dialect.text[matching].ordered(operand) : operand
  return (sign) => sql(`?? ${sign} ?`, [name, other])
}

/** Rows behind the key, rows equal to it, and a weaker condition for an index. */
function parted(
  scope: SqlScope,
  key: KeyColumn,
  held: HeldKey,
  { back }: KeysetDirection,
): { readonly further: Sql; readonly level: Sql; readonly atLeast: Sql | null } {
  const nullsBehind = !key.isSure && key.nullsFirst === back
  if (held === null) {
    const further = nullsBehind ? sql('1 = 0') : sql('?? is not null', [key.name])
    return { further, level: isNull(key), atLeast: null }
  }
  const compared = compareHeld(scope, key, held)
  const [sign, orLevel] = key.isDescending !== back ? (['<', '<='] as const) : (['>', '>='] as const)
  if (nullsBehind)
    return { further: sql('(? or ?)', [compared(sign), isNull(key)]), level: compared('='), atLeast: null }
  return { further: compared(sign), level: compared('='), atLeast: compared(orLevel) }
}

/** The last key is the id, which is unique. */
export function lying(
  scope: SqlScope,
  keys: readonly KeyColumn[],
  from: NonNullable<KeysetPage['from']>,
  direction: KeysetDirection,
): Sql {
  const id: HeldKey = { is: 'number', value: String(from.id) }
  return (
    keys.reduceRight<Sql | null>((rest, key, at) => {
      const held = at === keys.length - 1 ? id : (from.keys[at] ?? null)
      const { further, level, atLeast } = parted(scope, key, held, direction)
      if (rest === null) return direction.inclusive && atLeast !== null ? atLeast : further
      const either = sql('(? or (? and ?))', [further, level, rest])
      return at === 0 && atLeast !== null ? sql('(? and ?)', [atLeast, either]) : either
    }, null) ?? sql('1 = 1')
  )
}

export const orderByKeys = (scope: SqlScope, keys: readonly KeyColumn[], back: boolean, set?: string): Sql =>
  joined(
    keys.map(({ name, isDescending, isSure }) => {
      const direction = isDescending === back ? 'asc' : 'desc'
      const words = isSure ? direction : sortDirection(scope, direction)
      return sql(`?? ${words}`, [set === undefined ? name : column(set, name)])
    }),
    ', ',
  )

const shownKeys = (keys: readonly KeyColumn[]): readonly KeyColumn[] => keys.slice(0, -1)

export const readKeys = ({ dialect }: SqlScope, keys: readonly KeyColumn[], set: string): readonly Sql[] =>
  shownKeys(keys).map(({ name, type }) => dialect.keys.read(sql('??', [`${set}.${name}`]), type))

function keysOfRow({ dialect, matching }: SqlScope, keys: readonly KeyColumn[]): KeysetEdges['keysOf'] {
  const { held, fits } = dialect.keys
  const shown = shownKeys(keys)
  return (row, at) => {
    const found = shown.map(({ type }, index) => held(row[at + index] ?? null, type))
    const isFit = found.every(
      (key, index) => key === null || fits(shown[index]?.type ?? 'json', key, matching),
    )
    return isFit ? found : undefined
  }
}

/**
 * Rows of a list with their sort keys. Sets sorted through links are evaluated apart: keys would be computed for each
 * comparison, and SQLite 3.53 returns wrong rows for `or` of several indexes.
 */
export function keyedRows(
  scope: SqlScope,
  { model, where: condition, order }: Level<never>,
  from: KeysetPage['from'],
): { readonly set: Sql; readonly keys: readonly KeyColumn[] } {
  const alias = scope.alias()
  const id = column(alias, 'id')
  const sorted = ordering(scope, alias, order, true)
  const keys = sorted.keys.map((key, at) => {
    const name = at === sorted.keys.length - 1 ? 'id' : `key${String(at)}`
    return { ...key, name }
  })
  const columns = shownKeys(keys).map(({ name }, at) => sql('? as ??', [sorted.keys[at]?.value, name]))
  const rows = sql('select ? from ? where ?', [
    joined([sql('?? as ??', [id, 'id']), ...columns], ', '),
    withJoins(sql('?? as ??', [model.table, alias]), sorted),
    all([...inTimeFor(scope, id, sorted), whereInTime(scope, { alias, model }, condition)]),
  ])
  const isApart = from !== null && keys.some(({ isFar }) => isFar)
  return { set: sql(isApart ? `(? ${scope.dialect.apart}) as ??` : '(?) as ??', [rows, 'keyed']), keys }
}

/** 1 if rows exist on the other side of the cursor, else 0. */
export function othersThere(scope: SqlScope, level: Level<never>, page: KeysetPage): Sql {
  if (page.from === null) return sql('0')
  const { set, keys } = keyedRows(scope, level, page.from)
  const there = lying(scope, keys, page.from, directionOf(page, true))
  return sql('case when exists (select 1 from ? where ?) then 1 else 0 end', [set, there])
}

/** Columns behind all others of a keyset page: rows on the other side, then the sort keys. */
export interface KeysetEdges {
  /** Undefined if the database could not compare a key again. */
  readonly keysOf: (row: Row, at: number) => readonly HeldKey[] | undefined
  /** Statement for an empty page. */
  readonly others: Statement
}

export function edgesOf(scope: SqlScope, level: Level<never>, page: KeysetPage): KeysetEdges {
  const { keys } = keyedRows(scope, level, page.from)
  const others = compile(scope, sql('select ?', [othersThere(scope, level, page)]))
  return { keysOf: keysOfRow(scope, keys), others }
}
