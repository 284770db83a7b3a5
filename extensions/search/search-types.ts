import type { Request, RequestHandler } from 'express'
import { malformed, unknownKey } from '../../lib/errors'
import { type Core, type ListObjects, mayRead, sendPrivate } from '../../lib/http'
import { inOnePiece } from '../../lib/json'
import { isRawObject, type Raw, type RawObject, readRaw } from '../../lib/query'
import type { Model } from '../../lib/schema'
import { searchedModels, type SearchedTypes } from './searched-types'
import { readSearchText } from './search-text'

/** The parameters that each list gets, too. */
const ofLists = ['locale', 'fallback', 'status'] as const
const parameters: readonly string[] = ['q', 'types', 'pagination', ...ofLists]

/** The number of entries of each type on the pages before. */
type Consumed = Readonly<Record<string, number>>

interface TypesQuery {
  readonly text: string
  readonly models: readonly Model[]
  readonly pageSize: number
  readonly consumed: Consumed
  /** Parameters of each list. */
  readonly list: RawObject
}

const nameOf = ({ uid, singularName }: Model): string => (uid.startsWith('api::') ? singularName : uid)

function readCursor(raw: Raw | undefined): Consumed {
  if (raw === undefined || raw === '') return {}
  try {
    const text = typeof raw === 'string' ? raw : ''
    const consumed = JSON.parse(Buffer.from(text, 'base64url').toString()) as Consumed
    const counts = Object.values(consumed)
    if (counts.every((count) => Number.isInteger(count) && count >= 0 && count < 2 ** 31)) return consumed
  } catch {
    // The text is no JSON, so the error below applies.
  }
  throw malformed(['pagination', 'after'], 'Invalid cursor')
}

const writeCursor = (consumed: Consumed): string =>
  Buffer.from(JSON.stringify(consumed)).toString('base64url')

/** A type that is hidden from the role is unknown. */
function readModels(raw: Raw | undefined, known: readonly Model[]): readonly Model[] {
  if (raw === undefined) return known
  if (typeof raw !== 'string') throw malformed(['types'], 'Invalid types parameter. Expected names of types')
  const names = [...new Set(raw.split(',').map((name) => name.trim()))]
  return names.map((name) => {
    const model = known.find((one) => nameOf(one) === name)
    if (model === undefined)
      throw malformed(['types'], `Invalid types parameter: there is no searched type ${name}`)
    return model
  })
}

function readTypesQuery(
  { settings, database, rightsOf }: Core,
  types: SearchedTypes,
  req: Request,
): TypesQuery {
  const { grants, limits } = rightsOf(req)
  const raw = readRaw(new URL(req.url, 'http://localhost').search.slice(1), limits.query)
  const unknown = Object.keys(raw).find((name) => !parameters.includes(name))
  if (unknown !== undefined)
    throw unknownKey([unknown], unknown, `the parameters are ${parameters.join(', ')}`)
  const { q: text, pagination = {} } = raw
  if (typeof text !== 'string' || text.trim() === '') throw malformed(['q'], 'The parameter q is required')
  // Errors name this parameter, and not the parameter of lists.
  readSearchText(database.dialect, text, 'q')
  if (raw['locale'] === '*') throw malformed(['locale'], 'Invalid locale parameter. Expected a locale code')
  const { pageSize = '25', after, ...others } = isRawObject(pagination) ? pagination : { pagination }
  const size = Number(pageSize)
  const { maxPageSize } = limits.query.page
  if (Object.keys(others).length > 0 || !Number.isInteger(size) || size < 1 || size > maxPageSize)
    throw malformed(
      ['pagination'],
      `Invalid pagination parameter. Expected pageSize up to ${String(maxPageSize)}, and after`,
    )
  const known = searchedModels(settings.schema, types).filter((model) =>
    mayRead(settings, grants, model, 'find'),
  )
  const list = Object.fromEntries(
    ofLists.flatMap((name) => (raw[name] === undefined ? [] : [[name, raw[name]]])),
  )
  return { text, models: readModels(raw['types'], known), pageSize: size, consumed: readCursor(after), list }
}

interface RankedEntry {
  readonly type: string
  readonly rank: number
  readonly entry: Readonly<Record<string, unknown>>
}

interface FoundEntries {
  readonly entries: readonly RankedEntry[]
  readonly total: number
}

function foundIn(model: Model, { data, meta }: ListObjects): FoundEntries {
  const { search, pagination } = meta as {
    readonly search: { readonly ranks: Readonly<Record<string, number>> }
    readonly pagination: { readonly total: number }
  }
  const entries = data.map((entry) => {
    return { type: nameOf(model), rank: search.ranks[String(entry['documentId'])] ?? 0, entry }
  })
  return { entries, total: pagination.total }
}

/** The first page of each type contains the first page of all types. */
async function readPage({ readList }: Core, req: Request, query: TypesQuery): Promise<object> {
  const { text, models, pageSize, consumed, list } = query
  const found = await Promise.all(
    models.map(async (model) => {
      const start = String(consumed[nameOf(model)] ?? 0)
      const pagination = { start, limit: String(pageSize), withCount: 'true' }
      return foundIn(model, await readList(req, model, { ...list, _q: text, ranks: 'true', pagination }))
    }),
  )
  // The sort is stable: types with equal points stay in the order of the query.
  const ranked = found.flatMap(({ entries }) => entries).sort((one, other) => other.rank - one.rank)
  const page = ranked.slice(0, pageSize)
  const next: Record<string, number> = { ...consumed }
  for (const { type } of page) next[type] = (next[type] ?? 0) + 1
  const total = found.reduce((sum, one) => sum + one.total, 0)
  const done = models.reduce((sum, model) => sum + (next[nameOf(model)] ?? 0), 0)
  const data = page.map(({ type, entry }) => {
    return { type, documentId: entry['documentId'], locale: entry['locale'] ?? null, entry }
  })
  const endCursor = page.length === 0 ? null : writeCursor(next)
  return { data, meta: { pagination: { pageSize, total, hasNextPage: done < total, endCursor } } }
}

/** Serves `GET /search?q=rust&types=article,page`: the entries of several types in one ranked list. */
export const searchTypes =
  (types: SearchedTypes) =>
  (core: Core): RequestHandler =>
  (req, res, next) => {
    const answer = async (): Promise<void> => {
      const body = await readPage(core, req, readTypesQuery(core, types, req))
      sendPrivate(res, inOnePiece(Buffer.from(JSON.stringify(body))))
    }
    answer().catch(next)
  }
