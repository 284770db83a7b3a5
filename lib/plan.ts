// Input: a Query, its model, settings. Output: a Plan, in which names are attributes and values have their
// types. Rejected: unknown names, values of other types, queries beyond a limit.
import { RequestError } from './errors'
import { type QueryCondition, includesAll, type NumberedPage, type Query, type QuerySort } from './query'
import { type Column, type ColumnType, type Model, modelOf } from './schema'
import { isSearchedByStrapi, rootAsStrapi, sortedAsStrapi } from './plan/as-strapi'
import { makeBranches, leftOutOf, inLocale, otherVersion } from './plan/branches'
import {
  chooseColumns,
  everything,
  nothing,
  type Planning,
  type PlanSettings,
  visible,
} from './plan/planning'
import { makeCondition } from './plan/conditions'
import { identifiedBy } from './plan/comparisons'
import { countConditions, startSpending } from './plan/spending'
import {
  allShown,
  type AskerOperand,
  type Condition,
  type FaultBehindLink,
  type Level,
  type Operand,
  type Page,
  type Plan,
  type Test,
  type Value,
} from './plan/level'
import { fitOrders, makeKeys, pageIn, makeOrders } from './plan/make-orders'
import { toDate, toInstant, toTime } from './plan/operand'

export { everything, nothing, type PlanSettings } from './plan/planning'
export type * from './plan/level'
export { standsAsPut } from './plan/branches'
export { type Removal, allShown, leadsThroughLinks, linksInARow, mergeSets, partsOf } from './plan/level'
export { areWaysFew, decidingOrders, isOwnId } from './plan/make-orders'
export { hasSigma, isUuid } from './plan/operand'
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
}

const testOf = (column: Column, test: Test): Condition<never> => ({
  op: 'test',
  column,
  test,
  negated: false,
})

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

function rootCondition(planning: Planning, request: ParsedRequest): Condition<FaultBehindLink> {
  const { model, query, asked } = request
  const published = query.publicationFilter
  const subject = asked.kind === 'row' || asked.kind === 'list' ? asked.kind : 'one'
  const parts: readonly Condition<FaultBehindLink>[] = [
    visible(model, planning.status),
    inLocale({ planning, model }, query, subject),
    whichEntry(planning, model, asked),
    published !== null && model.draftAndPublish ? otherVersion(published, query.status) : everything,
    matching(planning, model, query.search),
    query.filters === null ? everything : makeCondition(planning, model, query.filters),
  ]
  return { op: 'and', of: parts.filter((part) => part !== everything) }
}

/** Values may be shared by rows: the first id wins, whatever the sort. */
function ordersOf(
  planning: Planning,
  { model, query, asked }: ParsedRequest,
): Level<FaultBehindLink>['order'] {
  const orders = makeOrders(planning, model, sortedAsStrapi(planning, model, query.sort))
  const byId = orders.at(-1)
  return asked.kind === 'by' && byId !== undefined && orders.length > 1 ? [byId, ...orders] : orders
}

export function makePlan(settings: PlanSettings, request: ParsedRequest): Plan {
  const { model, query, keys = [] } = request
  const planning = { ...settings, status: query.status, guessesTruth: true }
  const page = pageOf(planning, request)
  const conditions = countConditions({ ...query, sort: [...query.sort, ...keys] }, model, settings)
  const root: Level<FaultBehindLink> = {
    op: 'level',
    model,
    columns: chooseColumns(planning, model, query.fields),
    where: rootCondition(planning, request),
    isRuled: false,
    partly: allShown,
    order: fitOrders(planning, page, ordersOf(planning, request)),
    branches: makeBranches({ ...planning, depth: 1, showsLocale: false }, model, query.populate),
    wildcards: { fields: includesAll(query.fields), populate: query.populate.all },
    leftOut: leftOutOf(model, query.populate),
  }
  return {
    root: rootAsStrapi(planning, root),
    status: query.status,
    tellsOfDrafts: query.publicationFilter !== null,
    narrowed: query.filters !== null || query.search !== null || query.publicationFilter !== null,
    page,
    keys: makeKeys(planning, model, keys),
    startSpending: () => startSpending(settings.maxNodes, conditions),
    ruled: (ruledModel, rule, status) => planRule({ ...planning, status }, ruledModel, rule),
  }
}

/** Rules may use private attributes and any number of values, without grants. */
function planRule(planning: Planning, { uid }: Model, rule: QueryCondition): Condition<FaultBehindLink> {
  const schema = planning.schema.whole()
  const own = { ...planning, schema, maxInValues: Infinity, guessesTruth: false, isReadable: () => true }
  return makeCondition(own, modelOf(schema, uid), rule)
}

function partsIn(condition: Condition<FaultBehindLink>): readonly Condition<FaultBehindLink>[] {
  if (condition.op === 'and' || condition.op === 'or') return condition.of
  if (condition.op === 'some' || condition.op === 'ruled') return [condition.of]
  if (condition.op !== 'linked') return []
  const named = condition.named.filter((one) => one.op === 'fault')
  const count = condition.count === null ? [] : [condition.count]
  return [...named, ...condition.ways.map(({ of }) => of), ...count]
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
  const visit = (condition: Condition<FaultBehindLink>): void => {
    if (condition.op === 'fault') faults.push(condition.error)
    if (condition.op === 'test') {
      const parts: readonly unknown[] = Object.values(condition.test)
      askers.push(...parts.flat().filter((part): part is AskerOperand => typeof part === 'object'))
    }
    for (const part of partsIn(condition)) visit(part)
  }
  visit(planRule({ ...anywhere, ...settings }, model, rule))
  return { faults, askers }
}

function integerIn(text: string, bits: number): bigint | undefined {
  const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined
  return value !== undefined && BigInt.asIntN(bits, value) === value ? value : undefined
}

function smallIntegerIn(text: string): number | undefined {
  const value = integerIn(text, 32)
  return value === undefined ? undefined : Number(value)
}

function numberIn(text: string): number | undefined {
  const value = text.trim() === '' ? NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Drivers replace unpaired surrogates, and the result might match another value. */
const unstorable = /\0|\p{Surrogate}/u

const readers: Readonly<Record<ColumnType, (text: string) => Value | undefined>> = {
  id: smallIntegerIn,
  integer: smallIntegerIn,
  biginteger: (text) => integerIn(text, 64),
  float: numberIn,
  decimal: numberIn,
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  date: (text) => toDate(text, []),
  time: (text) => toTime(text, []),
  datetime: (text) => toInstant(text, []),
  timestamp: (text) => toInstant(text, []),
  string: (text) => (unstorable.test(text) ? undefined : text),
  json: () => undefined,
}

export function askerValueOf({ type }: Pick<AskerOperand, 'type'>, text: string): Value | undefined {
  try {
    return readers[type](text)
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}
