import type { Request, RequestHandler } from 'express'
import { type RouteRight, type Identity, isPromise, rolesOfHostResult } from '../access'
import type { Action } from '../config'
import { askOnce, type AskState } from '../freshness'
import { forbidden, unauthorized } from '../errors'
import type { Model } from '../schema'
import { inTime, readAgain, whileBusy } from '../read'
import type { Content } from './content'
import { raiseTold, raiseLoadError } from './errors'
import { type Rights, mayRead, readRights } from './rights'
import type { Observing } from './observing'
import { keepFromCaches } from './send'

function identityOf(answer: unknown): Identity | null {
  const answered = rolesOfHostResult(answer)
  return answered === null ? null : { kind: 'roles', ...answered }
}

function identifier({
  settings: { role, timeout },
  database,
}: Content): (req: Request, state: AskState) => Promise<Identity | null> {
  // Roles are read at once: a host may fill one object for each request anew.
  const read = (answer: unknown): Identity | null | PromiseLike<Identity | null> =>
    isPromise(answer) ? Promise.resolve(answer).then(identityOf) : identityOf(answer)
  if (typeof role === 'function') return async (req) => inTime(read(role(req)), timeout)
  const identify = role.open(database)
  return async (req, state) => {
    const now = await state()
    const read = (): Promise<Identity | null> => identify(req.headers, now)
    return whileBusy(() => readAgain(database, read), { patience: timeout }).catch(raiseLoadError)
  }
}

export function makeIdentify(content: Content): (req: Request, state: AskState) => Promise<Identity> {
  const identify = identifier(content)
  return async (req, state) => {
    const identity = await identify(req, state)
    if (identity === null) throw unauthorized()
    return identity
  }
}

export interface Authorize {
  /** Resolves who asks, once per request, and refuses roles that may not read the type. */
  readonly layer: (model: Model, action: Action) => RequestHandler
  /** The same for a route of an extension that reads a type. */
  readonly routeLayer: (model: Model, right: RouteRight) => RequestHandler
  /** Refuses only who may not ask at all. */
  readonly anyone: RequestHandler
  readonly rightsOf: (req: Request) => Rights
  /** Reads the rights again, for a response that lasts. */
  readonly anew: (req: Request) => Promise<Rights>
}

export function makeAuthorize(content: Content, observing: Observing | null): Authorize {
  const known = new WeakMap<Request, Rights>()
  const identify = makeIdentify(content)
  const { withheld } = content.settings

  const resolve = async (req: Request, right: RouteRight | null = null): Promise<Rights> => {
    const state = askOnce(content.freshness.state)
    const identity = await identify(req, state)
    observing?.of(req)?.emit({ kind: 'caller', identity })
    return readRights(content.rights, identity, state, right)
  }

  const layerFor =
    (mayAsk: (rights: Rights) => boolean, right: RouteRight | null = null): RequestHandler =>
    (req, res, next) => {
      resolve(req, right)
        .catch((error: unknown) => {
          keepFromCaches(res)
          throw error
        })
        .then((rights) => {
          if (!mayAsk(rights)) throw forbidden()
          known.set(req, rights)
          next()
        })
        .catch(raiseTold)
        .catch(next)
    }

  return {
    layer: (model, action) => layerFor(({ grants }) => mayRead(content.settings, grants, model, action)),
    routeLayer: (model, right) => layerFor(({ mayAsk }) => !withheld.has(model.uid) && mayAsk(right), right),
    anyone: layerFor(() => true),
    anew: (req) => resolve(req),
    rightsOf: (req) => {
      const rights = known.get(req)
      if (rights === undefined) throw forbidden()
      return rights
    },
  }
}
