import type { Request } from 'express'
import type { Identity } from '../../lib/access'
import type { DialectName } from '../../lib/database'
import type { ObservedEvent, ObservedPlan, RequestStart, Stage } from '../../lib/http'
import type { RanStatement } from '../../lib/read'
import { adviseIndexes, type AdvisingSettings } from './advise-indexes'
import { explainResponse, type Explanation } from './explain-response'
import { planDescription } from './plan-description'
import type { EventAsker, Outcome, RequestEvent, RequestTrace } from './request-events'

export interface Recorder {
  readonly on: (event: ObservedEvent) => void
  /** Starts to collect statements for the explanation. */
  readonly explains: () => void
  readonly explanation: (settings: AdvisingSettings) => Explanation | null
}

type StageTimes = Record<Stage, number>

interface Times {
  readonly stages: StageTimes
  readonly total: () => number
  readonly enter: (stage: Stage | null) => void
}

function startTimes(): Times {
  const stages: StageTimes = { authorize: 0, plan: 0, wait: 0, load: 0, write: 0 }
  const begun = performance.now()
  let stage: Stage | null = 'authorize'
  let since = begun
  return {
    stages,
    total: () => performance.now() - begun,
    enter: (next) => {
      const now = performance.now()
      if (stage !== null) stages[stage] += now - since
      stage = next
      since = now
    },
  }
}

function askerOf(identity: Identity): EventAsker {
  return identity.kind === 'token' ? { kind: 'token' } : { kind: 'roles', roles: [...identity.roles] }
}

function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'abandoned'
  if (status < 400) return 'answered'
  return status < 500 ? 'refused' : 'failed'
}

export interface Recording {
  readonly database: DialectName
  readonly isTimed: (req: Request) => boolean
  /** Read at each event: a trace may begin after the request. */
  readonly heard: () => readonly Partial<RequestTrace>[]
}

interface Notes {
  readonly start: RequestStart
  readonly database: DialectName
  asker: EventAsker
  plan: ObservedPlan | null
  runs: RanStatement[] | null
  statements: number
  rows: number
  isKept: boolean
}

const timingOf = (stages: StageTimes, isKept: boolean): string =>
  Object.entries(stages)
    .map(([stage, ms]: [string, number]) => {
      const about = isKept && stage === 'load' ? ';desc="from memory"' : ''
      return `${stage}${about};dur=${ms.toFixed(1)}`
    })
    .join(', ')

function requestEvent(
  { start, asker, plan, statements, rows }: Notes,
  times: Times,
  { status, reason }: Pick<RequestEvent, 'status' | 'reason'>,
): RequestEvent {
  return Object.freeze({
    ...start,
    asker,
    outcome: outcomeOf(status),
    status,
    reason,
    shape: plan === null ? null : planDescription(plan).shape,
    statements,
    rows,
    ms: times.total(),
    stages: Object.freeze({ ...times.stages }),
  })
}

function reportStatement(
  { start, database, plan }: Notes,
  run: RanStatement,
  heard: Recording['heard'],
): void {
  const hooks = heard().flatMap(({ onStatement }) => onStatement ?? [])
  if (hooks.length === 0 || plan === null) return
  const { statement, ms, result } = run
  const purpose = planDescription(plan).purposes.get(statement)
  if (purpose === undefined) return
  for (const hook of hooks) {
    hook(Object.freeze({ type: start.type, database, sql: statement.sql, ms, ...purpose, ...result }))
  }
}

export function startRecorder(start: RequestStart, { database, isTimed, heard }: Recording): Recorder {
  const times = startTimes()
  const notes: Notes = {
    ...{ start, database, asker: { kind: 'unknown' }, plan: null, runs: null },
    ...{ statements: 0, rows: 0, isKept: false },
  }
  const ran = (run: RanStatement): void => {
    notes.statements += 1
    if (run.result.outcome === 'read') notes.rows += run.result.rows
    notes.runs?.push(run)
    reportStatement(notes, run, heard)
  }
  const end = (ended: Pick<RequestEvent, 'status' | 'reason'>): void => {
    times.enter(null)
    const hooks = heard().flatMap(({ onRequest }) => onRequest ?? [])
    if (hooks.length === 0) return
    const event = requestEvent(notes, times, ended)
    for (const hook of hooks) hook(event)
  }
  return {
    on: (event) => {
      switch (event.kind) {
        case 'caller':
          notes.asker = askerOf(event.identity)
          return
        case 'stage':
          times.enter(event.stage)
          return
        case 'plan':
          notes.plan = event
          return
        case 'statement':
          ran(event)
          return
        case 'cacheHit':
          notes.isKept = true
          return
        case 'headers':
          // Other middleware may have set the header too.
          if (isTimed(event.req)) event.res.append('Server-Timing', timingOf(times.stages, notes.isKept))
          return
        case 'end':
          end(event)
      }
    },
    explains: () => {
      notes.runs = []
    },
    explanation: (settings) => {
      const { plan, runs } = notes
      if (plan === null || runs === null) return null
      const { missing } = adviseIndexes(settings, plan.permitted)
      return {
        ...explainResponse(planDescription(plan), runs, plan.removals()),
        missingIndexes: missing.map(({ statement }) => statement),
      }
    },
  }
}
