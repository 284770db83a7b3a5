import type { Fault } from '../errors'
import type { ActualTables } from './read-tables'

export type TableMaker = 'strapi4' | 'strapi5' | 'us'

/** Strapi 5 has its own list of migrations, and document ids of files. */
export function tableMakerOf(tables: ActualTables): TableMaker {
  if (!tables.has('strapi_database_schema') && !tables.has('strapi_migrations')) return 'us'
  const files = tables.get('files')
  const isOfFive = tables.has('strapi_migrations_internal') || files?.columns.has('document_id') === true
  return isOfFive ? 'strapi5' : 'strapi4'
}

export const remedies: Readonly<Record<TableMaker, string>> = {
  strapi4: 'upgrade the project to Strapi 5 first',
  strapi5: 'start Strapi once with these definitions, so that Strapi creates the tables',
  us: 'run content-router migrate with the config of the router',
}

const where = 'database'

/** One fault in place of all differences. */
export const strapi4Fault: Fault = {
  where,
  problem: 'the tables belong to Strapi 4, which has no document ids and stores relations differently',
  remedy:
    'upgrade the project to Strapi 5 first, with the upgrade tool of Strapi. Do not run content-router migrate, because it would block this upgrade',
}

export function refusalOf(maker: Exclude<TableMaker, 'us'>): Fault {
  if (maker === 'strapi4') return strapi4Fault
  const problem = 'the tables belong to Strapi 5, which changes its tables at each start'
  const option = 'strapiDatabase: true or --strapi-database'
  const remedy = `${remedies.strapi5}. Or set ${option}, so that migrate adds the missing parts`
  return { where, problem, remedy }
}
