import { createConnection } from 'mysql2/promise'
import { findProgram, freePort, isRoot, makeHome, type Running } from './private-server'

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

export async function startMariaDb(): Promise<Running | undefined> {
  const server = findProgram('mariadbd', 'mysqld')
  const install = findProgram('mariadb-install-db', 'mysql_install_db')
  if (server === undefined || install === undefined) return undefined
  const home = makeHome('mariadb', 'KILL')
  try {
    const port = await freePort()
    const data = `${home.folder}/data`
    const user = `'tester'@'127.0.0.1'`
    const init = home.write(
      'init.sql',
      `CREATE USER ${user} IDENTIFIED BY '${home.password}';\nGRANT ALL ON *.* TO ${user} WITH GRANT OPTION;\n`,
    )
    await home.run(install, [
      '--no-defaults',
      `--datadir=${data}`,
      '--skip-test-db',
      ...asRoot,
      '--innodb-flush-method=nosync',
      '--innodb-log-file-size=32M',
    ])
    const url = `mysql://tester:${home.password}@127.0.0.1:${String(port)}`
    const parameters = [
      '--no-defaults',
      ...asRoot,
      `--datadir=${data}`,
      `--socket=${home.folder}/socket`,
      `--pid-file=${home.folder}/mariadbd.pid`,
      `--port=${String(port)}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      `--init-file=${init}`,
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_general_ci',
      ...smallAndFast,
    ]
    await home.serve(server, parameters, () => connects(url))
    return { url, stop: home.stop }
  } catch (error) {
    await home.stop()
    throw error
  }
}
