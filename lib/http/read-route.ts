import type { Request } from 'express'
import type { Grants, RouteRight } from '../access'
import type { ReadAction } from '../config'
import type { Asked } from '../plan'
import { largestId } from '../schema'
import type { BodyForm } from '../json'
import type { AnswerLimits } from './limits'

/** How a route reads its query, and what it puts around its entries. */
export interface RouteManner {
  /** `whole`: all entries, unless `start` and `limit` say which. */
  readonly lists: 'pages' | 'whole'
  readonly body: BodyForm['kind']
}

/** What a request may read, and what that may cost. */
export interface CoreRights {
  readonly grants: Grants
  readonly limits: AnswerLimits
  /** Whether the sender may use routes with this right. */
  readonly mayAsk: (right: RouteRight) => boolean
  /** The id of the user, if it is known. */
  readonly user: number | null
}

/** A path, and what is read there. */
export interface ReadRoute {
  readonly path: string
  readonly action: ReadAction
  readonly asks: (req: Request, rights: CoreRights) => Asked
  /** Whether a path of this form is one to whoever asks, where some are not. */
  readonly leads?: (req: Request, rights: CoreRights) => boolean
  readonly manner: RouteManner
  /** `any`: in Strapi's older format, too, where a request asks for it. */
  readonly formats: 'any' | 'v5'
  /** Whether what stands behind the `?` is heeded. */
  readonly takesQuery: boolean
  /** What is answered where there is no such entry. */
  readonly absent: 404 | 204
  /** About whoever asks, so that nobody else is to keep it. */
  readonly isPersonal: boolean
}

/** The id of an entry in a path; null if it is none. */
export function numberOf(param: unknown): number | null {
  if (typeof param !== 'string' || !/^\d{1,10}$/.test(param)) return null
  const number = Number(param)
  return number > largestId ? null : number
}
