import { asFailure } from './database-failure'

/** Unknown tables and columns, and types that do not take what is done with them. */
const codes: ReadonlySet<unknown> = new Set([
  'ER_NO_SUCH_TABLE',
  'ER_BAD_TABLE_ERROR',
  'ER_BAD_FIELD_ERROR',
  'ER_VIEW_INVALID',
  '3F000',
  '42P01',
  '42703',
  '42804',
  '42883',
])

/** What the drivers say, with the name. The name stands in a statement of ours, so it is that of a definition. */
const sentences = [
  /^no such (?:table|column): (\S+)$/,
  /^Table '(\S+)' doesn't exist$/,
  /^Unknown (?:column|table) '(\S+)'/,
  /^(?:relation|column) "?([^\s"]+)"? does not exist$/,
]

/** The name that the database did not find, where it tells. */
export function missingName(error: unknown): string | undefined {
  const { message } = asFailure(error)
  if (typeof message !== 'string') return undefined
  return sentences.map((sentence) => sentence.exec(message)?.[1]).find((name) => name !== undefined)
}

/** The tables are not what a statement takes them for. */
export function isDrift(error: unknown): boolean {
  const { code, message } = asFailure(error)
  if (codes.has(code)) return true
  return code === 'SQLITE_ERROR' && typeof message === 'string' && /^no such (?:table|column)/.test(message)
}
