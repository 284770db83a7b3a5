import type { Request, Router } from 'express'
import { type Identity, rolesGiven } from '../access'
import type { Role, RoleFunction } from '../config'
import type { Database } from '../database'
import type { ShownType } from '../describe'
import { askOnce, remember } from '../freshness'
import { makeIdentify } from './authorize'
import type { InFlight } from './queue'
import { readRights, type Rights } from './rights'
import type { Settings } from './settings'
import { settleRouter, type Settling } from './settle'
import { readFacts } from '../tables'
import { typesShownTo } from './told-types'

/** What the explorer and OpenAPI read of a router: its types, the rights of a role, and responses to another role. */
export interface ExploredRouter {
  readonly settings: Settings
  /** The same content on the same connections, for whom the function says. What it keeps is its own. */
  readonly servedTo: (role: RoleFunction) => Router
  /** The rights of a role; without one, of whoever may read everything. */
  readonly rightsGiven: (
    role: Exclude<Role, null> | undefined,
  ) => Promise<{ readonly settings: Settings; readonly rights: Rights }>
  /** What a role may read; without one, whoever asks. */
  readonly shownTo: (req: Request, role: Role | undefined) => Promise<readonly ShownType[]>
}

const known = new WeakMap<object, ExploredRouter>()

export const exploredRouter = (router: object): ExploredRouter | null => known.get(router) ?? null

/** In tables that Strapi made, parts have no document ids; where no database can be asked, none are promised. */
function asStored(type: ShownType, columns: ReadonlyMap<string, unknown> | undefined): ShownType {
  const { model, scalars } = type
  const id = scalars.get('documentId')
  if (model.kind !== 'component' || id === undefined || columns?.has(id.column.column) === true) return type
  return { ...type, scalars: new Map([...scalars].filter(([name]) => name !== 'documentId')) }
}

export function letExplore(
  { router, settled }: Settling,
  { settings, database, requests }: Readonly<{ settings: Settings; database: Database; requests: InFlight }>,
): void {
  // Columns of the tables are read again after a while.
  const facts = remember(() => readFacts(database), 30_000)
  known.set(router, {
    settings,
    servedTo: (role) => settleRouter({ ...settings, role }, database, requests).router,
    rightsGiven: async (role) => {
      const identity: Identity =
        role === undefined ? { kind: 'token', may: () => true } : { kind: 'roles', ...rolesGiven(role) }
      const leave = requests.enter()
      try {
        const { content } = await settled()
        const rights = await readRights(content.rights, identity, askOnce(content.freshness.state))
        return { settings: content.settings, rights }
      } finally {
        leave()
      }
    },
    shownTo: async (req, role) => {
      const { content } = await settled()
      const state = askOnce(content.freshness.state)
      const identity: Identity =
        role === undefined || role === null
          ? await makeIdentify(content)(req, state)
          : { kind: 'roles', ...rolesGiven(role) }
      const { grants } = await readRights(content.rights, identity, state)
      const tables = await facts().then(
        (read) => read.tables,
        () => null,
      )
      return typesShownTo(content.settings, grants).map((type) =>
        asStored(type, tables?.get(type.model.table)),
      )
    },
  })
}
