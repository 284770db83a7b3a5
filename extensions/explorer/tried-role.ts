import type { Request, NextFunction, Response, RequestHandler, Router } from 'express'
import type { Role } from '../../lib/config'
import { forbidden, RequestError, notFound } from '../../lib/errors'
import { sendError, type ExploredRouter, keepFromCaches } from '../../lib/http'
import type { ExplorerOptions, TriedRoles } from './explorer-options'

export interface Trying {
  readonly api: Router
  readonly explored: ExploredRouter
  readonly roleOf: TriedRole
}

/**
 * Serves own requests with the router's own cache, and tried roles with a second router. A request header selects the
 * role, so shared caches must not store the response. This also overrides `headers` of the type.
 */
export function tryRoles({ api, explored, roleOf }: Trying): RequestHandler {
  const inPlaceOf = new WeakMap<Request, Exclude<Role, null>>()
  let ofOthers: Router | null = null
  return (req, res, next) => {
    keepFromCaches(res)
    const none = (error?: unknown): void => {
      if (error === undefined) sendError(res, notFound())
      else next(error)
    }
    roleOf(req).then(
      ({ role }) => {
        if (role === undefined) {
          api(req, res, none)
          return
        }
        inPlaceOf.set(req, role)
        ofOthers ??= explored.servedTo((asking) => inPlaceOf.get(asking) ?? null)
        ofOthers(req, res, none)
      },
      refusing(res, next),
    )
  }
}

/** Errors of the request are sent here. Errors of the host's function go to the host's error handler. */
export const refusing =
  (res: Response, next: NextFunction) =>
  (error: unknown): void => {
    if (error instanceof RequestError) sendError(res, error)
    else next(error)
  }

/** Browsers send a custom header only from pages of the same host. */
export const roleHeader = 'X-Explorer-Role'

export interface Tried {
  readonly names: readonly string[]
  readonly named: readonly string[]
  /** Undefined: the caller's own role. */
  readonly role: Exclude<Role, null> | undefined
}

/** Rejects names that this request may not try, existing or not. */
export type TriedRole = (req: Request) => Promise<Tried>

const isList = (roles: TriedRoles): roles is readonly string[] => Array.isArray(roles)

/** A function of the host may return anything. */
function rolesIn(triedRoles: unknown): TriedRoles {
  if (
    Array.isArray(triedRoles)
      ? triedRoles.every((one) => typeof one === 'string')
      : typeof triedRoles === 'object' && triedRoles !== null
  )
    return triedRoles as TriedRoles
  throw new TypeError('the explorer option roles must return a list of names or an object')
}

const rolesByName = (told: TriedRoles): ReadonlyMap<string, Exclude<Role, null>> =>
  new Map(isList(told) ? told.map((name) => [name, name]) : Object.entries(told))

export function triedRole(roles: ExplorerOptions['roles'] = () => []): TriedRole {
  return async (req) => {
    const known = rolesByName(rolesIn(await roles(req)))
    const names = [...known.keys()]
    const named = names.filter((name) => known.get(name) !== name)
    const asked = req.get(roleHeader) ?? ''
    if (asked === '') return { names, named, role: undefined }
    const role = [...known].find(([name]) => encodeURIComponent(name) === asked)?.[1]
    if (role === undefined) throw forbidden()
    return { names, named, role }
  }
}
