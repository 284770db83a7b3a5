import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Knex } from 'knex'
import { fromDatabase, strapi5 } from '../../extensions/strapi'
import { contentRouter } from '../../lib'
import { say } from '../bench/report'

export interface RouterSide {
  readonly origin: string
  stop(): Promise<void>
}

const note = (facts: object, message: string): void => {
  say(`  the router: ${message} ${JSON.stringify(facts)}`)
}
const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note }

/** As a user would mount it who switched: `strapi5()`, Strapi's permissions, no limit raised. */
export async function startRouterSide(
  contentTypes: readonly string[],
  database: Knex.Config,
): Promise<RouterSide> {
  const router = contentRouter({
    extensions: [strapi5()],
    ...{ contentTypes: [...contentTypes], database, permissions: fromDatabase(), logger },
  })
  await router.ready()
  const server = createServer(express().use('/api', router)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await router.close()
    },
  }
}
