import { once } from 'node:events'
import { connect } from 'node:net'
import { hasSigma, isUuid, type Test, type Value } from '../../plan'
import { postgresState } from '../../freshness'
import type { ColumnType } from '../../schema'
import type { Dialect, Form, Row } from './dialect'
import { postgresKeys } from '../key-codec'
import { idsToCome, type Sql, sql, pattern, type TextMatching, named, plainComparison } from '../statement'

interface PostgresConnection {
  /** True if the driver sends statements before earlier responses arrive. */
  readonly pipeline?: boolean
  query(query: object): Promise<{ rows: readonly Row[] }>
}

/** Values stay PostgreSQL's text: parsing would be undone later, and would depend on the time zone. */
const types = { getTypeParser: () => (text: string) => text }

const lastSent = new WeakMap<PostgresConnection, Promise<unknown>>()

/** Without pipelining, the driver takes one statement at a time. */
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
  // The driver's queue may keep a query, and its rows, long after the response.
  result.rows = []
  return rows
}

const patience = 1000

/** Code in the protocol. */
const cancelRequest = 80_877_102

/** Cancel requests take a connection of their own. Other servers reject the secret; poolers forward it. */
async function requestCancel(
  connection: Partial<Record<'host' | 'port' | 'processID' | 'secretKey', unknown>>,
): Promise<void> {
  const { host, port, processID, secretKey } = connection
  if (typeof host !== 'string' || typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  const words = [16, cancelRequest, processID, secretKey]
  words.forEach((word, index) => request.writeInt32BE(word, 4 * index))
  const at = Number(port)
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${String(at)}`)
    : connect({ host, port: at })
  socket.setTimeout(patience, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  // Not ended: PgBouncer drops requests of clients that have left.
  socket.write(request)
  await once(socket, 'close')
}

/** Array literal: the driver would search each id for characters to escape. */
const element = (id: unknown): string => {
  const text = String(id)
  return /^\d+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** ICU's root locale knows the case of all of Unicode. */
function lower(value: Sql, wanted: string): Sql {
  const lowered = sql('lower(? collate "und-x-icu")', [value])
  return hasSigma(wanted) ? sql(`replace(?, 'ς', 'σ')`, [lowered]) : lowered
}

/** Types such as `citext` and `enum` have other operators. For others the cast changes nothing, not even indexes. */
const text = (value: Sql | string): Sql => sql('cast(? as text)', [value])

/** Nondeterministic collations do not support pattern matching. */
const bytes = (value: Sql | string): Sql => sql('? collate "C"', [text(value)])

const exact: TextMatching = {
  equal: (column, value) => sql('? = ?', [text(column), value]),
  equalIgnoringCase: (column, value) => sql('? = ?', [lower(text(column), value), lower(text(value), value)]),
  ordered: bytes,
  sorted: bytes,
  contains: (column, part) => {
    const form = (value: Sql | string): Sql =>
      part.ignoreCase ? sql('? collate "C"', [lower(text(value), part.value)]) : bytes(value)
    // `strpos` is faster than LIKE for bytes.
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
      : sql('? like ?', [part.cast ? text(column) : column, pattern(part, '\\')]),
}

function operand(value: Value, type: ColumnType): Sql {
  if (type === 'datetime' || type === 'timestamp') {
    // Columns without a time zone ignore this one.
    return sql('?', [new Date(Number(value)).toISOString().replace('Z', '+00')])
  }
  if (type === 'json') return sql('cast(? as jsonb)', [value])
  // Fractions are not valid integers, but `views $gt 1.5` has a meaning.
  const isFraction = (type === 'id' || type === 'integer') && !Number.isInteger(value)
  return sql(isFraction ? 'cast(? as numeric)' : '?', [value])
}

/** Arrays become JSON, and values of `char` lose their padding. */
function existingValue(column: string, type: ColumnType): Sql | null {
  if (type === 'json') return sql('to_jsonb(??)', [column])
  return type === 'string' ? text(sql('??', [column])) : null
}

const widest: Partial<Record<ColumnType, string>> = {
  id: 'cast(? as numeric)',
  integer: 'cast(? as numeric)',
  biginteger: 'cast(? as bigint)',
  float: 'cast(? as double precision)',
}

function impliedOfUuid(column: string, test: Test): Sql | null {
  if (test.is !== 'equal' || test.ignoreCase || !isUuid(test.value)) return null
  return sql('?? = cast(? as uuid)', [column, test.value])
}

const forms: Readonly<Record<ColumnType, Form>> = {
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
}

export const postgres: Dialect = {
  onOuter: (condition) => condition,
  keys: postgresKeys,
  apart: 'offset 0',
  joinOrder: { join: 'inner join', select: 'select', mostSets: 8 },
  sortedJson: null,
  formOf: (type) => forms[type],
  isStrictlyTyped: true,
  text: { exact, database },
  inUnion: {
    text: named,
    noText: sql('null::text'),
    noNumber: sql('null::double precision'),
  },
  read: (column, type) =>
    type === 'timestamp'
      ? sql('case when isfinite(??) then floor(extract(epoch from ??) * 1000)::bigint end', [column, column])
      : sql('??', [column]),
  existing: {
    value: existingValue,
    operand: (value, type) => sql(widest[type] ?? '?', [value]),
    impliedOfUuid,
  },
  comparison: () => plainComparison,
  operand,
  superset: (column, json) => sql('? @> cast(? as jsonb)', [column, json]),
  ids: {
    isAmong: (column) => sql('?? = any(?)', [column, idsToCome]),
    bind: (ids) => `{${ids.map(element).join(',')}}`,
  },
  timeLimit: null,
  unindexed: named,
  chains: { from: 2, by: 'in' },
  /** `offset 0` separates the plans: joined, each set is estimated as small, and nested loops result. */
  isIn: (key, set) => sql('? in (? offset 0)', [named(key), set]),
  /** `not in` would have to handle NULLs, and is no join. */
  isNotIn: (key, set) =>
    sql('not exists (select 1 from (? offset 0) as ?? where ?? = ??)', [set, 'set', 'set.found', key]),
  estimate: {
    explain: 'explain (format json)',
    rowsIn: (plan) => Number(/"Plan Rows": (\d+)/.exec(plan)?.[1]),
  },
  nullsAre: 'largest',
  groupKey: (column) => named(column),
  placeholder: (number) => `$${String(number)}`,
  state: sql(`(select ${postgresState.count} || ' ' || ${postgresState.server})`),
  openSnapshot: () => ['begin isolation level repeatable read read only'],
  cancelling: { prepare: () => undefined, request: requestCancel },
  run,
}
