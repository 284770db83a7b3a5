import fc from 'fast-check'
import type { CountedTables } from '../../../lib/feed/counted-tables'
import { makeWriteBook, type WriteBook } from '../../../lib/feed/write-book'
import { readCounts, type WriteCounts } from '../../../lib/feed/write-counts'
import { firstSeed, runs } from '../../support/property-runs'

const tables: CountedTables = {
  names: ['Articles', 'authors', 'countries'],
  with: new Map([
    ['articles', new Set(['articles'])],
    // Its rows go with those of the other.
    ['authors', new Set(['authors', 'countries'])],
  ]),
  uncounted: [],
}

const counted = (
  counts: Readonly<Record<string, string>>,
  others: Partial<WriteCounts> = {},
): WriteCounts => ({
  status: new Map(),
  now: 0,
  server: 'one',
  counts: new Map(Object.entries(counts)),
  unstable: new Set(),
  isWriting: false,
  isDefining: false,
  definitions: '1 1 0',
  uncounted: [],
  ...others,
})

const nameIn = (book: WriteBook, counts: WriteCounts): string => {
  const name = book.note(counts)
  if (name === null) throw new Error('no name')
  return name
}

describe('what is known of counted writes', () => {
  it('tells apart which table was written to, and which takes others along', () => {
    const book = makeWriteBook(tables, '')
    const first = nameIn(book, counted({ articles: '1' }))
    book.note(counted({ articles: '2' }))
    expect(book.isUnwritten(first, ['articles'])).toBe(false)
    expect(book.isUnwritten(first, ['Authors'])).toBe(true)
    book.note(counted({ articles: '2', countries: '1' }))
    expect(book.isUnwritten(first, ['authors'])).toBe(false)
  })

  it('knows nothing of a table that is not counted, nor of what it was never told', () => {
    const book = makeWriteBook(tables, '')
    const name = nameIn(book, counted({}))
    expect(book.isUnwritten(name, [])).toBe(true)
    expect(book.isUnwritten(name, ['logs'])).toBe(false)
    expect(book.isUnwritten('0'.repeat(40), [])).toBe(false)
    expect(book.knows('0'.repeat(40))).toBe(false)
  })

  it('takes what was counted twice and differently for written, then and the next time', () => {
    const book = makeWriteBook(tables, '')
    const before = nameIn(book, counted({ articles: '1' }))
    const amid = nameIn(book, counted({ articles: '1' }, { unstable: new Set(['articles']) }))
    expect(amid).not.toBe(before)
    expect(book.isUnwritten(before, ['articles'])).toBe(false)
    book.note(counted({ articles: '1' }))
    expect(book.isUnwritten(amid, ['articles'])).toBe(false)
    expect(book.isUnwritten(before, ['authors'])).toBe(true)
  })

  it('gives other names where definitions are others, or something was not counted in between', () => {
    const counts = counted({ articles: '1' })
    const names = [
      nameIn(makeWriteBook(tables, ''), counts),
      nameIn(makeWriteBook(tables, ''), { ...counts, definitions: '2 1 0' }),
      nameIn(makeWriteBook(tables, 'salt'), counts),
    ]
    expect(new Set(names).size).toBe(3)
    expect(nameIn(makeWriteBook(tables, ''), counts)).toBe(names[0])
  })

  /** A server on which transactions write, are counted as they do, and are seen once they are committed. */
  it('lets no two states pass for the same that differ, in whatever order transactions write, commit and are asked about', () => {
    const step = fc.record({
      kind: fc.constantFrom('write', 'commit', 'ask'),
      who: fc.nat(2),
      table: fc.constantFrom('articles', 'countries'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const book = makeWriteBook(tables, '')
        const counts: Record<string, number> = {}
        const seen: Record<string, number> = {}
        const open = new Map<number, string[]>()
        const labels: { name: string; seen: Record<string, number> }[] = []
        for (const { kind, who, table } of steps) {
          if (kind === 'write') {
            open.set(who, [...(open.get(who) ?? []), table])
            counts[table] = (counts[table] ?? 0) + 1
          } else if (kind === 'commit') {
            for (const one of open.get(who) ?? []) seen[one] = (seen[one] ?? 0) + 1
            open.delete(who)
          } else {
            const told = Object.fromEntries(
              Object.entries(counts).map(([key, count]) => [key, String(count)]),
            )
            const name = nameIn(book, counted(told))
            for (const label of labels) {
              const isSeenSame = (one: string): boolean => label.seen[one] === seen[one]
              if (book.isUnwritten(label.name, ['articles'])) expect(isSeenSame('articles')).toBe(true)
              if (book.isUnwritten(label.name, ['authors'])) expect(isSeenSame('countries')).toBe(true)
              if (label.name === name) expect(label.seen).toEqual(seen)
            }
            // Kept only while nobody has written what he has not finished.
            if (open.size === 0) labels.push({ name, seen: { ...seen } })
          }
        }
      }),
      { seed: firstSeed, numRuns: runs(2000) },
    )
  })
})

describe('what a server says of what it counts', () => {
  const rows = (over: readonly (readonly string[])[] = []): readonly (readonly unknown[])[] => [
    ['server', '100', 'name'],
    ['emptied', 'statement/sql/truncate', '3'],
    ...[
      'innodb_system_rows_deleted',
      'innodb_system_rows_updated',
      'performance_schema_metadata_lock_lost',
      'performance_schema_table_handles_lost',
      'performance_schema_table_instances_lost',
      'performance_schema_thread_instances_lost',
      'performance_schema_thread_classes_lost',
      'performance_schema_table_lock_stat_lost',
    ].map((name) => ['status', name, '0']),
    ...over,
  ]

  it('is read from rows of all kinds', () => {
    const counts = readCounts(
      rows([
        ['first', 'Articles', '1 0'],
        ['first', 'authors', '1'],
        ['first', 'gone', '1'],
        ['second', 'Articles', '1 0'],
        ['second', 'authors', '2'],
        ['lock', 'authors', 'SHARED_WRITE'],
      ]),
    )
    expect(counts).toMatchObject({ now: 100, server: 'name', isWriting: true, isDefining: false })
    expect(counts?.definitions).toBe('0 0 3')
    expect([...(counts?.unstable ?? [])].sort()).toEqual(['authors', 'gone'])
    expect(counts?.counts.get('articles')).toBe('1 0;')
    expect(readCounts(rows([['lock', 'x', 'EXCLUSIVE']]))?.isDefining).toBe(true)
  })

  it('says so where something is not counted', () => {
    expect(readCounts(rows())?.uncounted).toEqual([])
    expect(readCounts(rows([['off', 'thread_instrumentation', '']]))?.uncounted).toEqual([
      'thread_instrumentation',
    ])
    expect(readCounts(rows([['status', 'performance_schema_table_handles_lost', '2']]))?.uncounted).toEqual([
      'performance_schema_table_handles_lost',
    ])
  })

  it('says nothing where something is missing', () => {
    for (let without = 0; without < 9; without += 1)
      expect(readCounts(rows().filter((_, at) => at !== without))).toBeNull()
  })
})
