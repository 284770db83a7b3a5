import { LimitError } from '../errors'
import type { Ask, AskedPopulate, AskedSort, Query } from '../query'

interface Sorted {
  readonly sort: readonly AskedSort[]
  readonly populate: AskedPopulate
}

function checkAsk(ask: Ask | null, most: number, depth: number): void {
  if (ask === null) return
  checkSorts(ask, most, depth)
  for (const fragment of ask.on ?? []) checkAsk(fragment.ask, most, depth)
}

function checkSorts({ sort, populate }: Sorted, most: number, depth: number): void {
  const tooDeep = sort.find(({ names }) => depth + names.length - 1 > most)
  if (tooDeep !== undefined) {
    const limit = String(most)
    throw new LimitError('maxDepth', tooDeep.path, `Sorted deeper than ${limit} levels`)
  }
  for (const { ask } of populate.entries) checkAsk(ask, most, depth + 1)
}

/**
 * A sort reads as deep as its links lead, whether or not there is anything of their names: the limit would tell what is
 * there of a type that the role may not read.
 */
export function checkSortDepth(query: Query, most: number): void {
  if (most < Infinity) checkSorts(query, most, 0)
}
