import type { Knex } from 'knex'
import { type ContentTypesConfig, loggerOf, readTypes } from '../config'
import { openDatabase, openForLooking, type Database, withoutAddress } from '../database'
import { TablesError, type Fault } from '../errors'
import { type Schema, fileUid, localeUid, type Uid, userUid, didYouMean } from '../schema'
import { locales, media, roles } from '../../migrations'
import { compareLayouts, isServed, type Change } from './compare'
import { settleSchema } from './facts'
import { readTables, rowsOf, type ActualTables } from './read-tables'
import { keeperOf, refusalOf, isBuiltIn } from './keeper'
import { type TableNeeds, allNeeds } from './needs'
import { statementsOf, quoteFor, type StatementTarget } from './statements'
import { contentTables } from './content-tables'
import { tableDialectOf, type TableLayout } from './table-dialect'

function together(support: TableLayout, own: TableLayout | undefined): TableLayout {
  if (own === undefined) return { ...support, isPart: true }
  const known = new Set(support.columns.map(({ column }) => column))
  return {
    ...support,
    columns: [...support.columns, ...own.columns.filter(({ column }) => !known.has(column))],
    indexes: [...support.indexes, ...own.indexes.filter((index) => !isServed(index, support.indexes))],
  }
}

function wantedTables(schema: Schema, needs: TableNeeds, actual: ActualTables): readonly TableLayout[] {
  // Private attributes need their tables, too.
  const reached = allNeeds(schema.whole()).models
  const used = [...schema.models].filter(
    ([uid, model]) => !isBuiltIn(model) || reached.has(uid) || needs.models.has(uid),
  )
  const models = new Map(used)
  const asked = new Set(needs.asked.flatMap(({ table, isOptional }) => (isOptional === true ? [] : table)))
  const usesOne = (uid: string, layouts: readonly TableLayout[]): boolean =>
    models.has(uid as Uid) || layouts.some(({ table }) => asked.has(table))
  const isLocalized = used.some(([, { localized }]) => localized)
  const support = [
    ...(usesOne(fileUid, media) ? media : []),
    ...(isLocalized || usesOne(localeUid, locales) ? locales : []),
    ...(usesOne(userUid, roles) ? roles : []),
  ]
  const own = new Map(contentTables({ ...schema, models }, actual).map((layout) => [layout.table, layout]))
  const merged = support.map((layout) => together(layout, own.get(layout.table)))
  const names = new Set(merged.map(({ table }) => table))
  return [...merged, ...[...own.values()].filter(({ table }) => !names.has(table))]
}

export interface MigrateOptions {
  /** Returns the statements without running them. */
  readonly dryRun?: boolean
  /** Adds to the tables of a Strapi, too. */
  readonly strapiDatabase?: boolean
  /** Foreign tables that may be extended: `['orders']`. */
  readonly adopt?: readonly string[]
}

export interface Migration {
  /** The SQL in order, one statement an element. Empty: the tables are complete. */
  readonly statements: readonly string[]
  /** Changes of types, of tables of Strapi, and of foreign tables. Only a dry run returns it; a run rejects with it. */
  readonly refused: readonly Fault[]
  /** `table.column` of columns without a definition. They and their content stay. */
  readonly unused: readonly string[]
}

async function plan(
  database: Database,
  { schema, needs }: { readonly schema: Schema; readonly needs: TableNeeds },
  { strapiDatabase = false, adopt = [] }: MigrateOptions,
): Promise<Migration> {
  const { dialect, knex } = database
  const { characterSet, tableOptions } = tableDialectOf(database)
  const actual = await readTables(database)
  const wanted = wantedTables(schema, needs, actual)
  const { changes, refused, unused } = compareLayouts(dialect, wanted, actual)
  const keeper = keeperOf(actual)
  const kept = strapiDatabase || changes.length === 0 ? [] : refusalOf(keeper)
  const [charset] = characterSet === null ? [] : await rowsOf<{ name: string }>(database, characterSet)
  const target = { dialect, tableOptions: tableOptions(charset?.name) }
  const content = statementsOf(target, changes)
  const unknown = unknownAdopted(adopt, wanted)
  if (keeper !== 'us')
    return { statements: content, refused: [...unknown, ...(kept.length > 0 ? kept : refused)], unused }
  const known = actual.has(ledger) ? ((await knex(ledger).pluck('name')) as string[]) : null
  return {
    statements: [...ledgerStatements(target, { changes, known, adopt }), ...content],
    refused: [...unknown, ...foreignTables(changes, [...(known ?? []), ...adopt]), ...refused],
    unused,
  }
}

async function run(knex: Knex, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await knex.raw(statement)
}

export async function migrateTables(
  config: ContentTypesConfig,
  options: MigrateOptions,
  needsOf: (schema: Schema) => TableNeeds,
): Promise<Migration> {
  const logger = loggerOf(config.logger)
  const read = readTypes(config, logger)
  const database = (options.dryRun === true ? openForLooking : openDatabase)(config.database)
  try {
    const schema = await settleSchema(database, read, logger)
    const migration = await plan(database, { schema, needs: needsOf(schema) }, options)
    if (options.dryRun === true) return migration
    if (migration.refused.length > 0) throw new TablesError(migration.refused)
    const { knex } = database
    if (tableDialectOf(database).isTransactional)
      await knex.transaction((transaction) => run(transaction, migration.statements))
    else await run(knex, migration.statements)
    return migration
  } catch (error) {
    throw withoutAddress(error)
  } finally {
    await database.close()
  }
}

/** The table with the names of tables that `migrate` created or adopted. */
export const ledger = 'content_router_tables'

interface LedgerEntries {
  readonly changes: readonly Change[]
  /** Null without a ledger. */
  readonly known: readonly string[] | null
  readonly adopt: readonly string[]
}

/** Names are written first: MySQL has no transactions here, and `migrate` completes only tables that it knows. */
export function ledgerStatements(
  { dialect, tableOptions }: StatementTarget,
  { changes, known, adopt }: LedgerEntries,
): readonly string[] {
  const quote = quoteFor(dialect)
  const created = changes.flatMap((change) => (change.kind === 'table' ? change.layout.table : []))
  const names = [...created, ...adopt].filter((name) => known?.includes(name) !== true)
  if (names.length === 0) return []
  const rows = [...new Set(names)].map((name) => `('${name.replaceAll("'", "''")}')`)
  const name = quote('name')
  return [
    ...(known === null
      ? [`create table ${quote(ledger)} (${name} varchar(255) not null primary key)${tableOptions}`]
      : []),
    `insert into ${quote(ledger)} (${name}) values ${rows.join(', ')}`,
  ]
}

export function foreignTables(changes: readonly Change[], own: readonly string[]): readonly Fault[] {
  const foreign = changes.flatMap((change) =>
    change.kind === 'table' || own.includes(change.table) ? [] : [change],
  )
  return [...new Set(foreign.map(({ table }) => table))].map((table) => {
    const added = foreign.flatMap((change) => {
      if (change.table !== table) return []
      return change.kind === 'column' ? `column ${change.column.column}` : `index ${change.index.name}`
    })
    return {
      where: table,
      problem: `migrate did not create this table, and the definitions need more of it: ${added.join(', ')}`,
      remedy: `give the type another collectionName, or let migrate extend this table: --adopt ${table}`,
    }
  })
}

export function unknownAdopted(adopt: readonly string[], wanted: readonly TableLayout[]): readonly Fault[] {
  const names = wanted.map(({ table }) => table)
  return adopt
    .filter((name) => !names.includes(name))
    .map((name) => ({
      where: `--adopt ${name}`,
      problem: 'the definitions have no such table',
      remedy: name.includes(',') ? 'write --adopt once for each table' : didYouMean(name, names),
    }))
}
