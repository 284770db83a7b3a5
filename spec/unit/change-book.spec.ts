import fc from 'fast-check'
import { type ChangeBook, makeChangeBook } from '../../lib/feed/change-book'
import { readSnapshot, seenSince, seesAllOf, type Snapshot } from '../../lib/feed/snapshot'

const snapshot = (text: string): Snapshot => {
  const read = readSnapshot(text)
  if (read === null) throw new Error(text)
  return read
}

describe('a snapshot', () => {
  it('is read as PostgreSQL writes it', () => {
    expect(readSnapshot('10:20:10,14,15')).toEqual({
      lowest: 10,
      next: 20,
      underWay: new Set([10, 14, 15]),
    })
    expect(readSnapshot('7:7:')).toEqual({ lowest: 7, next: 7, underWay: new Set() })
  })

  it.each(['', 'replayed', '10:20', '10:x:', '10:99999999999999999999:'])('is not read from "%s"', (text) => {
    expect(readSnapshot(text)).toBeNull()
  })

  it('tells what another sees beyond it', () => {
    expect(seenSince(snapshot('10:20:10,14'), snapshot('14:23:14,21'))).toEqual([10, 20, 22])
    expect(seesAllOf(snapshot('14:23:14,21'), snapshot('10:20:10,14'))).toBe(true)
    expect(seesAllOf(snapshot('10:20:10,14'), snapshot('14:23:14,21'))).toBe(false)
  })

  it('lists no more than can be looked through', () => {
    expect(seenSince(snapshot('1:1:'), snapshot('9000000:9000000:'))).toBeNull()
  })
})

/** A server whose transactions write, commit to the log, are seen and are told of at moments of their own. */
class Server {
  private next = 1000
  private readonly running = new Map<number, Set<string>>()
  /** In the log, and seen by nobody yet. */
  private readonly hidden = new Set<number>()
  private readonly log: (readonly [number, ReadonlySet<string> | null])[] = []
  private told = 0
  /** What each seen transaction changed, also where the log does not tell. */
  private readonly seen = new Map<number, ReadonlySet<string>>()

  begin(table: string): void {
    this.running.set(this.next, new Set([table]))
    this.next += 1
  }

  /** `how`: told of with its tables, as one that may have changed anything, or not at all. */
  commit(pick: number, how: 'told' | 'vague' | 'untold'): void {
    const [number, tables] = [...this.running][pick % Math.max(1, this.running.size)] ?? []
    if (number === undefined || tables === undefined || this.hidden.has(number)) return
    this.hidden.add(number)
    if (how !== 'untold') this.log.push([number, how === 'told' ? tables : null])
  }

  show(pick: number): void {
    const number = [...this.hidden][pick % Math.max(1, this.hidden.size)]
    if (number === undefined) return
    this.seen.set(number, this.running.get(number) ?? new Set())
    this.running.delete(number)
    this.hidden.delete(number)
  }

  /** The next of the log to whoever follows it. */
  tell(book: ChangeBook): void {
    const one = this.log[this.told]
    if (one === undefined) return
    this.told += 1
    book.committed(one[0] % 2 ** 32, one[1])
  }

  tellAll(book: ChangeBook): void {
    while (this.told < this.log.length) this.tell(book)
  }

  look(): { readonly snapshot: Snapshot; readonly changes: (table: string) => string } {
    const running = [...this.running.keys()]
    const text = `${String(Math.min(this.next, ...running))}:${String(this.next)}:${running.join(',')}`
    const seen = new Map(this.seen)
    const changes = (table: string): string =>
      [...seen].flatMap(([number, tables]) => (tables.has(table) ? [number] : [])).join(' ')
    return { snapshot: snapshot(text), changes }
  }
}

const tables = ['posts', 'tags', 'logs'] as const
const step = fc.oneof(
  fc.record({ does: fc.constant('begin' as const), table: fc.constantFrom(...tables) }),
  fc.record({
    does: fc.constant('commit' as const),
    pick: fc.nat(9),
    how: fc.constantFrom('told' as const, 'told' as const, 'vague' as const, 'untold' as const),
  }),
  fc.record({ does: fc.constantFrom('show' as const, 'show' as const), pick: fc.nat(9) }),
  fc.record({ does: fc.constantFrom('tell' as const, 'tell' as const, 'look' as const, 'account' as const) }),
)

describe('the book of changes', () => {
  it('never takes two states for the same whose tables differ, in whatever order all comes', () => {
    let same = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.array(step, { maxLength: 20 }), (steps, before) => {
        const server = new Server()
        const run = (each: typeof steps, book: ChangeBook | null): ReturnType<Server['look']>[] => {
          const looks: ReturnType<Server['look']>[] = []
          for (const one of each) {
            if (one.does === 'begin') server.begin(one.table)
            else if (one.does === 'commit') server.commit(one.pick, one.how)
            else if (one.does === 'show') server.show(one.pick)
            else if (one.does === 'tell' && book !== null) server.tell(book)
            else if (one.does === 'look') looks.push(server.look())
            else if (book !== null) {
              const { snapshot } = server.look()
              // The log has been read to where it ended by then.
              if (!book.knows(snapshot)) server.tellAll(book)
              book.accountFor(snapshot)
            }
          }
          return looks
        }
        const earlier = run(before, null)
        const book = makeChangeBook(server.look().snapshot)
        const looks = [...earlier, ...run(steps, book), server.look()]
        for (const [at, one] of looks.entries()) {
          for (const other of looks.slice(at)) {
            for (const table of tables) {
              if (!book.isSame(one.snapshot, other.snapshot, [table])) continue
              same += 1
              expect(one.changes(table)).toBe(other.changes(table))
            }
          }
        }
      }),
      { numRuns: 3000 },
    )
    expect(same).toBeGreaterThan(3000)
  })

  it('knows a table to be the same while others change, and not once it did', () => {
    const book = makeChangeBook(snapshot('100:100:'))
    for (let number = 100; number < 1100; number += 1) {
      book.committed(number, new Set(['logs']))
      book.accountFor(snapshot(`${String(number + 1)}:${String(number + 1)}:`))
    }
    const [then, now] = [snapshot('101:101:'), snapshot('1100:1100:')]
    expect(book.isSame(then, now, ['posts', 'tags'])).toBe(true)
    expect(book.isSame(then, now, ['posts', 'logs'])).toBe(false)
    expect(book.isSame(snapshot('99:99:'), now, ['posts'])).toBe(false)
  })

  it('takes what nobody told of for a change to all', () => {
    const book = makeChangeBook(snapshot('100:100:'))
    book.committed(100, new Set(['logs']))
    const now = snapshot('102:102:')
    expect(book.knows(now)).toBe(false)
    expect(book.isSame(snapshot('101:101:'), now, ['posts'])).toBe(false)
    book.accountFor(now)
    expect(book.isSame(snapshot('100:100:'), snapshot('101:101:'), ['posts'])).toBe(false)
    expect(book.isSame(now, now, ['posts'])).toBe(true)
  })

  it('fills up the short numbers of the log with those of the snapshots', () => {
    const wrapped = 5 * 2 ** 32
    const start = snapshot(`${String(wrapped - 1)}:${String(wrapped - 1)}:`)
    const book = makeChangeBook(start)
    book.committed(2 ** 32 - 1, new Set(['logs']))
    book.committed(0, new Set(['posts']))
    const now = snapshot(`${String(wrapped + 1)}:${String(wrapped + 1)}:`)
    expect(book.knows(now)).toBe(true)
    expect(book.isSame(start, now, ['tags'])).toBe(true)
    expect(book.isSame(start, now, ['posts'])).toBe(false)
    expect(book.isSame(start, now, ['logs'])).toBe(false)
  })
})
