import { importedNames } from './imported-names'
import { choose, fill, isTrue, operate } from './operate'
import {
  changesValues,
  type CodeExpression,
  type CodeNode,
  type CodeStatement,
  parseModule,
  UnreadableText,
} from './parse-module'
import { readable } from './readable'
import type { ReadingBudget } from './reading-budget'
import { isIdle, resultNode } from './result-node'
import {
  isList,
  isStaticFunction,
  isStaticRecord,
  memberOf,
  sizeOf,
  spreadsUnknown,
  staticFunction,
  type StaticValue,
  unknownRest,
  unknownValue,
} from './static-value'

/** What names mean, and what a module is that is imported. */
export interface Scope {
  readonly names: ReadonlyMap<string, StaticValue>
  readonly modules: ReadonlyMap<string, StaticValue>
}

interface Reading extends Scope {
  readonly budget: ReadingBudget
}

type ExpressionOf<T> = Extract<CodeExpression, { type: T }>
type StatementOf<T> = Extract<CodeStatement, { type: T }>
type Callable =
  ExpressionOf<'ArrowFunctionExpression' | 'FunctionExpression'> | StatementOf<'FunctionDeclaration'>
/** What a value is given to: a name, or names for its members. */
type Pattern = Callable['params'][number]
type Operation = ExpressionOf<'BinaryExpression' | 'LogicalExpression'>
type Evaluated = CodeExpression | Callable
type Parts = readonly (CodeNode | null)[]

function nameOf(key: CodeNode, isComputed: boolean, scope: Reading): StaticValue {
  return !isComputed && key.type === 'Identifier'
    ? (key as ExpressionOf<'Identifier'>).name
    : evaluate(key, scope)
}

function bind(pattern: CodeNode, value: StaticValue, scope: Reading, names: Map<string, StaticValue>): void {
  scope.budget.spend(1)
  const target = pattern as Pattern
  if (target.type === 'Identifier') names.set(target.name, value)
  else if (target.type === 'ObjectPattern') {
    for (const property of target.properties) {
      if (property.type === 'RestElement') throw new UnreadableText('a rest')
      const inner = memberOf(value, nameOf(property.key, property.computed, scope))
      bind(property.value, inner, scope, names)
    }
  } else throw new UnreadableText(target.type)
}

function partsOf(parts: Parts, scope: Reading): readonly StaticValue[] {
  return parts.flatMap((part): readonly StaticValue[] => {
    if (part === null) return [undefined]
    if (part.type !== 'SpreadElement') return [evaluate(part, scope)]
    const made = evaluate((part as SpreadElement).argument, scope)
    scope.budget.spend(sizeOf(made))
    return isList(made) ? made : [unknownValue]
  })
}

type Property = ExpressionOf<'ObjectExpression'>['properties'][number]
type SpreadElement = Extract<Property, { type: 'SpreadElement' }>

function spread(inner: StaticValue, into: Map<string, StaticValue>): void {
  const isRecord = isStaticRecord(inner)
  if (inner === unknownValue || isStaticFunction(inner) || (isRecord && spreadsUnknown(inner))) {
    for (const name of into.keys()) into.set(name, unknownValue)
    into.set(unknownRest, unknownValue)
  }
  if (isRecord) for (const [name, one] of inner) into.set(name, one)
}

function recordOf(properties: readonly Property[], scope: Reading): StaticValue {
  const made = new Map<string, StaticValue>()
  for (const property of properties) {
    scope.budget.spend(1)
    if (property.type === 'SpreadElement') {
      const inner = evaluate(property.argument, scope)
      scope.budget.spend(sizeOf(inner) + made.size)
      spread(inner, made)
    } else {
      const name = nameOf(property.key, property.computed, scope)
      // Any of those before may be meant.
      if (typeof name !== 'string' && typeof name !== 'number') return unknownValue
      // A method, getter or setter is known to be there, and no more.
      const isPlain = property.type === 'ObjectProperty'
      made.set(String(name), isPlain ? evaluate(property.value, scope) : unknownValue)
    }
  }
  return made
}

function functionOf({ params, body, async, generator }: Callable, scope: Reading): StaticValue {
  if (async || generator === true) return unknownValue
  return staticFunction((given) =>
    readable(scope.budget, () => {
      scope.budget.spend(scope.names.size)
      const names = new Map(scope.names)
      const inner = { ...scope, names }
      for (const [at, pattern] of params.entries()) bind(pattern, given[at], inner, names)
      if (body.type === 'BlockStatement') return evaluateStatements(body.body, inner)
      refuseChanges(body)
      return evaluate(body, inner)
    }),
  )
}

function refuseChanges(node: CodeNode): void {
  if (changesValues(node)) throw new UnreadableText('what names mean changes')
}

function callOf(
  node: ExpressionOf<'CallExpression' | 'OptionalCallExpression'>,
  scope: Reading,
): StaticValue {
  const callee = evaluate(node.callee, scope)
  const given = partsOf(node.arguments, scope)
  scope.budget.spend(given.map(sizeOf).reduce((sum, one) => sum + one, 0))
  return isStaticFunction(callee) ? callee.call(given) : unknownValue
}

const memberIn = (
  { object, property, computed }: ExpressionOf<'MemberExpression' | 'OptionalMemberExpression'>,
  scope: Reading,
): StaticValue => memberOf(evaluate(object, scope), nameOf(property, computed, scope))

const operationOf = ({ operator, left, right }: Operation, scope: Reading): StaticValue =>
  operate(operator, evaluate(left, scope), () => evaluate(right, scope))

function unaryOf({ operator, argument }: ExpressionOf<'UnaryExpression'>, scope: Reading): StaticValue {
  const value = evaluate(argument, scope)
  if (operator === '-') return operate('-', 0, () => value)
  return operator === '!' && value !== unknownValue ? !isTrue(value) : unknownValue
}

const withoutType = ({ expression }: { readonly expression: CodeNode }, scope: Reading): StaticValue =>
  evaluate(expression, scope)

const readings: {
  readonly [T in Evaluated['type']]?: (node: Extract<Evaluated, { type: T }>, scope: Reading) => StaticValue
} = {
  StringLiteral: ({ value }) => value,
  NumericLiteral: ({ value }) => value,
  BooleanLiteral: ({ value }) => value,
  NullLiteral: () => null,
  Identifier: ({ name }, { names }) =>
    names.has(name) || name === 'undefined' ? names.get(name) : unknownValue,
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
  BinaryExpression: operationOf,
  LogicalExpression: operationOf,
  UnaryExpression: unaryOf,
  ConditionalExpression: ({ test, consequent, alternate }, scope) =>
    choose(
      evaluate(test, scope),
      () => evaluate(consequent, scope),
      () => evaluate(alternate, scope),
    ),
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

function evaluate(node: CodeNode, scope: Reading): StaticValue {
  const read = readings[node.type as Evaluated['type']] as
    ((node: CodeNode, scope: Reading) => StaticValue) | undefined
  scope.budget.spend(1)
  const value = read === undefined ? unknownValue : read(node, scope)
  // To make or to compare a text takes time by its length, though far less for each letter.
  if (typeof value === 'string') scope.budget.spend(value.length >> 4)
  return value
}

function declare(statement: CodeStatement, scope: Reading, names: Map<string, StaticValue>): void {
  if (statement.type === 'ImportDeclaration')
    for (const [name, value] of importedNames(statement, scope.modules)) names.set(name, value)
  else if (statement.type === 'FunctionDeclaration' && statement.id)
    names.set(statement.id.name, functionOf(statement, scope))
  else if (statement.type === 'VariableDeclaration' && statement.kind === 'const') {
    refuseChanges(statement)
    for (const { id, init } of statement.declarations) {
      if (!init) throw new UnreadableText('a value is missing')
      bind(id, evaluate(init, scope), scope, names)
    }
  } else if (!isIdle(statement)) {
    // Other statements may change what stands beside them.
    throw new UnreadableText(statement.type)
  }
}

/** Functions that have names are there before all else. */
const hoisted = (statements: readonly CodeStatement[]): readonly CodeStatement[] => [
  ...statements.filter(({ type }) => type === 'FunctionDeclaration'),
  ...statements.filter(({ type }) => type !== 'FunctionDeclaration'),
]

/** What the text comes to: what a function returns, or a module exports. */
function evaluateStatements(statements: readonly CodeStatement[], outer: Reading): StaticValue {
  outer.budget.spend(outer.names.size + statements.length)
  const names = new Map(outer.names)
  const scope = { ...outer, names }
  let result: StaticValue
  for (const statement of hoisted(statements)) {
    const node = resultNode(statement)
    if (node === null) declare(statement, scope, names)
    else {
      refuseChanges(node)
      result = evaluate(node, scope)
      if (statement.type === 'ReturnStatement') return result
    }
  }
  return result
}

/** What a module's text exports, as far as that can be told without running anything. */
export const evaluateModule = (text: string, scope: Scope, budget: ReadingBudget): StaticValue =>
  readable(budget, () => evaluateStatements(parseModule(text), { ...scope, budget }))
