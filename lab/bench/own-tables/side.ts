import express from 'express'
import type { Row } from '../limit/database'
import { askOf, type OwnSide, routerOn, sendBody, serveSide } from '../sides/own-tables'
import { definitions } from './tables'

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
  const ask = askOf(given)
  const read = async (): Promise<object> => {
    const [rows, [count]] = await Promise.all([ask(page), ask(total)])
    const found = Number(count?.[0])
    const pagination = { page: 21, pageSize: 25, pageCount: Math.ceil(found / 25), total: found }
    return { data: rows.map(entry), meta: { pagination } }
  }
  return express().get('/api/films', sendBody(read))
}

const byRouter = (given: OwnSide): express.Express =>
  express().use('/api', routerOn(given, definitions, { permissions: { public: { find: '*' } } }))

void serveSide({ ours: byRouter, limit: byHand })
