// The process that is soaked: serves the recorded magazine, and tells what it holds when it is asked.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect, promisify } from 'node:util'
import express from 'express'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouterConfig } from '../../lib'

export interface Given {
  readonly contentTypes: ContentRouterConfig['contentTypes']
  readonly database: Knex.Config
  readonly queue: { readonly maxRunning: number; readonly maxWaiting?: number }
}

/** What a process holds on to once all garbage is gone. */
export interface Holdings {
  readonly heap: number
  /** Seconds of it used so far. */
  readonly cpu: number
  readonly resources: Readonly<Record<string, number>>
  readonly listeners: number
}

/** What became of the requests that had come when the router was told to end, by the time that it had. */
export interface Ending {
  readonly inFlight: number
  readonly unfinished: number
}

export type Question = 'holdings' | 'close'

function countResources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const silent = (): void => undefined

/** A 500 by itself says nothing. */
const tell = (facts: object, message: string): void => {
  process.stderr.write(`${message}: ${inspect(facts)}\n`)
}

async function serve({ contentTypes, database, queue }: Given): Promise<void> {
  const pool = { min: queue.maxRunning, max: queue.maxRunning }
  const router = contentRouter({
    contentTypes,
    database: { ...database, pool },
    queue,
    logger: { debug: silent, info: silent, warn: silent, error: tell },
    permissions: { public: { find: '*' } },
  })
  const inFlight = new Set<ServerResponse>()
  const app = express().use((_req, res, next) => {
    inFlight.add(res)
    res.once('close', () => inFlight.delete(res))
    next()
  })
  const server = createServer(app.use('/api', router)).listen(0, '127.0.0.1')
  // A connection that is closed for being idle just as it is used again would look like a fault.
  server.keepAliveTimeout = 0
  await once(server, 'listening')

  const connections = promisify(server.getConnections.bind(server))
  const holdings = async (): Promise<Holdings> => {
    // Of those whose clients have left.
    while ((await connections()) > 0) await pause(5)
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const emitters = [process, server]
    const listeners = emitters.flatMap((emitter) =>
      emitter.eventNames().map((name) => emitter.listenerCount(name)),
    )
    return {
      heap: process.memoryUsage().heapUsed,
      cpu: (user + system) / 1e6,
      resources: countResources(),
      listeners: listeners.reduce((sum, count) => sum + count, 0),
    }
  }
  const end = async (): Promise<Ending> => {
    // A fast database may have answered a whole flood by the time that this process is told to end.
    if (inFlight.size === 0) await once(server, 'request')
    const under = [...inFlight]
    await router.close()
    return {
      inFlight: under.length,
      unfinished: under.filter(({ writableFinished }) => !writableFinished).length,
    }
  }
  process.on('message', (question: Question) => {
    if (question === 'holdings') void holdings().then((held) => process.send?.(held))
    else void end().then((ending) => process.send?.(ending))
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.((server.address() as AddressInfo).port)
}

void serve(JSON.parse(process.argv[2] ?? '{}') as Given)
