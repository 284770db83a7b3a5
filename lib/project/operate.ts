import { type StaticValue, unknownValue } from './static-value'

const isPlain = (value: StaticValue): boolean =>
  value === null || !['object', 'symbol'].includes(typeof value)

function compute(sign: string, left: StaticValue, right: StaticValue): StaticValue {
  if (!isPlain(left) || !isPlain(right)) return unknownValue
  switch (sign) {
    case '===':
      return left === right
    case '!==':
      return left !== right
  }
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') return left + right
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
    if (typeof hole !== 'string' && typeof hole !== 'number') return unknownValue
    made += `${String(hole)}${texts[at + 1] ?? ''}`
  }
  return made
}
