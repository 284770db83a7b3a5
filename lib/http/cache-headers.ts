import type { Response } from 'express'
import type { CoreConfig, TypeHeaders } from '../config'
import { ledToFrom, type Model, type Schema } from '../schema'
import type { SharedHeaders } from './extension'
import { keepFromCaches } from './send'

/** What caches on the way are told about answers of one type. */
export interface CacheHeaders {
  readonly set: (res: Response, answer: SentAnswer) => void
  /** For answers that no cache is to keep: takes the place of what is configured, or was set before. */
  readonly refuse: (res: Response) => void
}

/** What of an answer caches on the way are told. */
export interface SentAnswer {
  readonly isPublic: boolean
  /** Others are answered differently, even by the same role: it goes before what a host says of the whole type. */
  readonly isPersonal: boolean
  /** Headers for shared caches; null without any. */
  readonly headers: SharedHeaders | null
}

export interface CacheHeaderSettings {
  readonly schema: Pick<Schema, 'models'>
  readonly role: CoreConfig['role']
  readonly headers: Readonly<Record<string, TypeHeaders>>
  readonly compresses: boolean
}

/**
 * By what answers of a type vary: by all that is said of any type that it leads to, as an answer may show it, be filtered or
 * sorted by it, or be without it for one of those who ask.
 */
export function varyOf(
  { headers, schema }: Pick<CacheHeaderSettings, 'headers' | 'schema'>,
  model: Model,
): readonly string[] {
  // Of a large project it would take long to follow all links for each of its routes.
  if (Object.values(headers).every(({ vary = [] }) => vary.length === 0)) return []
  return [...new Set([...ledToFrom(schema, [model])].flatMap((one) => headersOf(headers, one).vary ?? []))]
}

function varyText(settings: CacheHeaderSettings, model: Model): string {
  const { role, compresses } = settings
  const names = ['Strapi-Response-Format', ...varyOf(settings, model)]
  if (typeof role === 'object') names.push('Authorization')
  if (compresses) names.push('Accept-Encoding')
  return names.join(', ')
}

/** What is configured for the answers of a type. */
export function headersOf(headers: CacheHeaderSettings['headers'], model: Model): TypeHeaders {
  // The short name is for types of the host's own.
  const short = model.route === null ? undefined : headers[model.singularName]
  const named = [headers['*'], short, headers[model.uid]]
  return Object.assign({}, ...named) as TypeHeaders
}

const mayNotBeStored = (res: Response): boolean => String(res.getHeader('Cache-Control')).includes('no-store')

/**
 * Only public answers may be kept by a shared cache. Where nothing is configured, a cache that keeps an answer
 * has to ask whether it still holds, and only what has a tag can be asked for.
 */
export function cacheHeadersOf(settings: CacheHeaderSettings, model: Model): CacheHeaders {
  const own = headersOf(settings.headers, model)
  const vary = varyText(settings, model)
  const directives = own.cacheControl ?? 'no-cache'
  const mayBeShared = ({ isPublic, isPersonal }: SentAnswer): boolean =>
    !isPersonal && (isPublic || own.shared === true)
  return {
    refuse: (res) => {
      keepFromCaches(res)
      res.vary(vary)
    },
    set: (res, answer) => {
      const isShared = mayBeShared(answer)
      if (isShared)
        for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value)
      const reach = isShared ? 'public' : 'private'
      // What a middleware before this router has set stands: it may know more, but not whose rows these are.
      if (!res.hasHeader('Cache-Control') || (answer.isPersonal && !mayNotBeStored(res)))
        res.setHeader('Cache-Control', `${reach}, ${directives}`)
      res.vary(vary)
    },
  }
}
