import { type StaticValue, unknownValue } from './static-value'

const isPlain = (value: StaticValue): value is string | number | boolean | null | undefined =>
  value === null || !['object', 'symbol'].includes(typeof value)

/** Two lists or objects may be one, under two names. */
function isSame(left: StaticValue, right: StaticValue): boolean | typeof unknownValue {
  if (left === unknownValue || right === unknownValue) return unknownValue
  return left === right || (isPlain(left) || isPlain(right) ? false : unknownValue)
}

/** By `==`: what is made of values of two kinds is not followed. */
function isLike(left: StaticValue, right: StaticValue): boolean | typeof unknownValue {
  if (left === null || left === undefined || right === null || right === undefined)
    return isSame(left ?? null, right ?? null)
  return typeof left === typeof right ? isSame(left, right) : unknownValue
}

const opposite = (value: boolean | typeof unknownValue): StaticValue =>
  value === unknownValue ? unknownValue : !value

function compute(sign: string, left: StaticValue, right: StaticValue): StaticValue {
  switch (sign) {
    case '===':
      return isSame(left, right)
    case '!==':
      return opposite(isSame(left, right))
    case '==':
      return isLike(left, right)
    case '!=':
      return opposite(isLike(left, right))
    default:
      return calculate(sign, left, right)
  }
}

function calculate(sign: string, left: StaticValue, right: StaticValue): StaticValue {
  if (!isPlain(left) || !isPlain(right)) return unknownValue
  if (sign === '+' && (typeof left === 'string' || typeof right === 'string'))
    return `${String(left)}${String(right)}`
  if (typeof left !== 'number' || typeof right !== 'number') return unknownValue
  switch (sign) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    default:
      return unknownValue
  }
}

/** What a sign makes of two values. */
export function operate(sign: string, left: StaticValue, right: () => StaticValue): StaticValue {
  if (left === unknownValue) return unknownValue
  switch (sign) {
    case '&&':
      return isTrue(left) ? right() : left
    case '||':
      return isTrue(left) ? left : right()
    case '??':
      return left ?? right()
    default:
      return compute(sign, left, right())
  }
}

export const isTrue = (value: StaticValue): boolean => Boolean(value)

/** A template, of texts and what stands between them. */
export function fill(texts: readonly string[], holes: readonly StaticValue[]): StaticValue {
  let made = texts[0] ?? ''
  for (const [at, hole] of holes.entries()) {
    if (!isPlain(hole)) return unknownValue
    made += `${String(hole)}${texts[at + 1] ?? ''}`
  }
  return made
}
