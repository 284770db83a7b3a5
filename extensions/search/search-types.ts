import type { Request, RequestHandler } from 'express'
import { refusingWith } from '../../lib/access'
import { malformed, unknownKey } from '../../lib/errors'
import { type Core, mayRead, sendObject } from '../../lib/http'
import { isRawObject, type Raw, type RawObject, readRaw } from '../../lib/query'
import type { Model } from '../../lib/schema'
import { searchedModels, type SearchedTypes } from './searched-types'
import { readSearchText } from './search-text'

const parameters = ['q', 'types', 'pagination', 'locale', 'fallback', 'status']

type Models = readonly Model[]

interface TypesQuery {
  readonly text: string
  readonly models: Models
  readonly pageSize: number
  /** The number of entries of each model on the pages before. */
  readonly consumed: readonly number[]
  /** Parameters of each list. */
  readonly list: RawObject
}

const nameOf = ({ uid, singularName }: Model): string => (uid.startsWith('api::') ? singularName : uid)

function readCursor(raw: Raw | undefined, models: Models): readonly number[] {
  if (raw === undefined || raw === '') return models.map(() => 0)
  const counts = typeof raw === 'string' && /^\d+(-\d+)*$/.test(raw) ? raw.split('-').map(Number) : []
  if (counts.length === models.length && Math.max(...counts) < 2 ** 31) return counts
  throw malformed(['pagination', 'after'], 'Invalid cursor')
}

/** A type that is hidden from the role is unknown. Without names, types whose drafts are hidden are left out. */
function readModels(raw: Raw | undefined, known: Models, open: Models): Models {
  if (raw === undefined || raw === '') return open.length > 0 ? open : known
  if (typeof raw !== 'string') throw malformed(['types'], 'Invalid types parameter. Expected names of types')
  const names = [...new Set(raw.split(',').map((name) => name.trim()))]
  return names.map((name) => {
    const model = known.find((one) => nameOf(one) === name)
    if (model !== undefined) return model
    throw malformed(['types'], `Invalid types parameter: there is no searched type ${name}`)
  })
}

function readTypesQuery(core: Core, types: SearchedTypes, req: Request): TypesQuery {
  const { settings, database } = core
  const { grants, limits } = core.rightsOf(req)
  const raw = readRaw(new URL(req.url, 'http://localhost').search.slice(1), limits.query)
  const unknown = Object.keys(raw).find((name) => !parameters.includes(name))
  if (unknown !== undefined)
    throw unknownKey([unknown], unknown, `the parameters are ${parameters.join(', ')}`)
  const { q: text, types: asked, pagination = {}, ...list } = raw
  if (typeof text !== 'string' || text.trim() === '') throw malformed(['q'], 'The parameter q is required')
  // Errors name this parameter, and not the parameter of lists.
  readSearchText(database.dialect, text, 'q')
  if (list['locale'] === '*') throw malformed(['locale'], 'Invalid locale parameter. Expected a locale code')
  const { pageSize = '25', after, ...others } = isRawObject(pagination) ? pagination : { pagination }
  const size = Number(pageSize)
  const { maxPageSize: most } = limits.query.page
  if (Object.keys(others).length > 0 || !Number.isInteger(size) || size < 1 || size > most)
    throw malformed(['pagination'], `Invalid pagination: expected after, and pageSize up to ${String(most)}`)
  const refused = refusingWith(grants, settings.drafts, list['status'] === 'draft' ? 'draft' : 'published')
  const known = searchedModels(settings.schema, types).filter((model) =>
    mayRead(settings, grants, model, 'find'),
  )
  const open = known.filter((model) => refused(model) === null)
  const models = readModels(asked, known, open)
  return { text, models, pageSize: size, consumed: readCursor(after, models), list }
}

interface RankedMeta {
  readonly search: { readonly ranks: Readonly<Record<string, number>> }
  readonly pagination: { readonly total: number }
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** The first page of each type contains the first page of all types. */
async function readPage(core: Core, req: Request, types: SearchedTypes): Promise<object> {
  const { text, models, pageSize, consumed, list } = readTypesQuery(core, types, req)
  const lists = await Promise.all(
    models.map(async (model, at) => {
      const pagination = { start: String(consumed[at]), limit: String(pageSize), withCount: 'true' }
      const read = await core.readList(req, model, { ...list, _q: text, ranks: 'true', pagination })
      const meta = read.meta as unknown as RankedMeta
      const rankOf = (id: string): number => meta.search.ranks[id] ?? 0
      const entries = read.data.map((entry) => ({ model, rank: rankOf(String(entry['id'])), entry }))
      return { entries, total: meta.pagination.total }
    }),
  )
  // The sort is stable: types with equal points stay in the order of the query.
  const ranked = lists.flatMap(({ entries }) => entries).sort((one, other) => other.rank - one.rank)
  const page = ranked.slice(0, pageSize)
  const next = models.map(
    (model, at) => (consumed[at] ?? 0) + page.filter((one) => one.model === model).length,
  )
  const total = sumOf(lists.map((one) => one.total))
  const data = page.map(({ model, entry }) => {
    return { type: nameOf(model), documentId: entry['documentId'], locale: entry['locale'] ?? null, entry }
  })
  const endCursor = page.length === 0 ? null : next.join('-')
  return { data, meta: { pagination: { pageSize, total, hasNextPage: sumOf(next) < total, endCursor } } }
}

/** Serves `GET /search?q=rust&types=article,page`: the entries of several types in one ranked list. */
export const searchTypes =
  (types: SearchedTypes) =>
  (core: Core): RequestHandler =>
  (req, res, next) => {
    readPage(core, req, types).then((body) => {
      sendObject(res, body)
    }, next)
  }
