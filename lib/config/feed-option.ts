import type { ReplicationConnection } from '../database'
import { custom, isTable } from './option'

/** How to follow what changes in the database. */
export interface FeedOptions {
  /**
   * The publication that tells of the tables.
   * @default 'content_router'
   */
  readonly publication?: string
  /**
   * Bytes of its log that the database may hold back for the feed. The default is 256 MB.
   * @default 268_435_456
   */
  readonly maxRetained?: number
  /** The database itself, as a URL or the settings of the driver, where `database` leads to a pooler, or may not replicate. */
  readonly connection?: ReplicationConnection
}

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && !value.includes('\u0000')
const isSize = (value: unknown): boolean => typeof value === 'number' && value > 0
const isConnection = (value: unknown): boolean => isName(value) || isTable(value)

const fitting: Readonly<Record<string, (value: unknown) => boolean>> = {
  publication: isName,
  maxRetained: isSize,
  connection: isConnection,
}

const fits = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (isTable(value) &&
    Object.entries(value).every(([name, one]: [string, unknown]) => {
      const isRight = Object.hasOwn(fitting, name) ? fitting[name] : undefined
      return isRight !== undefined && (one === undefined || isRight(one))
    }))

export const feedOption = custom<boolean | FeedOptions>(
  false,
  fits,
  'is neither true, false nor a table of publication, maxRetained and connection',
  {
    remedy: 'use true',
    values: '`false`, `true`, `{ publication, maxRetained, connection }`',
    meaning:
      'PostgreSQL: whether answers [survive commits](freshness.md#a-busy-database) to tables that they were not read from',
  },
)
