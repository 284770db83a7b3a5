import {
  type Action,
  actions,
  type RequiredTable,
  type FilledOptions,
  isPermissionsSource,
  isRoleSource,
  type PermissionsOption,
  type Rule,
} from '../config'
import { localeUid, type Model, type Schema, type Uid } from '../schema'
import { type NeededType, settingsTable, type TableNeeds, tableNeeds } from '../tables'
import { grantedTo, isListedBy, makeRuleOn } from './permissions'

const settings = { table: settingsTable, columns: ['key', 'value'], isOptional: true } as const
const localeTables: readonly RequiredTable[] = [
  { ...settings, by: 'the default locale', instead: `set the default locale: defaultLocale: 'en'` },
]

const instead = `set the types of custom fields: customFields: { 'plugin::color-picker.color': 'string' }`
const byCustomFields = { by: 'custom fields', instead, isOptional: true } as const
const customFieldTables: readonly RequiredTable[] = [
  { ...settings, ...byCustomFields },
  { table: 'strapi_database_schema', columns: ['id', 'schema'], ...byCustomFields },
]

type NeedOptions = Pick<FilledOptions, 'role' | 'permissions' | 'defaultLocale' | 'loadingArtefacts'>

const isRule = (granted: boolean | Rule): granted is Rule => typeof granted === 'object'

type GrantedOn = (model: Model, actions: readonly Action[]) => readonly (boolean | Rule)[]

/** Functions, tokens and the database may grant everything. */
function grantsIn(permissions: PermissionsOption, schema: Schema, hasTokens: boolean): GrantedOn {
  if (typeof permissions === 'function') return () => [true]
  if (isPermissionsSource(permissions)) {
    const { rules } = permissions
    const ruleOn = makeRuleOn(rules, schema)
    return ({ uid }) => [true, ...Object.keys(rules).map((role) => ruleOn(role, uid))]
  }
  const roles = Object.keys(permissions)
  return (model, wanted) => [
    hasTokens || roles.length === 0,
    ...roles.flatMap((role) => wanted.map((action) => grantedTo(permissions, role, model, action))),
  ]
}

/** Null if no role may read the type. */
function neededType(model: Model, grantedOn: GrantedOn): NeededType | null {
  if (model.kind === 'component' || model.open) return { model, conditions: [] }
  const reads = grantedOn(model, ['find', 'findOne']).filter((granted) => granted !== false)
  if (reads.length === 0) return null
  const rules = grantedOn(model, actions).filter(isRule)
  const conditions = rules.flatMap((rule) => ('where' in rule ? [rule.where] : []))
  const fields = reads.map((granted) => (isRule(granted) && 'fields' in granted ? granted.fields : null))
  if (fields.includes(null)) return { model, conditions }
  const names = new Set(['id', 'documentId', ...fields.flatMap((list) => list ?? [])])
  const shown = <T>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...all].filter(([name]) => names.has(name)))
  return { model: { ...model, columns: shown(model.columns), links: shown(model.links) }, conditions }
}

/** Without permissions, any role may get them later. */
function usedTypes({ permissions, role }: NeedOptions, types: readonly string[]): readonly string[] {
  if (typeof permissions === 'function' || isPermissionsSource(permissions) || isRoleSource(role))
    return types
  const grants = Object.values(permissions)
  return types.filter((type) => grants.length === 0 || grants.some((grant) => isListedBy(grant, type)))
}

/** `routed`: types with routes of extensions. */
export function requestNeeds(options: NeedOptions, schema: Schema, routed: readonly string[]): TableNeeds {
  const { role, permissions, defaultLocale, loadingArtefacts } = options
  const grantedOn = grantsIn(permissions, schema, isRoleSource(role))
  const types = new Map(
    [...schema.models.values()].flatMap((model): [Uid, NeededType][] => {
      const needed = neededType(model, grantedOn)
      return needed === null ? [] : [[model.uid, needed]]
    }),
  )
  const served = usedTypes(options, routed)
  const roots = [...types.keys()].filter(
    (uid) => schema.models.get(uid)?.route !== null || served.includes(uid),
  )
  const needs = tableNeeds(schema, { types, roots, readsEmptyLocale: loadingArtefacts })
  const isLocalized = [...needs.models.values()].some(({ localized, uid }) => localized || uid === localeUid)
  const asked = [
    ...(isPermissionsSource(permissions) ? permissions.reads : []),
    ...(isRoleSource(role) ? role.reads : []),
    ...(isLocalized && defaultLocale === undefined ? localeTables : []),
    ...(schema.custom.length > 0 ? customFieldTables : []),
  ]
  return { ...needs, asked }
}
