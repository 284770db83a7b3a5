import { type Grants, makeGranting, nothingKnown } from '../access'
import {
  type AddedQueries,
  type FilledOptions,
  fillOptions,
  isRoleSource,
  loggerOf,
  type PermissionTable,
} from '../config'
import { shownTypes, type ShownType } from '../describe'
import type { Model, Schema, Uid } from '../schema'
import { addedQueries } from './extension'
import { ruleSettings } from './rule-settings'
import { type ContentRouterConfig, silentLogger, withheldTypes } from './settings'

interface ServedTypes {
  readonly schema: Schema
  readonly withheld: ReadonlySet<Uid>
  readonly drafts: FilledOptions['drafts']
}

/** What may be asked of which types, as they are served. */
export function typesShownTo(
  { schema, withheld, drafts }: ServedTypes,
  grants: Grants,
): readonly ShownType[] {
  const isServed = (model: Model): boolean => !withheld.has(model.uid)
  return shownTypes({ schema, grants, drafts, isServed })
}

/** Of functions of the host it is unknown how a request says who sends it. */
export const takesTokens = isRoleSource

/** A role of a table; `'all'`: who may read everything. */
export type Audience = 'all' | { readonly role: string; readonly table: PermissionTable }

function grantsOf(schema: Schema, options: FilledOptions, audience: Audience): Grants {
  const granting = makeGranting(ruleSettings(options, schema, null), false)
  if (audience === 'all') return granting({}, { kind: 'token', may: () => true })
  return granting(audience.table, { kind: 'roles', roles: [audience.role], asker: nothingKnown })
}

export interface RoleTypes {
  readonly types: readonly ShownType[]
  readonly options: FilledOptions & Required<AddedQueries>
}

/** The same before there is any router. */
export function toldTypes(config: ContentRouterConfig, schema: Schema, audience: Audience): RoleTypes {
  const options = { ...fillOptions(config), ...addedQueries(config.extensions) }
  const withheld = withheldTypes(schema, config.extensions ?? [], loggerOf(config.logger) ?? silentLogger)
  const serving = { schema, withheld, drafts: options.drafts }
  return { options, types: typesShownTo(serving, grantsOf(schema, options, audience)) }
}
