import type { Knex } from 'knex'

/** How to connect: an object, or a URL. */
export type ReplicationConnection = string | Readonly<Record<string, unknown>>

interface DriverRows {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** A connection of `pg`, as far as its types leave out that it may replicate. */
export interface ReplicationClient {
  connect(): Promise<unknown>
  query(sql: string): Promise<DriverRows>
  on(event: 'error' | 'end', listener: (error: unknown) => void): unknown
  unref(): void
  readonly connection: {
    on(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): unknown
    sendCopyFromChunk(chunk: Buffer): void
    readonly stream: { destroy(): void }
  }
}

/** The driver of a configuration or an instance, whatever else may be wrong with it. */
export function clientGiven(option: unknown): unknown {
  const { client } = (option ?? {}) as { readonly client?: unknown }
  if (typeof option !== 'function') return client
  return (client as { readonly config?: Knex.Config } | undefined)?.config?.client
}

interface PostgresClient {
  readonly driver: { readonly Client: new (settings: object) => ReplicationClient }
  readonly connectionSettings: { readonly password?: unknown }
  readonly connectionConfigProvider?: () => Promise<object> | object
}

const settingsIn = (connection: ReplicationConnection): object =>
  typeof connection === 'string' ? { connectionString: connection } : connection

/** Knex hides the password from whoever looks through the settings. */
async function settingsOf({ connectionSettings, connectionConfigProvider }: PostgresClient): Promise<object> {
  if (connectionConfigProvider !== undefined) return connectionConfigProvider()
  return { ...connectionSettings, password: connectionSettings.password }
}

/** A connection that is told what is committed, by the driver and, where no other is given, the settings of the pool. */
export async function makeReplicationClient(
  { knex }: { readonly knex: Knex },
  given: ReplicationConnection | undefined,
): Promise<ReplicationClient> {
  const client = knex.client as PostgresClient
  const settings = given === undefined ? await settingsOf(client) : settingsIn(given)
  return new client.driver.Client({ ...settings, pipeline: false, replication: 'database' })
}
