// Starts a primary and a standby of PostgreSQL, four processes that read them, and a balancer before these.
import { join } from 'node:path'
import type { Knex } from 'knex'
import { startHaProxy } from '../../spec/support/servers/haproxy'
import { startWithStandby } from '../../spec/support/servers/postgres'
import { findProgram, freePort, type Killable, makeHome } from '../../spec/support/servers/private-server'
import { connectionTo } from '../../spec/support/stores'
import { fill, startEditor } from './content'
import { listen } from './control'
import { type AppProcess, type Member, startApp } from './app-process'

const noHaProxy = 'HAProxy is not installed: apt-get install haproxy'

const say = (text: string): boolean => process.stdout.write(`${text}\n`)

const names = ['one', 'two', 'three', 'four'] as const

const configOf = ({ url }: Killable): Knex.Config => ({
  client: 'pg',
  connection: connectionTo(new URL(url), 5432, 'postgres'),
})

async function startBalancer(apps: readonly AppProcess[]): Promise<Member & { readonly url: string }> {
  const path = findProgram('haproxy')
  if (path === undefined) throw new Error(noHaProxy)
  const home = makeHome('balancer', 'KILL')
  const port = await freePort()
  const url = `http://127.0.0.1:${String(port)}`
  const ports = apps.map(({ port }, place) => [`PORT_${String(names[place]).toUpperCase()}`, String(port)])
  const environment = { PORT: String(port), ...(Object.fromEntries(ports) as Record<string, string>) }
  const answers = async (): Promise<void> => {
    if ((await fetch(`${url}/ready`)).status !== 200) throw new Error('nobody is ready')
  }
  const restart = (): Promise<void> =>
    home.serve({ path, environment }, ['-db', '-f', join(__dirname, 'haproxy.cfg')], answers)
  await restart()
  return { url, restart, kill: home.kill, stop: home.stop }
}

const lines = (url: string): string => `
Four processes (${names.join(', ')}) behind a balancer, over HAProxy, a primary and a standby. An editor writes twice a second.

  ${url}/api/articles?populate=author

X-Served-By says which process answered. In another terminal, in this folder:

  npm run ask             asks 200 times a second for 30 seconds, and tells what came of it (npm run ask -- 400 60)
  npm run kill            kills the standby, as kill -9 does; npm run kill -- one kills a process
  npm run revive          starts the standby again; npm run revive -- one
  npm stop                ends everything, as Ctrl-C does here

Those that can be killed: ${[...names, 'primary', 'standby', 'database', 'balancer'].join(', ')}.`

const killed = new Set<string>()

/** Does what is asked to one of the members, and says so. */
async function change(members: ReadonlyMap<string, Member>, verb: string, name: string): Promise<string> {
  const member = members.get(name)
  if (member === undefined) return `there is no ${name}: ${[...members.keys()].join(', ')}`
  const isKilling = verb === 'kill'
  if (killed.has(name) === isKilling) return `${name} is ${isKilling ? 'dead already' : 'there'}`
  if (isKilling) {
    killed.add(name)
    await member.kill()
  } else {
    await member.restart()
    killed.delete(name)
  }
  const said = `${name} ${isKilling ? 'was killed' : 'is there again'}`
  say(said)
  return said
}

async function startCluster(): Promise<{ readonly url: string; readonly members: Map<string, Member> }> {
  const members = new Map<string, Member>()
  stops.push(() => Promise.all([...members.values()].reverse().map((member) => member.stop())))
  const options = ['-c', 'synchronous_commit=on']
  const servers = await startWithStandby(options, options)
  if (servers === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  for (const [name, server] of Object.entries(servers)) members.set(name, server as Killable)
  const database = await startHaProxy(
    [servers.primary, servers.standby].map(({ url }) => new URL(url)),
    'tcp-check',
  )
  if (database === undefined) throw new Error(noHaProxy)
  members.set('database', database)
  const primary = configOf(servers.primary)
  await fill(primary)
  const editor = startEditor(primary)
  stops.push(editor.stop)
  const apps = await Promise.all(names.map((name) => startApp(name, database.url)))
  for (const [place, name] of names.entries()) if (apps[place]) members.set(name, apps[place])
  const balancer = await startBalancer(apps)
  members.set('balancer', balancer)
  return { url: balancer.url, members }
}

const stops: (() => unknown)[] = []
let ending: Promise<void> | undefined

async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop()
}

function end(): void {
  ending ??= stopAll().then(() => {
    say('Everything has ended.')
    process.exit()
  })
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  say('Starting the servers…')
  const { url, members } = await startCluster()
  const hears = await listen(async ([verb = '', name = '']) => {
    switch (verb) {
      case 'address':
        return url
      case 'kill':
      case 'revive':
        return change(members, verb, name)
      case 'stop':
        setTimeout(end, 10)
        return 'it ends'
      default:
        return `nobody knows how to ${verb}`
    }
  })
  stops.push(hears.stop)
  say(lines(url))
}

main().catch(async (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  await stopAll()
  process.exit(1)
})
