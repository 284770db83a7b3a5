// Answers the deepest queries in a process, or a thread, with little stack, and prints what came of each.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import express, { type RequestHandler } from 'express'
import { knex as makeKnex } from 'knex'
import { contentRouter, migrate } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { mostLevels, notations } from '../deep-queries'
import { library } from '../library'
import { anyConditions } from '../query-limits'
import { observe } from '../../../extensions/observe'

/** `plain`, `worker` or `deep`: a host that has used up most of the stack when it hands the request on. */
const way = String(isMainThread ? process.argv[2] : workerData)

function down(calls: number, arrive: () => void): number {
  if (calls > 0) return down(calls - 1, arrive) + 1
  arrive()
  return 0
}

/** How often that can call itself. */
function mostCalls(): number {
  let [fits, fails] = [0, 1_000_000]
  while (fails - fits > 10) {
    const tried = Math.floor((fits + fails) / 2)
    try {
      fits = down(tried, () => undefined)
    } catch {
      fails = tried
    }
  }
  return fits
}

const deepHost: RequestHandler = (_req, _res, next) => {
  down(Math.floor(mostCalls() * 0.85), next)
}

async function answer(): Promise<void> {
  const knex = makeKnex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
  const config = { contentTypes: library, database: knex }
  await migrate(config)
  await seed(config, {
    genre: [
      { $ref: 'crime', name: 'Crime', parent: 'prose' },
      { $ref: 'prose', name: 'Prose' },
    ],
    book: [{ $ref: 'dawn', title: 'Dawn', sections: [{ __component: 'page.pick', books: ['dawn'] }] }],
  })
  const router = contentRouter({
    query: anyConditions,
    ...config,
    permissions: { public: { find: '*' } },
    timeout: Infinity,
    extensions: [observe({ explain: () => true, onRequest: () => undefined })],
  })
  const app = express()
  if (way === 'deep') app.use(deepHost)
  const server = app.use('/api', router).listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const outcomes: Record<string, number> = {}
  for (const { name, path } of notations) {
    const response = await fetch(`http://localhost:${String(port)}/api/${path(mostLevels)}`)
    await response.arrayBuffer()
    outcomes[name] = response.status
  }
  process.stdout.write(JSON.stringify(outcomes))
  server.closeAllConnections()
  server.close()
  await router.close()
  await knex.destroy()
}

if (isMainThread && way === 'worker') {
  const path = require.resolve('./serve-in-worker.cjs')
  new Worker(path, { workerData: 'plain', resourceLimits: { stackSizeMb: 1 } })
} else void answer()
