import type { Database, DialectName } from '../../lib/database'
import { ConfigError } from '../../lib/errors'
import type { Schema } from '../../lib/schema'
import { neededTables, readTables, rowsOf, type TableNeeds, wantedColumns } from '../../lib/tables'

interface GrantSyntax {
  readonly quote: '"' | '`'
  /** Lists the schemas that need a grant; null without schemas. */
  readonly schemas: string | null
  /** Returns the name of the database, if tables need it as a prefix. */
  readonly database: string | null
  readonly user: (name: string, quote: (name: string) => string) => string
}

/** Null without users. */
const syntaxes: Readonly<Record<DialectName, GrantSyntax | null>> = {
  sqlite: null,
  mysql: {
    quote: '`',
    schemas: null,
    // Without a selected database, tables need its name.
    database: 'select database() as name',
    // Users have a name and a host: `reader`, `reader@10.0.0.%`.
    user: (name, quote) => {
      const at = name.includes('@') ? name.lastIndexOf('@') : name.length
      return `${quote(name.slice(0, at))}@${quote(name.slice(at + 1) || '%')}`
    },
  },
  postgres: {
    quote: '"',
    schemas: 'select unnest(current_schemas(false))::text as name',
    database: null,
    user: (name, quote) => quote(name),
  },
}

async function readNames(database: Database, statement: string | null): Promise<readonly string[]> {
  if (statement === null) return []
  const rows = await rowsOf<{ readonly name: string }>(database, statement)
  return rows.map(({ name }) => name)
}

export async function readGrantStatements(
  database: Database,
  schema: Schema,
  { needs, user }: { readonly needs: TableNeeds; readonly user: string },
): Promise<readonly string[]> {
  const syntax = syntaxes[database.dialect]
  if (syntax === null) {
    const remedy = 'grant the process read access to the file'
    throw new ConfigError([{ where: 'database', problem: 'SQLite has no users', remedy }])
  }
  const { quote: mark } = syntax
  const quote = (name: string): string => mark + name.replaceAll(mark, mark + mark) + mark
  const actual = await readTables(database, schema.schemas)
  const wanted = [...wantedColumns(needs, neededTables(schema, needs, actual))]
  const schemas = [...(await readNames(database, syntax.schemas)), ...schema.schemas]
  const [selected] = await readNames(database, syntax.database)
  const inDatabase = selected === undefined ? '' : `${quote(selected)}.`
  const to = syntax.user(user, quote)
  return [
    ...schemas.map((name) => `grant usage on schema ${quote(name)} to ${to};`),
    ...wanted.flatMap(([table, columns]) => {
      const found = columns.filter((column) => actual.get(table)?.columns.has(column) === true)
      const name = inDatabase + table.split('.').map(quote).join('.')
      return found.length === 0 ? [] : `grant select (${found.map(quote).join(', ')}) on ${name} to ${to};`
    }),
  ]
}
