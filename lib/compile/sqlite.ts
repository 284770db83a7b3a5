import { sqliteState } from '../freshness'
import { timedOut } from '../errors'
import { makeMemory, type Memory, once } from '../memory'
import type { Value } from '../plan'
import type { ColumnType } from '../schema'
import { type Dialect, type Form, named, plainComparison, type Row } from './dialect'
import { sqliteKeys } from './key-holding'
import { idsToCome, type Sql, sql, pattern, type TextMatching } from './sql'

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

/** SQLite's own lower() knows ASCII only. */
const lowerName = 'content_router_lower'

const fold = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase().replaceAll('ς', 'σ') : value

/** Nothing outside can end a statement of SQLite while the driver holds the process, but a function that it calls can. */
const inTimeName = 'content_router_in_time'

/** To ask the time for every row would cost as much as the row; ids are many and of every kind. */
const isInTime = (id: string): Sql => sql(`(?? & 63 or ${inTimeName}())`, [id])

/** Of statements that a connection keeps prepared. */
const maxBytes = 32 * 1024 * 1024

/** Mostly in the driver, and found by weighing the process. */
const bytesOfStatement = ({ source }: SqliteStatement): number => 26 * source.length

interface PreparedStatements {
  readonly statements: Memory<SqliteStatement>
  endsAt: () => number
}

const prepared = new WeakMap<object, PreparedStatements>()

function openOn(connection: BetterSqliteConnection): PreparedStatements {
  const made: PreparedStatements = {
    statements: makeMemory({ maxBytes, bytesOf: bytesOfStatement }),
    endsAt: () => Infinity,
  }
  // A whole number that no double holds: Node's own SQLite would fail at it, in rows too that a rule hides.
  connection.function(lowerName, { deterministic: true, safeIntegers: true }, fold)
  connection.function(inTimeName, {}, () => {
    if (performance.now() > made.endsAt()) throw timedOut()
    return 1
  })
  return made
}

const preparedOn = (connection: BetterSqliteConnection): PreparedStatements =>
  once(prepared, connection, () => openOn(connection))

function limitTime(connection: object, endsAt: () => number): void {
  preparedOn(connection as BetterSqliteConnection).endsAt = endsAt
}

function prepare(connection: BetterSqliteConnection, sql: string): SqliteStatement {
  const { statements } = preparedOn(connection)
  return once(statements, sql, () => {
    const made = connection.prepare(sql)
    // The connection may be set to give BigInts, which are neither numbers nor JSON.
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

/** A column may have a collation of its own, by which what differs is equal. Indexes of any other column serve all the same. */
const exact: TextMatching = {
  equal: (column, value) => sql('? collate binary = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql(`${lowerName}(?) = ?`, [column, fold(value)]),
  ordered: (column) => sql('? collate binary', [column]),
  sorted: (column) => sql('? collate binary', [column]),
  contains: (column, part) => {
    // Before a number reaches the function as a double, whose text would be another one.
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
          subject,
          value,
          subject,
          subject,
          value,
          value,
        ])
    }
  },
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** SQLite fails at each row that is asked for a longer one, so that a row which a rule hides would be told of. */
const longestPattern = 50_000

const database: TextMatching = {
  equal: (column, value) => sql('? = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql('lower(?) = lower(?)', [column, value]),
  ordered: (column) => column,
  sorted: (column) => column,
  contains: (column, part) => {
    const like = pattern(part, '\\')
    // It takes large and small letters of ASCII for the same, as `lower` does.
    if (Buffer.byteLength(like) > longestPattern)
      return exact.contains(sql('lower(?)', [column]), {
        ...part,
        ignoreCase: false,
        value: lowerAscii(part.value),
      })
    return part.ignoreCase
      ? sql(`lower(?) like lower(?) escape '\\'`, [column, like])
      : sql(`? like ? escape '\\'`, [column, like])
  },
}

function operand(value: Value): Sql {
  return sql('?', [typeof value === 'boolean' ? Number(value) : value])
}

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
  joinOrder: { join: 'cross join', select: 'select' },
  sortedJson: null,
  formOf: (type) => forms[type],
  isStrictlyTyped: false,
  text: { exact, database },
  inUnion: { text: (column) => sql('??', [column]), noText: sql('null'), noNumber: sql('null') },
  /**
   * The driver's numbers are doubles, so what may be larger is read as text. A bigint that went through a double when
   * it was written can be stored as one. A text in such a column is no number, and as an integer it would be one.
   */
  read: (column, type) => {
    if (type === 'biginteger')
      return sql(`iif(typeof(??) = 'text', ??, cast(cast(?? as integer) as text))`, [column, column, column])
    if (type === 'timestamp')
      return sql(`iif(typeof(??) = 'text', null, cast(cast(?? as integer) as text))`, [column, column])
    // SQLite parses JSON without making anything of it, which costs far less than to parse it here only to see if it is.
    if (type === 'json') return sql('iif(json_valid(??), ??, char(1) || ??)', [column, column, column])
    return sql('??', [column])
  },
  comparison: () => plainComparison,
  operand,
  superset: null,
  ids: {
    /** One binding for any number of ids: it meets no limit on variables, and needs no statement for each length. */
    isAmong: (column) => sql('?? in (select value from json_each(?))', [column, idsToCome]),
    bind: (ids) => JSON.stringify(ids),
  },
  timeLimit: { condition: isInTime, set: limitTime },
  cancelling: null,
  unindexed: (column) => sql('+??', [column]),
  mostJoined: 8,
  chains: { from: 3, by: 'exists' },
  isIn: (key, set) => sql('? in (?)', [named(key), set]),
  isNotIn: (key, set) => sql('?? not in (?)', [key, set]),
  nullsAre: 'smallest',
  groupKey: (column) => sql('??', [column]),
  placeholder: () => '?',
  state: sql(sqliteState),
  openSnapshot: () => ['begin'],
  run,
}
