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
 * Answers as the router itself does: with its own memory to whoever asks, and beside it in the place of others. A header
 * decides for each request which role is tried, so no shared cache may store a response, whatever `headers` says of the type.
 */
export function answerTried({ api, explored, roleOf }: Trying): RequestHandler {
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

/** Browsers send it from pages of the same host alone. */
export const roleHeader = 'X-Explorer-Role'

export interface Tried {
  /** All that may be tried. */
  readonly names: readonly string[]
  /** Those of them that are no role by themselves. */
  readonly named: readonly string[]
  /** Undefined: nobody asks in another's place. */
  readonly role: Exclude<Role, null> | undefined
}

/** Refuses what the host does not let this request try, whether there is such a role or not. */
export type TriedRole = (req: Request) => Promise<Tried>

const isList = (roles: TriedRoles): roles is readonly string[] => Array.isArray(roles)

/** A function of the host's may answer anything. */
function rolesIn(told: unknown): TriedRoles {
  if (
    Array.isArray(told)
      ? told.every((one) => typeof one === 'string')
      : typeof told === 'object' && told !== null
  )
    return told as TriedRoles
  throw new TypeError("the explorer's option roles answers neither a list of names nor a table by names")
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
