// Server processes for tables of an application: the router, or handlers written by hand for the same responses.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Express, RequestHandler } from 'express'
import type { Knex } from 'knex'
import { type ContentRouter, type ContentRouterConfig, contentRouter } from '../../../lib'
import { type Ask, connect } from '../limit/database'
import { answerQuestions } from '../measure/facts'
import { countStatements } from '../measure/statements'
import type { FilledDatabase } from '../measured-databases'
import type { Given } from '../side'
import { poolOf } from './ours'

export interface OwnSide {
  readonly side: 'ours' | 'limit'
  readonly name: FilledDatabase
  readonly bench: Knex.Config
}

export const askOf = ({ name, bench }: OwnSide): Ask =>
  connect({ name: name === 'mysql' ? 'mariadb' : name } as Given, bench)

export const sendBody =
  (read: () => Promise<object>): RequestHandler =>
  (_req, res, next) => {
    read()
      .then((body) => {
        const bytes = Buffer.from(JSON.stringify(body))
        res.setHeader('Content-Type', 'application/json; charset=utf-8')
        res.setHeader('Content-Length', bytes.length)
        res.end(bytes)
      })
      .catch(next)
  }

export const routerOn = (
  { name, bench }: OwnSide,
  definitions: readonly object[],
  config: Partial<ContentRouterConfig>,
): ContentRouter =>
  contentRouter({
    contentTypes: definitions as never,
    database: { ...bench, pool: poolOf(name) },
    logger: false,
    ...config,
  })

type MakeSide = (given: OwnSide) => Express

export async function serveSide(make: Readonly<Record<OwnSide['side'], MakeSide>>): Promise<void> {
  countStatements(join(__dirname, '..', '..', '..'))
  const given = JSON.parse(process.argv[2] ?? '{}') as OwnSide
  const server = createServer(make[given.side](given)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  answerQuestions(server)
}
