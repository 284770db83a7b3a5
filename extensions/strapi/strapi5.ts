import { isTable, type Logger } from '../../lib/config'
import type { Fault } from '../../lib/errors'
import { type CheckedCore, type Extension, faultsOfType } from '../../lib/http'
import {
  type CustomFieldsOption,
  customTypes,
  faultsOfValues,
  isCustomType,
  modelNamed,
  type Schema,
  type Uid,
  type ValueCheck,
} from '../../lib/schema'
import { definitionRoutes } from './definition-routes'
import { loadProjectCode, type TypeCode } from './load-project-code'
import { pluginRoutes } from './plugin-routes'

type ServeOption = readonly string[] | '*'

/** Contains the options of `strapi5`. */
export interface Strapi5Options {
  /**
   * Lists types to serve although code of the Strapi project changes their responses, such as `['article']`. With
   * `'*'`, the router serves all types.
   * @default []
   */
  readonly serve?: ServeOption
  /**
   * Sets the types of custom fields: `{ 'plugin::color-picker.color': 'string' }`. Set `customFields` for plugins that
   * are missing in the database and in the built-in list.
   * @default {}
   */
  readonly customFields?: CustomFieldsOption
  /**
   * Lists attributes that are private in every type and component, as Strapi's `responses.privateAttributes`.
   * @default []
   */
  readonly privateAttributes?: readonly string[]
  /**
   * Serves files, users, locales and content type definitions at the paths of Strapi's plugins.
   * @default true
   */
  readonly routes?: boolean
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const checks: Readonly<Record<keyof Strapi5Options, ValueCheck>> = {
  serve: {
    fits: (value) => value === '*' || (isList(value) && value.every((name) => typeof name === 'string')),
    problem: 'the option serve must be a list of types or *',
    remedy: `write ['article'] or '*'`,
  },
  customFields: {
    fits: (value) => isTable(value) && Object.values(value).every(isCustomType),
    problem: 'customFields must be an object with a storage type for each custom field',
    remedy: `write { 'plugin::color-picker.color': 'string' }. The storage types are ${customTypes.join(', ')}`,
  },
  privateAttributes: {
    fits: (value) => isList(value) && value.every((name) => typeof name === 'string' && name !== ''),
    problem: 'privateAttributes must be a list of names',
    remedy: `write ['createdAt']`,
  },
  routes: {
    fits: (value) => typeof value === 'boolean',
    problem: 'the option routes must be true or false',
  },
}

function faultsOfStrapi5(options: Strapi5Options, core: CheckedCore | null): readonly Fault[] {
  const faults = faultsOfValues('strapi5', options, checks)
  const { serve = [] } = options
  if (faults.length > 0 || serve === '*' || core === null) return faults
  return serve.flatMap((name) => faultsOfType('strapi5.serve', name, core.schema))
}

function warnOf({ uid, reasons }: TypeCode, schema: Schema, logger: Logger): void {
  const name = schema.models.get(uid)?.singularName ?? uid
  const serve = `strapi5({ serve: ['${name}'] })`
  const populates = reasons.some((reason) => /middlewares \(.*populate/i.test(reason))
  const remedy = populates
    ? `add ${serve}, and defaultQueries({ '${name}': { populate } }) with the populate of the middleware`
    : `add ${serve}`
  logger.warn(
    { type: uid, reasons, remedy },
    'requests for a type get a 403, because the Strapi project reads the type with custom code',
  )
}

/** Types whose reads run code of the project, which the router does not run. Each is logged once. */
function withholdTypes(schema: Schema, serve: ServeOption, logger: Logger): readonly Uid[] {
  if (serve === '*') return []
  const served = new Set(serve.map((name) => modelNamed(schema, name)?.uid))
  const { types, elsewhere } = loadProjectCode(schema)
  const withheld = types.filter(({ uid }) => !served.has(uid))
  for (const type of withheld) warnOf(type, schema, logger)
  if (elsewhere.length > 0)
    logger.warn(
      { files: elsewhere },
      'the router does not run some files of the Strapi project, which may change routes',
    )
  return withheld.map(({ uid }) => uid)
}

/** Creates a preset that changes the router's defaults to the behaviour of Strapi 5. */
export function strapi5(options: Strapi5Options = {}): Extension {
  const { serve = [], customFields = {}, privateAttributes = [], routes = true } = options
  return {
    name: 'strapi5',
    defaults: {
      drafts: 'open',
      localizations: 'flat',
      unlistedZoneElements: 'omit',
      textMatching: 'database',
      strictParameters: false,
      customFields,
      privateAttributes,
      localeType: routes,
      olderFormat: true,
      loadingArtefacts: true,
    },
    check: (_config, core) => faultsOfStrapi5(options, core),
    ...(routes ? { routes: [...pluginRoutes, ...definitionRoutes] } : {}),
    withholds: (schema, logger) => withholdTypes(schema, serve, logger),
  }
}
