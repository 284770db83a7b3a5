import type { Request } from 'express'
import type { AddedQueries } from '../config'
import { RequestError } from '../errors'
import { inTime } from '../read'
import type { BaseQuery, QueryLimits, RawObject } from '../query'
import type { Model, Schema } from '../schema'
import { HostError } from './host-error'

/** The text behind the `?`, or the same as an object. */
export type GivenQuery = string | RawObject

/** A query as an extension rewrote it. */
export interface RewrittenQuery {
  /** Replaces the query of the client. */
  readonly raw?: RawObject
  /** The host wrote `raw`: roles that may only use queries of the host may use it. */
  readonly isOfHost?: true
  /** Holds where the query says nothing. The filters of both hold. */
  readonly base?: BaseQuery
  /** Returns the error to send. An error in a part that the client did not write must not name that part. */
  readonly errorFor: (error: RequestError) => RequestError
}

/** Null keeps the query. */
export type RewriteQuery = (raw: RawObject, model: Model) => RewrittenQuery | null

/** How an extension rewrites queries before they are planned. */
export interface QueryRewriting {
  /** Called for each request over HTTP. Replaces the query of the URL; null keeps it. */
  readonly fromRequest?: (req: Request, limits: QueryLimits) => Promise<GivenQuery | null>
  /** Called once for a router. Results of the rewriter are kept for equal queries, so it depends on nothing else. */
  readonly makeRewriter?: (schema: Schema) => RewriteQuery | null
  /** Part of every ETag, as other queries give other responses. */
  readonly adds?: AddedQueries
}

/** What an extension throws is an error of the host, but for errors that are written for clients. */
function raiseOfHost(error: unknown): never {
  throw error instanceof RequestError ? error : new HostError(error)
}

/** Null: the query of the URL. */
export type ReadQuery = (req: Request, limits: QueryLimits) => Promise<GivenQuery | null>

/** Reads the query that an extension puts in the place of that of the URL; null where none does. */
export function queryReader(rewritings: readonly QueryRewriting[], timeout: number): ReadQuery | null {
  const readers = rewritings.flatMap(({ fromRequest }) => fromRequest ?? [])
  if (readers.length === 0) return null
  return async (req, limits) => {
    try {
      for (const read of readers) {
        const query = await inTime(read(req, limits), timeout)
        if (query !== null) return query
      }
      return null
    } catch (error) {
      raiseOfHost(error)
    }
  }
}

/** What all rewriters made of a query. */
interface QueryToPlan {
  /** Null: the query of the client. */
  readonly raw: RawObject | null
  readonly isOfHost: boolean
  readonly bases: readonly BaseQuery[]
  readonly errorFor: (error: RequestError) => RequestError
}

export type RewriteParsed = (raw: RawObject, model: Model) => QueryToPlan

/** Null where no extension rewrites queries. */
export function queryRewriter(rewritings: readonly QueryRewriting[], schema: Schema): RewriteParsed | null {
  const rewriters = rewritings.flatMap(({ makeRewriter }) => makeRewriter?.(schema) ?? [])
  if (rewriters.length === 0) return null
  return (given, model) => {
    const parts: RewrittenQuery[] = []
    let raw = given
    try {
      for (const rewrite of rewriters) {
        const rewritten = rewrite(raw, model)
        if (rewritten === null) continue
        parts.push(rewritten)
        raw = rewritten.raw ?? raw
      }
    } catch (error) {
      raiseOfHost(error)
    }
    return {
      // Limits on the text hold for what a client wrote, and it may be longer as an object.
      raw: parts.some((part) => part.raw !== undefined) ? raw : null,
      isOfHost: parts.some(({ isOfHost }) => isOfHost === true),
      bases: parts.flatMap(({ base }) => base ?? []),
      errorFor: (error) => parts.reduceRight((last, { errorFor }) => errorFor(last), error),
    }
  }
}
