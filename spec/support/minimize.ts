import type { Ask, Filter, Request, Wanted } from '../../lab/requests/request'

/** Everything that a filter says, with one part of it left out. */
function* lesserFilters(filter: Filter): Generator<Filter> {
  if ('all' in filter) {
    yield* filter.all
    for (const all of lesserLists(filter.all, lesserFilters)) yield { all }
  } else if ('any' in filter) {
    yield* filter.any
    for (const any of lesserLists(filter.any, lesserFilters)) yield { any }
  } else if ('not' in filter) {
    yield filter.not
    for (const not of lesserFilters(filter.not)) yield { not }
  } else if ('at' in filter) {
    for (const of of lesserFilters(filter.of)) yield { at: filter.at, of }
  } else if ('which' in filter) {
    for (const of of lesserFilters(filter.of)) yield { which: filter.which, of }
  } else if ('count' in filter) {
    for (const count of lesserFilters(filter.count)) yield { count }
  } else if (Array.isArray(filter.value) && filter.operator !== '$between') {
    for (const value of lesserLists(filter.value as readonly string[])) yield { ...filter, value }
  }
}

function* lesserLists<T>(list: readonly T[], lesser?: (one: T) => Iterable<T>): Generator<readonly T[]> {
  for (const at of list.keys()) if (list.length > 1) yield list.toSpliced(at, 1)
  for (const [at, one] of list.entries()) for (const less of lesser?.(one) ?? []) yield list.with(at, less)
}

function* lesserWanted({ name, ask }: Wanted): Generator<Wanted> {
  for (const less of lesserAsks(ask)) yield { name, ask: less }
}

function* lesserAsks<A extends Ask | Request>(ask: A): Generator<A> {
  const optional = [
    'fields',
    'populate',
    'filters',
    'sort',
    'on',
    'count',
    'page',
    'status',
    'locale',
    'fallback',
  ] as const
  for (const key of optional) {
    if (!(key in ask)) continue
    yield Object.fromEntries(Object.entries(ask).filter(([name]) => name !== key)) as A
  }
  const { fields, populate, filters, sort, on } = ask as Ask
  for (const less of lesserLists(fields ?? [])) yield { ...ask, fields: less }
  if (Array.isArray(populate)) {
    for (const less of lesserLists(populate as Wanted[], lesserWanted)) yield { ...ask, populate: less }
  }
  if (filters !== undefined) for (const less of lesserFilters(filters)) yield { ...ask, filters: less }
  for (const less of lesserLists(sort ?? [], shorter)) yield { ...ask, sort: less }
  for (const less of lesserLists(on ?? [], lesserWanted)) yield { ...ask, on: less }
}

const shorter = <K extends { readonly names: readonly string[] }>(key: K): K[] =>
  key.names.length > 1 ? [{ ...key, names: key.names.slice(1) }] : []

/** The least request that still fails: parts are left out for as long as one can be. */
export async function minimize(
  request: Request,
  fails: (request: Request) => Promise<boolean>,
): Promise<Request> {
  for (const less of lesserAsks(request)) if (await fails(less)) return minimize(less, fails)
  return request
}
