import { shareInstance } from '../database'
import type { Fault } from '../errors'
import type { Model, Schema } from '../schema'
import { strapiTables } from './content-tables'
import { keeperOf, remedies } from './keeper'
import type { ActualTables } from './read-tables'

/** Types that every project has in addition to its own. */
export const isBuiltIn = ({ route, kind }: Model): boolean => route === null && kind !== 'component'

const words = (count: number): string => {
  if (count === 0) return 'it has no tables at all'
  return count === 1 ? 'it has one other table' : `it has ${String(count)} other tables`
}

/**
 * One sentence in place of a list of all tables, where the connection leads to another database than was meant, or to
 * one that nobody has made tables in. Which database that is, is not for a message to tell.
 */
export function faultOfNoneThere(schema: Schema, actual: ActualTables, isForOne = false): Fault | null {
  const own = [...schema.models].filter(([, model]) => !isBuiltIn(model))
  const wanted = strapiTables({ ...schema, models: new Map(own) }, actual)
  if (wanted.length < 2 || wanted.some(({ table }) => actual.has(table))) return null
  return {
    where: 'database',
    problem: `none of the ${String(wanted.length)} tables of the definitions is there; ${words(actual.size)}`,
    remedy: isForOne
      ? shareInstance
      : `look whether it is the right database, and schema, and whether its user may read there. If so: ${remedies[keeperOf(actual)]}`,
  }
}
