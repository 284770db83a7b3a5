import type * as Parser from '@babel/parser'

export type CodeStatement = ReturnType<typeof Parser.parse>['program']['body'][number]
export type CodeExpression = Extract<CodeStatement, { type: 'ExpressionStatement' }>['expression']
export type ExpressionOf<T> = Extract<CodeExpression, { type: T }>

/** A node of a module's syntax tree. */
export interface CodeNode {
  readonly type: string
  /** Where its text lies. */
  readonly start?: number | null
  readonly end?: number | null
}

/** What is not understood, and so is told of as unknown. Never leaves this room. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText'
}

/** What a text of JavaScript or TypeScript consists of. */
export function parseModule(text: string): readonly CodeStatement[] {
  // Only who reads a project's code pays for the parser.
  const parser = require('@babel/parser') as typeof Parser
  try {
    const options = {
      sourceType: 'unambiguous',
      plugins: ['typescript'],
      attachComment: false,
    } satisfies Parser.ParserOptions
    return parser.parse(text, options).program.body
  } catch (cause) {
    throw new UnreadableText('no JavaScript or TypeScript', { cause })
  }
}

/** Where a text ends to be JavaScript or TypeScript, if that can be told; null where all of it is. */
export function brokenAt(text: string): { readonly line?: number } | null {
  try {
    parseModule(text)
    return null
  } catch (error) {
    const { loc } = Object((error as Error).cause) as { readonly loc?: { readonly line: number } }
    return loc === undefined ? {} : { line: loc.line }
  }
}

const changing: readonly unknown[] = ['AssignmentExpression', 'UpdateExpression']
const functions: readonly unknown[] = [
  'ArrowFunctionExpression',
  'FunctionDeclaration',
  'FunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
]

export const isFunctionNode = ({ type }: { readonly type?: unknown }): boolean => functions.includes(type)

/** A function is asked for each time that it is called. */
const asked = new WeakMap<CodeNode, boolean>()

/** Whether it assigns or deletes, so that a name may mean another value behind it. A function does so when it is called. */
function changesValues(node: CodeNode): boolean {
  const answer = asked.get(node) ?? changesWithin(node)
  asked.set(node, answer)
  return answer
}

function changesWithin(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type, operator } = node as { readonly type?: unknown; readonly operator?: unknown }
  if (changing.includes(type) || (type === 'UnaryExpression' && operator === 'delete')) return true
  return !functions.includes(type) && Object.values(node).some(changesWithin)
}

export function refuseChanges(node: CodeNode): void {
  if (changesValues(node)) throw new UnreadableText('what names mean changes')
}
