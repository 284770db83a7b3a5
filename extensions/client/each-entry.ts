import { ContentError, unexpectedResponse } from './content-error'
import type { CallOptions } from './send-request'

interface ListedPage {
  readonly data: readonly unknown[]
  readonly meta: {
    readonly pagination: {
      readonly endCursor?: string | null
      readonly hasNextPage?: boolean
      readonly page?: number
      readonly pageCount?: number
    }
  }
}

interface ListQuery {
  readonly pagination?: {
    readonly after?: string
    readonly page?: number | string
  }
}

export type Find = (query: object, init?: CallOptions) => Promise<unknown>

/** Without pagination the response may be the first page again. */
function placed(answer: unknown): ListedPage {
  const { data, meta } = answer as Partial<ListedPage>
  if (Array.isArray(data) && typeof meta?.pagination === 'object') return { data, meta }
  throw unexpectedResponse(200, 'a body that is not a page of a list')
}

const leadsToItself = (): ContentError => unexpectedResponse(200, 'a page whose next page is itself')

type AskPage = (page: object) => Promise<ListedPage>

/** The first page by a cursor; null if the server rejects cursors. */
async function firstByCursor(ask: AskPage, after: string | undefined): Promise<ListedPage | null> {
  try {
    return await ask({ after: after ?? '' })
  } catch (error) {
    if (after === undefined && error instanceof ContentError && error.status === 400) return null
    throw error
  }
}

async function* byCursors(ask: AskPage, first: ListedPage): AsyncGenerator {
  let page = first
  let before: string | null = null
  for (;;) {
    yield* page.data
    const { hasNextPage, endCursor } = page.meta.pagination
    if (hasNextPage !== true) return
    // An equal cursor would never end.
    if (endCursor === undefined || endCursor === null || endCursor === before) throw leadsToItself()
    before = endCursor
    page = await ask({ after: endCursor })
  }
}

/** Servers without cursors either reject them or send the first page. */
async function* byNumbers(ask: AskPage, from: number, first: ListedPage | null): AsyncGenerator {
  let known = first?.meta.pagination.pageCount === undefined ? null : first
  for (let page = from; ; page += 1) {
    const { data, meta } = known ?? (await ask({ page, withCount: true }))
    known = null
    // Caches or proxies may send one page for all.
    if ((meta.pagination.page ?? page) !== page) throw leadsToItself()
    yield* data
    // The list may have become shorter since it was counted.
    if (data.length === 0 || page >= (meta.pagination.pageCount ?? 0)) return
  }
}

/**
 * All entries of a list, page by page: by cursors, or by numbers if the server has none. A Strapi sorts equal entries
 * by their `id`, so that its pages need no further sort.
 */
export async function* eachEntry(
  find: Find,
  query: ListQuery,
  { hasCursors, init }: { readonly hasCursors: boolean; readonly init?: CallOptions | undefined },
): AsyncGenerator {
  const { pagination = {} } = query
  const { page, after } = pagination
  const ask = async (asked: object): Promise<ListedPage> =>
    placed(await find({ ...query, pagination: { ...pagination, ...asked } }, init))
  const first = hasCursors && page === undefined ? await firstByCursor(ask, after) : null
  yield* first?.meta.pagination.hasNextPage === undefined
    ? byNumbers(ask, Number(page ?? 1), first)
    : byCursors(ask, first)
}
