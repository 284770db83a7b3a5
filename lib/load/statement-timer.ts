import type { StatementResult } from '../config'
import type { Row, Statement } from '../compile'

/** A statement that has been run. */
export interface Ran {
  readonly statement: Statement
  /** How many ids it was given to look for. */
  readonly ids: number | null
  readonly ms: number
  readonly result: StatementResult
}

/** Looks on while one answer is loaded. */
export interface StatementTimer {
  /** There is a connection; it comes again where the first one was lost. */
  connected(): void
  ran(ran: Ran): void
}

const codeOf = (error: unknown): string =>
  String(typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown')

/** Sends a statement and tells how it went. */
export async function timed(
  timer: StatementTimer,
  asked: Pick<Ran, 'statement' | 'ids'>,
  send: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const begun = performance.now()
  const tell = (result: StatementResult): void => {
    timer.ran({ ...asked, ms: performance.now() - begun, result })
  }
  try {
    const rows = await send()
    tell({ outcome: 'read', rows: rows.length })
    return rows
  } catch (error) {
    tell({ outcome: 'failed', code: codeOf(error) })
    throw error
  }
}
