// A server process: the router on tables of an application, or a handler written by hand for the same response.
import express from 'express'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { contentRouter } from '../../../lib'
import { connect, type Row } from '../limit/database'
import { answerQuestions } from '../measure/facts'
import { countStatements } from '../measure/statements'
import { poolOf } from '../sides/ours'
import type { Given } from '../side'
import { definitions } from './tables'

export interface OwnSide {
  readonly side: 'ours' | 'limit'
  readonly name: Given['name']
  readonly bench: Knex.Config
}

const columns = 'f.film_id, f.title, f.description, f.release_year, l.id, l.name, s.id, s.name'
const page = {
  name: 'films',
  sql: `select ${columns} from (select * from own_film order by film_id limit 25 offset 500) as f
    left join own_language l on l.id = f.language_id left join own_studio s on s.id = f.studio_id order by f.film_id`,
  given: 'nothing',
  places: 0,
} as const
const total = { name: 'total', sql: 'select count(*) from own_film', given: 'nothing', places: 0 } as const

const linked = (id: unknown, name: unknown): object | null =>
  id === null ? null : { id: Number(id), documentId: String(Number(id)), name }

const entry = ([id, title, description, year, language, languageName, studio, studioName]: Row): object => ({
  id: Number(id),
  documentId: String(Number(id)),
  ...{ title, description },
  releaseYear: year === null ? null : Number(year),
  language: linked(language, languageName),
  studio: linked(studio, studioName),
})

function byHand(given: OwnSide): express.Express {
  const driver = given.name === 'mysql' ? 'mariadb' : given.name
  const ask = connect({ ...given, name: driver } as Given, given.bench)
  const app = express()
  app.get('/api/films', (_req, res, next) => {
    const read = async (): Promise<void> => {
      const [rows, [count]] = await Promise.all([ask(page), ask(total)])
      const found = Number(count?.[0])
      const pagination = { page: 21, pageSize: 25, pageCount: Math.ceil(found / 25), total: found }
      const bytes = Buffer.from(JSON.stringify({ data: rows.map(entry), meta: { pagination } }))
      res.setHeader('Content-Type', 'application/json; charset=utf-8')
      res.setHeader('Content-Length', bytes.length)
      res.end(bytes)
    }
    read().catch(next)
  })
  return app
}

const byRouter = ({ name, bench }: OwnSide): express.Express =>
  express().use(
    '/api',
    contentRouter({
      contentTypes: definitions as never,
      database: { ...bench, pool: poolOf(name) },
      permissions: { public: { find: '*' } },
      logger: false,
    }),
  )

async function serve(given: OwnSide): Promise<void> {
  countStatements(join(__dirname, '..', '..', '..'))
  const server = createServer(given.side === 'ours' ? byRouter(given) : byHand(given)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  answerQuestions(server)
}

void serve(JSON.parse(process.argv[2] ?? '{}') as OwnSide)
