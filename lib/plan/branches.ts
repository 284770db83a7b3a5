import { inside, LimitError, malformed, type QueryPath, unknownKey } from '../errors'
import {
  type Ask,
  type AskedEntry,
  type AskedFragment,
  type AskedPopulate,
  includesAll,
  wholeAsk,
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
import { chooseColumns, type Planning, unknownName, visible, everything, nothing } from './planning'
import { makeCondition } from './conditions'
import { typesOf } from './element-conditions'
import {
  allShown,
  type Branch,
  type Condition,
  type FaultBehindLink,
  type Level,
  type Pending,
  type Spend,
  type OtherVersion,
} from './level'
import { makeOrders } from './make-orders'

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

const isToAny = ({ role, targets }: LinkField): boolean => role === 'morph' && targets.length !== 1

/** What a zone holds, and entries of any type, stand in the editor's order, even where a fragment says another. */
export const standsAsPut = (field: LinkField): boolean => field.role === 'zone' || isToAny(field)

/**
 * A relation to any type is populated whole, or per type with `on`. Other keys could only be meant for one type, and
 * as with Strapi they leave the field out.
 */
const hasNoRoom = (field: LinkField, ask: Ask): boolean =>
  isToAny(field) && ask.on === null && ask.keys.some((key) => key !== 'count')

export function leftOutOf(model: Model, { entries }: AskedPopulate): readonly LinkField[] {
  return entries.flatMap(({ name, ask }) => {
    const field = model.links.get(name)
    return field !== undefined && ask !== null && hasNoRoom(field, ask) ? [field] : []
  })
}

/** How many links away from the page it is that is planned. */
interface PlanningBelow extends Planning {
  readonly depth: number
  /** Whether entries show their `locale` even where they are not localized. */
  readonly showsLocale: boolean
}

type Targets = ReadonlyMap<Uid, Pending>

function checkDepth(planning: PlanningBelow, path: QueryPath): void {
  if (planning.depth <= planning.maxDepth) return
  const limit = String(planning.maxDepth)
  throw new LimitError('maxDepth', path, `Populated deeper than ${limit} levels`)
}

/** What is asked of rows that a link leads to. */
function makeLevel(planning: PlanningBelow, model: Model, ask: Ask): Level<FaultBehindLink> {
  const shown: Condition<FaultBehindLink> = visible(model, planning.status)
  const filters = ask.filters === null ? [] : [makeCondition(planning, model, ask.filters)]
  const sort = sortedAsStrapi(planning, model, ask.sort)
  const columns = chooseColumns(planning, model, ask.fields)
  const isLocaleShown = planning.showsLocale && includesAll(ask.fields) && hasEmptyLocale(planning, model)
  return {
    op: 'level',
    model,
    columns: isLocaleShown ? [...columns, localeColumn] : columns,
    where: filters.length === 0 ? shown : { op: 'and', of: [shown, ...filters] },
    isRuled: false,
    partly: allShown,
    order: sort.length === 0 ? [] : makeOrders(planning, model, sort),
    branches: makeBranches({ ...planning, depth: planning.depth + 1 }, model, ask.populate),
    wildcards: { fields: includesAll(ask.fields), populate: ask.populate.all },
    leftOut: leftOutOf(model, ask.populate),
  }
}

/** `prefix`: the names above, each with a dot behind it. */
function listNames({ populate, on }: Ask, prefix: string, names: string[]): string[] {
  for (const { name, ask } of populate.entries) {
    if (ask === null) continue
    names.push(prefix + name)
    listNames(ask, `${prefix}${name}.`, names)
  }
  for (const { ask } of on ?? []) if (ask !== null) listNames(ask, prefix, names)
  return names
}

type Make = (model: Model) => Level<FaultBehindLink>

function pending(planning: PlanningBelow, uid: Uid, ask: Ask, make: Make): [Uid, Pending] {
  const level = (spend: Spend): Level<FaultBehindLink> => {
    spend(ask.path)
    checkDepth(planning, ask.path)
    return make(modelOf(planning.schema, uid))
  }
  return [uid, { op: 'pending', level, named: () => listNames(ask, '', []) }]
}

const levelFor = (planning: PlanningBelow, uid: Uid, ask: Ask): [Uid, Pending] =>
  pending(planning, uid, ask, (model) => makeLevel(planning, model, ask))

/** A dotted path through a zone reaches into every component that has the name; one of them must. */
function dottedTargets(planning: PlanningBelow, field: LinkField, ask: Ask): Targets {
  const { entries, path } = ask.populate
  const has = (uid: Uid, name: string): boolean => modelOf(planning.schema, uid).links.has(name)
  for (const entry of entries) {
    const others = field.targets.flatMap((uid) => [...modelOf(planning.schema, uid).links.values()])
    if (!others.some(({ name }) => name === entry.name))
      throw unknownName(planning, entry.path, entry.name, others)
  }
  const reaching = (uid: Uid): Ask =>
    wholeAsk(path, { all: false, entries: entries.filter(({ name }) => has(uid, name)), path })
  return new Map(field.targets.map((uid) => levelFor(planning, uid, reaching(uid))))
}

/** A zone takes no types, so that none need be told from what is nowhere. */
const mayBeNamed = ({ schema }: Planning, field: LinkField, uid: Uid): boolean =>
  field.role !== 'zone' || modelOf(schema, uid).kind === 'component'

function fragmentTargets(planning: PlanningBelow, field: LinkField, on: readonly AskedFragment[]): Targets {
  const targets = new Map<Uid, Pending>()
  for (const { uid: name, path, ask } of on) {
    const uid = [...planning.schema.models.keys()].find((known) => known === name)
    if (uid === undefined || !mayBeNamed(planning, field, uid))
      throw unknownName(planning, path, name, typesOf(field))
    if (ask === null) continue
    if (field.targets.includes(uid)) targets.set(...levelFor(planning, uid, ask))
    // A component outside of the zone is in no response, but its names are checked like any other.
    else if (field.role === 'zone') makeLevel(planning, modelOf(planning.schema, uid), ask)
  }
  return targets
}

function checkMixedKeys({ keys, path }: Ask): void {
  const odd = keys.find((key) => key !== 'on' && key !== 'count' && key !== 'populate')
  if (odd !== undefined)
    throw malformed([...path, odd], `Invalid key ${odd}. Expected a fragment ("on") or "count"`)
}

function mixedTargets(planning: PlanningBelow, field: LinkField, ask: Ask): Targets {
  if (ask.on !== null) return fragmentTargets(planning, field, ask.on)
  if (ask.dotted) return dottedTargets(planning, field, ask)
  const [odd] = ask.populate.entries
  if (odd !== undefined) throw unknownKey(odd.path, 'populate')
  return new Map(field.targets.map((uid) => levelFor(planning, uid, wholeAsk(ask.path, ask.populate))))
}

function zoneBranch(planning: PlanningBelow, field: LinkField, ask: Ask): Branch<FaultBehindLink> {
  checkMixedKeys(ask)
  const unlisted = ask.on === null ? 'omit' : planning.unlistedZoneElements
  return {
    field,
    targets: mixedTargets(planning, field, ask),
    unlisted,
    answer: answerOf(ask.count),
    page: null,
  }
}

function morphBranches(planning: PlanningBelow, field: LinkField, ask: Ask): Branch<FaultBehindLink>[] {
  if (ask.dotted) throw unknownKey(ask.path, field.name)
  const [odd] = ask.populate.entries
  if (odd !== undefined) throw unknownKey(odd.path, odd.name)
  if (hasNoRoom(field, ask)) return []
  const targets = mixedTargets(planning, field, ask)
  return [{ field, targets, unlisted: 'omit', answer: answerOf(ask.count), page: null }]
}

/** Whether it says what is asked of one of the types. Strapi then looks at the status of what a key names, and at no other version. */
const hasFragments = ({ on }: Ask): boolean =>
  on !== null && on.some(({ ask }) => ask !== null && ask.keys.length > 0)

const answerOf = (isCount: boolean): Branch<FaultBehindLink>['answer'] => (isCount ? 'count' : 'entries')

/** A page is cut from the entries of one type, in their order; there is none in a zone, of other locales, nor in a single entry. */
function checkPage(field: LinkField, { page, path }: Ask): void {
  const isList = field.many && field.targets.length === 1
  if (page === null || (isList && field.role !== 'zone' && field.role !== 'localizations')) return
  throw malformed([...path, 'pagination'], `Invalid key pagination: ${field.name} cannot be paged`)
}

function branchesFor(
  above: PlanningBelow,
  model: Model,
  known: LinkField,
  ask: Ask,
): Branch<FaultBehindLink>[] {
  if (isHiddenByStrapi(above, model, known)) return []
  const field = hasFragments(ask) ? known : linkAsStrapi(above, known)
  const planning = { ...above, showsLocale: above.showsLocale || showsEmptyLocale(above, field) }
  checkPage(field, ask)
  if (field.role === 'zone') return [zoneBranch(planning, field, ask)]
  if (isToAny(field)) return morphBranches(planning, field, ask)
  if (ask.on !== null)
    throw malformed([...ask.path, 'on'], `Using fragments is not permitted to populate ${field.name}`)
  const isCount = isCounted(planning, field, ask)
  const page = isCount ? null : ask.page
  const make: Make = (model) => linkedAsStrapi(planning, field, ask, makeLevel(planning, model, ask))
  const targets = new Map(field.targets.map((uid) => pending(planning, uid, ask, make)))
  return [{ field, targets, unlisted: 'omit', answer: answerOf(isCount), page }]
}

function entryBranches(planning: PlanningBelow, model: Model, entry: AskedEntry): Branch<FaultBehindLink>[] {
  const field = model.links.get(entry.name)
  if (field === undefined) {
    if (model.emptyRelations.includes(entry.name)) return []
    throw unknownEntry(planning, model, entry)
  }
  return entry.ask === null ? [] : branchesFor(planning, model, field, entry.ask)
}

function unknownEntry(planning: Planning, { links }: Model, { name, path }: AskedEntry): Error {
  if (name !== 'deep') return unknownName(planning, path, name, links.values())
  return malformed(
    path,
    'Invalid key deep: name what to populate, level by level, or use populate=* for one level',
  )
}

export function makeBranches(
  planning: PlanningBelow,
  model: Model,
  populate: AskedPopulate,
): readonly Branch<FaultBehindLink>[] {
  if (populate.all) {
    const fields = [...model.links.values()]
    return fields.flatMap((field) =>
      branchesFor(planning, model, field, wholeAsk(inside(populate.path, field.name))),
    )
  }
  return populate.entries.flatMap((entry) => entryBranches(planning, model, entry))
}
