import type { Request, RequestHandler } from 'express'
import type { Action } from '../config'
import { makeNow } from '../database'
import { ConfigError, forbidden } from '../errors'
import type { Model } from '../schema'
import type { Content } from './content'
import { complainer } from './hooks'
import { makeIdentify } from './identify'
import type { Rights } from './rights'
import type { Watching } from './watching'

export interface Authorize {
  /** Resolves who asks, once per request, and refuses whoever may not read the type. */
  readonly layer: (model: Model, action: Action) => RequestHandler
  readonly rightsOf: (req: Request) => Rights
}

/** What a router found out about a request is its own: another router on the same app asks for itself. */
export function makeAuthorize(content: Content, watching: Watching): Authorize {
  const known = new WeakMap<Request, Rights>()
  const identify = makeIdentify(content)
  const complain = complainer(
    'access',
    content.settings.logger,
    'a function of the options answered what it must not; nothing was granted',
  )

  const resolve = async (req: Request): Promise<Rights> => {
    const now = makeNow(content.answers.moment)
    const identity = await identify(req, now)
    watching.of(req)?.identified(identity)
    return content.rights(identity, now)
  }

  return {
    layer: (model, action) => (req, _res, next) => {
      resolve(req)
        .then((rights) => {
          if (!rights.grants.may(model, action)) throw forbidden()
          known.set(req, rights)
          next()
        })
        .catch((error: unknown) => {
          if (error instanceof ConfigError) complain(error)
          next(error)
        })
    },
    rightsOf: (req) => {
      const rights = known.get(req)
      if (rights === undefined) throw forbidden()
      return rights
    },
  }
}
