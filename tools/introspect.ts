// Input: a database. Output: definitions of its tables, the parts that no definition has, and differences from given
// definitions. Rejected: a database of Strapi, one without tables, and names of tables, views and schemas that are unknown.
import { type Database, driverOf } from '../lib/database'
import { ConfigError, type Fault } from '../lib/errors'
import { type BuiltDefinitions, buildDefinitions } from './introspect/build-definitions'
import { decideTables, isMatch, type LinkingTable, type TableChoice } from './introspect/decide-tables'
import { type CatalogueTable, readCatalogue } from './introspect/read-catalogue'

export { compareDefinitions } from './introspect/compare-definitions'
export { formatDefinition } from './introspect/format-definition'
export { describeIntrospection } from './introspect/describe-introspection'

export interface IntrospectOptions extends TableChoice {
  /** A schema of PostgreSQL. Null: the first of the search path. */
  readonly schema: string | null
}

export interface Introspection extends BuiltDefinitions {
  readonly joins: readonly LinkingTable[]
}

const strapiTable = /^strapi_(core_store_settings|database_schema|migrations)$/

/** Strapi's own definitions describe its tables better. */
function refuseStrapi(catalogue: readonly CatalogueTable[]): void {
  const found = catalogue.find(({ name }) => strapiTable.test(name))
  if (found === undefined) return
  const problem = `Strapi made these tables (${found.name} is one of them), so that introspect is not needed`
  const remedy = 'use the definitions of the Strapi project: its folder src/api'
  throw new ConfigError([{ where: 'database', problem, remedy }])
}

function faultsOfViews(catalogue: readonly CatalogueTable[], views: TableChoice['views']): readonly Fault[] {
  return [...views].flatMap(([name, column]) => {
    const found = catalogue.find((table) => table.name === name)
    const where = `--view ${name}=${column}`
    if (found === undefined) return [{ where, problem: `there is no view ${name}` }]
    if (found.columns.some((one) => one.name === column)) return []
    const remedy = `its columns are ${found.columns.map((one) => one.name).join(', ')}`
    return [{ where, problem: `${name} has no column ${column}`, remedy }]
  })
}

function checkOptions(catalogue: readonly CatalogueTable[], options: IntrospectOptions): void {
  const { schema, tables, views } = options
  if (catalogue.length === 0) {
    const place = schema === null ? 'the database' : `the schema ${schema}`
    const problem = `${place} has no tables that this user may see`
    throw new ConfigError([
      { where: 'database', problem, remedy: 'check its name and the rights of the user' },
    ])
  }
  const missing = tables.filter((pattern) => !catalogue.some(({ name }) => isMatch(pattern, name)))
  const faults = [
    ...missing.map((pattern) => ({ where: `--tables ${pattern}`, problem: 'no table has such a name' })),
    ...faultsOfViews(catalogue, views),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
}

/** The schema that definitions have to name. */
async function namedSchema(database: Database, schema: string | null): Promise<string | null> {
  if (schema === null) return null
  if (!driverOf(database).namesStatements) {
    const problem = 'only PostgreSQL has schemas'
    throw new ConfigError([{ where: `--schema ${schema}`, problem, remedy: 'remove it' }])
  }
  const result: unknown = await database.knex.raw('select current_schema() as name')
  const [row] = driverOf(database).rowsIn(result) as readonly { readonly name: string | null }[]
  return row?.name === schema ? null : schema
}

export async function introspect(database: Database, options: IntrospectOptions): Promise<Introspection> {
  const schema = await namedSchema(database, options.schema)
  const catalogue = await readCatalogue(database, options.schema)
  refuseStrapi(catalogue)
  checkOptions(catalogue, options)
  const decided = decideTables(catalogue, database.dialect, options)
  return { ...buildDefinitions(decided, database.dialect, schema), joins: decided.joins }
}
