import { LimitError, malformed, type QueryPath, unknownKey, notFound } from '../errors'
import type { AskedCondition, AskedValue, CompareOperator } from '../query'
import type { Column } from '../schema'
import type { Condition, Operand, Test, FaultBehindLink } from './level'
import { nothing, orFault, type Planning } from './planning'
import { type ComparedPlace, toJson, toOperand, toTruth } from './operand'

/** How many entries there are is compared as an integer attribute is. */
export const countColumn: Column = {
  name: '$count',
  column: '',
  type: 'integer',
  searchable: false,
  extent: 'line',
  identifies: false,
}

const inText = {
  start: (text: string, part: string) => text.startsWith(part),
  end: (text: string, part: string) => text.endsWith(part),
  anywhere: (text: string, part: string) => text.includes(part),
} as const

const signs = {
  '<': (value: number) => 0 < value,
  '<=': (value: number) => 0 <= value,
  '>': (value: number) => 0 > value,
  '>=': (value: number) => 0 >= value,
} as const

function meets(test: Test): boolean {
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
      return inText[test.place]('0', test.value)
  }
}

/**
 * Whether none at all is a number that meets the condition. Entries that lead nowhere are in no table of links: they are
 * found as those that are not among the others.
 */
export function isMetByNone(condition: Condition<FaultBehindLink>): boolean {
  switch (condition.op) {
    case 'and':
      return condition.of.every(isMetByNone)
    case 'or':
      return condition.of.some(isMetByNone)
    case 'test':
      return meets(condition.test) !== condition.negated
    case 'some':
    case 'linked':
    case 'ruled':
    case 'version':
    case 'not in locales':
    case 'fault':
      return false
  }
}

/** Not all that a number may be written as: `1e3` and `0x10` are no way to say which entry is meant. */
const isInteger = (text: string): boolean => /^-?\d+$/.test(text)

/** Which row has a value that is part of a path: as `$eq` finds it. What no row can have leads nowhere, like a path. */
export function identifiedBy(planning: Planning, column: Column, value: string): Condition<never> {
  if (column.type !== 'string' && !isInteger(value)) throw notFound()
  const made = orFault(() =>
    makeComparison(
      { planning, column, path: [] },
      { op: 'compare', operator: '$eq', values: [value], path: [] },
      false,
    ),
  )
  if (made.op === 'fault') throw notFound()
  return made
}

/** True or false: what it comes to for every value, so that there is nothing to ask of the database. */
type Made = readonly [test: Test | boolean, negated: boolean]

const noAsker = (path: QueryPath): Error =>
  malformed(
    path,
    'No value of whoever asks can stand here: compare with $eq, $ne, $in, $notIn, $lt, $lte, $gt, $gte, $between',
  )

function textOf(value: AskedValue, path: QueryPath): string {
  if (value === null) throw malformed(path, 'A value is missing')
  if (typeof value === 'object') throw noAsker(path)
  return value
}

function operand(place: ComparedPlace, value: AskedValue): Operand {
  const { path, column } = place
  if (value === null || typeof value === 'string') return toOperand(place, textOf(value, path))
  if (column.type === 'json') throw malformed(path, 'No value of whoever asks is compared with JSON')
  // Whether none at all meets a number decides how it is asked.
  if (column === countColumn) throw malformed(path, 'No value of whoever asks is compared with $count')
  return { asker: value.asker, type: column.type }
}

const whole: readonly Column['type'][] = ['id', 'integer']

/**
 * What the attribute cannot hold is not asked for: no database compares with a value past all numbers, and MariaDB finds 1 in an
 * index where 0.5 is looked for.
 */
const isNowhere = (value: Operand, { column }: ComparedPlace): boolean =>
  typeof value === 'number' &&
  (!Number.isFinite(value) || (whole.includes(column.type) && !Number.isSafeInteger(value)))

const equal =
  (ignoreCase: boolean, negated: boolean) =>
  (place: ComparedPlace, value: AskedValue): Made => {
    if (value === null) return [{ is: 'null' }, negated]
    const { type } = place.column
    // Where JSON is kept as text, or compared as a JSON string, its text has a case that may be ignored.
    const hasCase = type === 'string' || (type === 'json' && !place.planning.typedJson)
    const wanted = operand(place, value)
    if (isNowhere(wanted, place)) return [false, negated]
    if (ignoreCase && typeof wanted === 'object') throw noAsker(place.path)
    return [{ is: 'equal', value: wanted, ignoreCase: ignoreCase && hasCase }, negated]
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
  (place: ComparedPlace, value: AskedValue): Made => [compared(sign, operand(place, value)), false]

const text =
  (part: 'start' | 'end' | 'anywhere', ignoreCase: boolean, negated = false) =>
  ({ planning, path }: ComparedPlace, value: AskedValue): Made => {
    const wanted = textOf(value, path)
    if (planning.refusesUnstorable && wanted.includes('\0')) throw malformed(path, 'Invalid value: NUL byte')
    return [{ is: 'text', place: part, value: wanted, ignoreCase }, negated]
  }

/** A list or an object has no values: Strapi takes it for true. */
const missing =
  (operator: '$null' | '$notNull') =>
  ({ planning, path }: ComparedPlace, [value]: readonly AskedValue[]): Made => {
    if (value === undefined && !(planning.loadingArtefacts && planning.guessesTruth))
      throw malformed(path, `Invalid value for ${operator}: expected true or false`)
    const isTrue = value === undefined || toTruth(planning, textOf(value, path), path)
    return [{ is: 'null' }, isTrue === (operator === '$notNull')]
  }

function superset({ planning, column, path }: ComparedPlace, value: AskedValue): Made {
  const { supersets } = planning
  if ((supersets === 'any' && column !== countColumn) || (supersets === 'json' && column.type === 'json')) {
    return [{ is: 'superset', value: toJson(planning, textOf(value, path), path) }, false]
  }
  throw unknownKey(path, '$jsonSupersetOf')
}

const within =
  (negated: boolean) =>
  (place: ComparedPlace, values: readonly AskedValue[]): Made => {
    const { maxInValues } = place.planning
    if (values.length > maxInValues) {
      const limit = String(maxInValues)
      throw new LimitError('maxInValues', place.path, `More than ${limit} values`)
    }
    const wanted = values.map((value) => operand(place, value))
    const left = wanted.filter((value) => !isNowhere(value, place))
    return [left.length === 0 && wanted.length > 0 ? false : { is: 'within', values: left }, negated]
  }

function between(place: ComparedPlace, [first = null, second = null]: readonly AskedValue[]): Made {
  const [from, to] = [operand(place, first), operand(place, second)]
  const [least, most] = [compared('>=', from), compared('<=', to)]
  if (least === true) return [most, false]
  if (most === true) return [least, false]
  return [least && most && { is: 'between', from, to }, false]
}

/** What is compared, which decides for which attributes an operator has a meaning. */
type Compares = 'presence' | 'value' | 'text' | 'json'

type Operator = { readonly compares: Compares } & (
  | { readonly each: (place: ComparedPlace, value: AskedValue) => Made }
  | { readonly all: (place: ComparedPlace, values: readonly AskedValue[]) => Made }
)

export const operators: Readonly<Record<CompareOperator, Operator>> = {
  $eq: { compares: 'value', each: equal(false, false) },
  $eqi: { compares: 'value', each: equal(true, false) },
  $ne: { compares: 'value', each: equal(false, true) },
  $nei: { compares: 'value', each: equal(true, true) },
  $lt: { compares: 'value', each: ordered('<') },
  $lte: { compares: 'value', each: ordered('<=') },
  $gt: { compares: 'value', each: ordered('>') },
  $gte: { compares: 'value', each: ordered('>=') },
  $in: { compares: 'value', all: within(false) },
  $notIn: { compares: 'value', all: within(true) },
  $between: { compares: 'value', all: between },
  $contains: { compares: 'text', each: text('anywhere', false) },
  $notContains: { compares: 'text', each: text('anywhere', false, true) },
  $containsi: { compares: 'text', each: text('anywhere', true) },
  $notContainsi: { compares: 'text', each: text('anywhere', true, true) },
  $startsWith: { compares: 'text', each: text('start', false) },
  $startsWithi: { compares: 'text', each: text('start', true) },
  $endsWith: { compares: 'text', each: text('end', false) },
  $endsWithi: { compares: 'text', each: text('end', true) },
  $null: { compares: 'presence', all: missing('$null') },
  $notNull: { compares: 'presence', all: missing('$notNull') },
  $jsonSupersetOf: { compares: 'json', each: superset },
}

const withTextForm: readonly Column['type'][] = ['string', 'id', 'integer', 'biginteger', 'date']

/**
 * Where answers must be the same on every database, what means the same on all is compared alone: JSON has no order and no
 * text that all databases agree on, nor have fractions and instants a text form.
 */
export function hasMeaning(
  operator: CompareOperator,
  type: Column['type'],
  matching: ComparedPlace['planning']['matching'],
): boolean {
  const { compares } = operators[operator]
  switch (compares) {
    case 'presence':
      return true
    case 'value':
      return matching === 'database' || type !== 'json'
    case 'text':
      return matching === 'database' || withTextForm.includes(type)
    case 'json':
      return matching === 'database'
  }
}

function checkMeaning({ planning, column, path }: ComparedPlace, operator: CompareOperator): void {
  if (hasMeaning(operator, column.type, planning.matching)) return
  throw malformed(
    path,
    `Invalid operator ${operator}: it has no meaning for ${column.type} that all databases share`,
  )
}

/** NULL meets no comparison, and neither does it meet the opposite. */
function toCondition(column: Column, test: Test | boolean, negated: boolean): Condition<never> {
  if (typeof test === 'object') return { op: 'test', column, test, negated }
  return test === negated ? nothing : { op: 'test', column, test: { is: 'null' }, negated: true }
}

/** One comparison. Several values for an operator that takes one mean any of them. */
export function makeComparison(
  place: ComparedPlace,
  { operator, values }: Extract<AskedCondition, { op: 'compare' }>,
  negated: boolean,
): Condition<never> {
  // Whether there is a value may be asked of any, in the host's own words by `null`.
  if (values.some((value) => value !== null)) checkMeaning(place, operator)
  const made = operators[operator]
  const all = 'all' in made ? [made.all(place, values)] : values.map((value) => made.each(place, value))
  const of = all.map(([test, opposite]) => toCondition(place.column, test, opposite !== negated))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: negated ? 'and' : 'or', of }
}
