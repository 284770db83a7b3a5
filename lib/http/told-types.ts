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
import type { Model, Schema } from '../schema'
import { addedQueries, type CoreSettings } from './extension'
import { ruleSettings } from './rule-settings'
import { type ContentRouterConfig, silentLogger, withheldTypes } from './settings'

export function typesShownTo(
  { schema, withheld, drafts }: Pick<CoreSettings, 'schema' | 'withheld' | 'drafts'>,
  grants: Grants,
): readonly ShownType[] {
  const isServed = (model: Model): boolean => !withheld.has(model.uid)
  return shownTypes({ schema, grants, drafts, isServed })
}

/** Of functions of the host it is unknown how a request says who sends it. */
export const takesTokens = isRoleSource

/** A role of a table; `'all'`: who may read everything. */
export type Audience = 'all' | { readonly role: string; readonly table: PermissionTable }

export interface RoleTypes {
  readonly types: readonly ShownType[]
  readonly options: FilledOptions & Required<AddedQueries>
}

/** The same before there is any router. */
export function toldTypes(config: ContentRouterConfig, schema: Schema, audience: Audience): RoleTypes {
  const options = { ...fillOptions(config), ...addedQueries(config.extensions) }
  const withheld = withheldTypes(schema, config.extensions ?? [], loggerOf(config.logger) ?? silentLogger)
  const granting = makeGranting(ruleSettings(options, schema, null), false)
  const grants =
    audience === 'all'
      ? granting({}, { kind: 'token', may: () => true })
      : granting(audience.table, { kind: 'roles', roles: [audience.role], asker: nothingKnown })
  return { options, types: typesShownTo({ schema, withheld, drafts: options.drafts }, grants) }
}
