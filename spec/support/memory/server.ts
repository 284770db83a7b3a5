// A process of its own, so that what it holds is held by nobody else: serves from a cache, and tells what it weighs.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { contentRouter, type ContentRouterConfig } from '../../../lib'
import { weigh } from '../weigh'

export type Given = Pick<ContentRouterConfig, 'contentTypes' | 'database' | 'cache'>

export interface Weight {
  /** Bytes that the process holds on to, once all garbage is gone. */
  readonly held: number
  /** Bytes that the cache says it holds. */
  readonly counted: number
  /** The most that it said after any answer. */
  readonly most: number
  readonly entries: number
  /** How many requests were answered otherwise than from memory. */
  readonly misses: number
}

export type Question = 'weigh' | 'clear'

async function serve(given: Given): Promise<void> {
  const router = contentRouter({ ...given, permissions: { public: { find: '*' } } })
  let most = 0
  const app = express().use((_req, res, next) => {
    res.once('finish', () => {
      most = Math.max(most, router.cache.stats().bytes)
    })
    next()
  })
  const server = createServer({ keepAliveTimeout: 0 }, app.use('/api', router)).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const tell = async (): Promise<Weight> => {
    const { bytes, entries, misses } = router.cache.stats()
    return { held: await weigh(), counted: bytes, most, entries, misses }
  }
  process.on('message', (question: Question) => {
    if (question === 'clear') router.cache.clear()
    void tell().then((weight) => process.send?.(weight))
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.((server.address() as AddressInfo).port)
}

void serve(JSON.parse(process.argv[2] ?? '{}') as Given)
