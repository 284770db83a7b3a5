import { createHash } from 'node:crypto'
import { malformed, type QueryPath, type RequestError } from '../errors'
import { type AskedPage, type AskedSort, type HeldKey, wrongCursor } from '../query'
import type { FaultBehindLink, KeysetPage, Order, Page } from './level'
import { decidingOrders } from './make-orders'
import type { Planning } from './planning'

/** Equal for what is the same list, however the client wrote it, and whichever page of it is asked for. */
const nameOfList = (parts: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts, (key, value: unknown) => (key === 'path' ? undefined : value)))
    .digest('base64url')
    .slice(0, 16)

const told = (sort: readonly AskedSort[]): readonly unknown[] =>
  sort.map(({ names, direction }) => [names, direction])

/** `parts`: what besides the order decides which entries the list has. */
export function pageIn(
  asked: AskedPage,
  { sort, parts }: { readonly sort: readonly AskedSort[]; readonly parts: readonly unknown[] },
): Page {
  if (asked.by !== 'cursor') return asked
  const { by, side, limit, withCount, cursor, path } = asked
  const list = nameOfList([told(sort), ...parts])
  if (cursor !== null && cursor.list !== list) throw wrongCursor(path)
  return { by, side, limit, withCount, list, from: cursor, path }
}

type AnyOrder = Order<FaultBehindLink>

const throughList = (name: string, path: QueryPath): RequestError =>
  malformed(
    path,
    `Invalid cursor: the sort follows ${name}, which leads to many entries. Sort by an attribute of the entry or of a to-one relation, or use page and pageSize`,
  )

function faultOf(
  { isKey }: Planning,
  { column, steps }: AnyOrder,
  key: HeldKey | undefined,
  { path }: KeysetPage,
): RequestError | null {
  if ('op' in column) return null
  const list = steps.find(({ field }) => field.many)
  if (list !== undefined) return throughList(list.field.name, path)
  if (column.type === 'json')
    return malformed(path, `Invalid cursor: ${column.name} is JSON, by which there are none`)
  return key === undefined || key === null || isKey(column.type, key) ? null : wrongCursor(path)
}

/**
 * A cursor that does not fit is refused where the sort would be: what it says of a type behind a link is for those who may
 * read that type. How many keys there are tells nothing of it.
 */
export function fitOrders(
  planning: Planning,
  page: Page | null,
  order: readonly AnyOrder[],
): readonly AnyOrder[] {
  if (page?.by !== 'cursor') return order
  const deciding = decidingOrders(order)
  if (page.from !== null && page.from.keys.length !== deciding.length - 1) throw wrongCursor(page.path)
  return order.map((key, at) => {
    const error = at >= deciding.length - 1 ? null : faultOf(planning, key, page.from?.keys[at], page)
    return error === null ? key : { ...key, column: { op: 'fault', error } }
  })
}
