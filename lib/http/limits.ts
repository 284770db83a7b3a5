import type { Identity } from '../access'
import { type FilledOptions, limitOptions, type RoleLimits } from '../config'
import { LimitError } from '../errors'
import { makeMemory, once } from '../memory'
import type { QueryLimits } from '../query'

type Numbers = Required<RoleLimits>

/** What an answer to one identity may cost. */
export interface AnswerLimits extends Numbers {
  /** Different for limits that differ: part of what plans are kept by. */
  readonly key: string
  readonly query: QueryLimits
  /** Which of them `limitsByRole` sets for him. */
  readonly ofRole: ReadonlySet<string>
}

/**
 * A limit is told by the option that holds. Under which role that one is written is not told: what the host calls its roles
 * is nothing for who is asking.
 */
export function asHolding({ ofRole }: AnswerLimits, error: unknown): unknown {
  const isOfRole = error instanceof LimitError && ofRole.has(error.limit)
  return isOfRole ? error.by(`${error.limit} in limitsByRole`) : error
}

export type LimitSettings = Pick<
  FilledOptions,
  | 'query'
  | 'pagination'
  | 'timeout'
  | 'nestedPagination'
  | 'loadingArtefacts'
  | 'strictParameters'
  | 'limitsByRole'
>

export type Limiting = (identity: Identity) => AnswerLimits

const names = Object.keys(limitOptions) as (keyof Numbers)[]

function numbersOf({ query, pagination, timeout }: LimitSettings): Numbers {
  const all = { ...query, ...pagination, timeout }
  return Object.fromEntries(names.map((name) => [name, all[name]])) as Numbers
}

/** Of several roles, the most that any of them is allowed. */
function mostOf(base: Numbers, several: readonly RoleLimits[]): Numbers {
  if (several.length === 0) return base
  const allowed = (name: keyof Numbers): number[] => several.map((limits) => limits[name] ?? base[name])
  return Object.fromEntries(names.map((name) => [name, Math.max(...allowed(name))])) as Numbers
}

function limitsFrom(
  { pagination, nestedPagination, loadingArtefacts, strictParameters }: LimitSettings,
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

/** Those of all, and those of each role that has its own. */
export function everyLimits(settings: LimitSettings): readonly AnswerLimits[] {
  const numbers = numbersOf(settings)
  const own = Object.values(settings.limitsByRole)
  return [{}, ...own].map((limits) => limitsFrom(settings, mostOf(numbers, [limits]), [limits]))
}

/** Of sets of roles, which a host may take from what a client sends. */
const maxBytes = 1024 * 1024

const bytesOfLimits = 1000

/** A token has no role, and a role that is not named has the limits of all. */
export function makeLimiting(settings: LimitSettings): Limiting {
  const { limitsByRole } = settings
  const numbers = numbersOf(settings)
  const common = limitsFrom(settings, numbers, [])
  if (Object.keys(limitsByRole).length === 0) return () => common
  const known = makeMemory<AnswerLimits>({ maxBytes, bytesOf: () => bytesOfLimits })
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
