import { malformed } from '../errors'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'

type HeldQuery = () => string | RawObject

function queryOf(query: unknown, limits: QueryLimits): string | RawObject {
  if (query === undefined) return ''
  if (typeof query === 'string') return query.replace(/^\?/, '')
  try {
    return readHostQuery(query as object, limits)
  } catch (error) {
    throw error instanceof UnfitQuery ? malformed(error.path, `Invalid query: ${error.problem}`) : error
  }
}

/**
 * A query as it is at the call, whose object its caller may go on writing to. What is wrong with it is told to who may
 * read what it asks for, and so later.
 */
export function heldQuery(query: unknown, limits: QueryLimits): HeldQuery {
  try {
    const held = queryOf(query, limits)
    return () => held
  } catch (error) {
    return () => {
      throw error
    }
  }
}
