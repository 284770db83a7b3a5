import { createConnection } from 'mysql2/promise'
import { existsSync } from 'node:fs'
import {
  findProgram,
  freePort,
  type Home,
  isRoot,
  type Kept,
  makeHome,
  type Killable,
} from './private-server'

const asRoot = isRoot ? ['--user=root'] : []

/** Small, and careless about a power cut: the data lives as long as the test run. */
const smallAndFast = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
  '--innodb-buffer-pool-size=96M',
  '--innodb-log-file-size=32M',
  '--key-buffer-size=1M',
  '--aria-pagecache-buffer-size=8M',
  '--performance-schema=off',
  '--skip-log-bin',
  '--max-connections=200',
]

async function connects(url: string): Promise<void> {
  const connection = await createConnection(url)
  await connection.end()
}

/** What a server finds there of temporary tables it deletes when it starts, even if another has just made them. */
const ownTemporaries = ({ folder }: Home): string => `--tmpdir=${folder}`

/** Data that was kept has its tables and its user. */
async function install(home: Home, program: string, data: string): Promise<readonly string[]> {
  if (existsSync(data)) return []
  home.write('password', home.password)
  const user = `'tester'@'127.0.0.1'`
  const init = home.write(
    'init.sql',
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${home.password}';\nGRANT ALL ON *.* TO ${user} WITH GRANT OPTION;\n`,
  )
  await home.run(program, [
    '--no-defaults',
    `--datadir=${data}`,
    ownTemporaries(home),
    '--skip-test-db',
    ...asRoot,
    '--innodb-flush-method=nosync',
    '--innodb-log-file-size=32M',
  ])
  return [`--init-file=${init}`]
}

export async function startMariaDb(
  kept?: Kept,
  settings: readonly string[] = kept?.settings ?? [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Killable | undefined> {
  const server = findProgram('mariadbd', 'mysqld')
  const installer = findProgram('mariadb-install-db', 'mysql_install_db')
  if (server === undefined || installer === undefined) return undefined
  const home = makeHome('mariadb', 'KILL', undefined, kept)
  try {
    const port = await freePort()
    const data = `${home.folder}/data`
    const initially = await install(home, installer, data)
    const url = `mysql://tester:${home.password}@127.0.0.1:${String(port)}`
    const parameters = [
      '--no-defaults',
      ...asRoot,
      `--datadir=${data}`,
      `--socket=${home.folder}/socket`,
      `--pid-file=${home.folder}/mariadbd.pid`,
      ownTemporaries(home),
      `--port=${String(port)}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      ...initially,
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_general_ci',
      ...smallAndFast,
      ...settings,
    ]
    const serve = (): Promise<void> =>
      home.serve({ path: server, environment }, parameters, () => connects(url))
    await serve()
    return { url, stop: home.stop, kill: home.kill, restart: serve }
  } catch (error) {
    await home.stop()
    throw error
  }
}
