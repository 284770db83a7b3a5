import type { Statement } from '../compile'
import type { Basis, BasisRows } from '../freshness'
import { basisOf, isNamedOnce, tablesInAll } from './basis-of'
import type { Run } from './expand'
import type { LevelRows } from './level-rows'

/** More are not looked for one by one each time that somebody asks. */
const mostIds = 1000

function* levelsBelow(rows: LevelRows): Generator<LevelRows> {
  for (const lists of rows.children) {
    const below = new Set(lists.flatMap((list) => list?.map((child) => child.in) ?? []))
    for (const child of below) if (child !== null) yield child
  }
}

/** The ids of all rows that an answer shows, by table; null where they are too many. */
function idsRead(root: LevelRows): BasisRows['ids'] | null {
  const ids = new Map<string, number[]>()
  const seen = new Set([root])
  let count = 0
  for (const level of seen) {
    count += level.rows.length
    if (count > mostIds) return null
    const { table } = level.of.level.model
    ids.set(table, [...(ids.get(table) ?? []), ...level.rows.map((row) => Number(row?.[0]))])
    for (const below of levelsBelow(level)) seen.add(below)
  }
  return ids
}

/** What an answer was read from, as the statements say that it was read by. */
export interface ReadFrom {
  readonly tables: () => ReadonlySet<string>
  /** Whether no other row of a table was looked at than those that one statement asked for. */
  readonly isNamedOnce: (table: string) => boolean
  readonly basis: () => Basis
}

/** Which statements an answer was read by. */
export interface Noting {
  /** Runs a statement and remembers it. */
  readonly run: Run
  readonly from: (rows: LevelRows) => ReadFrom
}

/** `others`: what it rests on without being run for it, as a total that is known. */
export function noting(run: Run, others: readonly Statement[]): Noting {
  const statements = new Set(others)
  return {
    run: (statement, ids) => {
      statements.add(statement)
      return run(statement, ids)
    },
    from: (rows) => ({
      tables: () => tablesInAll(statements),
      isNamedOnce: (table) => isNamedOnce(statements, table),
      basis: () => basisOf(statements, idsRead(rows)),
    }),
  }
}
