import { UnreadableText } from './parse-module'
import type { ReadingBudget } from './reading-budget'
import { type StaticValue, unknownValue } from './static-value'

/** Unknown where it is not understood, or only by more steps than are left: what was made before that is not trusted. */
export function readable(budget: ReadingBudget, read: () => StaticValue): StaticValue {
  try {
    const value = read()
    return budget.isSpent ? unknownValue : value
  } catch (error) {
    // A text that leads deeper than the stack is none that a person wrote. To go on behind each end of it takes forever.
    if (error instanceof RangeError) budget.exhaust()
    else if (!(error instanceof UnreadableText)) throw error
    return unknownValue
  }
}
