import type { Fault } from '../errors'
import { type AskRows, quoted } from './ask-rows'
import type { CoveredTables } from './covered-tables'

/** What of it is asked of the server, of the role, and of the database. */
const question = (
  publication: string,
  slot: string,
): string => `select current_setting('wal_level'), pg_is_in_recovery(),
  (select rolreplication or rolsuper or exists (
      select from pg_roles given where given.rolname = 'rds_replication' and pg_has_role(own.oid, given.oid, 'member'))
    from pg_roles own where rolname = current_user),
  current_setting('max_replication_slots')::int > (select count(*) from pg_replication_slots where slot_name <> ${quoted(slot)}),
  current_setting('max_wal_senders')::int > (select count(*) from pg_stat_replication),
  exists (select from pg_publication where pubname = ${quoted(publication)})`

const where = 'cache.feed'

interface FeedNeeds {
  readonly publication: string
  /** Of whoever asks; null where he has no sender. */
  readonly slot: string | null
  /** A role of its own follows. */
  readonly isOtherRole: boolean
}

/** What the feed lacks. */
export async function missingForFeed(ask: AskRows, needs: FeedNeeds): Promise<readonly Fault[]> {
  const { publication, slot, isOtherRole } = needs
  const [row = []] = await ask(question(publication, slot ?? ''))
  const [level, isStandby, mayReplicate, hasSlot, hasSender, isPublished] = row
  const all: readonly (readonly [isMissing: boolean, problem: string, remedy: string])[] = [
    [isStandby === 't', 'the server is a standby', 'follow the primary, or leave the feed out'],
    [level !== 'logical', `wal_level is ${String(level)}`, 'set wal_level = logical and restart the server'],
    [mayReplicate !== 't' && !isOtherRole, 'the role may not replicate', 'alter role … replication'],
    [hasSlot !== 't', 'no replication slot is free', 'raise max_replication_slots'],
    [hasSender !== 't' && slot === null, 'no sender is free', 'raise max_wal_senders'],
    [isPublished !== 't', `there is no publication ${publication}`, `create publication ${publication} …`],
  ]
  return all.filter(([isMissing]) => isMissing).map(([, problem, remedy]) => ({ where, problem, remedy }))
}

/** What operators should know of the tables that are published. */
export function warningsOf(
  { uncovered }: CoveredTables,
  refused: readonly string[],
  isRead: (table: string) => boolean,
): readonly (readonly [facts: { readonly tables: readonly string[] }, message: string])[] {
  const warnings = [
    [
      { tables: uncovered.filter(isRead) },
      'the feed does not tell of these tables: answers from them are lost with each commit',
    ],
    [
      { tables: refused },
      'these tables are published without all of their replica identity: the database refuses to update them',
    ],
  ] as const
  return warnings.filter(([{ tables }]) => tables.length > 0)
}
