import { MadeByFactory } from './made-by-factory'
import type { ReadingBudget } from './reading-budget'
import {
  isLasting,
  isList,
  isStaticFunction,
  isStaticRecord,
  openList,
  type StaticValue,
  unknownRest,
  unknownValue,
} from './static-value'

function empty(value: StaticValue): readonly StaticValue[] {
  if (isList(value)) {
    const inner = [...value]
    ;(openList(value) as StaticValue[]).splice(0, Infinity, unknownValue)
    return inner
  }
  if (isStaticFunction(value)) return value.reached?.() ?? []
  if (!isStaticRecord(value) || isLasting(value)) return []
  const inner = [...value.values(), ...(value instanceof MadeByFactory ? value.spoil() : [])]
  const record = value as Map<string, StaticValue>
  record.clear()
  record.set(unknownRest, unknownValue)
  return inner
}

/**
 * What somebody may change whose code is not understood: these values, and all that they lead to. It is done in place, as
 * such code would, so that whatever holds one of them holds what is unknown.
 */
export function spoil(given: readonly StaticValue[], budget: ReadingBudget): void {
  const left = [...given]
  const seen = new Set<StaticValue>()
  for (let value = left.pop(); left.length > 0 || value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const inner = empty(value)
    budget.spend(1 + inner.length)
    for (const one of inner) left.push(one)
  }
}
