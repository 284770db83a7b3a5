import type { Knex } from 'knex'
import type { Operand } from '../plan'
import type { ColumnType } from '../schema'
import { type Dialect, pattern, type Row, type Sql, type TextMatching } from './dialect'

interface Connection {
  query(
    query: object,
    bindings: readonly unknown[],
    done: (error: Error | null, rows: readonly Row[]) => void,
  ): void
}

/** Dates as text cost a third less than Date objects, and no time zone gets between. */
const reading = { rowsAsArray: true, dateStrings: true, supportBigNumbers: true, bigNumberStrings: true }

/** What the driver writes with a backslash before it. */
const escaped = /["'\\\p{Cc}]/u

/** A pair of backslashes is one sign or two, after the server's mode. */
const backslash = `left('\\\\', 1)`

function quoted(text: string): string {
  const literal = (part: string): string => `'${part.replaceAll(`'`, `''`)}'`
  if (!text.includes('\\')) return literal(text)
  let mark = '<0>'
  for (let number = 1; text.includes(mark); number += 1) mark = `<${String(number)}>`
  return `replace(${literal(text.replaceAll('\\', mark))}, '${mark}', ${backslash})`
}

/**
 * The driver puts values into the statement's text, and its backslashes escape nothing where the server's sql_mode is
 * NO_BACKSLASH_ESCAPES: there a quote would end the text. What is written here means the same in every mode.
 */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return typeof value[0] === 'string' ? value.map(written) : value
  if (typeof value !== 'string' || !escaped.test(value)) return value
  return { toSqlString: () => quoted(value) }
}

function run(connection: unknown, sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    ;(connection as Connection).query({ sql, ...reading }, bindings.map(written), (error, rows) => {
      if (error === null) resolve(rows)
      else reject(error)
    })
  })
}

const bytes = (knex: Knex, value: Sql | string): Sql => knex.raw('cast(? as binary)', [value])

/** A collation that both MySQL and MariaDB have, and whose case table is that of Unicode 5.2. */
const lower = (knex: Knex, value: Sql | string): Sql =>
  knex.raw(
    `cast(replace(lower(convert(? using utf8mb4) collate utf8mb4_unicode_520_ci), 'ς', 'σ') as binary)`,
    [value],
  )

/** Bytes of UTF-8 are ordered as its code points, and unlike the binary collations do not ignore trailing blanks. */
const exact: TextMatching = {
  /** The plain comparison is implied by that of the bytes; it is there for an index on the column. */
  equal: (knex, column, value) =>
    knex.raw('(? = ? and ? = ?)', [column, value, bytes(knex, column), bytes(knex, value)]),
  equalIgnoringCase: (knex, column, value) => knex.raw('? = ?', [lower(knex, column), lower(knex, value)]),
  ordered: (knex, column) => bytes(knex, column),
  contains: (knex, column, part) => {
    const form = part.ignoreCase ? lower : bytes
    return knex.raw(`? like ? escape '!'`, [
      form(knex, asText(knex, column, part.cast)),
      form(knex, pattern(part, '!')),
    ])
  },
}

const asText = (knex: Knex, column: Sql, cast: boolean): Sql =>
  cast ? knex.raw('cast(? as char)', [column]) : column

const database: TextMatching = {
  equal: (knex, column, value) => knex.raw('? = ?', [column, value]),
  equalIgnoringCase: (knex, column, value) => knex.raw('lower(?) = lower(?)', [column, value]),
  ordered: (_, column) => column,
  contains: (knex, column, part) =>
    part.ignoreCase
      ? knex.raw('lower(?) like lower(?)', [column, pattern(part, '\\')])
      : knex.raw('? like ?', [column, pattern(part, '\\')]),
}

const stored = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '')

function operand(knex: Knex, value: Operand, type: ColumnType): Sql {
  if (type === 'datetime' && typeof value === 'number') return knex.raw('?', [stored(value)])
  // TIMESTAMP columns are compared in the session's time zone, which from_unixtime follows.
  if (type === 'timestamp' && typeof value === 'number') return knex.raw('from_unixtime(?)', [value / 1000])
  return knex.raw('?', [value as Knex.Value])
}

function read(knex: Knex, column: string, type: ColumnType): Sql {
  // Without the cast the driver would parse the JSON, only for it to be written again.
  if (type === 'json') return knex.raw('cast(?? as char)', [column])
  if (type === 'timestamp') return knex.raw('cast(unix_timestamp(??) * 1000 as signed)', [column])
  return knex.raw('??', [column])
}

export const mysql: Dialect = {
  name: 'mysql',
  joinInOrder: 'inner join',
  forms: {
    id: 'number',
    string: 'text',
    integer: 'number',
    biginteger: 'plain',
    float: 'number',
    decimal: 'numeric',
    boolean: 'bit',
    date: 'plain',
    time: 'plain',
    datetime: 'instant',
    timestamp: 'stamp',
    json: 'checkedJson',
  },
  text: { exact, database },
  nulls: { number: 'null', text: 'null' },
  read,
  operand,
  /** MySQL fails on a text that is no JSON, where MariaDB says NULL. */
  superset: (knex, column, json) =>
    knex.raw('case when json_valid(?) then json_contains(?, ?) end', [column, column, json]),
  isAmong: (knex, column, ids) => knex.raw('?? in (?)', [column, ids]),
  unindexed: (knex, column) => knex.raw('??', [column]),
  apart: (knex, set) =>
    knex.raw('select ?? from (select distinct * from (?) as ??) as ??', ['found', set, 'inner_set', 'set']),
  /** An empty list is an error of syntax; nothing equals NULL. */
  bindIds: (ids) => (ids.length === 0 ? [null] : ids),
  direction: (direction) => direction,
  begin: 'start transaction with consistent snapshot, read only',
  end: 'commit',
  run,
}
