import type { BindNames, Callable } from './bind-names'
import { enumValue } from './enum-value'
import { importedNames, nameIn } from './imported-names'
import { isTrue, operate } from './operate'
import { type CodeNode, type CodeStatement, refuseChanges, UnreadableText } from './parse-module'
import { namesIn } from './names-in'
import { assignedToExports, hoisted, isIdle, mayAssign, onlyThrows } from './may-assign'
import type { ReadingScope } from './scope'
import { spoil } from './spoil'
import { type StaticValue, unknownValue } from './static-value'
import { untold } from './untold'
import { isSharedBy } from './is-shared-by'

/** How what stands in statements is read. */
export interface StatementReadings {
  readonly evaluate: (node: CodeNode, scope: ReadingScope) => StaticValue
  readonly bind: BindNames
  readonly functionOf: (node: Callable, scope: ReadingScope) => StaticValue
}

/** What comes behind a statement: the next one, what stands behind the `switch` around it, or nothing. */
type Ending = 'next' | 'break' | { readonly returned: StaticValue }

type StatementOf<T> = Extract<CodeStatement, { type: T }>

/** Statements that stand together, and the names that they declare. */
interface Block extends StatementReadings {
  readonly scope: ReadingScope
  readonly names: Map<string, StaticValue>
  readonly variables: Set<string>
  readonly statements: readonly CodeStatement[]
}

type Texts = readonly CodeNode[]

const lengthOf = (nodes: Texts): number =>
  nodes.reduce((sum, { start, end }) => sum + ((end ?? 0) - (start ?? 0)), 0)

/** What is declared here hides what is called so around it, from the first line on. */
function declaredIn(statement: CodeStatement): Texts {
  const isOut = statement.type === 'ExportNamedDeclaration' && statement.declaration
  const one = isOut ? (statement.declaration ?? statement) : statement
  return one.type === 'VariableDeclaration' ? one.declarations.map(({ id }) => id) : []
}

function blockOf(
  statements: readonly CodeStatement[],
  outer: ReadingScope,
  readings: StatementReadings,
): Block {
  outer.budget.spend(outer.names.size + statements.length)
  const names = new Map(outer.names)
  const declared = statements.flatMap(declaredIn)
  outer.budget.spend(lengthOf(declared) >> 4)
  for (const node of declared) for (const name of namesIn(node)) names.delete(name)
  const variables = new Set<string>()
  const assign = (name: string, value: StaticValue): void => {
    if (!variables.has(name)) outer.assign(name, value)
    names.set(name, value)
    if (outer.escaped.has(name)) spoil([value], outer.budget)
  }
  const { evaluate, bind, functionOf } = readings
  return { evaluate, bind, functionOf, scope: { ...outer, names, assign }, names, variables, statements }
}

function read(node: CodeNode, { scope, evaluate }: Block): StaticValue {
  refuseChanges(node)
  return evaluate(node, scope)
}

function declare({ kind, declarations }: StatementOf<'VariableDeclaration'>, block: Block): void {
  if (kind !== 'const' && kind !== 'let') throw new UnreadableText(kind)
  for (const { id, init } of declarations) {
    if (!init && kind === 'const') throw new UnreadableText('a value is missing')
    if (kind === 'let') {
      block.scope.budget.spend(lengthOf(block.statements) >> 4)
      if (id.type !== 'Identifier' || isSharedBy(id.name, block.statements))
        throw new UnreadableText('a variable that others know')
      block.variables.add(id.name)
    }
    block.bind(id, init ? read(init, block) : undefined, block.scope, block.names)
  }
}

function express({ expression }: StatementOf<'ExpressionStatement'>, block: Block): undefined {
  const { scope } = block
  if (expression.type !== 'AssignmentExpression') {
    // Who is called for nothing that comes out changes something, unless that is known.
    if (read(expression, block) === unknownValue) throw new UnreadableText('a call for what it changes')
    return
  }
  const exported = assignedToExports(expression)
  if (exported !== null && scope.hand !== null) {
    handAll(read(exported, block), block)
    return
  }
  const { left, right, operator } = expression
  if (left.type !== 'Identifier') throw new UnreadableText('what names mean changes')
  const sign = operator.slice(0, -1)
  const value =
    sign === '' ? read(right, block) : operate(sign, scope.names.get(left.name), () => read(right, block))
  scope.assign(left.name, value)
}

/** It can be come to by that name from then on. */
function handAll(value: StaticValue, { scope, names }: Block): void {
  scope.hand?.('module.exports', value)
  names.set('module', new Map([['exports', value]]))
}

function handOut(statement: StatementOf<'ExportNamedDeclaration'>, block: Block): void {
  const { scope, names } = block
  const { declaration, specifiers, source } = statement
  if (scope.hand === null || source) throw new UnreadableText('names from elsewhere')
  if (declaration) {
    if (declaration.type === 'VariableDeclaration' && declaration.kind !== 'const')
      throw new UnreadableText('a variable that others know')
    const before = new Map(names)
    declareAny(declaration, block)
    for (const [name, value] of names)
      if (!before.has(name) || before.get(name) !== value) scope.hand(name, value)
  }
  for (const one of specifiers) {
    if (one.type !== 'ExportSpecifier' || !names.has(one.local.name)) throw new UnreadableText(one.type)
    if (one.exportKind !== 'type') scope.hand(nameIn(one.exported), names.get(one.local.name))
  }
}

function declareAny(statement: CodeStatement, block: Block): void {
  const { scope, names } = block
  if (statement.type === 'ImportDeclaration')
    for (const [name, value] of importedNames(statement, scope)) names.set(name, value)
  else if (statement.type === 'FunctionDeclaration' && statement.id)
    names.set(statement.id.name, block.functionOf(statement, scope))
  else if (statement.type === 'VariableDeclaration') declare(statement, block)
  else if (statement.type === 'TSEnumDeclaration' && statement.declare !== true) {
    refuseChanges(statement)
    // A second one of that name would add to it.
    if (names.has(statement.id.name)) throw new UnreadableText('a name that is taken')
    names.set(statement.id.name, enumValue(statement, scope, block.evaluate))
  } else if (!isIdle(statement)) throw new UnreadableText(statement.type)
}

/** Nobody knows whether it is run. */
function passOver(statement: CodeStatement, { scope }: Block): void {
  const assigned = mayAssign(statement)
  untold(statement, scope)
  for (const name of assigned) scope.assign(name, unknownValue)
}

function choose(statement: StatementOf<'IfStatement'>, block: Block): Ending {
  const { test, consequent, alternate } = statement
  const value = read(test, block)
  const ways = [consequent, alternate ?? null]
  const open = value === unknownValue ? ways : [isTrue(value) ? consequent : (alternate ?? null)]
  const left = open.filter((way) => way === null || !onlyThrows(way))
  if (left.length === 0) throw new UnreadableText('it ends here')
  if (left.length === 1) return left[0] ? runIn([left[0]], block) : 'next'
  passOver(statement, block)
  return 'next'
}

function decide(statement: StatementOf<'SwitchStatement'>, block: Block): Ending {
  const value = read(statement.discriminant, block)
  const { cases } = statement
  let from = -1
  for (const [at, { test }] of cases.entries()) {
    const isIt = test ? operate('===', value, () => read(test, block)) : false
    if (isIt === unknownValue) {
      passOver(statement, block)
      return 'next'
    }
    if (isIt === true && from < 0) from = at
  }
  if (from < 0) from = cases.findIndex(({ test }) => !test)
  const ending =
    from < 0
      ? 'next'
      : runIn(
          cases.slice(from).flatMap(({ consequent }) => consequent),
          block,
        )
  return ending === 'break' ? 'next' : ending
}

type Follow<T> = (statement: StatementOf<T>, block: Block) => Ending | undefined

const steps: { readonly [T in CodeStatement['type']]?: Follow<T> } = {
  IfStatement: choose,
  SwitchStatement: decide,
  BlockStatement: ({ body }, block) => runIn(body, block),
  BreakStatement: ({ label }) => {
    if (label) throw new UnreadableText('a way out')
    return 'break'
  },
  ReturnStatement: ({ argument }, block) => ({ returned: argument ? read(argument, block) : undefined }),
  ExpressionStatement: express,
  ExportDefaultDeclaration: ({ declaration }, block) => {
    block.scope.hand?.('default', read(declaration, block))
  },
  TSExportAssignment: ({ expression }, block) => {
    handAll(read(expression, block), block)
  },
  ExportNamedDeclaration: (statement, block) => {
    if (!isIdle(statement)) handOut(statement, block)
  },
}

function step(statement: CodeStatement, block: Block): Ending {
  const take = steps[statement.type] as Follow<CodeStatement['type']> | undefined
  if (take !== undefined) return take(statement, block) ?? 'next'
  declareAny(statement, block)
  return 'next'
}

const runIn = (statements: readonly CodeStatement[], block: Block): Ending =>
  run(statements, block.scope, block)

function run(statements: readonly CodeStatement[], outer: ReadingScope, readings: StatementReadings): Ending {
  const block = blockOf(statements, outer, readings)
  for (const statement of hoisted(statements)) {
    const ending = step(statement, block)
    if (ending !== 'next') return ending
  }
  return 'next'
}

/** What the statements of a function return, as far as that can be told; those of a module hand out what they do. */
export function followStatements(
  statements: readonly CodeStatement[],
  scope: ReadingScope,
  readings: StatementReadings,
): StaticValue {
  const ending = run(statements, scope, readings)
  return typeof ending === 'object' ? ending.returned : undefined
}
