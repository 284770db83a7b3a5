import { malformed, mispaged, unknownKey } from '../errors'
import type { NumberedPage } from './asked'
import { isBlank, type Raw, type RawObject } from './raw'

/** Strapi's plugins read these at the top of a query, and heed the last two. */
export const cutParameters = ['page', 'pageSize', 'start', 'limit'] as const

const toNumber = (raw: Raw): number => (typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : NaN)

/** Whoever asks for a page means to have one. */
export function refusePages(raw: RawObject): void {
  const name = ['pagination', 'page', 'pageSize'].find((one) => raw[one] !== undefined)
  if (name !== undefined) throw unknownKey([name], name, 'start and limit cut this list')
}

function readWhole(raw: RawObject, name: 'start' | 'limit', least: number): number | null {
  const value = raw[name]
  if (isBlank(value)) return null
  const number = toNumber(value)
  if (Number.isSafeInteger(number) && number >= least) return number
  const word = name === 'start' ? 'Start' : 'Limit'
  throw malformed([name], `convert${word}QueryParams expected a positive integer got ${String(number)}`)
}

/** Looked at, and of no consequence. */
function checkPage(raw: RawObject): void {
  for (const name of ['page', 'pageSize'] as const) {
    const value = raw[name]
    if (isBlank(value)) continue
    const number = toNumber(value)
    if (!Number.isSafeInteger(number) || number <= 0)
      throw mispaged([name], `Invalid '${name}' parameter. Expected an integer > 0`)
  }
}

/** Part of a list that is whole otherwise; one longer than `most` is read far enough to be refused. */
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
