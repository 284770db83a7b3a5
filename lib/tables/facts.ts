import { createHash } from 'node:crypto'
import { type Database, isDrift } from '../database'
import { type ActualColumns, readColumns } from './read-tables'
import { tableDialectOf } from './table-dialect'
import type { Logger } from '../config'
import { type CustomAttribute, type CustomType, type CustomTypes, isCustomType, type Schema } from '../schema'

/** Strapi's settings, as JSON text. */
export const settingsTable = 'strapi_core_store_settings'
export const defaultLocaleKey = 'plugin_i18n_default_locale'

/** Undefined if it is no JSON. Some drivers parse it. */
function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

async function readSetting({ knex }: Database, key: string): Promise<unknown> {
  const [value] = (await knex(settingsTable).where({ key }).limit(1).pluck('value')) as unknown[]
  return parsedJson(value)
}

export interface Facts {
  readonly tables: ActualColumns
  /** A hash of tables, columns and types. */
  readonly shape: string
  readonly defaultLocale: string | null
}

/** Null if there is none. */
export async function readDefaultLocale(database: Database, tables: ActualColumns): Promise<string | null> {
  // A read distinguishes a missing right from a missing table.
  if (!tableDialectOf(database).hidesDenied && !tables.has(settingsTable)) return null
  try {
    const locale = await readSetting(database, defaultLocaleKey)
    return typeof locale === 'string' ? locale : null
  } catch (error) {
    if (isDrift(error)) return null
    throw error
  }
}

export async function readFacts(database: Database, schemas: readonly string[] = []): Promise<Facts> {
  const tables = await readColumns(database, schemas)
  const columns = [...tables].map(([table, own]) => [table, [...own]] as const)
  const shape = createHash('sha1').update(JSON.stringify(columns)).digest('base64url')
  return { tables, shape, defaultLocale: null }
}

const layout = 'strapi_database_schema'

/** Knex's names of types that are not ours. `string` may stand for any short text. */
const typesOfKnex: Readonly<Record<string, CustomType>> = {
  jsonb: 'json',
  bigInteger: 'biginteger',
  double: 'float',
}

type Stored = Readonly<Record<string, unknown>>

const storedIn = (value: unknown): readonly Stored[] =>
  Object.values(Object(value) as Stored).filter(
    (part) => typeof part === 'object' && part !== null,
  ) as Stored[]

/** Strapi stores content types with the registered types of custom fields. */
async function typesInSettings(database: Database): Promise<CustomTypes> {
  const stored = await readSetting(database, 'strapi_content_types_schema')
  const attributes = storedIn(stored).flatMap((type) => storedIn(type['attributes']))
  const types = attributes.flatMap(({ customField, type }): [string, CustomType][] =>
    typeof customField === 'string' && isCustomType(type) ? [[customField, type]] : [],
  )
  return new Map(types)
}

/** Strapi stores no components, but their columns. */
async function typesInColumns({ knex }: Database, wanted: readonly CustomAttribute[]): Promise<CustomTypes> {
  const [schema] = (await knex(layout).orderBy('id', 'desc').limit(1).pluck('schema')) as unknown[]
  const tables = storedIn((Object(parsedJson(schema)) as Stored)['tables'])
  const types = wanted.flatMap(({ customField, table, column }): [string, CustomType][] => {
    const columns = storedIn(tables.find(({ name }) => name === table)?.['columns'])
    const stored = columns.find(({ name }) => name === column)?.['type']
    const type = typesOfKnex[String(stored)] ?? stored
    return isCustomType(type) ? [[customField, type]] : []
  })
  return new Map(types)
}

async function readCustomTypes(database: Database, custom: readonly CustomAttribute[]): Promise<CustomTypes> {
  const tables = await readColumns(database)
  const types = tables.has(settingsTable) ? await typesInSettings(database) : new Map<string, CustomType>()
  const rest = custom.filter(({ customField }) => !types.has(customField))
  const isKept = tables.has(layout) && rest.length > 0
  return isKept ? new Map([...(await typesInColumns(database, rest)), ...types]) : types
}

const leftOut =
  'the router omits an attribute, because the type of its custom field is unknown. Add the custom field to customFields, or start Strapi with the plugin on this database'

export async function settleSchema(database: Database, schema: Schema, logger?: Logger): Promise<Schema> {
  if (schema.custom.length === 0) return schema
  const settled = schema.withTypes(await readCustomTypes(database, schema.custom))
  for (const { uid, attribute, customField, isKnown } of settled.custom) {
    if (!isKnown) logger?.warn({ uid, attribute, customField }, leftOut)
  }
  return settled
}
