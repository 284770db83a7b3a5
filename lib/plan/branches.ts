import { inside, LimitError, malformed, unknownKey } from '../errors'
import {
  type LevelQuery,
  type PopulateEntry,
  type QueryPopulate,
  includesAll,
  wholeQuery,
  type Query,
  type PublicationFilter,
  type PublicationStatus,
} from '../query'
import { type LinkField, localeColumn, type Model, modelOf, type Uid } from '../schema'
import {
  hasEmptyLocale,
  isCounted,
  isHiddenByStrapi,
  linkAsStrapi,
  linkedAsStrapi,
  showsEmptyLocale,
  sortedAsStrapi,
} from './as-strapi'
import { chooseColumns, type Planning, testOf, unknownName, visible, everything, nothing } from './planning'
import { makeCondition, typesOf } from './conditions'
import {
  allShown,
  type Branch,
  type Condition,
  type Level,
  type Pending,
  type Spend,
  type OtherVersion,
} from './level'
import { makeOrders } from './make-orders'

interface VersionTest extends Omit<OtherVersion, 'op' | 'published' | 'visible'> {
  /** The only status that can match. */
  readonly of: PublicationStatus | null
}

const filters: Readonly<Record<PublicationFilter, VersionTest>> = {
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

/** Key in `localeFallback` of all other locales. */
const anyLocale = '*'

const within = (values: readonly string[]): Condition<never> => testOf(localeColumn, { is: 'within', values })

type QueryLocale = Pick<Query, 'locale' | 'fallback' | 'filtersLocale'>

function chainFor({ defaultLocale, localeFallback }: Planning, query: QueryLocale): readonly string[] {
  const { locale, fallback, filtersLocale } = query
  const first = locale === 'default' ? [defaultLocale] : locale
  if (first === anyLocale || first.length !== 1) {
    if (typeof fallback === 'string') return []
    throw malformed(['fallback'], 'Invalid fallback parameter: fallback requires a single locale')
  }
  const [wanted = defaultLocale] = first
  if (fallback === 'none' || (fallback === 'default' && filtersLocale)) return []
  const own = Object.hasOwn(localeFallback, wanted) ? wanted : anyLocale
  const further = fallback === 'default' ? (localeFallback[own] ?? []) : fallback
  const chain = [...new Set([wanted, ...further])]
  return chain.length > 1 ? chain : []
}

/** Each document once, in the first of the locales that is visible. */
function firstOf(chain: readonly string[], shown: Condition<never>): Condition<never> {
  return {
    op: 'or',
    of: chain.map((locale, index): Condition<never> => {
      const before = { op: 'not in locales', locales: chain.slice(0, index) } as const
      if (index === 0) return within([locale])
      return { op: 'and', of: [within([locale]), { ...before, visible: shown }] }
    }),
  }
}

/** Filters on `locale` replace the parameter `locale`, but not `fallback`. A `row` has any locale. */
export function inLocale(
  { planning, model }: { readonly planning: Planning; readonly model: Model },
  query: QueryLocale,
  subject: 'list' | 'one' | 'row',
): Condition<never> {
  const { locale, filtersLocale } = query
  if (!model.localized) return everything
  const isRow = subject === 'row'
  const chain = isRow ? [] : chainFor(planning, query)
  if (chain.length > 0) return firstOf(chain, visible(model, planning.status))
  if (filtersLocale) return everything
  if (locale === anyLocale) return subject === 'one' ? nothing : everything
  if (locale === 'default') return isRow ? everything : within([planning.defaultLocale])
  return within(locale)
}

const isToAny = ({ role, targets }: LinkField): boolean => role === 'morph' && targets.length !== 1

/** Zones and entries of any type keep the editor's order, whatever a fragment sorts by. */
export const standsAsPut = (field: LinkField): boolean => field.role === 'zone' || isToAny(field)

/** Relations to any type are populated whole, or by type with `on`. With other keys they are left out, as in Strapi. */
const hasNoRoom = (field: LinkField, query: LevelQuery): boolean =>
  isToAny(field) && query.on === null && query.keys.some((key) => key !== 'count')

function leftOutOf(model: Model, { entries }: QueryPopulate): readonly LinkField[] {
  return entries.flatMap(({ name, query }) => {
    const field = model.links.get(name)
    return field !== undefined && query !== null && hasNoRoom(field, query) ? [field] : []
  })
}

interface PlanningBelow extends Planning {
  readonly depth: number
  /** Show `locale` even for entries that are not localized. */
  readonly showsLocale: boolean
}

export function levelWithBranches(
  planning: PlanningBelow,
  model: Model,
  { fields, populate }: Pick<LevelQuery, 'fields' | 'populate'>,
  rows: Pick<Level, 'where' | 'order'>,
): Level {
  const columns = chooseColumns(planning, model, fields)
  const isLocaleShown = planning.showsLocale && includesAll(fields) && hasEmptyLocale(planning, model)
  return {
    op: 'level',
    model,
    columns: isLocaleShown ? [...columns, localeColumn] : columns,
    ...rows,
    isRuled: false,
    partly: allShown,
    branches: makeBranches({ ...planning, depth: planning.depth + 1 }, model, populate),
    wildcards: { fields: includesAll(fields), populate: populate.all },
    leftOut: leftOutOf(model, populate),
  }
}

function linkedLevel(planning: PlanningBelow, model: Model, query: LevelQuery): Level {
  const shown: Condition = visible(model, planning.status)
  const { filters } = query
  const sort = sortedAsStrapi(planning, model, query.sort)
  return levelWithBranches(planning, model, query, {
    where: filters === null ? shown : { op: 'and', of: [shown, makeCondition(planning, model, filters)] },
    order: sort.length === 0 ? [] : makeOrders(planning, model, sort),
  })
}

function listNames({ populate, on }: LevelQuery, prefix: string, names: string[]): string[] {
  for (const { name, query } of populate.entries) {
    if (query === null) continue
    names.push(prefix + name)
    listNames(query, `${prefix}${name}.`, names)
  }
  for (const { query } of on ?? []) if (query !== null) listNames(query, prefix, names)
  return names
}

type Targets = ReadonlyMap<Uid, Pending>

function pending(
  planning: PlanningBelow,
  uid: Uid,
  query: LevelQuery,
  make = (model: Model) => linkedLevel(planning, model, query),
): [Uid, Pending] {
  const level = (spend: Spend): Level => {
    spend(query.path)
    const { depth, maxDepth } = planning
    if (depth > maxDepth)
      throw new LimitError('maxDepth', query.path, `The query populates more than ${String(maxDepth)} levels`)
    return make(modelOf(planning.schema, uid))
  }
  return [uid, { op: 'pending', level, named: () => listNames(query, '', []) }]
}

/** A dotted path reaches into each component of the zone with that name; at least one must have it. */
function dottedTargets(planning: PlanningBelow, field: LinkField, query: LevelQuery): Targets {
  const { entries, path } = query.populate
  const has = (uid: Uid, name: string): boolean => modelOf(planning.schema, uid).links.has(name)
  for (const entry of entries) {
    const others = field.targets.flatMap((uid) => [...modelOf(planning.schema, uid).links.values()])
    if (!others.some(({ name }) => name === entry.name))
      throw unknownName(planning, entry.path, entry.name, others)
  }
  const reaching = (uid: Uid): LevelQuery =>
    wholeQuery(path, { all: false, entries: entries.filter(({ name }) => has(uid, name)), path })
  return new Map(field.targets.map((uid) => pending(planning, uid, reaching(uid))))
}

function fragmentTargets(planning: PlanningBelow, field: LinkField, on: readonly PopulateEntry[]): Targets {
  const targets = new Map<Uid, Pending>()
  for (const { name, path, query } of on) {
    const uid = [...planning.schema.models.keys()].find((known) => known === name)
    // Only components are valid in a zone. Other types get the error of an unknown name.
    const isMisplaced =
      field.role === 'zone' && uid !== undefined && modelOf(planning.schema, uid).kind !== 'component'
    if (uid === undefined || isMisplaced) throw unknownName(planning, path, name, typesOf(field))
    if (query === null) continue
    if (field.targets.includes(uid)) targets.set(...pending(planning, uid, query))
    // Components outside of the zone are checked only.
    else if (field.role === 'zone') linkedLevel(planning, modelOf(planning.schema, uid), query)
  }
  return targets
}

function mixedTargets(planning: PlanningBelow, field: LinkField, query: LevelQuery): Targets {
  if (query.on !== null) return fragmentTargets(planning, field, query.on)
  if (query.dotted) return dottedTargets(planning, field, query)
  const [odd] = query.populate.entries
  if (odd !== undefined) throw unknownKey(odd.path, 'populate')
  return new Map(field.targets.map((uid) => pending(planning, uid, wholeQuery(query.path, query.populate))))
}

function mixedBranches(planning: PlanningBelow, field: LinkField, query: LevelQuery): Branch[] {
  const isZone = field.role === 'zone'
  if (isZone) {
    const odd = query.keys.find((key) => key !== 'on' && key !== 'count' && key !== 'populate')
    if (odd !== undefined)
      throw malformed([...query.path, odd], `Invalid key ${odd}. Expected a fragment ("on") or "count"`)
  } else {
    if (query.dotted) throw unknownKey(query.path, field.name)
    const [odd] = query.populate.entries
    if (odd !== undefined) throw unknownKey(odd.path, odd.name)
    if (hasNoRoom(field, query)) return []
  }
  const unlisted = isZone && query.on !== null ? planning.unlistedZoneElements : 'omit'
  const targets = mixedTargets(planning, field, query)
  return [{ field, targets, unlisted, answer: query.count ? 'count' : 'entries', page: null }]
}

function branchesFor(above: PlanningBelow, model: Model, known: LinkField, query: LevelQuery): Branch[] {
  if (isHiddenByStrapi(above, model, known)) return []
  const hasFragments = query.on?.some((one) => one.query !== null && one.query.keys.length > 0) === true
  // With fragments, Strapi looks at the status of the row with that key only, not at other versions.
  const field = hasFragments ? known : linkAsStrapi(above, known)
  const planning = { ...above, showsLocale: above.showsLocale || showsEmptyLocale(above, field) }
  // Pages need a list of entries of one type.
  const isPageable =
    field.many && field.targets.length === 1 && !['zone', 'localizations'].includes(field.role)
  if (query.page !== null && !isPageable)
    throw malformed([...query.path, 'pagination'], `Invalid key pagination: ${field.name} cannot be paged`)
  if (standsAsPut(field)) return mixedBranches(planning, field, query)
  if (query.on !== null)
    throw malformed([...query.path, 'on'], `Using fragments is not permitted to populate ${field.name}`)
  const isCount = isCounted(planning, field, query)
  const page = isCount ? null : query.page
  const make = (model: Model) => linkedAsStrapi(planning, field, query, linkedLevel(planning, model, query))
  const targets = new Map(field.targets.map((uid) => pending(planning, uid, query, make)))
  return [{ field, targets, unlisted: 'omit', answer: isCount ? 'count' : 'entries', page }]
}

function makeBranches(planning: PlanningBelow, model: Model, populate: QueryPopulate): readonly Branch[] {
  if (populate.all) {
    const fields = [...model.links.values()]
    return fields.flatMap((field) =>
      branchesFor(planning, model, field, wholeQuery(inside(populate.path, field.name))),
    )
  }
  return populate.entries.flatMap(({ name, path, query }) => {
    const field = model.links.get(name)
    if (field !== undefined) return query === null ? [] : branchesFor(planning, model, field, query)
    if (model.emptyRelations.includes(name)) return []
    if (name !== 'deep') throw unknownName(planning, path, name, model.links.values())
    throw malformed(
      path,
      'Invalid key deep: list the relations to populate, level by level, or use populate=* for a single level',
    )
  })
}
