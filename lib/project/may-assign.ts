import {
  type CodeNode,
  type CodeStatement,
  type ExpressionOf,
  refuseChanges,
  UnreadableText,
} from './parse-module'

/** `module.exports = …` */
export function assignedToExports({
  operator,
  left,
  right,
}: ExpressionOf<'AssignmentExpression'>): CodeNode | null {
  if (operator !== '=') return null
  const isIt =
    left.type === 'MemberExpression' &&
    left.object.type === 'Identifier' &&
    left.object.name === 'module' &&
    !left.computed &&
    left.property.type === 'Identifier' &&
    left.property.name === 'exports'
  return isIt ? right : null
}

const idle = ['EmptyStatement', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration']

/** Types say nothing of values. */
export const isIdle = (statement: CodeStatement): boolean =>
  idle.includes(statement.type) ||
  (statement.type === 'ExportNamedDeclaration' && statement.exportKind === 'type')

/** Functions that have names are there before all else. */
export const hoisted = (statements: readonly CodeStatement[]): readonly CodeStatement[] => [
  ...statements.filter(({ type }) => type === 'FunctionDeclaration'),
  ...statements.filter(({ type }) => type !== 'FunctionDeclaration'),
]

const goingOn = [...idle, 'VariableDeclaration', 'ExpressionStatement', 'FunctionDeclaration']

/** Whoever comes here ends what is read, whatever is done before: nobody sees it. */
export function onlyThrows(statement: CodeStatement): boolean {
  if (statement.type === 'ThrowStatement') return true
  if (statement.type !== 'BlockStatement') return false
  const last = statement.body.at(-1)
  const before = statement.body.slice(0, -1)
  return last !== undefined && onlyThrows(last) && before.every(({ type }) => goingOn.includes(type))
}

const isPart = (value: unknown): value is CodeNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const partsOf = (node: CodeNode): readonly CodeNode[] => Object.values(node).flat().filter(isPart)

const quiet = [
  ...idle,
  'BlockStatement',
  'BreakStatement',
  'ExpressionStatement',
  'IfStatement',
  'SwitchStatement',
  'ThrowStatement',
  'VariableDeclaration',
]

function assignedBy(statement: CodeStatement): readonly string[] {
  if (statement.type !== 'ExpressionStatement') return []
  const { expression } = statement
  if (expression.type === 'AssignmentExpression' && expression.left.type === 'Identifier') {
    refuseChanges(expression.right)
    return [expression.left.name]
  }
  throw new UnreadableText('what may be done')
}

/**
 * The names that a statement may give other values to of which nobody knows whether it is run. Any that may do more, or come
 * back from what is around it, is not understood.
 */
export function mayAssign(statement: CodeStatement, isInSwitch = false): readonly string[] {
  if (!quiet.includes(statement.type)) throw new UnreadableText(statement.type)
  if (statement.type === 'BreakStatement' && (!isInSwitch || statement.label))
    throw new UnreadableText('a way out')
  const isSwitch = isInSwitch || statement.type === 'SwitchStatement'
  const inner = partsOf(statement).flatMap((part) => (part.type === 'SwitchCase' ? partsOf(part) : [part]))
  const isStatement = ({ type }: CodeNode): boolean => /Statement$|Declaration$/.test(type)
  const within = inner.filter(isStatement) as CodeStatement[]
  if (statement.type !== 'ExpressionStatement')
    for (const part of inner) if (!isStatement(part)) refuseChanges(part)
  return [...assignedBy(statement), ...within.flatMap((one) => mayAssign(one, isSwitch))]
}
