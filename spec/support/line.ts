import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A line to a server that can be cut and frozen, as networks do. */
export interface Line {
  readonly port: number
  cut(): void
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

export async function lineTo(host: string, port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (data) => {
      if (!isFrozen) to.write(data)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer((near) => {
    const far = connect(port, host)
    pass(near, far)
    pass(far, near)
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
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
