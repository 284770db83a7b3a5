import { type CoreConfig, isTable } from '../../lib/config'
import { type DatabaseOption, dialectIn } from '../../lib/database'
import type { Fault } from '../../lib/errors'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'

/** Describes a changed document. */
export interface ChangedDocument {
  readonly type: string
  readonly documentId: string
}

/** Describes the changes of your content in one commit, or in several commits shortly after each other. */
export interface ContentChange {
  /**
   * Lists the types whose entries, relations or components changed, such as `article`. An asterisk (`'*'`) instead of a
   * list means that the content of any type may have changed.
   */
  readonly types: readonly string[] | '*'
  /**
   * Lists the changed documents that the change feed found in the replication log of PostgreSQL. An asterisk (`'*'`)
   * instead of a list means that any document may have changed.
   */
  readonly documents: readonly ChangedDocument[] | '*'
  /**
   * Lists the cache tags that you purge from your CDN. To send cache tags with responses, set the option `cacheTags`.
   */
  readonly tags: readonly string[]
}

/**
 * The router calls your function `onChange` after a commit. At this time, new requests already return the new content.
 * If `onChange` throws an error or rejects, the router calls `onChange` again with the missed changes.
 */
export type ChangeHook = (change: ContentChange) => unknown

/** Sets the connection for the replication log of PostgreSQL: a URL, or an object with the settings of the driver. */
export type ReplicationConnection = string | Readonly<Record<string, unknown>>

/** Contains the settings of the change feed, which reads the replication log of PostgreSQL. */
export interface FeedOptions {
  /**
   * Sets the name of the PostgreSQL publication that the change feed reads.
   * @default 'content_router'
   */
  readonly publication?: string | undefined
  /**
   * Limits the size of the replication log that PostgreSQL keeps for the change feed, in bytes. By default,
   * `maxRetained` is 256 MB.
   * @default 268_435_456
   */
  readonly maxRetained?: number | undefined
  /**
   * Sets a direct connection to PostgreSQL for the change feed: a URL, or an object with the settings of the driver.
   * You need `connection` in two cases: the option `database` connects to a pooler, or the database user of the router
   * has no right to replicate.
   */
  readonly connection?: ReplicationConnection | undefined
}

/** Contains the settings of the event stream `GET /changes`. */
export interface StreamOptions {
  /**
   * Limits the number of clients that are connected to the event stream `GET /changes`. If `maxListeners` clients are
   * connected, the router sends a 503 to new clients.
   * @default 1_000
   */
  readonly maxListeners?: number | undefined
  /**
   * Sets the time between two heartbeats of the event stream, in milliseconds. At each heartbeat, the router reads the
   * rights of the client again.
   * @default 15_000
   */
  readonly heartbeat?: number | undefined
}

/** Contains the options of the extension `changes()`. */
export interface ChangesOptions {
  /**
   * Turns on the change feed, which reads the changes of your tables from the replication log of PostgreSQL. With the
   * change feed, a commit invalidates only cached responses with data of the changed tables. The change feed requires a
   * PostgreSQL publication and the PostgreSQL setting `wal_level = logical`.
   * @default false
   */
  readonly feed?: boolean | FeedOptions | undefined
  /**
   * Sets your function that the router calls after each commit, for example to purge a CDN. The function `onChange`
   * requires the option `feed`.
   */
  readonly onChange?: ChangeHook | undefined
  /**
   * Sends cache tags with each public response, so that you can purge a CDN by tag. With `cacheTags: true`, the router
   * sends the tags in the headers `Cache-Tag` and `Surrogate-Key`. To send the tags in only one header, set `cacheTags`
   * to the name of the header.
   * @default false
   */
  readonly cacheTags?: boolean | 'Cache-Tag' | 'Surrogate-Key' | undefined
  /**
   * Turns on `GET /changes`, a stream of server-sent events about changed content. A client receives only changes of
   * content that its role can read. The event stream requires the option `feed`.
   * @default false
   */
  readonly stream?: boolean | StreamOptions | undefined
}

type Fits = ValueCheck['fits']

const isName: Fits = (value) => typeof value === 'string' && value !== '' && !value.includes('\u0000')
const isCount: Fits = (value) => Number.isSafeInteger(value) && Number(value) > 0

const isSwitchOr =
  (members: Readonly<Record<string, Fits>>): Fits =>
  (value) =>
    typeof value === 'boolean' ||
    (isTable(value) &&
      Object.entries(value).every(([name, one]: [string, unknown]) => {
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
    problem: 'the option feed must be true, false or an object with publication, maxRetained and connection',
    remedy: 'set the option to true',
  },
  onChange: {
    fits: (value) => typeof value === 'function',
    problem: 'the option onChange must be a function',
  },
  cacheTags: {
    fits: (value) => tagChoices.includes(value),
    problem: `the option cacheTags must be true, false, 'Cache-Tag' or 'Surrogate-Key'`,
    remedy: 'set the option to true',
  },
  stream: {
    fits: isSwitchOr({
      maxListeners: isCount,
      heartbeat: (value) => isCount(value) && Number(value) < 2 ** 31,
    }),
    problem: 'the option stream must be true, false or an object with maxListeners and heartbeat',
    remedy: 'set the option to true',
  },
}

/** The change feed works only on PostgreSQL, because the change feed reads the replication log of PostgreSQL. */
function faultsOfFeed(
  { feed = false, onChange, stream = false }: ChangesOptions,
  database: unknown,
): Fault[] {
  if (feed === false) {
    const needing = [...(onChange === undefined ? [] : ['onChange']), ...(stream === false ? [] : ['stream'])]
    return needing.map((name) => ({
      where: `changes.${name}`,
      problem: `the option ${name} requires the option feed`,
      remedy: 'set feed: true',
    }))
  }
  if (dialectIn(database as DatabaseOption) === 'postgres') return []
  return [
    {
      where: 'changes.feed',
      problem: 'the change feed requires PostgreSQL',
      remedy: 'remove the option feed',
    },
  ]
}

export function faultsOfChanges(options: ChangesOptions, { database }: CoreConfig): readonly Fault[] {
  if (!isTable(options))
    return [
      {
        where: 'changes',
        problem: 'the argument of changes() must be an object',
        remedy: 'write changes({ feed: true })',
      },
    ]
  return [...faultsOfValues('changes', options, checks), ...faultsOfFeed(options, database)]
}
