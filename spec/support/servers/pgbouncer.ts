import { Client } from 'pg'
import { findProgram, freePort, type Killable, makeHome, unprivilegedOwner } from './private-server'

/** A pooler before a PostgreSQL, which lends connections for a transaction or for a session. */
export async function startPgBouncer(
  server: URL,
  mode: 'transaction' | 'session',
): Promise<Killable | undefined> {
  const program = findProgram('pgbouncer')
  if (program === undefined) return undefined
  const home = makeHome('pgbouncer', 'KILL', unprivilegedOwner())
  try {
    const port = await freePort()
    const ini = home.write(
      'pgbouncer.ini',
      `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20
; It lets nobody in for so many seconds after a server was away, by default for 15.
server_login_retry = 2
max_client_conn = 100
`,
    )
    const url = `postgres://tester:none@127.0.0.1:${String(port)}${server.pathname}`
    const answers = async (): Promise<void> => {
      const client = new Client(url)
      await client.connect()
      await client.end()
    }
    const serve = (): Promise<void> => home.serve({ path: program, environment: {} }, [ini], answers)
    await serve()
    const { stop, kill, freeze, thaw } = home
    return { url, stop, kill, freeze, thaw, restart: serve }
  } catch (error) {
    await home.stop()
    throw error
  }
}
