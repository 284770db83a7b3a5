import { bodyOf } from './compare'
import { forgetPeak, memoryOf } from './processor'
import { spreadOf, type Spread } from './ratios'
import type { RunningSide } from './running-side'

/** What a server has been asked that is to be asked for something large: enough for its heap to have its usual size. */
const pages = 60

/** Starts a side that can be told to collect its garbage. */
export type StartSide = () => Promise<RunningSide>

export interface Weighed {
  /** Asked for once, so that SQLite's page cache is as full as those of servers, which are not counted at all. */
  readonly filling: readonly string[]
  /** Of pages of usual size, asked for before. */
  readonly usual: readonly string[]
  readonly large: string
}

async function growthOnce(start: StartSide, { filling, usual, large }: Weighed): Promise<number | null> {
  const side = await start()
  try {
    for (const path of filling) await bodyOf(side, path)
    for (let count = 0; count < pages; count += 1) for (const path of usual) await bodyOf(side, path)
    await side.tell({ tell: 'collect' })
    const before = memoryOf(side.pid)
    forgetPeak(side.pid)
    const { length } = Buffer.from(await bodyOf(side, large))
    const after = memoryOf(side.pid)
    return before === undefined || after === undefined ? null : (after.peak - before.now) / length
  } finally {
    await side.stop()
  }
}

/** What the first large answer of a process takes of the system at its peak, in bodies. */
export async function firstGrowth(start: StartSide, weighed: Weighed, times: number): Promise<Spread | null> {
  const grown: number[] = []
  for (let time = 0; time < times; time += 1) {
    const growth = await growthOnce(start, weighed)
    if (growth !== null) grown.push(growth)
  }
  return spreadOf(grown)
}
