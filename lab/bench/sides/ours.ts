import express from 'express'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { strapi5 } from '../../../extensions/strapi'
import { type ContentRouterConfig, contentRouter } from '../../../lib'
import type { DatabaseName } from '../../../spec/support/servers'
import { benchTypes } from '../data/prepare'
import type { Given, Side } from '../side'
import { folderBefore, type Variant, variants } from './variants'

/** SQLite's driver holds the process while it reads: a second connection would have nothing to do. */
export const poolOf = (name: DatabaseName): { readonly min: number; readonly max: number } =>
  name === 'sqlite' ? { min: 1, max: 1 } : { min: 2, max: 4 }

const permissions = { public: { find: '*' } } as const

/** Whoever asks, as far as rules are told. */
const asking = { roles: 'public', asker: { author: 7 } } as const

const own = { where: { author: { id: { $eq: { $asker: 'author' } } } } }
const listed = { where: { id: { $gt: 0 } } }
const everyType = { article: own, author: listed, category: listed, tag: listed } as const

/** What a rule costs who has it, and who has not. */
const ruled = {
  '/ruled': { public: { find: { article: own, author: true, category: true, tag: true } } },
  '/unruled': {
    public: permissions.public,
    member: { find: everyType, findOne: everyType },
    other: { find: everyType },
  },
} as const

export const ours =
  (variant: Variant) =>
  (given: Given): Side =>
    serve(given, variant, variant === 'before' ? makerBefore() : contentRouter)

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
  variant: Variant,
  makeRouter: MakeRouter,
): Side {
  const app = express()
  const settings = {
    permissions,
    nestedPagination: true,
    ...variants[variant],
    ...(asStrapi ? { extensions: [strapi5()] } : {}),
  }
  const router = (
    contentTypes: string,
    database: Given['bench'],
    more: Partial<ContentRouterConfig> = {},
  ): express.Router =>
    makeRouter({ ...settings, contentTypes, database: { ...database, pool: poolOf(name) }, ...more })
  app.use('/api', router(benchTypes, bench))
  app.use('/recorded', router(recordedTypes, recorded))
  if (variant === 'ours' && !asStrapi) {
    for (const [path, granted] of Object.entries(ruled))
      app.use(path, router(benchTypes, bench, { role: () => asking, permissions: granted }))
  }
  return { listener: app }
}
