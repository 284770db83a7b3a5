// Input: a Query, its model, settings. Output: a Plan, in which names are attributes and values have their
// types. Rejected: unknown names, values of other types, queries beyond a limit.
import type { RequestError } from './errors'
import type { QueryCondition, NumberedPage, Query, QuerySort } from './query'
import { type Column, type Model, modelOf } from './schema'
import { isSearchedByStrapi, rootAsStrapi, sortedAsStrapi } from './plan/as-strapi'
import { inLocale, levelWithBranches, otherVersion } from './plan/branches'
import { everything, nothing, type Planning, type PlanSettings, testOf, visible } from './plan/planning'
import { makeCondition, placeAttribute } from './plan/conditions'
import { identifiedBy } from './plan/comparisons'
import { countConditions, startSpending } from './plan/spending'
import {
  type AskerOperand,
  childrenOf,
  type Condition,
  type Level,
  type MatchText,
  type Operand,
  type Page,
  type PlaceAttribute,
  type Plan,
  type Test,
  type TextMatch,
} from './plan/level'
import { fitOrders, makeKeys, pageIn, makeOrders } from './plan/make-orders'

export { everything, nothing, type PlanSettings } from './plan/planning'
export type * from './plan/level'
export { standsAsPut } from './plan/branches'
export { type Removal, allShown, leadsThroughLinks, linksInARow, mergeSets, partsOf } from './plan/level'
export { areWaysFew, decidingOrders, isOwnId } from './plan/make-orders'
export { askerValueOf, hasSigma, isUuid } from './plan/operand'
export { bytesBelow, bytesOfPlan } from './plan/spending'

/** `id: null`: a path that is not a number matches no row. */
export type ReadTarget =
  | { readonly kind: 'list' }
  | { readonly kind: 'count' }
  | { readonly kind: 'single' }
  | { readonly kind: 'one'; readonly documentId: string }
  | { readonly kind: 'row'; readonly id: number | null }
  | { readonly kind: 'by'; readonly column: Column; readonly value: string }

export interface ParsedRequest {
  readonly model: Model
  readonly asked: ReadTarget
  readonly query: Query
  /** Paths that an extension reads beside the entries. */
  readonly keys?: readonly QuerySort[]
  readonly matchText?: MatchText
}

const equals = (column: Column | undefined, value: Operand): Condition<never> =>
  column === undefined ? everything : testOf(column, { is: 'equal', value, ignoreCase: false })

function matching(planning: Planning, model: Model, search: string | null): Condition<never> {
  if (search === null) return everything
  const columns = [...model.columns.values()].filter(
    (column) => column.searchable || isSearchedByStrapi(planning, column, search),
  )
  const found: Test = { is: 'text', place: 'anywhere', value: search, ignoreCase: true }
  return { op: 'or', of: columns.map((column) => testOf(column, found)) }
}

/** A number in another form than that of responses, such as 017, is no document id. */
function hasDocumentId(planning: Planning, column: Column | undefined, value: string): Condition<never> {
  if (column === undefined || column.type === 'string') return equals(column, value)
  return /^(0|-?[1-9]\d*)$/.test(value) ? identifiedBy(planning, column, value) : nothing
}

function whichEntry(planning: Planning, model: Model, asked: ReadTarget): Condition<never> {
  const { columns } = model
  switch (asked.kind) {
    case 'one':
      return hasDocumentId(planning, columns.get('documentId'), asked.documentId)
    case 'row':
      return asked.id === null ? nothing : equals(columns.get('id'), asked.id)
    case 'by':
      return identifiedBy(planning, asked.column, asked.value)
    case 'list':
    case 'count':
    case 'single':
      return everything
  }
}

/** One entry is read beside a count, since a total is part of a page. */
const first: NumberedPage = { start: 0, limit: 1, by: 'offset', withCount: true }

function pageOf(planning: Planning, { model, asked, query }: ParsedRequest): Page | null {
  if (asked.kind === 'count') return first
  if (asked.kind !== 'list') return null
  const { status, locale, fallback, publicationFilter, search, filters } = query
  const parts = [status, locale, fallback, publicationFilter, search, filters]
  return pageIn(query.page, model, { sort: sortedAsStrapi(planning, model, query.sort), parts })
}

function rootCondition(planning: Planning, request: ParsedRequest, match: TextMatch | null): Condition {
  const { model, query, asked } = request
  const published = query.publicationFilter
  const subject = asked.kind === 'row' || asked.kind === 'list' ? asked.kind : 'one'
  const parts: readonly Condition[] = [
    visible(model, planning.status),
    inLocale({ planning, model }, query, subject),
    whichEntry(planning, model, asked),
    published !== null && model.draftAndPublish ? otherVersion(published, query.status) : everything,
    match?.where ?? matching(planning, model, query.search),
    query.filters === null ? everything : makeCondition(planning, model, query.filters),
  ]
  return { op: 'and', of: parts.filter((part) => part !== everything) }
}

/** Values may be shared by rows: the first id wins, whatever the sort. */
function ordersOf(
  planning: Planning,
  { model, query, asked }: ParsedRequest,
  match: TextMatch | null,
): Level['order'] {
  const orders = makeOrders(planning, model, sortedAsStrapi(planning, model, query.sort), match)
  const byId = orders.at(-1)
  return asked.kind === 'by' && byId !== undefined && orders.length > 1 ? [byId, ...orders] : orders
}

export function makePlan(settings: PlanSettings, request: ParsedRequest): Plan {
  const { model, query, keys = [], matchText = () => null } = request
  const planning = { ...settings, status: query.status, guessesTruth: true, depth: 0, showsLocale: false }
  const page = pageOf(planning, request)
  const conditions = countConditions({ ...query, sort: [...query.sort, ...keys] }, model, settings)
  const place: PlaceAttribute = (path) => placeAttribute(planning, model, path)
  const match = query.search === null ? null : matchText(model, query.search, place)
  const where = rootCondition(planning, request, match)
  const order = fitOrders(planning, page, ordersOf(planning, request, match))
  const root = levelWithBranches(planning, model, query, { where, order })
  return {
    root: rootAsStrapi(planning, root),
    status: query.status,
    tellsOfDrafts: query.publicationFilter !== null,
    narrowed: query.filters !== null || query.search !== null || query.publicationFilter !== null,
    page,
    keys: makeKeys(planning, model, keys),
    startSpending: () => startSpending('maxNodes', settings.maxNodes, conditions),
    ruled: (ruledModel, rule, status) => planRule({ ...planning, status }, ruledModel, rule),
  }
}

/** Rules may use private attributes and any number of values, without grants. */
function planRule(planning: Planning, { uid }: Model, rule: QueryCondition): Condition {
  const schema = planning.schema.whole()
  const own = { ...planning, schema, maxInValues: Infinity, guessesTruth: false, isReadable: () => true }
  return makeCondition(own, modelOf(schema, uid), rule)
}

const anywhere = {
  localeFallback: {},
  defaultLocale: 'en',
  unlistedZoneElements: 'omit',
  maxDepth: Infinity,
  maxNodes: Infinity,
  maxLinks: Infinity,
  maxConditions: Infinity,
  maxInValues: Infinity,
  refusesUnstorable: true,
  status: 'published',
  guessesTruth: false,
  isKey: () => true,
  hasColumn: () => true,
  isReadable: () => true,
} as const

export function checkRule(
  settings: Pick<Planning, 'schema' | 'matching' | 'loadingArtefacts' | 'supersets' | 'typedJson'>,
  model: Model,
  rule: QueryCondition,
): { readonly faults: readonly RequestError[]; readonly askers: readonly AskerOperand[] } {
  const faults: RequestError[] = []
  const askers: AskerOperand[] = []
  const visit = (condition: Condition): void => {
    if (condition.op === 'fault') faults.push(condition.error)
    if (condition.op === 'test') {
      const parts: readonly unknown[] = Object.values(condition.test)
      askers.push(...parts.flat().filter((part): part is AskerOperand => typeof part === 'object'))
    }
    for (const part of childrenOf(condition)) visit(part)
  }
  visit(planRule({ ...anywhere, ...settings }, model, rule))
  return { faults, askers }
}
