import { readFileSync } from 'node:fs'
import ts from 'typescript'

const blocks = new Set(['describe', 'it', 'test'])

/** `it` of `it(…)` and of `it.each(…)(…)`. */
function calledName(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text
  if (ts.isCallExpression(expression) && ts.isPropertyAccessExpression(expression.expression)) {
    return calledName(expression.expression.expression)
  }
  return undefined
}

function titleOf({
  expression,
  arguments: [first],
}: ts.CallExpression): [kind: string, title: string] | null {
  const kind = calledName(expression)
  if (kind === undefined || !blocks.has(kind) || first === undefined || !ts.isStringLiteralLike(first))
    return null
  return [kind, first.text]
}

/** The tests of a spec file, each with the blocks that it stands in: `a zone › is counted`. */
export function testTitles(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const titles: string[] = []
  const walk = (node: ts.Node, within: readonly string[]): void => {
    const found = ts.isCallExpression(node) ? titleOf(node) : null
    if (found === null) {
      ts.forEachChild(node, (child) => {
        walk(child, within)
      })
      return
    }
    const [kind, title] = found
    const path = [...within, title]
    if (kind !== 'describe') titles.push(path.join(' › '))
    ts.forEachChild(node, (child) => {
      walk(child, path)
    })
  }
  walk(source, [])
  return titles
}
