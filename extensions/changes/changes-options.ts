import type { CoreConfig } from '../../lib/config'
import type { Fault } from '../../lib/errors'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'

/** A changed document. */
export interface ChangedDocument {
  readonly type: string
  readonly documentId: string
}

/** The content that one commit changed, or several commits in a short time. */
export interface ContentChange {
  /** Types whose entries, relations or components changed, named as in `permissions`; `'*'`: any type. */
  readonly types: readonly string[] | '*'
  /** The changed documents that the log names; `'*'`: any document. */
  readonly documents: readonly ChangedDocument[] | '*'
  /** With `cacheTags`, each response that may have changed has one of these tags. */
  readonly tags: readonly string[]
}

/**
 * Called after the commit, once new requests see it. If it throws or rejects, it is called again with the missing
 * changes.
 */
export type ChangeHook = (change: ContentChange) => unknown

/** Connection for replication: an object, or a URL. */
export type ReplicationConnection = string | Readonly<Record<string, unknown>>

/** Settings of the feed. */
export interface FeedOptions {
  /**
   * The publication of the tables.
   * @default 'content_router'
   */
  readonly publication?: string | undefined
  /**
   * Bytes of its log that the database may retain for the feed. The default is 256 MB.
   * @default 268_435_456
   */
  readonly maxRetained?: number | undefined
  /** A direct connection as a URL or driver settings, if `database` is a pooler or its user may not replicate. */
  readonly connection?: ReplicationConnection | undefined
}

/** Settings of the event stream. */
export interface StreamOptions {
  /**
   * Maximum number of connected clients. The next gets a 503.
   * @default 1_000
   */
  readonly maxListeners?: number | undefined
  /**
   * Milliseconds between two heartbeats, at which the rights of the client are read again.
   * @default 15_000
   */
  readonly heartbeat?: number | undefined
}

export interface ChangesOptions {
  /**
   * On PostgreSQL: follows the changes of tables, so that cached responses survive commits to unrelated tables. Needs a
   * publication and `wal_level = logical`.
   * @default false
   */
  readonly feed?: boolean | FeedOptions | undefined
  /** Called with the changes of each commit, to purge a CDN. Needs `feed`. */
  readonly onChange?: ChangeHook | undefined
  /**
   * Sends cache tags of each public response in the headers `Cache-Tag` and `Surrogate-Key`, or in one of them.
   * @default false
   */
  readonly cacheTags?: boolean | 'Cache-Tag' | 'Surrogate-Key' | undefined
  /**
   * Serves `GET /changes`: the changes that a role may see, as server-sent events. Needs `feed`.
   * @default false
   */
  readonly stream?: boolean | StreamOptions | undefined
}

type Fits = ValueCheck['fits']

const isName: Fits = (value) => typeof value === 'string' && value !== '' && !value.includes('\u0000')
const isTable: Fits = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isCount: Fits = (value) => Number.isSafeInteger(value) && Number(value) > 0

const isSwitchOr =
  (members: Readonly<Record<string, Fits>>): Fits =>
  (value) =>
    typeof value === 'boolean' ||
    (isTable(value) &&
      Object.entries(value as object).every(([name, one]: [string, unknown]) => {
        const fits = Object.hasOwn(members, name) ? members[name] : undefined
        return fits !== undefined && (one === undefined || fits(one))
      }))

const tagChoices: readonly unknown[] = [true, false, 'Cache-Tag', 'Surrogate-Key']

const checks: Readonly<Record<keyof ChangesOptions, ValueCheck>> = {
  feed: {
    fits: isSwitchOr({
      publication: isName,
      maxRetained: (value) => typeof value === 'number' && value > 0,
      connection: (value) => isName(value) || isTable(value),
    }),
    problem: 'must be true, false or an object with publication, maxRetained and connection',
    remedy: 'use true',
  },
  onChange: { fits: (value) => typeof value === 'function', problem: 'must be a function' },
  cacheTags: {
    fits: (value) => tagChoices.includes(value),
    problem: `must be true, false, 'Cache-Tag' or 'Surrogate-Key'`,
    remedy: 'use true',
  },
  stream: {
    fits: isSwitchOr({
      maxListeners: isCount,
      heartbeat: (value) => isCount(value) && Number(value) < 2 ** 31,
    }),
    problem: 'must be true, false or an object with maxListeners and heartbeat',
    remedy: 'use true',
  },
}

/** The driver of a configuration or an instance, valid or not. */
function clientIn(database: unknown): unknown {
  const { client } = Object(database) as { readonly client?: unknown }
  if (typeof database !== 'function') return client
  return (client as { readonly config?: { readonly client?: unknown } } | undefined)?.config?.client
}

/** Only PostgreSQL has a log that can be followed. */
function faultsOfFeed(
  { feed = false, onChange, stream = false }: ChangesOptions,
  database: unknown,
): Fault[] {
  if (feed === false) {
    const needing = [...(onChange === undefined ? [] : ['onChange']), ...(stream === false ? [] : ['stream'])]
    const problem = 'needs the feed'
    return needing.map((name) => ({ where: `changes.${name}`, problem, remedy: 'use feed: true' }))
  }
  if (clientIn(database) === 'pg') return []
  return [{ where: 'changes.feed', problem: 'is supported on PostgreSQL only', remedy: 'leave it out' }]
}

export function faultsOfChanges(options: ChangesOptions, { database }: CoreConfig): readonly Fault[] {
  if (!isTable(options))
    return [
      { where: 'changes', problem: 'must be an object of options', remedy: 'use changes({ feed: true })' },
    ]
  return [...faultsOfValues('changes', options, checks), ...faultsOfFeed(options, database)]
}
