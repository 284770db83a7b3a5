import type { DialectName, Database } from '../database'
import type { ForeignKey, Index, Schema } from '../schema'
import { ConfigError } from '../errors'
import { columnDeclaration, type TableLayout, type IndexClause, tableDialectOf } from './table-dialect'
import type { Change } from './compare'
import { type TableNeeds, neededTables, wantedColumns } from './needs'
import { readTables, rowsOf } from './read-tables'

export async function readGrantStatements(
  database: Database,
  schema: Schema,
  { needs, user }: { readonly needs: TableNeeds; readonly user: string },
): Promise<readonly string[]> {
  const { grants } = tableDialectOf(database)
  if (grants === null) {
    const remedy = 'let the process read the file, and write to none'
    throw new ConfigError([{ where: 'database', problem: 'SQLite has no users', remedy }])
  }
  const quote = quoteFor(database.dialect)
  const actual = await readTables(database)
  const tables = [...wantedColumns(needs, neededTables(schema, needs, actual))].flatMap(
    ([table, columns]): [string, readonly string[]][] => {
      const there = columns.filter((column) => actual.get(table)?.columns.has(column) === true)
      return there.length === 0 ? [] : [[table, there.map(quote)]]
    },
  )
  const namesBy = async (statement: string | null): Promise<readonly { readonly name: string }[]> =>
    statement === null ? [] : rowsOf(database, statement)
  const schemas = await namesBy(grants.schemas)
  const [selected] = await namesBy(grants.database)
  const inDatabase = selected === undefined ? '' : `${quote(selected.name)}.`
  const to = grants.quoteUser(user, quote)
  return [
    ...schemas.map(({ name }) => `grant usage on schema ${quote(name)} to ${to};`),
    ...tables.map(
      ([table, columns]) => `grant select (${columns.join(', ')}) on ${inDatabase}${quote(table)} to ${to};`,
    ),
  ]
}

export interface StatementTarget {
  readonly dialect: DialectName
  readonly tableOptions: string
}

type Quote = (name: string) => string

export function quoteFor(dialect: DialectName): Quote {
  const { quote: mark } = tableDialectOf({ dialect })
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

function createTable(
  { dialect, tableOptions }: StatementTarget,
  quote: Quote,
  layout: TableLayout,
): readonly string[] {
  const { indexesInTable } = tableDialectOf({ dialect })
  const clauseOf = ({ unique }: Index): IndexClause | null => indexesInTable[unique ? 'unique' : 'other']
  const { table, columns, indexes, foreignKeys } = layout
  const lines = [
    ...columns.map(({ column, type }) => `${quote(column)} ${columnDeclaration(dialect, type)}`),
    ...indexes.flatMap((index) => clauseOf(index)?.(quote(index.name), list(quote, index.columns)) ?? []),
    ...foreignKeys.map((key) => foreignKeyClause(quote, key)),
  ]
  return [
    `create table ${quote(table)} (\n  ${lines.join(',\n  ')}\n)${tableOptions}`,
    ...indexes.flatMap((index) => (clauseOf(index) === null ? createIndex(quote, table, index) : [])),
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

/** Statements in an order in which they run, even if two tables refer to each other. */
export function statementsOf(target: StatementTarget, changes: readonly Change[]): readonly string[] {
  const quote = quoteFor(target.dialect)
  const { hasKeysAhead } = tableDialectOf(target)
  const last: string[] = []
  const statements = changes.flatMap((change, place) => {
    if (change.kind !== 'table' || hasKeysAhead) return written(target, quote, change)
    // Keys are part of their table where possible: an interrupted run on MySQL leaves no table without keys.
    const coming = changes.slice(place + 1).flatMap((one) => (one.kind === 'table' ? one.layout.table : []))
    const { layout } = change
    const later = layout.foreignKeys.filter(({ table }) => coming.includes(table))
    const foreignKeys = layout.foreignKeys.filter((key) => !later.includes(key))
    last.push(...later.map((key) => `alter table ${quote(layout.table)} add ${foreignKeyClause(quote, key)}`))
    return written(target, quote, { kind: 'table', layout: { ...layout, foreignKeys } })
  })
  return [...statements, ...last]
}
