import type { Request, RequestHandler } from 'express'
import { type Identity, identityOfHostResult, type RouteRight } from '../access'
import { isPromise } from '../config'
import { forbidden, unauthorized } from '../errors'
import { readStateOnce, type ReadState } from '../freshness'
import { inTime, readAgain, whileBusy } from '../read'
import type { Content } from './content'
import { raiseLoadError, raiseHostError } from './errors'
import type { Observing } from './observing'
import type { Rights } from './rights'
import { keepFromCaches } from './send'

type Identify = (req: Request, state: ReadState) => Promise<Identity>

export function makeIdentify({ settings: { role, timeout }, database }: Content): Identify {
  if (typeof role === 'function')
    return async (req) => {
      const answer: unknown = role(req)
      // Roles are read at once: a host may fill one object for each request anew.
      const identity = isPromise(answer)
        ? await inTime(Promise.resolve(answer).then(identityOfHostResult), timeout)
        : identityOfHostResult(answer)
      return identity ?? raiseUnauthorized()
    }
  const identify = role.open(database)
  return async (req, state) => {
    const now = await state()
    const read = (): ReturnType<typeof identify> => identify(req.headers, now)
    const reading = whileBusy(() => readAgain(database, read), { patience: timeout })
    return (await reading.catch(raiseLoadError)) ?? raiseUnauthorized()
  }
}

function raiseUnauthorized(): never {
  throw unauthorized()
}

export function makeAuthorize(content: Content, observing: Observing | null) {
  const known = new WeakMap<Request, Rights>()
  const identify = makeIdentify(content)

  const resolve = async (req: Request, right?: RouteRight): Promise<Rights> => {
    const state = readStateOnce(content.freshness.state)
    const identity = await identify(req, state)
    observing?.of(req)?.emit({ kind: 'caller', identity })
    return content.readRights(identity, state, right)
  }

  return {
    /** Resolves the caller, once per request, and refuses others. `right`: of a route of an extension. */
    layer:
      (mayAsk: (rights: Rights) => boolean, right?: RouteRight): RequestHandler =>
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
          .catch(raiseHostError)
          .catch(next)
      },
    /** Reads the rights again, for a response that lasts. */
    anew: (req: Request) => resolve(req),
    rightsOf: (req: Request): Rights => {
      const rights = known.get(req)
      if (rights === undefined) throw forbidden()
      return rights
    },
  }
}

export type Authorize = ReturnType<typeof makeAuthorize>
