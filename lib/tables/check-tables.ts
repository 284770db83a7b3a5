import type { RequiredTable, Logger } from '../config'
import { type Database, isDenied, isDrift, shareInstance } from '../database'
import { once } from '../memory'
import { TablesError, type Fault } from '../errors'
import type { Schema } from '../schema'
import { createIndex, isReadable, quoteName, type TableLayout, tableDialectOf } from './table-dialect'
import { readTables, type ActualTables, type ColumnRow, rowsOf } from './read-tables'
import { ledger } from './migrate'
import { tableMakerOf, remedies, strapi4Fault } from './table-maker'
import { locales, media, roles } from '../../migrations'
import { allNeeds, neededTables, type TableNeeds, type WantedColumns, wantedColumns } from './needs'
import { isBuiltIn, strapiTables } from './content-tables'
import { linkReadsOf, lookupsOf } from './indexes'

const redefine = 'correct the definition. The command content-router introspect --check shows all differences'

function faultsOfTable(
  { table, columns, isExisting }: TableLayout,
  actual: ActualTables,
  otherwise: string,
): readonly Fault[] {
  const remedy = isExisting === true ? redefine : otherwise
  const own = actual.get(table)
  if (own === undefined) return [{ where: table, problem: 'the table is missing', remedy }]
  return columns.flatMap(({ column, type }): Fault[] => {
    const where = `${table}.${column}`
    const found = own.columns.get(column)
    if (found === undefined) return [{ where, problem: 'the column is missing', remedy }]
    if (isReadable(type, found, isExisting)) return []
    const problem = `a value of type ${type} cannot be read from a column of type ${found}`
    return [{ where, problem, ...(isExisting === true ? { remedy } : {}) }]
  })
}

const hasIndexOn = (actual: ActualTables, table: string, key: string): boolean =>
  actual.get(table)?.indexes.some(({ columns }) => columns[0] === key) ?? false

function warnOfSlowReads(database: Database, schema: Schema, actual: ActualTables, logger: Logger): void {
  const models = [...schema.models.values()]
  const existing = models.filter(({ physical }) => physical.isExisting)
  const tables = new Set(existing.map(({ table }) => table))
  const keys = new Set(existing.map(({ table, key }) => `${table}.${key.column}`))
  const warned = new Set<string>()
  for (const { table, key, join } of linkReadsOf(schema)) {
    const place = `${table}.${key}`
    if (keys.has(place) || !(join || tables.has(table)) || warned.has(place)) continue
    warned.add(place)
    if (hasIndexOn(actual, table, key)) continue
    const parts = [quoteName(database, key)]
    const statement = createIndex(database, { name: `${table}_${key}`, table, parts })
    const message = `reads of a relation are slow, because no index of ${table} begins with the column ${key}`
    logger.warn({ table, column: key, statement }, message)
  }
}

/** Links and pages lead to one row for each key. */
async function faultsOfKeys(
  database: Database,
  { schemas }: Schema,
  { models }: TableNeeds,
): Promise<readonly Fault[]> {
  const existing = [...models.values()].filter(({ physical }) => physical.isExisting)
  if (existing.length === 0) return []
  const unique = new Map<string, (string | null)[]>()
  const { uniqueColumns } = tableDialectOf(database)
  type UniqueColumn = Record<'table_name' | 'column_name', string | null>
  for (const row of await rowsOf<UniqueColumn>(database, uniqueColumns, schemas))
    once(unique, row.table_name ?? '', () => []).push(row.column_name)
  return existing.flatMap(({ table, key, columns }): readonly Fault[] => {
    const found = unique.get(table) ?? []
    if (found.includes(null)) return []
    const keys = new Set([key.column, columns.get('documentId')?.column ?? key.column])
    const problem = 'the key column can be NULL, or has no unique index'
    const remedy = 'set another column as id in the key "table", or use the table only as a join table'
    return [...keys]
      .filter((column) => !found.includes(column))
      .map((column) => ({ where: `${table}.${column}`, problem, remedy }))
  })
}

/** One warning, because Strapi makes none of these indexes. */
function warnOfSlowLookups(schema: Schema, actual: ActualTables, logger: Logger): void {
  const columns = [...schema.models.values()].flatMap((model) =>
    (model.physical.isExisting ? [] : lookupsOf(model))
      .filter((column) => !hasIndexOn(actual, model.table, column))
      .map((column) => `${model.table}.${column}`),
  )
  if (columns.length === 0) return
  const makes = tableMakerOf(actual) === 'us' ? 'run migrate' : 'run migrate --strapi-database'
  logger.warn({ columns }, `requests for single entries are slow, because indexes are missing: ${makes}`)
}

const unusualWarning =
  'some columns have unusual types, indexes or collations, so that filters, sorts and rules may compare other values than the response shows, or depend on hidden rows'

async function warnOfUnusual(
  database: Database,
  layouts: readonly TableLayout[],
  logger: Logger,
): Promise<void> {
  const { unusualColumns: statement } = tableDialectOf(database)
  if (statement === null) return
  const rows = await rowsOf<Pick<ColumnRow, 'table_name' | 'column_name'>>(database, statement)
  const unusual = new Set(rows.map(({ table_name: table, column_name: column }) => `${table}.${column}`))
  const columns = layouts
    .flatMap(({ table, columns: own }) => own.map(({ column }) => `${table}.${column}`))
    .filter((column) => unusual.has(column))
  if (columns.length > 0) logger.warn({ columns }, unusualWarning)
}

interface NeededLayouts {
  readonly needs: TableNeeds
  readonly layouts: readonly TableLayout[]
  readonly actual: ActualTables
}

async function readLayouts(database: Database, schema: Schema, needs: TableNeeds): Promise<NeededLayouts> {
  const actual = await readTables(database, schema.schemas)
  return { needs, layouts: neededTables(schema, needs, actual), actual }
}

function differencesIn(
  { isForOne }: Database,
  schema: Schema,
  { needs, layouts, actual }: NeededLayouts,
): readonly Fault[] {
  const none = faultOfMissingTables({ ...schema, models: needs.models }, actual, isForOne)
  const remedy = isForOne ? shareInstance : remedies[tableMakerOf(actual)]
  const faults = new Map<string, Fault>()
  for (const fault of layouts.flatMap((layout) => faultsOfTable(layout, actual, remedy)))
    faults.set(fault.where, fault)
  for (const fault of needs.asked.flatMap((one) => faultsOfTableRead(one, actual)))
    once(faults, fault.where, () => fault)
  if (tableMakerOf(actual) === 'strapi4' && faults.size > 0) return [strapi4Fault]
  return none === null ? [...faults.values()] : [none]
}

export async function compareTables(
  database: Database,
  schema: Schema,
  needs: TableNeeds,
): Promise<readonly Fault[]> {
  return differencesIn(database, schema, await readLayouts(database, schema, needs))
}

const tableOf = ({ where }: Fault): string => where.split('.', 1)[0] ?? ''

/** `migrate` extends a foreign table only by name. */
async function nameAdopted(
  { knex }: Database,
  faults: readonly Fault[],
  actual: ActualTables,
): Promise<readonly Fault[]> {
  const isExtended = (fault: Fault): boolean => fault.remedy === remedies.us && actual.has(tableOf(fault))
  if (!faults.some(isExtended)) return faults
  // The user may lack the right to read the ledger.
  const known = actual.has(ledger)
    ? await knex(ledger)
        .pluck('name')
        .catch(() => null)
    : []
  const isForeign = (fault: Fault): boolean => isExtended(fault) && known?.includes(tableOf(fault)) === false
  return faults.map((fault) => {
    const remedy = `run content-router migrate with the config of the router and --adopt ${tableOf(fault)}. The flag --adopt is required, because migrate did not create the table`
    return isForeign(fault) ? { ...fault, remedy } : fault
  })
}

export async function checkTables(
  database: Database,
  schema: Schema,
  logger?: Logger,
  needs: TableNeeds = allNeeds(schema),
): Promise<void> {
  const found = await readLayouts(database, schema, needs)
  const { layouts, actual } = found
  const denied = await faultsOfRights(database, schema, found)
  const differences = differencesIn(database, schema, found)
  const keyFaults = differences.length === 0 ? await faultsOfKeys(database, schema, needs) : []
  const isMore = (fault: Fault): boolean => fault.where !== 'database' && !denied.has(tableOf(fault))
  const more = denied.size === 0 ? differences : differences.filter(isMore)
  const faults = [...keyFaults, ...more, ...denied.values()]
  if (faults.length > 0) throw new TablesError(await nameAdopted(database, faults, actual))
  if (logger === undefined) return
  const reached = { ...schema, models: needs.models }
  await warnOfUnusual(database, layouts, logger)
  warnOfSlowReads(database, reached, actual, logger)
  warnOfSlowLookups(reached, actual, logger)
}

/** Some databases list no denied tables. A read distinguishes them from missing ones. */
async function isReadDenied({ knex }: Database, table: string, columns: readonly string[]): Promise<boolean> {
  try {
    await knex
      .select(columns.length === 0 ? knex.raw('1') : [...columns])
      .from(table)
      .limit(0)
    return false
  } catch (error) {
    if (isDenied(error)) return true
    if (isDrift(error)) return false
    throw error
  }
}

/** Columns that the user may not read, by table. */
async function readDenied(
  database: Database,
  { schemas }: Schema,
  wanted: WantedColumns,
  actual: ActualTables,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { deniedColumns, hidesDenied } = tableDialectOf(database)
  const denied = new Map<string, Set<string>>()
  if (deniedColumns !== null)
    for (const { table_name, column_name } of await rowsOf<ColumnRow>(database, deniedColumns, schemas))
      once(denied, table_name, () => new Set<string>()).add(column_name)
  if (!hidesDenied) return denied
  for (const [table, columns] of wanted) {
    const found = actual.get(table)?.columns
    const missing = columns.filter((column) => found?.has(column) !== true)
    if (missing.length > 0 && (await isReadDenied(database, table, found === undefined ? [] : missing)))
      denied.set(table, new Set(missing))
  }
  return denied
}

/** Missing rights by table, which are no differences. */
async function faultsOfRights(database: Database, schema: Schema, { needs, layouts, actual }: NeededLayouts) {
  const wanted = wantedColumns(needs, layouts)
  const denied = await readDenied(database, schema, wanted, actual)
  const faults = [...wanted].flatMap(([table, columns]): [string, Fault][] => {
    const own = columns.filter((column) => denied.get(table)?.has(column) === true)
    if (own.length === 0) return []
    const what = own.length === columns.length ? 'this table' : `${own.join(', ')} of the table`
    const instead = needs.asked.find((one) => one.table === table)?.instead
    const grant = `grant the database user SELECT on ${table}`
    const remedy = instead === undefined ? grant : `${grant}, or ${instead}`
    return [[table, { where: table, problem: `the database user is not allowed to read ${what}`, remedy }]]
  })
  return new Map(faults)
}

const made = new Set([...media, ...locales, ...roles].map(({ table }) => table))

function faultsOfTableRead(
  { table, columns, by, instead, isOptional }: RequiredTable,
  actual: ActualTables,
): readonly Fault[] {
  if (isOptional === true) return []
  const maker = tableMakerOf(actual)
  // `migrate` makes some of Strapi's tables, and none for its tokens.
  const isStrapis = maker === 'us' && !made.has(table)
  const remedy = `${isStrapis ? 'start Strapi 5 once on this database to create the table' : remedies[maker]}, or ${instead}`
  const found = actual.get(table)?.columns
  if (found === undefined) return [{ where: table, problem: `the table that ${by} reads is missing`, remedy }]
  const problem = `the column that ${by} reads is missing`
  return columns.flatMap((column) =>
    found.has(column) ? [] : { where: `${table}.${column}`, problem, remedy },
  )
}

const words = (count: number): string => {
  if (count === 0) return 'the database has no tables'
  return count === 1 ? 'the database has one other table' : `the database has ${String(count)} other tables`
}

/** One fault for a wrong or empty database, instead of all tables. The message does not name the database. */
function faultOfMissingTables(schema: Schema, actual: ActualTables, isForOne = false): Fault | null {
  const own = [...schema.models].filter(([, model]) => !isBuiltIn(model))
  const wanted = strapiTables({ ...schema, models: new Map(own) }, actual)
  const areExisting = wanted.every(({ isExisting }) => isExisting)
  if (wanted.length < 2 || wanted.some(({ table }) => actual.has(table))) return null
  return {
    where: 'database',
    problem: `none of the ${String(wanted.length)} tables of the definitions exists, and ${words(actual.size)}`,
    remedy: isForOne
      ? shareInstance
      : `check the database, its schema and the rights of its user. If they are correct, ${areExisting ? redefine : remedies[tableMakerOf(actual)]}`,
  }
}
