// Input: the router's configuration and content as nested JSON.
// Output: its rows in the tables, with drafts, published rows and locales like Strapi 5 writes them, in one
// transaction.
// Rejected: content with faults, all named at once, before anything is written; existing entries, unless they are to be
// updated.
import type { Knex } from 'knex'
import {
  checkConfigObject,
  type ContentTypesConfig,
  loggerOf,
  problemOfNoObject,
  readTypes,
} from '../../lib/config'
import { type Database, isForOne, openDatabase, shareInstance, withoutAddress } from '../../lib/database'
import { ConfigError } from '../../lib/errors'
import { faultsOfUnknown, fileUid, type Model, type Schema } from '../../lib/schema'
import { settingsTable, settleSchema } from '../../lib/tables'
import { begin, type Begun, addLocales, writeDefaultLocale } from './begin'
import { isContentObject, type SeedContent } from './content'
import { clear, clearFormerPartners, deleteRows } from './clear'
import { copyVersions } from './copy-versions'
import { findModel, readEntries } from './entries'
import { readExisting } from './existing'
import { fillRow } from './fill'
import { numberOpenOrders } from './join'
import { SeedError } from './faults'
import { isRepeatable, type SeedOptions, seedOptions, type Seeding, type Entry } from './seeding'
import { type TableToWrite, writeTables } from './write'

export interface SeededRow {
  readonly id: number
  readonly locale: string | null
  /** Contains the status of the row. All rows of a type without drafts have the status `published`. */
  readonly status: 'draft' | 'published'
}

/** Describes a written entry, with the values that a test needs for its requests. */
export interface SeededEntry {
  readonly documentId: string
  readonly rows: readonly SeededRow[]
}

/** Finds entries that `seed` has written. */
export interface Seeded {
  /** Returns the entry with a type and a `$ref`. Throws an error if the content has no such entry. */
  entry(type: string, ref: string): SeededEntry
}

function findEntry(schema: Schema, { entriesByRef }: Seeding, type: string, ref: string): SeededEntry {
  const model = findModel(schema, type)
  const entry = model === undefined ? undefined : entriesByRef.get(model.uid)?.get(ref)
  if (entry === undefined) throw new RangeError(`The content has no ${type} with the $ref ${ref}`)
  const rows = entry.places.map(({ row, context: { locale, state } }): SeededRow => ({
    id: row.id,
    locale,
    status: state === 'draft' ? 'draft' : 'published',
  }))
  return { documentId: entry.documentId, rows }
}

const chunkSize = 500

async function findTaken(knex: Knex, table: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const ids = entries.map(({ documentId }) => documentId)
  const rows = await knex<{ document_id: string }>(table).whereIn('document_id', ids).select('document_id')
  const taken = new Set(rows.map((row) => row.document_id))
  return entries.filter(({ documentId }) => taken.has(documentId))
}

/** Entries whose document exists already; a second seed would duplicate them. */
async function findRepeats(knex: Knex, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const seeded: Entry[] = []
  for (const table of new Set(entries.map(({ model }) => model.table))) {
    const ofTable = entries.filter(({ model }) => model.table === table)
    for (let start = 0; start < ofTable.length; start += chunkSize) {
      seeded.push(...(await findTaken(knex, table, ofTable.slice(start, start + chunkSize))))
    }
  }
  return seeded
}

export type { ContentObject, ContentValue, SeedContent } from './content'
export { SeedError } from './faults'
export type { SeedOptions } from './seeding'

function makeRows(content: SeedContent, declared: readonly string[], seeding: Seeding): void {
  readEntries(content, seeding)
  const waiting = seeding.entries.flatMap(({ places }) => places)
  // Grows during the loop: a row adds its components and inline files.
  for (const place of waiting) waiting.push(...fillRow(place, seeding))
  numberOpenOrders(seeding.joins)
  addLocales(declared, seeding)
}

/** Checks that need the database: missing tables, existing entries. */
async function checkAgainstDatabase(
  knex: Knex,
  { existing, entries, faults, rows, options }: Seeding,
): Promise<void> {
  const missing = [...rows.byTable.keys()].filter((table) => !existing.hasTable(table))
  if (missing.length > 1 && missing.length === rows.byTable.size) {
    const problem = `the database contains none of the ${String(missing.length)} tables that the content needs`
    faults.add('database', problem, 'run migrate first, or check the connection to the database')
  } else for (const table of missing) faults.add(table, 'the table is missing', 'run migrate first')
  if (isRepeatable(options)) return
  const reachable = entries.filter(({ model }) => !missing.includes(model.table))
  for (const { path, documentId } of await findRepeats(knex, reachable)) {
    faults.add(path, `the document already exists in the database (${documentId})`)
  }
}

function tablesToWrite({ models }: Schema, { rows, joins }: Seeding): readonly TableToWrite[] {
  const tables = [...rows.byTable].map(([table, own]) => {
    const ofTable = [...models.values()].filter((model) => model.table === table)
    const keys = ofTable.flatMap(({ physical }) => physical.foreignKeys.map(({ column }) => column))
    return { table, rows: own, keys }
  })
  const isJoin = ({ table }: TableToWrite): boolean => joins.joinTables.has(table)
  return [...tables.filter((table) => !isJoin(table)), ...tables.filter(isJoin)]
}

/** Part of the same transaction, so rejected content empties nothing. */
async function emptyTypes(database: Database, schema: Schema, models: readonly Model[]): Promise<void> {
  const { knex } = database
  const { hasTable } = await readExisting(database, schema, [])
  for (const model of models.filter(({ uid, table }) => uid !== fileUid && hasTable(table)))
    await deleteRows({ knex, schema, hasTable }, model, (await knex(model.table).pluck('id')) as number[])
}

async function seedWithin(
  database: Database,
  schema: Schema,
  content: SeedContent,
  options: SeedOptions,
): Promise<Seeded> {
  const { knex, dialect } = database
  const named = Object.keys(content).flatMap((name) => findModel(schema, name) ?? [])
  const existingTables = named.filter(({ physical }) => physical.isExisting)
  const problem =
    'seed cannot write to the table of this type, because the definition contains the key "table"'
  if (existingTables.length > 0)
    throw new SeedError(existingTables.map(({ singularName }) => ({ where: singularName, problem })))
  if (options.reset === true) await emptyTypes(database, schema, named)
  const files = [...schema.models.values()].filter(({ uid }) => uid === fileUid)
  const updated = isRepeatable(options) ? new Set([...named, ...files]) : new Set<Model>()
  const prepare = async (): Promise<Begun> => {
    const existing = await readExisting(database, schema, [...updated])
    const begun = begin(schema, dialect, existing, content, options)
    makeRows(content, begun.declared, begun.seeding)
    return begun
  }
  let first = await prepare()
  const sought = [...first.seeding.sought].filter((model) => !updated.has(model))
  for (const model of sought) updated.add(model)
  if (sought.length > 0) first = await prepare()
  await checkAgainstDatabase(knex, first.seeding)
  if (first.seeding.faults.found.length > 0) throw new SeedError(first.seeding.faults.found)
  if (first.seeding.copies.length > 0) await copyVersions(database, first.seeding)
  const { seeding, declared } = first.seeding.copies.length > 0 ? await prepare() : first
  const { existing } = seeding
  const clearing = { knex, schema, hasTable: existing.hasTable }
  await clear(clearing, seeding.removals)
  if (isRepeatable(options))
    await clearFormerPartners(clearing, (table) => seeding.rows.byTable.get(table) ?? [])
  await writeTables(knex, dialect, tablesToWrite(schema, seeding))
  if (existing.hasTable(settingsTable)) await writeDefaultLocale(knex, declared)
  return { entry: (type, ref) => findEntry(schema, seeding, type, ref) }
}

const example = `write the entries of each type, such as { article: [{ title: 'Dawn' }] }`

/** Content of another kind, such as a file that was read wrongly. */
function checkContent(content: SeedContent): void {
  if (isContentObject(content)) return
  throw new SeedError([{ where: 'content', problem: problemOfNoObject(content), remedy: example }])
}

function checkOptions(options: SeedOptions): void {
  const unknown = faultsOfUnknown('seed', options, seedOptions)
  if (unknown.length > 0) throw new ConfigError(unknown)
}

/** An in-memory database of this call alone has no tables, and would be lost after the call. */
function checkShared({ database }: ContentTypesConfig): void {
  if (!isForOne(database)) return
  const problem = 'each call of seed opens a new in-memory database, which has no tables'
  throw new ConfigError([{ where: 'database.connection', problem, remedy: shareInstance }])
}

/**
 * Writes nested JSON into the tables of `migrate` or Strapi, in one transaction. For invalid content, `seed` writes
 * nothing and throws a `SeedError` that lists all faults. Keys with `$` are instructions for `seed`:
 * `{ article: [{ $ref: 'dawn' }] }`.
 */
export async function seed(
  config: ContentTypesConfig,
  content: SeedContent,
  options: SeedOptions = {},
): Promise<Seeded> {
  checkConfigObject(config)
  checkContent(content)
  checkOptions(options)
  checkShared(config)
  const logger = loggerOf(config.logger)
  const read = readTypes(config, logger)
  const database = openDatabase(config.database)
  try {
    const schema = await settleSchema(database, read, logger)
    return await database.knex.transaction((knex) =>
      seedWithin({ ...database, knex }, schema, content, options),
    )
  } catch (error) {
    throw withoutAddress(error)
  } finally {
    await database.close()
  }
}
