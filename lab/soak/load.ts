import { EventEmitter } from 'node:events'
import { Agent, get } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

/** What became of the requests, in milliseconds each. */
export interface Tally {
  readonly served: number[]
  readonly refused: number[]
  /** What is neither an answer nor a refusal in order, with how often it was seen. */
  readonly wrong: Map<string, number>
  /** Tells of each that was served. */
  readonly heard: EventEmitter
}

export const emptyTally = (): Tally => ({
  served: [],
  refused: [],
  wrong: new Map(),
  heard: new EventEmitter(),
})

const note = ({ wrong }: Tally, what: string): void => void wrong.set(what, (wrong.get(what) ?? 0) + 1)

function judge(
  tally: Tally,
  path: string,
  status: number,
  retry: unknown,
  whole: boolean,
  took: number,
): void {
  if (!whole) note(tally, `${path}: half a body`)
  else if (status === 200) {
    tally.served.push(took)
    tally.heard.emit('served')
  } else if (status === 503 && retry === '1') tally.refused.push(took)
  else note(tally, `${path}: ${String(status)}`)
}

/** No two texts that are asked at about the same time are the same: identical requests would share one answer. */
const mostTails = 61

const textOf = ({ paths }: Target, number: number): string =>
  (paths[number % paths.length] ?? '') + '&'.repeat(number % mostTails)

/** One request; resolves in any case, once it is over. */
export function ask(port: number, agent: Agent, path: string, tally: Tally): Promise<void> {
  const begun = performance.now()
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
      })
      response.on('close', () => {
        const { statusCode = 0, headers, complete } = response
        const whole = complete && bytes === Number(headers['content-length'])
        judge(tally, path, statusCode, headers['retry-after'], whole, performance.now() - begun)
        resolve()
      })
    }).on('error', (error: NodeJS.ErrnoException) => {
      note(tally, `${path}: ${error.code ?? error.message}`)
      resolve()
    })
  })
}

export interface Target {
  readonly port: number
  readonly paths: readonly string[]
}

const isOver = (until: number): boolean => performance.now() >= until

/** So many ask at a time, each again as soon as it is answered. */
export async function inTurn(target: Target, askers: number, seconds: number): Promise<Tally> {
  const tally = emptyTally()
  const agent = new Agent({ keepAlive: true })
  const until = performance.now() + seconds * 1000
  let next = 0
  const askOn = async (): Promise<void> => {
    while (!isOver(until)) {
      next += 1
      await ask(target.port, agent, textOf(target, next), tally)
    }
  }
  await Promise.all(Array.from({ length: askers }, askOn))
  agent.destroy()
  return tally
}

/** Every text once, so that later ones find what they need in place. */
export async function inAllWords(target: Target): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let number = 0; number < target.paths.length * mostTails; number += 1) {
    await ask(target.port, agent, textOf(target, number), emptyTally())
  }
  agent.destroy()
}

async function together(target: Target, count: number, agent: Agent, tally: Tally): Promise<void> {
  const asked = Array.from({ length: count }, (_, number) =>
    ask(target.port, agent, textOf(target, number), tally),
  )
  await Promise.all(asked)
}

/** So many together. */
export async function atOnce(target: Target, count: number, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  await together(target, count, agent, tally)
  agent.destroy()
}

const mostFloods = 3

/**
 * So many together, and again on the same connections unless somebody was refused: Node takes up new connections about as
 * fast as SQLite answers, so that a flood of these may come one by one.
 */
export async function untilRefused(target: Target, count: number, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let floods = 0; floods < mostFloods && tally.refused.length === 0; floods += 1) {
    await together(target, count, agent, tally)
  }
  agent.destroy()
}

const beat = 5

/** How much later than they should have been requests were sent: more than a beat or two, and it is the asker who is slow. */
export type Lateness = readonly number[]

/** So many a second, whether or not those before are answered. Ends once all are. */
export async function atRate(
  target: Target,
  perSecond: number,
  seconds: number,
  tally: Tally,
): Promise<Lateness> {
  const agent = new Agent({ keepAlive: true })
  const under = new Set<Promise<void>>()
  const begun = performance.now()
  const late: number[] = []
  let sent = 0
  while (!isOver(begun + seconds * 1000)) {
    const due = ((performance.now() - begun) * perSecond) / 1000
    for (; sent < due; sent += 1) {
      late.push(performance.now() - begun - (sent * 1000) / perSecond)
      const asked = ask(target.port, agent, textOf(target, sent), tally)
      under.add(asked)
      void asked.then(() => under.delete(asked))
    }
    await pause(beat)
  }
  await Promise.all(under)
  agent.destroy()
  return late
}
