import type { Operand, Test } from '../plan'
import { all, type Sql, sql } from './sql'

/**
 * MySQL's TIMESTAMP is compared by its seconds, which no time zone has a say in: as a time of day in the session's zone an
 * hour comes twice a year, and an instant that the type has no room for, whose last year depends on the server, is NULL.
 */
export const secondsOf = (column: Sql): Sql => sql('unix_timestamp(?)', [column])

export const seconds = (milliseconds: number): Sql => sql('?', [milliseconds / 1000])

/** More than the clocks of two time zones can be apart, or one of them from itself. */
const margin = 2 * 86_400

/** Before it every server has an answer. */
const last = 2 ** 31 - 1

type SecondsRange = readonly [least: number, most: number]

const boundsOfAll = (values: readonly Operand[]): SecondsRange => {
  const instants = values.map(Number)
  return [Math.min(...instants), Math.max(...instants)]
}

function boundsOf(test: Test): SecondsRange {
  switch (test.is) {
    case 'equal':
      return boundsOfAll([test.value])
    case 'within':
      return boundsOfAll(test.values)
    case 'between':
      return [Number(test.from), Number(test.to)]
    case 'ordered':
      return test.sign.startsWith('<') ? [-Infinity, Number(test.value)] : [Number(test.value), Infinity]
    case 'null':
    case 'text':
    case 'superset':
      return [-Infinity, Infinity]
  }
}

/** What a comparison implies of the column as it is stored, for an index on it: roughly, where all sessions agree. */
export function around(column: Sql, test: Test): Sql | null {
  const [least, most] = boundsOf(test)
  const bounds = [
    ['? >= from_unixtime(?)', Math.floor(least / 1000) - margin],
    ['? <= from_unixtime(?)', Math.ceil(most / 1000) + margin],
  ] as const
  const parts = bounds.flatMap(([text, at]) => (at > 0 && at <= last ? [sql(text, [column, at])] : []))
  return parts.length === 0 ? null : all(parts)
}
