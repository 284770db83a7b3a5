import type { Request, RequestHandler } from 'express'
import type { Grants } from '../access'
import type { Action } from '../config'
import { forbidden } from '../errors'
import type { Model } from '../schema'
import type { Content } from './content'
import { makeIdentify } from './identify'

export interface Authorize {
  /** Resolves who asks, once per request, and refuses whoever may not read the type. */
  readonly layer: (model: Model, action: Action) => RequestHandler
  readonly grantsOf: (req: Request) => Grants
}

/** What a router found out about a request is its own: another router on the same app asks for itself. */
export function makeAuthorize(content: Content): Authorize {
  const known = new WeakMap<Request, Grants>()
  const identify = makeIdentify(content)

  const resolve = async (req: Request): Promise<Grants> => {
    const identity = await identify(req)
    return content.grants(identity)
  }

  return {
    layer: (model, action) => (req, _res, next) => {
      resolve(req)
        .then((grants) => {
          if (!grants.may(model, action)) throw forbidden()
          known.set(req, grants)
          next()
        })
        .catch(next)
    },
    grantsOf: (req) => {
      const grants = known.get(req)
      if (grants === undefined) throw forbidden()
      return grants
    },
  }
}
