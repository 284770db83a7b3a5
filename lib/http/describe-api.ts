import { type ApiDocument, apiDocument } from '../describe'
import type { Rights } from './rights'
import type { Settings } from './settings'
import { takesTokens, typesShownTo } from './told-types'
import { version } from './version'

/** What whoever asks may read, below a path or an address. */
export function describeApi(settings: Settings, { grants, limits }: Rights, url: string): ApiDocument {
  const options = { ...settings, pagination: limits.query.page }
  const about = { url, options, version, takesTokens: takesTokens(settings.role) }
  return apiDocument(typesShownTo(settings, grants), settings.schema, about)
}
