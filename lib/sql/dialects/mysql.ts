import { mysqlServer } from '../../freshness'
import { hasSigma, type Value, type Test } from '../../plan'
import type { ColumnType } from '../../schema'
import type { Dialect, Form } from './dialect'
import { mysqlKeys } from '../key-codec'
import {
  idsToCome,
  type AskerPlaceholder,
  pattern,
  type TextMatching,
  Sql,
  sql,
  all,
  named,
  plainComparison,
  type Comparison,
} from '../statement'
import { mysqlCancelling, runOnMysql } from './run-on-mysql'

/** More than two time zones differ. */
const margin = 2 * 86_400

/** The largest second that all servers support. */
const last = 2 ** 31 - 1

function boundsOf(test: Test): readonly [least: number, most: number] {
  switch (test.is) {
    case 'equal':
      return [Number(test.value), Number(test.value)]
    case 'within': {
      const instants = test.values.map(Number)
      return [Math.min(...instants), Math.max(...instants)]
    }
    case 'between':
      return [Number(test.from), Number(test.to)]
    case 'ordered':
      return test.sign.startsWith('<') ? [-Infinity, Number(test.value)] : [Number(test.value), Infinity]
    case 'null':
    case 'text':
    case 'superset':
      return [-Infinity, Infinity]
  }
}

/** Rough bounds on the stored column, for an index: they hold in each time zone. */
function around(column: Sql, test: Test): Sql | null {
  const [least, most] = boundsOf(test)
  const bounds = [
    ['? >= from_unixtime(?)', Math.floor(least / 1000) - margin],
    ['? <= from_unixtime(?)', Math.ceil(most / 1000) + margin],
  ] as const
  const parts = bounds.flatMap(([text, at]) => (at > 0 && at <= last ? [sql(text, [column, at])] : []))
  return parts.length === 0 ? null : all(parts)
}

/**
 * Longer values sort like an empty one. Only MySQL reads these comments: MariaDB sorts JSON as text, and has no such
 * cast. Functions that parse JSON would fail at stored texts that are not JSON.
 */
function sortedJson(json: Sql): Sql {
  const short = `case left(?, 1) when '[' then json_array() when '"' then cast(json_quote(mid(?, 2, 250)) as json) else json_object() end`
  const text = `/*!80000 case when length(?) > 1024 then ${short} else */ ? /*!80000 end */`
  return sql(text, [json, json, json, json])
}

const begin = /(^|\()select /

/** Sets in outer joins: MySQL 9.7 loses the conditions of all tables but the first when it merges a set into one. */
function leftApart({ text, parts }: Sql): Sql {
  if (begin.test(text)) return sql(text.replace(begin, '$1select /*+ no_semijoin() */ '), parts)
  return sql(
    text,
    parts.map((part) => (part instanceof Sql ? leftApart(part) : part)),
  )
}

/** `convert … using`: MariaDB casts a text beyond `max_allowed_packet` to NULL, which no rule would hide. */

/** Columns of any character set, and JSON, which the driver would parse. */
const asText = (value: Sql | string): Sql => sql('convert(? using utf8mb4) collate utf8mb4_bin', [value])

const bytes = (value: Sql | string | AskerPlaceholder): Sql =>
  sql('convert(convert(? using utf8mb4) using binary)', [value])

/** MySQL 9 fails if one text, even of a hidden row, exceeds its buffer for sorting. */
const beginning = (text: Sql): Sql => sql('left(?, 1024)', [text])

/** Collation of both MySQL and MariaDB, with the case table of Unicode 5.2. */
function lower(value: Sql | string, wanted: string): Sql {
  const lowered = sql('lower(convert(? using utf8mb4) collate utf8mb4_unicode_520_ci)', [value])
  return bytes(hasSigma(wanted) ? sql(`replace(?, 'ς', 'σ')`, [lowered]) : lowered)
}

/** Order of UTF-8 bytes is code point order. Binary collations ignore trailing blanks, bytes do not. */
const exact: TextMatching = {
  /** The first comparison is there for an index on the column. */
  equal: (column, value) => sql('(? = ? and ? = ?)', [column, value, bytes(column), bytes(value)]),
  equalIgnoringCase: (column, value) => sql('? = ?', [lower(column, value), lower(value, value)]),
  ordered: (column) => bytes(column),
  sorted: (column) => beginning(bytes(column)),
  contains: (column, part) => {
    const form = (text: Sql | string): Sql => (part.ignoreCase ? lower(text, part.value) : bytes(text))
    const subject = form(part.cast ? asText(column) : column)
    if (part.place === 'anywhere') return sql('instr(?, ?) > 0', [subject, form(part.value)])
    return sql(`? like ? escape '!'`, [subject, form(pattern(part, '!'))])
  },
}

/** `concat` avoids indexes: with one, LIKE misses characters beyond U+FFFF, and letters without weight. */
const database: TextMatching = {
  equal: (column, value) => sql('? = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql('lower(?) = lower(?)', [column, value]),
  ordered: (column) => sql('concat(?)', [column]),
  // Short texts may have an index, which `left` would prevent.
  sorted: (column, isLine) => (isLine ? column : beginning(column)),
  contains: (column, part) =>
    part.ignoreCase
      ? sql('lower(?) like lower(?)', [column, pattern(part, '\\')])
      : sql('concat(?) like ?', [column, pattern(part, '\\')]),
}

/** Indexes round values to the type: 1.005 finds 1.01. In lists, MariaDB clamps numbers to the range. */
const withoutIndex: Comparison = {
  ...plainComparison,
  asRead: { column: (column) => sql('coalesce(?)', [column]), value: (value) => value },
}

const asTime = (side: Sql): Sql => sql('cast(? as time(6))', [side])
const ofTimes: Comparison = { ...plainComparison, asRead: { column: asTime, value: asTime } }

/** TIMESTAMP is compared by seconds: local times repeat when clocks change, and instants out of range become NULL. */
const inSeconds = (column: Sql): Sql => sql('unix_timestamp(?)', [column])
const ofTimestamps: Comparison = { compared: inSeconds, asRead: null, implied: around }

const roundedTypes = new Set<ColumnType>(['id', 'integer', 'biginteger', 'float', 'decimal', 'datetime'])

function comparison(type: ColumnType): Comparison {
  if (type === 'time') return ofTimes
  if (type === 'timestamp') return ofTimestamps
  return roundedTypes.has(type) ? withoutIndex : plainComparison
}

function operand(value: Value, type: ColumnType): Sql {
  // Numbers with an exponent are doubles, which indexes of decimals compare differently.
  if (typeof value === 'number' && Math.abs(value) >= 1e21 && Math.abs(value) < 1e65)
    return sql('?', [BigInt(value)])
  if (type === 'datetime' && typeof value === 'number')
    return sql('?', [new Date(value).toISOString().replace('T', ' ').replace('Z', '')])
  if (type === 'timestamp' && typeof value === 'number') return sql('?', [value / 1000])
  return sql('?', [value])
}

function read(column: string, type: ColumnType): Sql {
  if (type === 'json') return asText(sql('??', [column]))
  if (type === 'timestamp') return sql('cast(floor(unix_timestamp(??) * 1000) as signed)', [column])
  return sql('??', [column])
}

/** MySQL fails at other texts than JSON, and beyond 100 levels. More brackets than that count as too deep. */
function superset(column: Sql, json: string, isText: boolean): Sql {
  const contained = sql('case when json_valid(?) then json_contains(?, ?) end', [column, column, json])
  if (!isText) return contained
  const brackets = `char_length(?) - char_length(replace(replace(?, '[', ''), '{', ''))`
  const isShallow = sql(`/*!80000 case when ${brackets} <= 100 then */`, [column, column])
  return sql('? ? /*!80000 end */', [isShallow, contained])
}

/** Derived tables, which neither server merges: nested plain sets get plans that take minutes. */
const isIn = (key: string | Sql, set: Sql): Sql =>
  sql('? in (select ?? from (select distinct * from (?) as ??) as ??)', [
    ...[named(key), 'found', set, 'inner_set', 'set'],
  ])

/** With possible NULLs, MariaDB scans the set for each row. */
const isNotIn = (key: string, set: Sql): Sql =>
  sql('?? not in (select ?? from (select distinct ifnull(??, 0) as ?? from (?) as ??) as ??)', [
    ...[key, 'found', 'found', 'found', set, 'inner_set', 'set'],
  ])

const seeOneState = 'set transaction isolation level repeatable read'
const beginReading = 'start transaction with consistent snapshot, read only'

const forms: Readonly<Record<ColumnType, Form>> = {
  id: 'number',
  string: 'text',
  integer: 'number',
  biginteger: 'plain',
  float: 'number',
  decimal: 'numeric',
  boolean: 'bit',
  date: 'day',
  time: 'clock',
  datetime: 'storedInstant',
  timestamp: 'stamp',
  json: 'checkedJson',
}

/** Plans of one table: MySQL's two formats, and MariaDB's. Plans without rows have none of the keys. */
function rowsIn(plan: string): number {
  const last: Partial<Record<string, number>> = {}
  JSON.parse(plan, (key, value: unknown) => {
    if (typeof value === 'number') last[key] = value
    return value
  })
  const { estimated_rows, rows_produced_per_join, rows = 0, filtered = 100 } = last
  return Math.round(estimated_rows ?? rows_produced_per_join ?? (rows * filtered) / 100)
}

export const mysql: Dialect = {
  onOuter: leftApart,
  keys: mysqlKeys,
  apart: 'limit 18446744073709551615',
  joinOrder: { join: 'straight_join', select: 'select straight_join', mostSets: 3 },
  sortedJson,
  /** MySQL has a type for JSON; MariaDB uses text. */
  formOf: (type, declared) => (type === 'json' && declared === 'json' ? 'typedJson' : forms[type]),
  isStrictlyTyped: false,
  text: { exact, database },
  inUnion: {
    /** Collations of union columns must be equal. */
    text: (column) => asText(sql('??', [column])),
    noText: sql('null'),
    noNumber: sql('null'),
  },
  read,
  existing: { value: () => null, operand: (value) => value, impliedOfUuid: () => null },
  comparison,
  operand,
  superset,
  ids: {
    isAmong: (column) => sql('?? in (?)', [column, idsToCome]),
    /** Empty lists are a syntax error; nothing equals NULL. */
    bind: (ids) => (ids.length === 0 ? [null] : ids),
  },
  timeLimit: null,
  unindexed: (column) => sql('??', [column]),
  chains: { from: 5, by: 'exists' },
  isIn,
  isNotIn,
  estimate: { explain: 'explain format=json', rowsIn },
  nullsAre: 'smallest',
  /** MariaDB looks up groups by an index with a key of another set before it has read that set, and finds nothing. */
  groupKey: (column, type) =>
    sql(type === 'integer' || type === 'biginteger' ? '?? + 0' : 'concat(??)', [column]),
  placeholder: () => '?',
  state: sql(mysqlServer),
  openSnapshot: (isHosts) => (isHosts ? [seeOneState, beginReading] : [beginReading]),
  cancelling: mysqlCancelling,
  run: runOnMysql,
}
