import type { Knex } from 'knex'
import type { Operand } from '../plan'
import type { ColumnType } from '../schema'
import { type Dialect, pattern, type Row, type Sql, type TextMatching } from './dialect'

interface Connection {
  /** The driver sends statements without waiting for the answers to those before. */
  readonly pipeline?: boolean
  query(query: object): Promise<{ rows: readonly Row[] }>
}

/** Every value as the text that PostgreSQL prints: no parsing that the answer would only undo, and no time zone. */
const types = { getTypeParser: () => (text: string) => text }

const lastSent = new WeakMap<Connection, Promise<unknown>>()

/** Outside its pipeline mode the driver is to be given one statement at a time. */
function inTurn<T>(connection: Connection, send: () => Promise<T>): Promise<T> {
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
  const client = connection as Connection
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

const asText = (knex: Knex, column: Sql, cast: boolean): Sql =>
  cast ? knex.raw('cast(? as text)', [column]) : column

/** ICU's root locale knows the case of all of Unicode, whatever locale the database was made with. */
const lower = (knex: Knex, value: Sql): Sql =>
  knex.raw(`replace(lower(? collate "und-x-icu"), 'ς', 'σ')`, [value])

const parameter = (knex: Knex, value: string): Sql => knex.raw('cast(? as text)', [value])

const exact: TextMatching = {
  equal: (knex, column, value) => knex.raw('? = ?', [column, value]),
  equalIgnoringCase: (knex, column, value) =>
    knex.raw('? = ?', [lower(knex, column), lower(knex, parameter(knex, value))]),
  ordered: (knex, column) => knex.raw('? collate "C"', [column]),
  contains: (knex, column, part) => {
    const subject = asText(knex, column, part.cast)
    const wanted = parameter(knex, pattern(part, '!'))
    return part.ignoreCase
      ? knex.raw(`? like ? escape '!'`, [lower(knex, subject), lower(knex, wanted)])
      : knex.raw(`? like ? escape '!'`, [subject, wanted])
  },
}

const database: TextMatching = {
  equal: exact.equal,
  equalIgnoringCase: (knex, column, value) =>
    knex.raw('lower(cast(? as varchar)) = lower(?)', [column, value]),
  ordered: (_, column) => column,
  contains: (knex, column, part) =>
    part.ignoreCase
      ? knex.raw('lower(cast(? as varchar)) like lower(?)', [column, pattern(part, '\\')])
      : knex.raw('? like ?', [asText(knex, column, part.cast), pattern(part, '\\')]),
}

function operand(knex: Knex, value: Operand, type: ColumnType): Sql {
  if (type === 'datetime' || type === 'timestamp') {
    return knex.raw('cast(? as timestamp)', [new Date(Number(value)).toISOString().replace('Z', '')])
  }
  if (type === 'json') return knex.raw('cast(? as jsonb)', [value as string])
  // A fraction is no integer to PostgreSQL, but `views $gt 1.5` has a meaning.
  const isFraction = (type === 'id' || type === 'integer') && !Number.isInteger(value)
  return knex.raw(isFraction ? 'cast(? as numeric)' : '?', [value as Knex.Value])
}

export const postgres: Dialect = {
  name: 'postgres',
  joinInOrder: 'inner join',
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
  read: (knex, column, type) =>
    type === 'timestamp'
      ? knex.raw('(extract(epoch from ??) * 1000)::bigint', [column])
      : knex.raw('??', [column]),
  operand,
  superset: (knex, column, json) => knex.raw('? @> cast(? as jsonb)', [column, json]),
  isAmong: (knex, column, ids) => knex.raw('?? = any(?)', [column, ids]),
  unindexed: (knex, column) => knex.raw('??', [column]),
  apart: (knex, set) => knex.raw('? offset 0', [set]),
  bindIds: (ids) => `{${ids.map(element).join(',')}}`,
  direction: (direction, matching) =>
    matching === 'database' ? direction : direction === 'asc' ? 'asc nulls first' : 'desc nulls last',
  begin: 'begin isolation level repeatable read read only',
  end: 'commit',
  run,
}
