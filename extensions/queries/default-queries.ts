import { isTable, type TypeDefaults } from '../../lib/config'
import { type Fault, forbidden, type RequestError } from '../../lib/errors'
import {
  type CheckedCore,
  type Extension,
  faultsOfType,
  type RewriteQuery,
  type RewrittenQuery,
} from '../../lib/http'
import type { BaseQuery } from '../../lib/query'
import { modelNamed, type Schema, type Uid } from '../../lib/schema'
import { failureOf, faultsOfNames, faultsOfWritten, readWritten } from './read-written'

/** Contains default parameters by the name of the type. */
export type DefaultQueries = Readonly<Record<string, TypeDefaults>>

const option = 'defaultQueries'

const parts = ['populate', 'fields', 'sort', 'filters']

function baseOf(type: string, given: TypeDefaults): BaseQuery {
  const path = [option, type]
  return { path, raw: readWritten(given, path) }
}

/** The host wrote the default. So an error must not name its attributes to a role that may not read them. */
function withBase(base: BaseQuery): RewrittenQuery {
  const own = `${base.path.join('.')}.`
  const isOwn = ({ details }: RequestError): boolean => `${String(details['path'])}.`.startsWith(own)
  return { base, errorFor: (error) => (isOwn(error) ? forbidden() : error) }
}

function rewriterOf(defaults: DefaultQueries, schema: Schema): RewriteQuery {
  const byType = new Map(
    Object.entries(defaults).flatMap(([type, given]): [Uid, RewrittenQuery][] => {
      const model = modelNamed(schema, type)
      return model === undefined ? [] : [[model.uid, withBase(baseOf(type, given))]]
    }),
  )
  return (_raw, { uid }) => byType.get(uid) ?? null
}

function faultsOfOne(type: string, given: TypeDefaults, { schema, tryQuery }: CheckedCore): readonly Fault[] {
  const where = `${option}.${type}`
  const model = modelNamed(schema, type)
  if (model === undefined) return faultsOfType(where, type, schema)
  if (model.route === null) return [{ where, problem: 'the type has no path' }]
  if (!isTable(given))
    return [
      {
        where,
        problem: 'the default query of a type must be an object',
        remedy: 'write an object with one or more of the keys populate, fields, sort and filters',
      },
    ]
  const odd = faultsOfNames(where, given, parts, 'the key does not exist')
  if (odd.length > 0) return odd
  return faultsOfWritten(() => {
    const failure = failureOf(() => {
      tryQuery(model, {}, baseOf(type, given))
    })
    if (failure === null) return []
    const path = failure.details['path']
    return [{ where: typeof path === 'string' && path !== '' ? path : where, problem: failure.message }]
  })
}

function faultsOfTwice(types: readonly string[], schema: Schema): readonly Fault[] {
  const uids = types.map((type) => modelNamed(schema, type)?.uid)
  return types.flatMap((type, index): Fault[] => {
    const uid = uids[index]
    const isSecond = uid !== undefined && uids.indexOf(uid) < index
    return isSecond
      ? [{ where: `${option}.${type}`, problem: `the type ${uid} already has default queries` }]
      : []
  })
}

function faultsOf(defaults: DefaultQueries, core: CheckedCore | null): readonly Fault[] {
  if (!isTable(defaults))
    return [
      {
        where: option,
        problem: 'the argument of defaultQueries() must be an object with a key for each type',
        remedy: `write an object such as { article: { populate: ['author'] } }`,
      },
    ]
  if (core === null) return []
  return [
    ...Object.entries(defaults).flatMap(([type, given]) => faultsOfOne(type, given, core)),
    ...faultsOfTwice(Object.keys(defaults), core.schema),
  ]
}

/** Sets default parameters for requests of a type: `{ article: { populate: { author: true } } }`. */
export const defaultQueries = (defaults: DefaultQueries): Extension => ({
  name: option,
  check: (_config, core) => faultsOf(defaults, core),
  rewriteQuery: { adds: { defaults }, makeRewriter: (schema) => rewriterOf(defaults, schema) },
})
