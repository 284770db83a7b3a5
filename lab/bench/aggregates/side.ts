import express from 'express'
import { aggregates } from '../../../extensions/aggregate'
import { askOf, type OwnSide, routerOn, sendBody, serveSide } from '../sides/own-tables'
import { bodyOf, questions } from './questions'
import { definitions } from './tables'

function byHand(given: OwnSide): express.Express {
  const ask = askOf(given)
  const app = express()
  for (const [at, question] of questions.entries()) {
    const { value } = question
    const filter =
      value === undefined
        ? ({ given: 'nothing', places: 0 } as const)
        : ({ given: 'value', places: 1 } as const)
    const statement = { name: String(at), sql: question.sql(given.name), ...filter }
    const read = async (): Promise<object> => bodyOf(question, await ask(statement, value))
    app.get(`/${String(at)}/orders/aggregate`, sendBody(read))
  }
  return app
}

/** Without a cache: each request reads. */
const byRouter = (given: OwnSide): express.Express =>
  express().use(
    questions.map((_, at) => `/${String(at)}`),
    routerOn(given, definitions, {
      permissions: { public: { find: '*', aggregate: '*' } },
      extensions: [aggregates()],
      timeout: 120_000,
    }),
  )

void serveSide({ ours: byRouter, limit: byHand })
