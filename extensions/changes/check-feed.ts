import type { Fault } from '../../lib/errors'
import type { Logger } from '../../lib/config'
import { quoted, readCoveredTables } from './covered-tables'
import type { FollowingSettings } from './followed-log'

/** Settings of the server, rights of the role, and the publication. */
const needsOf = (
  publication: string,
  slot: string,
): string => `select current_setting('wal_level'), pg_is_in_recovery(),
  (select rolreplication or rolsuper or exists (
      select from pg_roles given where given.rolname = 'rds_replication' and pg_has_role(own.oid, given.oid, 'member'))
    from pg_roles own where rolname = current_user),
  current_setting('max_replication_slots')::int > (select count(*) from pg_replication_slots where slot_name <> ${quoted(slot)}),
  current_setting('max_wal_senders')::int > (select count(*) from pg_stat_replication),
  exists (select from pg_publication where pubname = ${quoted(publication)})`

const where = 'changes.feed'

interface CheckedFeed extends Pick<FollowingSettings, 'ask' | 'publication' | 'server' | 'isRead'> {
  /** The slot of this router; null without a sender. */
  readonly slot: string | null
  /** True if the feed connects as a role of its own. */
  readonly isOtherRole: boolean
  readonly logger: Logger
}

async function missingForFeed({
  ask,
  publication,
  slot,
  isOtherRole,
}: CheckedFeed): Promise<readonly Fault[]> {
  const [row = []] = await ask(needsOf(publication, slot ?? ''))
  const [level, isStandby, mayReplicate, hasSlot, hasSender, isPublished] = row
  const all: readonly (readonly [isMissing: boolean, problem: string, remedy: string])[] = [
    [
      isStandby === 't',
      'the database server is a standby, and the change feed requires a primary',
      'connect the feed to the primary, or remove the option feed',
    ],
    [
      level !== 'logical',
      `the setting wal_level of the database server is ${String(level)}`,
      'set wal_level = logical, and restart the database server',
    ],
    [
      mayReplicate !== 't' && !isOtherRole,
      'the database user is not allowed to replicate',
      'run alter role … replication in the database',
    ],
    [
      hasSlot !== 't',
      'the database server has no free replication slot',
      'increase max_replication_slots of the database server',
    ],
    [
      hasSender !== 't' && slot === null,
      'the database server has no free WAL sender',
      'increase max_wal_senders of the database server',
    ],
    [
      isPublished !== 't',
      `the database has no publication ${publication}`,
      `run create publication ${publication} … in the database`,
    ],
  ]
  return all.filter(([isMissing]) => isMissing).map(([, problem, remedy]) => ({ where, problem, remedy }))
}

/**
 * Columns that identify rows of a table. From PostgreSQL 18, generated columns are part of the whole row, and only
 * published if the publication includes them.
 */
const identity = `select a.attname from pg_attribute a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and (
    c.relreplident = 'f' and (a.attgenerated = '' or current_setting('server_version_num')::int >= 180000)
    or exists (select from pg_index i where i.indrelid = c.oid and a.attnum = any (i.indkey)
      and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident)))`

/** Published tables without all columns that identify their rows: the database rejects updates of them. */
const refusedIn = (publication: string): string => `
  select case when n.nspname = any (current_schemas(false)) then c.relname else concat(n.nspname, '.', c.relname) end
  from pg_publication_tables p
  join pg_namespace n on n.nspname = p.schemaname
  join pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
  where p.pubname = ${quoted(publication)} and (c.relreplident = 'n' or c.relreplident = 'd'
    and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
    or exists (select from (${identity}) as identity where not jsonb_exists(to_jsonb(p) -> 'attnames', attname::text)))
  order by 1`

/** Missing requirements; logs the tables that the feed leaves out. */
export async function checkFeed(feed: CheckedFeed): Promise<readonly Fault[]> {
  const faults = await missingForFeed(feed)
  if (faults.length > 0) return faults
  const { ask, publication, server, isRead, logger } = feed
  const covered = await readCoveredTables(ask, publication, server)
  const refused = (await ask(refusedIn(publication))).map(([name]) => String(name))
  const uncovered = covered.uncovered.filter(isRead)
  if (uncovered.length > 0)
    logger.warn(
      { tables: uncovered },
      'the change feed does not cover some tables, so that each commit invalidates the cached responses of these tables',
    )
  if (refused.length > 0)
    logger.warn(
      { tables: refused },
      'the database rejects updates of some tables, because the publication omits columns of their replica identity',
    )
  return []
}
