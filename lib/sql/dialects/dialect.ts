import type { Test, Value } from '../../plan'
import type { ColumnType, KeyType } from '../../schema'
import type { KeyCodec } from '../key-codec'
import type { Comparison, IdList, Sql, Matching, TextMatching } from '../statement'

export type Row = readonly unknown[]

/**
 * Form of a column's value from the driver.
 *
 * - `text`: a string, to be quoted · `plain`: a string that needs no escapes, to be put in quotes
 * - `number`: to be written as it is · `numeric`: a number's text, perhaps `14.00`
 * - `bit`: 0 or 1 · `letter`: t or f
 * - `storedNumber`, `storedBit`: a number, or another value that the storage holds in its place
 * - `day`, `storedInstant`: a day, an instant, or what the storage holds that is none
 * - `milliseconds`: since 1970, `stamp`: the same as text · `instant`: `2012-01-13 12:12:36.852000`, in UTC · `clock`: `20:20:20.74`
 * - `json`: JSON text · `checkedJson`: let in by the column's own check · `typedJson`: of a column for JSON alone
 * - `markedJson`: JSON text or a number, or another text behind the sign `notJson`
 */
export type Form =
  | 'text'
  | 'plain'
  | 'day'
  | 'number'
  | 'numeric'
  | 'bit'
  | 'letter'
  | 'storedNumber'
  | 'storedBit'
  | 'milliseconds'
  | 'stamp'
  | 'instant'
  | 'storedInstant'
  | 'clock'
  | 'json'
  | 'checkedJson'
  | 'typedJson'
  | 'markedJson'

/** No JSON text begins with it. */
export const notJson = '\u0001'

interface JoinOrder {
  /** SQLite does not know that the first table has few rows. MySQL may sort the table first. */
  readonly join: 'inner join' | 'cross join' | 'straight_join'
  /** MariaDB begins with the linked entries, and then sorts millions of links that an index has in order. */
  readonly select: 'select' | 'select straight_join'
  /** Number of sets in one condition that may be joined to the rows. */
  readonly mostSets: number
}

/** Connections of Knex's client: new ones, and those of its pool. */
export interface RawConnections {
  acquireRawConnection(): Promise<object>
  destroyRawConnection(connection: object): unknown
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<unknown>
}

export interface Cancelling {
  /** Called before the first statement: a busy connection does not respond. */
  readonly prepare: (connection: object) => void
  /** One attempt, until `until` in milliseconds of `performance.now()`. */
  readonly request: (connection: object, raw: RawConnections, until: number) => Promise<void>
}

export const closeSnapshot = 'commit'

/** Columns of tables that the application made. */
interface ExistingColumns {
  /** Value of a column that may have other types than Strapi's; null for the column itself. */
  value(column: string, type: ColumnType): Sql | null
  /** A value to compare with the column, which may have a smaller type. */
  operand(value: Sql, type: ColumnType): Sql
  /** Condition for an index on a column of the type uuid. */
  impliedOfUuid(column: string, test: Test): Sql | null
}

export interface Dialect {
  readonly joinOrder: JoinOrder
  /** Null: JSON is sorted as it is. MySQL fails if one value, even of a hidden row, exceeds its buffer. */
  readonly sortedJson: ((column: Sql) => Sql) | null
  /** `declared`: the type of the column in the database, if known. */
  formOf(type: ColumnType, declared: string | undefined): Form
  /** Values outside of a column's type are errors, and JSON is compared with JSON alone. */
  readonly isStrictlyTyped: boolean
  readonly text: Readonly<Record<Matching, TextMatching>>
  /** Columns of the parts of a union, which need one type; texts beside those of other collations. */
  readonly inUnion: {
    readonly text: (column: string) => Sql
    readonly noText: Sql
    readonly noNumber: Sql
  }
  read(column: string, type: ColumnType): Sql
  readonly existing: ExistingColumns
  readonly keys: KeyCodec
  /** Suffix of a set in brackets: it is evaluated by itself. */
  readonly apart: string
  comparison(type: ColumnType): Comparison
  operand(value: Value, type: ColumnType): Sql
  /** Containment of JSON; NULL for a text that is not JSON. Null: not supported. */
  readonly superset: ((column: Sql, json: string, isText: boolean) => Sql) | null
  readonly ids: IdList
  /** Ends statements of a driver that blocks the process while they run. Null if statements can be cancelled. */
  readonly timeLimit: {
    /** True for each row until the time is up, then an error. `id`: a column of a row that the statement reads. */
    readonly condition: (id: string) => Sql
    readonly set: (connection: object, endsAt: () => number) => void
  } | null
  /** Null if the driver blocks the process. */
  readonly cancelling: Cancelling | null
  /** Membership in a set with the column `found`, evaluated by itself. */
  isIn(key: string | Sql, set: Sql): Sql
  /** Number of links from which a chain is followed link by link, and the form for it. */
  readonly chains: { readonly from: number; readonly by: 'exists' | 'in' }
  isNotIn(key: string, set: Sql): Sql
  /** Condition of an outer join, so that no set in it becomes part of the join. */
  onOuter(condition: Sql): Sql
  unindexed(column: string): Sql
  /** The plan of a select from one table, as JSON, and its estimated rows. Null: totals are always exact. */
  readonly estimate: { readonly explain: string; readonly rowsIn: (plan: string) => number } | null
  readonly nullsAre: 'smallest' | 'largest'
  /** Key of grouped or joined sets, so that they are evaluated once and not for each key. */
  groupKey(column: string, type: KeyType): Sql
  readonly placeholder: (number: number) => string
  /** State of the database as a column; on MySQL only the server. */
  readonly state: Sql
  /** `isHosts`: connections of the host have unknown settings. */
  openSnapshot(isHosts: boolean): readonly string[]
  run(connection: unknown, sql: string, bindings: readonly unknown[], name?: string): Promise<readonly Row[]>
}
