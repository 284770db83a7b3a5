import { malformed, type QueryPath, unknownKey } from '../errors'
import type { AskedCondition } from '../query'
import { type Column, type LinkField, type Model, modelOf } from '../schema'
import { storedColumn } from './choose-columns'
import { orFault, type Planning, visible } from './planning'
import type { Condition, FaultBehindLink, Step } from './level'
import { makeComparison } from './comparisons'

/** What names and comparisons refer to: a model's attributes, and the column that a bare comparison is about. */
interface NameScope {
  readonly model: Model | null
  readonly column: Column | null
  /** Whether an odd number of `$not` stands above. */
  readonly negated: boolean
}

/** Zones and relations to any type have no one type whose attributes a condition could name. */
export function stepThrough(planning: Planning, field: LinkField, path: QueryPath): Step {
  const [uid, ...others] = field.targets
  if (uid === undefined || others.length > 0 || field.role === 'zone' || field.role === 'morph') {
    throw unknownKey(path, field.name)
  }
  const target = modelOf(planning.schema, uid)
  return { field, target, visible: visible(target, planning.status), path }
}

/**
 * Whether a row of nothing but NULLs meets the condition. A row that a link leads nowhere from is such a row to the
 * conditions behind the link: without an author, `author.name` is NULL.
 */
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
    case 'version':
    case 'not in locales':
    case 'fault':
      return false
  }
}

type At = Extract<AskedCondition, { op: 'at' }>

function buildAt(planning: Planning, scope: NameScope, asked: At): Condition<FaultBehindLink> {
  const { model, negated } = scope
  const field = model?.links.get(asked.name)
  if (field !== undefined) {
    const step = stepThrough(planning, field, asked.path)
    const below = { model: step.target, column: step.target.columns.get('id') ?? null, negated }
    const of = orFault(() => build(planning, below, asked.of))
    return { op: 'some', step, of, orMissing: holdsForMissing(of) }
  }
  const column = model === null ? undefined : storedColumn(planning, model, asked.name)
  if (column === undefined) throw unknownKey(asked.path, asked.name)
  return build(planning, { model: null, column, negated }, asked.of)
}

/**
 * `$not` is carried down to the comparisons, so that a condition behind a link is about one row there: an entry with a
 * tag that is not red, rather than an entry without a red tag.
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
    case 'compare':
      if (column === null)
        throw malformed(asked.path, `${asked.operator} compares an attribute: none is named`)
      return makeComparison({ planning, column, path: asked.path }, asked, negated)
  }
}

/**
 * Every fault is kept in its place. Raised at once it would come before the refusal of a type that the role may not read,
 * and after that of an unknown name: two faults in one query would tell the one from the other.
 */
export function makeCondition(
  planning: Planning,
  model: Model,
  asked: AskedCondition,
): Condition<FaultBehindLink> {
  return orFault(() => build(planning, { model, column: null, negated: false }, asked))
}
