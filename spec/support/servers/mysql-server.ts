import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import {
  freePort,
  type Home,
  HungAtStart,
  isRoot,
  type Kept,
  type Killable,
  makeData,
  makeHome,
} from './private-server'

/** What MySQL and MariaDB do not have in common. */
export interface MySqlKind {
  readonly name: 'mysql' | 'mariadb'
  readonly server: string
  /** The program that makes the first tables, and what it is told besides where they are to be. */
  readonly installer: string
  readonly installing: (home: Home) => readonly string[]
  readonly serving: (home: Home) => readonly string[]
}

export interface MySqlStart {
  readonly kept: Kept | undefined
  readonly settings: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

const asRoot = isRoot ? ['--user=root'] : []

async function connects(url: string): Promise<void> {
  const connection = await createConnection(url)
  await connection.end()
}

/** Data that was kept has its tables and its user. */
async function install(
  { name, installer, installing }: MySqlKind,
  home: Home,
  data: string,
): Promise<readonly string[]> {
  if (existsSync(data)) return []
  home.write('password', home.password)
  const user = `'tester'@'127.0.0.1'`
  const init = home.write(
    'init.sql',
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${home.password}';\nGRANT ALL ON *.* TO ${user} WITH GRANT OPTION;\n`,
  )
  await makeData(name, data, async () => {
    await home.run(installer, ['--no-defaults', `--datadir=${data}`, ...asRoot, ...installing(home)])
    // It holds the identity of a server, which is made anew at a start without it.
    rmSync(join(data, 'auto.cnf'), { force: true })
  })
  return [`--init-file=${init}`]
}

/** What is asked of is what a server answers, not that it starts: one that hangs at its first start is told of and left. */
export async function startMySqlServer(kind: MySqlKind, start: MySqlStart): Promise<Killable> {
  try {
    return await tryToStart(kind, start)
  } catch (error) {
    if (start.kept !== undefined || !(error instanceof HungAtStart)) throw error
    process.stdout.write(
      `${kind.name} hung at its start; another is started in its place. ${error.message}\n`,
    )
    return tryToStart(kind, start)
  }
}

async function tryToStart(kind: MySqlKind, { kept, settings, environment }: MySqlStart): Promise<Killable> {
  const home = makeHome(kind.name, 'KILL', undefined, kept)
  try {
    const port = await freePort()
    const data = `${home.folder}/data`
    const initially = await install(kind, home, data)
    const url = `mysql://tester:${home.password}@127.0.0.1:${String(port)}`
    const parameters = [
      '--no-defaults',
      ...asRoot,
      `--datadir=${data}`,
      `--socket=${home.folder}/socket`,
      `--pid-file=${home.folder}/server.pid`,
      `--port=${String(port)}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      ...initially,
      ...kind.serving(home),
      ...settings,
    ]
    const serve = (): Promise<void> =>
      home.serve({ path: kind.server, environment }, parameters, () => connects(url))
    await serve()
    const { stop, kill, freeze, thaw } = home
    return { url, stop, kill, freeze, thaw, restart: serve }
  } catch (error) {
    await home.stop()
    throw error
  }
}
