import { type FilledOptions, faultsOfOptions, fillOptions, type NamedQuery, type CoreConfig } from '../config'
import { type Fault, forbidden, LimitError, malformed, RequestError } from '../errors'
import {
  askedByName,
  beside,
  isCompareOperator,
  parseQuery,
  placeInQuery,
  type QueryByName,
  queryParameter,
  type RawObject,
  readHostQuery,
  UnfitQuery,
  askedAt,
  withValue,
} from '../query'
import { didYouMean, type Model, modelNamed, type Schema } from '../schema'
import { tryQuery } from './try-query'
import { faultsOfType, isPlainTable } from './wrong-permissions'

const option = 'queries'

const parts = [
  ...['populate', 'fields', 'sort', 'filters', 'pagination', 'locale', 'status', '_q'],
  ...['publicationFilter', 'hasPublishedVersion'],
]

/** The host wrote it once, and in its code. */
const unlimited = { arrayLimit: Infinity, maxParameters: Infinity, maxLength: Infinity }

const queryByName = (where: readonly string[], { query, parameters = {} }: NamedQuery): QueryByName => ({
  raw: readHostQuery(query, unlimited, where),
  parameters: new Map(Object.entries(parameters).map(([name, place]) => [name, placeInQuery(place)])),
})

/** What a client named and said; null where it asks in words of its own. */
export interface NamedAsking {
  readonly raw: RawObject
  readonly query: QueryByName
}

/** Finds the query that a client names among those of the type. */
export type FindNamed = (model: Model, raw: RawObject) => NamedAsking | null

/** After the check at start. Null where the host has none, so that `query` is no parameter. */
export function readNamedQueries(
  { queries }: Pick<FilledOptions, 'queries'>,
  schema: Schema,
): FindNamed | null {
  const named = new Map(
    Object.entries(queries).map(([name, given]) => {
      const query = queryByName([option, name, 'query'], given)
      return [name, { uid: modelNamed(schema, given.type)?.uid, query }]
    }),
  )
  if (named.size === 0) return null
  return ({ uid }, raw) => {
    const name = raw[queryParameter]
    if (name === undefined) return null
    const found = typeof name === 'string' ? named.get(name) : undefined
    if (found?.uid !== uid)
      throw malformed([queryParameter], 'Invalid query: there is none of this name here')
    return { raw: askedByName(found.query, raw), query: found.query }
  }
}

const ownParts: ReadonlySet<unknown> = new Set(['fields', 'populate', 'sort', 'filters', '_q'])

/**
 * The client did not write the query: it hears no name in it, but which of its own values does not fit. A role that may not
 * read all of it may not ask it.
 */
export function withoutNamesOf<T>({ query }: NamedAsking, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof LimitError) throw new LimitError(error.limit, [queryParameter], error.excess)
    if (!(error instanceof RequestError) || !ownParts.has(error.details['param'])) throw error
    const path = `${String(error.details['path'])}.`
    const said = [...query.parameters].find(([, place]) => path.startsWith(`${place.join('.')}.`))
    throw said === undefined ? forbidden() : malformed([said[0]], `Invalid parameter ${said[0]}`)
  }
}

export const namedOnly = (): RequestError =>
  malformed([queryParameter], 'Only queries by their name are answered here: say which as query')

/** Some value of each kind that a client can say: of which type an entry is is said by the name of one. */
const samplesIn = ({ models }: Schema): (string | readonly string[])[] =>
  ['1', '2000-01-01', '2000-01-01T00:00:00.000Z', '00:00:00', ...models.keys()].flatMap((text) => [
    text,
    [text, text],
  ])

const failureOf = (make: () => void): RequestError | null => {
  try {
    make()
    return null
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
}

interface CheckedQuery {
  readonly where: string
  readonly options: FilledOptions
  readonly schema: Schema
  readonly model: Model
  readonly query: QueryByName
}

/** What a query would be answered with such values. */
const failureWith = (checked: CheckedQuery, raw: RawObject): RequestError | null =>
  failureOf(() => {
    tryQuery(checked, (limits) => parseQuery(raw, limits))
  })

const faultOf = (where: string, { details, message }: RequestError): Fault => ({
  where: typeof details['path'] === 'string' ? `${where}.${details['path']}` : where,
  problem: message,
})

/** A text or a list on the way would have to give way, and what it asks with it. */
const isInTheWay = (raw: RawObject, place: readonly string[]): boolean =>
  place.some((_, at) => {
    const above = askedAt(raw, place.slice(0, at))
    if (above === undefined) return false
    if (Array.isArray(above)) return askedAt(above, [place[at] ?? '']) === undefined
    return typeof above !== 'object' || above === null
  })

function faultsOfPlace(checked: CheckedQuery, name: string, place: readonly string[]): Fault[] {
  const where = `${checked.where}.parameters.${name}`
  if (beside.includes(name) || name === queryParameter || !/^\w[\w-]*$/.test(name))
    return [{ where, problem: 'is no name for a parameter of a query' }]
  const [first = '', last = ''] = [place[0], place.at(-1)]
  if (first !== '_q' && !(['filters', 'populate'].includes(first) && isCompareOperator(last))) {
    const remedy = 'name it to its operator, as in filters.tags.slug.$eq'
    return [{ where, problem: `${place.join('.')} is no place for a value`, remedy }]
  }
  const { raw } = checked.query
  if (isInTheWay(raw, place))
    return [{ where, problem: `the query has something else on the way to ${place.join('.')}` }]
  let problem: string | null = null
  for (const sample of samplesIn(checked.schema)) {
    const failure = failureWith(checked, withValue(raw, place, sample) as RawObject)
    if (failure === null) return []
    problem ??= failure.message
  }
  return problem === null ? [] : [{ where, problem }]
}

function faultsOfParts(where: string, given: object): Fault[] {
  return Object.keys(given)
    .filter((name) => !parts.includes(name))
    .map((name) => ({
      where: `${where}.${name}`,
      problem: 'is no part of a query',
      remedy: didYouMean(name, parts),
    }))
}

const keys = ['type', 'query', 'parameters']

function faultsOfForm(where: string, given: unknown): Fault[] {
  const example = "use { type: 'article', query: { fields: ['title'] } }"
  if (!isPlainTable(given) || typeof given['type'] !== 'string' || !isPlainTable(given['query']))
    return [{ where, problem: 'is no query of a type', remedy: example }]
  const odd = Object.keys(given)
    .filter((key) => !keys.includes(key))
    .map((key) => ({ where: `${where}.${key}`, problem: 'is no part of it', remedy: didYouMean(key, keys) }))
  const { parameters = {} } = given
  const areTexts = isPlainTable(parameters) && Object.values(parameters).every((it) => typeof it === 'string')
  if (areTexts) return odd
  const remedy = "use { tag: 'filters.tags.slug.$eq' }"
  return [...odd, { where: `${where}.parameters`, problem: 'is no table of places', remedy }]
}

function faultsOfQuery(checked: CheckedQuery): Fault[] {
  const { raw, parameters } = checked.query
  const failure = failureWith(checked, raw)
  if (failure !== null) return [faultOf(`${checked.where}.query`, failure)]
  return [...parameters].flatMap(([name, place]) => faultsOfPlace(checked, name, place))
}

function faultsOfOne(name: string, given: NamedQuery, options: FilledOptions, schema: Schema): Fault[] {
  const where = `${option}.${name}`
  const wrong = faultsOfForm(where, given)
  if (wrong.length > 0) return wrong
  const model = modelNamed(schema, given.type)
  if (model === undefined) return faultsOfType(`${where}.type`, given.type, schema)
  if (model.route === null)
    return [{ where: `${where}.type`, problem: 'is nothing that is asked for by itself' }]
  const odd = faultsOfParts(`${where}.query`, given.query)
  if (odd.length > 0) return odd
  try {
    return faultsOfQuery({ where, options, schema, model, query: queryByName([where, 'query'], given) })
  } catch (error) {
    if (!(error instanceof UnfitQuery)) throw error
    return [{ where: error.path.join('.'), problem: error.problem }]
  }
}

/** Everything that is wrong with the queries that clients ask by name, found before the first of them. */
export function faultsOfNamedQueries(config: CoreConfig, schema: Schema): Fault[] {
  if (config.queries === undefined || faultsOfOptions(config).length > 0) return []
  const options = fillOptions(config)
  return Object.entries(options.queries).flatMap(([name, given]) => faultsOfOne(name, given, options, schema))
}
