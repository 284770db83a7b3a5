import type { AskedPage } from '../query'

/** The page in the terms in which it was asked for. */
export function pagination({ by, start, limit }: AskedPage, total: number | null): object {
  const place = by === 'page' ? { page: start / limit + 1, pageSize: limit } : { start, limit }
  if (total === null) return place
  return by === 'page' ? { ...place, pageCount: Math.ceil(total / limit), total } : { ...place, total }
}
