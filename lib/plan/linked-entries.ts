import type { AskedCondition } from '../query'
import type { QueryPath } from '../errors'
import { type Column, type LinkField, linkedTypes, modelOf } from '../schema'
import { isMetByNone } from './count-column'
import { type BuildFor, elementCondition, namedTypes } from './element-conditions'
import type { Condition, FaultBehindLink, LinkedEntries, LinkedWay, Step } from './level'
import { everything, orFault, type Planning, unknownName, visible } from './planning'
import { linkAsStrapi } from './as-strapi'

/** Whether what it leads to is told apart by its type: a condition names the types that it is about. */
export const isMixed = ({ role }: LinkField): boolean => role === 'zone' || role === 'morph'

/** The attribute that leads to entries, and the names that may stand in its place. */
export interface AttributePlace {
  readonly planning: Planning
  readonly field: LinkField
  readonly path: QueryPath
  readonly others: Iterable<LinkField | Column>
}

/** A link followed to each of the types that it may lead to, one of which the role may read. */
export function linkedSteps({ planning, field, path, others }: AttributePlace): readonly Step[] {
  const { targets } = field
  if (targets.length > 0 && !targets.some((uid) => planning.isReadable(modelOf(planning.schema, uid))))
    throw unknownName(planning, path, field.name, others)
  const linked = linkedTypes(field).map((uid) => modelOf(planning.schema, uid))
  const own = linkAsStrapi(planning, field)
  return linked.map((target) => ({ field: own, target, visible: visible(target, planning.status), path }))
}

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
