import { LimitError } from '../errors'
import type { Ask, AskedCondition, AskedPopulate, AskedSort, Query } from '../query'
import type { Spend } from './level'

export function startSpending(most: number, spent = 0): Spend {
  let nodes = spent
  return (path) => {
    nodes += 1
    if (nodes <= most) return
    const limit = String(most)
    throw new LimitError('maxNodes', path, `The query asks for more than ${limit} things`)
  }
}

interface Conditional {
  readonly filters: AskedCondition | null
  readonly sort: readonly AskedSort[]
  readonly populate: AskedPopulate
}

function spendOnCondition(asked: AskedCondition, spend: Spend): void {
  switch (asked.op) {
    case 'and':
    case 'or':
      for (const part of asked.of) spendOnCondition(part, spend)
      return
    case 'not':
      spendOnCondition(asked.of, spend)
      return
    case 'at':
    case 'which':
    case 'count':
      spend(asked.path)
      spendOnCondition(asked.of, spend)
      return
    case 'compare':
      spend(asked.path)
  }
}

function spendOnAsk(ask: Ask | null, spend: Spend): void {
  if (ask === null) return
  spendOnConditions(ask, spend)
  for (const fragment of ask.on ?? []) spendOnAsk(fragment.ask, spend)
}

function spendOnConditions({ filters, sort, populate }: Conditional, spend: Spend): void {
  if (filters !== null) spendOnCondition(filters, spend)
  for (const { names, path } of sort)
    names.forEach(() => {
      spend(path)
    })
  for (const { ask } of populate.entries) spendOnAsk(ask, spend)
}

/**
 * What the names and comparisons of all conditions and sorts cost, a sort each link that it leads through. They cost it
 * whether or not there is anything of that name: the limit would tell what is there of a type that the role may not read.
 */
export function costOfConditions(query: Query, most: number): number {
  const within = startSpending(most)
  let spent = 0
  spendOnConditions(query, (path) => {
    within(path)
    spent += 1
  })
  return spent
}
