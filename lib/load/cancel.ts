import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dialect } from '../compile'
import { mysqlServer } from '../freshness'

/** Where Knex's client of MySQL has connections from: new ones, and those of its pool. */
export interface RawConnections {
  acquireRawConnection(): Promise<object>
  destroyRawConnection(connection: object): unknown
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<unknown>
}

/** The part of a connection of `pg` that says where it leads, and with what it may be cancelled. */
interface CancellableConnection {
  readonly host?: unknown
  readonly port?: unknown
  readonly processID?: unknown
  readonly secretKey?: unknown
}

/** Milliseconds for which it is waited for that a server takes the word: meanwhile the pool has a connection less. */
const patience = 1000

/** Milliseconds after which a server is left alone. The one that is slow to take the word is the one that has too much to do. */
const insistence = 5000

/** Milliseconds after the first try, and at most after any: the first comes too early for what is still on its way. */
const betweenTries = 25
const atMostBetweenTries = 400

/** The protocol's number for it. */
const cancelRequest = 80_877_102

/**
 * PostgreSQL's own way: the number of a process and its secret, on a connection that is for nothing else. Another server that
 * it reaches finds that the secret is wrong; a pooler passes it on to where the connection leads.
 */
async function cancelOnPostgres({ host, port, processID, secretKey }: CancellableConnection): Promise<void> {
  if (typeof host !== 'string' || typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  const words = [16, cancelRequest, processID, secretKey]
  words.forEach((word, index) => request.writeInt32BE(word, 4 * index))
  const at = Number(port)
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${String(at)}`)
    : connect({ host, port: at })
  socket.setTimeout(patience, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  // Not ended: PgBouncer drops the word of who has left while it looks for a connection to pass it on by.
  socket.write(request)
  await once(socket, 'close')
}

const whichServer = `select ${mysqlServer}, connection_id()`

type Whereabouts = readonly [server: unknown, id: number]

/** Where a connection leads, asked before there is anything to cancel: what is busy does not answer. */
const whereabouts = new WeakMap<object, Promise<Whereabouts | null>>()

async function ask(dialect: Dialect, connection: object): Promise<Whereabouts> {
  const [row] = await dialect.run(connection, whichServer, [])
  return [row?.[0], Number(row?.[1])]
}

/** To be called before anything else is sent on a connection; asks once for each, and is not waited for. */
export function learnWhereabouts(dialect: Dialect, connection: object): void {
  if (dialect.name !== 'mysql' || whereabouts.has(connection)) return
  whereabouts.set(
    connection,
    ask(dialect, connection).catch(() => null),
  )
}

/** A new one, as the pool may have none to spare; one of the pool where no new one can be made. */
async function onOther(raw: RawConnections, use: (connection: object) => Promise<void>): Promise<void> {
  const fresh = await raw.acquireRawConnection().catch(() => null)
  const other = fresh ?? (await raw.acquireConnection())
  try {
    await use(other)
  } finally {
    await (fresh === null ? raw.releaseConnection(other) : raw.destroyRawConnection(other))
  }
}

/** A balancer may lead a new connection to another server, where the same number is another client's. */
async function cancelOnMySql(
  dialect: Dialect,
  connection: object,
  raw: RawConnections,
  until: number,
): Promise<void> {
  const known = await whereabouts.get(connection)
  if (known === undefined || known === null) return
  const [server, id] = known
  await onOther(raw, async (other) => {
    // The pool may have had one to spare only when there is nothing to cancel any more.
    if (performance.now() > until) return
    const [reached] = await ask(dialect, other)
    if (reached === server) await dialect.run(other, 'kill query ?', [id])
  })
}

function cancelOnce(dialect: Dialect, connection: object, raw: RawConnections, until: number): Promise<void> {
  switch (dialect.name) {
    case 'sqlite':
      return Promise.resolve()
    case 'mysql':
      return cancelOnMySql(dialect, connection, raw, until)
    case 'postgres':
      return cancelOnPostgres(connection)
  }
}

/**
 * Tells the server that reads, and no other, to drop what it is doing on this connection, until it does nothing there any
 * more. Nothing else may be sent on the connection afterwards.
 */
export async function cancel(dialect: Dialect, connection: object, raw: RawConnections): Promise<void> {
  if (dialect.name === 'sqlite') return
  let isIdle = false
  const becomeIdle = (): void => {
    isIdle = true
  }
  // A connection works off its statements in their order: once this one is through, or refused, all before it are.
  const idle = dialect.run(connection, dialect.end, []).then(becomeIdle, becomeIdle)
  const outOfPatience = pause(patience, undefined, { ref: false })
  const trying = async (): Promise<void> => {
    const until = performance.now() + insistence
    for (let wait = betweenTries; performance.now() < until; wait = Math.min(2 * wait, atMostBetweenTries)) {
      // What refuses a connection now may let in the next.
      await cancelOnce(dialect, connection, raw, until).catch(() => undefined)
      await Promise.race([idle, pause(wait, undefined, { ref: false })])
      if (isIdle) return
    }
  }
  await Promise.race([trying(), outOfPatience])
}
