import { createHash } from 'node:crypto'
import { malformed, type QueryPath, type RequestError, unknownKey } from '../errors'
import { countName } from '../operators'
import { type QuerySort, type QueryPage, type CursorKey, wrongCursor } from '../query'
import type { Column, Model } from '../schema'
import { storedColumn, orFault, type Planning, unknownName } from './planning'
import { type AttributePlace, stepThrough, linkedSteps } from './conditions'
import { countColumn } from './comparisons'
import { isUuid } from './operand'
import type { CountedLink, FaultBehindLink, Order, Step, KeysetPage, Page, TextMatch } from './level'

/** Equal for all pages of one list. */
function nameOfList(sort: readonly QuerySort[], parts: readonly unknown[]): string {
  const keys = sort.map(({ names, direction }) => [names, direction])
  const withoutPath = (key: string, value: unknown): unknown => (key === 'path' ? undefined : value)
  const text = JSON.stringify([keys, ...parts], withoutPath)
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** Cursors come from clients, and PostgreSQL fails on other values. */
function isKeyOf({ key: { type } }: Model, id: number | string): boolean {
  switch (type) {
    case 'integer':
      return typeof id === 'number'
    case 'biginteger':
      return typeof id === 'number' || /^-?\d{1,19}$/.test(id)
    case 'string':
      return typeof id === 'string' && !id.includes('\0')
    case 'uuid':
      return isUuid(id)
  }
}

/** `parts`: everything else that selects entries. */
export function pageIn(
  asked: QueryPage,
  model: Model,
  { sort, parts }: { readonly sort: readonly QuerySort[]; readonly parts: readonly unknown[] },
): Page {
  if (asked.by !== 'cursor') return asked
  const { by, side, limit, withCount, cursor, path } = asked
  const list = nameOfList(sort, [model.uid, ...parts])
  if (cursor !== null && (cursor.list !== list || !isKeyOf(model, cursor.id))) throw wrongCursor(path)
  return { by, side, limit, withCount, list, from: cursor, path }
}

function faultOf(
  { isKey }: Planning,
  { column, steps }: Order,
  key: CursorKey | undefined,
  { path }: KeysetPage,
): RequestError | null {
  if ('op' in column) return null
  const list = steps.find(({ field }) => field.many)
  if (list !== undefined)
    return malformed(
      path,
      `Invalid cursor: the sort follows ${list.field.name}, a to-many relation. Sort by an attribute of the entry or of a to-one relation, or use page and pageSize`,
    )
  if (column.type === 'json')
    return malformed(path, `Invalid cursor: ${column.name} is JSON, which has no order`)
  return key === undefined || key === null || isKey(column.type, key) ? null : wrongCursor(path)
}

/** Unfit cursors are faults of the sort key: types behind links are checked by the access room first. */
export function fitOrders(planning: Planning, page: Page | null, order: readonly Order[]): readonly Order[] {
  if (page?.by !== 'cursor') return order
  const deciding = decidingOrders(order)
  if (page.from !== null && page.from.keys.length !== deciding.length - 1) throw wrongCursor(page.path)
  return order.map((key, at) => {
    const error = at >= deciding.length - 1 ? null : faultOf(planning, key, page.from?.keys[at], page)
    return error === null ? key : { ...key, column: { op: 'fault', error } }
  })
}

/** The parameter that has the key: `sort`, or one of an extension. */
const parameterOf = (path: QueryPath): string => {
  const [first = 'sort'] = path
  return first === 'populate' ? 'sort' : first
}

/** The position of an entry would expose a hidden value. */
function checkShown({ name, shownIn }: Pick<Column, 'name' | 'shownIn'>, path: QueryPath): void {
  if (shownIn !== undefined)
    throw malformed(path, `Invalid ${parameterOf(path)}: ${name} is hidden in some entries`)
}

function columnOf(planning: Planning, model: Model, asked: QuerySort): Column {
  const name = asked.names.at(-1) ?? ''
  const path = [...asked.path, ...asked.names]
  const column = storedColumn(planning, model, name)
  if (column === undefined) throw unknownName(planning, path, name, model.columns.values())
  checkShown(column, path)
  if (column.type === 'json' && planning.matching === 'exact') {
    const problem = `${name} is JSON, and databases sort JSON differently`
    throw malformed(path, `Invalid ${parameterOf(path)}: ${problem}`)
  }
  return column
}

/** Each way along a path is followed for each entry, and lists multiply them. */
const mostSteps = 8

function makeOrder(
  planning: Planning,
  model: Model,
  asked: QuerySort,
  endsAt: 'attributes' | 'relations' = 'attributes',
): Order {
  const { names, direction } = asked
  const path = [...asked.path, ...names]
  const isCount = names.length > 1 && names.at(-1) === countName
  const steps: Step[] = []
  let place = model
  const placeOf = (name: string): AttributePlace => {
    if (steps.length === mostSteps)
      throw malformed(path, `Sort keys follow at most ${String(mostSteps)} relations`)
    const field = place.links.get(name)
    const others = [...place.links.values()]
    const { hint } = asked
    if (field === undefined && hint !== undefined && place.columns.has(name))
      throw unknownKey(path, name, hint)
    if (field === undefined) throw unknownName(planning, path, name, others)
    return { planning, field, path, others }
  }
  const stepTo = (name: string): Step => {
    const step = stepThrough(placeOf(name))
    checkShown(step.field, path)
    return step
  }
  const orderBy = (column: Order['column'], counted: CountedLink | null = null): Order => {
    return { steps, counted, column, model: place, direction }
  }
  for (const name of names.slice(0, isCount ? -2 : -1)) {
    const next = orFault(() => stepTo(name))
    if ('op' in next) return orderBy(next)
    steps.push(next)
    place = next.target
  }
  if (!isCount) {
    const last = names.at(-1) ?? ''
    const column = orFault(() => {
      if (endsAt === 'attributes' || !place.links.has(last)) return columnOf(planning, place, asked)
      const step = stepTo(last)
      steps.push(step)
      place = step.target
      return columnOf(planning, place, { ...asked, names: [...names, 'documentId'] })
    })
    return orderBy(column)
  }
  const counted = orFault(() => {
    const link = placeOf(names.at(-2) ?? '')
    const counting = linkedSteps(link)
    checkShown(link.field, path)
    return { model: place, steps: counting }
  })
  return 'op' in counted ? orderBy(counted) : orderBy(countColumn, counted)
}

/** Ids break ties, so that no entry is on two pages. Rows with most points come first. */
export function makeOrders(
  planning: Planning,
  model: Model,
  asked: readonly QuerySort[],
  match: TextMatch | null = null,
): readonly Order[] {
  const byScore = ({ scores, sortKey }: TextMatch, direction: 'asc' | 'desc'): Order => ({
    ...{ steps: [], counted: null, column: { ...countColumn, name: sortKey }, model, direction },
    scores: scores.map(({ where, points }) => ({ where, points: -points })),
  })
  const orders = asked.map((key) =>
    match?.sortKey === key.names.join('.') ? byScore(match, key.direction) : makeOrder(planning, model, key),
  )
  if (match !== null && asked.length === 0) orders.push(byScore(match, 'asc'))
  const byId = { names: ['id'], direction: 'asc', isDirected: false, path: ['sort'] } as const
  const id = columnOf(planning, model, byId)
  return [...orders, { steps: [], counted: null, column: id, model, direction: 'asc' }]
}

/** Paths that an extension reads. A path to a relation leads to the document ids of its entries. */
export const makeKeys = (planning: Planning, model: Model, asked: readonly QuerySort[]): readonly Order[] =>
  asked.map((key) => makeOrder(planning, model, key, 'relations'))

export const isOwnId = ({ steps, column }: Order): boolean =>
  steps.length === 0 && 'type' in column && column.name === 'id'

/** Keys behind an id have no effect. */
export function decidingOrders<F extends FaultBehindLink>(orders: readonly Order<F>[]): readonly Order<F>[] {
  const last = orders.findIndex(isOwnId)
  return last < 0 ? orders : orders.slice(0, last + 1)
}

/** True if a lookup for each row is cheaper than one computation for all rows. */
export function areWaysFew({ steps, counted }: Order): boolean {
  const [, ...rest] = steps.map(({ field }) => field.many)
  return counted === null && !rest.includes(true) && (rest.length < 2 || steps[0]?.field.many === false)
}
