import type { QueryTable } from './address'
import { type Entry, isEntry } from './entry'
import { withPage } from './level'

/** Pagination of the pages before and after a response; null without one. */
export interface NearPages {
  readonly previous: QueryTable | null
  readonly next: QueryTable | null
  readonly place: string
}

const numberIn = (pagination: Entry, name: string): number | null => {
  const value = pagination[name]
  return typeof value === 'number' ? value : null
}

const inWords = (total: number, { estimated }: Entry): string =>
  `${estimated === true ? ' of about ' : ' of '}${String(total)}`

/** Without an exact total, a full page may be the last. */
const isFull = (count: number, size: number | null): boolean => size !== null && count >= size

function byNumbers(query: QueryTable, pagination: Entry, count: number): NearPages | null {
  const page = numberIn(pagination, 'page')
  if (page === null) return null
  const pages = numberIn(pagination, 'pageCount')
  const at = (number: number): QueryTable => withPage(query, 'page', String(number))
  const isExact = pages !== null && pagination['estimated'] !== true
  const isMore = isExact ? page < pages : isFull(count, numberIn(pagination, 'pageSize'))
  return {
    previous: page > 1 ? at(Math.max(1, Math.min(page - 1, pages ?? page))) : null,
    next: isMore ? at(page + 1) : null,
    place: `page ${String(page)}${pages === null ? '' : inWords(pages, pagination)}`,
  }
}

function byPlaces(query: QueryTable, pagination: Entry, count: number): NearPages | null {
  const start = numberIn(pagination, 'start')
  const limit = numberIn(pagination, 'limit')
  if (start === null || limit === null || limit < 1) return null
  const total = numberIn(pagination, 'total')
  const at = (number: number): QueryTable => withPage(query, 'start', String(number))
  const isExact = total !== null && pagination['estimated'] !== true
  const isMore = isExact ? start + limit < total : isFull(count, limit)
  const before = total === null ? start : Math.min(start, total)
  const span = count === 0 ? 'none' : `${String(start + 1)} to ${String(start + count)}`
  return {
    previous: start > 0 ? at(Math.max(0, before - limit)) : null,
    next: isMore ? at(start + limit) : null,
    place: `${span}${total === null ? '' : inWords(total, pagination)}`,
  }
}

function byCursors(query: QueryTable, pagination: Entry): NearPages | null {
  const { hasPreviousPage, hasNextPage, startCursor, endCursor } = pagination
  if (typeof hasNextPage !== 'boolean') return null
  const at = (name: 'before' | 'after', cursor: unknown): QueryTable | null =>
    typeof cursor === 'string' ? withPage(query, name, cursor) : null
  return {
    previous: hasPreviousPage === true ? at('before', startCursor) : null,
    next: hasNextPage ? at('after', endCursor) : null,
    place: '',
  }
}

export function nearPages(query: QueryTable, body: unknown): NearPages | null {
  const { data, meta } = isEntry(body) ? body : {}
  const pagination = isEntry(meta) ? meta['pagination'] : null
  if (!Array.isArray(data) || !isEntry(pagination)) return null
  const near =
    byCursors(query, pagination) ??
    byNumbers(query, pagination, data.length) ??
    byPlaces(query, pagination, data.length)
  return near?.previous === null && near.next === null ? null : near
}
