import { Counter, Histogram } from 'prom-client'

/** A hook for `observe` that counts statements and rows. `metrics(content)` registers all other metrics. */
export function countStatements(register) {
  const registers = [register]
  const statements = new Histogram({
    name: 'content_statement_duration_seconds',
    help: 'Duration of statements by the rows that they read and by their outcome',
    labelNames: ['reads', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const rows = new Counter({
    name: 'content_rows_total',
    help: 'Rows read from the database by the type of the request',
    labelNames: ['type'],
    registers,
  })

  return ({ type, reads, outcome, rows: count, ms }) => {
    statements.observe({ reads, outcome }, ms / 1000)
    if (outcome === 'read') rows.inc({ type }, count)
  }
}
