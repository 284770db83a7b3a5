import { isPermissionsSource } from '../../lib/config'
import { postgresState, readsFrom } from '../../lib/freshness'
import type { BodySource, Core, RunningExtension, SharedHeaders } from '../../lib/http'
import { settingsTable } from '../../lib/tables'
import { makeCacheTags } from './cache-tags'
import { type ChangeFeed, makeChangeFeed } from './change-feed'
import { type ChangeStream, makeChangeStream } from './change-stream'
import type { ChangesOptions } from './changes-options'
import { anyChange, changedOwners, contentChange } from './content-change'
import { makeReplicationClient } from './replication'
import { type TableOwners, tableOwners } from './table-owners'
import { callHook } from './call-hook'
import type { OnChanged } from './watch-changes'

export interface FollowedChanges extends RunningExtension {
  readonly stream: ChangeStream
}

/** True for tables whose every change may affect responses: permissions, and the setting of the default locale. */
function decisive({ permissions, defaultLocale }: Core['settings']): (table: string) => boolean {
  const deciding = new Set<string>([
    ...(isPermissionsSource(permissions) ? permissions.reads.map(({ table }) => table) : []),
    ...(defaultLocale === undefined ? [settingsTable] : []),
  ])
  return (table) => deciding.has(table)
}

function feedOf(
  { settings: { schema, logger }, database, ask }: Core,
  feed: ChangesOptions['feed'],
  onChanged: OnChanged | null,
): ChangeFeed | null {
  if (feed === undefined || feed === false) return null
  const {
    publication = 'content_router',
    maxRetained = 256 * 1024 * 1024,
    connection,
  } = feed === true ? {} : feed
  return makeChangeFeed({
    publication,
    maxRetained,
    logger,
    onChanged,
    ask,
    server: postgresState.server,
    isRead: readsFrom(schema),
    isOtherRole: connection !== undefined,
    connect: () => makeReplicationClient(database, connection),
  })
}

function tagHeadersOf(
  ownerOf: TableOwners,
  cacheTags: ChangesOptions['cacheTags'],
): ((source: BodySource) => SharedHeaders) | null {
  if (cacheTags === undefined || cacheTags === false) return null
  const tagsOf = makeCacheTags(ownerOf)
  return (source) => {
    const tags = tagsOf(source)
    return {
      ...(cacheTags === 'Surrogate-Key' ? {} : { 'Cache-Tag': tags.replaceAll(' ', ',') }),
      ...(cacheTags === 'Cache-Tag' ? {} : { 'Surrogate-Key': tags }),
    }
  }
}

export function followChanges(core: Core, options: ChangesOptions): FollowedChanges {
  const { feed, onChange, cacheTags } = options
  const { schema, logger } = core.settings
  const ownerOf = tableOwners(schema)
  const isDecisive = decisive(core.settings)
  const hook = onChange === undefined ? null : callHook(onChange, logger)
  const stream = makeChangeStream()
  const isStreamed = (options.stream ?? false) !== false
  const onChanged: OnChanged = (tables) => {
    if (tables === null || [...tables.keys()].some(isDecisive)) {
      hook?.push(anyChange)
      if (isStreamed) stream.push(null)
      return
    }
    const owners = changedOwners(tables, ownerOf)
    const change = contentChange(owners)
    if (change === null) return
    hook?.push(change)
    if (isStreamed) stream.push(owners)
  }
  const follower = feedOf(core, feed, hook === null && !isStreamed ? null : onChanged)
  return {
    follower,
    sharedHeaders: tagHeadersOf(ownerOf, cacheTags),
    stream,
    checkDatabase: async () => (await follower?.check()) ?? [],
    close: async () => {
      hook?.close()
      stream.close()
      await follower?.close()
    },
  }
}
