import { grantedTo } from '../access'
import {
  actions,
  isPermissionsSource,
  isRoleSource,
  type Logger,
  type PermissionTable,
  type CoreConfig,
} from '../config'
import { reachableFrom, type Model, type Schema } from '../schema'
import { headersOf, varyOf } from './cache-headers'

interface TabledConfig extends CoreConfig {
  readonly permissions: PermissionTable
}

function warnOfNoPermissions({ permissions, role }: TabledConfig, logger: Logger): void {
  const roles = Object.keys(permissions)
  const remedy = `permissions: { public: { find: ['article'] } }`
  if (roles.length === 0)
    logger.warn({ remedy }, 'no permissions are given: every request is answered with 403')
  else if (role === undefined && !Object.hasOwn(permissions, 'public')) {
    const message =
      'everybody has the role public, as the option role says nothing else, and it may read nothing'
    logger.warn({ roles, remedy }, `${message}: every request is answered with 403`)
  }
}

/** Lists in `findOne` that are older than the rules of `find` are likely forgotten. */
function warnOfWiderEntries({ permissions }: TabledConfig, schema: Schema, logger: Logger): void {
  const models = [...schema.models.values()]
  for (const [role, { findOne }] of Object.entries(permissions)) {
    if (findOne !== '*' && !Array.isArray(findOne)) continue
    const wider = models.filter(
      (model) =>
        typeof grantedTo(permissions, role, model, 'find') === 'object' &&
        grantedTo(permissions, role, model, 'findOne') === true,
    )
    if (wider.length === 0) continue
    const remedy =
      'leave findOne out, where the rules of find are to hold; or say true of each of these types'
    const types = wider.map(({ uid }) => uid)
    logger.warn({ role, types, remedy }, 'all entries are shown one by one, of which lists show some')
  }
}

function warnOfSharedAnswers(
  { permissions, role, headers = {} }: TabledConfig,
  schema: Schema,
  logger: Logger,
): void {
  const grantsOf = (model: Model): Set<string> =>
    new Set(
      Object.keys(permissions).map((name) =>
        JSON.stringify(actions.map((action) => grantedTo(permissions, name, model, action))),
      ),
    )
  const isSeenOtherwise = (model: Model): boolean =>
    [...reachableFrom(schema, [model])].some((one) => one.kind !== 'component' && grantsOf(one).size > 1)
  const types = [...schema.models.values()].filter((model) => {
    const { shared } = headersOf(headers, model)
    const isShared =
      model.route !== null && shared === true && varyOf({ headers, schema }, model).length === 0
    return isShared && isSeenOtherwise(model)
  })
  if (types.length === 0 || isRoleSource(role)) return
  const remedy = 'name in vary what tells those who ask apart, such as Authorization; or leave shared out'
  logger.warn(
    { types: types.map(({ uid }) => uid), remedy },
    'caches on the way may give the answer to one role to another',
  )
}

export function warnOfGrants(config: CoreConfig, schema: Schema, logger: Logger): void {
  const { permissions = {} } = config
  if (typeof permissions === 'function' || isPermissionsSource(permissions)) return
  const tabled = { ...config, permissions }
  warnOfNoPermissions(tabled, logger)
  warnOfWiderEntries(tabled, schema, logger)
  warnOfSharedAnswers(tabled, schema, logger)
}
