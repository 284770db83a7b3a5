import { type Fault, RequestError } from '../../lib/errors'
import { type RawObject, readHostQuery, UnfitQuery } from '../../lib/query'
import { didYouMean } from '../../lib/schema'

/** Limits apply to clients only. */
const unlimited = { arrayLimit: Infinity, maxParameters: Infinity, maxLength: Infinity }

export const readWritten = (query: object, path: readonly string[]): RawObject =>
  readHostQuery(query, unlimited, path)

/** The faults of a query, or the single fault that prevents parsing it. */
export function faultsOfWritten(check: () => readonly Fault[]): readonly Fault[] {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof UnfitQuery)) throw error
    return [{ where: error.path.join('.'), problem: error.problem }]
  }
}

/** The error that a client would get, or null. */
export function failureOf(make: () => void): RequestError | null {
  try {
    make()
    return null
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
}

export function faultsOfNames(
  where: string,
  given: object,
  known: readonly string[],
  problem: string,
): readonly Fault[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({ where: `${where}.${name}`, problem, remedy: didYouMean(name, known) }))
}
