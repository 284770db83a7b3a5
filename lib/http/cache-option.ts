import type { CacheSettings } from '../cache'
import type { ContentRouterConfig } from '../config'
import type { Fault } from '../errors'
import { nearest } from '../schema'

type CacheOption = ContentRouterConfig['cache']

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
const isAge = (value: unknown): boolean => typeof value === 'number' && value > 0 && value < Infinity

const checks: Readonly<
  Record<string, { readonly fits: (value: unknown) => boolean; readonly problem: string }>
> = {
  maxEntries: { fits: isCount, problem: 'is not a whole number from 1 on' },
  maxBytes: { fits: isCount, problem: 'is not a whole number from 1 on' },
  freshness: {
    fits: (value) => value === 'strict' || isAge(value),
    problem: `is neither 'strict' nor a number of milliseconds`,
  },
  compress: { fits: (value) => typeof value === 'boolean', problem: 'is neither true nor false' },
}

export function wrongCache(option: CacheOption): Fault[] {
  if (option === undefined || option === false) return []
  const given: unknown = option
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return [
      { where: 'cache', problem: 'is neither false nor an object', remedy: `use { freshness: 'strict' }` },
    ]
  }
  return Object.entries(given).flatMap(([name, value]: [string, unknown]): Fault[] => {
    const where = `cache.${name}`
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check !== undefined) return check.fits(value) ? [] : [{ where, problem: check.problem }]
    const near = nearest(name, Object.keys(checks))
    const remedy = near === undefined ? {} : { remedy: `did you mean ${near}?` }
    return [{ where, problem: 'there is no such option', ...remedy }]
  })
}

const mebibyte = 1024 * 1024

export function cacheOf(option: CacheOption): CacheSettings | null {
  if (option === undefined || option === false) return null
  const { maxEntries = 10_000, maxBytes = 64 * mebibyte, freshness = 'strict', compress = false } = option
  return { maxEntries, maxBytes, freshness, compress }
}
