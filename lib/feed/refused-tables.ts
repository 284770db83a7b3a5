import { type AskRows, quoted } from './ask-rows'

/**
 * The columns that tell rows of a table apart. Those that are computed are among the whole row from PostgreSQL 18 on, and not
 * published unless the publication says so.
 */
const identity = `select a.attname from pg_attribute a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and (
    c.relreplident = 'f' and (a.attgenerated = '' or current_setting('server_version_num')::int >= 180000)
    or exists (select from pg_index i where i.indrelid = c.oid and a.attnum = any (i.indkey)
      and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident)))`

const question = (publication: string): string => `
  select case when n.nspname = any (current_schemas(false)) then c.relname else concat(n.nspname, '.', c.relname) end
  from pg_publication_tables p
  join pg_namespace n on n.nspname = p.schemaname
  join pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
  where p.pubname = ${quoted(publication)} and (c.relreplident = 'n' or c.relreplident = 'd'
    and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
    or exists (select from (${identity}) as identity where not jsonb_exists(to_jsonb(p) -> 'attnames', attname::text)))
  order by 1`

/** The tables that are published without all that tells their rows apart: whoever changes one is refused by the database. */
export async function refusedTables(ask: AskRows, publication: string): Promise<readonly string[]> {
  const rows = await ask(question(publication))
  return rows.map(([name]) => String(name))
}
