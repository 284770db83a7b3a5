import { knex as makeKnex, type Knex } from 'knex'
import { migrate } from '../../lib'
import { seed, type SeedContent } from '../../extensions/seed'
import { library } from './library'
import { startWithStandby } from './servers/postgres'
import { connectionTo } from './stores'

/** A primary with content, and a standby that gives up at once what is read for what it replays. */
export interface LibraryStandby {
  readonly primary: Knex
  readonly standby: Knex
  /** Of the standby. */
  readonly config: Knex.Config
  stop(): Promise<void>
}

const configOf = (url: string): Knex.Config => ({
  client: 'pg',
  connection: connectionTo(new URL(url), 5432, 'postgres'),
})

export async function startLibraryStandby(content: SeedContent): Promise<LibraryStandby> {
  const servers = await startWithStandby([], ['-c', 'max_standby_streaming_delay=0'])
  if (servers === undefined) throw new Error('a PostgreSQL of the spec’s own has to be installed')
  const primary = makeKnex(configOf(servers.primary.url))
  const config = configOf(servers.standby.url)
  const standby = makeKnex(config)
  await migrate({ contentTypes: library, database: primary })
  await seed({ contentTypes: library, database: primary }, content)
  return {
    primary,
    standby,
    config,
    stop: async () => {
      await primary.destroy()
      await standby.destroy()
      await servers.standby.stop()
      await servers.primary.stop()
    },
  }
}
