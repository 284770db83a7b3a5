// A process that serves what another library makes of the requests; it is told its library, and the database.
process.env.TZ = 'UTC'
const { createServer } = require('node:http')
const express = require('express')
const { folder } = require('./load.cjs')
const { countStatements } = require('../measure/statements.ts')
const { answerQuestions } = require('../measure/facts.ts')

const { library, connection, pool } = JSON.parse(process.argv[2])
countStatements(folder)
const { answers } = require(`./${library}.cjs`)
const pages = { q6: 400 }
const app = express()
for (const [name, answer] of Object.entries(answers({ connection, pool }))) {
  app.get(`/${name}`, (_req, res, next) => {
    answer().then(({ rows, total }) => {
      const pagination = { page: pages[name] ?? 1, pageSize: 25, pageCount: Math.ceil(total / 25), total }
      res.json({ data: rows, meta: { pagination } })
    }, next)
  })
}
const server = createServer(app).listen(0, '127.0.0.1', () => answerQuestions(server))
