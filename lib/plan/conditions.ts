import { malformed, unknownKey } from '../errors'
import type { AskedCondition } from '../query'
import { type Column, type LinkField, type Model, modelOf } from '../schema'
import { storedColumn } from './columns'
import { orFault, type Planning, visible } from './context'
import type { Condition, Fault, Step } from './level'
import { makeTest } from './tests'

/** What names and comparisons refer to: a model's attributes, and the column that a bare comparison is about. */
interface Scope {
  /** How many links lead here. */
  readonly hops: number
  readonly model: Model | null
  readonly column: Column | null
}

/** Zones and relations to any type have no one type whose attributes a condition could name. */
export function stepThrough(planning: Planning, field: LinkField, path: readonly string[]): Step {
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
function holdsForMissing(condition: Condition<Fault>): boolean {
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
    case 'fault':
      return false
  }
}

/** MySQL and MariaDB nest 63 statements at most, and a deep nest is handed to them in pieces, which nest as well. */
const mostHops = 36

/**
 * At every link, a condition that missing rows meet asks a second question. SQLite's parser and MariaDB's optimizer give
 * up on a nest of those long before they do on a nest of plain ones.
 */
const mostMissing = 10

function missingLinks(condition: Condition<Fault>): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return Math.max(0, ...condition.of.map(missingLinks))
    case 'some':
      return missingLinks(condition.of) + (condition.orMissing ? 1 : 0)
    case 'test':
    case 'version':
    case 'fault':
      return 0
  }
}

function checkMissing(condition: Condition<Fault>, { path }: At): void {
  if (missingLinks(condition) < mostMissing) return
  throw malformed(
    path,
    `A condition that missing entries meet leads through at most ${String(mostMissing)} links`,
  )
}

function through(
  planning: Planning,
  { hops }: Scope,
  field: LinkField,
  asked: At,
  negated: boolean,
): Condition<Fault> {
  const step = stepThrough(planning, field, asked.path)
  const scope = { hops: hops + 1, model: step.target, column: step.target.columns.get('id') ?? null }
  if (scope.hops > mostHops)
    throw malformed(asked.path, `Conditions lead through at most ${String(mostHops)} links`)
  const of = orFault(() => {
    const made = build(planning, scope, asked.of, negated)
    if (holdsForMissing(made)) checkMissing(made, asked)
    return made
  })
  return { op: 'some', step, of, orMissing: holdsForMissing(of) }
}

type At = Extract<AskedCondition, { op: 'at' }>

function buildAt(planning: Planning, scope: Scope, asked: At, negated: boolean): Condition<Fault> {
  const { model, hops } = scope
  const field = model?.links.get(asked.name)
  if (field !== undefined) return through(planning, scope, field, asked, negated)
  const column = model === null ? undefined : storedColumn(planning, model, asked.name)
  if (column === undefined) throw unknownKey(asked.path, asked.name)
  return build(planning, { hops, model: null, column }, asked.of, negated)
}

/**
 * `$not` is carried down to the comparisons, so that a condition behind a link is about one row there: an entry with a
 * tag that is not red, rather than an entry without a red tag.
 */
function build(planning: Planning, scope: Scope, asked: AskedCondition, negated: boolean): Condition<Fault> {
  switch (asked.op) {
    case 'and':
    case 'or':
      return {
        op: (asked.op === 'and') === negated ? 'or' : 'and',
        of: asked.of.map((part) => build(planning, scope, part, negated)),
      }
    case 'not':
      return build(planning, scope, asked.of, !negated)
    case 'at':
      planning.spend(asked.path)
      return buildAt(planning, scope, asked, negated)
    case 'compare': {
      planning.spend(asked.path)
      const { column } = scope
      if (column === null)
        throw malformed(asked.path, `${asked.operator} compares an attribute: none is named`)
      return makeTest({ planning, column, path: asked.path }, asked.operator, asked.values, negated)
    }
  }
}

export function makeCondition(planning: Planning, model: Model, asked: AskedCondition): Condition<Fault> {
  return build(planning, { hops: 0, model, column: null }, asked, false)
}
