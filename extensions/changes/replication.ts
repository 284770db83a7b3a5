import { randomBytes } from 'node:crypto'
import type { Database } from '../../lib/database'
import type { ReplicationConnection } from './changes-options'
import { type LogMessage, type LogPlace, acknowledgement, decode } from './decode'
import { type Snapshot, readSnapshot } from './snapshot'

/** A connection of `pg`, whose types lack replication. */
export interface ReplicationClient {
  connect(): Promise<unknown>
  query(sql: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
  on(event: 'error' | 'end', listener: (error: unknown) => void): unknown
  unref(): void
  readonly connection: {
    on(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): unknown
    sendCopyFromChunk(chunk: Buffer): void
    readonly stream: { destroy(): void }
  }
}

interface PostgresClient {
  readonly driver: { readonly Client: new (settings: object) => ReplicationClient }
  readonly connectionSettings: { readonly password?: unknown }
  readonly connectionConfigProvider?: () => Promise<object> | object
}

const settingsIn = (connection: ReplicationConnection): object =>
  typeof connection === 'string' ? { connectionString: connection } : connection

/** Knex makes the password not enumerable. */
async function settingsOf({ connectionSettings, connectionConfigProvider }: PostgresClient): Promise<object> {
  if (connectionConfigProvider !== undefined) return connectionConfigProvider()
  return { ...connectionSettings, password: connectionSettings.password }
}

/** A replication connection with the pool's driver and, by default, its settings. */
export async function makeReplicationClient(
  { knex }: Pick<Database, 'knex'>,
  given: ReplicationConnection | undefined,
): Promise<ReplicationClient> {
  const client = knex.client as PostgresClient
  const settings = given === undefined ? await settingsOf(client) : settingsIn(given)
  return new client.driver.Client({ ...settings, pipeline: false, replication: 'database' })
}

/** Start of a stream of changes, and its server. */
export interface StreamStart {
  /** Sees all transactions that the stream leaves out. */
  readonly snapshot: Snapshot
  readonly run: string
  readonly database: string
  readonly pageSize: bigint
}

interface StreamEvents {
  readonly onMessage: (message: LogMessage) => void
  readonly onEnd: (error: unknown) => void
}

export interface ReplicationStream {
  /** Makes the slot, which waits for the end of all running transactions; `begin` is called before the first message. */
  readonly open: <T>(publication: string, begin: (start: StreamStart) => T) => Promise<T>
  /** The name of the slot, which may not exist yet. */
  readonly slot: string
  readonly close: (error: unknown) => void
}

/** Milliseconds between two unrequested acknowledgements. */
const betweenReplies = 1000

const about = `select pg_current_snapshot()::text as snapshot,
  concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
    extract(epoch from pg_stat_get_bgwriter_stat_reset_time())) as run,
  (select oid::text from pg_database where datname = current_database()) as database,
  current_setting('wal_block_size') as page`

const quoted = (name: string, sign: string): string => `${sign}${name.replaceAll(sign, sign + sign)}${sign}`

function startOf(row: Readonly<Record<string, unknown>>): StreamStart {
  const { snapshot: text, run, database, page } = row
  const snapshot = readSnapshot(String(text))
  if (snapshot === null) throw new Error('the server has no snapshot')
  return { snapshot, run: String(run), database: String(database), pageSize: BigInt(String(page)) }
}

/**
 * The server drops the slot of a stalled process after this timeout. Values are sent as text. The others keep
 * different values apart, because a database may be set to round floats.
 */
const settings = [
  `wal_sender_timeout = '30s'`,
  'extra_float_digits = 3',
  'datestyle = iso',
  'intervalstyle = postgres',
  `timezone = 'UTC'`,
  'bytea_output = hex',
]

export function makeReplicationStream(
  client: ReplicationClient,
  { onMessage, onEnd }: StreamEvents,
): ReplicationStream {
  const slot = `content_router_${randomBytes(8).toString('hex')}`
  const { connection } = client
  let hasEnded = false
  let repliedAt = -Infinity

  const end = (error: unknown): void => {
    if (hasEnded) return
    hasEnded = true
    connection.stream.destroy()
    onEnd(error)
  }

  const reply = (place: LogPlace, isWanted: boolean): void => {
    const now = performance.now()
    if (!isWanted && now - repliedAt < betweenReplies) return
    repliedAt = now
    connection.sendCopyFromChunk(acknowledgement(place))
  }

  const receive = ({ chunk }: { readonly chunk: Buffer }): void => {
    if (hasEnded) return
    try {
      const message = decode(chunk)
      onMessage(message)
      if (message.kind === 'place') reply(message.end, message.wantsReply)
    } catch (error) {
      end(error)
    }
  }

  client.on('error', end)
  const leave = (): void => {
    end(new Error('the connection has ended'))
  }
  client.on('end', leave)

  return {
    slot,
    open: async (publication, begin) => {
      await client.connect()
      client.unref()
      // Replication commands are recognized in capitals only.
      for (const setting of settings) await client.query(`set ${setting}`)
      await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`)
      const { rows } = await client.query(about)
      const begun = begin(startOf(rows[0] ?? {}))
      connection.on('copyData', receive)
      const names = quoted(quoted(publication, '"'), `'`)
      const way = `(proto_version '1', publication_names ${names})`
      client.query(`START_REPLICATION SLOT ${slot} LOGICAL 0/0 ${way}`).then(leave, end)
      return begun
    },
    close: end,
  }
}
