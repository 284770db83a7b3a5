import { malformed } from '../errors'
import type { Query, PublicationFilter, PublicationStatus } from '../query'
import { localeColumn, type Model } from '../schema'
import type { Condition, OtherVersion } from './level'
import { everything, nothing, type Planning, visible } from './planning'

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

/** What stands in `localeFallback` for locales that it does not name. */
const anyLocale = '*'

const within = (values: readonly string[]): Condition<never> => ({
  op: 'test',
  column: localeColumn,
  test: { is: 'within', values },
  negated: false,
})

type AskedLocale = Pick<Query, 'locale' | 'fallback' | 'filtersLocale'>

function chainFor({ defaultLocale, localeFallback }: Planning, query: AskedLocale): readonly string[] {
  const { locale, fallback, filtersLocale } = query
  const first = locale === 'default' ? [defaultLocale] : locale
  if (first === anyLocale || first.length !== 1) {
    if (typeof fallback === 'string') return []
    throw malformed(['fallback'], 'Invalid fallback parameter: it stands in for one locale, not for several')
  }
  const [wanted = defaultLocale] = first
  if (fallback === 'none' || (fallback === 'default' && filtersLocale)) return []
  const own = Object.hasOwn(localeFallback, wanted) ? wanted : anyLocale
  const further = fallback === 'default' ? (localeFallback[own] ?? []) : fallback
  const chain = [...new Set([wanted, ...further])]
  return chain.length > 1 ? chain : []
}

/** Each document once, as the row of the first of these locales in which it may be seen. */
function firstOf(chain: readonly string[], { model, planning }: LocaleScope): Condition<never> {
  return {
    op: 'or',
    of: chain.map((locale, index): Condition<never> => {
      const before = { op: 'not in locales', locales: chain.slice(0, index) } as const
      if (index === 0) return within([locale])
      return { op: 'and', of: [within([locale]), { ...before, visible: visible(model, planning.status) }] }
    }),
  }
}

interface LocaleScope {
  readonly planning: Planning
  readonly model: Model
}

/** What is asked for: of `one` entry there is one locale, and a `row` is of its own. */
export type LocaleSubject = 'list' | 'one' | 'row'

/** A filter on `locale` takes the place of the parameter, but not of a fallback that is asked for. */
export function inLocale(scope: LocaleScope, query: AskedLocale, subject: LocaleSubject): Condition<never> {
  const { planning, model } = scope
  const { locale, filtersLocale } = query
  if (!model.localized) return everything
  const isRow = subject === 'row'
  const chain = isRow ? [] : chainFor(planning, query)
  if (chain.length > 0) return firstOf(chain, scope)
  if (filtersLocale) return everything
  if (locale === anyLocale) return subject === 'one' ? nothing : everything
  if (locale === 'default') return isRow ? everything : within([planning.defaultLocale])
  return within(locale)
}
