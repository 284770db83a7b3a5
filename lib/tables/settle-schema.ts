import type { Logger } from '../config'
import type { Database } from '../database'
import { type CustomAttribute, type CustomType, type CustomTypes, isCustomType, type Schema } from '../schema'
import { readColumns } from './read-tables'
import { parsedJson, readSetting, settingsTable } from './facts'

const layout = 'strapi_database_schema'

/** Knex's names of columns. `string` may stand for any short text. */
const typeOfColumn: Readonly<Record<string, CustomType>> = {
  string: 'string',
  text: 'text',
  jsonb: 'json',
  integer: 'integer',
  bigInteger: 'biginteger',
  double: 'float',
  decimal: 'decimal',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  boolean: 'boolean',
}

type KeptFacts = Readonly<Record<string, unknown>>

const isFacts = (value: unknown): value is KeptFacts => typeof value === 'object' && value !== null

const factsIn = (value: unknown): readonly KeptFacts[] =>
  isFacts(value) ? Object.values(value).filter(isFacts) : []

const attributesIn = (types: unknown): readonly KeptFacts[] =>
  factsIn(types).flatMap(({ attributes }) => factsIn(attributes))

/** Strapi stores content types with the registered types of custom fields. */
async function toldByTypes(database: Database): Promise<CustomTypes> {
  const types = await readSetting(database, 'strapi_content_types_schema')
  const told = attributesIn(types).flatMap(({ customField, type }): [string, CustomType][] =>
    typeof customField === 'string' && isCustomType(type) ? [[customField, type]] : [],
  )
  return new Map(told)
}

/** Strapi stores no components, but their columns. */
async function toldByColumns({ knex }: Database, wanted: readonly CustomAttribute[]): Promise<CustomTypes> {
  const [row] = (await knex(layout).select('schema').orderBy('id', 'desc').limit(1)) as readonly {
    schema: unknown
  }[]
  const schema = parsedJson(row?.schema)
  const tables = factsIn(isFacts(schema) ? schema['tables'] : undefined)
  const told = wanted.flatMap(({ customField, table, column }): [string, CustomType][] => {
    const columns = factsIn(tables.find(({ name }) => name === table)?.['columns'])
    const type = typeOfColumn[String(columns.find(({ name }) => name === column)?.['type'])]
    return type === undefined ? [] : [[customField, type]]
  })
  return new Map(told)
}

async function readCustomTypes(database: Database, custom: readonly CustomAttribute[]): Promise<CustomTypes> {
  const tables = await readColumns(database)
  const told = tables.has(settingsTable) ? await toldByTypes(database) : new Map<string, CustomType>()
  const rest = custom.filter(({ customField }) => !told.has(customField))
  const isKept = tables.has(layout) && rest.length > 0
  return isKept ? new Map([...(await toldByColumns(database, rest)), ...told]) : told
}

const leftOut =
  'An attribute is left out: nothing tells what its custom field is kept as. Name it in customFields, or start Strapi with the plugin on this database'

export async function settleSchema(database: Database, schema: Schema, logger?: Logger): Promise<Schema> {
  if (schema.custom.length === 0) return schema
  const settled = schema.withTypes(await readCustomTypes(database, schema.custom))
  for (const { uid, attribute, customField, isKnown } of settled.custom) {
    if (!isKnown) logger?.warn({ uid, attribute, customField }, leftOut)
  }
  return settled
}
