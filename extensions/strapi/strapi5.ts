import type { Fault } from '../../lib/errors'
import { type Extension, faultsOfType } from '../../lib/http'
import {
  type CustomFieldsOption,
  customTypes,
  faultsOfUnknown,
  isCustomType,
  type Schema,
} from '../../lib/schema'
import { definitionRoutes } from './definition-routes'
import { pluginRoutes } from './plugin-routes'
import { type ServeOption, withholdTypes } from './withhold-types'

export interface Strapi5Options {
  /**
   * Types that are served although their reads run through code of the project: `['article']`, or `'*'` for all.
   * @default []
   */
  readonly serve?: ServeOption
  /**
   * What fields of plugins are kept as, where neither the database nor a list of well-known ones says it: `{
   * 'plugin::color-picker.color': 'string' }`.
   * @default {}
   */
  readonly customFields?: CustomFieldsOption
  /**
   * Serves files, users, locales and definitions at the paths of Strapi's plugins.
   * @default true
   */
  readonly routes?: boolean
}

const names: Readonly<Record<keyof Strapi5Options, true>> = { serve: true, customFields: true, routes: true }

function faultsOfServed(serve: unknown, schema: Schema | null): readonly Fault[] {
  const where = 'strapi5.serve'
  if (serve === '*') return []
  if (!Array.isArray(serve) || !serve.every((name): name is string => typeof name === 'string'))
    return [{ where, problem: 'is no list of types', remedy: `use ['article'] or '*'` }]
  return schema === null ? [] : serve.flatMap((name) => faultsOfType(where, name, schema))
}

function faultsOfCustomFields(given: unknown): readonly Fault[] {
  const isTable = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (isTable && Object.values(given).every(isCustomType)) return []
  const remedy = `use { 'plugin::color-picker.color': 'string' }, each one of ${customTypes.join(', ')}`
  return [{ where: 'strapi5.customFields', problem: 'is no table of types', remedy }]
}

/** Answers as Strapi 5 does wherever the specification would have it otherwise. */
export function strapi5(options: Strapi5Options = {}): Extension {
  const { serve = [], customFields = {}, routes = true } = options
  return {
    name: 'strapi5',
    defaults: {
      drafts: 'open',
      localizations: 'flat',
      unlistedZoneElements: 'omit',
      textMatching: 'database',
      strictParameters: false,
      customFields,
      localeType: routes,
      olderFormat: true,
      loadingArtefacts: true,
    },
    check: (_config, core) => [
      ...faultsOfUnknown(options, names, 'there is no such option of strapi5'),
      ...faultsOfServed(serve, core?.schema ?? null),
      ...faultsOfCustomFields(customFields),
      ...(typeof routes === 'boolean'
        ? []
        : [{ where: 'strapi5.routes', problem: 'is neither true nor false' }]),
    ],
    ...(routes ? { routes: [...pluginRoutes, ...definitionRoutes] } : {}),
    withholds: (schema, logger) => withholdTypes(schema, serve, logger),
  }
}
