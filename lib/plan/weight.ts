import type { Condition, Level } from './level'

/**
 * Bytes that the parts of a plan take once it is compiled, with their SQL and all that runs and writes it: found by
 * measuring the heap, and rounded up.
 */
const bytes = { level: 6000, column: 500, condition: 2500, step: 2500, value: 100 } as const

function weightOfCondition(condition: Condition<never>): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.reduce<number>((sum, part) => sum + weightOfCondition(part), bytes.condition)
    case 'test':
      return bytes.condition + weightOfValues(condition.test)
    case 'some':
      return 2 * bytes.step + weightOfCondition(condition.of)
    case 'version':
      return bytes.condition
  }
}

function weightOfValues(test: object): number {
  const values = Object.values(test).flat() as unknown[]
  return values.reduce<number>((sum, value) => sum + bytes.value + 2 * String(value).length, 0)
}

/** About what a compiled level takes in memory, with all below it: what is kept is bounded by it. */
export function weightOf({ columns, where, order, branches }: Level<never>): number {
  const own = bytes.level + bytes.column * columns.length + weightOfCondition(where)
  const sorted = order.reduce((sum, { steps }) => sum + bytes.condition + bytes.step * steps.length, 0)
  const below = branches.flatMap(({ targets }) => [...targets.values()])
  return below.reduce((sum, level) => sum + bytes.condition + weightOf(level), own + sorted)
}
