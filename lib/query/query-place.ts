import { inside, malformed, type QueryPath } from '../errors'

/** Where in a query something stands. */
export interface QueryPlace {
  readonly path: QueryPath
  /** How many levels it stands below. */
  readonly depth: number
  /** In a rule of the host's, which may name values of whoever asks. */
  readonly isRule?: true
}

/**
 * How deep a query goes, in any notation: each name that is populated, each fragment of `on`, and each name and
 * group of conditions and sorts is a level. Queries are read, planned, compiled and written level by level on the stack of
 * the process; so many levels take less than half of what Node gives to it by itself.
 */
export const mostLevels = 250

export const tooDeep = (path: QueryPath): Error =>
  malformed([...path].slice(0, 2), `A query goes at most ${String(mostLevels)} levels deep`)

export const top = (name: string): QueryPlace => ({ path: [name], depth: 0 })

export const within = (place: QueryPlace, name: string): QueryPlace => ({
  ...place,
  path: inside(place.path, name),
})

export function deeper(place: QueryPlace, levels = 1): QueryPlace {
  const { path, depth } = place
  if (depth + levels > mostLevels) throw tooDeep(path)
  return { ...place, depth: depth + levels }
}
