// One of the processes: a small app that serves the content, and tells the balancer whether it can.
import { createServer } from 'node:http'
import express from 'express'
import { contentRouter } from '../../lib'
import { contentTypes } from './content'

const { NAME: name = '', PORT: port = '0', DATABASE_URL: connection } = process.env

const content = contentRouter({
  contentTypes,
  // HAProxy, which leads each connection to the primary or its standby.
  database: { client: 'pg', connection },
  permissions: { public: { find: '*' } },
  // A memory of its own. What is kept holds until the database says that something was committed, whoever wrote it.
  cache: {},
  timeout: 5000,
  logger: false,
})

const app = express()
app.disable('x-powered-by')
app.use((_req, res, next) => {
  res.set('X-Served-By', name)
  next()
})
app.use('/api', content)
app.get('/ready', async (_req, res) => {
  res.sendStatus(
    await content.ready().then(
      () => 200,
      () => 503,
    ),
  )
})

const server = createServer(app).listen(Number(port), '127.0.0.1', () => process.send?.('listens'))

function end(): void {
  server.close()
  void content.close().then(() => {
    server.closeAllConnections()
    process.exit()
  })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
// Whoever started it is gone.
process.once('disconnect', end)
