import type { Statement } from '../compile'
import { type Basis, decidedBy, isNamedOnce, onTables, tablesInAll } from '../feed'
import type { Run } from './expand'
import { idsRead } from './ids-read'
import type { LevelRows } from './level-rows'

/** What an answer was read from, as the statements say that it was read by. */
export interface ReadFrom {
  readonly tables: () => ReadonlySet<string>
  /** Whether no other row of a table was looked at than those that one statement asked for. */
  readonly isNamedOnce: (table: string) => boolean
  readonly basis: () => Basis
}

/** Which statements an answer was read by. */
export interface Noting {
  /** Runs a statement and remembers it, with those that it needs before it. */
  readonly run: Run
  readonly from: (rows: LevelRows) => ReadFrom
}

/** `others`: what it rests on without being run for it, as a total that is known. */
export function noting(run: Run, others: readonly Statement[]): Noting {
  const statements = new Set(others)
  const note = (statement: Statement): void => {
    if (statements.has(statement)) return
    statements.add(statement)
    statement.before.forEach(note)
  }
  return {
    run: (statement, ids) => {
      note(statement)
      return run(statement, ids)
    },
    from: (rows) => ({
      tables: () => tablesInAll(statements),
      isNamedOnce: (table) => isNamedOnce(statements, table),
      basis: () => {
        const tables = tablesInAll(statements)
        const ids = idsRead(rows)
        return ids === null
          ? onTables(tables)
          : { tables, rows: { ids, decidedBy: [...statements].map(decidedBy) } }
      },
    }),
  }
}
