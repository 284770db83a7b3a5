import { malformed, unknownKey } from '../../lib/errors'
import { isRawObject, type Raw, type RawObject } from '../../lib/query'

export const formats = ['ndjson', 'csv', 'json'] as const
export type ExportFormat = (typeof formats)[number]

/** The parameters of an export. */
export interface ExportQuery {
  readonly format: ExportFormat
  readonly start: number
  /** Infinity: all entries. */
  readonly limit: number
}

function readFormat(raw: Raw | undefined): ExportFormat {
  if (raw === undefined) return 'ndjson'
  const format = formats.find((one) => one === raw)
  if (format !== undefined) return format
  throw malformed(['format'], `Invalid format parameter. Expected one of ${formats.join(', ')}`)
}

function readNumber(raw: Raw | undefined, name: 'start' | 'limit', least: number): number | null {
  if (raw === undefined || raw === null || raw === '') return null
  const number = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : NaN
  if (Number.isSafeInteger(number) && number >= least) return number
  const problem = `Invalid ${name} parameter. Expected a whole number of at least ${String(least)}`
  throw malformed(['pagination', name], problem)
}

/** Without `pagination`, an export has all entries. */
function readCut(raw: Raw | undefined): Omit<ExportQuery, 'format'> {
  if (raw === undefined || raw === null || raw === '') return { start: 0, limit: Infinity }
  const hint = 'pagination[start] and pagination[limit] cut an export'
  if (!isRawObject(raw)) throw malformed(['pagination'], `Invalid pagination: ${hint}`)
  const { start, limit, ...others } = raw
  const [other] = Object.keys(others)
  if (other !== undefined) throw unknownKey(['pagination', other], other, hint)
  return { start: readNumber(start, 'start', 0) ?? 0, limit: readNumber(limit, 'limit', 1) ?? Infinity }
}

/** The list is planned with any page, since each batch has a page of its own. */
const anyPage: RawObject = { start: '0', limit: '1', withCount: 'false' }

/** Takes the parameters of the export; `query` is what remains for the list. */
export function readExportQuery(raw: RawObject): { readonly asked: ExportQuery; readonly query: RawObject } {
  const { format, pagination, ...rest } = raw
  return {
    asked: { format: readFormat(format), ...readCut(pagination) },
    query: { ...rest, pagination: anyPage },
  }
}
