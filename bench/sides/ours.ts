import express from 'express'
import { type ContentRouterConfig, contentRouter, strapi5 } from '../../lib'
import type { DatabaseName } from '../../spec/support/servers'
import { benchTypes } from '../data/prepare'
import type { Given, Side } from '../side'

/** SQLite's driver holds the process while it reads: a second connection would have nothing to do. */
export const poolOf = (name: DatabaseName): { readonly min: number; readonly max: number } =>
  name === 'sqlite' ? { min: 1, max: 1 } : { min: 2, max: 4 }

const permissions = { public: { find: '*' } } as const

/** Ours as it is, and with options that change what an answer costs. */
export const variants = {
  ours: {},
  strict: { cache: { freshness: 'strict' } },
  aged: { cache: { freshness: 100 } },
  /** A cache in which nothing fits, so that every request pays for it and none is answered from it. */
  cold: { cache: { freshness: 'strict', maxBytes: 1 } },
  relaxed: { consistency: 'relaxed' },
  /** Refuses whatever costs anything, and says what it would cost. */
  foretold: { query: { maxCost: 1 } },
  /** Answers whatever it costs. */
  unlimited: { query: { maxCost: Infinity, arrayLimit: 1000 }, timeout: 120_000 },
} as const satisfies Readonly<Record<string, Partial<ContentRouterConfig>>>

export type Variant = keyof typeof variants

export const isOurs = (name: string): name is Variant => Object.hasOwn(variants, name)

export const ours =
  (variant: Variant) =>
  (given: Given): Side =>
    serve(given, variants[variant])

function serve(
  { name, bench, recorded, recordedTypes, asStrapi }: Given,
  options: Partial<ContentRouterConfig>,
): Side {
  const app = express()
  const settings = { permissions, nestedPagination: true, ...options, ...(asStrapi ? strapi5 : {}) }
  const router = (contentTypes: string, database: Given['bench']): express.Router =>
    contentRouter({ ...settings, contentTypes, database: { ...database, pool: poolOf(name) } })
  app.use('/api', router(benchTypes, bench))
  app.use('/recorded', router(recordedTypes, recorded))
  return { listener: app }
}
