import type { KeysetPage, Level } from '../plan'
import type { HeldKey } from '../query'
import { inTimeFor, valueOrdering, withJoins, type ValueKey } from './order-by'
import { column, sortDirection, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, compile, type Statement } from './sql'
import { whereInTime } from './where'
import type { Row } from './dialect'

/** A key of rows that a statement has in a set, as a column of that set. */
interface KeyColumn extends Omit<ValueKey, 'value'> {
  readonly name: string
}

/** Where rows go on from an entry: behind it in the order, or back from it; with that entry itself, or without. */
interface KeysetDirection {
  readonly back: boolean
  readonly inclusive: boolean
}

/** The other way, and what is not one way is the other. */
const opposite = ({ back, inclusive }: KeysetDirection): KeysetDirection => ({
  back: !back,
  inclusive: !inclusive,
})

export const directionOf = ({ side }: Pick<KeysetPage, 'side'>): KeysetDirection => ({
  back: side === 'before',
  inclusive: false,
})

const isNull = ({ name }: KeyColumn): Sql => sql('?? is null', [name])

/** The key of rows beside the value that a cursor holds. */
function compareHeld(
  { dialect, matching }: SqlScope,
  { name, type }: KeyColumn,
  held: NonNullable<HeldKey>,
): (sign: '>' | '<' | '>=' | '<=' | '=') => Sql {
  const operand = dialect.keys.operand(held, type)
  const other = type === 'string' ? dialect.text[matching].ordered(operand) : operand
  return (sign) => sql(`?? ${sign} ?`, [name, other])
}

/** What of a key lies further on, what is level with the entry, and what a row must at least meet: an index finds that. */
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

/** The rows that lie there. The last key is the id, which no two of them share. */
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

/** All but the id, so that they can be told. */
const toldKeys = (keys: readonly KeyColumn[]): readonly KeyColumn[] => keys.slice(0, -1)

export const readKeys = ({ dialect }: SqlScope, keys: readonly KeyColumn[], set: string): readonly Sql[] =>
  toldKeys(keys).map(({ name, type }) => dialect.keys.read(sql('??', [`${set}.${name}`]), type))

/** What a row says of them, from this position on. Undefined where the database itself could not read one again. */
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
