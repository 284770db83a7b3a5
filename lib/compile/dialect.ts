import type { DialectName } from '../database'
import type { Test, Value } from '../plan'
import type { ColumnType } from '../schema'
import type { KeyHolding } from './key-holding'
import { type Sql, sql } from './sql'
import type { Matching, TextMatching } from './text-matching'

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

/** Stands in the bindings for the ids that are only known when the statement runs. */
export const idsToCome = { idsToCome: true }

export const named = (column: string | Sql): Sql =>
  typeof column === 'string' ? sql('??', [column]) : column

export interface Dialect {
  readonly name: DialectName
  /**
   * Joins a table to what stands before it and has few rows, which SQLite is to be told: it does not know how few. MySQL might
   * sort the table first.
   */
  readonly joinInOrder: 'inner join' | 'cross join' | 'straight_join'
  /**
   * Behind `select`: the tables are joined in the order in which they are written. MariaDB would begin with the entries that
   * links lead to, for these are few, and sort millions of links by where they come from, of which an index has the order.
   */
  readonly inOrder: '' | 'straight_join '
  /**
   * What JSON is put in order by, where it has to be looked up: MySQL takes it along while rows are sorted, and fails at one that
   * is longer than its buffer, even of a row that the statement leaves out, so that it would tell of a row which a rule hides.
   * Null where it is not taken along.
   */
  readonly sortedJson: ((column: Sql) => Sql) | null
  readonly forms: Readonly<Record<ColumnType, Form>>
  readonly text: Readonly<Record<Matching, TextMatching>>
  /** A database that makes no difference between 'x' and null needs no types; PostgreSQL does. */
  readonly nulls: { readonly number: string; readonly text: string }
  /** A text beside those of other columns, in whichever collations these are. */
  textInUnion(column: string): Sql
  read(column: string, type: ColumnType): Sql
  readonly keys: KeyHolding
  /** Behind a set in brackets: it is worked out by itself, and each of its columns once. */
  readonly apart: string
  /** The two sides of a comparison. */
  compared(column: Sql, type: ColumnType): Sql
  /** The two sides, for no index on the column, where one finds what is not equal to it; else null. */
  asRead(type: ColumnType): { readonly column: (side: Sql) => Sql; readonly value: (side: Sql) => Sql } | null
  operand(value: Value, type: ColumnType): Sql
  /** What a comparison that holds says of the column as it is stored, for an index on it; null where it says so itself. */
  implied(column: Sql, type: ColumnType, test: Test): Sql | null
  /** Whether the JSON of a column, or of a text, holds all of a piece of JSON; NULL where it is no JSON. */
  superset(column: Sql, json: string, isText: boolean): Sql
  isAmong(column: string | Sql, ids: unknown): Sql
  /**
   * Holds for every row, and ends the statement once its time is up. Null where the server can be told to drop what it
   * is doing; the id is that of a row which the statement goes through.
   */
  readonly inTime: ((id: string) => Sql) | null
  /** Until when the statements on this connection may run, for a driver that holds the process while they do. */
  readonly limitTime: ((connection: object, endsAt: () => number) => void) | null
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
  bindIds(ids: readonly unknown[]): unknown
  /** Puts NULLs first in ascending and last in descending order, where the database would not. */
  direction(direction: 'asc' | 'desc', matching: Matching): string
  /** Where that leaves NULLs. */
  nullsFirst(direction: 'asc' | 'desc', matching: Matching): boolean
  /** The key that sets are grouped or joined by, written so that they are worked out once and not for each key. */
  groupKey(column: string): Sql
  /** Stands in the text for the binding of this number, counted from one. */
  readonly placeholder: (number: number) => string
  /** Which state of the database a statement sees, as a value of its own; of MySQL's only whose state it is. */
  readonly state: Sql
  /** For connections that are set as others need them: has the next transaction see one state alone, whatever is set. */
  readonly seeOneState: string | null
  /** Statements that open and close a snapshot for several reads. */
  readonly begin: string
  readonly end: string
  /** `name`: under which the database may keep the statement prepared. */
  run(connection: unknown, sql: string, bindings: readonly unknown[], name?: string): Promise<readonly Row[]>
}
