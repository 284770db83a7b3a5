import type { CoreConfig } from '../../lib/config'
import type { Fault } from '../../lib/errors'
import { type ExtensionOption, faultsOfExtension } from '../../lib/schema'

/** A document that was changed. */
export interface ChangedDocument {
  readonly type: string
  readonly documentId: string
}

/** What a commit changed in the content, or several that came close together. */
export interface ContentChange {
  /** The types of which entries, links or components changed, in the words of `permissions`; `'*'`: any may have. */
  readonly types: readonly string[] | '*'
  /** The changed documents that the log names; `'*'`: any may have changed. */
  readonly documents: readonly ChangedDocument[] | '*'
  /** With `cacheTags`, each response that may have changed carries one of these. */
  readonly tags: readonly string[]
}

/** Called after the commit, once new requests see it. If it throws or rejects, it is called again with what is missing. */
export type ChangeHook = (change: ContentChange) => unknown

/** How to connect: an object, or a URL. */
export type ReplicationConnection = string | Readonly<Record<string, unknown>>

/** How to follow what changes in the database. */
export interface FeedOptions {
  /**
   * The publication of the tables.
   * @default 'content_router'
   */
  readonly publication?: string | undefined
  /**
   * Bytes of its log that the database may hold back for the feed. The default is 256 MB.
   * @default 268_435_456
   */
  readonly maxRetained?: number | undefined
  /** The database itself, as a URL or the settings of the driver, where `database` leads to a pooler, or may not replicate. */
  readonly connection?: ReplicationConnection | undefined
}

/** How changes are sent over HTTP. */
export interface StreamOptions {
  /**
   * How many clients may listen at once. The next gets a 503.
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
   * On PostgreSQL: follows what changes, so that cached responses survive commits to tables that they were not read from.
   * Needs a publication and `wal_level = logical`.
   * @default false
   */
  readonly feed?: boolean | FeedOptions | undefined
  /** Is called with what each commit changed, to purge a CDN. Needs `feed`. */
  readonly onChange?: ChangeHook | undefined
  /**
   * Names what a response in shared caches was read from in the headers `Cache-Tag` and `Surrogate-Key`, or in one of them.
   * @default false
   */
  readonly cacheTags?: boolean | 'Cache-Tag' | 'Surrogate-Key' | undefined
  /**
   * Whether `GET /changes` sends the changes that a role may see, as server-sent events. Needs `feed`.
   * @default false
   */
  readonly stream?: boolean | StreamOptions | undefined
}

type Fits = ExtensionOption['fits']

const isName: Fits = (value) => typeof value === 'string' && value !== '' && !value.includes('\u0000')
const isSize: Fits = (value) => typeof value === 'number' && value > 0
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

const checks: Readonly<Record<keyof ChangesOptions, ExtensionOption>> = {
  feed: {
    fits: isSwitchOr({
      publication: isName,
      maxRetained: isSize,
      connection: (value) => isName(value) || isTable(value),
    }),
    problem: 'is neither true, false nor a table of publication, maxRetained and connection',
    remedy: 'use true',
  },
  onChange: { fits: (value) => typeof value === 'function', problem: 'is no function' },
  cacheTags: {
    fits: (value) => tagChoices.includes(value),
    problem: `is neither true, false, 'Cache-Tag' nor 'Surrogate-Key'`,
    remedy: 'use true',
  },
  stream: {
    fits: isSwitchOr({
      maxListeners: isCount,
      heartbeat: (value) => isCount(value) && Number(value) < 2 ** 31,
    }),
    problem: 'is neither true, false nor a table of maxListeners and heartbeat',
    remedy: 'use true',
  },
}

/** The driver of a configuration or an instance, whatever else may be wrong with it. */
function clientIn(database: unknown): unknown {
  const { client } = Object(database) as { readonly client?: unknown }
  if (typeof database !== 'function') return client
  return (client as { readonly config?: { readonly client?: unknown } } | undefined)?.config?.client
}

/** Only PostgreSQL has a log of changes that can be followed. */
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
    return [{ where: 'changes', problem: 'has no table of options', remedy: 'use changes({ feed: true })' }]
  return [...faultsOfExtension('changes', options, checks), ...faultsOfFeed(options, database)]
}
