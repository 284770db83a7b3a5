import { malformed } from '../errors'
import type { Condition, Level, Order, Plan, Test } from './level'
import { together } from './together'

/**
 * What each thing costs among 20,000 entries, in milliseconds of CPU on the slowest of the databases, about: measured by
 * `npm run bench -- --dearest`, and rounded up.
 */
const costs = {
  comparison: 1,
  /** Of a part of a text. */
  containing: 2,
  /** A comparison that ignores case works out the folded form of each text. */
  folding: 20,
  /** A link of a condition is a set that is worked out over the whole of a table. */
  link: 24,
  sortKey: 5,
  sortLink: 30,
  /** The other version of an entry is looked up by its document. */
  version: 20,
} as const

/** One word that is looked for in many attributes costs no more than in this many: `_q` must not depend on their number. */
const mostFolded = 5

const folds = (test: Test): boolean => (test.is === 'text' || test.is === 'equal') && test.ignoreCase

function costOfTest(test: Test): number {
  if (folds(test)) return costs.folding
  if (test.is === 'text' || test.is === 'superset') return costs.containing
  return test.is === 'within' ? costs.comparison * test.values.length : costs.comparison
}

const wordOf = (part: Condition<never>): string | null =>
  part.op === 'test' && part.test.is === 'text' && part.test.ignoreCase ? part.test.value : null

function isOneWord(parts: readonly Condition<never>[]): boolean {
  const words = new Set(parts.map(wordOf))
  return words.size === 1 && !words.has(null)
}

function costOfCondition(condition: Condition<never>): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      if (isOneWord(condition.of)) return costs.folding * Math.min(condition.of.length, mostFolded)
      return condition.of.reduce((sum, part) => sum + costOfCondition(part), 0)
    case 'test':
      return costOfTest(condition.test)
    case 'some':
      return costs.link + costOfCondition(condition.of)
    case 'version':
      return costs.version
  }
}

/** Every list is put in order by its own ids at last. */
const costOfOrder = ({ steps, column }: Order<never>): number =>
  steps.length === 0 && column.type === 'id' ? 0 : costs.sortKey + costs.sortLink * steps.length

function costOfLevel({ where, order, branches }: Level<never>): number {
  const below = branches.flatMap(({ targets }) => [...targets.values()])
  return (
    costOfCondition(together(where)) +
    order.reduce((sum, key) => sum + costOfOrder(key), 0) +
    below.reduce((sum, level) => sum + costOfLevel(level), 0)
  )
}

/**
 * Refuses what would take the database long, before it is asked. Of a plan that is permitted, so that what it costs tells
 * nothing of what the role may not read.
 */
export function checkForetoldCost({ root }: Pick<Plan<never>, 'root'>, most: number): void {
  const cost = costOfLevel(root)
  if (cost <= most) return
  const [foretold, limit] = [String(Math.ceil(cost)), String(most)]
  throw malformed(
    [],
    `The query would cost ${foretold}, more than ${limit}: ask for fewer links and comparisons in filters and sorts; the option query.maxCost raises this`,
  )
}
