import { sqliteState } from '../../freshness'
import { timedOut } from '../../errors'
import { makeMemory, type Memory, once } from '../../memory'
import type { ColumnType } from '../../schema'
import type { Dialect, Form, Row } from './dialect'
import { sqliteKeys } from '../key-codec'
import { idsToCome, type Sql, sql, pattern, type TextMatching, named, plainComparison } from '../statement'

interface SqliteStatement {
  readonly source: string
  safeIntegers(on: boolean): unknown
  raw(): { all(...bindings: unknown[]): Row[] }
  readonly reader: boolean
  run(...bindings: unknown[]): unknown
}

interface BetterSqliteConnection {
  prepare(sql: string): SqliteStatement
  function(name: string, options: object, define: (...values: readonly unknown[]) => unknown): unknown
}

/** SQLite's lower() supports ASCII only. */
const lowerName = 'content_router_lower'

const fold = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase().replaceAll('ς', 'σ') : value

/** The driver blocks the process, so that only a function inside of the statement can end it. */
const inTimeName = 'content_router_in_time'

/** Memory of prepared statements of one connection. */
const maxBytes = 32 * 1024 * 1024

interface PreparedStatements {
  readonly statements: Memory<SqliteStatement>
  endsAt: () => number
}

const prepared = new WeakMap<object, PreparedStatements>()

function openOn(connection: BetterSqliteConnection): PreparedStatements {
  const made: PreparedStatements = {
    // Measured; most of it is memory of the driver.
    statements: makeMemory({ maxBytes, bytesOf: ({ source }) => 26 * source.length }),
    endsAt: () => Infinity,
  }
  // Node's SQLite fails at integers beyond doubles, even in hidden rows.
  connection.function(lowerName, { deterministic: true, safeIntegers: true }, fold)
  connection.function(inTimeName, {}, () => {
    if (performance.now() > made.endsAt()) throw timedOut()
    return 1
  })
  return made
}

const preparedOn = (connection: BetterSqliteConnection): PreparedStatements =>
  once(prepared, connection, () => openOn(connection))

function prepare(connection: BetterSqliteConnection, sql: string): SqliteStatement {
  const { statements } = preparedOn(connection)
  return once(statements, sql, () => {
    const made = connection.prepare(sql)
    // Hosts may configure BigInts, which are neither numbers nor JSON.
    made.safeIntegers(false)
    return made
  })
}

function run(connection: unknown, sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
  const statement = prepare(connection as BetterSqliteConnection, sql)
  if (statement.reader) return Promise.resolve(statement.raw().all(...bindings))
  statement.run(...bindings)
  return Promise.resolve([])
}

/** Collations of columns may find different texts equal. Indexes of other columns are still used. */
const exact: TextMatching = {
  equal: (column, value) => sql('? collate binary = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql(`${lowerName}(?) = ?`, [column, fold(value)]),
  ordered: (column) => sql('? collate binary', [column]),
  sorted: (column) => sql('? collate binary', [column]),
  contains: (column, part) => {
    // Numbers would reach the function as doubles, with another text.
    const text = part.cast ? sql('cast(? as text)', [column]) : column
    const subject = part.ignoreCase ? sql(`${lowerName}(?)`, [text]) : text
    const value = part.ignoreCase ? (fold(part.value) as string) : part.value
    switch (part.place) {
      case 'anywhere':
        return sql('instr(?, ?) > 0', [subject, value])
      case 'start':
        return sql('substr(?, 1, length(?)) = ?', [subject, value, value])
      case 'end':
        return sql('(length(?) >= length(?) and substr(?, length(?) - length(?) + 1) = ?)', [
          ...[subject, value, subject, subject, value, value],
        ])
    }
  },
}

/** SQLite fails at longer patterns for each row, hidden ones too. */
const longestPattern = 50_000

const database: TextMatching = {
  equal: (column, value) => sql('? = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql('lower(?) = lower(?)', [column, value]),
  ordered: (column) => column,
  sorted: (column) => column,
  contains: (column, part) => {
    const like = pattern(part, '\\')
    // LIKE ignores the case of ASCII, as `lower` does.
    if (Buffer.byteLength(like) > longestPattern) {
      const value = part.value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
      return exact.contains(sql('lower(?)', [column]), { ...part, ignoreCase: false, value })
    }
    return part.ignoreCase
      ? sql(`lower(?) like lower(?) escape '\\'`, [column, like])
      : sql(`? like ? escape '\\'`, [column, like])
  },
}

/** Other programs store instants as texts, in UTC without a zone. */
const existingValue = (column: string, type: ColumnType): Sql | null =>
  type === 'datetime' || type === 'timestamp'
    ? sql(`iif(typeof(??) = 'text', cast(round((julianday(??) - 2440587.5) * 86400000) as integer), ??)`, [
        column,
        column,
        column,
      ])
    : null

const forms: Readonly<Record<ColumnType, Form>> = {
  id: 'storedNumber',
  string: 'text',
  integer: 'storedNumber',
  biginteger: 'text',
  float: 'storedNumber',
  decimal: 'storedNumber',
  boolean: 'storedBit',
  date: 'text',
  time: 'text',
  datetime: 'milliseconds',
  timestamp: 'stamp',
  json: 'markedJson',
}

export const sqlite: Dialect = {
  onOuter: (condition) => condition,
  keys: sqliteKeys,
  apart: 'limit -1',
  joinOrder: { join: 'cross join', select: 'select', mostSets: 8 },
  sortedJson: null,
  formOf: (type) => forms[type],
  isStrictlyTyped: false,
  text: { exact, database },
  inUnion: { text: named, noText: sql('null'), noNumber: sql('null') },
  /** Numbers of the driver are doubles, so larger ones are read as text. Bigints may be stored as doubles. */
  read: (column, type) => {
    if (type === 'biginteger')
      return sql(`iif(typeof(??) = 'text', ??, cast(cast(?? as integer) as text))`, [column, column, column])
    if (type === 'timestamp')
      return sql(`iif(typeof(??) = 'text', null, cast(cast(?? as integer) as text))`, [column, column])
    // `json_valid` is far cheaper than JSON.parse.
    if (type === 'json') return sql('iif(json_valid(??), ??, char(1) || ??)', [column, column, column])
    return sql('??', [column])
  },
  existing: { value: existingValue, operand: (value) => value, impliedOfUuid: () => null },
  comparison: () => plainComparison,
  operand: (value) => sql('?', [typeof value === 'boolean' ? Number(value) : value]),
  superset: null,
  ids: {
    /** One binding for any number of ids: no limit on variables, and one statement for all lengths. */
    isAmong: (column) => sql('?? in (select value from json_each(?))', [column, idsToCome]),
    bind: (ids) => JSON.stringify(ids),
  },
  timeLimit: {
    /** Not for every row: reading the clock costs as much as a row. */
    condition: (id) => sql(`(?? & 63 or ${inTimeName}())`, [id]),
    set: (connection, endsAt) => {
      preparedOn(connection as BetterSqliteConnection).endsAt = endsAt
    },
  },
  cancelling: null,
  unindexed: (column) => sql('+??', [column]),
  chains: { from: 3, by: 'exists' },
  isIn: (key, set) => sql('? in (?)', [named(key), set]),
  isNotIn: (key, set) => sql('?? not in (?)', [key, set]),
  estimate: null,
  nullsAre: 'smallest',
  groupKey: (column) => named(column),
  placeholder: () => '?',
  state: sql(sqliteState),
  openSnapshot: () => ['begin'],
  run,
}
