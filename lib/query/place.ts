import { inside, malformed, type QueryPath } from '../errors'

/** Where in a query something stands. */
export interface Place {
  readonly path: QueryPath
  /** How many levels it stands below. */
  readonly depth: number
}

/**
 * How deep a query goes, in whatever notation: each name that is populated, each fragment of `on`, and each name and
 * group of conditions and sorts is a level. Queries are read, planned, compiled and written level by level on the stack of
 * the process; so many levels take less than half of what Node gives to it by itself.
 */
export const mostLevels = 250

export const tooDeep = (path: QueryPath): Error =>
  malformed([...path].slice(0, 2), `A query goes at most ${String(mostLevels)} levels deep`)

export const top = (name: string): Place => ({ path: [name], depth: 0 })

export const within = ({ path, depth }: Place, name: string): Place => ({ path: inside(path, name), depth })

export function deeper({ path, depth }: Place, levels = 1): Place {
  if (depth + levels > mostLevels) throw tooDeep(path)
  return { path, depth: depth + levels }
}
