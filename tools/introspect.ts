// Input: a database. Output: definitions of its tables, the parts that no definition has, and differences from given
// definitions. Rejected: a database of Strapi, one without tables, and names of tables, views and schemas that are unknown.
import type { Database } from '../lib/database'
import { ConfigError, type Fault } from '../lib/errors'
import { isRecord } from '../lib/schema'
import { type BuiltDefinitions, buildDefinitions } from './introspect/build-definitions'
import {
  decideTables,
  isChosen,
  isMatch,
  type LinkingTable,
  type TableChoice,
} from './introspect/decide-tables'
import { type CatalogueTable, readCatalogue } from './introspect/read-catalogue'
import type { WrittenDefinitions } from './introspect/written-definitions'

export { compareDefinitions } from './introspect/compare-definitions'
export { formatDefinition } from './introspect/format-definition'
export { withoutMissing } from './introspect/written-definitions'

export interface IntrospectOptions extends TableChoice {
  /** A schema of PostgreSQL. Null: the first of the search path. */
  readonly schema: string | null
  /** Reads the file of a table. Existing files count as served, and keep names and private attributes. */
  readonly readFile?: (table: string) => unknown
}

export interface Introspection extends BuiltDefinitions {
  readonly joins: readonly LinkingTable[]
  /** Attributes, and what their files have for them. */
  readonly kept: readonly (readonly [string, string])[]
  readonly tables: ReadonlyMap<string, CatalogueTable>
}

const strapiTable = /^strapi_(core_store_settings|database_schema|migrations)$/

/** Strapi's own definitions describe its tables better. */
function refuseStrapi(catalogue: readonly CatalogueTable[]): void {
  const found = catalogue.find(({ name }) => strapiTable.test(name))
  if (found === undefined) return
  const problem = `Strapi created tables of this database, such as ${found.name}, so introspect is not needed`
  const remedy = 'use the definitions in the folder src/api of the Strapi project'
  throw new ConfigError([{ where: 'database', problem, remedy }])
}

function faultsOfViews(catalogue: readonly CatalogueTable[], views: TableChoice['views']): readonly Fault[] {
  return [...views].flatMap(([name, column]) => {
    const found = catalogue.find((table) => table.name === name)
    const where = `--view ${name}=${column}`
    if (found === undefined) return [{ where, problem: `the database has no view ${name}` }]
    if (found.columns.some((one) => one.name === column)) return []
    const remedy = `use one of the columns ${found.columns.map((one) => one.name).join(', ')}`
    return [{ where, problem: `the view ${name} has no column ${column}`, remedy }]
  })
}

function checkOptions(catalogue: readonly CatalogueTable[], options: IntrospectOptions): void {
  const { schema, tables, views } = options
  if (catalogue.length === 0) {
    const place = schema === null ? 'the database' : `the schema ${schema}`
    const problem = `${place} has no tables that the database user is allowed to read`
    throw new ConfigError([
      {
        where: 'database',
        problem,
        remedy: 'check the name of the database or schema, and the rights of the database user',
      },
    ])
  }
  const missing = tables.filter((pattern) => !catalogue.some(({ name }) => isMatch(pattern, name)))
  const faults = [
    ...missing.map((pattern) => ({
      where: `--tables ${pattern}`,
      problem: 'no table name matches the pattern',
    })),
    ...faultsOfViews(catalogue, views),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
}

/** The schema that definitions have to name. */
async function namedSchema({ knex, dialect }: Database, schema: string | null): Promise<string | null> {
  if (schema === null) return null
  if (dialect !== 'postgres') {
    const problem = 'only PostgreSQL has schemas'
    throw new ConfigError([{ where: `--schema ${schema}`, problem, remedy: 'remove the flag --schema' }])
  }
  const rows: readonly { readonly name: string }[] = await knex.select(knex.raw('current_schema() as name'))
  return rows[0]?.name === schema ? null : schema
}

/** Both lists of attributes have the same order. */
function keptChoices(derived: BuiltDefinitions, built: BuiltDefinitions): Introspection['kept'] {
  return [...built.definitions].flatMap(([table, { attributes }]) => {
    const before = Object.entries(derived.definitions.get(table)?.attributes ?? {})
    return Object.entries(attributes).flatMap(([name, attribute], place) => {
      const [first, other] = before[place] ?? [name, attribute]
      const renamed = first === name ? [] : [`the name ${name}`]
      const choices = attribute['private'] === other['private'] ? renamed : [...renamed, 'private']
      return choices.length === 0 ? [] : [[`${table}.${first}`, choices.join(', ')] as const]
    })
  })
}

const ledger = 'content_router_tables'

/** Names of tables that `content-router migrate` created or adopted. */
async function readMigrated(
  { knex }: Database,
  catalogue: readonly CatalogueTable[],
  schema: string | null,
): Promise<readonly string[]> {
  const columns = catalogue.find(({ name }) => name === ledger)?.columns ?? []
  const isReadable = columns.some(({ name, declared }) => name === 'name' && declared !== 'denied')
  const table = schema === null ? ledger : `${schema}.${ledger}`
  return isReadable ? ((await knex(table).pluck('name')) as string[]) : []
}

export async function introspect(database: Database, options: IntrospectOptions): Promise<Introspection> {
  const schema = await namedSchema(database, options.schema)
  const catalogue = await readCatalogue(database, options.schema)
  refuseStrapi(catalogue)
  checkOptions(catalogue, options)
  const written: WrittenDefinitions = new Map(
    catalogue.flatMap(({ name }) => {
      const file = options.readFile?.(name)
      return isRecord(file) && isRecord(file['table']) ? [[name, file]] : []
    }),
  )
  const known = { written: [...written.keys()], migrated: await readMigrated(database, catalogue, schema) }
  const decided = decideTables(catalogue, database.dialect, options, known)
  const built = buildDefinitions(decided, schema, written)
  const derived = buildDefinitions(decided, schema, new Map())
  const isShown = (place: string): boolean =>
    isChosen(options, place) || isChosen(options, place.split('.', 1)[0] ?? '')
  return {
    definitions: new Map([...built.definitions].filter(([table]) => isShown(table))),
    unserved: built.unserved.filter(({ place }) => isShown(place)),
    secrets: built.secrets.filter(isShown),
    joins: decided.joins,
    kept: keptChoices(derived, built).filter(([place]) => isShown(place)),
    tables: new Map(catalogue.map((table) => [table.name, table])),
  }
}
