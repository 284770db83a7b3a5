import fc from 'fast-check'
import { setTimeout as pause } from 'node:timers/promises'
import type { ContentChange } from '../../../extensions/changes'
import { type ChangeBook, makeChangeBook } from '../../../extensions/changes/change-book'
import { readSnapshot, seenSince, seesAllOf, type Snapshot } from '../../../extensions/changes/snapshot'
import type { ChangedInTable } from '../../../extensions/changes/table-changes'
import { callHook } from '../../../extensions/changes/call-hook'
import { type Basis, onTables } from '../../../lib/freshness'
import { keeping } from '../../support/hearing'
import { firstSeed, runs } from '../../support/property-runs'
import { until } from '../../support/told-changes'

const snapshot = (text: string): Snapshot => {
  const read = readSnapshot(text)
  if (read === null) throw new Error(text)
  return read
}

describe('a snapshot of PostgreSQL', () => {
  it('is parsed', () => {
    expect(readSnapshot('10:20:10,14,15')).toEqual({
      lowest: 10,
      next: 20,
      underWay: new Set([10, 14, 15]),
    })
    expect(readSnapshot('7:7:')).toEqual({ lowest: 7, next: 7, underWay: new Set() })
  })

  it.each(['', 'replayed', '10:20', '10:x:', '10:99999999999999999999:'])(
    'is not parsed from "%s"',
    (text) => {
      expect(readSnapshot(text)).toBeNull()
    },
  )

  it('is compared with a later one', () => {
    expect(seenSince(snapshot('10:20:10,14'), snapshot('14:23:14,21'))).toEqual([10, 20, 22])
    expect(seesAllOf(snapshot('14:23:14,21'), snapshot('10:20:10,14'))).toBe(true)
    expect(seesAllOf(snapshot('10:20:10,14'), snapshot('14:23:14,21'))).toBe(false)
  })

  it('is not compared if too many transactions lie between', () => {
    expect(seenSince(snapshot('1:1:'), snapshot('9000000:9000000:'))).toBeNull()
  })
})

/** What a transaction does to one table: new rows, or another value in a column of one that is there. */
interface Write {
  readonly table: string
  readonly row: number | 'new'
  readonly column: string
}

/** Columns that the log does not tell of are not among them. */
const told = 4

function changedBy({ row, column }: Write): ChangedInTable {
  if (row === 'new') return { all: null, columns: told }
  const columns = new Set([column])
  return { all: [{ ids: [String(row)], documents: [], isPublished: null, columns }], columns: told }
}

/** A server whose transactions write, commit to the log, are seen and are told of at moments of their own. */
class Server {
  private next = 1000
  private readonly running = new Map<number, Write>()
  /** In the log, and seen by nobody yet. */
  private readonly hidden = new Set<number>()
  private readonly log: (readonly [number, Write | null])[] = []
  private told = 0
  /** What each seen transaction changed, also where the log does not tell. */
  private readonly seen = new Map<number, Write>()

  begin(write: Write): void {
    this.running.set(this.next, write)
    this.next += 1
  }

  /** `how`: told of with its tables, as one that may have changed anything, or not at all. */
  commit(pick: number, how: 'told' | 'vague' | 'untold'): void {
    const [number, write] = [...this.running][pick % Math.max(1, this.running.size)] ?? []
    if (number === undefined || write === undefined || this.hidden.has(number)) return
    this.hidden.add(number)
    if (how !== 'untold') this.log.push([number, how === 'told' ? write : null])
  }

  show(pick: number): void {
    const number = [...this.hidden][pick % Math.max(1, this.hidden.size)]
    const write = number === undefined ? undefined : this.running.get(number)
    if (number === undefined || write === undefined) return
    this.seen.set(number, write)
    this.running.delete(number)
    this.hidden.delete(number)
  }

  /** The next of the log to whoever follows it. */
  tell(book: ChangeBook): void {
    const one = this.log[this.told]
    if (one === undefined) return
    this.told += 1
    const [number, write] = one
    book.committed(number % 2 ** 32, write && new Map([[write.table, changedBy(write)]]))
  }

  tellAll(book: ChangeBook): void {
    while (this.told < this.log.length) this.tell(book)
  }

  look(): { readonly snapshot: Snapshot; readonly changes: (matters: (write: Write) => boolean) => string } {
    const running = [...this.running.keys()]
    const text = `${String(Math.min(this.next, ...running))}:${String(this.next)}:${running.join(',')}`
    const seen = [...this.seen]
    const changes = (matters: (write: Write) => boolean): string =>
      seen.flatMap(([number, write]) => (matters(write) ? [number] : [])).join(' ')
    return { snapshot: snapshot(text), changes }
  }
}

const tables = ['posts', 'tags', 'logs'] as const
const write = fc.record({
  table: fc.constantFrom(...tables),
  row: fc.oneof(fc.constant('new' as const), fc.nat(4), fc.nat(4), fc.nat(4)),
  column: fc.constantFrom('title', 'views', 'place'),
})
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('begin' as const), write }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('commit' as const),
      pick: fc.nat(9),
      how: fc.oneof(
        { weight: 12, arbitrary: fc.constant('told' as const) },
        { weight: 1, arbitrary: fc.constantFrom('vague' as const, 'untold' as const) },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('show' as const), pick: fc.nat(9) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('tell' as const, 'tell' as const, 'look' as const, 'account' as const),
    }),
  },
)

/** What an answer may rest on, and which writes make it another. */
const resting: readonly { readonly basis: Basis; readonly matters: (write: Write) => boolean }[] =
  tables.flatMap((table) => {
    const rows = { ids: new Map([[table, [1, 3]]]), decidedBy: [new Set(['id']), new Set(['place'])] }
    return [
      { basis: onTables(new Set([table])), matters: (write) => write.table === table },
      {
        basis: { tables: new Set([table]), rows },
        matters: (write) =>
          write.table === table &&
          (write.row === 'new' || [1, 3].includes(write.row) || write.column === 'place'),
      },
    ]
  })

const columnsOf = (): number | undefined => told
const on = (...names: readonly string[]): Basis => onTables(new Set(names))
const written = (table: string): ReadonlyMap<string, ChangedInTable> =>
  new Map([[table, { all: null, columns: told }]])

describe('the record of changes', () => {
  it('never takes states with different tables for equal, in any order of events', () => {
    let [same, harmless] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80, size: 'max' }),
        fc.array(step, { maxLength: 20 }),
        (steps, before) => {
          const server = new Server()
          const run = (each: typeof steps, book: ChangeBook | null): ReturnType<Server['look']>[] => {
            const looks: ReturnType<Server['look']>[] = []
            for (const one of each) {
              if (one.does === 'begin') server.begin(one.write)
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
              for (const { basis, matters } of resting) {
                const isOther = one.changes(matters) !== other.changes(matters)
                if (!book.isSame(one.snapshot, other.snapshot, basis, columnsOf)) continue
                same += 1
                if (
                  one.changes(({ table }) => basis.tables.has(table)) !==
                  other.changes(({ table }) => basis.tables.has(table))
                )
                  harmless += 1
                expect(isOther).toBe(false)
              }
            }
          }
        },
      ),
      { seed: firstSeed, numRuns: runs(1000) },
    )
    expect(same).toBeGreaterThan(3000)
    // Others changed rows of the same table meanwhile.
    expect(harmless).toBeGreaterThan(500)
  })

  it('tells unchanged tables from changed ones', () => {
    const book = makeChangeBook(snapshot('100:100:'))
    for (let number = 100; number < 1100; number += 1) {
      book.committed(number, written('logs'))
      book.accountFor(snapshot(`${String(number + 1)}:${String(number + 1)}:`))
    }
    const [then, now] = [snapshot('101:101:'), snapshot('1100:1100:')]
    expect(book.isSame(then, now, on('posts', 'tags'), columnsOf)).toBe(true)
    expect(book.isSame(then, now, on('posts', 'logs'), columnsOf)).toBe(false)
    expect(book.isSame(snapshot('99:99:'), now, on('posts'), columnsOf)).toBe(false)
  })

  it('takes an unknown transaction for a change of all tables', () => {
    const book = makeChangeBook(snapshot('100:100:'))
    book.committed(100, written('logs'))
    const now = snapshot('102:102:')
    expect(book.knows(now)).toBe(false)
    expect(book.isSame(snapshot('101:101:'), now, on('posts'), columnsOf)).toBe(false)
    book.accountFor(now)
    expect(book.isSame(snapshot('100:100:'), snapshot('101:101:'), on('posts'), columnsOf)).toBe(false)
    expect(book.isSame(now, now, on('posts'), columnsOf)).toBe(true)
  })

  it('completes the short transaction numbers of the log', () => {
    const wrapped = 5 * 2 ** 32
    const start = snapshot(`${String(wrapped - 1)}:${String(wrapped - 1)}:`)
    const book = makeChangeBook(start)
    book.committed(2 ** 32 - 1, written('logs'))
    book.committed(0, written('posts'))
    const now = snapshot(`${String(wrapped + 1)}:${String(wrapped + 1)}:`)
    expect(book.knows(now)).toBe(true)
    expect(book.isSame(start, now, on('tags'), columnsOf)).toBe(true)
    expect(book.isSame(start, now, on('posts'), columnsOf)).toBe(false)
    expect(book.isSame(start, now, on('logs'), columnsOf)).toBe(false)
  })

  describe('for an entry that exists', () => {
    const start = snapshot('100:100:')
    const row = (id: number, ...columns: readonly string[]): ChangedInTable => ({
      all: [{ ids: [String(id)], documents: [], isPublished: null, columns: new Set(columns) }],
      columns: told,
    })
    const basis: Basis = {
      tables: new Set(['posts']),
      rows: { ids: new Map([['posts', [1, 3]]]), decidedBy: [new Set(['id', 'place'])] },
    }
    const isSameAfter = (changes: readonly ChangedInTable[], columnsOfAll = columnsOf): boolean => {
      const book = makeChangeBook(start)
      for (const [at, change] of changes.entries()) book.committed(100 + at, new Map([['posts', change]]))
      const now = snapshot(`${String(100 + changes.length)}:${String(100 + changes.length)}:`)
      return book.isSame(start, now, basis, columnsOfAll)
    }

    it('compares shown rows and the columns of conditions', () => {
      expect(isSameAfter([row(2, 'title'), row(2, 'views')])).toBe(true)
      expect(isSameAfter([row(3, 'title')])).toBe(false)
      expect(isSameAfter([row(2, 'title', 'place')])).toBe(false)
      expect(isSameAfter([row(2, 'id')])).toBe(false)
      expect(isSameAfter([row(2, 'title'), { all: null, columns: told }])).toBe(false)
    })

    it('takes an incomplete change for a change of all rows', () => {
      const [changed] = row(2, 'title').all ?? []
      if (changed === undefined) throw new Error('no row')
      for (const odd of [{ columns: null }, { ids: ['2', '4'] }, { ids: [] }])
        expect(isSameAfter([{ all: [{ ...changed, ...odd }], columns: told }])).toBe(false)
    })

    it('takes a change for one of all columns if not all are published', () => {
      expect(isSameAfter([row(2, 'title')], () => told + 1)).toBe(false)
      expect(isSameAfter([row(2, 'title')], () => undefined)).toBe(false)
      expect(isSameAfter([{ ...row(2, 'title'), columns: told - 1 }, row(2, 'title')])).toBe(false)
    })

    it('forgets the rows of many changes, and keeps the change', () => {
      const many = Array.from({ length: 1000 }, (_, at) => row(10 + at, 'title'))
      expect(isSameAfter([row(3, 'title'), ...many])).toBe(false)
      expect(isSameAfter(many)).toBe(false)
      expect(isSameAfter(many.slice(0, 200))).toBe(true)
    })
  })
})

const changeOf = (type: string): ContentChange => ({ types: [type], documents: [], tags: [type] })

describe('onChange', () => {
  it('is called again with later changes if it does not end', async () => {
    const { logger, warnings } = keeping()
    const heard: ContentChange['types'][] = []
    const hook = callHook(
      ({ types }) => {
        heard.push(types)
        return heard.length === 1 ? new Promise(() => undefined) : undefined
      },
      logger,
      50,
    )
    hook.push(changeOf('author'))
    hook.push(changeOf('book'))
    await until(() => heard[1], 'it was not told again')
    hook.close()
    expect(heard).toEqual([['author'], ['author', 'book']])
    expect(warnings).toEqual([
      'the function onChange failed, and the router calls the function again with the missed changes',
    ])
  })

  it('is called one at a time, and once for each change', async () => {
    const { logger, warnings } = keeping()
    let running = 0
    const heard: ContentChange['types'][] = []
    const hook = callHook(
      async ({ types }) => {
        running += 1
        heard.push(running === 1 ? types : ['at once'])
        await pause(20)
        running -= 1
      },
      logger,
      5000,
    )
    for (const type of ['author', 'book', 'genre']) hook.push(changeOf(type))
    await until(() => heard[1], 'it was not told of the others')
    await pause(30)
    hook.close()
    expect(heard).toEqual([['author'], ['book', 'genre']])
    expect(warnings).toEqual([])
  })
})
