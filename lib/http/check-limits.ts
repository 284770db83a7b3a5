import type { ContentRouterConfig } from '../config'
import type { Fault } from '../errors'
import { nearest } from '../schema'

const leasts = {
  maxDepth: 0,
  maxNodes: 1,
  maxInValues: 1,
  maxLength: 1,
  maxEntries: 1,
  arrayLimit: 1,
  maxParameters: 1,
  defaultPageSize: 1,
  maxPageSize: 1,
}

const queueLeasts = { maxRunning: 1, maxWaiting: 0 }

const fits = (value: unknown, least: number): boolean =>
  value === Infinity || (Number.isInteger(value) && Number(value) >= least)

export function wrongQueue(queue: unknown = {}): Fault[] {
  if (typeof queue !== 'object' || queue === null) {
    return [{ where: 'queue', problem: 'is no table of limits', remedy: 'use { maxRunning, maxWaiting }' }]
  }
  return Object.entries(queue).flatMap(([name, value]: [string, unknown]): Fault[] => {
    const where = `queue.${name}`
    if (!Object.hasOwn(queueLeasts, name)) return [{ where, problem: 'there is no such option' }]
    const least = queueLeasts[name as keyof typeof queueLeasts]
    return fits(value, least) ? [] : [{ where, problem: `is not a whole number from ${String(least)} on` }]
  })
}

export function wrongLimit(where: string, name: string, value: unknown): Fault[] {
  if (!Object.hasOwn(leasts, name)) return [{ where, problem: 'there is no such option' }]
  const least = leasts[name as keyof typeof leasts]
  return fits(value, least) ? [] : [{ where, problem: `is not a whole number from ${String(least)} on` }]
}

export const isTime = (value: unknown): boolean => typeof value === 'number' && value > 0

function wrongLimits(role: string, limits: object): Fault[] {
  return Object.entries(limits).flatMap(([name, value]: [string, unknown]): Fault[] => {
    const where = `limitsByRole.${role}.${name}`
    if (name === 'timeout')
      return isTime(value) ? [] : [{ where, problem: 'is not a number of milliseconds' }]
    if (name === 'defaultPageSize') return [{ where, problem: 'is no limit of a role' }]
    return wrongLimit(where, name, value)
  })
}

/** A misspelt role would have the limits of all, and nobody would notice. */
function unknownRoles({ limitsByRole = {}, permissions }: ContentRouterConfig): Fault[] {
  if (permissions === undefined || typeof permissions === 'function' || 'source' in permissions) return []
  const roles = Object.keys(permissions)
  return Object.keys(limitsByRole)
    .filter((role) => !roles.includes(role))
    .map((role) => {
      const near = nearest(role, roles)
      const remedy = near === undefined ? {} : { remedy: `did you mean ${near}?` }
      return { where: `limitsByRole.${role}`, problem: 'the permissions know no such role', ...remedy }
    })
}

export function wrongRoleLimits(config: ContentRouterConfig): Fault[] {
  const given: unknown = config.limitsByRole ?? {}
  if (typeof given !== 'object' || given === null) {
    return [{ where: 'limitsByRole', problem: 'is no table of limits by role' }]
  }
  const limits = Object.entries(given).flatMap(([role, own]: [string, unknown]): Fault[] =>
    typeof own === 'object' && own !== null
      ? wrongLimits(role, own)
      : [{ where: `limitsByRole.${role}`, problem: 'is no table of limits' }],
  )
  return [...limits, ...unknownRoles(config)]
}
