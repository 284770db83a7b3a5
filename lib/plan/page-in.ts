import { createHash } from 'node:crypto'
import { malformed, type RequestError } from '../errors'
import { type AskedPage, type AskedSort, type HeldKey, wrongCursor } from '../query'
import type { LinkField } from '../schema'
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

interface OrderedPage {
  readonly page: Page | null
  readonly order: readonly AnyOrder[]
}

function faultOf(
  { isKey }: Planning,
  { column }: AnyOrder,
  key: HeldKey | undefined,
  page: KeysetPage,
): RequestError | null {
  if ('op' in column) return null
  const { path } = page
  if (column.type === 'json')
    return malformed(path, `Invalid cursor: ${column.name} is JSON, by which there are none`)
  return key === undefined || key === null || isKey(column.type, key) ? null : wrongCursor(path)
}

/**
 * A cursor that does not fit is refused where the sort would be: what it says of a type behind a link is for those who may
 * read that type. How many keys there are tells nothing of it.
 */
export function fitOrders(planning: Planning, { page, order }: OrderedPage): readonly AnyOrder[] {
  if (page?.by !== 'cursor' || order.length === 0) return order
  const deciding = decidingOrders(order)
  if (page.from !== null && page.from.keys.length !== deciding.length - 1) throw wrongCursor(page.path)
  return order.map((key, at) => {
    const error = at >= deciding.length - 1 ? null : faultOf(planning, key, page.from?.keys[at], page)
    return error === null ? key : { ...key, column: { op: 'fault', error } }
  })
}

/** A number among entries, or the id of one: no more than JSON says exactly. */
const isNumber = (key: HeldKey): boolean => key?.is === 'number' && /^\d{1,15}$/.test(key.value)

/**
 * The same where nothing was asked to sort by. Where a table of links keeps the editor's order, a cursor says the number of
 * its entry and whose list it is.
 */
export function fitPlaces({ link }: LinkField, page: Page | null): void {
  if (page?.by !== 'cursor' || page.from === null) return
  const hasPlace = (link.via === 'between' || link.via === 'mixed') && link.order !== null
  const { keys } = page.from
  if (keys.length !== (hasPlace ? 2 : 0) || !keys.every(isNumber)) throw wrongCursor(page.path)
}
