import { connect } from 'node:net'
import { type Driven, type Load, nextPart } from './load'

/** A head is small, and a read as large as the system gives. */
const longestHead = 8192
const readSize = 512 * 1024

function lengthIn(head: string): number {
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined)
    throw new Error(`an answer is no 200 with a length: ${head.slice(0, 300)}`)
  return Number(length)
}

/** Takes what is read, and tells whether an answer is complete by that. No more than one is asked for at a time. */
function makeFraming(): (bytes: Buffer, count: number) => boolean {
  let head = ''
  let left = 0
  return (bytes, count) => {
    if (left > 0) left -= count
    else {
      const before = head.length
      head += bytes.toString('latin1', 0, Math.min(count, longestHead))
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return false
      left = lengthIn(head.slice(0, end + 1)) - (count - (end + 4 - before))
      head = ''
    }
    if (left < 0) throw new Error('an answer is longer than it says')
    return left === 0
  }
}

interface Turns {
  /** The next question, or that there is none. */
  readonly next: () => Buffer | undefined
  readonly answered: (milliseconds: number) => void
}

/** Asks on one connection for as long as there are questions. */
function ask({ hostname, port }: URL, { next, answered }: Turns): Promise<void> {
  return new Promise((resolve, reject) => {
    const isComplete = makeFraming()
    let asked = 0
    const askNext = (): void => {
      const question = next()
      asked = performance.now()
      if (question === undefined) socket.end(resolve)
      else socket.write(question)
    }
    const callback = (count: number, bytes: Buffer): boolean => {
      try {
        if (!isComplete(bytes, count)) return true
        answered(performance.now() - asked)
        askNext()
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
      }
      return true
    }
    const onread = { buffer: Buffer.allocUnsafe(readSize), callback }
    const socket = connect({ host: hostname, port: Number(port), onread }, askNext)
    socket.on('error', reject)
    socket.on('end', () => {
      reject(new Error('a connection was closed before its answer was there'))
    })
  })
}

/**
 * Looks at nothing but the heads of answers and counts the bytes of their bodies, so that who asks has less to do than
 * who answers from memory.
 */
export async function driveBySockets(origin: string, load: Load): Promise<Driven> {
  const url = new URL(origin)
  const times: number[] = []
  let left = load.amount
  const turns = (): Turns => {
    const questions = nextPart(load).map((path) =>
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`),
    )
    let turn = 0
    return {
      next: () => {
        if (left === 0) return undefined
        left -= 1
        turn += 1
        return questions[(turn - 1) % questions.length]
      },
      answered: (milliseconds) => times.push(milliseconds),
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: Math.min(load.connections, load.amount) }, () => ask(url, turns())))
  const seconds = (performance.now() - begun) / 1000
  const sorted = times.sort((one, other) => one - other)
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN
  return { seconds, p50: at(0.5), p99: at(0.99) }
}
