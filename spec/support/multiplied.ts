import type { Knex } from 'knex'

interface ColumnOf {
  readonly table_name: string
  readonly column_name: string
  readonly data_type: string
}

/** Ids of each copy begin at another thousand, so that its links stay within it. */
const between = 1000

function valueOf({ column_name: name, data_type: type }: ColumnOf): string {
  if (name === 'document_id') return `concat(r.document_id, '-', c.number)`
  if (/(?:^|_)id$/.test(name) && type === 'int') return `r.\`${name}\` + c.number * ${String(between)}`
  if (name === 'title') return 'if(c.number % 3 = 0, concat(r.title, c.number), r.title)'
  return `r.\`${name}\``
}

/**
 * So many copies of all rows of a database of MySQL or MariaDB: for the few of a random world any plan is as good as another, so that the
 * server has no choice to make.
 */
export async function multiply(knex: Knex, copies: number): Promise<void> {
  const [found] = await knex.raw<readonly [readonly ColumnOf[], unknown]>(
    `select table_name as table_name, column_name as column_name, data_type as data_type from information_schema.columns
      where table_schema = database() order by table_name, ordinal_position`,
  )
  await knex.raw('create temporary table copies (number int primary key)')
  await knex('copies').insert(Array.from({ length: copies }, (_, at) => ({ number: at + 1 })))
  await knex.raw('set foreign_key_checks = 0')
  for (const table of new Set(found.map(({ table_name }) => table_name))) {
    if (/^(?:i18n|strapi)_|^content_router/.test(table)) continue
    const columns = found.filter(({ table_name }) => table_name === table)
    const names = columns.map(({ column_name }) => `\`${column_name}\``)
    await knex.raw(
      `insert into ?? (${names.join()}) select ${columns.map(valueOf).join()} from ?? as r join copies as c where r.id < ?`,
      [table, table, between],
    )
    await knex.raw('analyze table ??', [table])
  }
}
