import type { Knex } from 'knex'
import type { FilledDatabase } from '../measured-databases'
import { content, type Filling, type Value } from './content'

type Stored = string | number | boolean | null

/** As Strapi stores it. */
function stored(name: FilledDatabase, value: Value): Stored {
  if (value instanceof Date) {
    return name === 'sqlite' ? value.getTime() : value.toISOString().replace('T', ' ').replace('Z', '')
  }
  if (typeof value === 'boolean') return name === 'sqlite' ? Number(value) : value
  if (typeof value === 'object' && value !== null) return JSON.stringify(value.json)
  return value
}

const mostBindings = 10_000

function* chunksOf<T>(all: Iterable<T>, size: number): Iterable<readonly T[]> {
  let chunk: T[] = []
  for (const one of all) {
    chunk.push(one)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

async function fillTable(trx: Knex, name: FilledDatabase, { table, columns, rows }: Filling): Promise<void> {
  const size = Math.floor(mostBindings / columns.length)
  const row = `(${columns.map(() => '?').join(', ')})`
  for (const chunk of chunksOf(rows, size)) {
    const values = chunk.flatMap((row) => row.map((value) => stored(name, value)))
    const places = chunk.map(() => row).join(', ')
    const names = columns.map(() => '??').join(', ')
    await trx.raw(`insert into ?? (${names}) values ${places}`, [
      table,
      ...columns,
      ...values,
    ] as Knex.Value[])
  }
}

/** What a server that has run for a while knows of its tables; SQLite in ordinary use knows nothing. */
async function gatherStatistics(knex: Knex, name: FilledDatabase, tables: readonly string[]): Promise<void> {
  if (name === 'postgres') await knex.raw('vacuum analyze')
  if (name === 'mariadb') for (const table of tables) await knex.raw('analyze table ??', [table])
}

export async function fill(knex: Knex, name: FilledDatabase, documents: number): Promise<void> {
  const fillings = content(documents)
  for (const filling of fillings) await knex.transaction((trx) => fillTable(trx, name, filling))
  await gatherStatistics(
    knex,
    name,
    fillings.map(({ table }) => table),
  )
}
