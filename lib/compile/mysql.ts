import { mysqlServer } from '../freshness'
import { hasSigma, type Value } from '../plan'
import type { ColumnType } from '../schema'
import { type Dialect, existsFar, named, type Row } from './dialect'
import { mysqlKeys } from './key-holding'
import { leftApart } from './left-apart'
import type { OfAsker } from './of-asker'
import { type Sql, sql } from './sql'
import { around, seconds, secondsOf } from './seconds-of'
import { sortedJson } from './sorted-json'
import { pattern, type TextMatching } from './text-matching'

interface MysqlConnection {
  /** How the driver writes texts to the server. */
  readonly clientEncoding?: unknown
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
const beyondAscii = /\P{ASCII}/u

/** A pair of backslashes is one sign or two, after the server's mode. */
const backslash = `left('\\\\', 1)`

function quoted(text: string): string {
  const literal = (part: string): string => `'${part.replaceAll(`'`, `''`)}'`
  if (!text.includes('\\')) return literal(text)
  let mark = '<0>'
  for (let number = 1; text.includes(mark); number += 1) mark = `<${String(number)}>`
  return `replace(${literal(text.replaceAll('\\', mark))}, '${mark}', ${backslash})`
}

const inHex = (text: string): string => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`

type WriteText = (text: string) => string | { readonly toSqlString: () => string }

type PassValue = (value: unknown) => unknown

const writing = (write: WriteText): PassValue => {
  const writeValue: PassValue = (value) => {
    if (Array.isArray(value)) return typeof value[0] === 'string' ? value.map(writeValue) : (value as unknown)
    return typeof value === 'string' ? write(value) : value
  }
  return writeValue
}

/** MariaDB takes an empty literal for NULL where the mode is EMPTY_STRING_IS_NULL. */
const empty = { toSqlString: () => `left('-', 0)` }

/**
 * The driver puts values into the statement's text, and its backslashes escape nothing where the server's sql_mode is
 * NO_BACKSLASH_ESCAPES: there a quote would end the text. What is written here means the same in every mode.
 */
function inEveryMode(text: string): ReturnType<WriteText> {
  if (text === '') return empty
  return escaped.test(text) ? { toSqlString: () => quoted(text) } : text
}

/** A connection that is set to another character set would have a question mark for each letter that it lacks. */
const inEverySet: WriteText = (text) =>
  beyondAscii.test(text) ? { toSqlString: () => inHex(text) } : inEveryMode(text)

const [written, writtenInOther] = [writing(inEveryMode), writing(inEverySet)]

function query(session: MysqlConnection, sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    session.query({ sql, ...reading }, values, (error, rows) => {
      if (error === null) resolve(rows)
      else reject(error)
    })
  })
}

const takesUtf8 = `select 1 from (select 1) as session
  where @@character_set_client = 'utf8mb4' and @@character_set_connection = 'utf8mb4'`

/** A session may be set otherwise than its driver believes: by the pool's owner, or by the server as it lets one in. */
async function writingFor(session: MysqlConnection): Promise<PassValue> {
  if (session.clientEncoding !== 'utf8') return writtenInOther
  return (await query(session, takesUtf8, [])).length === 1 ? written : writtenInOther
}

const writings = new WeakMap<MysqlConnection, PassValue>()

async function run(connection: unknown, sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
  const session = connection as MysqlConnection
  let write = writings.get(session)
  if (write === undefined) {
    write = await writingFor(session)
    writings.set(session, write)
  }
  return query(session, sql, bindings.map(write))
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

const database: TextMatching = {
  equal: (column, value) => sql('? = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql('lower(?) = lower(?)', [column, value]),
  ordered: (column) => column,
  // Those of a line may have an index, and are as long as it can be.
  sorted: (column, isLine) => (isLine ? column : beginning(column)),
  contains: (column, part) =>
    part.ignoreCase
      ? sql('lower(?) like lower(?)', [column, pattern(part, '\\')])
      : sql('? like ?', [column, pattern(part, '\\')]),
}

const stored = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '')

function operand(value: Value, type: ColumnType): Sql {
  if (type === 'datetime' && typeof value === 'number') return sql('?', [stored(value)])
  if (type === 'timestamp' && typeof value === 'number') return seconds(value)
  return sql('?', [value])
}

function read(column: string, type: ColumnType): Sql {
  if (type === 'json') return asText(sql('??', [column]))
  if (type === 'timestamp') return sql('cast(floor(unix_timestamp(??) * 1000) as signed)', [column])
  return sql('??', [column])
}

const isApart = (key: string, set: Sql): Sql =>
  sql('?? in (select ?? from (select distinct * from (?) as ??) as ??)', [
    key,
    'found',
    set,
    'inner_set',
    'set',
  ])

/** Where a NULL might be in a set, MariaDB goes through all of it for each row of a set within which it is asked for. */
const isNotApart = (key: string, set: Sql): Sql =>
  sql('?? not in (select ?? from (select distinct ifnull(??, 0) as ?? from (?) as ??) as ??)', [
    ...[key, 'found', 'found', 'found', set, 'inner_set', 'set'],
  ])

export const mysql: Dialect = {
  name: 'mysql',
  onOuter: leftApart,
  keys: mysqlKeys,
  apart: 'limit 18446744073709551615',
  joinInOrder: 'straight_join',
  inOrder: 'straight_join ',
  sortedJson,
  forms: {
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
  },
  text: { exact, database },
  nulls: { number: 'null', text: 'null' },
  read,
  compared: (column, type) => (type === 'timestamp' ? secondsOf(column) : column),
  implied: (column, type, test) => (type === 'timestamp' ? around(column, test) : null),
  operand,
  /** MySQL fails on a text that is no JSON, where MariaDB says NULL. */
  superset: (column, json) =>
    sql('case when json_valid(?) then json_contains(?, ?) end', [column, column, json]),
  isAmong: (column, ids) => sql('? in (?)', [named(column), ids]),
  inTime: null,
  limitTime: null,
  /** Columns in several collations of one character set cannot be put together. */
  textInUnion: (column) => asText(sql('??', [column])),
  unindexed: (column) => sql('??', [column]),
  atOnce: { links: 4, levels: 1 },
  joinsApart: true,
  isApart,
  isFound: isApart,
  isFoundInGroups: (key, groups) => sql('?? in (select ?? from (?) as ??)', [key, 'found', groups, 'set']),
  isNowhere: isNotApart,
  forgetsSets: false,
  farFrom: 3,
  isInFar: isApart,
  leadsFar: existsFar,
  /** An empty list is an error of syntax; nothing equals NULL. */
  bindIds: (ids) => (ids.length === 0 ? [null] : ids),
  direction: (direction) => direction,
  nullsFirst: (direction) => direction === 'asc',
  /** Where an index led to the rows of a group, MariaDB would work out the set anew for every row that asks for one. */
  grouped: (column) => sql('?? + 0', [column]),
  /**
   * Beside a filter through the same link MariaDB would take the key of the filter's set for the row's, and count for each row
   * before that set is there: every count would be none.
   */
  ownKey: (column) => sql('?? + 0', [column]),
  placeholder: () => '?',
  state: sql(mysqlServer),
  seeOneState: 'set transaction isolation level repeatable read',
  begin: 'start transaction with consistent snapshot, read only',
  end: 'commit',
  run,
}
