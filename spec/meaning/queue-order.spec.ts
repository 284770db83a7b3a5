import { setImmediate as settled } from 'node:timers/promises'
import { makeQueue, type Queue, type QueueLimits } from '../../lib/http/queue'
import { makeStop, type Stop } from '../../lib/load'

const nothing = (): void => undefined
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const forever = (): Stop => makeStop(Infinity)
const busy = { status: 503, message: 'Too many requests wait for an answer' }

const limits = (
  maxRunning: number,
  maxWaiting: number,
  maxWaitingWhileRefusing = maxWaiting,
): QueueLimits => ({
  maxRunning,
  maxWaiting,
  maxWaitingWhileRefusing,
})

interface Job {
  readonly begun: () => boolean
  readonly end: () => void
  readonly fail: () => void
  readonly done: Promise<void>
}

/** Work that lasts until it is told to end. */
function start(queue: Queue, stop = forever()): Job {
  let isBegun = false
  let end = nothing
  let fail = nothing
  const work = (): Promise<void> => {
    isBegun = true
    return new Promise((resolve, reject) => {
      end = resolve
      fail = () => {
        reject(new Error('failed'))
      }
    })
  }
  const done = queue.enter(stop).then((leave) => work().finally(leave))
  done.catch(nothing)
  return {
    begun: () => isBegun,
    end: () => {
      end()
    },
    fail: () => {
      fail()
    },
    done,
  }
}

/** Once all that could begin has. */
async function begun(jobs: readonly Job[]): Promise<boolean[]> {
  await settled()
  return jobs.map((job) => job.begun())
}

describe('the queue', () => {
  it('lets in as many as may run, and the next in the order in which they came', async () => {
    const queue = makeQueue(limits(2, 3), logger)
    const jobs = [start(queue), start(queue), start(queue), start(queue), start(queue)] as const
    expect(await begun(jobs)).toEqual([true, true, false, false, false])
    jobs[1].end()
    await jobs[1].done
    expect(await begun(jobs)).toEqual([true, true, true, false, false])
    jobs[0].fail()
    await expect(jobs[0].done).rejects.toThrow('failed')
    expect(await begun(jobs)).toEqual([true, true, true, true, false])
  })

  it('refuses at once whoever finds it full, and lets in again once it is not', async () => {
    const queue = makeQueue(limits(1, 1), logger)
    const [first, second, third] = [start(queue), start(queue), start(queue)]
    await expect(third.done).rejects.toMatchObject(busy)
    first.end()
    await first.done
    expect(await begun([second, third])).toEqual([true, false])
    second.end()
    await second.done
    expect(await begun([start(queue)])).toEqual([true])
  })

  it('gives the place of whoever left to another, and never begins their work', async () => {
    const queue = makeQueue(limits(1, 1), logger)
    const stop = forever()
    const [first, left] = [start(queue), start(queue, stop)]
    stop.stop()
    await expect(left.done).rejects.toMatchObject({ status: 503 })
    const third = start(queue)
    first.end()
    await first.done
    expect(await begun([left, third])).toEqual([false, true])
  })

  it('counts whoever left after they were let in until their work ends', async () => {
    const queue = makeQueue(limits(1, 0), logger)
    const stop = forever()
    const first = start(queue, stop)
    stop.stop()
    await expect(start(queue).done).rejects.toMatchObject(busy)
    first.end()
    await first.done
    expect(await begun([start(queue)])).toEqual([true])
  })

  it('keeps a burst, and is short once it refused somebody, until nobody was refused for ten seconds', async () => {
    let time = 0
    const queue = makeQueue(limits(1, 4, 1), logger, { now: () => time })
    const burst = Array.from({ length: 5 }, () => start(queue))
    await expect(start(queue).done).rejects.toMatchObject(busy)
    const finish = async (jobs: readonly Job[]): Promise<void> => {
      for (const job of jobs) {
        job.end()
        await job.done
        await settled()
      }
    }
    await finish(burst.slice(0, 3))
    time = 9_999
    await expect(start(queue).done).rejects.toMatchObject(busy)
    await finish(burst.slice(3, 4))
    time = 19_998
    const next = start(queue)
    await expect(start(queue).done).rejects.toMatchObject(busy)
    time = 29_998
    const others = [start(queue), start(queue), start(queue)]
    await expect(start(queue).done).rejects.toMatchObject(busy)
    await finish([...burst.slice(4), next, ...others])
  })

  it('tells the logger of a flood, in one line', async () => {
    const told: object[] = []
    const warn = (facts: object): void => {
      told.push(facts)
    }
    const queue = makeQueue(limits(1, 0), { ...logger, warn })
    start(queue)
    await Promise.allSettled([start(queue).done, start(queue).done, start(queue).done])
    expect(told).toEqual([{ refused: 1, running: 1, waiting: 0 }])
  })
})
