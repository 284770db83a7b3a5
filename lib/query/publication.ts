import { mostFallbacks } from '../config'
import { malformed, type RequestError } from '../errors'
import { type PublicationFilter, publicationFilters, type Query, type PublicationStatus } from './asked'
import { isBlank, isRawList, type Raw, readNames } from './raw'

/** No text in PostgreSQL can hold it: asking for one fails there. */
const nul = '\u0000'

/** Strapi takes any other word for a draft; here a typing mistake must not change what is shown. */
export function readStatus(raw: Raw | undefined): PublicationStatus {
  if (isBlank(raw)) return 'published'
  if (raw === 'published' || raw === 'draft') return raw
  throw malformed(['status'], 'Invalid status parameter. Expected "draft" or "published"')
}

const isCode = (locale: Raw): locale is string => typeof locale === 'string' && !locale.includes(nul)

export function readLocale(raw: Raw | undefined): Query['locale'] {
  if (isBlank(raw)) return 'default'
  if (raw === '*') return raw
  const locales = isRawList(raw) ? raw : [raw]
  if (locales.length > 0 && locales.every(isCode)) return locales
  throw malformed(['locale'], 'Invalid locale parameter. Expected a locale code or a list of them')
}

export function readFallback(raw: Raw | undefined): Query['fallback'] {
  if (isBlank(raw)) return 'default'
  if (raw === 'false') return 'none'
  const codes = typeof raw === 'string' ? readNames(raw, ['fallback']) : raw
  if (!isRawList(codes) || codes.length === 0 || !codes.every(isCode) || codes.includes(''))
    throw malformed(['fallback'], 'Invalid fallback parameter. Expected locale codes or "false"')
  if (codes.length <= mostFallbacks) return codes
  throw malformed(
    ['fallback'],
    `Invalid fallback parameter: at most ${String(mostFallbacks)} locales are allowed`,
  )
}

/** `known`: the filters that there are for whoever asks. */
export const wrongPublicationFilter = (known: readonly PublicationFilter[]): RequestError =>
  malformed(
    ['publicationFilter'],
    `Invalid value for 'publicationFilter'. Expected one of: ${known.join(', ')}.`,
  )

function readNamedFilter(raw: Raw): PublicationFilter {
  const filter = publicationFilters.find((name) => name === raw)
  if (filter === undefined) throw wrongPublicationFilter(publicationFilters)
  return filter
}

/** `hasPublishedVersion` is the older way to say two of the filters. */
export function readPublicationFilter(
  raw: Raw | undefined,
  older: Raw | undefined,
): PublicationFilter | null {
  if (raw !== undefined && raw !== null) return readNamedFilter(raw)
  if (older === undefined || older === null) return null
  if (older === 'true') return 'has-published-version-document'
  if (older === 'false') return 'never-published-document'
  throw malformed(
    ['hasPublishedVersion'],
    'Invalid hasPublishedVersion parameter. Expected "true" or "false"',
  )
}

export function readSearch(raw: Raw | undefined): string | null {
  if (isBlank(raw)) return null
  if (typeof raw === 'string' && !raw.includes(nul)) return raw
  throw malformed(['_q'], 'Invalid _q parameter. Expected a text')
}
