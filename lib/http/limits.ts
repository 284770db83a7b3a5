import type { Identity } from '../access'
import { type FilledOptions, limitOptions, type RoleLimits } from '../config'
import { makeMemory, once } from '../memory'
import type { QueryLimits } from '../query'

type Numbers = Required<RoleLimits>

/** What an answer to one identity may cost. */
export interface AnswerLimits extends Numbers {
  /** Different for limits that differ: part of what plans are kept by. */
  readonly key: string
  readonly query: QueryLimits
}

export type LimitSettings = Pick<
  FilledOptions,
  | 'query'
  | 'pagination'
  | 'timeout'
  | 'nestedPagination'
  | 'strapiArtefacts'
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
function mostOf(base: Numbers, several: readonly Numbers[]): Numbers {
  if (several.length === 0) return base
  const most = names.map((name) => [name, Math.max(...several.map((numbers) => numbers[name]))])
  return Object.fromEntries(most) as Numbers
}

function limitsFrom(
  { pagination, nestedPagination, strapiArtefacts, strictParameters }: LimitSettings,
  numbers: Numbers,
): AnswerLimits {
  const { maxPageSize } = numbers
  // A request that names no size is not given more than one that asks for too much.
  const defaultPageSize = Math.min(pagination.defaultPageSize, maxPageSize)
  const page = { ...pagination, maxPageSize, defaultPageSize }
  // Every parent would be counted for, so nested pages count only when they are asked to.
  const nestedPage = nestedPagination ? { ...page, withCount: false } : null
  const habits = strapiArtefacts ? 'strapi' : 'strict'
  return {
    ...numbers,
    key: names.map((name) => String(numbers[name])).join(),
    query: { ...numbers, page, nestedPage, habits, strictParameters },
  }
}

/** Those of all, and those of each role that has its own. */
export function everyLimits(settings: LimitSettings): readonly AnswerLimits[] {
  const numbers = numbersOf(settings)
  const own = Object.values(settings.limitsByRole).map((limits) => ({ ...numbers, ...limits }))
  return [numbers, ...own].map((each) => limitsFrom(settings, each))
}

/** Of sets of roles, which a host may take from what a client sends. */
const maxBytes = 1024 * 1024

const bytesOfLimits = 1000

/** A token has no role, and a role that is not named has the limits of all. */
export function makeLimiting(settings: LimitSettings): Limiting {
  const { limitsByRole } = settings
  const numbers = numbersOf(settings)
  const common = limitsFrom(settings, numbers)
  if (Object.keys(limitsByRole).length === 0) return () => common
  const known = makeMemory<AnswerLimits>({ maxBytes, bytesOf: () => bytesOfLimits })
  const ofRole = (role: string): Numbers =>
    Object.hasOwn(limitsByRole, role) ? { ...numbers, ...limitsByRole[role] } : numbers
  return (identity) => {
    if (identity.kind === 'token') return common
    const key = JSON.stringify(identity.roles)
    return once(known, key, () => limitsFrom(settings, mostOf(numbers, identity.roles.map(ofRole))))
  }
}
