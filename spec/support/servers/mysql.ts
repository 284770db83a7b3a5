import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { startMySqlServer } from './mysql-server'
import { findProgram, type Kept, type Killable } from './private-server'

/**
 * Small, and careless about a power cut: the data lives as long as the test run. What is committed outlives a server that is
 * killed all the same: one that forgets what it had acknowledged makes every reader stale.
 */
const smallAndFast = [
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-flush-method=nosync',
  '--innodb-doublewrite=OFF',
  '--innodb-buffer-pool-size=96M',
  '--innodb-redo-log-capacity=64M',
  '--disable-log-bin',
  '--max-connections=500',
]

/** What Debian calls mysqld is a MariaDB. `MYSQLD` names one that is in no usual place. */
export function findMySql(): string | undefined {
  const program = process.env['MYSQLD'] ?? findProgram('mysqld')
  if (program === undefined || !existsSync(program)) return undefined
  const version = execFileSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' })
  return version.includes('MariaDB') ? undefined : program
}

export async function startMySql(
  kept?: Kept,
  settings: readonly string[] = kept?.settings ?? [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Killable | undefined> {
  const server = findMySql()
  if (server === undefined) return undefined
  const kind = {
    name: 'mysql',
    server,
    installer: server,
    installing: () => [
      '--initialize-insecure',
      '--innodb-flush-method=nosync',
      '--innodb-redo-log-capacity=64M',
    ],
    serving: () => ['--mysqlx=OFF', '--secure-file-priv=', ...smallAndFast],
  } as const
  return startMySqlServer(kind, { kept, settings, environment })
}
