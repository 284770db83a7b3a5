import type { AskedTable } from '../config'
import type { Fault } from '../errors'
import { shareInstance } from '../database'
import type { Model, Schema } from '../schema'
import { locales, media, roles } from '../../migrations'
import type { ActualTables } from './read-tables'
import { strapiTables } from './content-tables'

const made = new Set([...media, ...locales, ...roles].map(({ table }) => table))

/** `migrate` makes some of Strapi's tables, and none for its tokens. */
function remedyOf({ table, instead }: AskedTable, actual: ActualTables): string {
  const keeper = keeperOf(actual)
  const isStrapis = keeper === 'us' && !made.has(table)
  return `${isStrapis ? 'let Strapi 5 start on this database, which makes it' : remedies[keeper]}, or ${instead}`
}

export function faultsOfTableRead(asked: AskedTable, actual: ActualTables): readonly Fault[] {
  const { table, columns, by, isOptional } = asked
  if (isOptional === true) return []
  const remedy = remedyOf(asked, actual)
  const found = actual.get(table)
  if (found === undefined) return [{ where: table, problem: `the table that ${by} reads is missing`, remedy }]
  return columns
    .filter((column) => !found.columns.has(column))
    .map((column) => ({
      where: `${table}.${column}`,
      problem: `the column that ${by} reads is missing`,
      remedy,
    }))
}

/** Types of every project. */
export const isBuiltIn = ({ route, kind }: Model): boolean => route === null && kind !== 'component'

const words = (count: number): string => {
  if (count === 0) return 'it has no tables at all'
  return count === 1 ? 'it has one other table' : `it has ${String(count)} other tables`
}

/** One fault for a wrong or empty database, instead of all tables. The message does not name the database. */
export function faultOfNoneThere(schema: Schema, actual: ActualTables, isForOne = false): Fault | null {
  const own = [...schema.models].filter(([, model]) => !isBuiltIn(model))
  const wanted = strapiTables({ ...schema, models: new Map(own) }, actual)
  if (wanted.length < 2 || wanted.some(({ table }) => actual.has(table))) return null
  return {
    where: 'database',
    problem: `none of the ${String(wanted.length)} tables of the definitions is there; ${words(actual.size)}`,
    remedy: isForOne
      ? shareInstance
      : `look whether it is the right database, and schema, and whether its user may read there. If so: ${remedies[keeperOf(actual)]}`,
  }
}

/** The maker of the tables, which changes them later. */
export type Keeper = 'strapi4' | 'strapi5' | 'us'

/** Strapi 5 has its own list of migrations, and document ids of files. */
export function keeperOf(tables: ActualTables): Keeper {
  if (!tables.has('strapi_database_schema') && !tables.has('strapi_migrations')) return 'us'
  const files = tables.get('files')
  const isOfFive = tables.has('strapi_migrations_internal') || files?.columns.has('document_id') === true
  return isOfFive ? 'strapi5' : 'strapi4'
}

export const remedies: Readonly<Record<Keeper, string>> = {
  strapi4: 'upgrade the project to Strapi 5 first',
  strapi5: 'let Strapi start with these definitions; it makes its tables itself',
  us: 'run content-router migrate with the config of the router',
}

const where = 'database'

/** One fault in place of all differences. */
export const strapi4Fault: Fault = {
  where,
  problem: 'Strapi 4 keeps these tables, in which entries have no document ids and relations lie elsewhere',
  remedy: `${remedies.strapi4}, with its own upgrade tool: content-router migrate would stand in its way`,
}

export function refusalOf(keeper: Exclude<Keeper, 'us'>): Fault {
  if (keeper === 'strapi4') return strapi4Fault
  const problem = 'Strapi 5 keeps these tables, and changes them when it starts'
  const option = 'strapiDatabase: true, or --strapi-database'
  const remedy = `${remedies.strapi5}. With ${option}, what is missing is added all the same`
  return { where, problem, remedy }
}
