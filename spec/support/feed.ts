import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { ContentRouter } from '../../lib'

/** As the docs tell operators to. */
export const publishAll = async (knex: Knex): Promise<void> => {
  await knex.raw('create publication content_router for all tables')
}

const longest = 4000

/** Until the router follows what changes. */
export async function following({ cache }: ContentRouter): Promise<void> {
  const start = performance.now()
  while (cache.stats().isFollowing !== true) {
    if (performance.now() - start > longest) throw new Error('what changes is not followed')
    await pause(10)
  }
}

/** The processes of the server that tell what changes. */
export async function senders(knex: Knex): Promise<readonly number[]> {
  const { rows } = (await knex.raw('select pid from pg_stat_replication')) as {
    readonly rows: readonly { readonly pid: number }[]
  }
  return rows.map(({ pid }) => pid)
}
