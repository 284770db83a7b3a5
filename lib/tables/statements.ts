import type { DialectName, Database } from '../database'
import type { ForeignKey, Index, Schema } from '../schema'
import { ConfigError } from '../errors'
import { columnDeclaration, type TableLayout } from './column-declaration'
import type { Change } from './compare'
import { type TableNeeds, neededTables, wantedColumns } from './needs'
import { readTables, rowsOf } from './read-tables'

/** MySQL knows users by name and host: `reader`, `reader@10.0.0.%`. */
function quotedUser({ dialect }: Database, user: string): string {
  const quote = quoteFor(dialect)
  if (dialect !== 'mysql') return quote(user)
  const at = user.includes('@') ? user.lastIndexOf('@') : user.length
  return `${quote(user.slice(0, at))}@${quote(user.slice(at + 1) || '%')}`
}

/** The SQL that lets a user of the database read what requests need, and nothing else. */
export async function readGrantStatements(
  database: Database,
  schema: Schema,
  { needs, user }: { readonly needs: TableNeeds; readonly user: string },
): Promise<readonly string[]> {
  const { dialect } = database
  if (dialect === 'sqlite') {
    const remedy = 'let the process read the file, and write to none'
    throw new ConfigError([{ where: 'database', problem: 'SQLite has no users', remedy }])
  }
  const quote = quoteFor(dialect)
  const actual = await readTables(database)
  const tables = [...wantedColumns(needs, neededTables(schema, needs, actual))].flatMap(
    ([table, columns]): [string, readonly string[]][] => {
      const there = columns.filter((column) => actual.get(table)?.columns.has(column) === true)
      return there.length === 0 ? [] : [[table, there.map(quote)]]
    },
  )
  const schemas =
    dialect === 'postgres'
      ? await rowsOf<{ name: string }>(database, 'select unnest(current_schemas(false))::text as name')
      : []
  // MySQL refuses a table without its database where none is selected.
  const [selected] =
    dialect === 'mysql' ? await rowsOf<{ name: string }>(database, 'select database() as name') : []
  const inDatabase = selected === undefined ? '' : `${quote(selected.name)}.`
  const to = quotedUser(database, user)
  return [
    ...schemas.map(({ name }) => `grant usage on schema ${quote(name)} to ${to};`),
    ...tables.map(
      ([table, columns]) => `grant select (${columns.join(', ')}) on ${inDatabase}${quote(table)} to ${to};`,
    ),
  ]
}

/** What statements are written for. */
export interface StatementTarget {
  readonly dialect: DialectName
  /** Stands behind every `create table`. */
  readonly tableOptions: string
}

type Quote = (name: string) => string

export function quoteFor(dialect: DialectName): Quote {
  const mark = dialect === 'mysql' ? '`' : '"'
  return (name) => mark + name.replaceAll(mark, mark + mark) + mark
}

const list = (quote: Quote, columns: readonly string[]): string => columns.map(quote).join(', ')

function foreignKeyClause(quote: Quote, { name, column, table, onDelete }: ForeignKey): string {
  return `constraint ${quote(name)} foreign key (${quote(column)}) references ${quote(table)} (${quote('id')}) on delete ${onDelete.toLowerCase()}`
}

function createIndex(quote: Quote, table: string, { name, columns, unique }: Index): string {
  const kind = unique ? 'unique index' : 'index'
  return `create ${kind} ${quote(name)} on ${quote(table)} (${list(quote, columns)})`
}

/**
 * MySQL makes an index of its own for a foreign key that has none yet, so there the indexes stand in the table. In
 * PostgreSQL what is unique is a constraint, as Strapi has it.
 */
function inlineIndexes(dialect: DialectName, quote: Quote, indexes: readonly Index[]): readonly string[] {
  switch (dialect) {
    case 'sqlite':
      return []
    case 'mysql':
      return indexes.map(
        ({ name, columns, unique }) =>
          `${unique ? 'unique key' : 'key'} ${quote(name)} (${list(quote, columns)})`,
      )
    case 'postgres':
      return indexes
        .filter(({ unique }) => unique)
        .map(({ name, columns }) => `constraint ${quote(name)} unique (${list(quote, columns)})`)
  }
}

function createTable(
  { dialect, tableOptions }: StatementTarget,
  quote: Quote,
  layout: TableLayout,
): readonly string[] {
  const { table, columns, indexes, foreignKeys } = layout
  const lines = [
    ...columns.map(({ column, type }) => `${quote(column)} ${columnDeclaration(dialect, type)}`),
    ...inlineIndexes(dialect, quote, indexes),
    ...foreignKeys.map((key) => foreignKeyClause(quote, key)),
  ]
  const separate = { sqlite: indexes, mysql: [], postgres: indexes.filter(({ unique }) => !unique) }[dialect]
  return [
    `create table ${quote(table)} (\n  ${lines.join(',\n  ')}\n)${tableOptions}`,
    ...separate.map((index) => createIndex(quote, table, index)),
  ]
}

function written(target: StatementTarget, quote: Quote, change: Change): readonly string[] {
  switch (change.kind) {
    case 'table':
      return createTable(target, quote, change.layout)
    case 'column': {
      const { column, type } = change.column
      return [
        `alter table ${quote(change.table)} add column ${quote(column)} ${columnDeclaration(target.dialect, type)}`,
      ]
    }
    case 'index':
      return [createIndex(quote, change.table, change.index)]
  }
}

/** Tables that are made behind this change. */
function comingTables(changes: readonly Change[], place: number): ReadonlySet<string> {
  const coming = changes
    .slice(place + 1)
    .flatMap((change) => (change.kind === 'table' ? change.layout.table : []))
  return new Set(coming)
}

/** A key stands in its table where it can: a run that MySQL breaks off midway leaves no table without its keys. */
function splitKeys(
  layout: TableLayout,
  coming: ReadonlySet<string>,
): readonly [TableLayout, readonly ForeignKey[]] {
  const later = layout.foreignKeys.filter(({ table }) => coming.has(table))
  return [{ ...layout, foreignKeys: layout.foreignKeys.filter((key) => !later.includes(key)) }, later]
}

/**
 * The changes as SQL, one statement an element, in the order in which they can be run. Two tables may hold each
 * other's keys: SQLite takes a key to a table that is yet to come, and no key later; the others the other way round.
 */
export function statementsOf(target: StatementTarget, changes: readonly Change[]): readonly string[] {
  const quote = quoteFor(target.dialect)
  const last: string[] = []
  const statements = changes.flatMap((change, place) => {
    if (change.kind !== 'table' || target.dialect === 'sqlite') return written(target, quote, change)
    const [layout, later] = splitKeys(change.layout, comingTables(changes, place))
    last.push(...later.map((key) => `alter table ${quote(layout.table)} add ${foreignKeyClause(quote, key)}`))
    return written(target, quote, { kind: 'table', layout })
  })
  return [...statements, ...last]
}
