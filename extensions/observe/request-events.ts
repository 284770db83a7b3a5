// Events of hooks: names of types and attributes that a role may read, SQL with placeholders, numbers. Never a value of
// a request or of a row, and never an unknown name.

import type { ReadAction } from '../../lib/config'
import type { DialectName } from '../../lib/database'
import type { UnavailableReason } from '../../lib/errors'
import type { RequestStart, Stage } from '../../lib/http'
import type { StatementResult } from '../../lib/read'
import type { Purpose } from './plan-description'
import type { PlanShape } from './plan-outline'

/** Contains the roles of a request, from the `role` function or from Strapi. */
export type EventAsker =
  | { readonly kind: 'roles'; readonly roles: readonly string[] }
  /** Describes a Strapi API token, which has rights and no role. */
  | { readonly kind: 'token' }
  /** The request ended before authentication, or was rejected for lack of a role. */
  | { readonly kind: 'unknown' }

/** The duration of each stage, in milliseconds. The value is 0 for a stage that the request did not reach. */
export interface Stages extends Readonly<Record<Stage, number>> {
  /** Contains the time to read the roles and their permissions. */
  readonly authorize: number
  /** Contains the time to create SQL from the query. The time is close to 0 for a cached plan. */
  readonly plan: number
  /** Contains the time in the queue, and the time until a database connection is free. */
  readonly wait: number
  /** Contains the time to run the statements and combine the rows. */
  readonly load: number
  readonly write: number
}

/**
 * - `answered`: the router sent the requested content
 * - `refused`: the router sent an error that the client can fix, or a 404
 * - `failed`: the router sent an error of the server
 * - `abandoned`: the client disconnected before the end
 */
export type Outcome = 'answered' | 'refused' | 'failed' | 'abandoned'

/** Describes a finished request. */
export interface RequestEvent {
  readonly type: string
  readonly action: ReadAction
  readonly asker: EventAsker
  readonly outcome: Outcome
  /** Contains the status of the response. If the router sent no response, `status` is null. */
  readonly status: number | null
  /** Contains the reason of a 503. For any other status, `reason` is null. */
  readonly reason: UnavailableReason | null
  /** Contains the shape of the plan. If the request had no permitted plan, `shape` is null. */
  readonly shape: PlanShape | null
  readonly statements: number
  /** Counts the rows that were read from the database, including rows of join tables. */
  readonly rows: number
  /** Contains the time until the router sent the response, in milliseconds. */
  readonly ms: number
  readonly stages: Stages
}

interface StatementFacts {
  /** Names the requested type. */
  readonly type: string
  readonly database: DialectName
  readonly sql: string
  /**
   * Contains the time until the rows arrived, in milliseconds, with the wait for earlier statements on the connection.
   */
  readonly ms: number
}

/** Describes a finished statement. */
export type StatementEvent = StatementFacts & Purpose & StatementResult

/** Receives the event of a finished request. Results and errors of `onRequest` do not affect the response. */
export type RequestHook = (event: RequestEvent) => void
export type StatementHook = (event: StatementEvent) => void

/** The hooks of one request. */
export interface RequestTrace {
  readonly onRequest: RequestHook
  readonly onStatement: StatementHook
}

/** Traces requests from their start. `begin` must call `proceed` once to continue the request. */
export interface Tracing {
  /** Starts the trace of a request. The call of `proceed` continues the request. */
  begin(start: RequestStart, proceed: () => void): RequestTrace
}
