import { bindNames, type Callable } from './bind-names'
import { fill } from './operate'
import { operationReadings } from './operation-readings'
import {
  type CodeExpression,
  type CodeNode,
  type ExpressionOf,
  parseModule,
  refuseChanges,
  UnreadableText,
} from './parse-module'
import { readable } from './readable'
import type { ReadingBudget } from './reading-budget'
import type { ModuleExports, ReadingScope, Scope } from './scope'
import { followStatements } from './follow-statements'
import { spoil } from './spoil'
import { spread } from './spread'
import { memberWithin, namedWithin, untold } from './untold'
import {
  isList,
  isOpenList,
  isStaticFunction,
  openList,
  sizeOf,
  staticFunction,
  type StaticValue,
  unknownValue,
} from './static-value'

type Evaluated = CodeExpression | Callable
type Parts = readonly (CodeNode | null)[]

function nameOf(key: CodeNode, isComputed: boolean, scope: ReadingScope): StaticValue {
  return !isComputed && key.type === 'Identifier'
    ? (key as ExpressionOf<'Identifier'>).name
    : evaluate(key, scope)
}

const bind = bindNames((node, scope) => evaluate(node, scope), nameOf)

function partsOf(parts: Parts, scope: ReadingScope): readonly StaticValue[] {
  const open: StaticValue[] = []
  const made = parts.flatMap((part): readonly StaticValue[] => {
    if (part === null) return [undefined]
    if (part.type !== 'SpreadElement') return [evaluate(part, scope)]
    const inner = evaluate((part as SpreadElement).argument, scope)
    scope.budget.spend(sizeOf(inner))
    if (!isList(inner) || isOpenList(inner)) open.push(inner)
    return isList(inner) ? inner : [unknownValue]
  })
  return open.length > 0 ? openList(made) : made
}

type Property = ExpressionOf<'ObjectExpression'>['properties'][number]
type SpreadElement = Extract<Property, { type: 'SpreadElement' }>

function recordOf(properties: readonly Property[], scope: ReadingScope): StaticValue {
  const made = new Map<string, StaticValue>()
  let isKnown = true
  for (const property of properties) {
    scope.budget.spend(1)
    if (property.type === 'SpreadElement') spread(evaluate(property.argument, scope), made, scope)
    else {
      const name = nameOf(property.key, property.computed, scope)
      // Any of those before may be meant, or what all of them are seen through.
      const isName = typeof name === 'string' || typeof name === 'number'
      isKnown &&= isName && name !== '__proto__'
      // A method, getter or setter is known to be there, and no more.
      const value =
        property.type === 'ObjectProperty' ? evaluate(property.value, scope) : untold(property, scope)
      made.set(isKnown && isName ? String(name) : String(made.size), value)
    }
  }
  if (isKnown) return made
  spoil([made], scope.budget)
  return unknownValue
}

function functionOf(node: Callable, scope: ReadingScope): StaticValue {
  const { params, body, async, generator } = node
  const call = (given: readonly StaticValue[]): StaticValue => {
    scope.budget.spend(scope.names.size)
    const names = new Map(scope.names)
    const inner = { ...scope, names, assign: refuse, hand: null }
    if (async || generator === true) throw new UnreadableText('a function that is not done at once')
    for (const [at, pattern] of params.entries()) bind(pattern, given[at], inner, names)
    if (body.type === 'BlockStatement') return followStatements(body.body, inner, statementReadings)
    refuseChanges(body)
    return evaluate(body, inner)
  }
  const reached = (): readonly StaticValue[] => namedWithin(node, scope)
  return {
    ...staticFunction((given) =>
      readable(scope.budget, () => {
        const made = readable(scope.budget, () => call(given))
        if (made === unknownValue) spoil([...given, ...reached()], scope.budget)
        return made
      }),
    ),
    reached,
  }
}

const isNothing = (value: StaticValue): boolean => value === undefined || value === null

/** They answer with a text, a number or a word, and change nothing. */
const telling = ['join', 'includes', 'indexOf', 'lastIndexOf', 'toString']

function callOf(
  { type, callee, arguments: parts }: ExpressionOf<'CallExpression' | 'OptionalCallExpression'>,
  scope: ReadingScope,
): StaticValue {
  const isMember = callee.type === 'MemberExpression' || callee.type === 'OptionalMemberExpression'
  const on = isMember ? evaluate(callee.object, scope) : undefined
  const name = isMember ? nameOf(callee.property, callee.computed, scope) : undefined
  // Behind `?.` nothing is asked for.
  if (type === 'OptionalCallExpression' && isMember && isNothing(on)) return undefined
  const called = isMember ? memberWithin(on, name, scope) : evaluate(callee, scope)
  if (type === 'OptionalCallExpression' && isNothing(called)) return undefined
  const given = partsOf(parts, scope)
  scope.budget.spend(given.map(sizeOf).reduce((sum, one) => sum + one, 0))
  const made = isStaticFunction(called) ? called.call(given) : unknownValue
  const isTold = made !== unknownValue || (isList(on) && telling.some((one) => one === name))
  if (!isTold) spoil([on, ...given], scope.budget)
  return made
}

function memberIn(
  { type, object, property, computed }: ExpressionOf<'MemberExpression' | 'OptionalMemberExpression'>,
  scope: ReadingScope,
): StaticValue {
  const value = evaluate(object, scope)
  if (type === 'OptionalMemberExpression' && isNothing(value)) return undefined
  return memberWithin(value, nameOf(property, computed, scope), scope)
}

const withoutType = ({ expression }: { readonly expression: CodeNode }, scope: ReadingScope): StaticValue =>
  evaluate(expression, scope)

const readings: {
  readonly [T in Evaluated['type']]?: (
    node: Extract<Evaluated, { type: T }>,
    scope: ReadingScope,
  ) => StaticValue
} = {
  StringLiteral: ({ value }) => value,
  NumericLiteral: ({ value }) => value,
  BooleanLiteral: ({ value }) => value,
  NullLiteral: () => null,
  Identifier: ({ name }, { names }) => {
    // Whoever is called comes to what he was given by these as well.
    if (name === 'arguments') throw new UnreadableText(name)
    return names.has(name) || name === 'undefined' ? names.get(name) : unknownValue
  },
  ThisExpression: ({ type }) => {
    throw new UnreadableText(type)
  },
  // `import.meta`. Of `new.target` nothing is known.
  MetaProperty: ({ meta, property }, { names }) => names.get(`${meta.name}.${property.name}`) ?? unknownValue,
  MemberExpression: memberIn,
  OptionalMemberExpression: memberIn,
  CallExpression: callOf,
  OptionalCallExpression: callOf,
  ArrayExpression: ({ elements }, scope) => partsOf(elements, scope),
  ObjectExpression: ({ properties }, scope) => recordOf(properties, scope),
  ArrowFunctionExpression: functionOf,
  FunctionExpression: functionOf,
  // Where it is what a module exports.
  FunctionDeclaration: functionOf,
  ...operationReadings((node, scope) => evaluate(node, scope)),
  TemplateLiteral: ({ quasis, expressions }, scope) =>
    fill(
      quasis.map(({ value }) => value.cooked ?? ''),
      partsOf(expressions, scope),
    ),
  TSAsExpression: withoutType,
  TSSatisfiesExpression: withoutType,
  TSNonNullExpression: withoutType,
  TSTypeAssertion: withoutType,
  TSInstantiationExpression: withoutType,
}

function evaluate(node: CodeNode, scope: ReadingScope): StaticValue {
  const read = readings[node.type as Evaluated['type']] as
    ((node: CodeNode, scope: ReadingScope) => StaticValue) | undefined
  scope.budget.spend(1)
  const value = read === undefined ? untold(node, scope) : read(node, scope)
  // To make or to compare a text takes time by its length, though far less for each letter.
  if (typeof value === 'string') scope.budget.spend(value.length >> 4)
  return value
}

const refuse = (name: string): never => {
  throw new UnreadableText(`${name} is given another value`)
}

const statementReadings = { evaluate, bind, functionOf }

/** What a module hands out, as far as that can be told without running anything; null where nothing can. */
export function evaluateExports(text: string, scope: Scope, budget: ReadingBudget): ModuleExports | null {
  const named = new Map<string, StaticValue>()
  const hand = (name: string, value: StaticValue): void => {
    named.set(name, value)
  }
  const made = readable(budget, () => {
    const inner = { ...scope, budget, escaped: new Set<string>(), assign: refuse, hand }
    return followStatements(parseModule(text), inner, statementReadings)
  })
  if (made === unknownValue) return null
  const isCommon = named.has('module.exports')
  return { isCommon, named: isCommon ? new Map([['default', named.get('module.exports')]]) : named }
}

/** What a module is for whoever asks for no names. */
export function evaluateModule(text: string, scope: Scope, budget: ReadingBudget): StaticValue {
  const exported = evaluateExports(text, scope, budget)
  return exported === null ? unknownValue : exported.named.get('default')
}
