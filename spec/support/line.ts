import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Watcher = (sent: Buffer) => Promise<void> | void

/** A line to a server that can be cut and frozen, as networks do. */
export interface Line {
  readonly port: number
  cut(): void
  freeze(): void
  thaw(): void
  /** Every piece takes so many milliseconds longer, either way. */
  slow(milliseconds: number): void
  /** Sees what goes to the server, piece by piece, and may hold it. */
  watch(watcher: Watcher): void
  /** Leads to another server of the machine from now on, as an address does that fails over. */
  lead(port: number): void
  close(): Promise<void>
}

export async function lineTo(host: string, port: number): Promise<Line> {
  let target = port
  const sockets = new Set<Socket>()
  let isFrozen = false
  let delay = 0
  let watcher: Watcher = () => undefined
  const pass = (from: Socket, to: Socket, onData: (data: Buffer) => void): void => {
    sockets.add(from)
    from.on('data', (data) => {
      if (!isFrozen) onData(data)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const late = (): Promise<void> | void => (delay === 0 ? undefined : pause(delay))
  const server = createServer((near) => {
    const far = connect(target, host)
    let sent = Promise.resolve()
    pass(near, far, (data) => {
      sent = sent
        .then(late)
        .then(() => watcher(data))
        .then(() => void far.write(data))
    })
    let received = Promise.resolve()
    pass(far, near, (data) => {
      received = received.then(late).then(() => void near.write(data))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    freeze: () => {
      isFrozen = true
    },
    thaw: () => {
      isFrozen = false
    },
    slow: (milliseconds) => {
      delay = milliseconds
    },
    watch: (own) => {
      watcher = own
    },
    lead: (other) => {
      target = other
      cut()
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
