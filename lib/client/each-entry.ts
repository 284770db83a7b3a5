import { ContentError } from './content-error'
import type { CallOptions } from './ask'

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

type ListQuery = object & { readonly pagination?: object }

export type Find = (query: object, init?: CallOptions) => Promise<unknown>

const withPage = (query: ListQuery, page: object): object => ({
  ...query,
  pagination: { ...query.pagination, ...page },
})

/** The first page by a cursor; null where the server knows no cursors. */
async function firstByCursor(find: Find, query: ListQuery, init?: CallOptions): Promise<ListedPage | null> {
  try {
    const page = (await find(withPage(query, { after: '' }), init)) as ListedPage
    return page.meta.pagination.hasNextPage === undefined ? null : page
  } catch (error) {
    if (error instanceof ContentError && error.status === 400) return null
    throw error
  }
}

async function* byCursors(
  find: Find,
  query: ListQuery,
  first: ListedPage,
  init?: CallOptions,
): AsyncGenerator {
  let page = first
  for (;;) {
    yield* page.data
    const { hasNextPage, endCursor: after } = page.meta.pagination
    if (hasNextPage !== true) return
    page = (await find(withPage(query, { after }), init)) as ListedPage
  }
}

async function* byNumbers(find: Find, query: ListQuery, init?: CallOptions): AsyncGenerator {
  for (let page = 1; ; page += 1) {
    const { data, meta } = (await find(withPage(query, { page, withCount: true }), init)) as ListedPage
    yield* data
    if (page >= (meta.pagination.pageCount ?? 0)) return
  }
}

/** All entries of a list, page after page: by cursors, or by numbers where the server has none. */
export async function* eachEntry(
  find: Find,
  query: ListQuery,
  { hasCursors, init }: { readonly hasCursors: boolean; readonly init?: CallOptions | undefined },
): AsyncGenerator {
  const first = hasCursors ? await firstByCursor(find, query, init) : null
  yield* first === null ? byNumbers(find, query, init) : byCursors(find, query, first, init)
}
