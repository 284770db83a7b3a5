import { namesIn } from './names-in'
import { type CodeNode, type CodeStatement, isFunctionNode } from './parse-module'

const isNode = (value: unknown): value is CodeNode => typeof value === 'object' && value !== null

function functionsIn(node: unknown): readonly CodeNode[] {
  if (!isNode(node)) return []
  if (isFunctionNode(node)) return [node]
  return Object.values(node).flatMap(functionsIn)
}

/**
 * Whether a variable is known to functions beside it, which may give it another value, or look at it when it has one: when
 * they are run is not followed.
 */
export const isSharedBy = (name: string, statements: readonly CodeStatement[]): boolean =>
  statements.flatMap(functionsIn).some((one) => namesIn(one).has(name))
