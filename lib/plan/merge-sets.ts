import type { LinkField } from '../schema'
import type { Condition, FaultBehindLink } from './level'

type PermittedCondition = Condition<never>
type SomeBehindLink = Extract<PermittedCondition, { op: 'some' }>
type Sets = readonly [SomeBehindLink, ...SomeBehindLink[]]

export function leadsThroughLinks(condition: Condition<FaultBehindLink>): boolean {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.some(leadsThroughLinks)
  if (condition.op === 'ruled') return leadsThroughLinks(condition.of)
  return condition.op === 'some' || condition.op === 'linked'
}

/** What all have to hold, or of which any has to, however it is nested. */
export const partsOf = <F extends FaultBehindLink = never>(
  condition: Condition<F>,
  op: 'and' | 'or' = 'and',
): readonly Condition<F>[] =>
  condition.op === op ? condition.of.flatMap((part) => partsOf(part, op)) : [condition]

function byLink(sets: readonly SomeBehindLink[]): readonly Sets[] {
  const found = new Map<LinkField, [SomeBehindLink, ...SomeBehindLink[]]>()
  for (const set of sets) {
    const before = found.get(set.step.field)
    if (before === undefined) found.set(set.step.field, [set])
    else before.push(set)
  }
  return [...found.values()]
}

/** One set of rows that meet all of it, or any. */
function asOne(sets: Sets, op: 'and' | 'or'): PermittedCondition {
  const [first, ...others] = sets
  if (others.length === 0) return first
  const orMissing = op === 'or' ? sets.some((one) => one.orMissing) : sets.every((one) => one.orMissing)
  return { ...first, of: { op, of: sets.map(({ of }) => of) }, orMissing }
}

/** That the link leads nowhere is asked once. */
function orNowhere(sets: Sets): PermittedCondition {
  const [first, ...others] = sets
  if (others.length === 0) return first
  const met = sets.map((one) => ({ ...one, orMissing: false }))
  const nowhere: PermittedCondition = { ...first, of: { op: 'or', of: [] } }
  return { op: 'or', of: [{ op: 'and', of: met }, nowhere] }
}

/**
 * The same condition, with as few sets as it takes. Any of several conditions through one link is met by one row there or by
 * none. All of them are met by one row only where the link leads to one: an entry with a red tag and a large tag need not
 * have one that is both.
 */
export function mergeSets(condition: PermittedCondition): PermittedCondition {
  if (condition.op === 'some' || condition.op === 'ruled')
    return { ...condition, of: mergeSets(condition.of) }
  if (condition.op === 'linked') {
    return { ...condition, ways: condition.ways.map(({ step, of }) => ({ step, of: mergeSets(of) })) }
  }
  if (condition.op !== 'and' && condition.op !== 'or') return condition
  const { op } = condition
  const parts = partsOf(condition, op)
  const sets = parts.filter((part) => part.op === 'some')
  const isShared = ({ step }: SomeBehindLink): boolean => op === 'or' || !step.field.many
  const others = sets.filter((set) => !isShared(set))
  const of = [
    ...parts.filter((part) => part.op !== 'some'),
    ...byLink(sets.filter(isShared)).map((all) => asOne(all, op)),
    ...others.filter(({ orMissing }) => !orMissing),
    ...byLink(others.filter(({ orMissing }) => orMissing)).map(orNowhere),
  ].map(mergeSets)
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op, of }
}

/** Through how many links in a row a condition leads. */
export function linksInARow(condition: PermittedCondition): number {
  if (condition.op === 'some') return 1 + linksInARow(condition.of)
  if (condition.op === 'ruled') return linksInARow(condition.of)
  if (condition.op !== 'and' && condition.op !== 'or') return 0
  return condition.of.reduce((most, part) => Math.max(most, linksInARow(part)), 0)
}
