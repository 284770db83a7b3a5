import type { Response } from 'express'
import type { ContentRouterConfig, TypeHeaders } from '../config'
import type { Model } from '../schema'

/** What caches on the way are told about answers of one type. */
export interface CacheHeaders {
  readonly set: (res: Response, isPublic: boolean, isTagged: boolean) => void
  /** Of answers that nobody is to keep, whatever is configured or was said before. */
  readonly refuse: (res: Response) => void
}

export interface CacheHeaderSettings {
  readonly role: ContentRouterConfig['role']
  readonly headers: Readonly<Record<string, TypeHeaders>>
  readonly compresses: boolean
}

function varyOf({ role, compresses }: CacheHeaderSettings, { vary = [] }: TypeHeaders): string {
  const names = ['Strapi-Response-Format', ...vary]
  if (typeof role === 'object') names.push('Authorization')
  if (compresses) names.push('Accept-Encoding')
  return names.join(', ')
}

function configured(headers: CacheHeaderSettings['headers'], model: Model): TypeHeaders {
  const named = [headers['*'], headers[model.singularName], headers[model.uid]]
  return Object.assign({}, ...named) as TypeHeaders
}

/**
 * An answer that not everybody may see is no shared cache's to keep. Where nothing is configured, whoever keeps an answer
 * has to ask whether it still holds, and only what has a tag can be asked for.
 */
export function cacheHeadersOf(settings: CacheHeaderSettings, model: Model): CacheHeaders {
  const own = configured(settings.headers, model)
  const vary = varyOf(settings, own)
  const directives = own.cacheControl ?? 'no-cache'
  const forAll = `public, ${directives}`
  const forOne = own.shared === true ? forAll : `private, ${directives}`
  const isConfigured = Object.keys(own).length > 0
  return {
    refuse: (res) => {
      res.setHeader('Cache-Control', 'private, no-store')
      res.vary(vary)
    },
    set: (res, isPublic, isTagged) => {
      if (isPublic && !isTagged && !isConfigured) return
      // Whoever stands before this router may have said more than it knows.
      if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', isPublic ? forAll : forOne)
      res.vary(vary)
    },
  }
}
