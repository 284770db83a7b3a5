import type { CodeNode } from './parse-module'
import type { ReadingBudget } from './reading-budget'
import type { StaticRecord, StaticValue } from './static-value'

/** What names mean, and what a module is that is imported. */
export interface Scope {
  readonly names: ReadonlyMap<string, StaticValue>
  readonly modules: ReadonlyMap<string, StaticValue>
  /** What a file beside it says, by the path that it is imported by. */
  readonly beside?: (path: string) => ModuleExports | null
}

/** What a module hands out, by name; under `default` where it is all of it. */
export interface ModuleExports {
  /** It says `module.exports`, so that it has no names of its own. */
  readonly isCommon: boolean
  readonly named: StaticRecord
}

/** Where an expression stands. */
export interface ReadingScope extends Scope {
  readonly budget: ReadingBudget
  /** Names of what somebody may change who has been given a function that knows it. */
  readonly escaped: Set<string>
  /** Gives a variable of the function that is read another value. */
  readonly assign: (name: string, value: StaticValue) => void
  /** Takes what a module hands out; null within a function. */
  readonly hand: ((name: string, value: StaticValue) => void) | null
}

export type Evaluate = (node: CodeNode, scope: ReadingScope) => StaticValue
