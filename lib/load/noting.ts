import type { Statement } from '../compile'
import { tablesInAll } from '../feed'
import type { Run } from './expand'

/** Which statements an answer was read by. */
export interface Noting {
  /** Runs a statement and remembers it, with those that it needs before it. */
  readonly run: Run
  readonly tables: () => ReadonlySet<string>
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
    tables: () => tablesInAll(statements),
  }
}
