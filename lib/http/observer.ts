import type { Request, Response } from 'express'
import type { Identity, Permitted } from '../access'
import type { Compiled } from '../sql'
import type { ReadAction } from '../config'
import type { UnavailableReason } from '../errors'
import type { LoadEvent } from '../read'
import type { Removal } from '../plan'

export interface RequestStart {
  /** `api::article.article` */
  readonly type: string
  readonly action: ReadAction
}

/** `wait`: for its turn and for a connection. */
export type Stage = 'authorize' | 'plan' | 'wait' | 'load' | 'write'

/** The SQL of a request. A request that is planned again has several. */
export interface ObservedPlan {
  readonly permitted: Permitted
  readonly compiled: Compiled
  /** What it leaves out and why. Names what the role may not see. */
  readonly removals: () => readonly Removal[]
}

/** No event holds a row. Identities and plans hold values of the request. */
export type ObservedEvent =
  | { readonly kind: 'caller'; readonly identity: Identity }
  /** Each request begins in `authorize`; null: in none. */
  | { readonly kind: 'stage'; readonly stage: Stage | null }
  | ({ readonly kind: 'plan' } & ObservedPlan)
  | LoadEvent
  /** Nothing is read. */
  | { readonly kind: 'cacheHit' }
  /** The response is about to be sent: headers may be added. Reads in the process have none. */
  | { readonly kind: 'headers'; readonly req: Request; readonly res: Response }
  /** `status` is null if the client has left, `reason` is null unless the status is 503. */
  | { readonly kind: 'end'; readonly status: number | null; readonly reason: UnavailableReason | null }

/** Receives the events of one request. What it throws is logged and changes no response. */
export interface RequestObserver {
  readonly on: (event: ObservedEvent) => void
  /** Calls `proceed` once, with the rest of the request: within a context of `AsyncLocalStorage`, for example. */
  readonly within?: (proceed: () => void) => void
  /**
   * Returns null, or what makes members of `meta` once the rows are read. Then all statements are sent, that of the
   * total too, and the response is neither shared nor cached. Called after the role may read the type.
   */
  readonly addMeta?: (req: Request) => Promise<(() => object) | null>
}
