import { type Clock, makeClock } from '../../lib/cache/clock'
import { makeStates } from '../../lib/cache/states'

/** A database that answers when the test says so. */
function asked(): {
  readonly pending: ((count: string | null) => void)[]
  readonly ask: () => Promise<{ count: string | null; server: string }>
} {
  const pending: ((count: string | null) => void)[] = []
  return {
    pending,
    ask: () =>
      new Promise((resolve) => {
        pending.push((count) => {
          resolve({ count, server: 'one' })
        })
      }),
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const strict = { ahead: 0, freshness: 'strict' } as const

async function clocks(answers: readonly Promise<Awaited<ReturnType<Clock['now']>>>[]): Promise<unknown[]> {
  return (await Promise.all(answers)).map((moment) => moment?.clock)
}

describe('a strict clock', () => {
  it('gives nobody an answer to a question that was put before he came, and one answer to all who wait', async () => {
    const { pending, ask } = asked()
    const { now, questions } = makeClock(ask, makeStates(), strict)
    const first = now()
    const waiting = [now(), now(), now()]
    await turn()
    expect(pending).toHaveLength(1)
    pending[0]?.('old')
    expect(await clocks([first])).toEqual(['old one'])
    await turn()
    pending[1]?.('new')
    expect(await clocks(waiting)).toEqual(['new one', 'new one', 'new one'])
    expect(questions()).toBe(2)
  })

  it('asks again after a question that failed', async () => {
    let calls = 0
    const { now } = makeClock(
      () => {
        calls += 1
        return calls === 1
          ? Promise.reject(new Error('gone'))
          : Promise.resolve({ count: '1', server: 'one' })
      },
      makeStates(),
      strict,
    )
    const first = now()
    const second = now()
    await expect(first).rejects.toThrow('gone')
    expect(await clocks([second])).toEqual(['1 one'])
  })

  it('knows nothing where the database cannot say', async () => {
    const { now } = makeClock(() => Promise.resolve({ count: null, server: 'one' }), makeStates(), strict)
    expect(await now()).toBeNull()
  })
})

describe('a clock that runs ahead of what can be seen', () => {
  it('is trusted once it has stood still for a while, and again not when it has moved', async () => {
    let count = '1'
    const { now } = makeClock(() => Promise.resolve({ count, server: 'one' }), makeStates(), {
      ...strict,
      ahead: 5,
    })
    expect((await now())?.settled).toBe(false)
    while ((await now())?.settled !== true) await turn()
    count = '2'
    expect((await now())?.settled).toBe(false)
  })
})

describe('a clock that may be late', () => {
  it('answers from what it knows, asks meanwhile, and waits when what it knows is too old', async () => {
    const { pending, ask } = asked()
    const { now } = makeClock(ask, makeStates(), { ahead: 0, freshness: 300 })
    const first = now()
    pending[0]?.('1')
    expect(await clocks([first])).toEqual(['1 one'])
    while (pending.length < 2) {
      expect(await clocks([now()])).toEqual(['1 one'])
      await turn()
    }
    const answerOrWait = (): Promise<string | undefined> =>
      Promise.race([now().then((moment) => moment?.clock), turn().then(() => 'waits')])
    while ((await answerOrWait()) !== 'waits') await turn()
    const late = [now(), now()]
    pending.forEach((answer) => {
      answer('2')
    })
    await turn()
    pending.forEach((answer) => {
      answer('3')
    })
    const [one, other] = await clocks(late)
    expect(one).not.toBe('1 one')
    expect(other).toBe(one)
  })
})
