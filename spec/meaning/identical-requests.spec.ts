import type { ReadBody } from '../../lib/cache'
import type { Body } from '../../lib/cache/body'
import { shareReadings } from '../../lib/cache/share-readings'
import { bodyByState, type KeepingByState } from '../../lib/cache/shared-reading'
import type { LeftState, StateAnswer } from '../../lib/freshness'
import { makeStop, type Stop } from '../../lib/load'
import { onTables } from '../../lib/feed'
import { inOnePiece } from '../../lib/shape'

const key = 'the same for all'
const state = (id: string, isSettled = true): StateAnswer => ({ id, isSettled, server: 'one' })

/** A reading that ends when the test says so. */
interface Reading {
  readonly stop: Stop
  readonly end: (text: string) => void
}

function readings(): {
  readonly begun: Reading[]
  readonly read: ReadBody
} {
  const begun: Reading[] = []
  return {
    begun,
    read: async (stop, onConnection) => {
      const tables = new Set<string>()
      const from = { tables: () => tables, isNamedOnce: () => false, basis: () => onTables(tables) }
      const run = (): Promise<[]> => Promise.resolve([])
      await onConnection?.({ run, connection: {}, isInSnapshot: true, from, state: undefined })
      return new Promise((resolve, reject) => {
        const end = (text: string): void => {
          resolve({ bytes: inOnePiece(Buffer.from(text)), sources: null })
        }
        begun.push({ stop, end })
        stop.stopped.catch(reject)
      })
    },
  }
}

const keeping: KeepingByState = {
  stateBehind: () => Promise.resolve({ id: '1', server: 'one' }),
  isSame: () => false,
  tellsRows: true,
  tagOf: (id) => `tag ${id}`,
}

const textOf = (body: Body | null): string | undefined => body?.bytes.pieces.join('')
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('identical requests', () => {
  it('share no reading that began before they came, but the one that begins after it', async () => {
    const { share, shared } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const ask = (): Promise<Body | null> => share({ key, state: 'unasked', read }, makeStop(Infinity))
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
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const ask = (id: string): Promise<Body | null> =>
      share({ key, state: state(id), read }, makeStop(Infinity))
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

  it.each<[string, StateAnswer]>([
    ['has not stood still for long enough', state('1', false)],
    ['cannot be asked', 'unknown'],
  ])('share no reading under way where the clock %s', async (_, when) => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const first = share({ key, state: when, read }, makeStop(Infinity))
    await turn()
    const second = share({ key, state: when, read }, makeStop(Infinity))
    begun[0]?.end('one')
    expect(textOf(await first)).toBe('one')
    await turn()
    begun[1]?.end('two')
    expect(textOf(await second)).toBe('two')
  })

  it('lose nothing when one of them leaves, and end the reading when all have', async () => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const stops = [makeStop(Infinity), makeStop(Infinity), makeStop(Infinity)]
    const asked = stops.map((stop) => share({ key, state: state('1'), read }, stop))
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
    const again = share({ key, state: state('1'), read }, makeStop(Infinity))
    await turn()
    begun[1]?.end('anew')
    expect(textOf(await again)).toBe('anew')
  })

  it('wait for a slow reading no longer than a while', async () => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const first = share({ key, state: 'unasked', read }, makeStop(Infinity))
    await turn()
    const second = share({ key, state: 'unasked', read }, makeStop(Infinity))
    while (begun.length < 2) await turn()
    begun[1]?.end('second')
    expect(textOf(await second)).toBe('second')
    begun[0]?.end('first')
    expect(textOf(await first)).toBe('first')
  })
})

describe('what was read', () => {
  /** `left`: the state in which the database was when all had been read. */
  async function keptAs(left: LeftState | null, when: StateAnswer): Promise<readonly unknown[]> {
    const kept: Body[] = []
    const readingsUntil = { ...keeping, stateBehind: () => Promise.resolve(left) }
    const { share } = shareReadings(bodyByState(readingsUntil), (_, body) => kept.push(body))
    const { begun, read } = readings()
    const asked = share({ key, state: when, read }, makeStop(Infinity))
    await turn()
    begun[0]?.end('text')
    await asked
    return [kept[0]?.state, kept[0]?.tag]
  }

  it('is kept by the clock that was asked before it', async () => {
    expect(await keptAs({ id: '1', server: 'one' }, state('1'))).toEqual([
      { id: '1', server: 'one' },
      'tag 1',
    ])
  })

  it('is not tagged by a clock that has moved while it was read', async () => {
    expect(await keptAs({ id: '2', server: 'one' }, state('1'))).toEqual([{ id: '1', server: 'one' }, null])
  })

  it.each<[string, LeftState | null, StateAnswer]>([
    ['a clock that has not stood still for long enough', { id: '1', server: 'one' }, state('1', false)],
    ['the clock of another server than the one it was read from', { id: '1', server: 'two' }, state('1')],
    ['a clock that can no longer be asked', null, state('1')],
  ])('is neither kept nor tagged by %s', async (_, left, when) => {
    expect(await keptAs(left, when)).toEqual([null, null])
  })
})
