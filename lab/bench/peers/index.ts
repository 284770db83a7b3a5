// `--peers`: the closest that users would write with other libraries, on PostgreSQL.
import { join } from 'node:path'
import type { Knex } from 'knex'
import { benchFolder } from '../data/prepare'
import { installIn } from '../install'
import { type RunningSide, startProcess } from '../measure/running-side'
import { poolOf } from '../sides/ours'

const packages = ['drizzle-orm@0.45', 'objection@3', 'knex@3', 'pg@8']

export async function startPeers({ connection }: Knex.Config): Promise<readonly RunningSide[]> {
  installIn(join(benchFolder, 'peers'), packages)
  const typescript = ['--require', join(__dirname, '..', 'typescript.cjs')]
  const start = (library: string): Promise<RunningSide> =>
    startProcess(
      library,
      join(__dirname, 'serve.cjs'),
      { library, connection, pool: poolOf('postgres') },
      typescript,
    )
  return [await start('drizzle'), await start('objection')]
}
