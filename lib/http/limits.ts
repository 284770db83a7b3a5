import type { Identity } from '../access'
import type { RoleLimits } from '../config'
import type { QueryLimits } from '../query'
import type { Settings } from './settings'

/** What an answer to whoever asks may cost. */
export interface Limits {
  /** Different for limits that differ: part of what plans are kept by. */
  readonly key: string
  readonly query: QueryLimits
  readonly maxDepth: number
  readonly maxNodes: number
  readonly maxInValues: number
  readonly maxEntries: number
  readonly timeout: number
}

export type Limiting = (identity: Identity) => Limits

type Numbers = Required<RoleLimits>

function numbersOf(settings: Settings): Numbers {
  const { limits, maxDepth, maxNodes, maxInValues, maxEntries, timeout } = settings
  const { arrayLimit, maxParameters, maxLength, page } = limits
  const { maxPageSize } = page
  return {
    ...{ arrayLimit, maxParameters, maxLength, maxPageSize },
    ...{ maxDepth, maxNodes, maxInValues, maxEntries, timeout },
  }
}

const names = [
  'arrayLimit',
  'maxParameters',
  'maxLength',
  'maxPageSize',
  'maxDepth',
  'maxNodes',
  'maxInValues',
  'maxEntries',
  'timeout',
] as const satisfies readonly (keyof Numbers)[]

/** Of several roles, the most that any of them is allowed. */
function mostOf(base: Numbers, several: readonly Numbers[]): Numbers {
  const [first, ...others] = several
  if (first === undefined) return base
  const most = { ...first }
  for (const other of others) for (const name of names) most[name] = Math.max(most[name], other[name])
  return most
}

/** Whoever names no size is not given more than whoever asks for too much. */
function pageOf(page: QueryLimits['page'], maxPageSize: number): QueryLimits['page'] {
  return { ...page, maxPageSize, defaultPageSize: Math.min(page.defaultPageSize, maxPageSize) }
}

function limitsFrom({ limits }: Settings, numbers: Numbers): Limits {
  const { arrayLimit, maxParameters, maxLength, maxPageSize, ...costs } = numbers
  const nestedPage = limits.nestedPage === null ? null : pageOf(limits.nestedPage, maxPageSize)
  const page = pageOf(limits.page, maxPageSize)
  const query = { ...limits, arrayLimit, maxParameters, maxLength, nestedPage, page }
  return { key: names.map((name) => String(numbers[name])).join(), query, ...costs }
}

/** More sets of roles than a host has; beyond it they are worked out anew rather than kept. */
const mostRoleSets = 1000

/** A token has no role, and a role that is not named has the limits of all. */
export function makeLimiting(settings: Settings): Limiting {
  const { limitsByRole } = settings
  const numbers = numbersOf(settings)
  const { maxDepth, maxNodes, maxInValues, maxEntries, timeout } = numbers
  const common: Limits = {
    ...{ key: '', query: settings.limits },
    ...{ maxDepth, maxNodes, maxInValues, maxEntries, timeout },
  }
  if (Object.keys(limitsByRole).length === 0) return () => common
  const known = new Map<string, Limits>()
  const ofRole = (role: string): Numbers =>
    Object.hasOwn(limitsByRole, role) ? { ...numbers, ...limitsByRole[role] } : numbers
  return (identity) => {
    if (identity.kind === 'token') return common
    const key = JSON.stringify(identity.roles)
    const seen = known.get(key)
    if (seen !== undefined) return seen
    const limits = limitsFrom(settings, mostOf(numbers, identity.roles.map(ofRole)))
    if (known.size < mostRoleSets) known.set(key, limits)
    return limits
  }
}
