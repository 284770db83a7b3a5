import { profileFile } from './profile'
import type { RunningSide } from './running-side'
import { type Client, run, type Run } from './run'

export interface Contest {
  readonly sides: readonly RunningSide[]
  readonly serverPid: number | null
  readonly pathsOf: (side: RunningSide) => readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly warm: number
  readonly connections: number
  readonly client: Client
  /** The side whose CPU is looked into, once it is warm. */
  readonly profile: string
  /** The fewest requests of a run: few for requests that take seconds. */
  readonly least?: number
}

export async function bodyOf({ origin, name }: RunningSide, path: string): Promise<string> {
  const response = await fetch(origin + path)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${name} answers ${path} with ${body.slice(0, 300)}`)
  return body
}

const fewest = 4

/** Warms a side up, and finds how many requests it answers in the time that one run has. */
async function amountFor(side: RunningSide, contest: Contest): Promise<number> {
  const paths = contest.pathsOf(side)
  const { serverPid, seconds, warm, connections, client, least = fewest } = contest
  const asking = { paths, connections, client }
  const trial = await run(side, serverPid, { ...asking, amount: Math.max(connections, least) })
  const second = await run(side, serverPid, {
    ...asking,
    amount: Math.max(least, Math.round(trial.perSecond * warm)),
  })
  return Math.max(least, Math.round(second.perSecond * seconds))
}

/** Whoever begins a round is another each time. */
function turned<T>(all: readonly T[], by: number): readonly T[] {
  const start = all.length === 0 ? 0 : by % all.length
  return [...all.slice(start), ...all.slice(0, start)]
}

/** Runs the sides in turn, round by round, so that what else the machine does falls on all of them. */
export async function contend(contest: Contest): Promise<Record<string, Run[]>> {
  const { sides, serverPid, connections, client, profile, rounds } = contest
  const amounts = new Map<RunningSide, number>()
  for (const side of sides) {
    amounts.set(side, await amountFor(side, contest))
    if (side.name === profile) await side.tell({ tell: 'profile', file: profileFile })
  }
  const runs: Record<string, Run[]> = Object.fromEntries(sides.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const side of turned(sides, round)) {
      const amount = amounts.get(side) ?? fewest
      const paths = contest.pathsOf(side)
      runs[side.name]?.push(await run(side, serverPid, { paths, connections, client, amount }))
    }
  }
  return runs
}
