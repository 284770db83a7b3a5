import {
  atOnce,
  atRate,
  emptyTally,
  inAllWords,
  inTurn,
  type Lateness,
  type Tally,
  type Target,
  untilRefused,
} from './load'
import type { Ending, Given, Holdings } from './server'
import { type Soaked, startSoaked } from './soaked'

export interface Campaign extends Given {
  readonly seconds: number
}

/** What was found out within a minute or less: a machine that others use as well is not the same for long. */
export interface Round {
  /** One request after the other. */
  readonly unloaded: Tally
  /** What it can serve. */
  readonly perSecond: number
  /** More at once than the queue holds. */
  readonly flood: Tally
  /** Twice what it can serve. */
  readonly loaded: Tally
  readonly lateness: Lateness
}

export interface Outcome {
  readonly seconds: number
  readonly rounds: readonly Round[]
  /** What was asked while it was told to end. */
  readonly closing: Tally
  readonly ending: Ending
  readonly before: Holdings
  readonly after: Holdings
  /** Seconds of a processor that asking took. */
  readonly asking: number
}

const paths = [
  '/api/articles?pagination[pageSize]=10',
  '/api/articles?populate=author,category,tags,cover',
  '/api/articles?filters[title][$contains]=a&sort=title:desc',
  '/api/articles?populate=*&pagination[pageSize]=5',
  '/api/authors?populate=*',
  '/api/tags?sort=name',
]

const longestRound = 60
/** More than any queue holds here. */
const manyAtOnce = 300

const trialSeconds = 5
const trialOf = (seconds: number): number => Math.min(trialSeconds, Math.max(1, seconds / 12))

async function goRound(target: Target, askers: number, seconds: number): Promise<Round> {
  const trial = trialOf(seconds)
  const unloaded = await inTurn(target, 1, trial)
  const perSecond = (await inTurn(target, askers, trial)).served.length / trial
  const [flood, loaded] = [emptyTally(), emptyTally()]
  await untilRefused(target, manyAtOnce, flood)
  const lateness = await atRate(target, 2 * perSecond, Math.max(1, seconds - 2 * trial), loaded)
  return { unloaded, perSecond, flood, loaded, lateness }
}

/** Told to end while a queue waits and twice what it can serve goes on being asked. */
async function endUnder(target: Target, soaked: Soaked, perSecond: number, closing: Tally): Promise<Ending> {
  const ending = new Promise<Ending>((resolve, reject) => {
    closing.heard.once('served', () => {
      soaked.close().then(resolve, reject)
    })
  })
  const flooding = atOnce(target, manyAtOnce, closing)
  await atRate(target, 2 * perSecond, 2, closing)
  await flooding
  return await ending
}

const cpuOfThis = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Twice what it can serve, for as long as it was asked to, in rounds; then the same while it ends. */
export async function soak({ seconds, ...given }: Campaign): Promise<Outcome> {
  const soaked = await startSoaked(given)
  const { maxRunning } = given.queue
  try {
    const target = { port: soaked.port, paths }
    const count = Math.ceil(seconds / longestRound)
    await inAllWords(target)
    await goRound(target, maxRunning, 1)
    const before = await soaked.holdings()
    const begun = cpuOfThis()
    const rounds: Round[] = []
    while (rounds.length < count) rounds.push(await goRound(target, maxRunning, seconds / count))
    const asking = cpuOfThis() - begun
    const after = await soaked.holdings()
    const closing = emptyTally()
    const ending = await endUnder(target, soaked, rounds.at(-1)?.perSecond ?? 0, closing)
    return { seconds, rounds, closing, ending, before, after, asking }
  } finally {
    await soaked.stop()
  }
}
