import { malformed, type QueryPath, unknownKey } from '../errors'
import type { AskedValue, CompareOperator } from '../query'
import type { Column } from '../schema'
import type { Planning } from './context'
import type { Condition, Operand, Test } from './level'
import { toJson, toOperand, toTruth } from './values'

interface Place {
  readonly planning: Planning
  readonly column: Column
  readonly path: QueryPath
}

/** True or false: what it comes to for every value, so that there is nothing to ask of the database. */
type Made = readonly [test: Test | boolean, negated: boolean]

function textOf(value: AskedValue, path: QueryPath): string {
  if (value === null) throw malformed(path, 'A value is missing')
  return value
}

const operand = ({ planning, column, path }: Place, value: AskedValue): Operand =>
  toOperand(planning, column, textOf(value, path), path)

/** No database compares with a value past all that the attribute can hold, nor need it: nothing stored is equal to it. */
const isPast = (value: Operand): boolean => value === Infinity || value === -Infinity

const equal =
  (ignoreCase: boolean, negated: boolean) =>
  (place: Place, value: AskedValue): Made => {
    if (value === null) return [{ is: 'null' }, negated]
    const text = ignoreCase && place.column.type !== 'string'
    const wanted = operand(place, value)
    if (isPast(wanted)) return [false, negated]
    return [{ is: 'equal', value: wanted, ignoreCase: ignoreCase && !text }, negated]
  }

type Sign = '<' | '<=' | '>' | '>='

/** Everything that is stored is less than Infinity. */
function compared(sign: Sign, value: Operand): Test | boolean {
  if (value === Infinity) return sign.startsWith('<')
  if (value === -Infinity) return sign.startsWith('>')
  return { is: 'ordered', sign, value }
}

const ordered =
  (sign: Sign) =>
  (place: Place, value: AskedValue): Made => [compared(sign, operand(place, value)), false]

const text =
  (part: 'start' | 'end' | 'anywhere', ignoreCase: boolean, negated = false) =>
  ({ planning, path }: Place, value: AskedValue): Made => {
    const wanted = textOf(value, path)
    if (planning.refusesUnstorable && wanted.includes('\0')) throw malformed(path, 'Invalid value: NUL byte')
    return [{ is: 'text', place: part, value: wanted, ignoreCase }, negated]
  }

const missing =
  (negated: boolean) =>
  ({ path }: Place, value: AskedValue): Made => [{ is: 'null' }, toTruth(textOf(value, path)) === negated]

function superset({ planning, column, path }: Place, value: AskedValue): Made {
  const { supersets } = planning
  if (supersets === 'any' || (supersets === 'json' && column.type === 'json')) {
    return [{ is: 'superset', value: toJson(planning, textOf(value, path), path) }, false]
  }
  throw unknownKey(path, '$jsonSupersetOf')
}

const single = {
  $eq: equal(false, false),
  $eqi: equal(true, false),
  $ne: equal(false, true),
  $nei: equal(true, true),
  $lt: ordered('<'),
  $lte: ordered('<='),
  $gt: ordered('>'),
  $gte: ordered('>='),
  $contains: text('anywhere', false),
  $notContains: text('anywhere', false, true),
  $containsi: text('anywhere', true),
  $notContainsi: text('anywhere', true, true),
  $startsWith: text('start', false),
  $startsWithi: text('start', true),
  $endsWith: text('end', false),
  $endsWithi: text('end', true),
  $null: missing(false),
  $notNull: missing(true),
  $jsonSupersetOf: superset,
}

function within(place: Place, values: readonly AskedValue[]): Test | boolean {
  const { maxInValues } = place.planning
  if (values.length > maxInValues) {
    const limit = String(maxInValues)
    throw malformed(place.path, `More than ${limit} values; the option query.maxInValues raises this`)
  }
  const wanted = values.map((value) => operand(place, value))
  const left = wanted.filter((value) => !isPast(value))
  return left.length === 0 && wanted.length > 0 ? false : { is: 'within', values: left }
}

function between(place: Place, [first = null, second = null]: readonly AskedValue[]): Test | boolean {
  const [from, to] = [operand(place, first), operand(place, second)]
  const [least, most] = [compared('>=', from), compared('<=', to)]
  if (least === true) return most
  if (most === true) return least
  return least && most && { is: 'between', from, to }
}

function makeAll(place: Place, operator: CompareOperator, values: readonly AskedValue[]): Made[] {
  if (operator === '$in') return [[within(place, values), false]]
  if (operator === '$notIn') return [[within(place, values), true]]
  if (operator === '$between') return [[between(place, values), false]]
  return values.map((value) => single[operator](place, value))
}

const alwaysMeaningful: readonly CompareOperator[] = ['$null', '$notNull']
const withTextForm: readonly Column['type'][] = ['string', 'id', 'integer', 'biginteger', 'date']

/**
 * JSON has no order and no text that all databases agree on, nor have fractions and instants a text form. Where answers
 * must be the same on every database, such comparisons are refused.
 */
function checkMeaning({ planning, column, path }: Place, operator: CompareOperator): void {
  if (planning.matching === 'database' || alwaysMeaningful.includes(operator)) return
  const isText = /tains|sWith/.test(operator)
  if (column.type === 'json' || (isText && !withTextForm.includes(column.type))) {
    throw malformed(
      path,
      `Invalid operator ${operator}: it has no meaning for ${column.type} that all databases share`,
    )
  }
}

const nothing: Condition<never> = { op: 'or', of: [] }

/** NULL meets no comparison, and neither does it meet the opposite. */
function toCondition(column: Column, test: Test | boolean, negated: boolean): Condition<never> {
  if (typeof test === 'object') return { op: 'test', column, test, negated }
  return test === negated ? nothing : { op: 'test', column, test: { is: 'null' }, negated: true }
}

/** One comparison. Several values for an operator that takes one mean any of them. */
export function makeTest(
  place: Place,
  operator: CompareOperator,
  values: readonly AskedValue[],
  negated: boolean,
): Condition<never> {
  checkMeaning(place, operator)
  const of = makeAll(place, operator, values).map(([test, opposite]) =>
    toCondition(place.column, test, opposite !== negated),
  )
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: negated ? 'and' : 'or', of }
}
