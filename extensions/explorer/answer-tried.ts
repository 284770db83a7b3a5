import type { Request, RequestHandler, Router } from 'express'
import type { Role } from '../../lib/config'
import { notFound } from '../../lib/errors'
import { type ExploredRouter, keepFromCaches, sendError } from '../../lib/http'
import { refusing } from './refusing'
import type { TriedRole } from './tried-role'

export interface Trying {
  readonly api: Router
  readonly explored: ExploredRouter
  readonly roleOf: TriedRole
}

/**
 * Answers as the router itself does: with its own memory to whoever asks, and beside it in the place of others. Who may try
 * what is decided for each request, and in a header: so no cache on the way may keep any of it, whatever is configured for the types.
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
