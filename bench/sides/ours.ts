import express from 'express'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type ContentRouterConfig, contentRouter, strapi5 } from '../../lib'
import type { DatabaseName } from '../../spec/support/servers'
import { benchTypes } from '../data/prepare'
import type { Given, Side } from '../side'
import { folderBefore, type Variant, variants } from './variants'

/** SQLite's driver holds the process while it reads: a second connection would have nothing to do. */
export const poolOf = (name: DatabaseName): { readonly min: number; readonly max: number } =>
  name === 'sqlite' ? { min: 1, max: 1 } : { min: 2, max: 4 }

const permissions = { public: { find: '*' } } as const

export const ours =
  (variant: Variant) =>
  (given: Given): Side =>
    serve(given, variants[variant], variant === 'before' ? makerBefore() : contentRouter)

type MakeRouter = typeof contentRouter

export function checkoutBefore(): string {
  const folder = process.env[folderBefore]
  if (folder === undefined) throw new Error('the side before wants --before and the folder of its checkout')
  return resolve(folder)
}

function makerBefore(): MakeRouter {
  const before = createRequire(__filename)(join(checkoutBefore(), 'lib/index.ts')) as {
    readonly contentRouter: MakeRouter
  }
  return before.contentRouter
}

function serve(
  { name, bench, recorded, recordedTypes, asStrapi }: Given,
  options: Partial<ContentRouterConfig>,
  makeRouter: MakeRouter,
): Side {
  const app = express()
  const settings = { permissions, nestedPagination: true, ...options, ...(asStrapi ? strapi5 : {}) }
  const router = (contentTypes: string, database: Given['bench']): express.Router =>
    makeRouter({ ...settings, contentTypes, database: { ...database, pool: poolOf(name) } })
  app.use('/api', router(benchTypes, bench))
  app.use('/recorded', router(recordedTypes, recorded))
  return { listener: app }
}
