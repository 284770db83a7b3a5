import { malformed, type QueryPath, unknownKey } from '../errors'
import type { AskedValue, CompareOperator } from '../query'
import type { Column } from '../schema'
import type { Planning } from './context'
import type { Condition, Operand, Test } from './level'
import { checkJson, toOperand, toTruth } from './values'

interface Place {
  readonly planning: Planning
  readonly column: Column
  readonly path: QueryPath
}

type Made = readonly [test: Test, negated: boolean]

function textOf(value: AskedValue, path: QueryPath): string {
  if (value === null) throw malformed(path, 'A value is missing')
  return value
}

const operand = ({ planning, column, path }: Place, value: AskedValue): Operand =>
  toOperand(planning, column, textOf(value, path), path)

const equal =
  (ignoreCase: boolean, negated: boolean) =>
  (place: Place, value: AskedValue): Made => {
    if (value === null) return [{ is: 'null' }, negated]
    const text = ignoreCase && place.column.type !== 'string'
    return [{ is: 'equal', value: operand(place, value), ignoreCase: ignoreCase && !text }, negated]
  }

const ordered =
  (sign: '<' | '<=' | '>' | '>=') =>
  (place: Place, value: AskedValue): Made => [{ is: 'ordered', sign, value: operand(place, value) }, false]

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
    return [{ is: 'superset', value: checkJson(textOf(value, path), path) }, false]
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

function within(place: Place, values: readonly AskedValue[]): Test {
  const { maxInValues } = place.planning
  if (values.length > maxInValues) {
    const limit = String(maxInValues)
    throw malformed(place.path, `More than ${limit} values; the option query.maxInValues raises this`)
  }
  return { is: 'within', values: values.map((value) => operand(place, value)) }
}

function between(place: Place, [from = null, to = null]: readonly AskedValue[]): Test {
  return { is: 'between', from: operand(place, from), to: operand(place, to) }
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

/** One comparison. Several values for an operator that takes one mean any of them. */
export function makeTest(
  place: Place,
  operator: CompareOperator,
  values: readonly AskedValue[],
  negated: boolean,
): Condition<never> {
  checkMeaning(place, operator)
  const of = makeAll(place, operator, values).map(([test, opposite]): Condition<never> => ({
    op: 'test',
    column: place.column,
    test,
    negated: opposite !== negated,
  }))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: negated ? 'and' : 'or', of }
}
