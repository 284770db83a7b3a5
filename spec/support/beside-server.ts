import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Uses a server that answers as the listener does, for as long as that takes. */
export async function besideServer<T>(
  listener: RequestListener,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
