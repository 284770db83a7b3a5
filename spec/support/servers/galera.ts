import { existsSync, mkdirSync } from 'node:fs'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import {
  findProgram,
  freePort,
  type Home,
  type Killable,
  makeHome,
  unprivilegedOwner,
} from './private-server'

const library = '/usr/lib/galera/libgalera_smm.so'

export interface GaleraNode extends Killable {
  /** Takes the node's cluster away, not its clients; and gives it back, which is over once the node is ready. */
  readonly cutOff: () => Promise<void>
  readonly join: () => Promise<void>
  /** Runs statements on this node. */
  readonly run: (...statements: readonly string[]) => Promise<void>
  /** Resolves once the node shows all that the others had committed. */
  readonly catchUp: () => Promise<void>
}

export interface Galera {
  readonly nodes: readonly GaleraNode[]
  readonly stop: () => Promise<void>
}

/** What a node needs to be known by to the others. */
interface Place {
  readonly number: number
  readonly port: number
  /** Where the nodes speak to each other. */
  readonly group: number
  readonly copying: readonly [whole: number, rest: number]
}

async function onServer<T>(
  url: string,
  use: (connection: Awaited<ReturnType<typeof createConnection>>) => Promise<T>,
): Promise<T> {
  const connection = await createConnection({ uri: url, connectTimeout: 2000 })
  try {
    return await use(connection)
  } finally {
    connection.destroy()
  }
}

const isReady = (url: string): Promise<boolean> =>
  onServer(url, async (connection) => {
    const [[row]] = await connection.query<RowDataPacket[]>(`show status like 'wsrep_ready'`)
    return row?.['Value'] === 'ON'
  })

const patience = 30_000

/** The nodes find each other again after 2 to 30 seconds: by what each still waits for when the line is back. */
const patienceWithLines = 100_000

async function whenReady(url: string, ready = true, wait = patience): Promise<void> {
  for (const until = Date.now() + wait; Date.now() < until;) {
    if ((await isReady(url)) === ready) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the node is ${ready ? 'not ' : ''}ready`)
}

/** The first makes the tables and the users; the others copy them from it. */
async function install(home: Home, { number }: Place, password: string): Promise<readonly string[]> {
  const data = `${home.folder}/data`
  const installer = findProgram('mariadb-install-db')
  if (number > 1 || installer === undefined) {
    mkdirSync(data)
    home.own(data)
    return []
  }
  await home.run(installer, ['--no-defaults', `--datadir=${data}`, '--skip-test-db'])
  const users = [`CREATE USER 'tester'@'%' IDENTIFIED BY '${password}'`, `GRANT ALL ON *.* TO 'tester'@'%'`]
  // Balancers look whether a login succeeds, and do not say a password.
  const init = home.write('init.sql', `${users.join(';\n')};\nCREATE USER 'balancer'@'%';\n`)
  return [`--init-file=${init}`]
}

function parametersOf({ folder }: Home, place: Place, all: readonly Place[]): readonly string[] {
  const { number, port, group, copying } = place
  const address = (port: number): string => `127.0.0.1:${String(port)}`
  const provider = [
    `base_port=${String(group)}`,
    `gmcast.listen_addr=tcp://${address(group)}`,
    `ist.recv_addr=${address(copying[1])}`,
    'gcache.size=16M',
    // Nodes of one machine notice sooner than its defaults have it that another is gone.
    'evs.keepalive_period=PT0.2S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT4S;evs.inactive_check_period=PT0.2S',
  ]
  return [
    '--no-defaults',
    `--datadir=${folder}/data`,
    `--tmpdir=${folder}`,
    `--socket=${folder}/socket`,
    `--pid-file=${folder}/server.pid`,
    `--port=${String(port)}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    `--server-id=${String(number)}`,
    '--character-set-server=utf8mb4',
    '--innodb-buffer-pool-size=32M',
    '--innodb-log-file-size=16M',
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-flush-method=nosync',
    '--innodb-autoinc-lock-mode=2',
    '--performance-schema=off',
    '--binlog-format=ROW',
    '--wsrep-on=ON',
    `--wsrep-provider=${library}`,
    '--wsrep-cluster-name=content-router',
    `--wsrep-node-name=n${String(number)}`,
    `--wsrep-node-address=${address(group)}`,
    `--wsrep-node-incoming-address=${address(port)}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=${address(copying[0])}`,
    `--wsrep-cluster-address=gcomm://${all.map(({ group }) => address(group)).join(',')}`,
    `--wsrep-provider-options=${provider.join(';')}`,
  ]
}

async function startNode(place: Place, all: readonly Place[], password: string): Promise<GaleraNode> {
  const home = makeHome(`galera${String(place.number)}`, 'KILL', unprivilegedOwner('mysql'))
  try {
    const path = findProgram('mariadbd') ?? ''
    const url = `mysql://tester:${password}@127.0.0.1:${String(place.port)}`
    const installed = await install(home, place, password)
    const serve = (...more: readonly string[]): Promise<void> =>
      home.serve({ path, environment: {} }, [...parametersOf(home, place, all), ...more], () =>
        whenReady(url),
      )
    await serve(...installed, ...(place.number === 1 ? ['--wsrep-new-cluster'] : []))
    const run: GaleraNode['run'] = (...statements) =>
      onServer(url, async (connection) => {
        for (const statement of statements) await connection.query(statement)
      })
    const isolate = (yes: boolean): Promise<void> =>
      run(`set global wsrep_provider_options = 'gmcast.isolate=${yes ? '1' : '0'}'`)
    const { stop, kill, freeze, thaw } = home
    return {
      url,
      stop,
      kill,
      freeze,
      thaw,
      run,
      catchUp: () => run('set session wsrep_sync_wait = 1', 'select 1'),
      restart: () => serve(),
      cutOff: async () => {
        await isolate(true)
        await whenReady(url, false)
      },
      join: async () => {
        await isolate(false)
        await whenReady(url, true, patienceWithLines)
      },
    }
  } catch (error) {
    await home.stop()
    throw error
  }
}

const programs = ['mariadbd', 'mariadb-install-db', 'rsync']

export const isGaleraInstalled = (): boolean =>
  programs.every((name) => findProgram(name) !== undefined) && existsSync(library)

/** Three nodes of MariaDB that hold the same, and each takes writes. Undefined where not all it needs is installed. */
export async function startGalera(): Promise<Galera | undefined> {
  if (!isGaleraInstalled()) return undefined
  const places: Place[] = []
  for (const number of [1, 2, 3]) {
    const [port, group, whole, rest] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    places.push({ number, port, group, copying: [whole, rest] })
  }
  const nodes: GaleraNode[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  try {
    // One after the other: each copies from those that are there.
    for (const place of places) nodes.push(await startNode(place, places, 'tester'))
    return { nodes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
