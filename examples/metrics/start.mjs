// Serves notes at /api/notes, metrics for Prometheus at /metrics, and probes at /live and /ready.
// npm run build && PORT=3000 node examples/metrics/start.mjs
import { createServer } from 'node:http'
import express from 'express'
import { contentRouter, migrate } from 'express-content-router'
import { health, metrics, observe } from 'express-content-router/observe'
import { seed } from 'express-content-router/seed'
import knexPackage from 'knex'
import { Registry } from 'prom-client'
import { countStatements } from './metrics.mjs'

const type = (singularName, attributes) => ({
  kind: 'collectionType',
  collectionName: `${singularName}s`,
  info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
  options: { draftAndPublish: false },
  attributes,
})
const database = knexPackage.knex({
  client: 'better-sqlite3',
  connection: ':memory:',
  useNullAsDefault: true,
})
const config = {
  contentTypes: [
    type('note', {
      title: { type: 'string' },
      tags: { type: 'relation', relation: 'oneToMany', target: 'tag' },
    }),
    type('tag', { name: { type: 'string' } }),
  ],
  database,
}
await migrate(config)
await seed(config, {
  tag: [{ $ref: 'red', name: 'Red' }],
  note: [{ title: 'First', tags: ['red'] }, { title: 'Second' }],
})

const register = new Registry()
const content = contentRouter({
  ...config,
  permissions: { public: { find: ['note', 'tag'] } },
  cache: {},
  extensions: [observe({ onStatement: countStatements(register) })],
})
metrics(content, { register })

const app = express().use(health(content)).use('/api', content)
// Only Prometheus may read this path: use another port, or block it in the proxy.
app.get('/metrics', async (_req, res) => {
  res.type(register.contentType).send(await register.metrics())
})

const server = createServer(app).listen(Number(process.env.PORT ?? 0), () => {
  const at = `http://localhost:${server.address().port}`
  console.log(`Metrics at ${at}/metrics of ${at}/api/notes?populate=tags`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close(() => content.close().then(() => database.destroy()))
    server.closeIdleConnections()
  })
}
