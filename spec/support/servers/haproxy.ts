import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { findProgram, freePort, type Killable, makeHome } from './private-server'

/** How it finds out that a server is well: by a login, as many set it up, or by whether somebody listens. */
type Check = 'mysql-check user balancer' | 'tcp-check'

/** A balancer of connections: each goes to the next server. */
export async function startHaProxy(
  servers: readonly URL[],
  check: Check = 'mysql-check user balancer',
): Promise<Killable | undefined> {
  const program = findProgram('haproxy')
  const [first] = servers
  if (program === undefined || first === undefined) return undefined
  const home = makeHome('haproxy', 'KILL')
  try {
    const port = await freePort()
    const lines = servers.map(({ host }, number) => `  server n${String(number)} ${host} check`)
    const settings = home.write(
      'haproxy.cfg',
      `global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 5m
  timeout server 5m
listen servers
  bind 127.0.0.1:${String(port)}
  balance roundrobin
  option ${check}
  default-server inter 200ms fall 2 rise 2 on-marked-down shutdown-sessions
${lines.join('\n')}
`,
    )
    const at = new URL(first)
    at.port = String(port)
    const url = at.href
    const answers = async (): Promise<void> => {
      if (at.protocol === 'mysql:') await (await createConnection(url)).end()
      else {
        const client = new Client(url)
        await client.connect()
        await client.end()
      }
    }
    const serve = (): Promise<void> =>
      home.serve({ path: program, environment: {} }, ['-db', '-f', settings], answers)
    await serve()
    const { stop, kill, freeze, thaw } = home
    return { url, stop, kill, freeze, thaw, restart: serve }
  } catch (error) {
    await home.stop()
    throw error
  }
}
