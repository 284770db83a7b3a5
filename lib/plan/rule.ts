import { RequestError } from '../errors'
import type { AskedCondition } from '../query'
import { type ColumnType, type Model, modelOf } from '../schema'
import { makeCondition } from './conditions'
import { toDate, toInstant, toTime } from './operand'
import type { AskerOperand, Condition, FaultBehindLink, Value } from './level'
import type { Planning } from './planning'

/** Rules may use private attributes and any number of values, without grants. */
export function planRule(
  planning: Planning,
  { uid }: Model,
  rule: AskedCondition,
): Condition<FaultBehindLink> {
  const schema = planning.schema.whole()
  const own = { ...planning, schema, maxInValues: Infinity, guessesTruth: false, isReadable: () => true }
  return makeCondition(own, modelOf(schema, uid), rule)
}

export interface CheckedRule {
  readonly faults: readonly RequestError[]
  readonly askers: readonly AskerOperand[]
}

const isAsker = (part: unknown): part is AskerOperand => typeof part === 'object'

function partsIn(condition: Condition<FaultBehindLink>): readonly Condition<FaultBehindLink>[] {
  if (condition.op === 'and' || condition.op === 'or') return condition.of
  if (condition.op === 'some' || condition.op === 'ruled') return [condition.of]
  if (condition.op !== 'linked') return []
  const named = condition.named.filter((one) => one.op === 'fault')
  const count = condition.count === null ? [] : [condition.count]
  return [...named, ...condition.ways.map(({ of }) => of), ...count]
}

/** Settings without a database. */
const anywhere = {
  localeFallback: {},
  defaultLocale: 'en',
  unlistedZoneElements: 'omit',
  maxDepth: Infinity,
  maxNodes: Infinity,
  maxLinks: Infinity,
  maxConditions: Infinity,
  maxInValues: Infinity,
  refusesUnstorable: true,
  status: 'published',
  guessesTruth: false,
  isKey: () => true,
  hasColumn: () => true,
  isReadable: () => true,
} as const

export function checkRule(
  settings: Pick<Planning, 'schema' | 'matching' | 'loadingArtefacts' | 'supersets' | 'typedJson'>,
  model: Model,
  rule: AskedCondition,
): CheckedRule {
  const faults: RequestError[] = []
  const askers: AskerOperand[] = []
  const visit = (condition: Condition<FaultBehindLink>): void => {
    if (condition.op === 'fault') faults.push(condition.error)
    if (condition.op === 'test') {
      const parts: readonly unknown[] = Object.values(condition.test)
      askers.push(...parts.flat().filter(isAsker))
    }
    for (const part of partsIn(condition)) visit(part)
  }
  visit(planRule({ ...anywhere, ...settings }, model, rule))
  return { faults, askers }
}

function integerIn(text: string, bits: number): bigint | undefined {
  const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined
  return value !== undefined && BigInt.asIntN(bits, value) === value ? value : undefined
}

function smallIntegerIn(text: string): number | undefined {
  const value = integerIn(text, 32)
  return value === undefined ? undefined : Number(value)
}

function numberIn(text: string): number | undefined {
  const value = text.trim() === '' ? NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Drivers replace unpaired surrogates, and the result might match another value. */
const unstorable = /\0|\p{Surrogate}/u

const readers: Readonly<Record<ColumnType, (text: string) => Value | undefined>> = {
  id: smallIntegerIn,
  integer: smallIntegerIn,
  biginteger: (text) => integerIn(text, 64),
  float: numberIn,
  decimal: numberIn,
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  date: (text) => toDate(text, []),
  time: (text) => toTime(text, []),
  datetime: (text) => toInstant(text, []),
  timestamp: (text) => toInstant(text, []),
  string: (text) => (unstorable.test(text) ? undefined : text),
  json: () => undefined,
}

/** Undefined for a value of another type. */
export function askerValueOf({ type }: AskerOperand, text: string): Value | undefined {
  try {
    return readers[type](text)
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}
