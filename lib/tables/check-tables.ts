import type { Logger } from '../config'
import { type Database, shareInstance } from '../database'
import { TablesError, type Fault } from '../errors'
import type { Schema } from '../schema'
import { isReadable } from './same-type'
import { strapiTables } from './content-tables'
import { faultsOfCustom } from './settle-schema'
import { readTables, type ActualTable, type ActualTables } from './read-tables'
import { keeperOf, remedies, strapi4Fault } from './keeper'
import { deniedTables, type WantedColumns } from './denied-tables'
import type { TableLayout } from './table-layout'
import { reachedBy } from './reached'
import { type AskedTable, faultsOfAsked } from './asked-table'
import { faultOfNoneThere } from './none-there'
import { lookupsOf, linkReadsOf } from './reads-of'
import { unusualColumns } from './unusual-columns'

function faultsOfTable(
  { table, columns }: TableLayout,
  actual: ActualTable | undefined,
  remedy: string,
): readonly Fault[] {
  if (actual === undefined) return [{ where: table, problem: 'the table is missing', remedy }]
  return columns.flatMap(({ column, type }): Fault[] => {
    const where = `${table}.${column}`
    const found = actual.columns.get(column)
    if (found === undefined) return [{ where, problem: 'the column is missing', remedy }]
    return isReadable(type, found)
      ? []
      : [{ where, problem: `a ${type} cannot be read from a column of type ${found}` }]
  })
}

const isLed = (actual: ActualTables, table: string, key: string): boolean =>
  actual.get(table)?.indexes.some(({ columns }) => columns[0] === key) ?? false

function warnOfSlowReads(schema: Schema, actual: ActualTables, logger: Logger): void {
  const warned = new Set<string>()
  for (const { table, key, join } of [...schema.models.values()].flatMap((model) =>
    linkReadsOf(schema, model),
  )) {
    const place = `${table}.${key}`
    if (!join || warned.has(place)) continue
    warned.add(place)
    if (!isLed(actual, table, key))
      logger.warn({ table, column: key }, `No index of ${table} begins with ${key}, by which it is read`)
  }
}

/** In one warning, for Strapi makes none of these indexes. */
function warnOfSlowLookups(schema: Schema, actual: ActualTables, logger: Logger): void {
  const columns = [...schema.models.values()].flatMap((model) =>
    lookupsOf(model)
      .filter((column) => !isLed(actual, model.table, column))
      .map((column) => `${model.table}.${column}`),
  )
  if (columns.length === 0) return
  const makes = keeperOf(actual) === 'us' ? 'migrate makes it' : 'migrate --strapi-database makes it'
  logger.warn({ columns }, `No index begins with a column by which one entry is asked for: ${makes}`)
}

const unusualWarning =
  'Filters, sorts and rules on these columns may compare other values than they show, and may depend on hidden rows: neither Strapi nor migrate creates such types, indexes or collations'

function warnOfUnusual(
  schema: Schema,
  actual: ActualTables,
  { unusual, logger }: { readonly unusual: ReadonlySet<string>; readonly logger: Logger },
): void {
  const columns = strapiTables(schema, actual)
    .flatMap(({ table, columns: own }) => own.map(({ column }) => `${table}.${column}`))
    .filter((column) => unusual.has(column))
  if (columns.length === 0) return
  logger.warn({ columns }, unusualWarning)
}

interface Compared extends Pick<Database, 'isForOne'> {
  readonly asked?: readonly AskedTable[]
}

function differencesOf(
  schema: Schema,
  actual: ActualTables,
  { asked = [], isForOne }: Compared = {},
): readonly Fault[] {
  const keeper = keeperOf(actual)
  const faults = strapiTables(schema, actual).flatMap((layout) =>
    faultsOfTable(layout, actual.get(layout.table), isForOne ? shareInstance : remedies[keeper]),
  )
  const named = new Set(faults.map(({ where }) => where))
  const besides = asked
    .flatMap((one) => faultsOfAsked(one, actual))
    .filter(
      ({ where }, place, all) => !named.has(where) && all.findIndex((one) => one.where === where) === place,
    )
  if (keeper === 'strapi4' && faults.length + besides.length > 0) return [strapi4Fault]
  const none = faultOfNoneThere(schema, actual, isForOne)
  return none === null ? [...faults, ...besides] : [none]
}

/** Whether it is more than what becomes of tables that may not be read. */
const isMore = ({ where }: Fault, denied: ReadonlyMap<string, Fault>): boolean =>
  where !== 'database' && !denied.has(where.split('.', 1)[0] ?? '')

function wantedColumns(schema: Schema, actual: ActualTables, asked: readonly AskedTable[]): WantedColumns {
  const own = strapiTables(schema, actual).map(
    ({ table, columns }) => [table, columns.map(({ column }) => column)] as const,
  )
  return new Map([...asked.map(({ table, columns }) => [table, columns] as const), ...own])
}

/** Everything that is missing of the tables, or of a type that cannot be read. */
export async function compareTables(database: Database, schema: Schema): Promise<readonly Fault[]> {
  return differencesOf(schema, await readTables(database), database)
}

/** Holds the definitions against the tables: rejects with all that is missing, or of a type that cannot be read or is unknown. */
export async function checkTables(
  database: Database,
  all: Schema,
  logger?: Logger,
  asked: readonly AskedTable[] = [],
): Promise<void> {
  const asksUsers = asked.some(({ table }) => table === 'up_users')
  const schema = reachedBy(all, asksUsers)
  const actual = await readTables(database)
  const denied = await deniedTables(database, wantedColumns(schema, actual, asked), actual)
  const differences = differencesOf(schema, actual, { ...database, asked })
  const faults = [
    ...faultsOfCustom(schema),
    ...differences.filter((one) => denied.size === 0 || isMore(one, denied)),
    ...denied.values(),
  ]
  if (faults.length > 0) throw new TablesError(faults)
  if (logger === undefined) return
  warnOfUnusual(schema, actual, { unusual: await unusualColumns(database), logger })
  warnOfSlowReads(schema, actual, logger)
  warnOfSlowLookups(schema, actual, logger)
}
