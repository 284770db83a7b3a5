import type { StateAnswer } from '../../lib/freshness'
import { makeStateClock } from '../../lib/freshness/state-clock'
import { watchStates } from '../../lib/freshness/standing-states'

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

const idOf = (state: StateAnswer): string => (typeof state === 'object' ? state.id : state)
const isSettled = (state: StateAnswer): boolean => typeof state === 'object' && state.isSettled

async function ids(answers: readonly Promise<StateAnswer>[]): Promise<string[]> {
  return (await Promise.all(answers)).map(idOf)
}

describe('a strict clock', () => {
  it('gives nobody an answer to a question that was put before he came, and one answer to all who wait', async () => {
    const { pending, ask } = asked()
    const { now, questions } = makeStateClock(ask, watchStates(), strict)
    const first = now()
    const waiting = [now(), now(), now()]
    await turn()
    expect(pending).toHaveLength(1)
    pending[0]?.('old')
    expect(await ids([first])).toEqual(['old one'])
    await turn()
    pending[1]?.('new')
    expect(await ids(waiting)).toEqual(['new one', 'new one', 'new one'])
    expect(questions()).toBe(2)
  })

  it('asks again after a question that failed', async () => {
    let calls = 0
    const { now } = makeStateClock(
      () => {
        calls += 1
        return calls === 1
          ? Promise.reject(new Error('gone'))
          : Promise.resolve({ count: '1', server: 'one' })
      },
      watchStates(),
      strict,
    )
    const first = now()
    const second = now()
    await expect(first).rejects.toThrow('gone')
    expect(await ids([second])).toEqual(['1 one'])
  })

  it('knows nothing where the database cannot say', async () => {
    const { now } = makeStateClock(
      () => Promise.resolve({ count: null, server: 'one' }),
      watchStates(),
      strict,
    )
    expect(await now()).toBe('unknown')
  })
})

describe('a clock that runs ahead of what can be seen', () => {
  it('is trusted once it has stood still for a while, and again not when it has moved', async () => {
    let count = '1'
    const { now } = makeStateClock(() => Promise.resolve({ count, server: 'one' }), watchStates(), {
      ...strict,
      ahead: 5,
    })
    expect(isSettled(await now())).toBe(false)
    while (!isSettled(await now())) await turn()
    count = '2'
    expect(isSettled(await now())).toBe(false)
  })
})

describe('a clock that may be late', () => {
  it('answers from what it knows, asks meanwhile, and waits when what it knows is too old', async () => {
    const { pending, ask } = asked()
    const { now } = makeStateClock(ask, watchStates(), { ahead: 0, freshness: 300 })
    const first = now()
    pending[0]?.('1')
    expect(await ids([first])).toEqual(['1 one'])
    while (pending.length < 2) {
      expect(await ids([now()])).toEqual(['1 one'])
      await turn()
    }
    const answerOrWait = (): Promise<string> => Promise.race([now().then(idOf), turn().then(() => 'waits')])
    while ((await answerOrWait()) !== 'waits') await turn()
    const late = [now(), now()]
    pending.forEach((answer) => {
      answer('2')
    })
    await turn()
    pending.forEach((answer) => {
      answer('3')
    })
    const [one, other] = await ids(late)
    expect(one).not.toBe('1 one')
    expect(other).toBe(one)
  })
})
