import { malformed, mispaged, type QueryPath, type RequestError, unknownKey } from '../errors'
import { unknownAmong } from '../schema'
import type { QueryKeysetPage, QueryPage, Cursor, CursorKey, NumberedPage, WithCount } from './query'
import { type Habits, isBlank, isRawObject, type Raw, type RawObject, readBoolean } from './raw'

/** Strapi's plugins check these at the top of a query, and use the last two. */
export const cutParameters = ['page', 'pageSize', 'start', 'limit'] as const

const numberUnlessBlank = (raw: Raw): number =>
  typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : NaN

export function refusePages(raw: RawObject): void {
  const name = ['pagination', 'page', 'pageSize'].find((one) => raw[one] !== undefined)
  if (name !== undefined) throw unknownKey([name], name, 'start and limit cut this list')
}

function readWhole(raw: RawObject, name: 'start' | 'limit', least: number): number | null {
  const value = raw[name]
  if (isBlank(value)) return null
  const number = numberUnlessBlank(value)
  if (Number.isSafeInteger(number) && number >= least) return number
  const word = name === 'start' ? 'Start' : 'Limit'
  throw malformed([name], `convert${word}QueryParams expected a positive integer got ${String(number)}`)
}

/** Checked, but without effect. */
function checkPage(raw: RawObject): void {
  for (const name of ['page', 'pageSize'] as const) {
    const value = raw[name]
    if (isBlank(value)) continue
    const number = numberUnlessBlank(value)
    if (!Number.isSafeInteger(number) || number <= 0)
      throw mispaged([name], `Invalid '${name}' parameter. Expected an integer > 0`)
  }
}

/** Part of a whole list; `most + 1` entries are enough to reject a longer one. */
export function readCut(raw: RawObject, most: number): NumberedPage {
  checkPage(raw)
  const isPaged = !isBlank(raw['page']) || !isBlank(raw['pageSize'])
  const [start, limit] = [readWhole(raw, 'start', 0), readWhole(raw, 'limit', -1)]
  if (isPaged && (start !== null || limit !== null))
    throw mispaged(['page'], 'Cannot use both page & offset pagination in the same query')
  const all = Math.min(most + 1, Number.MAX_SAFE_INTEGER)
  const isAll = limit === null || limit < 1
  return { start: start ?? 0, limit: isAll ? all : Math.min(limit, all), by: 'offset', withCount: false }
}

export interface PageLimits {
  readonly defaultPageSize: number
  readonly maxPageSize: number
  readonly withCount: WithCount
}

const numbers = ['page', 'pageSize', 'start', 'limit']
const sides = ['after', 'before'] as const
const keys: readonly string[] = [...numbers, ...sides, 'withCount']

const toNumber = (raw: Raw): number => (typeof raw === 'string' ? Number(raw) : NaN)

/** Sizes above the maximum, and words, become the maximum. */
function readSize(raw: Raw | undefined, limits: PageLimits, path: QueryPath): number {
  if (raw === undefined || raw === null) return limits.defaultPageSize
  const size = toNumber(raw)
  if (Number.isNaN(size) || size > limits.maxPageSize) return limits.maxPageSize
  if (size < 1) return 1
  if (Number.isInteger(size)) return size
  throw malformed(path, `convertLimitQueryParams expected a positive integer got ${String(size)}`)
}

function readPosition(raw: Raw | undefined, least: number, path: QueryPath): number {
  if (raw === undefined || raw === null) return least
  const position = toNumber(raw)
  if (position < least) return least
  if (Number.isSafeInteger(position)) return position
  throw malformed(path, `convertStartQueryParams expected a positive integer got ${String(position)}`)
}

function readWithCount(raw: Raw | undefined, limits: PageLimits, path: QueryPath): WithCount {
  if (raw === undefined) return limits.withCount
  if (raw === 'estimated') return raw
  const withCount = readBoolean(raw)
  if (withCount !== undefined) return withCount
  throw malformed(path, 'Invalid withCount parameter. Expected "t","1","true","false","0","f","estimated"')
}

const isGiven = (raw: Raw | undefined): boolean => raw !== undefined && raw !== null

const isWhole = (raw: Raw): boolean => typeof raw === 'string' && /^-?\d+$/.test(raw)

/** Blank values count as absent, but a blank cursor is the first page. */
function written(raw: Raw | undefined, path: QueryPath): RawObject {
  if (isBlank(raw)) return {}
  if (!isRawObject(raw))
    throw malformed(path, 'Invalid pagination: expected page and pageSize, or start and limit')
  const given = Object.entries(raw).filter(
    ([key, value]) => sides.some((side) => side === key) || !isBlank(value),
  )
  const odd = given.find(([key, value]) => numbers.includes(key) && !isWhole(value))
  if (odd === undefined) return Object.fromEntries(given)
  throw malformed([...path, odd[0]], `Invalid ${odd[0]} parameter. Expected a whole number`)
}

/** Leaves room in the URL of the next page. */
const mostLetters = 4096

/** MySQL sorts by so many bytes: longer keys would page in another order. */
const mostBytes = 1023

const kinds = ['text', 'number', 'bytes'] as const

function decodeKey(part: unknown): CursorKey | undefined {
  if (part === null) return null
  if (typeof part !== 'string') return undefined
  const is = kinds.find((kind) => kind.startsWith(part.charAt(0)))
  return is === undefined || part === '' ? undefined : { is, value: part.slice(1) }
}

function decodeCursor(text: string): Cursor | undefined {
  if (text.length > mostLetters || !/^[\w-]+$/.test(text)) return undefined
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  if (!Array.isArray(parts)) return undefined
  const [list, id, ...rest] = parts as readonly unknown[]
  const isKey = typeof id === 'string' || Number.isSafeInteger(id)
  if (typeof list !== 'string' || !isKey) return undefined
  const keys = rest.map(decodeKey).filter((key) => key !== undefined)
  return keys.length === rest.length ? { list, id: id as number | string, keys } : undefined
}

export const wrongCursor = (path: QueryPath): RequestError =>
  malformed(path, 'Invalid cursor: the cursor does not belong to this query')

export function writeCursor({ list, id, keys }: Cursor): string | null {
  if (keys.some((key) => key !== null && Buffer.byteLength(key.value) > mostBytes)) return null
  const parts = keys.map((key) => (key === null ? null : key.is.charAt(0) + key.value))
  const text = Buffer.from(JSON.stringify([list, id, ...parts])).toString('base64url')
  return text.length > mostLetters ? null : text
}

function readKeysetPage(asked: RawObject, limits: PageLimits, path: QueryPath): QueryKeysetPage | null {
  const [side, other] = sides.filter((name) => asked[name] !== undefined)
  const raw = side === undefined ? undefined : asked[side]
  if (side === undefined || raw === undefined) return null
  if (other !== undefined) throw mispaged(path, 'Cannot use both after & before in the same query')
  if (['page', 'start', 'limit'].some((name) => isGiven(asked[name])))
    throw mispaged(
      path,
      `Cannot use both ${side} & page or offset pagination in the same query: set the size with pageSize`,
    )
  const at = [...path, side]
  const limit = readSize(asked['pageSize'], limits, [...path, 'pageSize'])
  const withCount = readWithCount(asked['withCount'], { ...limits, withCount: false }, [...path, 'withCount'])
  const isFirst = raw === null || raw === ''
  const cursor = typeof raw === 'string' && !isFirst ? decodeCursor(raw) : undefined
  if (cursor === undefined && !isFirst) throw wrongCursor(at)
  return { by: 'cursor', side, limit, withCount, cursor: cursor ?? null, path: at }
}

function readNumberedPage(asked: RawObject, limits: PageLimits, path: QueryPath): NumberedPage {
  const byPage = isGiven(asked['page']) || isGiven(asked['pageSize'])
  const byOffset = isGiven(asked['start']) || isGiven(asked['limit'])
  if (byPage && byOffset) throw mispaged(path, 'Cannot use both page & offset pagination in the same query')
  const by = byOffset ? 'offset' : 'page'
  const size = by === 'offset' ? 'limit' : 'pageSize'
  const limit = readSize(asked[size], limits, [...path, size])
  const withCount = readWithCount(asked['withCount'], limits, [...path, 'withCount'])
  if (byOffset) return { start: readPosition(asked['start'], 0, [...path, 'start']), limit, by, withCount }
  const start = (readPosition(asked['page'], 1, [...path, 'page']) - 1) * limit
  if (Number.isSafeInteger(start)) return { start, limit, by, withCount }
  throw malformed([...path, 'page'], 'The page is out of range')
}

function readKeys(raw: Raw | undefined, habits: Habits, path: QueryPath): RawObject {
  const asked = habits === 'strapi' ? (isRawObject(raw) ? raw : {}) : written(raw, path)
  const odd = Object.keys(asked).find((key) => !keys.includes(key))
  if (odd !== undefined) throw unknownAmong([...path, odd], odd, keys)
  return asked
}

export function readPage(
  raw: Raw | undefined,
  limits: PageLimits,
  habits: Habits,
  path: QueryPath,
): QueryPage {
  const asked = readKeys(raw, habits, path)
  return readKeysetPage(asked, limits, path) ?? readNumberedPage(asked, limits, path)
}

export function readNestedPage(raw: Raw, limits: PageLimits, habits: Habits, path: QueryPath): NumberedPage {
  const asked = readKeys(raw, habits, path)
  const side = sides.find((name) => asked[name] !== undefined)
  // One statement reads the pages of all parents, and their totals.
  const page = (): NumberedPage => readNumberedPage(asked, limits, path)
  if (side === undefined) return { ...page(), withCount: page().withCount !== false }
  throw malformed(
    [...path, side],
    `Invalid key ${side}: populated relations have no cursors. Request the related type itself with a filter, or use page and pageSize`,
  )
}
