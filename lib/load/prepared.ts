import type { Statement } from './statement'

/**
 * PostgreSQL keeps a named statement for as long as the connection lives, so only what comes again is named, and no more
 * than its memory will not notice. Statements of one plan are counted apart: those below a page come again with others.
 */
const runsBefore = 2
const mostPrepared = 1000

/** The name under which the database is to keep a statement; none for what it is only to run. */
export type Preparing = (statement: Statement) => string | undefined

export function makePreparing(): Preparing {
  const runs = new WeakMap<Statement, number>()
  let prepared = 0
  return (statement) => {
    const count = (runs.get(statement) ?? 0) + 1
    if (count > runsBefore) return statement.name()
    if (count === runsBefore && prepared >= mostPrepared) return undefined
    if (count === runsBefore) prepared += 1
    runs.set(statement, count)
    return undefined
  }
}

export const neverPrepared: Preparing = () => undefined

export const alwaysPrepared: Preparing = (statement) => statement.name()
