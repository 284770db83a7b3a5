import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { type ContentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { changes, type ChangesOptions } from '../../extensions/changes'
import { seed } from '../../extensions/seed'
import type { Answer } from './asker'
import { type Cached, serveCached } from './cached'
import type { TestDatabase } from './databases'
import { library } from './library'
import { onOwnServer, type OwnWorld } from './own-server'

export type { Cached } from './cached'

/** As the docs tell operators to. */
export const publishAll = async (knex: Knex): Promise<void> => {
  await knex.raw('create publication content_router for all tables')
}

const longest = 10_000

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
  const { rows } = await knex.raw<{ rows: { pid: number }[] }>('select pid from pg_stat_replication')
  return rows.map(({ pid }) => pid)
}

export async function endSenders(knex: Knex): Promise<void> {
  for (const pid of await senders(knex)) await knex.raw('select pg_terminate_backend(?)', [pid])
}

/** Of PostgreSQL. */
export async function releaseOf(knex: Knex): Promise<number> {
  const { rows } = await knex.raw<{ rows: { server_version: string }[] }>('show server_version')
  return Number.parseInt(rows[0]?.server_version ?? '')
}

export const namesIn = ({ body }: Answer): unknown[] =>
  (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data.map(({ name }) => name)

export const totalIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly meta: { readonly pagination: { readonly total: unknown } } }).meta
    .pagination.total

/** A library on a server that tells what changes, and a table that no answer is read from. */
export interface FollowedLibrary {
  readonly world: OwnWorld
  readonly serve: (options?: Partial<ContentRouterConfig>, ofChanges?: ChangesOptions) => Promise<Cached>
  /** To the table that no answer is read from. */
  readonly write: () => Promise<unknown>
  /** Whether the next answer comes from memory. */
  readonly isKept: (served: Cached, path: string) => Promise<boolean>
  /** Until an answer survives a commit: what was committed before may be looked at once more. */
  readonly keepsAgain: (served: Cached, path: string) => Promise<void>
}

/** For a database that tells. Called in a `describe` block. */
export function onFollowedLibrary(database: TestDatabase): FollowedLibrary {
  const world = onOwnServer(database, () => database.fresh())

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      genre: [{ $ref: 'essay', name: 'Essay' }],
      book: [{ title: 'Notes', author: 'ada', genres: ['essay'] }],
    })
    await world.knex.raw('create table logs (id serial primary key, text text)')
    await publishAll(world.knex)
  }, 60_000)

  const write = async (): Promise<unknown> => world.knex('logs').insert({ text: 'written' })
  const isKept: FollowedLibrary['isKept'] = async ({ router, get }, path) => {
    const { hits } = router.cache.stats()
    expect((await get(path)).status).toBe(200)
    return router.cache.stats().hits === hits + 1
  }
  return {
    world,
    serve: async ({ extensions = [], ...options } = {}, ofChanges = {}) => {
      const served = await serveCached(
        { world, dialect: 'postgres' },
        { logger: false, ...options, extensions: [changes({ feed: true, ...ofChanges }), ...extensions] },
      )
      await following(served.router)
      return served
    },
    write,
    isKept,
    keepsAgain: async (served, path) => {
      const start = performance.now()
      for (;;) {
        await served.kept(path)
        await write()
        if (await isKept(served, path)) return
        if (performance.now() - start > longest) throw new Error('no answer survives a commit any more')
      }
    },
  }
}
