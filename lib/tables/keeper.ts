import type { Fault } from '../errors'
import type { ActualTables } from './read-tables'

/** Who made the tables and goes on to change them: a Strapi, which notes its doings in tables of its own, or we alone. */
export type Keeper = 'strapi4' | 'strapi5' | 'us'

/** Strapi 5 counts its own migrations apart, and gave every file a document id. */
export function keeperOf(tables: ActualTables): Keeper {
  if (!tables.has('strapi_database_schema') && !tables.has('strapi_migrations')) return 'us'
  const files = tables.get('files')
  const isOfFive = tables.has('strapi_migrations_internal') || files?.columns.has('document_id') === true
  return isOfFive ? 'strapi5' : 'strapi4'
}

/** What is to be done about a table or column that is missing. */
export const remedies: Readonly<Record<Keeper, string>> = {
  strapi4: 'upgrade the project to Strapi 5 first',
  strapi5: 'let Strapi start with these definitions; it makes its tables itself',
  us: 'run content-router migrate with the config of the router',
}

const where = 'database'

/** One sentence in place of a list of all that Strapi 4 calls otherwise. */
export const strapi4Fault: Fault = {
  where,
  problem: 'Strapi 4 keeps these tables, in which entries have no document ids and relations lie elsewhere',
  remedy: `${remedies.strapi4}, with its own upgrade tool: content-router migrate would stand in its way`,
}

/** Why `migrate` leaves the tables alone, unless it is told otherwise. */
export function refusalOf(keeper: Keeper): readonly Fault[] {
  if (keeper === 'us') return []
  if (keeper === 'strapi4') return [strapi4Fault]
  const problem = 'Strapi 5 keeps these tables, and changes them when it starts'
  const told = 'strapiDatabase: true, or --strapi-database'
  return [
    { where, problem, remedy: `${remedies.strapi5}. With ${told}, what is missing is added all the same` },
  ]
}
