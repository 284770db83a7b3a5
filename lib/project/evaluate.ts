import type { Expression, Member, SpreadPart, Pattern } from './expression'
import { moduleStatements, type ModuleStatement } from './module-statements'
import {
  isList,
  isStaticFunction,
  isStaticRecord,
  memberOf,
  staticFunction,
  type StaticValue,
  unknownKey,
  unknownValue,
} from './static-value'
import { type Token, tokensOf, UnreadableText } from './tokens'

/** What names mean, and what a module is that is imported. */
export interface Scope {
  readonly names: ReadonlyMap<string, StaticValue>
  readonly modules: ReadonlyMap<string, StaticValue>
}

function bind(pattern: Pattern, value: StaticValue, names: Map<string, StaticValue>): void {
  if (pattern.kind === 'name') names.set(pattern.name, value)
  else for (const [name, inner] of pattern.members) bind(inner, memberOf(value, name), names)
}

function partsOf(parts: readonly SpreadPart[], scope: Scope): readonly StaticValue[] {
  return parts.flatMap(({ spread, value }): readonly StaticValue[] => {
    const made = evaluate(value, scope)
    if (!spread) return [made]
    return isList(made) ? made : [unknownValue]
  })
}

function recordOf(members: readonly Member[], scope: Scope): StaticValue {
  const made = new Map<string, StaticValue>()
  for (const { key, value } of members) {
    const inner = evaluate(value, scope)
    if (key !== null) {
      const name = evaluate(key, scope)
      // Any of those before may be meant.
      if (typeof name !== 'string') return unknownValue
      made.set(name, inner)
    } else if (isStaticRecord(inner)) for (const [name, one] of inner) made.set(name, one)
    else if (inner === unknownValue || isStaticFunction(inner)) {
      for (const name of made.keys()) made.set(name, unknownValue)
      made.set(unknownKey, unknownValue)
    }
  }
  return made
}

function call(callee: StaticValue, given: readonly StaticValue[]): StaticValue {
  return isStaticFunction(callee) ? callee.call(given) : unknownValue
}

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

function both(sign: string, left: StaticValue, right: () => StaticValue): StaticValue {
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

const isTrue = (value: StaticValue): boolean => Boolean(value)

function choose(test: StaticValue, then: () => StaticValue, otherwise: () => StaticValue): StaticValue {
  if (test === unknownValue) return unknownValue
  return isTrue(test) ? then() : otherwise()
}

function templateOf(texts: readonly string[], holes: readonly StaticValue[]): StaticValue {
  let made = texts[0] ?? ''
  for (const [at, hole] of holes.entries()) {
    if (typeof hole !== 'string' && typeof hole !== 'number') return unknownValue
    made += `${String(hole)}${texts[at + 1] ?? ''}`
  }
  return made
}

function readable(read: () => StaticValue): StaticValue {
  try {
    return read()
  } catch (error) {
    // A text that leads deeper than the stack is none that a person wrote.
    if (error instanceof UnreadableText || error instanceof RangeError) return unknownValue
    throw error
  }
}

function functionOf(expression: Extract<Expression, { kind: 'function' }>, scope: Scope): StaticValue {
  const { patterns, body } = expression
  return staticFunction((given) => {
    const names = new Map(scope.names)
    for (const [at, pattern] of patterns.entries()) bind(pattern, given[at], names)
    const inner = { ...scope, names }
    return readable(() =>
      body.kind === 'block' ? evaluateTokens(body.tokens, inner) : evaluate(body, inner),
    )
  })
}

function evaluate(expression: Expression, scope: Scope): StaticValue {
  const inner = (one: Expression): StaticValue => evaluate(one, scope)
  switch (expression.kind) {
    case 'value':
      return expression.value
    case 'name':
      return scope.names.has(expression.name) ? scope.names.get(expression.name) : unknownValue
    case 'member':
      return memberOf(inner(expression.of), inner(expression.key))
    case 'call':
      return call(inner(expression.callee), partsOf(expression.given, scope))
    case 'list':
      return partsOf(expression.parts, scope)
    case 'record':
      return recordOf(expression.members, scope)
    case 'function':
      return functionOf(expression, scope)
    case 'both':
      return both(expression.sign, inner(expression.left), () => inner(expression.right))
    case 'choice':
      return choose(
        inner(expression.test),
        () => inner(expression.then),
        () => inner(expression.otherwise),
      )
    case 'not': {
      const value = inner(expression.of)
      return value === unknownValue ? value : !isTrue(value)
    }
    case 'template':
      return templateOf(expression.texts, expression.holes.map(inner))
    case 'unknown':
      return unknownValue
  }
}

function importInto(
  { from, names }: Extract<ModuleStatement, { kind: 'import' }>,
  modules: Scope['modules'],
  into: Map<string, StaticValue>,
): void {
  const module = modules.has(from) ? modules.get(from) : unknownValue
  for (const [name, local] of names) {
    const isWhole = name === '*' || name === 'default'
    into.set(local, isWhole ? module : memberOf(module, name))
  }
}

function evaluateTokens(tokens: readonly Token[], scope: Scope): StaticValue {
  const names = new Map(scope.names)
  const inner = { ...scope, names }
  for (const statement of moduleStatements(tokens)) {
    switch (statement.kind) {
      case 'import':
        importInto(statement, scope.modules, names)
        break
      case 'constant':
        bind(statement.pattern, evaluate(statement.value, inner), names)
        break
      case 'unknown':
        names.set(statement.name, unknownValue)
        break
      case 'result':
        return evaluate(statement.value, inner)
    }
  }
  return undefined
}

/** What a module's text exports, as far as that can be told without running anything. */
export const evaluateModule = (text: string, scope: Scope): StaticValue =>
  readable(() => evaluateTokens(tokensOf(text), scope))
