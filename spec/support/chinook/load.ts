import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Knex } from 'knex'

/** Chinook 1.4.5 of github.com/lerocha/chinook-database, unchanged. Its licence stands beside it. */
export const statementsFor = (dialect: 'sqlite' | 'mysql' | 'postgres'): readonly string[] =>
  gunzipSync(readFileSync(join(__dirname, `chinook-${dialect}.sql.gz`)))
    .toString()
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split(/;\r?\n/)
    .map((statement) => statement.trim())
    // The script would make a database of its own.
    .filter((statement) => statement !== '' && !/^(drop database|create database|use |\\c )/i.test(statement))

export async function loadChinook(knex: Knex, dialect: 'sqlite' | 'mysql' | 'postgres'): Promise<void> {
  await knex.transaction(async (transaction) => {
    // Knex numbers the question marks of PostgreSQL.
    const escaped = (text: string): string => (dialect === 'postgres' ? text.replaceAll('?', '\\?') : text)
    for (const statement of statementsFor(dialect)) await transaction.raw(escaped(statement))
  })
}
