import type { Request } from 'express'
import { ConfigError, RequestError } from '../errors'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'
import { HostError } from './host-error'
import { inTime } from './in-time'
import type { Settings } from './settings'

type AskedQuery = string | RawObject

/** The text behind the `?`: the host's `query parser` setting has no say in it. */
function textOf({ url }: Request): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

const remedy = 'answer an object such as req.query, the text of a query, or nothing'

/** Without what was answered, nor names in it: a client may have sent them. */
const wrong = (problem: string): ConfigError => new ConfigError([{ where: 'query.from', problem, remedy }])

/** Null where what stands in the URL is to be asked. */
function hostQueryOf(answer: unknown, limits: QueryLimits): AskedQuery | null {
  if (answer === undefined || answer === null) return null
  if (typeof answer === 'string') return answer.replace(/^\?/, '')
  if (typeof answer !== 'object') throw wrong(`answered a ${typeof answer}`)
  try {
    return readHostQuery(answer, limits)
  } catch (error) {
    throw error instanceof UnfitQuery ? wrong('answered something that no query can hold') : error
  }
}

/** What is asked: what stands in the URL, or what the host says. */
export function askedQueryReader({
  query: { from },
  timeout,
}: Pick<Settings, 'query' | 'timeout'>): (req: Request, limits: QueryLimits) => Promise<AskedQuery> {
  if (from === undefined) return (req) => Promise.resolve(textOf(req))
  return async (req, limits) => {
    try {
      return hostQueryOf(await inTime(from(req), timeout), limits) ?? textOf(req)
    } catch (error) {
      throw error instanceof RequestError ? error : new HostError(error)
    }
  }
}
