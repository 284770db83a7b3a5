// The three drivers, each used in the way that costs least. Rows are arrays, in the order of the columns.
import Database from 'better-sqlite3'
import { createPool, type RowDataPacket } from 'mysql2'
import { Pool, type QueryArrayConfig } from 'pg'
import { measured } from '../measured-databases'
import { poolOf } from '../sides/ours'
import type { Given } from '../side'

export type Row = readonly unknown[]

/** `?` marks a list of ids, the same one wherever it stands, or one value. */
export interface Statement {
  readonly name: string
  readonly sql: string
  readonly given: 'ids' | 'value' | 'nothing'
  /** How many times the value stands in it. */
  readonly places: number
}

export type Ask = (statement: Statement, value?: unknown) => Promise<readonly Row[]>

interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

const valuesFor = ({ places }: Statement, value: unknown): unknown[] => Array<unknown>(places).fill(value)

function mariadb(address: Address): Ask {
  const connections = createPool({ ...address, connectionLimit: poolOf('mariadb').max, jsonStrings: true })
  return (statement, value) =>
    new Promise((resolve, reject) => {
      const { sql } = statement
      const options = { sql, values: valuesFor(statement, value), rowsAsArray: true, dateStrings: true }
      connections.query<RowDataPacket[][]>(options, (error, rows) => {
        if (error === null) resolve(rows)
        else reject(error)
      })
    })
}

const types = { getTypeParser: () => (text: unknown) => text }

function postgres(address: Address): Ask {
  const connections = new Pool({ ...address, max: poolOf('postgres').max })
  const texts = new Map<string, string>()
  return async ({ name, sql, given }, value) => {
    let text = texts.get(name)
    if (text === undefined) {
      text = sql.replaceAll('`', '"').replaceAll('in (?)', '= any($1)').replace('?', '$1')
      texts.set(name, text)
    }
    const query = { name, text, values: given === 'nothing' ? [] : [value], rowMode: 'array', types }
    const { rows } = await connections.query(query as QueryArrayConfig)
    return rows as Row[]
  }
}

/** Without statistics SQLite takes the index of a component type, which finds every element of the whole table. */
const toSqlite = (sql: string): string =>
  sql
    .replaceAll('in (?)', 'in (select value from json_each(?))')
    .replaceAll(/\w+\.(?:component_type|field) =/g, '+$&')

function sqlite(filename: string): Ask {
  const database = new Database(filename, { readonly: true })
  const prepared = new Map<string, Database.Statement>()
  return (statement, value) => {
    const { name, sql, given } = statement
    let ready = prepared.get(name)
    if (ready === undefined) {
      ready = database.prepare(toSqlite(sql)).raw()
      prepared.set(name, ready)
    }
    const values = valuesFor(statement, given === 'ids' ? JSON.stringify(value) : value)
    return Promise.resolve(ready.all(...values) as Row[])
  }
}

export function connect({ name }: Given, { connection }: Given['bench']): Ask {
  switch (measured(name)) {
    case 'mariadb':
      return mariadb(connection as Address)
    case 'postgres':
      return postgres(connection as Address)
    case 'sqlite':
      return sqlite((connection as { filename: string }).filename)
  }
}
