import type { DialectName } from '../../lib/database'
import { isInstant, type MappedType } from './column-type'
import type { CatalogueColumn, CatalogueTable } from './read-catalogue'
import { wordsOf } from './type-names'

export interface TableChoice {
  /** Patterns of names, such as `film*`. Empty: all tables. */
  readonly tables: readonly string[]
  /** The unique column of each view to serve. */
  readonly views: ReadonlyMap<string, string>
}

/** Tables that have a definition file, and tables that `content-router migrate` created or adopted. */
type KnownTables = Readonly<Record<'written' | 'migrated', readonly string[]>>

export type IdType = 'integer' | 'biginteger' | 'string' | 'uuid'

export interface IdColumn {
  readonly name: string
  readonly type: IdType
}

/** A foreign key of one column to the key of a served table. */
export interface TableLink {
  readonly column: string
  readonly target: string
}

/** A part of the database that no definition has. */
export interface Unserved {
  readonly place: string
  readonly reason: string
  /** A view that has a key. */
  readonly hint?: string
}

export interface ServedTable {
  readonly table: CatalogueTable
  readonly key: IdColumn
  readonly links: readonly TableLink[]
}

export interface LinkingTable {
  readonly name: string
  /** In the order of the columns. */
  readonly links: readonly [TableLink, TableLink]
  readonly orderColumn: string | null
}

export interface DecidedTables {
  readonly served: readonly ServedTable[]
  readonly joins: readonly LinkingTable[]
  readonly unserved: readonly Unserved[]
}

const bookkeeping = new Set([
  ...['content_router_tables', 'knex_migrations', 'knex_migrations_lock', '_prisma_migrations'],
  ...['schema_migrations', 'ar_internal_metadata', 'flyway_schema_history', 'databasechangelog'],
  ...['databasechangeloglock', 'alembic_version', 'django_migrations', 'typeorm_metadata', 'migrations'],
  ...['sequelizemeta', '__drizzle_migrations', 'goose_db_version', 'phinxlog', '__efmigrationshistory'],
  ...['doctrine_migration_versions', 'kysely_migration', 'kysely_migration_lock', 'pgmigrations'],
  ...['mikro_orm_migrations', 'schema_version'],
])

export const isMatch = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'i').test(name)

export const isChosen = ({ tables, views }: TableChoice, name: string): boolean =>
  views.has(name) || tables.length === 0 || tables.some((pattern) => isMatch(pattern, name))

const keyTypes: Partial<Record<MappedType, IdType>> = {
  integer: 'integer',
  biginteger: 'biginteger',
  string: 'string',
  text: 'string',
}

function keyTypeOf(dialect: DialectName, { declared, mapping }: CatalogueColumn): IdType | null {
  if (declared === 'uuid' && dialect !== 'sqlite') return 'uuid'
  // The ids of most tables of MySQL.
  if (/^int(\(\d+\))? unsigned/.test(declared)) return 'integer'
  return mapping.type === null ? null : (keyTypes[mapping.type] ?? null)
}

/** The primary key of one column; else the first unique column without nulls. A view has a named one. */
function keyOf(
  dialect: DialectName,
  { columns, keys }: CatalogueTable,
  named: string | undefined,
): IdColumn | null {
  const candidates = named === undefined ? keys : [[named]]
  for (const [name, ...others] of candidates) {
    const column = columns.find((one) => one.name === name)
    if (column === undefined || others.length > 0 || (named === undefined && !column.isRequired)) continue
    const type = keyTypeOf(dialect, column)
    if (type !== null) return { name: column.name, type }
  }
  return null
}

/** The columns of other foreign keys stay plain attributes. */
function linksOf(
  { name, foreignKeys }: CatalogueTable,
  keys: ReadonlyMap<string, IdColumn>,
): { readonly links: readonly TableLink[]; readonly unlinked: readonly Unserved[] } {
  const links: TableLink[] = []
  const unlinked: Unserved[] = []
  for (const { columns, target, targetColumns } of foreignKeys) {
    const [column = ''] = columns
    const key = keys.get(target ?? '')
    const leave = (reason: string): unknown =>
      unlinked.push({ place: `${name}.${columns.join(', ')}`, reason: `no relation, because ${reason}` })
    if (target === null) leave('the foreign key refers to another schema')
    else if (columns.length > 1) leave(`the foreign key to ${target} has several columns`)
    else if (key === undefined) leave(`the router does not serve ${target}`)
    else if (key.name !== targetColumns[0])
      leave(
        `the foreign key refers to ${target}.${targetColumns.join()}, and the id of ${target} is ${key.name}`,
      )
    else if (links.some((link) => link.column === column)) leave('the column already has another foreign key')
    else links.push({ column, target })
  }
  return { links, unlinked }
}

const orderWord = /^(position|pos|order|ord|ordinal|sort|rank|sequence|seq|index|idx)$/

const isOrder = ({ name, mapping: { type } }: CatalogueColumn): boolean =>
  orderWord.test(wordsOf(name).at(-1) ?? '') &&
  (type === 'integer' || type === 'biginteger' || type === 'decimal' || type === 'float')

/** A dot, a question mark or a quote in a name is not supported. */
const isSupported = (name: string): boolean => !/[.?"`]/.test(name)

const unsupportedName = 'the name contains a dot, a question mark or a quote'

const withSupportedNames = (table: CatalogueTable): CatalogueTable => ({
  ...table,
  columns: table.columns.filter(({ name }) => isSupported(name)),
  keys: table.keys.filter((key) => key.every(isSupported)),
  foreignKeys: table.foreignKeys.filter(({ columns }) => columns.every(isSupported)),
})

const isPair = (links: readonly TableLink[]): links is readonly [TableLink, TableLink] => links.length === 2

interface FoundJoin {
  readonly join: LinkingTable
  readonly lost: readonly Unserved[]
}

/** Two foreign keys that are unique together. Without a key of its own, the table can be nothing but a join table. */
function joinOf(
  { name, columns, keys, foreignKeys }: CatalogueTable,
  links: readonly TableLink[],
): FoundJoin | null {
  if (!isPair(links) || foreignKeys.length > links.length) return null
  const pair = links.map(({ column }) => column)
  if (!keys.some((key) => key.length === 2 && key.every((column) => pair.includes(column)))) return null
  const others = columns.filter((column) => !pair.includes(column.name))
  const order = others.find(isOrder)
  const reason = 'the column belongs to a join table. To serve the table, add a unique column'
  const lost = others
    .filter((column) => column !== order && !isInstant(column.mapping))
    .map((column) => ({ place: `${name}.${column.name}`, reason }))
  return { join: { name, links, orderColumn: order?.name ?? null }, lost }
}

function reasonWithoutKey({ keys, columns }: CatalogueTable): string {
  const [first] = keys
  if (first === undefined) return 'the table has no primary key and no unique column'
  if (first.length > 1) return `the key has several columns: ${first.join(', ')}`
  const column = columns.find(({ name }) => name === first[0])
  if (column?.declared === 'denied') return `the database user is not allowed to read the key ${column.name}`
  return `${first.join()} ${column?.isRequired === true ? 'has a type that no key can have' : 'is unique, and may be null'}`
}

/** The cast gives the view's column a type in SQLite. */
function viewHint(dialect: DialectName, { name, columns, keys: [key = []] }: CatalogueTable): object {
  if (key.length < 2) return {}
  const quoted = (word: string): string => (dialect === 'mysql' ? `\`${word}\`` : `"${word}"`)
  const id = columns.some((column) => column.name === 'id') ? 'row_id' : 'id'
  const parts = key.map(quoted)
  const text =
    dialect === 'mysql' ? `concat_ws('-', ${parts.join(', ')})` : `cast(${parts.join(` || '-' || `)} as text)`
  const view = `create view ${quoted(`${name}_view`)} as select ${text} as ${id}, t.* from ${quoted(name)} t`
  return { hint: `${view}, then --view ${name}_view=${id}` }
}

/** Splits the chosen tables into types, join tables and the rest. */
export function decideTables(
  catalogue: readonly CatalogueTable[],
  dialect: DialectName,
  choice: TableChoice,
  { written, migrated }: KnownTables,
): DecidedTables {
  const unserved: Unserved[] = []
  const leave = (place: string, reason: string): unknown => unserved.push({ place, reason })
  const chosen = catalogue.filter(({ name, isView, columns }) => {
    if (!isChosen(choice, name) && !written.includes(name)) return false
    if (bookkeeping.has(name.toLowerCase())) leave(name, 'the table belongs to a migration tool')
    else if (migrated.includes(name)) leave(name, 'content-router migrate created the table')
    else if (!isSupported(name)) leave(name, unsupportedName)
    else if (columns.every(({ declared }) => declared === 'denied'))
      leave(name, 'the database user is not allowed to read the table')
    else if (isView && !choice.views.has(name))
      leave(name, `the table is a view. Add --view ${name}=<its unique column>`)
    else return true
    return false
  })
  for (const { name, columns } of chosen)
    for (const column of columns)
      if (!isSupported(column.name)) leave(`${name}.${column.name}`, unsupportedName)
  const keyed = chosen
    .map(withSupportedNames)
    .map((table) => ({ table, key: keyOf(dialect, table, choice.views.get(table.name)) }))
  const keys = new Map(keyed.flatMap(({ table, key }) => (key === null ? [] : [[table.name, key]])))
  const served: ServedTable[] = []
  const joins: LinkingTable[] = []
  for (const { table, key } of keyed) {
    const { links, unlinked } = linksOf(table, keys)
    const found = key === null ? joinOf(table, links) : null
    if (key !== null) {
      served.push({ table, key, links })
      unserved.push(...unlinked)
    } else if (found === null)
      unserved.push({ place: table.name, reason: reasonWithoutKey(table), ...viewHint(dialect, table) })
    else {
      joins.push(found.join)
      unserved.push(...found.lost)
    }
  }
  return { served, joins, unserved }
}
