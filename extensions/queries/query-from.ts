import type { Request } from 'express'
import { isFunction } from '../../lib/config'
import { ConfigError } from '../../lib/errors'
import type { Extension } from '../../lib/http'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../../lib/query'

type HostQuery = object | string | null | undefined

/**
 * Returns the query of a request: an object such as `req.query`, or a string. To keep the query of the URL, return
 * undefined or null.
 */
export type QueryFunction = (req: Request) => HostQuery | Promise<HostQuery>

const name = 'queryFrom'

const noFunction = {
  where: name,
  problem: 'the argument of queryFrom() must be a function',
  remedy: 'write queryFrom((req) => req.query)',
}

const remedy = 'return an object such as req.query, a query string, or undefined'

/** The result may come from the client, so the message has no names or values of it. */
const wrong = (problem: string): ConfigError => new ConfigError([{ where: name, problem, remedy }])

function readGiven(given: unknown, limits: QueryLimits): string | RawObject | null {
  if (given === undefined || given === null) return null
  if (typeof given === 'string') return given.replace(/^\?/, '')
  if (typeof given !== 'object') throw wrong(`the function returned a ${typeof given}`)
  try {
    return readHostQuery(given, limits)
  } catch (error) {
    throw error instanceof UnfitQuery
      ? wrong('the function returned a value that a query cannot contain')
      : error
  }
}

/** Replaces the queries of URLs, for applications with a middleware that changes queries. */
export const queryFrom = (from: QueryFunction): Extension => ({
  name,
  check: () => (isFunction(from) ? [] : [noFunction]),
  rewriteQuery: { fromRequest: async (req, limits) => readGiven(await from(req), limits) },
})
