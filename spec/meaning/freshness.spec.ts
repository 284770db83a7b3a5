import type { ReadBody } from '../../lib/cache'
import type { Body } from '../../lib/cache/cached-bodies'
import { bodyByState, type KeepingByState } from '../../lib/cache/responses'
import { shareReadings } from '../../lib/cache/share-readings'
import { onTables, type LeftState, type KnownState } from '../../lib/freshness'
import { watchStates, makeStateClock } from '../../lib/freshness/state-clock'
import { uncountedServer } from '../../lib/freshness/probing'
import { makeDeadline, type Deadline } from '../../lib/read'
import { inOnePiece } from '../../lib/json'

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

const idOf = (state: KnownState): string => (typeof state === 'object' ? state.id : state)
const isSettled = (state: KnownState): boolean => typeof state === 'object' && state.isSettled

async function ids(answers: readonly Promise<KnownState>[]): Promise<string[]> {
  return (await Promise.all(answers)).map(idOf)
}

describe('the state of the database, with strict freshness', () => {
  it('is asked after a request came, and once for all that wait', async () => {
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

  it('is asked again after a failure', async () => {
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

  it('is unknown if the database cannot tell it', async () => {
    const { now } = makeStateClock(
      () => Promise.resolve({ count: null, server: 'one' }),
      watchStates(),
      strict,
    )
    expect(await now()).toBe('unknown')
  })
})

describe('the state of a database that counts ahead of its commits', () => {
  it('is settled after a while without change', async () => {
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

describe('the state of the database, with a freshness in milliseconds', () => {
  it('is known at once while it is asked again, until it is too old', async () => {
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

const key = 'the same for all'
const state = (id: string, isSettled = true): KnownState => ({ id, isSettled, server: 'one' })

/** A reading that ends when the test says so. */
interface Reading {
  readonly stop: Deadline
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
      await onConnection?.({ run, connection: {}, isInSnapshot: true, from })
      return new Promise((resolve, reject) => {
        const end = (text: string): void => {
          resolve({ bytes: inOnePiece(Buffer.from(text)), headers: null })
        }
        begun.push({ stop, end })
        stop.stopped.catch(reject)
      })
    },
  }
}

const keeping: KeepingByState = {
  stateBehind: () => Promise.resolve({ id: '1', server: 'one' }),
  isStillValid: () => false,
  tagOf: (id) => `tag ${id}`,
}

const textOf = (body: Body | null): string | undefined => body?.bytes.pieces.join('')

describe('identical requests', () => {
  it('share the read that begins after they came', async () => {
    const { share, shared } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const ask = (): Promise<Body | null> => share({ key, state: 'unasked', read }, makeDeadline(Infinity))
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

  it('share a running read if the state has not changed since it began', async () => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const ask = (id: string): Promise<Body | null> =>
      share({ key, state: state(id), read }, makeDeadline(Infinity))
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

  it.each<[string, KnownState]>([
    ['is not settled', state('1', false)],
    ['cannot be asked', 'unknown'],
  ])('share no running read if the state %s', async (_, when) => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const first = share({ key, state: when, read }, makeDeadline(Infinity))
    await turn()
    const second = share({ key, state: when, read }, makeDeadline(Infinity))
    begun[0]?.end('one')
    expect(textOf(await first)).toBe('one')
    await turn()
    begun[1]?.end('two')
    expect(textOf(await second)).toBe('two')
  })

  it('end their read when all of them have left', async () => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const stops = [makeDeadline(Infinity), makeDeadline(Infinity), makeDeadline(Infinity)]
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
    const again = share({ key, state: state('1'), read }, makeDeadline(Infinity))
    await turn()
    begun[1]?.end('anew')
    expect(textOf(await again)).toBe('anew')
  })

  it('do not wait long for a slow read', async () => {
    const { share } = shareReadings(bodyByState(keeping), () => undefined)
    const { begun, read } = readings()
    const first = share({ key, state: 'unasked', read }, makeDeadline(Infinity))
    await turn()
    const second = share({ key, state: 'unasked', read }, makeDeadline(Infinity))
    while (begun.length < 2) await turn()
    begun[1]?.end('second')
    expect(textOf(await second)).toBe('second')
    begun[0]?.end('first')
    expect(textOf(await first)).toBe('first')
  })
})

describe('a response that was read', () => {
  /** `left`: the state in which the database was when all had been read. */
  async function keptAs(left: LeftState | null, when: KnownState): Promise<readonly unknown[]> {
    const kept: Body[] = []
    const readingsUntil = { ...keeping, stateBehind: () => Promise.resolve(left) }
    const { share } = shareReadings(bodyByState(readingsUntil), (_, body) => kept.push(body))
    const { begun, read } = readings()
    const asked = share({ key, state: when, read }, makeDeadline(Infinity))
    await turn()
    begun[0]?.end('text')
    await asked
    return [kept[0]?.state, kept[0]?.tag]
  }

  it('is cached with the state before the read', async () => {
    expect(await keptAs({ id: '1', server: 'one' }, state('1'))).toEqual([
      { id: '1', server: 'one' },
      'tag 1',
    ])
  })

  it('has no ETag if the state changed during the read', async () => {
    expect(await keptAs({ id: '2', server: 'one' }, state('1'))).toEqual([{ id: '1', server: 'one' }, null])
  })

  it.each<[string, LeftState | null, KnownState]>([
    ['a state that is not settled', { id: '1', server: 'one' }, state('1', false)],
    ['the state of another server', { id: '1', server: 'two' }, state('1')],
    ['a state that can no longer be asked', null, state('1')],
  ])('is neither cached nor tagged with %s', async (_, left, when) => {
    expect(await keptAs(left, when)).toEqual([null, null])
  })
})

/** As public sources have them; none of these servers runs here. */
const told: readonly (readonly [product: string, word: string])[] = [
  // The welcome of `cockroach sql`, www.cockroachlabs.com/docs/stable/cockroach-sql
  ['CockroachDB', 'CockroachDB CCL v21.1.1 (x86_64-apple-darwin19, built 2021/05/24 15:00:00, go1.15.11)'],
  // `select version()` before and after its change to PostgreSQL 15, github.com/yugabyte/yugabyte-db
  [
    'YugabyteDB',
    'PostgreSQL 11.2-YB-2.21.0.1-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit',
  ],
  ['YugabyteDB', 'PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu'],
  // The name of its extension, docs.citusdata.com
  ['Citus', 'citus'],
  // `select version()`, docs.pingcap.com/tidb/stable/information-functions
  ['TiDB', '8.0.11-TiDB-v7.5.1'],
  ['TiDB', '5.7.25-TiDB-v6.1.0'],
  // The default of `mysql_server_version`, vitess.io/docs/reference/programs; before it, github.com/vitessio/vitess/pull/7337
  ['Vitess', '8.0.30-Vitess'],
  ['Vitess', '5.7.9-vitess-10.0.0-SNAPSHOT'],
  // A function of its PostgreSQL and a variable of its MySQL, docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide
  ['Aurora', 'aurora_version'],
]

describe('a server that does not count all commits', () => {
  it.each(told)('is recognized as %s by %s', (product, word) => {
    expect(uncountedServer(['read_only', word, 'OFF'])).toBe(product)
  })

  it.each([
    'PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit',
    '10.11.14-MariaDB-0+deb12u2',
    '8.0.36-28',
    '9.7.4',
  ])('is not recognized in %s', (word) => {
    expect(uncountedServer(['version', word])).toBeNull()
  })
})
