import type { Knex } from 'knex'
import { type ContentTypesConfig, loggerOf, readTypes } from '../config'
import { openDatabase, openForLooking, type Database, withoutAddress, type DialectName } from '../database'
import { TablesError, type Fault } from '../errors'
import {
  type Model,
  type Schema,
  fileUid,
  localeUid,
  type Uid,
  userUid,
  didYouMean,
  type Index,
  type PhysicalColumn,
  type ForeignKey,
} from '../schema'
import { locales, media, roles } from '../../migrations'
import { settleSchema } from './facts'
import { readTables, rowsOf, isServed, type ActualTables } from './read-tables'
import { tableMakerOf, refusalOf } from './table-maker'
import { type TableNeeds, allNeeds } from './needs'
import { contentTables, isBuiltIn } from './content-tables'
import {
  tableDialectOf,
  type TableLayout,
  declaredType,
  isSameType,
  columnDeclaration,
  quoteName,
  type IndexClause,
} from './table-dialect'

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
  /** Returns the SQL statements without running the statements. */
  readonly dryRun?: boolean
  /** Allows `migrate` to add tables and columns to a Strapi database. */
  readonly strapiDatabase?: boolean
  /** Names tables that `migrate` can extend although `migrate` did not create the tables: `['orders']`. */
  readonly adopt?: readonly string[]
}

export interface Migration {
  /** Lists the SQL statements in their order. The list is empty if the tables are complete. */
  readonly statements: readonly string[]
  /** Lists rejected changes of types, Strapi's tables and foreign tables. Only a dry run returns `refused`. */
  readonly refused: readonly Fault[]
  /** Lists columns without a definition, as `table.column`. The function `migrate` never removes such columns. */
  readonly unused: readonly string[]
}

/** Tables and columns that the router reads besides those of the definitions. */
interface RouterNeeds {
  readonly needsOf: (schema: Schema) => TableNeeds
  /** Returns statements of extensions that create indexes. */
  readonly missingIndexes: (
    schema: Schema,
    database: Database,
  ) => Promise<readonly { readonly model: Model; readonly statements: readonly string[] }[]>
}

async function plan(
  database: Database,
  { schema, needsOf, missingIndexes }: RouterNeeds & { readonly schema: Schema },
  { strapiDatabase = false, adopt = [] }: MigrateOptions,
): Promise<Migration> {
  const needs = needsOf(schema)
  const { dialect, knex } = database
  const { characterSet, tableOptions } = tableDialectOf(database)
  const actual = await readTables(database, schema.schemas)
  const wanted = wantedTables(schema, needs, actual)
  const { changes, refused, unused } = compareLayouts(dialect, wanted, actual)
  const maker = tableMakerOf(actual)
  const [charset] = characterSet === null ? [] : await rowsOf<{ name: string }>(database, characterSet)
  const quote: Quote = (name) => quoteName(database, name)
  const target = { dialect, tableOptions: tableOptions(charset?.name), quote }
  const statements = statementsOf(target, changes)
  const unknown = unknownAdopted(adopt, wanted)
  const indexes = (await missingIndexes(schema, database)).filter(({ model }) => !model.physical.isExisting)
  if (maker !== 'us') {
    const isRefused = !strapiDatabase && changes.length > 0
    return {
      statements: [...statements, ...(strapiDatabase ? indexes.flatMap((one) => one.statements) : [])],
      refused: [...unknown, ...(isRefused ? [refusalOf(maker)] : refused)],
      unused,
    }
  }
  /** Null without a ledger. */
  const known = actual.has(ledger) ? ((await knex(ledger).pluck('name')) as string[]) : null
  const created = changes.flatMap((change) => (change.kind === 'table' ? change.layout.table : []))
  const own = new Set([...created, ...(known ?? []), ...adopt])
  const indexing = indexes.flatMap((one) => (own.has(one.model.table) ? one.statements : []))
  const foreign = foreignTables(changes, [...(known ?? []), ...adopt])
  const all = [...ledgerStatements(target, own, known), ...statements, ...indexing]
  return { statements: all, refused: [...unknown, ...foreign, ...refused], unused }
}

export async function migrateTables(
  config: ContentTypesConfig,
  options: MigrateOptions,
  router: RouterNeeds,
): Promise<Migration> {
  const logger = loggerOf(config.logger)
  const read = readTypes(config, logger)
  const database = (options.dryRun === true ? openForLooking : openDatabase)(config.database)
  try {
    const schema = await settleSchema(database, read, logger)
    const migration = await plan(database, { schema, ...router }, options)
    if (options.dryRun === true) return migration
    if (migration.refused.length > 0) throw new TablesError(migration.refused)
    const run = async (knex: Knex): Promise<void> => {
      for (const statement of migration.statements) await knex.raw(statement)
    }
    await (tableDialectOf(database).isTransactional ? database.knex.transaction(run) : run(database.knex))
    return migration
  } catch (error) {
    throw withoutAddress(error)
  } finally {
    await database.close()
  }
}

/** Begins the names of columns and indexes of the package. */
const addedPrefix = 'cr_'

/** The table with the names of tables that `migrate` created or adopted. */
export const ledger = 'content_router_tables'

/** Names are written first: MySQL has no transactions here, and `migrate` completes only tables that it knows. */
function ledgerStatements(
  { tableOptions, quote }: StatementTarget,
  own: ReadonlySet<string>,
  known: readonly string[] | null,
): readonly string[] {
  const names = [...own].filter((name) => known?.includes(name) !== true)
  if (names.length === 0) return []
  const rows = names.map((name) => `('${name.replaceAll("'", "''")}')`)
  const name = quote('name')
  return [
    ...(known === null
      ? [`create table ${quote(ledger)} (${name} varchar(255) not null primary key)${tableOptions}`]
      : []),
    `insert into ${quote(ledger)} (${name}) values ${rows.join(', ')}`,
  ]
}

function foreignTables(changes: readonly Change[], own: readonly string[]): readonly Fault[] {
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
      problem: `migrate cannot add the missing parts, because migrate did not create the table. The missing parts are ${added.join(', ')}`,
      remedy: `change the collectionName of the type. Or run migrate with --adopt ${table} to add the missing parts`,
    }
  })
}

function unknownAdopted(adopt: readonly string[], wanted: readonly TableLayout[]): readonly Fault[] {
  const names = wanted.map(({ table }) => table)
  return adopt
    .filter((name) => !names.includes(name))
    .map((name) => ({
      where: `--adopt ${name}`,
      problem: 'no definition uses the table',
      remedy: name.includes(',') ? 'write --adopt separately for each table' : didYouMean(name, names),
    }))
}

type Change =
  | { readonly kind: 'table'; readonly layout: TableLayout }
  | { readonly kind: 'column'; readonly table: string; readonly column: PhysicalColumn }
  | { readonly kind: 'index'; readonly table: string; readonly index: Index }

function compareLayouts(dialect: DialectName, layouts: readonly TableLayout[], actual: ActualTables) {
  const tables = new Set([...actual.keys(), ...layouts.map(({ table }) => table)])
  const changes: Change[] = []
  const refused: Fault[] = []
  const unused: string[] = []
  for (const layout of layouts.filter(({ isExisting }) => isExisting !== true)) {
    const { table, columns, indexes, foreignKeys } = layout
    const existing = actual.get(table)
    if (existing === undefined) {
      // `admin_users` is missing without Strapi.
      const reachable = foreignKeys.filter((key) => tables.has(key.table))
      changes.push({ kind: 'table', layout: { ...layout, foreignKeys: reachable } })
      continue
    }
    for (const column of columns) {
      const found = existing.columns.get(column.column)
      if (found === undefined) changes.push({ kind: 'column', table, column })
      else if (!isSameType(dialect, column.type, found)) {
        const problem = `the type of the column is ${found}, but the definitions require ${declaredType(dialect, column.type)}`
        const remedy = 'change the definition, or alter the column by hand. migrate never alters columns'
        refused.push({ where: `${table}.${column.column}`, problem, remedy })
      }
    }
    for (const index of indexes)
      if (!isServed(index, existing.indexes)) changes.push({ kind: 'index', table, index })
    const known = new Set(columns.map(({ column }) => column))
    const others = layout.isPart === true ? [] : [...existing.columns.keys()]
    const isUnused = (column: string): boolean => !known.has(column) && !column.startsWith(addedPrefix)
    unused.push(...others.filter(isUnused).map((column) => `${table}.${column}`))
  }
  return { changes, refused, unused }
}

type Quote = (name: string) => string

interface StatementTarget {
  readonly dialect: DialectName
  readonly tableOptions: string
  readonly quote: Quote
}

function foreignKeyClause(quote: Quote, { name, column, table, onDelete }: ForeignKey): string {
  return `constraint ${quote(name)} foreign key (${quote(column)}) references ${quote(table)} (${quote('id')}) on delete ${onDelete.toLowerCase()}`
}

const listOf = (quote: Quote, { columns }: Index): string => columns.map(quote).join(', ')

function createIndex(quote: Quote, table: string, index: Index): string {
  const kind = index.unique ? 'unique index' : 'index'
  return `create ${kind} ${quote(index.name)} on ${quote(table)} (${listOf(quote, index)})`
}

function createTable(
  { dialect, tableOptions, quote }: StatementTarget,
  { table, columns, indexes, foreignKeys }: TableLayout,
): readonly string[] {
  const { indexesInTable } = tableDialectOf({ dialect })
  const clauseOf = ({ unique }: Index): IndexClause | null => indexesInTable[unique ? 'unique' : 'other']
  const lines = [
    ...columns.map(({ column, type }) => `${quote(column)} ${columnDeclaration(dialect, type)}`),
    ...indexes.flatMap((index) => clauseOf(index)?.(quote(index.name), listOf(quote, index)) ?? []),
    ...foreignKeys.map((key) => foreignKeyClause(quote, key)),
  ]
  return [
    `create table ${quote(table)} (\n  ${lines.join(',\n  ')}\n)${tableOptions}`,
    ...indexes.filter((index) => clauseOf(index) === null).map((index) => createIndex(quote, table, index)),
  ]
}

/** Statements in an order in which they run, even if two tables refer to each other. */
function statementsOf(target: StatementTarget, changes: readonly Change[]): readonly string[] {
  const { dialect, quote } = target
  const { hasKeysAhead } = tableDialectOf(target)
  const last: string[] = []
  const statements = changes.flatMap((change, place): readonly string[] => {
    if (change.kind === 'index') return [createIndex(quote, change.table, change.index)]
    if (change.kind === 'column') {
      const { column, type } = change.column
      const declaration = columnDeclaration(dialect, type)
      return [`alter table ${quote(change.table)} add column ${quote(column)} ${declaration}`]
    }
    const { layout } = change
    if (hasKeysAhead) return createTable(target, layout)
    // Keys are part of their table where possible: an interrupted run on MySQL leaves no table without keys.
    const coming = changes.slice(place + 1).flatMap((one) => (one.kind === 'table' ? one.layout.table : []))
    const later = layout.foreignKeys.filter(({ table }) => coming.includes(table))
    const foreignKeys = layout.foreignKeys.filter((key) => !later.includes(key))
    last.push(...later.map((key) => `alter table ${quote(layout.table)} add ${foreignKeyClause(quote, key)}`))
    return createTable(target, { ...layout, foreignKeys })
  })
  return [...statements, ...last]
}
