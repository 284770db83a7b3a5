import { makeFlights } from '../../lib/cache/flights'
import type { Finding } from '../../lib/cache'
import type { Body } from '../../lib/cache/body'
import type { Moment } from '../../lib/database'
import type { ByClock } from '../../lib/cache/read'
import { makeStop, type Stop } from '../../lib/load'
import { type Bytes, inOnePiece } from '../../lib/shape'

const key = 'the same for all'
const moment = (clock: string, settled = true): Moment => ({ clock, settled, server: 'one' })

/** A reading that tells its state and ends when the test says so. */
interface Reading {
  readonly stop: Stop
  readonly tell: (state: string) => void
  readonly end: (text: string) => void
}

function readings(): {
  readonly begun: Reading[]
  readonly read: (stop: Stop, finding: Finding) => Promise<Bytes>
} {
  const begun: Reading[] = []
  return {
    begun,
    read: async (stop, { onConnection, sight }) => {
      await onConnection?.(() => Promise.resolve([]), {})
      return new Promise((resolve, reject) => {
        const end = (text: string): void => {
          resolve(inOnePiece(Buffer.from(text)))
        }
        const tell = (state: string): void => {
          sight?.seen({ connection: {}, state, shown: null, isInSnapshot: true })
        }
        begun.push({ stop, tell, end })
        stop.stopped.catch(reject)
      })
    },
  }
}

const textOf = (body: Body | null): string | undefined => body?.bytes.pieces.join('')
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('identical requests', () => {
  it('share no reading that began before they came, but the one that begins after it', async () => {
    const { share, shared } = makeFlights(() => undefined)
    const { begun, read } = readings()
    const ask = (): Promise<Body | null> => share({ key, moment: undefined, read }, makeStop(Infinity))
    const first = ask()
    await turn()
    const others = [ask(), ask(), ask()]
    await turn()
    expect(begun).toHaveLength(1)
    begun[0]?.end('before')
    expect(textOf(await first)).toBe('before')
    await turn()
    expect(begun).toHaveLength(2)
    begun[1]?.end('after')
    expect((await Promise.all(others)).map(textOf)).toEqual(['after', 'after', 'after'])
    expect(shared()).toBe(2)
  })

  it('share a reading under way where the clock has stood still since it began', async () => {
    const { share } = makeFlights(() => undefined)
    const { begun, read } = readings()
    const ask = (clock: string): Promise<Body | null> =>
      share({ key, moment: moment(clock), read }, makeStop(Infinity))
    const first = ask('1')
    await turn()
    const same = ask('1')
    const later = ask('2')
    begun[0]?.end('one')
    expect([textOf(await first), textOf(await same)]).toEqual(['one', 'one'])
    await turn()
    begun[1]?.end('two')
    expect(textOf(await later)).toBe('two')
  })

  it.each([
    ['has not stood still for long enough', moment('1', false)],
    ['cannot be asked', null],
  ])('share no reading under way where the clock %s', async (_, when) => {
    const { share } = makeFlights(() => undefined)
    const { begun, read } = readings()
    const first = share({ key, moment: when, read }, makeStop(Infinity))
    await turn()
    const second = share({ key, moment: when, read }, makeStop(Infinity))
    begun[0]?.end('one')
    expect(textOf(await first)).toBe('one')
    await turn()
    begun[1]?.end('two')
    expect(textOf(await second)).toBe('two')
  })

  it('lose nothing when one of them leaves, and end the reading when all have', async () => {
    const { share } = makeFlights(() => undefined)
    const { begun, read } = readings()
    const stops = [makeStop(Infinity), makeStop(Infinity), makeStop(Infinity)]
    const asked = stops.map((stop) => share({ key, moment: moment('1'), read }, stop))
    const ends = Promise.allSettled(asked)
    await turn()
    stops[0]?.stop()
    await turn()
    expect(begun[0]?.stop.isStopped()).toBe(false)
    stops[1]?.stop()
    stops[2]?.stop()
    await turn()
    expect(begun[0]?.stop.isStopped()).toBe(true)
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const again = share({ key, moment: moment('1'), read }, makeStop(Infinity))
    await turn()
    begun[1]?.end('anew')
    expect(textOf(await again)).toBe('anew')
  })

  it('wait for a slow reading no longer than a while', async () => {
    const { share } = makeFlights(() => undefined)
    const { begun, read } = readings()
    const first = share({ key, moment: undefined, read }, makeStop(Infinity))
    await turn()
    const second = share({ key, moment: undefined, read }, makeStop(Infinity))
    while (begun.length < 2) await turn()
    begun[1]?.end('second')
    expect(textOf(await second)).toBe('second')
    begun[0]?.end('first')
    expect(textOf(await first)).toBe('first')
  })
})

describe('what was read', () => {
  const tagOf = (clock: string): string => `tag ${clock}`

  const byClock = (server: string, untold: string[] = []): ByClock => ({
    serverOf: () => Promise.resolve(server),
    sight: (tell) => ({
      ask: null,
      seen: ({ state }) => {
        tell({ count: String(state), server })
        return null
      },
    }),
    told: (shown) => (shown === null ? null : moment(shown.count ?? '')),
    untold: (which) => untold.push(which),
    tagOf,
  })

  async function keptAs(server: string, when: Moment): Promise<string | null | undefined> {
    const kept: Body[] = []
    const flights = makeFlights((_, body) => kept.push(body), byClock(server))
    const { begun, read } = readings()
    const asked = flights.share({ key, moment: when, read }, makeStop(Infinity))
    await turn()
    begun[0]?.end('text')
    await asked
    return kept[0]?.clock
  }

  it('is kept by the clock that was asked before it', async () => {
    expect(await keptAs('one', moment('1'))).toBe('1')
  })

  it('is not kept by a clock that has not stood still for long enough', async () => {
    expect(await keptAs('one', moment('1', false))).toBeNull()
  })

  it('is not kept by the clock of another server than the one it was read from', async () => {
    expect(await keptAs('two', moment('1'))).toBeNull()
  })

  describe('before anybody asked the clock', () => {
    function started(): {
      readonly ask: (moment?: Moment) => Promise<Body | null>
      readonly begun: readonly Reading[]
      readonly kept: readonly Body[]
      readonly untold: readonly string[]
    } {
      const kept: Body[] = []
      const untold: string[] = []
      const { share } = makeFlights((_, body) => kept.push(body), byClock('one', untold))
      const { begun, read } = readings()
      const ask = (moment?: Moment): Promise<Body | null> => share({ key, moment, read }, makeStop(Infinity))
      return { ask, begun, kept, untold }
    }

    it('is kept by the state that it tells', async () => {
      const { ask, begun, kept, untold } = started()
      const asked = ask()
      await turn()
      begun[0]?.tell('1')
      begun[0]?.end('text')
      await asked
      expect([kept[0]?.clock, untold]).toEqual(['1', []])
    })

    it('is kept by nothing, and named, where it tells none', async () => {
      const { ask, begun, kept, untold } = started()
      const asked = ask()
      await turn()
      begun[0]?.end('text')
      await asked
      expect([kept[0]?.clock, untold]).toEqual([null, [key]])
    })

    it.each([
      ['1', 1],
      ['2', 2],
    ])(
      'is shared with whoever came in state %s once it has told that it reads state 1',
      async (state, count) => {
        const { ask, begun } = started()
        const [first, second] = [ask(), ask(moment(state))]
        await turn()
        expect(begun).toHaveLength(1)
        begun[0]?.tell('1')
        await turn()
        begun[0]?.end('text')
        expect(textOf(await first)).toBe('text')
        await turn()
        expect(begun).toHaveLength(count)
        begun[count - 1]?.end(count === 1 ? 'late' : 'other')
        expect(textOf(await second)).toBe(count === 1 ? 'text' : 'other')
      },
    )
  })
})
