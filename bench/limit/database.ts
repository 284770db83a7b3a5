// The three drivers, each used in the way that costs least. Rows are arrays, in the order of the columns.
import Database from 'better-sqlite3'
import { createPool, type RowDataPacket } from 'mysql2'
import { Pool, type QueryArrayConfig } from 'pg'
import { pool } from '../sides/ours'
import type { Given } from '../side'

export type Row = readonly unknown[]

/** `?` marks a list of ids, or one value. */
export interface Statement {
  readonly name: string
  readonly sql: string
  readonly given: 'ids' | 'value' | 'nothing'
}

export type Ask = (statement: Statement, value?: unknown) => Promise<readonly Row[]>

interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

function mariadb(address: Address): Ask {
  const connections = createPool({ ...address, connectionLimit: pool.max, jsonStrings: true })
  return ({ sql, given }, value) =>
    new Promise((resolve, reject) => {
      const values = given === 'nothing' ? [] : [value]
      const options = { sql, values, rowsAsArray: true, dateStrings: true }
      connections.query<RowDataPacket[][]>(options, (error, rows) => {
        if (error === null) resolve(rows)
        else reject(error)
      })
    })
}

const types = { getTypeParser: () => (text: unknown) => text }

function postgres(address: Address): Ask {
  const connections = new Pool({ ...address, max: pool.max })
  const texts = new Map<string, string>()
  return async ({ name, sql, given }, value) => {
    let text = texts.get(name)
    if (text === undefined) {
      text = sql.replaceAll('`', '"').replace('in (?)', '= any($1)').replace('?', '$1')
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
    .replace('in (?)', 'in (select value from json_each(?))')
    .replace('l.component_type =', '+l.component_type =')
    .replace('l.field =', '+l.field =')

function sqlite(filename: string): Ask {
  const database = new Database(filename, { readonly: true })
  const prepared = new Map<string, Database.Statement>()
  return ({ name, sql, given }, value) => {
    let statement = prepared.get(name)
    if (statement === undefined) {
      statement = database.prepare(toSqlite(sql)).raw()
      prepared.set(name, statement)
    }
    if (given === 'nothing') return Promise.resolve(statement.all() as Row[])
    return Promise.resolve(statement.all(given === 'ids' ? JSON.stringify(value) : value) as Row[])
  }
}

export function connect({ name }: Given, { connection }: Given['bench']): Ask {
  switch (name) {
    case 'mariadb':
      return mariadb(connection as Address)
    case 'postgres':
      return postgres(connection as Address)
    case 'sqlite':
      return sqlite((connection as { filename: string }).filename)
  }
}
