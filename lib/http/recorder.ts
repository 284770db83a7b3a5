import type { Identity } from '../access'
import type { EventAsker, Outcome, RequestEvent, RequestStart, RequestTrace, Stage, Stages } from '../config'
import type { DialectName } from '../database'
import type { UnavailableReason } from '../errors'
import type { StatementTimer, Ran } from '../load'
import { explainAnswer } from './explain'
import type { PlanDescription } from './plan-description'

/** What is noted of one request while it is answered. */
export interface Recorder extends StatementTimer {
  identified(identity: Identity): void
  /** What happens from here on belongs to this stage. */
  enter(stage: Stage | null): void
  planned(description: () => PlanDescription): void
  /** Nothing is read: the answer was known. */
  kept(): void
  /** From here on an explanation is wanted. */
  explains(): void
  isExplaining(): boolean
  /** Members for `meta`; null where no explanation is wanted. */
  meta(): string | null
  /** What `Server-Timing` says. */
  timing(): string
  /** `reason`: of a 503. */
  ended(status: number | null, reason?: UnavailableReason | null): void
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

export type Heard = readonly Partial<RequestTrace>[]

/** What has been found out so far. */
interface Notes {
  readonly start: RequestStart
  readonly database: DialectName
  asker: EventAsker
  description: (() => PlanDescription) | null
  /** Kept where they are to be explained. */
  runs: Ran[] | null
  statements: number
  rows: number
  isKept: boolean
}

const timingOf = (stages: Stages, isKept: boolean): string =>
  Object.entries(stages)
    .map(([stage, ms]: [string, number]) => {
      const about = isKept && stage === 'load' ? ';desc="from memory"' : ''
      return `${stage}${about};dur=${ms.toFixed(1)}`
    })
    .join(', ')

function requestEvent(
  notes: Notes,
  times: Times,
  { status, reason }: Pick<RequestEvent, 'status' | 'reason'>,
): RequestEvent {
  const { start, asker, description, statements, rows } = notes
  const outcome = outcomeOf(status)
  const shape = description?.().shape ?? null
  return Object.freeze({
    ...start,
    asker,
    outcome,
    status,
    reason,
    shape,
    statements,
    rows,
    ms: times.total(),
    stages: Object.freeze({ ...times.stages }),
  })
}

function tellStatement({ start, database, description }: Notes, ran: Ran, heard: Heard): void {
  const hooks = heard.flatMap(({ onStatement }) => onStatement ?? [])
  const purpose = hooks.length === 0 ? undefined : description?.().purposes.get(ran.statement)
  if (purpose === undefined) return
  const { statement, ms, result } = ran
  for (const hook of hooks) {
    hook(Object.freeze({ type: start.type, database, sql: statement.sql, ms, ...purpose, ...result }))
  }
}

export function startRecorder(start: RequestStart, database: DialectName, heard: () => Heard): Recorder {
  const times = startTimes()
  const notes: Notes = {
    start,
    database,
    asker: { kind: 'unknown' },
    description: null,
    runs: null,
    statements: 0,
    rows: 0,
    isKept: false,
  }
  return {
    identified: (identity) => {
      notes.asker = askerOf(identity)
    },
    enter: times.enter,
    planned: (description) => {
      notes.description = description
    },
    connected: () => {
      times.enter('load')
    },
    ran: (ran) => {
      notes.statements += 1
      if (ran.result.outcome === 'read') notes.rows += ran.result.rows
      notes.runs?.push(ran)
      tellStatement(notes, ran, heard())
    },
    kept: () => {
      notes.isKept = true
    },
    explains: () => {
      notes.runs = []
    },
    isExplaining: () => notes.runs !== null,
    meta: () => {
      const { description, runs } = notes
      return description === null || runs === null
        ? null
        : `"explain":${JSON.stringify(explainAnswer(description(), runs))}`
    },
    timing: () => timingOf(times.stages, notes.isKept),
    ended: (status, reason = null) => {
      times.enter(null)
      const event = requestEvent(notes, times, { status, reason })
      for (const { onRequest } of heard()) onRequest?.(event)
    },
  }
}
