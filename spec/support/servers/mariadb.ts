import { startMySqlServer } from './mysql-server'
import { findProgram, type Home, type Kept, type Killable } from './private-server'

/**
 * Small, and careless about a power cut: the data lives as long as the test run. What is committed outlives a server that is
 * killed all the same: one that forgets what it had acknowledged makes every reader stale.
 */
const smallAndFast = [
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
  '--innodb-buffer-pool-size=96M',
  '--innodb-log-file-size=32M',
  '--key-buffer-size=1M',
  '--aria-pagecache-buffer-size=8M',
  '--performance-schema=off',
  '--skip-log-bin',
  '--max-connections=500',
  // A server that waits for io_uring at its start was seen to wait for ever, once in thousands.
  '--innodb-use-native-aio=0',
]

/** What a server finds there of temporary tables it deletes when it starts, even if another has just made them. */
const ownTemporaries = ({ folder }: Home): string => `--tmpdir=${folder}`

export function findMariaDb(): { readonly server: string; readonly installer: string } | undefined {
  const server = findProgram('mariadbd', 'mysqld')
  const installer = findProgram('mariadb-install-db', 'mysql_install_db')
  return server === undefined || installer === undefined ? undefined : { server, installer }
}

export async function startMariaDb(
  kept?: Kept,
  settings: readonly string[] = kept?.settings ?? [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Killable | undefined> {
  const programs = findMariaDb()
  if (programs === undefined) return undefined
  const kind = {
    name: 'mariadb',
    ...programs,
    installing: (home: Home) => [
      ownTemporaries(home),
      '--skip-test-db',
      '--innodb-flush-method=nosync',
      '--innodb-log-file-size=32M',
    ],
    serving: (home: Home) => [
      ownTemporaries(home),
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_general_ci',
      ...smallAndFast,
    ],
  } as const
  return startMySqlServer(kind, { kept, settings, environment })
}
