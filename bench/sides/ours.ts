import express from 'express'
import { contentRouter } from '../../lib'
import { benchTypes } from '../data/prepare'
import type { Given, Side } from '../side'

export const pool = { min: 2, max: 4 }

const permissions = { public: { find: '*' } } as const

export function ours({ bench, recorded, recordedTypes }: Given): Side {
  const app = express()
  app.use('/api', contentRouter({ contentTypes: benchTypes, database: { ...bench, pool }, permissions }))
  app.use(
    '/recorded',
    contentRouter({ contentTypes: recordedTypes, database: { ...recorded, pool }, permissions }),
  )
  return { listener: app }
}
