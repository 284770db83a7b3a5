import { mysqlServer } from '../freshness'
import { hasSigma, type Value, type Operand, type Test } from '../plan'
import type { ColumnType } from '../schema'
import { type Comparison, type Dialect, type Form, named, plainComparison } from './dialect'
import { mysqlKeys } from './key-holding'
import { idsToCome, type OfAsker, pattern, type TextMatching, Sql, sql, all } from './sql'
import { mysqlCancelling, runOnMysql } from './run-on-mysql'

/**
 * MySQL's TIMESTAMP is compared by its seconds, which no time zone has a say in: as a time of day in the session's zone an
 * hour comes twice a year, and an instant that the type has no room for, whose last year depends on the server, is NULL.
 */
const secondsOf = (column: Sql): Sql => sql('unix_timestamp(?)', [column])

const seconds = (milliseconds: number): Sql => sql('?', [milliseconds / 1000])

/** More than the clocks of two time zones can be apart, or one of them from itself. */
const margin = 2 * 86_400

/** Before it every server has an answer. */
const last = 2 ** 31 - 1

type SecondsRange = readonly [least: number, most: number]

const boundsOfAll = (values: readonly Operand[]): SecondsRange => {
  const instants = values.map(Number)
  return [Math.min(...instants), Math.max(...instants)]
}

function boundsOf(test: Test): SecondsRange {
  if (test.is === 'equal') return boundsOfAll([test.value])
  if (test.is === 'within') return boundsOfAll(test.values)
  if (test.is === 'between') return [Number(test.from), Number(test.to)]
  if (test.is !== 'ordered') return [-Infinity, Infinity]
  return test.sign.startsWith('<') ? [-Infinity, Number(test.value)] : [Number(test.value), Infinity]
}

/** What a comparison implies of the column as it is stored, for an index on it: roughly, where all sessions agree. */
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
 * As long as a text that is sorted: what is longer stands among its like as an empty one would. MySQL alone reads what is in these
 * comments; MariaDB keeps JSON as text, sorts by the beginning of it, and has no such cast. No function that reads JSON may see
 * it here, as one that is kept as text may be none, and the statement would fail.
 */
function sortedJson(json: Sql): Sql {
  const short = `case left(?, 1) when '[' then json_array() when '"' then cast(json_quote(mid(?, 2, 250)) as json) else json_object() end`
  return sql(`/*!80000 case when length(?) > 1024 then ${short} else */ ? /*!80000 end */`, [
    json,
    json,
    json,
    json,
  ])
}

const begin = /(^|\()select /

/**
 * A condition of an outer join, with every set in it kept out of that join: MySQL 9.7 forgets what is asked of all but the
 * first table of a set that it makes part of one.
 */
function leftApart({ text, parts }: Sql): Sql {
  if (begin.test(text)) return sql(text.replace(begin, '$1select /*+ no_semijoin() */ '), parts)
  return sql(
    text,
    parts.map((part) => (part instanceof Sql ? leftApart(part) : part)),
  )
}

/*
 * `convert … using` and never `cast`, which makes NULL of a text beyond `max_allowed_packet` on MariaDB, so that a rule which
 * hides by what is in it would let it pass.
 */

/** Of columns in any character set, and of JSON, which the driver would else parse. */
const asText = (value: Sql | string): Sql => sql('convert(? using utf8mb4) collate utf8mb4_bin', [value])

const bytes = (value: Sql | string | OfAsker): Sql =>
  sql('convert(convert(? using utf8mb4) using binary)', [value])

/**
 * MariaDB sorts by as much by itself. MySQL 9 sorts by the whole text, and fails if one is longer than its buffer, even of a
 * row that the statement then leaves out, so that it would tell of a row which a rule hides.
 */
const beginning = (text: Sql): Sql => sql('left(?, 1024)', [text])

/** A collation that both MySQL and MariaDB have, and whose case table is that of Unicode 5.2. */
function lower(value: Sql | string, wanted: string): Sql {
  const lowered = sql('lower(convert(? using utf8mb4) collate utf8mb4_unicode_520_ci)', [value])
  return bytes(hasSigma(wanted) ? sql(`replace(?, 'ς', 'σ')`, [lowered]) : lowered)
}

/** Bytes of UTF-8 are ordered as its code points, and unlike the binary collations do not ignore trailing blanks. */
const exact: TextMatching = {
  /** The plain comparison is implied by that of the bytes; it is there for an index on the column. */
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

/**
 * `concat` keeps comparisons from an index. With an index, LIKE misses characters beyond U+FFFF in a third of all collations,
 * and on MySQL a prefix index misses letters without weight. The number of rows, hidden ones too, decides if an index is used.
 */
const database: TextMatching = {
  equal: (column, value) => sql('? = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql('lower(?) = lower(?)', [column, value]),
  ordered: (column) => sql('concat(?)', [column]),
  // Those of a line may have an index, and are as long as it can be.
  sorted: (column, isLine) => (isLine ? column : beginning(column)),
  contains: (column, part) =>
    part.ignoreCase
      ? sql('lower(?) like lower(?)', [column, pattern(part, '\\')])
      : sql('concat(?) like ?', [column, pattern(part, '\\')]),
}

/**
 * What an index is asked for is first brought to what the column holds: 1.005 finds 1.01, and half a second the next whole one. Where
 * a list has numbers below and above all that it holds, MariaDB takes the ends of the column for them.
 */
const withoutIndex: Comparison = {
  ...plainComparison,
  asRead: { column: (column) => sql('coalesce(?)', [column]), value: (value) => value },
}

const asTime = (side: Sql): Sql => sql('cast(? as time(6))', [side])

const ofTimes: Comparison = { ...plainComparison, asRead: { column: asTime, value: asTime } }

const ofTimestamps: Comparison = { compared: secondsOf, asRead: null, implied: around }

function comparison(type: ColumnType): Comparison {
  switch (type) {
    case 'id':
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
    case 'datetime':
      return withoutIndex
    case 'time':
      return ofTimes
    case 'timestamp':
      return ofTimestamps
    case 'string':
    case 'boolean':
    case 'date':
    case 'json':
      return plainComparison
  }
}

const stored = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '')

/** A number that is written with an exponent is a double, and as such compared with the rows, but not with an index over decimals. */
const isLarge = (value: number): boolean => Math.abs(value) >= 1e21 && Math.abs(value) < 1e65

function operand(value: Value, type: ColumnType): Sql {
  if (typeof value === 'number' && isLarge(value)) return sql('?', [BigInt(value)])
  if (type === 'datetime' && typeof value === 'number') return sql('?', [stored(value)])
  if (type === 'timestamp' && typeof value === 'number') return seconds(value)
  return sql('?', [value])
}

function read(column: string, type: ColumnType): Sql {
  if (type === 'json') return asText(sql('??', [column]))
  if (type === 'timestamp') return sql('cast(floor(unix_timestamp(??) * 1000) as signed)', [column])
  return sql('??', [column])
}

/** As deep as MySQL reads JSON. What is kept as JSON goes no deeper. */
const deepest = 100

/**
 * MySQL fails on a text that is no JSON, where MariaDB says NULL; and on one that is too deep it fails even as it is asked whether it
 * is JSON. How deep it is cannot be asked first, so that one with more brackets than levels is taken for none.
 */
function superset(column: Sql, json: string, isText: boolean): Sql {
  const held = sql('case when json_valid(?) then json_contains(?, ?) end', [column, column, json])
  if (!isText) return held
  const brackets = `char_length(?) - char_length(replace(replace(?, '[', ''), '{', ''))`
  const isShallow = sql(`/*!80000 case when ${brackets} <= ${String(deepest)} then */`, [column, column])
  return sql('? ? /*!80000 end */', [isShallow, held])
}

/** As a derived table, which neither server merges: of plain sets in each other both choose plans that take minutes. */
const isIn = (key: string | Sql, set: Sql): Sql =>
  sql('? in (select ?? from (select distinct * from (?) as ??) as ??)', [
    ...[named(key), 'found', set, 'inner_set', 'set'],
  ])

/** Where a NULL might be in a set, MariaDB goes through all of it for each row of a set within which it is asked for. */
const isNotIn = (key: string, set: Sql): Sql =>
  sql('?? not in (select ?? from (select distinct ifnull(??, 0) as ?? from (?) as ??) as ??)', [
    ...[key, 'found', 'found', 'found', set, 'inner_set', 'set'],
  ])

/** The next transaction sees one state alone, whatever is set. */
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
  time: 'plain',
  datetime: 'storedInstant',
  timestamp: 'stamp',
  json: 'checkedJson',
}

export const mysql: Dialect = {
  onOuter: leftApart,
  keys: mysqlKeys,
  apart: 'limit 18446744073709551615',
  joinOrder: { join: 'straight_join', select: 'select straight_join' },
  sortedJson,
  /** MySQL has a type for JSON; what MariaDB calls so is text. */
  formOf: (type, declared) => (type === 'json' && declared === 'json' ? 'typedJson' : forms[type]),
  isStrictlyTyped: false,
  text: { exact, database },
  inUnion: {
    /** Columns in several collations of one character set cannot be put together. */
    text: (column) => asText(sql('??', [column])),
    noText: sql('null'),
    noNumber: sql('null'),
  },
  read,
  comparison,
  operand,
  superset,
  ids: {
    isAmong: (column) => sql('?? in (?)', [column, idsToCome]),
    /** An empty list is an error of syntax; nothing equals NULL. */
    bind: (ids) => (ids.length === 0 ? [null] : ids),
  },
  timeLimit: null,
  unindexed: (column) => sql('??', [column]),
  mostJoined: 3,
  chains: { from: 5, by: 'exists' },
  isIn,
  isNotIn,
  nullsAre: 'smallest',
  /**
   * MariaDB looks for the groups of each key by an index, and takes a key of another set for it, which it has not read yet: so it
   * finds nothing.
   */
  groupKey: (column) => sql('?? + 0', [column]),
  placeholder: () => '?',
  state: sql(mysqlServer),
  openSnapshot: (isHosts) => (isHosts ? [seeOneState, beginReading] : [beginReading]),
  cancelling: mysqlCancelling,
  run: runOnMysql,
}
