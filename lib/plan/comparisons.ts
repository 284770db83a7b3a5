import { LimitError, malformed, type QueryPath, unknownKey, notFound } from '../errors'
import {
  type CompareOperator,
  compareOperators,
  hasMeaning,
  nameOperators,
  type Operator,
  operators,
  type TextTest,
} from '../operators'
import type { QueryComparison, RawValue } from '../query'
import { type Column, plainColumn } from '../schema'
import type { Condition, Operand, Test } from './level'
import { nothing, orFault, type Planning } from './planning'
import { type ComparedPlace, toJson, toOperand, toText, toTruth } from './operand'

export const countColumn: Column = { ...plainColumn('$count', 'integer'), column: '' }

const signs = {
  '<': (value: number) => 0 < value,
  '<=': (value: number) => 0 <= value,
  '>': (value: number) => 0 > value,
  '>=': (value: number) => 0 >= value,
} as const

function isMetByZero(test: Test): boolean {
  switch (test.is) {
    case 'null':
    case 'superset':
      return false
    case 'equal':
      return Number(test.value) === 0
    case 'ordered':
      return signs[test.sign](Number(test.value))
    case 'within':
      return test.values.some((value) => Number(value) === 0)
    case 'between':
      return signs['>='](Number(test.from)) && signs['<='](Number(test.to))
    case 'text':
      return '0'.includes(test.value)
  }
}

/** True if zero meets the condition. Entries without links are in no join table: they are found by negation. */
export function isMetByNone(condition: Condition): boolean {
  if (condition.op === 'and') return condition.of.every(isMetByNone)
  if (condition.op === 'or') return condition.of.some(isMetByNone)
  return condition.op === 'test' && isMetByZero(condition.test) !== condition.negated
}

/** Values that no row can have are a 404, like unknown paths. */
export function identifiedBy(planning: Planning, column: Column, value: string): Condition<never> {
  // Forms such as `1e3` and `0x10` do not identify an entry.
  if (column.type !== 'string' && !/^-?\d+$/.test(value)) throw notFound()
  const asked = { op: 'compare', operator: '$eq', values: [value], path: [] } as const
  const made = orFault(() => makeComparison({ planning, column, path: [] }, asked, false))
  if (made.op === 'fault') throw notFound()
  return made
}

type Made = Test | boolean

const withOrder = compareOperators.filter((name) => ['ordered', 'between'].includes(operators[name].test.is))
const withAsker = [...nameOperators, ...withOrder].join(', ')

const noAsker = (path: QueryPath): Error => malformed(path, `$asker is not supported here: use ${withAsker}`)

function textOf(value: RawValue, path: QueryPath): string {
  if (value === null) throw malformed(path, 'A value is missing')
  if (typeof value === 'object') throw noAsker(path)
  return value
}

function operand(place: ComparedPlace, value: RawValue): Operand {
  const { path, column } = place
  if (value === null || typeof value === 'string') return toOperand(place, textOf(value, path))
  if (column.type === 'json') throw malformed(path, '$asker is not supported for JSON')
  // `isMetByNone` needs the values when the plan is made.
  if (column === countColumn) throw malformed(path, '$asker is not supported with $count')
  return { asker: value.asker, type: column.type }
}

/** Impossible values are not sent: databases reject numbers out of range, and MariaDB's indexes find 1 for 0.5. */
const isNowhere = (value: Operand, { column }: ComparedPlace): boolean =>
  typeof value === 'number' &&
  (!Number.isFinite(value) ||
    ((column.type === 'id' || column.type === 'integer') && !Number.isSafeInteger(value)))

const isNull: Test = { is: 'null' }

function equal(place: ComparedPlace, ignoreCase: boolean, value: RawValue): Made {
  if (value === null) return isNull
  const { type } = place.column
  // JSON as text has a case; typed JSON has not.
  const hasCase = type === 'string' || (type === 'json' && !place.planning.typedJson)
  const wanted = operand(place, value)
  if (isNowhere(wanted, place)) return false
  if (ignoreCase && typeof wanted === 'object') throw noAsker(place.path)
  return { is: 'equal', value: wanted, ignoreCase: ignoreCase && hasCase }
}

function ordered(sign: keyof typeof signs, value: Operand): Made {
  if (value === Infinity) return sign.startsWith('<')
  if (value === -Infinity) return sign.startsWith('>')
  return { is: 'ordered', sign, value }
}

function text({ planning, path }: ComparedPlace, { place, ignoreCase }: TextTest, value: RawValue): Test {
  return { is: 'text', place, value: toText(textOf(value, path), path, planning), ignoreCase }
}

function superset({ planning, column, path }: ComparedPlace, value: RawValue): Test {
  const { supersets } = planning
  if ((supersets === 'any' && column !== countColumn) || (supersets === 'json' && column.type === 'json')) {
    return { is: 'superset', value: toJson(textOf(value, path), path, planning) }
  }
  throw unknownKey(path, '$jsonSupersetOf')
}

function within(place: ComparedPlace, values: readonly RawValue[]): Made {
  const { maxInValues } = place.planning
  if (values.length > maxInValues)
    throw new LimitError('maxInValues', place.path, `The list has more than ${String(maxInValues)} values`)
  const wanted = values.map((value) => operand(place, value))
  const left = wanted.filter((value) => !isNowhere(value, place))
  return left.length === 0 && wanted.length > 0 ? false : { is: 'within', values: left }
}

function between(place: ComparedPlace, [first = null, second = null]: readonly RawValue[]): Made {
  const [from, to] = [operand(place, first), operand(place, second)]
  const [least, most] = [ordered('>=', from), ordered('<=', to)]
  if (least === true) return most
  if (most === true) return least
  return least && most && { is: 'between', from, to }
}

/** Strapi reads lists and objects as true. */
function isTruth(
  { planning, path }: ComparedPlace,
  operator: CompareOperator,
  [value]: readonly RawValue[],
): boolean {
  if (value !== undefined) return toTruth(textOf(value, path), path, planning)
  if (planning.loadingArtefacts && planning.guessesTruth) return true
  throw malformed(path, `Invalid value for ${operator}: expected true or false`)
}

/** NULL meets neither a comparison nor its opposite. */
function toCondition(column: Column, test: Made, negated: boolean): Condition<never> {
  if (typeof test === 'object') return { op: 'test', column, test, negated }
  return test === negated ? nothing : { op: 'test', column, test: isNull, negated: true }
}

function makeTests(
  place: ComparedPlace,
  test: Operator['test'],
  values: readonly RawValue[],
): readonly Made[] {
  switch (test.is) {
    case 'null':
      return [isNull]
    case 'within':
      return [within(place, values)]
    case 'between':
      return [between(place, values)]
    case 'equal':
      return values.map((value) => equal(place, test.ignoreCase, value))
    case 'ordered':
      return values.map((value) => ordered(test.sign, operand(place, value)))
    case 'text':
      return values.map((value) => text(place, test, value))
    case 'superset':
      return values.map((value) => superset(place, value))
  }
}

/** Several values for an operator that takes one mean any of them. */
export function makeComparison(
  place: ComparedPlace,
  { operator, values }: QueryComparison,
  negated: boolean,
): Condition<never> {
  const { planning, column, path } = place
  // Comparisons with null have a meaning for each type.
  const isComparing = values.some((value) => value !== null)
  if (isComparing && !hasMeaning(operator, column.type, planning.matching))
    throw malformed(path, `Invalid operator ${operator}: databases apply it differently to ${column.type}`)
  const { test, value: kind, negated: isOpposite } = operators[operator]
  const isFalse = kind === 'truth' && !isTruth(place, operator, values)
  const opposite = (isOpposite !== negated) !== isFalse
  const of = makeTests(place, test, values).map((made) => toCondition(column, made, opposite))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: negated ? 'and' : 'or', of }
}
