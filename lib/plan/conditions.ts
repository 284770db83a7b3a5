import { malformed, unknownKey, type QueryPath } from '../errors'
import { nameOperators, operatorNames, operators } from '../operators'
import type { QueryComparison, QueryCondition } from '../query'
import {
  attributeAt,
  type Column,
  type LinkField,
  linkedTypes,
  type Model,
  modelOf,
  unknownAmong,
} from '../schema'
import { linkAsStrapi } from './as-strapi'
import { countColumn, isMetByNone, makeComparison } from './comparisons'
import type { Condition, FaultBehindLink, LinkedEntries, NamedType, PlacedAttribute, Step } from './level'
import {
  everything,
  type KnownName,
  nothing,
  orFault,
  type Planning,
  storedColumn,
  unknownName,
  visible,
} from './planning'

/** Conditions on such links name the types. */
const isMixed = ({ role }: LinkField): boolean => role === 'zone' || role === 'morph'

/** Attribute with a link, and the names to suggest in its place. */
export interface AttributePlace {
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
  /** Zone or relation to any type, of which the conditions name types; else null. */
  readonly element: LinkField | null
  readonly negated: boolean
  readonly depth: number
}

/** SQLite fails at deeper statements; MySQL and MariaDB at 63 levels. Rules add relations of their own. */
const mostInARow = 8

interface Through extends AttributePlace {
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

/** Null if the role may not use the attribute. */
export function placeAttribute(planning: Planning, own: Model, path: string): PlacedAttribute | null {
  const found = attributeAt(planning.schema, own, path)
  if (found?.links.every(({ target }) => planning.isReadable(target)) !== true) return null
  const { links, model, column } = found
  const among: PlacedAttribute['among'] = (met) =>
    links.reduceRight<Condition<never>>((of, link) => {
      const step = { ...link, visible: visible(link.target, planning.status), path: [path] }
      return { op: 'some', step, of, orMissing: false }
    }, met)
  return { model, column, isOwn: links.length === 0 && column.shownIn === undefined, among }
}

/** True if a row of NULLs matches. Missing links count as such a row: without an author, `author.name` is NULL. */
function holdsForMissing(condition: Condition): boolean {
  if (condition.op === 'and') return condition.of.every(holdsForMissing)
  if (condition.op === 'or') return condition.of.some(holdsForMissing)
  if (condition.op === 'test') return condition.test.is === 'null' && !condition.negated
  if (condition.op === 'some') return condition.orMissing
  return condition.op === 'linked' && !condition.among
}

function among(model: Model, negated: boolean, depth: number): NameScope {
  const column = model.columns.get('id') ?? null
  return { model, column, element: null, negated, depth }
}

/** True for conditions on all linked rows instead of one. */
function isAboutAll(asked: QueryCondition): boolean {
  if (asked.op === 'and' || asked.op === 'or') return asked.of.some(isAboutAll)
  return asked.op === 'which' || (asked.op === 'not' && isAboutAll(asked.of))
}

function buildSome(place: Through, asked: QueryCondition, negated: boolean): Condition {
  const step = stepThrough(place)
  const of = orFault(() => build(place.planning, among(step.target, negated, place.depth), asked))
  return { op: 'some', step, of, orMissing: holdsForMissing(of) }
}

/** Each quantifier becomes the existence of one entry, or its negation; NULLs do not match `$every`. */
function linkedEntries(
  place: Through,
  { quantifier, of }: Extract<QueryCondition, { op: 'which' }>,
  negated: boolean,
): LinkedEntries {
  const { planning, field, depth } = place
  const scopeOf = (model: Model): NameScope => {
    const scope = among(model, false, depth)
    return isMixed(field) ? { ...scope, column: null, element: field } : scope
  }
  const isCount = quantifier === '$count'
  const number = { model: null, column: countColumn, element: null, negated, depth }
  const count = isCount ? orFault(() => build(planning, number, of)) : null
  return {
    op: 'linked',
    asked: quantifier,
    field,
    ways: linkedSteps(place).map((step) => ({
      step,
      of: isCount ? everything : orFault(() => build(planning, scopeOf(step.target), of)),
    })),
    named: isMixed(field) && !isCount ? namedTypes(planning, field, of) : [],
    among: count === null ? (quantifier === '$some') !== negated : !isMetByNone(count),
    untrue: quantifier === '$every',
    count,
  }
}

function buildThrough(place: Through, asked: QueryCondition, negated: boolean): Condition {
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

function buildAt(planning: Planning, scope: NameScope, asked: AtCondition): Condition {
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

/** `$not` moves down to the comparisons: an entry with a tag that is not red, not one without a red tag. */
function build(planning: Planning, scope: NameScope, asked: QueryCondition): Condition {
  const { model, column, element, negated } = scope
  switch (asked.op) {
    case 'and':
    case 'or': {
      const op = (asked.op === 'and') === negated ? 'or' : 'and'
      const of = asked.of.map((part) => orFault(() => build(planning, scope, part)))
      return element === null ? { op, of } : joinedBy(op, of)
    }
    case 'not':
      return build(planning, { ...scope, negated: !negated }, asked.of)
    case 'at':
      if (element === null || model === null) return buildAt(planning, scope, asked)
      return buildAtElement(planning, { ...scope, model, element }, asked)
    case 'which':
      throw unknownKey(asked.path, asked.quantifier)
    case 'compare':
      if (column === null) throw malformed(asked.path, `${asked.operator} needs an attribute to compare`)
      return makeComparison({ planning, column, path: asked.path }, asked, negated)
  }
}

/** Faults stay in their place: thrown at once, they would distinguish hidden names from unknown ones. */
export function makeCondition(planning: Planning, model: Model, asked: QueryCondition): Condition {
  const scope = { model, column: null, element: null, negated: false, depth: 0 }
  return orFault(() => build(planning, scope, asked))
}

// Conditions on zones and relations to any type: `__component` or `__type` compares the type, `on` holds
// conditions by type.

type AtCondition = Extract<QueryCondition, { op: 'at' }>

const tagOf = ({ role }: LinkField): string => (role === 'zone' ? '__component' : '__type')

function fragmentsOf({ of, path }: AtCondition): readonly AtCondition[] {
  const parts = of.op === 'and' ? of.of : [of]
  const length = [...path].length + 1
  return parts.map((part) => {
    if (part.op === 'at' && [...part.path].length === length) return part
    throw malformed(path, 'Invalid key on: expected an object with conditions for each type')
  })
}

function typesIn({ operator, values, path }: QueryComparison): readonly string[] {
  if (!nameOperators.includes(operator)) throw unknownAmong(path, operator, nameOperators)
  return values.map((value) => {
    if (typeof value === 'string') return value
    throw malformed(path, 'A value is missing')
  })
}

function comparisonsIn(asked: QueryCondition): readonly QueryComparison[] {
  switch (asked.op) {
    case 'and':
    case 'or':
      return asked.of.flatMap(comparisonsIn)
    case 'not':
      return comparisonsIn(asked.of)
    case 'compare':
      return [asked]
    case 'at':
      throw unknownKey(asked.path, asked.name)
    case 'which':
      throw unknownKey(asked.path, asked.quantifier)
  }
}

interface TypeName {
  readonly uid: string
  readonly path: QueryPath
}

function namesIn(field: LinkField, asked: QueryCondition): readonly TypeName[] {
  if (asked.op === 'and' || asked.op === 'or') return asked.of.flatMap((part) => namesIn(field, part))
  if (asked.op === 'not') return namesIn(field, asked.of)
  if (asked.op !== 'at') return []
  if (asked.name === 'on') return fragmentsOf(asked).map(({ name, path }) => ({ uid: name, path }))
  if (asked.name !== tagOf(field)) return []
  return comparisonsIn(asked.of).flatMap((one) => typesIn(one).map((uid) => ({ uid, path: one.path })))
}

export const typesOf = ({ targets }: LinkField): Iterable<KnownName> =>
  targets.map((uid) => ({ name: uid, targets: [uid] }))

/** Named types of a condition; others than those of the link become faults. */
function namedTypes(
  planning: Planning,
  field: LinkField,
  asked: QueryCondition,
): readonly (NamedType | FaultBehindLink)[] {
  const names = orFault(() => ({ op: 'names' as const, all: namesIn(field, asked) }))
  if (names.op === 'fault') return [names]
  return names.all.map(({ uid, path }) =>
    orFault(() => {
      const known = field.targets.find((one) => one === uid)
      const target = known === undefined ? undefined : modelOf(planning.schema, known)
      if (target === undefined || !planning.isReadable(target))
        throw unknownName(planning, path, uid, typesOf(field))
      return { op: 'named', target, path }
    }),
  )
}

/** False if a fault or a refused type may be inside. */
function isForAll(condition: Condition): boolean {
  return condition.op === 'and' || condition.op === 'or'
    ? condition.of.every(isForAll)
    : condition.op === 'test'
}

/** Constant parts are removed: most conditions are about other types. */
function joinedBy(op: 'and' | 'or', parts: readonly Condition[]): Condition {
  const [neutral, deciding] = op === 'and' ? [everything, nothing] : [nothing, everything]
  if (parts.includes(deciding) && parts.every(isForAll)) return deciding
  const of = parts.filter((part) => part !== neutral)
  const [only] = of
  if (only === undefined) return neutral
  return of.length === 1 ? only : { op, of }
}

function tagCondition({ uid }: Model, asked: QueryCondition, negated: boolean): Condition<never> {
  const holds = (part: QueryCondition): boolean => {
    if (part.op === 'and') return part.of.every(holds)
    if (part.op === 'or') return part.of.some(holds)
    if (part.op === 'not') return !holds(part.of)
    return part.op === 'compare' && typesIn(part).includes(uid) !== operators[part.operator].negated
  }
  return holds(asked) !== negated ? everything : nothing
}

function buildAtElement(
  planning: Planning,
  { model, element, negated, depth }: NameScope & { readonly model: Model; readonly element: LinkField },
  asked: AtCondition,
): Condition {
  if (asked.name === tagOf(element)) return tagCondition(model, asked.of, negated)
  if (asked.name !== 'on') throw unknownAmong(asked.path, asked.name, ['on', tagOf(element)])
  // Fragments of other types do not apply.
  const own = fragmentsOf(asked).filter(({ name }) => name === model.uid)
  return joinedBy(
    negated ? 'and' : 'or',
    own.map(({ of }) => orFault(() => build(planning, among(model, negated, depth), of))),
  )
}
