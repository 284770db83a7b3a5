// Events of hooks: names of types and attributes that a role may read, SQL with placeholders, numbers. Never a value of
// a request or of a row, and never an unknown name.

import type { ReadAction } from '../../lib/config'
import type { DialectName } from '../../lib/database'
import type { UnavailableReason } from '../../lib/errors'
import type { RequestStart, Stage } from '../../lib/http'
import type { StatementResult } from '../../lib/read'
import type { Purpose } from './plan-description'
import type { PlanShape } from './plan-outline'

/** Roles of a request, named by the `role` function or by Strapi. */
export type EventAsker =
  | { readonly kind: 'roles'; readonly roles: readonly string[] }
  /** An API token, which has rights of its own. */
  | { readonly kind: 'token' }
  /** The request ended before authentication, or was rejected for lack of a role. */
  | { readonly kind: 'unknown' }

/** Milliseconds. A stage that was not reached took none. */
export interface Stages extends Readonly<Record<Stage, number>> {
  /** Resolving the role and its permissions. */
  readonly authorize: number
  /** From the text of the query to SQL; close to 0 for a cached plan. */
  readonly plan: number
  /** Waiting in the queue and for a database connection. */
  readonly wait: number
  /** Running the statements and combining their rows. */
  readonly load: number
  readonly write: number
}

/**
 * - `answered`: with the requested content
 * - `refused`: with an error that the client can fix, or a 404
 * - `failed`: with an error of the server
 * - `abandoned`: the client disconnected first
 */
export type Outcome = 'answered' | 'refused' | 'failed' | 'abandoned'

export interface RequestEvent {
  readonly type: string
  readonly action: ReadAction
  readonly asker: EventAsker
  readonly outcome: Outcome
  /** Null without a response. */
  readonly status: number | null
  /** The reason of a 503; null for other responses. */
  readonly reason: UnavailableReason | null
  /** Null without a plan that the role may run. */
  readonly shape: PlanShape | null
  readonly statements: number
  /** Rows read from the database, with those of join tables. */
  readonly rows: number
  /** Time until the response was sent. */
  readonly ms: number
  readonly stages: Stages
}

interface StatementFacts {
  /** The requested type. */
  readonly type: string
  readonly database: DialectName
  readonly sql: string
  /** From sending it to having its rows, including the wait for earlier statements on the same connection. */
  readonly ms: number
}

export type StatementEvent = StatementFacts & Purpose & StatementResult

/** Called afterwards; its result and its errors do not affect the response. */
export type RequestHook = (event: RequestEvent) => void
export type StatementHook = (event: StatementEvent) => void

/** Hooks of one request. */
export interface RequestTrace {
  readonly onRequest: RequestHook
  readonly onStatement: StatementHook
}

/** Follows requests from their beginning. `proceed` goes on with the request, and has to be called once. */
export interface Tracing {
  /** Begins to follow a request, which goes on after the call of `proceed`. */
  begin(start: RequestStart, proceed: () => void): RequestTrace
}
