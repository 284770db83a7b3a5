import type { Knex } from 'knex'

/** The drivers keep the socket at different places. */
interface ListedConnection {
  readonly stream?: { destroy(): void }
  readonly connection?: { readonly stream?: { destroy(): void } }
}

interface Resource {
  readonly resource: ListedConnection
}

interface PoolWait {
  abort(): void
}

/** What Knex keeps its connections in. */
interface Pool {
  readonly used: readonly Resource[]
  readonly free: readonly Resource[]
  readonly pendingAcquires: readonly PoolWait[]
  readonly pendingCreates: readonly PoolWait[]
  on(event: 'createRequest' | 'createSuccess' | 'createFail', listener: (id: number) => void): void
}

/** The connections to one of several servers, by which one may be sent elsewhere. */
export interface ListedPool {
  readonly knex: Knex
  readonly holds: (connection: object) => boolean
  /** Milliseconds since the oldest login was begun that has not come to anything yet. */
  readonly longestLogin: () => number
  /** Logins that have not come are given up: a pool that is closed would wait for them. */
  readonly dropLogins: () => void
  /** What lies idle may lead nowhere any more without knowing it. */
  readonly dropIdle: () => void
  /**
   * Whoever waits here is sent elsewhere. Logins that have not come are given up as well: who comes later would be
   * kept waiting for them, as a pool begins no more of them than it is asked for connections.
   */
  readonly cut: () => void
}

function end({ resource }: Resource): void {
  const stream = resource.stream ?? resource.connection?.stream
  stream?.destroy()
}

export function listedPool(knex: Knex): ListedPool {
  const { pool } = knex.client as { readonly pool: Pool }
  const logins = new Map<number, number>()
  const forget = (id: number): void => {
    logins.delete(id)
  }
  pool.on('createRequest', (id) => logins.set(id, performance.now()))
  pool.on('createSuccess', forget)
  pool.on('createFail', forget)
  const dropLogins = (): void => {
    for (const login of [...pool.pendingCreates]) login.abort()
  }
  const dropIdle = (): void => {
    pool.free.forEach(end)
  }
  return {
    knex,
    holds: (connection) => pool.used.some(({ resource }) => resource === connection),
    longestLogin: () => Math.max(0, ...[...logins.values()].map((begunAt) => performance.now() - begunAt)),
    dropLogins,
    dropIdle,
    cut: () => {
      for (const waiting of [...pool.pendingAcquires]) waiting.abort()
      dropLogins()
      pool.used.forEach(end)
      dropIdle()
    },
  }
}
