import { type FilledOptions, limitOptions, type RoleLimits } from '../config'
import { LimitError } from '../errors'
import type { PlanSettings } from '../plan'
import type { QueryLimits } from '../query'
import type { Schema } from '../schema'
import type { Dialect } from '../sql'

type Numbers = Required<RoleLimits>

export interface ResponseLimits extends Numbers {
  /** Part of the cache key of plans. */
  readonly key: string
  readonly query: QueryLimits
  /** The limits that `limitsByRole` sets for these roles. */
  readonly ofRole: ReadonlySet<string>
}

const names = Object.keys(limitOptions) as (keyof Numbers)[]

/** The largest limit of any of the roles. */
export function limitsOf(options: FilledOptions, roles: readonly RoleLimits[]): ResponseLimits {
  const { query, pagination, timeout, nestedPagination, loadingArtefacts, strictParameters } = options
  const base = { ...query, ...pagination, timeout }
  const largest = (name: keyof Numbers): number =>
    roles.length === 0 ? base[name] : Math.max(...roles.map((limits) => limits[name] ?? base[name]))
  const numbers = Object.fromEntries(names.map((name) => [name, largest(name)])) as Numbers
  const { maxPageSize } = numbers
  const defaultPageSize = Math.min(pagination.defaultPageSize, maxPageSize)
  const page = { ...pagination, maxPageSize, defaultPageSize }
  // Every parent would be counted for, so nested pages count only when they are asked to.
  const nestedPage = nestedPagination ? { ...page, withCount: false } : null
  const habits = loadingArtefacts ? 'strapi' : 'strict'
  return {
    ...numbers,
    key: names.map((name) => String(numbers[name])).join(),
    ofRole: new Set(names.filter((name) => roles.some((limits) => limits[name] === numbers[name]))),
    query: { ...numbers, page, nestedPage, habits, strictParameters },
  }
}

/** Errors name the option that holds, but not the role: names of roles are not for clients. */
export function nameRoleLimit({ ofRole }: ResponseLimits, error: unknown): unknown {
  const isOfRole = error instanceof LimitError && ofRole.has(error.limit)
  return isOfRole ? error.by(`${error.limit} in limitsByRole`) : error
}

/** Settings of plans and rules of all requests. Without a dialect, features of any database are accepted. */
export function planSettings(
  options: FilledOptions,
  schema: Schema,
  dialect: Dialect | null,
): Omit<PlanSettings, 'defaultLocale' | 'hasColumn' | 'isReadable' | keyof ResponseLimits> {
  const { textMatching, localeFallback, unlistedZoneElements, loadingArtefacts } = options
  const typedJson = dialect?.isStrictlyTyped ?? false
  const hasSupersets = textMatching !== 'exact' && dialect?.superset !== null
  const supersets = typedJson ? 'json' : 'any'
  return {
    ...{ schema, localeFallback, unlistedZoneElements, loadingArtefacts, typedJson },
    refusesUnstorable: textMatching === 'exact' || (dialect?.isStrictlyTyped ?? true),
    matching: textMatching,
    supersets: hasSupersets ? supersets : 'none',
    isKey: (type, key) => dialect?.keys.fits(type, key, textMatching) ?? true,
  }
}
