import type { Knex } from 'knex'
import { migrate, type ContentRouterConfig } from '../../../lib'
import { collection, integer, text } from '../library'

export const millionTypes = [
  collection('entry', {
    title: text,
    slug: text,
    body: { type: 'text' },
    views: integer,
    isNew: { type: 'boolean' },
    printedOn: { type: 'date' },
  }),
] as unknown as ContentRouterConfig['contentTypes']

/** SQL of each column, of the row's number. */
const columns = {
  id: 'n',
  document_id: `concat('entry', n)`,
  title: `concat('Title ', n)`,
  slug: `concat('title-', n)`,
  body: `'${'some words of a text, '.repeat(6)}'`,
  views: 'n * 31 % 100000',
  is_new: 'n % 2 = 0',
} as const

/** Fills the table by the database itself. Each statement doubles the numbers. */
export async function fillMillion(config: Knex.Config, knex: Knex, rows: number): Promise<void> {
  await migrate({ contentTypes: millionTypes, database: config })
  await knex.schema.createTable('numbers', (table) => table.bigInteger('n').primary())
  await knex('numbers').insert({ n: 1 })
  for (let made = 1; made < rows; made *= 2)
    await knex.raw('insert into numbers select n + ? from numbers where n <= ?', [made, rows - made])
  await knex.raw(
    `insert into entries (${Object.keys(columns).join(', ')}, printed_on) select ${Object.values(columns).join(', ')}, '2024-05-31' from numbers`,
  )
}
