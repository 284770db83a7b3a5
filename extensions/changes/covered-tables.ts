import { type Snapshot, readSnapshot } from './snapshot'

/** Runs a statement on any connection of the pool. */
export type AskRows = (sql: string) => Promise<readonly (readonly unknown[])[]>

export const quoted = (text: string): string => `'${text.replaceAll(`'`, `''`)}'`

export interface CoveredTables {
  readonly snapshot: Snapshot | null
  /** The server as the change clock names it. */
  readonly server: string
  readonly database: string
  readonly isCovered: (table: string) => boolean
  /** Number of columns; undefined if tables with this name differ. */
  readonly columnsOf: (table: string) => number | undefined
  readonly uncovered: readonly string[]
  /** Changes with the definition of one of these tables, and with the publication. */
  readonly mark: (isMeant: (table: string) => boolean) => string
}

/**
 * A table may be published by its name, with its schema, or as one of all. Partitions may be reported under their own
 * name or that of the whole. If two schemas have a table of one name, both must be covered, as the feed has names
 * without schemas.
 */
const question = (publication: string, server: string): string => `with
    publication as (select * from pg_publication where pubname = ${publication}),
    published as (
      select schemaname, tablename from pg_publication_tables p
      where pubname = ${publication} and to_jsonb(p) ->> 'rowfilter' is null)
  select pg_current_snapshot()::text, ${server},
    (select oid::text from pg_database where datname = current_database()), c.relname,
    c.relkind = 'r' and c.relpersistence = 'p' and p.tablename is not null
      and not exists (select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
      and exists (select from publication where pubinsert and pubupdate and pubdelete and pubtruncate),
    concat_ws(' ', c.oid, c.xmin, (select string_agg(concat(a.attnum, ':', a.xmin), ' ' order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0)),
    (select count(*)::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
  from (values (true)) as one (row)
  left join pg_class c on c.relkind in ('r', 'p', 'm', 'v', 'f')
    and c.relnamespace in (select n.oid from pg_namespace n where n.nspname = any (current_schemas(false)))
  left join pg_namespace n on n.oid = c.relnamespace
  left join published p on p.schemaname = n.nspname and p.tablename = c.relname`

/** `server`: SQL that names the server like the change clock. */
export async function readCoveredTables(
  ask: AskRows,
  publication: string,
  server: string,
): Promise<CoveredTables> {
  const rows = await ask(question(quoted(publication), server))
  const covered = new Set<string>()
  const uncovered = new Set<string>()
  const columns = new Map<string, number | undefined>()
  const marks: (readonly [table: string, mark: string])[] = []
  for (const [, , , table, isCovered, mark, count] of rows) {
    if (typeof table !== 'string') continue
    marks.push([table, `${table} ${String(isCovered)} ${String(mark)}`])
    const names = isCovered === 't' ? covered : uncovered
    names.add(table)
    columns.set(table, columns.has(table) && columns.get(table) !== Number(count) ? undefined : Number(count))
  }
  const [[snapshot, name, database] = []] = rows
  return {
    snapshot: readSnapshot(String(snapshot)),
    server: String(name),
    database: String(database),
    uncovered: [...uncovered],
    isCovered: (table) => covered.has(table) && !uncovered.has(table),
    columnsOf: (table) => columns.get(table),
    mark: (isMeant) =>
      marks
        .flatMap(([table, mark]) => (isMeant(table) ? [mark] : []))
        .sort()
        .join('\n'),
  }
}
