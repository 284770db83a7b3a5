import { malformed, type QueryPath } from '../errors'
import type { Ask, AskedCondition, AskedPopulate, AskedSort, Query } from '../query'
import type { Spend } from './level'

export function startSpending(most: number, spent = 0): Spend {
  let nodes = spent
  return (path) => {
    nodes += 1
    if (nodes <= most) return
    const limit = String(most)
    throw malformed(
      path,
      `The query asks for more than ${limit} things; the option query.maxNodes raises this`,
    )
  }
}

interface Conditional {
  readonly filters: AskedCondition | null
  readonly sort: readonly AskedSort[]
  readonly populate: AskedPopulate
}

function pathsOfCondition(asked: AskedCondition): QueryPath[] {
  switch (asked.op) {
    case 'and':
    case 'or':
      return asked.of.flatMap(pathsOfCondition)
    case 'not':
      return pathsOfCondition(asked.of)
    case 'at':
      return [asked.path, ...pathsOfCondition(asked.of)]
    case 'compare':
      return [asked.path]
  }
}

const pathsOfAsk = (ask: Ask | null): QueryPath[] =>
  ask === null
    ? []
    : [...pathsOfConditions(ask), ...(ask.on ?? []).flatMap((fragment) => pathsOfAsk(fragment.ask))]

function pathsOfConditions({ filters, sort, populate }: Conditional): QueryPath[] {
  return [
    ...(filters === null ? [] : pathsOfCondition(filters)),
    ...sort.map(({ path }) => path),
    ...populate.entries.flatMap(({ ask }) => pathsOfAsk(ask)),
  ]
}

/**
 * What the names and comparisons of all conditions and sorts cost. They cost it whether or not there is anything of
 * that name: the limit would tell what is there of a type that the role may not read.
 */
export function costOfConditions(query: Query, most: number): number {
  const paths = pathsOfConditions(query)
  const spend = startSpending(most)
  paths.forEach(spend)
  return paths.length
}
