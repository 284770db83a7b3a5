import type { Identity } from '../access'
import { type FilledOptions, limitOptions, type RoleLimits } from '../config'
import { LimitError } from '../errors'
import { makeMemory, once } from '../memory'
import type { QueryLimits } from '../query'

type Numbers = Required<RoleLimits>

export interface AnswerLimits extends Numbers {
  /** Part of the cache key of plans. */
  readonly key: string
  readonly query: QueryLimits
  /** Which of them `limitsByRole` sets for him. */
  readonly ofRole: ReadonlySet<string>
}

/** Errors name the option that holds, but not the role: names of roles are not for clients. */
export function asHolding({ ofRole }: AnswerLimits, error: unknown): unknown {
  const isOfRole = error instanceof LimitError && ofRole.has(error.limit)
  return isOfRole ? error.by(`${error.limit} in limitsByRole`) : error
}

export type Limiting = (identity: Identity) => AnswerLimits

const names = Object.keys(limitOptions) as (keyof Numbers)[]

function numbersOf({ query, pagination, timeout }: FilledOptions): Numbers {
  const all = { ...query, ...pagination, timeout }
  return Object.fromEntries(names.map((name) => [name, all[name]])) as Numbers
}

/** The largest limit of any of the roles. */
function mostOf(base: Numbers, several: readonly RoleLimits[]): Numbers {
  if (several.length === 0) return base
  const allowed = (name: keyof Numbers): number[] => several.map((limits) => limits[name] ?? base[name])
  return Object.fromEntries(names.map((name) => [name, Math.max(...allowed(name))])) as Numbers
}

function limitsFrom(
  { pagination, nestedPagination, loadingArtefacts, strictParameters }: FilledOptions,
  numbers: Numbers,
  roles: readonly RoleLimits[],
): AnswerLimits {
  const { maxPageSize } = numbers
  // A request that names no size is not given more than one that asks for too much.
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

export function everyLimits(settings: FilledOptions): readonly AnswerLimits[] {
  const numbers = numbersOf(settings)
  const own = Object.values(settings.limitsByRole)
  return [{}, ...own].map((limits) => limitsFrom(settings, mostOf(numbers, [limits]), [limits]))
}

/** A token has no role, and a role that is not named has the limits of all. */
export function makeLimiting(settings: FilledOptions): Limiting {
  const { limitsByRole } = settings
  const numbers = numbersOf(settings)
  const common = limitsFrom(settings, numbers, [])
  if (Object.keys(limitsByRole).length === 0) return () => common
  // Memory is bounded, as a host may take the set of roles from what a client sends.
  const known = makeMemory<AnswerLimits>({ maxBytes: 1024 * 1024, bytesOf: () => 1000 })
  const ofRole = (role: string): RoleLimits =>
    Object.hasOwn(limitsByRole, role) ? (limitsByRole[role] ?? {}) : {}
  return (identity) => {
    if (identity.kind === 'token') return common
    const key = JSON.stringify(identity.roles)
    return once(known, key, () => {
      const roles = identity.roles.map(ofRole)
      return limitsFrom(settings, mostOf(numbers, roles), roles)
    })
  }
}
