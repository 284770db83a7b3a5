// A process of its own that serves the posts from a memory of its own, until whoever started it goes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Knex } from 'knex'
import { fromDatabase } from '../../../extensions/strapi'
import { contentRouter } from '../../../lib'
import { contentTypes } from './types'

const database = JSON.parse(process.argv[2] ?? '') as Knex.Config
const router = contentRouter({
  contentTypes,
  database,
  permissions: fromDatabase(),
  cache: {},
  logger: false,
})
const server = createServer(express().use('/api', router)).listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
// Otherwise an idle connection may be closed in the moment in which it is used again.
server.keepAliveTimeout = 0
process.on('message', () => process.send?.(router.cache.stats()))
process.once('disconnect', () => {
  server.close()
  server.closeAllConnections()
  void router.close().then(() => process.exit())
})
