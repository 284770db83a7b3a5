import type { Knex } from 'knex'
import type { Operand } from '../plan'
import { type Dialect, pattern, type Row, type Sql, type TextMatching } from './dialect'

interface Statement {
  raw(): { all(...bindings: unknown[]): Row[] }
  readonly reader: boolean
  run(...bindings: unknown[]): unknown
}

interface Connection {
  prepare(sql: string): Statement
  function(name: string, options: object, define: (value: unknown) => unknown): unknown
}

/** SQLite's own lower() knows ASCII only. */
const lowerName = 'content_router_lower'

const fold = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase().replaceAll('ς', 'σ') : value

const prepared = new WeakMap<Connection, Map<string, Statement>>()

function statementsOf(connection: Connection): Map<string, Statement> {
  const known = prepared.get(connection)
  if (known !== undefined) return known
  connection.function(lowerName, { deterministic: true }, fold)
  const statements = new Map<string, Statement>()
  prepared.set(connection, statements)
  return statements
}

/** Enough for every statement of the plans in use; beyond that the oldest makes room. */
const mostStatements = 1000

function prepare(connection: Connection, sql: string): Statement {
  const statements = statementsOf(connection)
  const known = statements.get(sql)
  if (known !== undefined) return known
  const made = connection.prepare(sql)
  const [oldest] = statements.keys()
  if (statements.size >= mostStatements && oldest !== undefined) statements.delete(oldest)
  statements.set(sql, made)
  return made
}

function run(connection: unknown, sql: string, bindings: readonly unknown[]): Promise<readonly Row[]> {
  const statement = prepare(connection as Connection, sql)
  if (statement.reader) return Promise.resolve(statement.raw().all(...bindings))
  statement.run(...bindings)
  return Promise.resolve([])
}

const exact: TextMatching = {
  equal: (knex, column, value) => knex.raw('? = ?', [column, value]),
  equalIgnoringCase: (knex, column, value) =>
    knex.raw(`${lowerName}(?) = ?`, [column, fold(value) as string]),
  ordered: (_, column) => column,
  contains: (knex, column, part) => {
    // Before a number reaches the function as a double, whose text would be another one.
    const text = part.cast ? knex.raw('cast(? as text)', [column]) : column
    const subject = part.ignoreCase ? knex.raw(`${lowerName}(?)`, [text]) : text
    const value = part.ignoreCase ? (fold(part.value) as string) : part.value
    switch (part.place) {
      case 'anywhere':
        return knex.raw('instr(?, ?) > 0', [subject, value])
      case 'start':
        return knex.raw('substr(?, 1, length(?)) = ?', [subject, value, value])
      case 'end':
        return knex.raw('(length(?) >= length(?) and substr(?, length(?) - length(?) + 1) = ?)', [
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

const database: TextMatching = {
  equal: exact.equal,
  equalIgnoringCase: (knex, column, value) => knex.raw('lower(?) = lower(?)', [column, value]),
  ordered: exact.ordered,
  contains: (knex, column, part) =>
    part.ignoreCase
      ? knex.raw(`lower(?) like lower(?) escape '\\'`, [column, pattern(part, '\\')])
      : knex.raw(`? like ? escape '\\'`, [column, pattern(part, '\\')]),
}

function operand(knex: Knex, value: Operand): Sql {
  return knex.raw('?', [(typeof value === 'boolean' ? Number(value) : value) as Knex.Value])
}

export const sqlite: Dialect = {
  name: 'sqlite',
  joinInOrder: 'cross join',
  forms: {
    id: 'number',
    string: 'text',
    integer: 'number',
    biginteger: 'plain',
    float: 'number',
    decimal: 'number',
    boolean: 'bit',
    date: 'text',
    time: 'text',
    datetime: 'milliseconds',
    timestamp: 'stamp',
    json: 'markedJson',
  },
  text: { exact, database },
  nulls: { number: 'null', text: 'null' },
  /**
   * The driver's numbers are doubles, so whatever may be larger is read as text. A bigint that went through a double when
   * it was written can be stored as one.
   */
  read: (knex, column, type) => {
    if (type === 'biginteger' || type === 'timestamp')
      return knex.raw('cast(cast(?? as integer) as text)', [column])
    // SQLite parses JSON without making anything of it, which costs far less than to parse it here only to see if it is.
    if (type === 'json') return knex.raw('iif(json_valid(??), ??, char(1) || ??)', [column, column, column])
    return knex.raw('??', [column])
  },
  operand,
  superset: () => {
    throw new Error('SQLite has nothing to find a piece of JSON with, and the plan refuses to ask for it')
  },
  /** One binding whatever the number of ids: neither the limit on variables nor a statement per length. */
  isAmong: (knex, column, ids) => knex.raw('?? in (select value from json_each(?))', [column, ids]),
  unindexed: (knex, column) => knex.raw('+??', [column]),
  apart: (_, set) => set,
  bindIds: (ids) => JSON.stringify(ids),
  direction: (direction) => direction,
  begin: 'begin',
  end: 'commit',
  run,
}
