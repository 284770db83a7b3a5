import type { NamedQuery } from '../../lib/config'
import { forbidden, LimitError, malformed, type RequestError } from '../../lib/errors'
import type { Extension, RewriteQuery } from '../../lib/http'
import { modelNamed, type Schema } from '../../lib/schema'
import { fillNamedQuery, queryParameter, readNamedQuery, type ReadNamedQuery } from './named-query'
import { faultsOfNamedQueries, option } from './faults-of-named-queries'

/** Contains named queries by their names. */
export type NamedQueries = Readonly<Record<string, NamedQuery>>

const ownParts: ReadonlySet<unknown> = new Set(['fields', 'populate', 'sort', 'filters', '_q'])

/**
 * The client did not write the query: errors name only the parameter with the invalid value. A role that may not read
 * everything in the query gets a 403.
 */
function errorFor({ parameters }: ReadNamedQuery, error: RequestError): RequestError {
  if (error instanceof LimitError) return new LimitError(error.limit, [queryParameter], error.excess)
  if (!ownParts.has(error.details['param'])) return error
  const path = `${String(error.details['path'])}.`
  const parameter = [...parameters].find(([, place]) => path.startsWith(`${place.join('.')}.`))
  return parameter === undefined
    ? forbidden()
    : malformed([parameter[0]], `Invalid parameter ${parameter[0]}`)
}

function rewriterOf(queries: NamedQueries, schema: Schema): RewriteQuery | null {
  const byName = new Map(
    Object.entries(queries).map(([name, given]) => {
      const query = readNamedQuery([option, name, 'query'], given)
      return [name, { uid: modelNamed(schema, given.type)?.uid, query }]
    }),
  )
  if (byName.size === 0) return null
  return (sent, { uid }) => {
    const name = sent[queryParameter]
    if (name === undefined) return null
    const found = typeof name === 'string' ? byName.get(name) : undefined
    if (found?.uid !== uid)
      throw malformed([queryParameter], 'Invalid query: the type does not have the named query')
    const { query } = found
    return {
      raw: fillNamedQuery(query, sent),
      isOfHost: true,
      errorFor: (error) => errorFor(query, error),
    }
  }
}

/**
 * Defines queries that clients send by name: `{ card: { type: 'article', query: { fields: ['title'] } } }`. The request
 * `GET /articles?query=card` sends the query `card`.
 */
export const namedQueries = (queries: NamedQueries): Extension => ({
  name: option,
  check: (_config, core) => faultsOfNamedQueries(queries, core),
  rewriteQuery: { adds: { queries }, makeRewriter: (schema) => rewriterOf(queries, schema) },
})
