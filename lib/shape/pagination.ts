import type { PagePlace } from '../load'
import type { Page } from '../plan'

/** The page in the terms in which it was asked for. */
export function pagination(page: Page, { total, edges }: PagePlace): object {
  const { limit } = page
  const pages = total === null ? {} : { pageCount: Math.ceil(total / limit), total }
  switch (page.by) {
    case 'page':
      return { page: page.start / limit + 1, pageSize: limit, ...pages }
    case 'offset':
      return { start: page.start, limit, ...(total === null ? {} : { total }) }
    case 'cursor':
      return { pageSize: limit, ...edges, ...pages }
  }
}
