import { malformed, unknownKey, type QueryPath } from '../errors'
import { operatorNames } from '../operators'
import type { AskedCondition } from '../query'
import { type Column, type Model, modelOf, unknownAmong, type LinkField, linkedTypes } from '../schema'
import { storedColumn, orFault, type Planning, unknownName, visible, everything } from './planning'
import type { Condition, FaultBehindLink, Step, LinkedEntries } from './level'
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

/** Bare comparisons compare ids. */
const among = (model: Model, negated: boolean, depth: number): NameScope => ({
  model,
  column: model.columns.get('id') ?? null,
  negated,
  depth,
})

/** True for conditions on all linked rows instead of one. */
function isAboutAll(asked: AskedCondition): boolean {
  if (asked.op === 'and' || asked.op === 'or') return asked.of.some(isAboutAll)
  return asked.op === 'which' || (asked.op === 'not' && isAboutAll(asked.of))
}

function buildSome(place: Through, asked: AskedCondition, negated: boolean): Condition<FaultBehindLink> {
  const step = stepThrough(place)
  const of = orFault(() => build(place.planning, among(step.target, negated, place.depth), asked))
  return { op: 'some', step, of, orMissing: holdsForMissing(of) }
}

/** Each quantifier becomes the existence of one entry, or its negation; NULLs do not match `$every`. */
function linkedEntries(
  place: Through,
  { quantifier, of }: Extract<AskedCondition, { op: 'which' }>,
  negated: boolean,
): LinkedEntries<FaultBehindLink> {
  const { planning, field, depth } = place
  const buildFor: BuildFor = (model, part, isNegated) => build(planning, among(model, isNegated, depth), part)
  const conditionOn = (model: Model): Condition<FaultBehindLink> =>
    isMixed(field) ? elementCondition({ field, model, build: buildFor }, of) : buildFor(model, of, false)
  const isCount = quantifier === '$count'
  const number = { model: null, column: countColumn, negated, depth }
  const count = isCount ? orFault(() => build(planning, number, of)) : null
  return {
    op: 'linked',
    asked: quantifier,
    field,
    ways: linkedSteps(place).map((step) => ({
      step,
      of: isCount ? everything : orFault(() => conditionOn(step.target)),
    })),
    named: isMixed(field) && !isCount ? namedTypes(planning, field, of) : [],
    among: count === null ? (quantifier === '$some') !== negated : !isMetByNone(count),
    untrue: quantifier === '$every',
    count,
  }
}

function buildThrough(place: Through, asked: AskedCondition, negated: boolean): Condition<FaultBehindLink> {
  if (asked.op === 'which') return linkedEntries(place, asked, negated)
  if (asked.op === 'at' || asked.op === 'compare' || !isAboutAll(asked))
    return buildSome(place, asked, negated)
  if (asked.op === 'not') return buildThrough(place, asked.of, !negated)
  // Conditions on one row are combined, so that they apply to the same row.
  const { op, of } = asked
  const ofOne = of.filter((part) => !isAboutAll(part))
  const all = of.filter(isAboutAll).map((part) => orFault(() => buildThrough(place, part, negated)))
  const one = ofOne.length === 0 ? [] : [orFault(() => buildSome(place, { op, of: ofOne }, negated))]
  return { op: (op === 'and') === negated ? 'or' : 'and', of: [...one, ...all] }
}

function buildAt(
  planning: Planning,
  scope: NameScope,
  asked: Extract<AskedCondition, { op: 'at' }>,
): Condition<FaultBehindLink> {
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
