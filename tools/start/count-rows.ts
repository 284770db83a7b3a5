import type { Database } from '../../lib/database'
import type { Model, Schema } from '../../lib/schema'

/** Those with paths of their own. */
export const servedTypes = ({ models }: Schema): readonly Model[] =>
  [...models.values()].filter(({ uid, kind }) => kind !== 'component' && uid.startsWith('api::'))

/** Counted no further: who looks for their content wants to know whether it is there. */
const most = 10_000

/** A table that is not there holds none. */
async function rowsOf({ knex }: Database, table: string): Promise<number> {
  try {
    const first = knex(table).select(knex.raw('1 as one')).limit(most).as('first')
    const [row]: readonly unknown[] = await knex.count('* as rows').from(first)
    return Number((row as { readonly rows: unknown }).rows)
  } catch {
    return 0
  }
}

/** How many rows the types have, in a few words. */
export async function countRows(database: Database, schema: Schema): Promise<string> {
  const counts = await Promise.all(servedTypes(schema).map(({ table }) => rowsOf(database, table)))
  const sum = counts.reduce((all, one) => all + one, 0).toLocaleString('en')
  const rows = `${sum} rows, each draft and language one`
  return counts.includes(most) ? `more than ${rows}` : rows
}
