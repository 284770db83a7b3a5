import type { ReadingBudget } from './reading-budget'
import type { StaticValue } from './static-value'

/** What names mean, and what a module is that is imported. */
export interface Scope {
  readonly names: ReadonlyMap<string, StaticValue>
  readonly modules: ReadonlyMap<string, StaticValue>
}

/** Where an expression stands. */
export interface ReadingScope extends Scope {
  readonly budget: ReadingBudget
  /** Names of what somebody may change who has been given a function that knows it. */
  readonly escaped: Set<string>
}
