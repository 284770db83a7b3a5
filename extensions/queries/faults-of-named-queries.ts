import { isTable, type NamedQuery } from '../../lib/config'
import type { Fault, RequestError } from '../../lib/errors'
import { type CheckedCore, faultsOfType } from '../../lib/http'
import { isCompareOperator } from '../../lib/operators'
import type { RawObject } from '../../lib/query'
import { type Model, modelNamed, type Schema } from '../../lib/schema'
import {
  ownParameters,
  partAt,
  queryParameter,
  readNamedQuery,
  type ReadNamedQuery,
  withPart,
} from './named-query'
import { failureOf, faultsOfNames, faultsOfWritten } from './read-written'

export const option = 'namedQueries'

const parts = [
  ...['populate', 'fields', 'sort', 'filters', 'pagination', 'locale', 'status', '_q'],
  ...['publicationFilter', 'hasPublishedVersion'],
]

/** Values of each kind that a client can send, the names of types included. */
const samplesIn = ({ models }: Schema): (string | readonly string[])[] =>
  ['1', '2000-01-01', '2000-01-01T00:00:00.000Z', '00:00:00', ...models.keys()].flatMap((text) => [
    text,
    [text, text],
  ])

interface CheckedQuery {
  readonly where: string
  readonly core: CheckedCore
  readonly model: Model
  readonly query: ReadNamedQuery
}

const failureWith = ({ core, model }: CheckedQuery, raw: RawObject): RequestError | null =>
  failureOf(() => {
    core.tryQuery(model, raw)
  })

const faultOf = (where: string, { details, message }: RequestError): Fault => ({
  where: typeof details['path'] === 'string' ? `${where}.${details['path']}` : where,
  problem: message,
})

/** A string or a list on the way would be replaced, and its conditions with it. */
const isInTheWay = (raw: RawObject, place: readonly string[]): boolean =>
  place.some((_, at) => {
    const above = partAt(raw, place.slice(0, at))
    if (above === undefined) return false
    if (Array.isArray(above)) return partAt(above, [place[at] ?? '']) === undefined
    return typeof above !== 'object' || above === null
  })

function faultsOfPlace(checked: CheckedQuery, name: string, place: readonly string[]): Fault[] {
  const where = `${checked.where}.parameters.${name}`
  if (ownParameters.includes(name) || name === queryParameter || !/^\w[\w-]*$/.test(name))
    return [{ where, problem: `a parameter of a named query cannot have the name ${name}` }]
  const [first = '', last = ''] = [place[0], place.at(-1)]
  if (first !== '_q' && !(['filters', 'populate'].includes(first) && isCompareOperator(last))) {
    const remedy = 'write a path that ends with an operator, such as filters.tags.slug.$eq'
    return [{ where, problem: `a parameter cannot set the value of ${place.join('.')}`, remedy }]
  }
  const { raw } = checked.query
  if (isInTheWay(raw, place))
    return [
      { where, problem: `the query of the named query already contains another value at ${place.join('.')}` },
    ]
  let problem: string | null = null
  for (const sample of samplesIn(checked.core.schema)) {
    const failure = failureWith(checked, withPart(raw, place, sample) as RawObject)
    if (failure === null) return []
    problem ??= failure.message
  }
  return problem === null ? [] : [{ where, problem }]
}

function faultsOfForm(where: string, given: unknown): readonly Fault[] {
  const example = `write an object such as { type: 'article', query: { fields: ['title'] } }`
  if (!isTable(given) || typeof given['type'] !== 'string' || !isTable(given['query']))
    return [
      { where, problem: 'a named query must be an object with the keys type and query', remedy: example },
    ]
  const odd = faultsOfNames(
    where,
    given,
    ['type', 'query', 'parameters'],
    'a named query does not have the key',
  )
  const { parameters = {} } = given
  const areTexts = isTable(parameters) && Object.values(parameters).every((it) => typeof it === 'string')
  if (areTexts) return odd
  const remedy = `write an object such as { tag: 'filters.tags.slug.$eq' }`
  return [
    ...odd,
    {
      where: `${where}.parameters`,
      problem: 'the key parameters must be an object whose values are strings',
      remedy,
    },
  ]
}

function faultsOfQuery(checked: CheckedQuery): readonly Fault[] {
  const { raw, parameters } = checked.query
  const failure = failureWith(checked, raw)
  if (failure !== null) return [faultOf(`${checked.where}.query`, failure)]
  return [...parameters].flatMap(([name, place]) => faultsOfPlace(checked, name, place))
}

function faultsOfOne(name: string, given: NamedQuery, core: CheckedCore): readonly Fault[] {
  const { schema } = core
  const where = `${option}.${name}`
  const wrong = faultsOfForm(where, given)
  if (wrong.length > 0) return wrong
  const model = modelNamed(schema, given.type)
  if (model === undefined) return faultsOfType(`${where}.type`, given.type, schema)
  if (model.route === null) return [{ where: `${where}.type`, problem: 'the type has no path' }]
  const odd = faultsOfNames(`${where}.query`, given.query, parts, 'the query parameter does not exist')
  if (odd.length > 0) return odd
  return faultsOfWritten(() =>
    faultsOfQuery({ where, core, model, query: readNamedQuery([where, 'query'], given) }),
  )
}

export function faultsOfNamedQueries(
  queries: Readonly<Record<string, NamedQuery>>,
  core: CheckedCore | null,
): readonly Fault[] {
  if (!isTable(queries)) {
    const remedy = `write an object such as { card: { type: 'article', query: { fields: ['title'] } } }`
    return [
      {
        where: option,
        problem: 'the argument of namedQueries() must be an object with a query for each name',
        remedy,
      },
    ]
  }
  if (core === null) return []
  return Object.entries(queries).flatMap(([name, given]) => faultsOfOne(name, given, core))
}
