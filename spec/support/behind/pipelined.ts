import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface Piped {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

const endOfLine = '\r\n'

function lineAt(bytes: Buffer, at: number): { readonly line: string; readonly next: number } {
  const end = bytes.indexOf(endOfLine, at)
  if (end < 0) throw new Error('an answer ends within a line')
  return { line: bytes.toString('latin1', at, end), next: end + endOfLine.length }
}

/** A body in chunks, each behind its length in hexadecimal figures. */
function chunksAt(bytes: Buffer, from: number): { readonly body: Buffer; readonly next: number } {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const { line, next } = lineAt(bytes, at)
    const length = Number.parseInt(line, 16)
    if (length === 0) return { body: Buffer.concat(chunks), next: lineAt(bytes, next).next }
    chunks.push(bytes.subarray(next, next + length))
    at = next + length + endOfLine.length
  }
}

function answerAt(bytes: Buffer, from: number): { readonly answer: Piped; readonly next: number } {
  const first = lineAt(bytes, from)
  const headers: Record<string, string> = {}
  let at = first.next
  for (let { line, next } = lineAt(bytes, at); ; { line, next } = lineAt(bytes, at)) {
    at = next
    if (line === '') break
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const status = Number(first.line.split(' ')[1])
  if (headers['transfer-encoding'] === 'chunked') {
    const { body, next } = chunksAt(bytes, at)
    return { answer: { status, headers, bytes: body }, next }
  }
  const next = at + Number(headers['content-length'] ?? 0)
  if (next > bytes.length) throw new Error('a body ends before its length')
  return { answer: { status, headers, bytes: bytes.subarray(at, next) }, next }
}

/** Sends all requests at once over one connection; the answers, in the order in which they came. */
export async function pipelined(
  port: number,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<readonly Piped[]> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(
    paths
      .map((path, index) => {
        const last = index === paths.length - 1 ? ['connection: close'] : []
        return [`GET ${path} HTTP/1.1`, ...lines, ...last, '', ''].join(endOfLine)
      })
      .join(''),
  )
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const isOver = await Promise.race([once(socket, 'end').then(() => true), pause(10_000, false)])
  socket.destroy()
  if (!isOver) throw new Error(`${String(chunks.length)} pieces came, and then no more`)
  const bytes = Buffer.concat(chunks)
  const answers: Piped[] = []
  for (let at = 0; at < bytes.length;) {
    const { answer, next } = answerAt(bytes, at)
    answers.push(answer)
    at = next
  }
  return answers
}
