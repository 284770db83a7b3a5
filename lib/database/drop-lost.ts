import type { Knex } from 'knex'
import { isLost } from './database-failure'

interface UsedConnection {
  readonly __knexUid: unknown
  __knex__disposed?: unknown
}

/** What Knex itself reads leaves a connection in the pool whose server has said that it serves nobody. */
export function dropLost(knex: Knex): void {
  const { pool } = knex.client as {
    readonly pool?: { readonly used?: readonly { readonly resource: UsedConnection }[] }
  }
  knex.on('query-error', (error: unknown, { __knexUid }: UsedConnection) => {
    if (!isLost(error)) return
    const held = pool?.used?.find(({ resource }) => resource.__knexUid === __knexUid)
    if (held !== undefined) held.resource.__knex__disposed = error
  })
}
