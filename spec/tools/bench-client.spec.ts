import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { driveBySockets } from '../../lab/bench/measure/sockets'

/** The pieces of a response, one in each turn of the event loop; null closes the connection. */
type Pieces = readonly (string | null)[]

const head = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${String(length)}\r\n\r\n`
const question = /^GET (\S+) HTTP\/1\.1\r\nHost: [\d.:]+\r\n\r\n$/

async function send(socket: Socket, pieces: Pieces): Promise<void> {
  for (const piece of pieces) {
    if (piece === null) socket.end()
    else socket.write(piece)
    await turn()
  }
}

describe('the HTTP client of the bench', () => {
  let server: Server | undefined
  const asked: string[] = []

  afterEach(() => {
    server?.close()
    asked.length = 0
  })

  async function drive(answers: readonly Pieces[], paths: readonly string[] = ['/']): Promise<number> {
    server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes) => {
        asked.push(question.exec(bytes.toString())?.[1] ?? `not understood: ${bytes.toString()}`)
        void send(socket, answers[asked.length % answers.length] ?? [])
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const load = { paths, connections: 2, amount: 10 }
    return (await driveBySockets(`http://127.0.0.1:${String(port)}`, load)).p50
  }

  it('sends the given number of requests, however a response is split into pieces', async () => {
    const large = 'é'.repeat(500_000)
    const headOfLarge = head(Buffer.byteLength(large))
    const answers = [
      [`${head(2)}{}`],
      [head(0)],
      [headOfLarge.slice(0, 9), headOfLarge.slice(9), large.slice(0, 7), large.slice(7)],
    ]
    expect(await drive(answers)).toBeGreaterThan(0)
    expect(asked).toEqual(Array(10).fill('/'))
  })

  it('requests each of the given paths', async () => {
    await drive([[`${head(2)}{}`]], ['/a', '/b', '/c'])
    expect(new Set(asked)).toEqual(new Set(['/a', '/b', '/c']))
  })

  it.each<[what: string, pieces: Pieces, message: RegExp]>([
    [
      'is no 200',
      ['HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}'],
      /no 200 with a length/,
    ],
    ['has no length', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'], /no 200 with/],
    ['is longer than it says', [`${head(2)}{}{}`], /longer than it says/],
    ['ends too early', [`${head(20)}{}`, null], /closed before/],
  ])('rejects a response that %s', async (_what, pieces, message) => {
    await expect(drive([pieces])).rejects.toThrow(message)
  })
})
