// What hooks are told: names of types and attributes that a role may read, SQL with placeholders, numbers. Never a value
// of a request or of a row, and never a name that resolved to nothing.

import type { ReadAction } from '../../lib/config'
import type { DialectName } from '../../lib/database'
import type { UnavailableReason } from '../../lib/errors'
import type { RequestStart, Stage } from '../../lib/http'
import type { StatementResult } from '../../lib/read'
import type { Purpose } from './plan-description'
import type { PlanShape } from './plan-outline'

/** Whose rights a request had, in the words of the `role` function or of Strapi's roles. */
export type EventAsker =
  | { readonly kind: 'roles'; readonly roles: readonly string[] }
  /** An API token, which brings rights of its own. */
  | { readonly kind: 'token' }
  /** The request ended before it was known, or was refused for want of a role. */
  | { readonly kind: 'unknown' }

/** Milliseconds. A stage that was not reached took none. */
export interface Stages extends Readonly<Record<Stage, number>> {
  /** Who asks, and what they may. */
  readonly authorize: number
  /** From the text of the query to SQL; next to nothing for a plan that is known. */
  readonly plan: number
  /** For its turn, and for a connection to the database. */
  readonly wait: number
  /** The statements, and putting their rows together. */
  readonly load: number
  readonly write: number
}

/**
 * - `answered`: with what was asked for
 * - `refused`: with an error that says what the client has to change, and 404
 * - `failed`: with an error of the server
 * - `abandoned`: the client went away first
 */
export type Outcome = 'answered' | 'refused' | 'failed' | 'abandoned'

export interface RequestEvent {
  readonly type: string
  readonly action: ReadAction
  readonly asker: EventAsker
  readonly outcome: Outcome
  /** Null where none was sent. */
  readonly status: number | null
  /** Why it is a 503; null of other responses. */
  readonly reason: UnavailableReason | null
  /** Null where there was no plan that the role may run. */
  readonly shape: PlanShape | null
  readonly statements: number
  /** Read from the database, those of join tables included. */
  readonly rows: number
  /** Until the answer was sent. */
  readonly ms: number
  readonly stages: Stages
}

interface StatementFacts {
  /** The type that was asked for. */
  readonly type: string
  readonly database: DialectName
  readonly sql: string
  /** From sending it to having its rows, so waiting for those that were sent before it on the same connection counts. */
  readonly ms: number
}

export type StatementEvent = StatementFacts & Purpose & StatementResult

/** Called after the fact; what it returns or throws changes no answer. */
export type RequestHook = (event: RequestEvent) => void
export type StatementHook = (event: StatementEvent) => void

/** What one request's hooks are told. */
export interface RequestTrace {
  readonly onRequest: RequestHook
  readonly onStatement: StatementHook
}

/** Follows requests from their beginning. `proceed` goes on with the request, and has to be called once. */
export interface Tracing {
  /** Begins to follow a request, which goes on once `proceed` is called. */
  begin(start: RequestStart, proceed: () => void): RequestTrace
}
