import type { Test, Value } from '../plan'
import type { ColumnType } from '../schema'
import type { KeyHolding } from './key-holding'
import { type IdList, type Sql, sql, type Matching, type TextMatching } from './sql'

export type Row = readonly unknown[]

/**
 * How a value of a column arrives from the driver, which is what the shape room has to know to write it as JSON.
 *
 * - `text`: a string, to be quoted · `plain`: a string that needs no escapes, to be put in quotes
 * - `number`: to be written as it is · `numeric`: a number's text, perhaps `14.00`
 * - `bit`: 0 or 1 · `letter`: t or f
 * - `storedNumber`, `storedBit`: a number, or another value that the storage holds in its place
 * - `day`, `storedInstant`: a day, an instant, or what the storage holds that is none
 * - `milliseconds`: since 1970, `stamp`: the same as text · `instant`: `2012-01-13 12:12:36.852000`, in UTC · `clock`: `20:20:20.74`
 * - `json`: JSON text · `storedJson`: JSON text, or another value that the storage holds in its place
 * - `checkedJson`: JSON text that the column's own check has let in
 * - `typedJson`: JSON text, of a column that holds nothing else and that the driver would parse
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
  | 'storedJson'
  | 'checkedJson'
  | 'typedJson'
  | 'markedJson'

/** No JSON text begins with it. */
export const notJson = '\u0001'

export const named = (column: string | Sql): Sql =>
  typeof column === 'string' ? sql('??', [column]) : column

/** Statements that keep the order in which their tables are written. */
interface JoinOrder {
  /**
   * Joins a table to what stands before it and has few rows, which SQLite is to be told: it does not know how few. MySQL might
   * sort the table first.
   */
  readonly join: 'inner join' | 'cross join' | 'straight_join'
  /**
   * Begins the select of a set. MariaDB would begin with the entries that links lead to, for these are few, and sort millions
   * of links by where they come from, of which an index has the order.
   */
  readonly select: 'select' | 'select straight_join'
}

/** Columns of the parts of a union, which need one type. */
interface UnionColumns {
  /** A text beside those of other columns, in whichever collations these are. */
  readonly text: (column: string) => Sql
  /** NULLs in place of a column. */
  readonly noText: Sql
  readonly noNumber: Sql
}

/** How the columns of a type are compared with values. */
export interface Comparison {
  /** What of the column is compared. */
  readonly compared: (column: Sql) => Sql
  /** The two sides, for no index on the column, where one finds what is not equal to it; else null. */
  readonly asRead: { readonly column: (side: Sql) => Sql; readonly value: (side: Sql) => Sql } | null
  /** What a comparison that holds says of the column as it is stored, for an index on it; null where it says so itself. */
  readonly implied: (column: Sql, test: Test) => Sql | null
}

/** Columns are compared as they are stored. */
export const plainComparison: Comparison = {
  compared: (column) => column,
  asRead: null,
  implied: () => null,
}

/** Ends statements of a driver that holds the process while they run. */
interface TimeLimit {
  /** Holds for every row, and ends the statement once its time is up. The id is that of a row which it goes through. */
  readonly condition: (id: string) => Sql
  /** Until when the statements on a connection may run. */
  readonly set: (connection: object, endsAt: () => number) => void
}

/** Where Knex's client has connections from: new ones, and those of its pool. */
export interface RawConnections {
  acquireRawConnection(): Promise<object>
  destroyRawConnection(connection: object): unknown
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<unknown>
}

/** How a server is told to drop what it is doing on a connection. */
export interface Cancelling {
  /** Called before anything else is sent on the connection: what is busy does not answer. */
  readonly prepare: (connection: object) => void
  /** One try, given up at `until`, in milliseconds of `performance.now()`. */
  readonly request: (connection: object, raw: RawConnections, until: number) => Promise<void>
}

/** Statement that closes a snapshot. */
export const closeSnapshot = 'commit'

export interface Dialect {
  readonly joinOrder: JoinOrder
  /**
   * What JSON is put in order by, where it has to be looked up: MySQL takes it along while rows are sorted, and fails at one that
   * is longer than its buffer, even of a row that the statement leaves out, so that it would tell of a row which a rule hides.
   * Null where it is not taken along.
   */
  readonly sortedJson: ((column: Sql) => Sql) | null
  /** The declared type of a column may decide it; undefined where that is not known. */
  formOf(type: ColumnType, declared: string | undefined): Form
  /** Whether a value that a column's type cannot hold is an error, and JSON is compared with JSON alone. */
  readonly isStrictlyTyped: boolean
  readonly text: Readonly<Record<Matching, TextMatching>>
  readonly inUnion: UnionColumns
  read(column: string, type: ColumnType): Sql
  readonly keys: KeyHolding
  /** Behind a set in brackets: it is worked out by itself, and each of its columns once. */
  readonly apart: string
  comparison(type: ColumnType): Comparison
  operand(value: Value, type: ColumnType): Sql
  /**
   * Whether the JSON of a column, or of a text where types are not strict, holds all of a piece of JSON; NULL where it is no
   * JSON. Null where the database cannot tell.
   */
  readonly superset: ((column: Sql, json: string, isText: boolean) => Sql) | null
  readonly ids: IdList
  /** Null where the server can be told to drop what it is doing. */
  readonly timeLimit: TimeLimit | null
  /** Null where the driver holds the process meanwhile. */
  readonly cancelling: Cancelling | null
  /** Whether a key is in a set, whose column is named `found`, that is worked out by itself. */
  isIn(key: string | Sql, set: Sql): Sql
  /** Number of sets in one condition that the database may join to the rows. */
  readonly mostJoined: number
  /** From how many links in a row on a chain is followed link by link, and how the rows are found that a link starts from. */
  readonly chains: { readonly from: number; readonly by: 'exists' | 'in' }
  /** Whether it is not. The set holds no NULL. */
  isNotIn(key: string, set: Sql): Sql
  /** A condition of an outer join, so that no set in it is made part of that join. */
  onOuter(condition: Sql): Sql
  /** A column, so that no index on it is used. */
  unindexed(column: string): Sql
  /** How NULLs are sorted by themselves. */
  readonly nullsAre: 'smallest' | 'largest'
  /** The key that sets are grouped or joined by, written so that they are worked out once and not for each key. */
  groupKey(column: string): Sql
  /** Stands in the text for the binding of this number, counted from one. */
  readonly placeholder: (number: number) => string
  /** Which state of the database a statement sees, as a value of its own; of MySQL's only whose state it is. */
  readonly state: Sql
  /** Statements that open a snapshot for several reads. The connections of the host are set as it needs them. */
  openSnapshot(isHosts: boolean): readonly string[]
  /** `name`: under which the database may keep the statement prepared. */
  run(connection: unknown, sql: string, bindings: readonly unknown[], name?: string): Promise<readonly Row[]>
}
