import type { Knex } from 'knex'
import { atRate, emptyTally, inTurn, type Tally } from './load'
import type { Holdings } from './server'
import { startSoaked } from './soaked'

export interface Campaign {
  readonly contentTypes: string
  readonly database: Knex.Config
  readonly seconds: number
  readonly maxRunning: number
  readonly maxWaiting: number
}

export interface Outcome {
  readonly seconds: number
  /** One request after the other. */
  readonly unloaded: Tally
  readonly perSecond: number
  readonly loaded: Tally
  /** What was asked while it was told to end. */
  readonly closing: Tally
  readonly before: Holdings
  readonly after: Holdings
}

const paths = [
  '/api/articles?pagination[pageSize]=10',
  '/api/articles?populate=author,category,tags,cover',
  '/api/articles?filters[title][$contains]=a&sort=title:desc',
  '/api/articles?populate=*&pagination[pageSize]=5',
  '/api/authors?populate=*',
  '/api/tags?sort=name',
]

const calibration = (seconds: number): number => Math.min(10, Math.max(1, seconds / 10))

/** Twice what it can serve, for as long as it was asked to; then the same while it ends. */
export async function soak({ contentTypes, database, seconds, ...queue }: Campaign): Promise<Outcome> {
  const soaked = await startSoaked({ contentTypes, database, queue })
  try {
    const target = { port: soaked.port, paths }
    const trial = calibration(seconds)
    await inTurn(target, queue.maxRunning, trial)
    const unloaded = await inTurn(target, 1, trial)
    const perSecond = (await inTurn(target, queue.maxRunning, trial)).served.length / trial
    const [loaded, closing] = [emptyTally(), emptyTally()]
    await atRate(target, 2 * perSecond, trial, emptyTally())
    const before = await soaked.holdings()
    await atRate(target, 2 * perSecond, seconds, loaded)
    const after = await soaked.holdings()
    const last = atRate(target, 2 * perSecond, trial, closing)
    await soaked.close()
    await last
    return { seconds, unloaded, perSecond, loaded, closing, before, after }
  } finally {
    await soaked.stop()
  }
}
