import { Counter, Histogram } from 'prom-client'

/** Hooks for `observe` that count in a registry of prom-client. Labels are few: types, statuses, purposes. */
export function countIn(register) {
  const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  const requests = new Histogram({
    name: 'content_request_duration_seconds',
    help: 'How long answers took, by the type that was asked for and the status that was sent',
    labelNames: ['type', 'status'],
    buckets: seconds,
    registers: [register],
  })
  const unavailable = new Counter({
    name: 'content_unavailable_total',
    help: 'Responses with 503, by reason',
    labelNames: ['reason'],
    registers: [register],
  })
  const stages = new Counter({
    name: 'content_stage_seconds_total',
    help: 'Where the time went',
    labelNames: ['stage'],
    registers: [register],
  })
  const statements = new Histogram({
    name: 'content_statement_duration_seconds',
    help: 'How long statements took, by what they read and how they ended',
    labelNames: ['reads', 'outcome'],
    buckets: seconds,
    registers: [register],
  })
  const rows = new Counter({
    name: 'content_rows_total',
    help: 'Rows read from the database',
    labelNames: ['type'],
    registers: [register],
  })

  return {
    onRequest(event) {
      requests.observe({ type: event.type, status: event.status ?? 'abandoned' }, event.ms / 1000)
      rows.inc({ type: event.type }, event.rows)
      if (event.reason !== null) unavailable.inc({ reason: event.reason })
      for (const [stage, ms] of Object.entries(event.stages)) stages.inc({ stage }, ms / 1000)
    },
    onStatement({ reads, outcome, ms }) {
      statements.observe({ reads, outcome }, ms / 1000)
    },
  }
}
