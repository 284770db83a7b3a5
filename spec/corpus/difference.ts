import { parse } from 'qs'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type Entry = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

/** `localizations` has no ORDER BY in Strapi, and the rows of a morph list repeat their order values. */
const unordered = new Set(['localizations', 'related', 'mentions', 'mentionedIn', 'comments', 'remarks'])

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function sameNumber(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
}

/** DEVIATIONS.md: Strapi reads bigints of SQLite through a double; ours are exact, and must be what was rounded. */
function roundedByStrapi(expected: string, exact: string): boolean {
  return (
    /^-?\d{16,}$/.test(exact) && !Number.isSafeInteger(Number(exact)) && String(Number(exact)) === expected
  )
}

const print = (value: unknown): string =>
  (value === undefined ? 'absent' : JSON.stringify(value)).slice(0, 300)

function differing(path: Path, expected: unknown, got: unknown): string {
  return `${path.join('.') || 'body'}: expected ${print(expected)}, got ${print(got)}`
}

/** The sort that the request asks for at the populated list which stands at `path` in the body. */
function sortAt(request: string, path: Path): readonly string[] {
  let levels: unknown[] = [parse(request.split('?')[1] ?? '', { depth: 100, arrayLimit: 100 })]
  for (const name of path.filter((step) => typeof step === 'string').slice(1)) {
    levels = levels.flatMap((level) => {
      const { populate, on } = (level ?? {}) as { populate?: unknown; on?: unknown }
      const below = [populate, ...Object.values(on ?? {}).map((zone) => (zone as Entry)['populate'])]
      return below.flatMap((names) => (isEntry(names) && isEntry(names[name]) ? [names[name]] : []))
    })
  }
  const sorts = levels.flatMap((level) => (isEntry(level) ? [level['sort']] : []))
  return sorts.flatMap((sort) => namesIn(sort))
}

function namesIn(sort: unknown): string[] {
  if (typeof sort === 'string') return sort.split(',').map((part) => part.trim().replace(/:(asc|desc)$/i, ''))
  if (isList(sort)) return sort.flatMap(namesIn)
  return isEntry(sort) ? Object.keys(sort) : []
}

function sameElements(expected: readonly unknown[], got: readonly unknown[]): boolean {
  if (expected.length !== got.length) return false
  const left = [...got]
  return expected.every((element) => {
    const place = left.findIndex((other) => compare([], '', element, other) === undefined)
    if (place >= 0) left.splice(place, 1)
    return place >= 0
  })
}

/** Whether a list differs only in the order of elements that no rule puts in order. */
function equalsWithoutOrder(
  path: Path,
  request: string,
  expected: readonly Json[],
  got: readonly unknown[],
): boolean {
  if (path.length <= 1 || !sameElements(expected, got)) return false
  if (path.some((step) => unordered.has(String(step)))) return true
  const names = sortAt(request, path)
  const sorted = (entry: unknown): string => print(names.map((name) => (isEntry(entry) ? entry[name] : null)))
  return names.length > 0 && expected.every((entry, index) => sorted(entry) === sorted(got[index]))
}

function compareLists(path: Path, request: string, expected: readonly Json[], got: readonly unknown[]) {
  if (expected.length !== got.length) {
    return `${path.join('.')}: expected ${String(expected.length)} elements, got ${String(got.length)}`
  }
  for (const [index, element] of expected.entries()) {
    const difference = compare([...path, index], request, element, got[index])
    if (difference === undefined) continue
    if (equalsWithoutOrder(path, request, expected, got)) return undefined
    return sameElements(expected, got) ? `${difference} (the same elements in another order)` : difference
  }
  return undefined
}

function compareEntries(path: Path, request: string, expected: Entry, got: Entry): string | undefined {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const difference = compare([...path, key], request, expected[key], got[key])
    if (difference !== undefined) return difference
  }
  return undefined
}

function compare(path: Path, request: string, expected: unknown, got: unknown): string | undefined {
  if (typeof expected === 'number' && typeof got === 'number') {
    return sameNumber(expected, got) ? undefined : differing(path, expected, got)
  }
  if (typeof expected === 'string' && typeof got === 'string' && roundedByStrapi(expected, got))
    return undefined
  if (isList(expected) && isList(got)) return compareLists(path, request, expected as readonly Json[], got)
  if (isEntry(expected) && isEntry(got)) return compareEntries(path, request, expected, got)
  return expected === got ? undefined : differing(path, expected, got)
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

function errorName(body: unknown): unknown {
  const error = isEntry(body) ? body['error'] : undefined
  return isEntry(error) ? error['name'] : undefined
}

/** The first thing in which an answer disagrees with the recorded one: `undefined` where they agree. */
export function firstDifference(request: string, expected: Answer, got: Answer): string | undefined {
  if (expected.status !== got.status) {
    return `expected status ${String(expected.status)}, got ${String(got.status)} ${print(got.body)}`
  }
  if (expected.status === 200) return compare([], request, expected.body, got.body)
  // An unknown path belongs to the host, whose 404 is its own.
  if (expected.status === 404) return undefined
  return compare(['error', 'name'], request, errorName(expected.body), errorName(got.body))
}

/** Keys of JSON columns come in the order of the database's own storage. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, inOrder(part)]))
}
