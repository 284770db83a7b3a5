// A server process: the router with aggregates, or handlers written by hand for the same responses.
import express from 'express'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { aggregates } from '../../../extensions/aggregate'
import { contentRouter } from '../../../lib'
import { connect } from '../limit/database'
import { answerQuestions } from '../measure/facts'
import { countStatements } from '../measure/statements'
import type { FilledDatabase } from '../measured-databases'
import { poolOf } from '../sides/ours'
import type { Given } from '../side'
import { bodyOf, questions } from './questions'
import { definitions } from './tables'

export interface AggregateSide {
  readonly side: 'ours' | 'limit'
  readonly name: FilledDatabase
  readonly bench: Knex.Config
}

function byHand({ name, bench }: AggregateSide): express.Express {
  const driver = name === 'mysql' ? 'mariadb' : name
  const ask = connect({ name: driver } as Given, bench)
  const app = express()
  for (const [at, question] of questions.entries()) {
    const { value } = question
    const filter =
      value === undefined
        ? ({ given: 'nothing', places: 0 } as const)
        : ({ given: 'value', places: 1 } as const)
    const statement = { name: String(at), sql: question.sql(name), ...filter }
    app.get(`/${String(at)}/orders/aggregate`, (_req, res, next) => {
      ask(statement, value)
        .then((rows) => {
          const bytes = Buffer.from(JSON.stringify(bodyOf(question, rows)))
          res.setHeader('Content-Type', 'application/json; charset=utf-8')
          res.setHeader('Content-Length', bytes.length)
          res.end(bytes)
        })
        .catch(next)
    })
  }
  return app
}

/** Without a cache: each request reads. */
const byRouter = ({ name, bench }: AggregateSide): express.Express =>
  express().use(
    questions.map((_, at) => `/${String(at)}`),
    contentRouter({
      contentTypes: definitions as never,
      database: { ...bench, pool: poolOf(name) },
      permissions: { public: { find: '*', aggregate: '*' } },
      extensions: [aggregates()],
      timeout: 120_000,
      logger: false,
    }),
  )

async function serve(given: AggregateSide): Promise<void> {
  countStatements(join(__dirname, '..', '..', '..'))
  const server = createServer(given.side === 'ours' ? byRouter(given) : byHand(given)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  answerQuestions(server)
}

void serve(JSON.parse(process.argv[2] ?? '{}') as AggregateSide)
