import type { KeysetPage } from '../plan'
import type { HeldKey } from '../query'
import type { Row } from './dialect'
import type { ValueKey } from './order-by'
import type { SqlScope } from './sql-scope'
import { joined, type Sql, sql } from './sql'

/** A key of rows that a statement has in a set, as a column of that set. */
export interface KeyColumn extends Omit<ValueKey, 'value'> {
  readonly name: string
}

/** Where rows go on from an entry: behind it in the order, or back from it; with that entry itself, or without. */
interface KeysetDirection {
  readonly back: boolean
  readonly inclusive: boolean
}

/** The other way, and what is not one way is the other. */
export const opposite = ({ back, inclusive }: KeysetDirection): KeysetDirection => ({
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

const said = ({ dialect, matching }: SqlScope, { direction, isSure }: KeyColumn, back: boolean): string => {
  const way = (direction === 'asc') === back ? 'desc' : 'asc'
  return isSure ? way : dialect.direction(way, matching)
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
export const toldKeys = (keys: readonly KeyColumn[]): readonly KeyColumn[] => keys.slice(0, -1)

export const readKeys = ({ dialect }: SqlScope, keys: readonly KeyColumn[], set: string): readonly Sql[] =>
  toldKeys(keys).map(({ name, type }) => dialect.keys.read(sql('??', [`${set}.${name}`]), type))

/** What a row says of them, from this position on. Undefined where the database itself could not read one again. */
export type KeysOfRow = (row: Row, at: number) => readonly HeldKey[] | undefined

export function keysOfRow({ dialect, matching }: SqlScope, keys: readonly KeyColumn[]): KeysOfRow {
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
