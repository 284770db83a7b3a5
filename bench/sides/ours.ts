import express from 'express'
import { contentRouter, strapi5 } from '../../lib'
import { benchTypes } from '../data/prepare'
import type { Given, Side } from '../side'

export const pool = { min: 2, max: 4 }

const permissions = { public: { find: '*' } } as const

export function ours({ bench, recorded, recordedTypes, asStrapi }: Given): Side {
  const app = express()
  const settings = { permissions, ...(asStrapi ? strapi5 : {}) }
  const router = (contentTypes: string, database: Given['bench']): express.Router =>
    contentRouter({ ...settings, contentTypes, database: { ...database, pool } })
  app.use('/api', router(benchTypes, bench))
  app.use('/recorded', router(recordedTypes, recorded))
  return { listener: app }
}
