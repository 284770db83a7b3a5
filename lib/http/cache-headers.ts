import type { Response } from 'express'
import type { FilledOptions, TypeHeaders } from '../config'
import { reachableFrom, type Model, type Schema } from '../schema'
import type { CoreSettings, SharedHeaders } from './extension'
import { keepFromCaches } from './send'

export interface CacheHeaders {
  readonly set: (res: Response, answer: SentAnswer) => void
  /** Replaces configured and earlier headers: no cache may store the response. */
  readonly refuse: (res: Response) => void
}

interface SentAnswer {
  readonly isPublic: boolean
  /** True if callers of one role get different responses. */
  readonly isPersonal: boolean
  /** Headers for shared caches; null without any. */
  readonly headers: SharedHeaders | null
}

/** Headers of all types that can be reached: a response may show them, or be filtered or sorted by them. */
export function varyOf(headers: FilledOptions['headers'], schema: Schema, model: Model): readonly string[] {
  // Relations of a large project take long to follow for each route.
  if (Object.values(headers).every(({ vary = [] }) => vary.length === 0)) return []
  return [
    ...new Set([...reachableFrom(schema, [model])].flatMap((one) => headersOf(headers, one).vary ?? [])),
  ]
}

export function headersOf(headers: FilledOptions['headers'], model: Model): TypeHeaders {
  const short = model.route === null ? undefined : headers[model.singularName]
  const named = [headers['*'], short, headers[model.uid]]
  return Object.assign({}, ...named) as TypeHeaders
}

/** Public responses alone may be stored by shared caches; by default, caches have to revalidate. */
export function cacheHeadersOf(
  { headers: configured, schema, role, cache }: CoreSettings,
  model: Model,
): CacheHeaders {
  const own = headersOf(configured, model)
  const names = ['Strapi-Response-Format', ...varyOf(configured, schema, model)]
  if (typeof role === 'object') names.push('Authorization')
  if (cache?.compress === true) names.push('Accept-Encoding')
  const vary = names.join(', ')
  const directives = own.cacheControl ?? 'no-cache'
  return {
    refuse: (res) => {
      keepFromCaches(res)
      res.vary(vary)
    },
    set: (res, { isPublic, isPersonal, headers }) => {
      const isShared = !isPersonal && (isPublic || own.shared === true)
      if (isShared) for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value)
      const reach = isShared ? 'public' : 'private'
      const before = res.getHeader('Cache-Control')
      // Middleware before this router may know more, but not whose rows these are.
      if (before === undefined || (isPersonal && !String(before).includes('no-store')))
        res.setHeader('Cache-Control', `${reach}, ${directives}`)
      res.vary(vary)
    },
  }
}
