import type { KeysetPage, Level } from '../plan'
import type { HeldKey } from '../query'
import { inTimeFor, valueOrdering, withJoins, type ValueKey } from './order-by'
import { column, sortDirection, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, compile, type Statement } from './sql'
import { whereInTime } from './where'
import type { Row } from './dialect'

/** Sort key as a column of a set. */
interface KeyColumn extends Omit<ValueKey, 'value'> {
  readonly name: string
}

/** Rows behind an entry or before it, with the entry or without. */
interface KeysetDirection {
  readonly back: boolean
  readonly inclusive: boolean
}

const opposite = ({ back, inclusive }: KeysetDirection): KeysetDirection => ({
  back: !back,
  inclusive: !inclusive,
})

export const directionOf = ({ side }: Pick<KeysetPage, 'side'>): KeysetDirection => ({
  back: side === 'before',
  inclusive: false,
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
interface Parted {
  readonly further: Sql
  readonly level: Sql
  readonly atLeast: Sql | null
}

function parted(scope: SqlScope, key: KeyColumn, held: HeldKey, { back }: KeysetDirection): Parted {
  const nullsBehind = !key.isSure && key.nullsFirst === back
  if (held === null) {
    const further = nullsBehind ? sql('1 = 0') : sql('?? is not null', [key.name])
    return { further, level: isNull(key), atLeast: null }
  }
  const compared = compareHeld(scope, key, held)
  const [sign, orLevel] = (key.direction === 'asc') === back ? (['<', '<='] as const) : (['>', '>='] as const)
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
      const { further, level, atLeast } = parted(
        scope,
        key,
        at === keys.length - 1 ? id : (from.keys[at] ?? null),
        direction,
      )
      if (rest === null) return direction.inclusive && atLeast !== null ? atLeast : further
      const either = sql('(? or (? and ?))', [further, level, rest])
      return at === 0 && atLeast !== null ? sql('(? and ?)', [atLeast, either]) : either
    }, null) ?? sql('1 = 1')
  )
}

const said = (scope: SqlScope, { direction, isSure }: KeyColumn, back: boolean): string => {
  const way = (direction === 'asc') === back ? 'desc' : 'asc'
  return isSure ? way : sortDirection(scope, way)
}

export const orderByKeys = (scope: SqlScope, keys: readonly KeyColumn[], back: boolean, set?: string): Sql =>
  joined(
    keys.map((key) => {
      const name = set === undefined ? key.name : `${set}.${key.name}`
      return sql(`?? ${said(scope, key, back)}`, [name])
    }),
    ', ',
  )

const toldKeys = (keys: readonly KeyColumn[]): readonly KeyColumn[] => keys.slice(0, -1)

export const readKeys = ({ dialect }: SqlScope, keys: readonly KeyColumn[], set: string): readonly Sql[] =>
  toldKeys(keys).map(({ name, type }) => dialect.keys.read(sql('??', [`${set}.${name}`]), type))

/** Undefined if the database could not compare a key again. */
type KeysOfRow = (row: Row, at: number) => readonly HeldKey[] | undefined

function keysOfRow({ dialect, matching }: SqlScope, keys: readonly KeyColumn[]): KeysOfRow {
  const { held, fits } = dialect.keys
  const told = toldKeys(keys)
  return (row, at) => {
    const found = told.map(({ type }, index) => held(row[at + index] ?? null, type))
    const isFit = found.every(
      (key, index) => key === null || fits(told[index]?.type ?? 'json', key, matching),
    )
    return isFit ? found : undefined
  }
}

export interface KeyedRows {
  readonly set: Sql
  readonly keys: readonly KeyColumn[]
}

/**
 * Rows of a list with their sort keys. Sets sorted through links are evaluated apart: keys would be computed for each
 * comparison, and SQLite 3.53 returns wrong rows for `or` of several indexes.
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

/** 1 if rows exist on the other side of the cursor, else 0. */
export function othersThere(scope: SqlScope, level: Level<never>, { from, ...page }: KeysetPage): Sql {
  if (from === null) return sql('0')
  const { set, keys } = keyedRows(scope, level, from)
  const there = lying(scope, keys, from, opposite(directionOf(page)))
  return sql('case when exists (select 1 from ? where ?) then 1 else 0 end', [set, there])
}

/** Columns behind all others of a keyset page: rows on the other side, then the sort keys. */
export interface ToldEdges {
  readonly keysOf: KeysOfRow
  /** Statement for an empty page. */
  readonly others: Statement
}

export function toldEdges(scope: SqlScope, level: Level<never>, page: KeysetPage): ToldEdges {
  const { keys } = keyedRows(scope, level, page.from)
  const others = compile(scope, sql('select ?', [othersThere(scope, level, page)]))
  return { keysOf: keysOfRow(scope, keys), others }
}
