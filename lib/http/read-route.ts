import type { Request } from 'express'
import type { ReadAction } from '../config'
import type { Asked } from '../plan'
import type { RouteManner } from './prepare'
import type { Rights } from './rights'

/** A path, and what is read there. */
export interface ReadRoute {
  readonly path: string
  readonly action: ReadAction
  readonly asks: (req: Request, rights: Rights) => Asked
  /** Whether a path of this form is one to whoever asks, where some are not. */
  readonly leads?: (req: Request, rights: Rights) => boolean
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

/** Strapi's header for its older answers; any other value means the present form. */
export const formatOf = (req: Request): 'v4' | 'v5' =>
  req.headers['strapi-response-format'] === 'v4' ? 'v4' : 'v5'
