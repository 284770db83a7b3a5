import type { CodeNode, CodeStatement } from './parse-module'

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
