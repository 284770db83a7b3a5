import type { Request, Router } from 'express'
import { type Identity, rolesGiven } from '../access'
import type { Role, RoleFunction } from '../config'
import type { Database } from '../database'
import type { ShownType } from '../describe'
import { askOnce } from '../freshness'
import { makeIdentify } from './identify'
import type { InFlight } from './in-flight'
import type { Settings } from './settings'
import { settleRouter, type Settling } from './settle'
import { typesShownTo } from './told-types'

/** What a page for developers needs of a router: what may be asked, and answers to others than whoever asks. */
export interface ExploredRouter {
  readonly settings: Settings
  /** The same content on the same connections, for whom the function says. What it keeps is its own. */
  readonly servedTo: (role: RoleFunction) => Router
  /** What a role may read; without one, whoever asks. */
  readonly shownTo: (req: Request, role: Role | undefined) => Promise<readonly ShownType[]>
}

const known = new WeakMap<object, ExploredRouter>()

/** Null where it is none of ours. */
export const exploredRouter = (router: object): ExploredRouter | null => known.get(router) ?? null

interface Explorable {
  readonly settings: Settings
  readonly database: Database
  readonly requests: InFlight
}

export function letExplore({ router, settled }: Settling, explorable: Explorable): void {
  const { settings, database, requests } = explorable
  known.set(router, {
    settings,
    servedTo: (role) => settleRouter({ ...settings, role }, database, requests).router,
    shownTo: async (req, role) => {
      const { content } = await settled()
      const state = askOnce(content.freshness.state)
      const given: Identity | null =
        role === undefined || role === null ? null : { kind: 'roles', ...rolesGiven(role) }
      const { grants } = await content.rights(given ?? (await makeIdentify(content)(req, state)), state)
      return typesShownTo(content.settings, grants)
    },
  })
}
