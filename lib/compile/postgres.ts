import { hasSigma, type Value } from '../plan'
import { postgresState } from '../freshness'
import type { ColumnType } from '../schema'
import { type Dialect, named, type Row } from './dialect'
import { postgresKeys } from './key-holding'
import { type Sql, sql } from './sql'
import { pattern, type TextMatching } from './text-matching'

interface PostgresConnection {
  /** The driver sends statements without waiting for the answers to those before. */
  readonly pipeline?: boolean
  query(query: object): Promise<{ rows: readonly Row[] }>
}

/** Every value as the text that PostgreSQL prints: no parsing that the answer would only undo, and no time zone. */
const types = { getTypeParser: () => (text: string) => text }

const lastSent = new WeakMap<PostgresConnection, Promise<unknown>>()

/** Outside its pipeline mode the driver is to be given one statement at a time. */
function inTurn<T>(connection: PostgresConnection, send: () => Promise<T>): Promise<T> {
  if (connection.pipeline === true) return send()
  const before = lastSent.get(connection)
  const sent = before === undefined ? send() : before.then(send, send)
  lastSent.set(connection, sent)
  return sent
}

async function run(
  connection: unknown,
  sql: string,
  bindings: readonly unknown[],
  name?: string,
): Promise<readonly Row[]> {
  const client = connection as PostgresConnection
  const named = name === undefined ? {} : { name }
  const query = { text: sql, values: bindings, rowMode: 'array', types, ...named }
  const result = await inTurn(client, () => client.query(query))
  const { rows } = result
  // The driver's queue may know a query long after its answer, and all it holds would outlive the garbage collections.
  result.rows = []
  return rows
}

/** The text of an array: ids come and go as digits, and the driver would look into each of them for what to escape. */
const element = (id: unknown): string => {
  const text = String(id)
  return /^\d+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

const asText = (column: Sql, cast: boolean): Sql => (cast ? sql('cast(? as text)', [column]) : column)

/** ICU's root locale knows the case of all of Unicode, which the database's own locale may not. */
function lower(value: Sql, wanted: string): Sql {
  const lowered = sql('lower(? collate "und-x-icu")', [value])
  return hasSigma(wanted) ? sql(`replace(?, 'ς', 'σ')`, [lowered]) : lowered
}

/**
 * A type of letters that is none of PostgreSQL's own, as `citext` and `enum`, brings operators of its own, or lacks some, so
 * that its rows would fail whether they may be seen or not. Of all others it is the same, and an index on them is used.
 */
const text = (value: Sql | string): Sql => sql('cast(? as text)', [value])

/** A collation that finds equal what differs cannot look for parts, and fails at each row that has a value. */
const bytes = (value: Sql | string): Sql => sql('? collate "C"', [text(value)])

const exact: TextMatching = {
  equal: (column, value) => sql('? = ?', [text(column), value]),
  equalIgnoringCase: (column, value) => sql('? = ?', [lower(text(column), value), lower(text(value), value)]),
  ordered: bytes,
  sorted: bytes,
  contains: (column, part) => {
    const form = (value: Sql | string): Sql =>
      part.ignoreCase ? sql('? collate "C"', [lower(text(value), part.value)]) : bytes(value)
    // LIKE tries anew at every letter; this skips as far as it can, where it compares bytes.
    if (part.place === 'anywhere') return sql('strpos(?, ?) > 0', [form(column), form(part.value)])
    return sql(`? like ? escape '!'`, [form(column), form(pattern(part, '!'))])
  },
}

const database: TextMatching = {
  equal: (column, value) => sql('? = ?', [column, value]),
  equalIgnoringCase: (column, value) => sql('lower(cast(? as varchar)) = lower(?)', [column, value]),
  ordered: (column) => column,
  sorted: (column) => column,
  contains: (column, part) =>
    part.ignoreCase
      ? sql('lower(cast(? as varchar)) like lower(?)', [column, pattern(part, '\\')])
      : sql('? like ?', [asText(column, part.cast), pattern(part, '\\')]),
}

function operand(value: Value, type: ColumnType): Sql {
  if (type === 'datetime' || type === 'timestamp') {
    return sql('cast(? as timestamp)', [new Date(Number(value)).toISOString().replace('Z', '')])
  }
  if (type === 'json') return sql('cast(? as jsonb)', [value])
  // A fraction is no integer to PostgreSQL, but `views $gt 1.5` has a meaning.
  const isFraction = (type === 'id' || type === 'integer') && !Number.isInteger(value)
  return sql(isFraction ? 'cast(? as numeric)' : '?', [value])
}

export const postgres: Dialect = {
  name: 'postgres',
  onOuter: (condition) => condition,
  keys: postgresKeys,
  apart: 'offset 0',
  joinInOrder: 'inner join',
  inOrder: '',
  sortedJson: null,
  forms: {
    id: 'number',
    string: 'text',
    integer: 'number',
    biginteger: 'plain',
    float: 'numeric',
    decimal: 'numeric',
    boolean: 'letter',
    date: 'plain',
    time: 'clock',
    datetime: 'instant',
    timestamp: 'stamp',
    json: 'json',
  },
  text: { exact, database },
  nulls: { number: 'null::double precision', text: 'null::text' },
  read: (column, type) =>
    type === 'timestamp'
      ? sql('case when isfinite(??) then floor(extract(epoch from ??) * 1000)::bigint end', [column, column])
      : sql('??', [column]),
  asRead: () => null,
  compared: (column) => column,
  implied: () => null,
  operand,
  superset: (column, json) => sql('? @> cast(? as jsonb)', [column, json]),
  isAmong: (column, ids) => sql('? = any(?)', [named(column), ids]),
  inTime: null,
  limitTime: null,
  textInUnion: (column) => sql('??', [column]),
  unindexed: (column) => sql('??', [column]),
  mostJoined: 8,
  chains: { from: 2, by: 'in' },
  /** `offset 0`: planned by itself. Of many sets in one join the planner takes each for small, and chooses nested loops. */
  isIn: (key, set) => sql('? in (? offset 0)', [named(key), set]),
  /** `not in` would have to do with NULLs, and is no join for the planner. */
  isNotIn: (key, set) =>
    sql('not exists (select 1 from (? offset 0) as ?? where ?? = ??)', [set, 'set', 'set.found', key]),
  bindIds: (ids) => `{${ids.map(element).join(',')}}`,
  direction: (direction, matching) =>
    matching === 'database' ? direction : direction === 'asc' ? 'asc nulls first' : 'desc nulls last',
  nullsFirst: (direction, matching) => (direction === 'asc') === (matching === 'exact'),
  groupKey: (column) => sql('??', [column]),
  placeholder: (number) => `$${String(number)}`,
  state: sql(`(select ${postgresState.count} || ' ' || ${postgresState.server})`),
  seeOneState: null,
  begin: 'begin isolation level repeatable read read only',
  end: 'commit',
  run,
}
