import type { PublicationFilter, PublicationStatus } from '../query'
import type { Condition, OtherVersion } from './level'
import { everything, nothing } from './planning'

type VersionTest = Pick<OtherVersion, 'exists' | 'sameLocale' | 'draftIsNewer'>

/** What each filter says of a row's other version, and of which status rows are looked at: null for either. */
const filters: Readonly<Record<PublicationFilter, VersionTest & { readonly of: PublicationStatus | null }>> =
  {
    'never-published': { exists: false, sameLocale: true, draftIsNewer: null, of: 'draft' },
    'has-published-version': { exists: true, sameLocale: true, draftIsNewer: null, of: null },
    modified: { exists: true, sameLocale: true, draftIsNewer: true, of: null },
    unmodified: { exists: true, sameLocale: true, draftIsNewer: false, of: null },
    'never-published-document': { exists: false, sameLocale: false, draftIsNewer: null, of: 'draft' },
    'has-published-version-document': { exists: true, sameLocale: false, draftIsNewer: null, of: null },
    'published-without-draft': { exists: false, sameLocale: true, draftIsNewer: null, of: 'published' },
    'published-with-draft': { exists: true, sameLocale: true, draftIsNewer: null, of: 'published' },
  }

export function otherVersion(filter: PublicationFilter, status: PublicationStatus): Condition<never> {
  const { of, ...scope } = filters[filter]
  if (of !== null && of !== status) return nothing
  return { op: 'version', published: status === 'draft', visible: everything, ...scope }
}
