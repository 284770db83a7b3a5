import { createHash } from 'node:crypto'
import { makeMemory, once } from '../memory'
import type { CountedTables } from './counted-tables'
import type { WriteCounts } from './write-counts'

/** Of what was counted at different moments. */
const maxBytes = 1024 * 1024

/** What was counted of writes, and when it last was another. */
export interface WriteBook {
  /** Names what was counted; the same only where nothing was written in between. Null where it says nothing. */
  readonly note: (counts: WriteCounts) => string | null
  /** Whether nothing was written to these tables between the one and the last, nor is one of them not counted. */
  readonly isUnwritten: (since: string, tables: Iterable<string>) => boolean
  readonly knows: (name: string) => boolean
}

interface CountedTable {
  readonly count: string | undefined
  /** The first number at which it was so. */
  readonly since: number
}

/** For as long as no definition changes. `salt`: another where something may have been written that was not counted. */
export function makeWriteBook({ names, with: reached }: CountedTables, salt: string): WriteBook {
  const known = makeMemory<number>({ maxBytes })
  const tables = new Map<string, CountedTable>()
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].sort()
  let number = 0

  const nameOf = ({ counts, unstable, definitions }: WriteCounts): string => {
    const hash = createHash('sha1').update(`${salt}\n${definitions}\n`)
    for (const name of lower) hash.update(`${name}\n${counts.get(name) ?? ''}\n`)
    return hash.update([...unstable].join('\n')).digest('hex')
  }

  return {
    note: (counts) => {
      number += 1
      for (const name of lower) {
        const count = counts.unstable.has(name) ? undefined : (counts.counts.get(name) ?? '')
        const before = tables.get(name)
        if (before === undefined || count === undefined || before.count !== count)
          tables.set(name, { count, since: number })
      }
      const name = nameOf(counts)
      once(known, name, () => number)
      return name
    },
    isUnwritten: (since, asked) => {
      const from = known.get(since)
      if (from === undefined) return false
      for (const table of asked) {
        const all = reached.get(table.toLowerCase())
        if (all === undefined) return false
        for (const one of all) if ((tables.get(one)?.since ?? Infinity) > from) return false
      }
      return true
    },
    knows: (name) => known.has(name),
  }
}
