import { malformed, unknownKey, type QueryPath } from '../errors'
import { operatorNames } from '../operators'
import type { AskedCondition } from '../query'
import { type Column, type Model, modelOf, unknownAmong, type LinkField, linkedTypes } from '../schema'
import { storedColumn, orFault, type Planning, unknownName, visible, everything } from './planning'
import type { Condition, FaultBehindLink, Step, LinkedEntries, LinkedWay } from './level'
import { makeComparison, countColumn, isMetByNone } from './comparisons'
import { type BuildFor, elementCondition, namedTypes } from './element-conditions'
import { linkAsStrapi } from './as-strapi'

/** Conditions on such links name the types. */
const isMixed = ({ role }: LinkField): boolean => role === 'zone' || role === 'morph'

/** Attribute with a link, and the names to suggest in its place. */
interface AttributePlace {
  readonly planning: Planning
  readonly field: LinkField
  readonly path: QueryPath
  readonly others: Iterable<LinkField | Column>
}

/** One step for each target type; at least one must be readable. */
export function linkedSteps({ planning, field, path, others }: AttributePlace): readonly Step[] {
  const { targets } = field
  if (targets.length > 0 && !targets.some((uid) => planning.isReadable(modelOf(planning.schema, uid))))
    throw unknownName(planning, path, field.name, others)
  const linked = linkedTypes(field).map((uid) => modelOf(planning.schema, uid))
  const own = linkAsStrapi(planning, field)
  return linked.map((target) => ({ field: own, target, visible: visible(target, planning.status), path }))
}

interface LinkedPlace extends AttributePlace {
  /** True below an odd number of `$not`. */
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
 * Each quantifier becomes the existence of one entry, or its negation: an entry that matches for `$some` and `$none`,
 * one that does not for `$every`. NULLs do not match.
 */
function linkedEntries(place: LinkedPlace, asked: Which): LinkedEntries<FaultBehindLink> {
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

function countedEntries(
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

/** Model of names, and column of bare comparisons. */
interface NameScope {
  readonly model: Model | null
  readonly column: Column | null
  /** True below an odd number of `$not`. */
  readonly negated: boolean
  /** Number of relations above. */
  readonly depth: number
}

/** SQLite fails at deeper statements; MySQL and MariaDB at 63 levels. Rules add relations of their own. */
const mostInARow = 8

interface Through extends AttributePlace {
  /** Number of relations, including this one. */
  readonly depth: number
}

/** Zones and relations to any type have no attributes in common. */
export function stepThrough({ planning, field, path, others }: AttributePlace): Step {
  const [uid, ...more] = field.targets
  const target = uid === undefined ? undefined : modelOf(planning.schema, uid)
  if (target === undefined || more.length > 0 || isMixed(field) || !planning.isReadable(target))
    throw unknownName(planning, path, field.name, others)
  return { field, target, visible: visible(target, planning.status), path }
}

/** True if a row of NULLs matches. Missing links count as such a row: without an author, `author.name` is NULL. */
function holdsForMissing(condition: Condition<FaultBehindLink>): boolean {
  switch (condition.op) {
    case 'and':
      return condition.of.every(holdsForMissing)
    case 'or':
      return condition.of.some(holdsForMissing)
    case 'test':
      return condition.test.is === 'null' && !condition.negated
    case 'some':
      return condition.orMissing
    case 'linked':
      return !condition.among
    case 'ruled':
    case 'version':
    case 'not in locales':
    case 'fault':
      return false
  }
}

type At = Extract<AskedCondition, { op: 'at' }>

/** Bare comparisons compare ids. */
const among = (model: Model, negated: boolean, depth: number): NameScope => ({
  model,
  column: model.columns.get('id') ?? null,
  negated,
  depth,
})

/** True for conditions on all linked rows instead of one. */
function isAboutAll(asked: AskedCondition): boolean {
  switch (asked.op) {
    case 'and':
    case 'or':
      return asked.of.some(isAboutAll)
    case 'not':
      return isAboutAll(asked.of)
    case 'which':
    case 'count':
      return true
    case 'at':
    case 'compare':
      return false
  }
}

function buildSome(place: Through, asked: AskedCondition, negated: boolean): Condition<FaultBehindLink> {
  const step = stepThrough(place)
  const of = orFault(() => build(place.planning, among(step.target, negated, place.depth), asked))
  return { op: 'some', step, of, orMissing: holdsForMissing(of) }
}

/** Conditions on one row are combined, so that they apply to the same row. */
function buildParts(
  place: Through,
  { op, of }: Extract<AskedCondition, { op: 'and' | 'or' }>,
  negated: boolean,
): Condition<FaultBehindLink> {
  const ofOne = of.filter((part) => !isAboutAll(part))
  const all = of.filter(isAboutAll).map((part) => orFault(() => buildThrough(place, part, negated)))
  const one = ofOne.length === 0 ? [] : [orFault(() => buildSome(place, { op, of: ofOne }, negated))]
  return { op: (op === 'and') === negated ? 'or' : 'and', of: [...one, ...all] }
}

function buildThrough(place: Through, asked: AskedCondition, negated: boolean): Condition<FaultBehindLink> {
  if (!isAboutAll(asked)) return buildSome(place, asked, negated)
  const { planning, depth } = place
  const buildFor = (model: Model, of: AskedCondition, isNegated: boolean): Condition<FaultBehindLink> =>
    build(planning, among(model, isNegated, depth), of)
  const linked = { ...place, negated, build: buildFor }
  switch (asked.op) {
    case 'and':
    case 'or':
      return buildParts(place, asked, negated)
    case 'not':
      return buildThrough(place, asked.of, !negated)
    case 'which':
      return linkedEntries(linked, asked)
    case 'count': {
      const scope = { model: null, column: countColumn, negated, depth }
      return countedEntries(
        linked,
        orFault(() => build(planning, scope, asked.of)),
      )
    }
    case 'at':
    case 'compare':
      return buildSome(place, asked, negated)
  }
}

function buildAt(planning: Planning, scope: NameScope, asked: At): Condition<FaultBehindLink> {
  const { model, negated, depth } = scope
  const field = model?.links.get(asked.name)
  const others = model === null ? [] : [...model.columns.values(), ...model.links.values()]
  const isTooFar = depth === mostInARow
  if (field !== undefined && !isTooFar)
    return buildThrough({ planning, field, path: asked.path, others, depth: depth + 1 }, asked.of, negated)
  if (model === null) throw unknownAmong(asked.path, asked.name, operatorNames)
  const column = storedColumn(planning, model, asked.name)
  if (column !== undefined) return build(planning, { ...scope, model: null, column }, asked.of)
  // Equal errors for relations and unknown names: the role may not be allowed to read the type.
  if (isTooFar) throw malformed(asked.path, `Filters follow at most ${String(mostInARow)} relations in a row`)
  throw unknownName(planning, asked.path, asked.name, others)
}

/**
 * `$not` moves down to the comparisons, so that conditions behind a link apply to one row: an entry with a tag that is
 * not red, not one without a red tag.
 */
function build(planning: Planning, scope: NameScope, asked: AskedCondition): Condition<FaultBehindLink> {
  const { column, negated } = scope
  switch (asked.op) {
    case 'and':
    case 'or':
      return {
        op: (asked.op === 'and') === negated ? 'or' : 'and',
        of: asked.of.map((part) => orFault(() => build(planning, scope, part))),
      }
    case 'not':
      return build(planning, { ...scope, negated: !negated }, asked.of)
    case 'at':
      return buildAt(planning, scope, asked)
    case 'which':
      throw unknownKey(asked.path, asked.quantifier)
    case 'count':
      throw unknownKey(asked.path, '$count')
    case 'compare':
      if (column === null)
        throw malformed(asked.path, `${asked.operator} compares an attribute: none is named`)
      return makeComparison({ planning, column, path: asked.path }, asked, negated)
  }
}

/**
 * Faults stay in their place. Thrown at once, their order relative to refused types would tell hidden names from
 * unknown ones.
 */
export function makeCondition(
  planning: Planning,
  model: Model,
  asked: AskedCondition,
): Condition<FaultBehindLink> {
  return orFault(() => build(planning, { model, column: null, negated: false, depth: 0 }, asked))
}
