import { isTrue } from './operate'
import { type CodeNode, type CodeStatement, UnreadableText } from './parse-module'
import { type StaticValue, unknownValue } from './static-value'

type Assigning = Extract<CodeStatement, { type: 'ExpressionStatement' }>

/** `module.exports = …` */
function assignedToExports({ expression }: Assigning): CodeNode | null {
  if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') return null
  const { left, right } = expression
  const isIt =
    left.type === 'MemberExpression' &&
    left.object.type === 'Identifier' &&
    left.object.name === 'module' &&
    !left.computed &&
    left.property.type === 'Identifier' &&
    left.property.name === 'exports'
  return isIt ? right : null
}

/** What stands where a function returns something or a module exports it; null in any other statement. */
export function resultNode(statement: CodeStatement): CodeNode | null {
  if (statement.type === 'ReturnStatement') return statement.argument ?? { type: 'nothing' }
  if (statement.type === 'ExportDefaultDeclaration') return statement.declaration
  if (statement.type === 'TSExportAssignment') return statement.expression
  return statement.type === 'ExpressionStatement' ? assignedToExports(statement) : null
}

/** Types say nothing of values. */
export const isIdle = (statement: CodeStatement): boolean =>
  ['EmptyStatement', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(statement.type) ||
  (statement.type === 'ExportNamedDeclaration' && statement.exportKind === 'type')

/** Functions that have names are there before all else. */
export const hoisted = (statements: readonly CodeStatement[]): readonly CodeStatement[] => [
  ...statements.filter(({ type }) => type === 'FunctionDeclaration'),
  ...statements.filter(({ type }) => type !== 'FunctionDeclaration'),
]

/**
 * What is run instead of all that stands behind a condition; nothing where it does not hold. A way that comes back may declare
 * names of its own, which are not told from those around it.
 */
export function branchOf(
  { consequent, alternate }: Extract<CodeStatement, { type: 'IfStatement' }>,
  test: StaticValue,
): readonly CodeStatement[] {
  if (test === unknownValue) throw new UnreadableText('a condition that is not known')
  const taken = isTrue(test) ? consequent : alternate
  if (!taken) return []
  const statements = taken.type === 'BlockStatement' ? taken.body : [taken]
  if (statements.at(-1)?.type !== 'ReturnStatement') throw new UnreadableText('a way that comes back')
  return statements
}
