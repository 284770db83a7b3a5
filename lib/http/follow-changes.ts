import { type Database, makeReplicationClient } from '../database'
import { type ChangeFeed, makeChangeFeed, type OnChanged } from '../feed'
import { type OnOwnConnection, postgresState, readsFrom } from '../freshness'
import type { Settings } from './settings'

const megabyte = 1024 * 1024

/** Null where the options do not ask for it. */
export function followChanges(
  { cache, logger, schema }: Settings,
  database: Database,
  onOwnConnection: OnOwnConnection,
  onChanged: OnChanged | null,
): ChangeFeed | null {
  if (cache === null || cache.feed === false) return null
  const {
    publication = 'content_router',
    maxRetained = 256 * megabyte,
    connection,
  } = cache.feed === true ? {} : cache.feed
  return makeChangeFeed({
    publication,
    maxRetained,
    logger,
    onChanged,
    server: postgresState.server,
    isRead: readsFrom(schema),
    isOtherRole: connection !== undefined,
    ask: (sql) => onOwnConnection((run) => run(sql)),
    connect: () => makeReplicationClient(database, connection),
  })
}
