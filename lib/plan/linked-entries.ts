import type { AskedCondition } from '../query'
import { isMetByNone } from './count-column'
import { type BuildFor, elementCondition, namedTypes } from './element-conditions'
import { type AttributePlace, isMixed, linkedSteps } from './linked-steps'
import type { Condition, FaultBehindLink, LinkedEntries, LinkedWay } from './level'
import { everything, orFault } from './planning'

/** How conditions on the entries that an attribute leads to are made. */
export interface LinkedPlace extends AttributePlace {
  /** Whether an odd number of `$not` stands above. */
  readonly negated: boolean
  readonly build: BuildFor
}

type Which = Extract<AskedCondition, { op: 'which' }>

function waysOf(place: LinkedPlace, asked: AskedCondition): readonly LinkedWay<FaultBehindLink>[] {
  const { field, build } = place
  const conditionOn = isMixed(field)
    ? (model: LinkedWay<never>['step']['target']) => elementCondition({ field, model, build }, asked)
    : (model: LinkedWay<never>['step']['target']) => build(model, asked, false)
  return linkedSteps(place).map((step) => ({
    step,
    of: orFault(() => conditionOn(step.target)),
  }))
}

/**
 * One entry is enough for `$some`, and for the opposite of the others: an entry that meets what none may meet, or one that
 * does not meet what each has to. NULLs, of which nothing is true, are among the latter.
 */
export function linkedEntries(place: LinkedPlace, asked: Which): LinkedEntries<FaultBehindLink> {
  const { planning, field, negated } = place
  const { quantifier } = asked
  return {
    op: 'linked',
    asked: quantifier,
    field,
    ways: waysOf(place, asked.of),
    named: isMixed(field) ? namedTypes(planning, field, asked.of) : [],
    among: (quantifier === '$some') !== negated,
    untrue: quantifier === '$every',
    count: null,
  }
}

/** `count`: what the number has to meet. */
export function countedEntries(
  place: LinkedPlace,
  count: Condition<FaultBehindLink>,
): LinkedEntries<FaultBehindLink> {
  return {
    op: 'linked',
    asked: '$count',
    field: place.field,
    ways: linkedSteps(place).map((step) => ({ step, of: everything })),
    named: [],
    among: !isMetByNone(count),
    untrue: false,
    count,
  }
}
