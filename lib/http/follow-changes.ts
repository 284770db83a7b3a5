import { type Database, makeReplicationClient } from '../database'
import { type AskRows, type ChangeFeed, makeChangeFeed, makeCountedFeed, type OnChanged } from '../feed'
import { mysqlServer, type OnOwnConnection, postgresState, readsFrom } from '../freshness'
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
  const isRead = readsFrom(schema)
  const ask: AskRows = (sql) => onOwnConnection((run) => run(sql))
  if (database.dialect === 'mysql') return makeCountedFeed({ logger, isRead, server: mysqlServer, ask })
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
    isRead,
    isOtherRole: connection !== undefined,
    ask,
    connect: () => makeReplicationClient(database, connection),
  })
}
