import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import ts from 'typescript'

export type Kind = 'boundary' | 'equality' | 'operand' | 'branch' | 'negation' | 'constant' | 'method'

interface Edit {
  readonly start: number
  readonly end: number
  /** Code that stands there instead and takes the number of the mutant. */
  readonly code: (number: number) => string
}

interface Candidate {
  readonly kind: Kind
  readonly node: ts.Node
  readonly change: string
  readonly edits: readonly Edit[]
}

/** One change of one place. */
export interface Mutant extends Omit<Candidate, 'node'> {
  readonly number: number
  /** Stays the same while the code of the place does. */
  readonly id: string
  readonly room: string
  readonly file: string
  readonly line: number
}

const others: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '===': '!==', '!==': '===' },
  ...{ some: 'every', every: 'some', filter: 'slice', min: 'max', max: 'min' },
}

/** Larger numbers are durations and sizes: one more is not observable. */
const largestConstant = 1000

const textOf = (node: ts.Node): string => node.getText().replace(/\s+/g, ' ')

const called = (name: string, node: ts.Node, change: string, kind: Kind): Candidate => ({
  ...{ kind, node, change },
  edits: [edit(node, (number) => `mutants.${name}(${String(number)}, ${node.getText()})`)],
})

const edit = (node: ts.Node, code: Edit['code']): Edit => ({ start: node.getStart(), end: node.end, code })

function ofBinary(node: ts.BinaryExpression): readonly Candidate[] {
  const { left, right, operatorToken } = node
  const operator = operatorToken.getText()
  if (operator === '&&' || operator === '||') {
    const neutral = operator === '&&' ? 'truthy' : 'falsy'
    return [left, right].map((side) =>
      called(neutral, side, `${operator} without \`${textOf(side)}\``, 'operand'),
    )
  }
  const other = others[operator]
  if (other === undefined) return []
  const change = `\`${textOf(node)}\` with ${other}`
  const values = `${left.getText()}, ${right.getText()}, (a, b) => a ${operator} b, (a, b) => a ${other} b`
  const code = (number: number): string => `mutants.compare(${String(number)}, ${values})`
  return [
    { kind: operator.includes('==') ? 'equality' : 'boundary', node, change, edits: [edit(node, code)] },
  ]
}

function ofMethod(node: ts.CallExpression): readonly Candidate[] {
  const { expression } = node
  if (!ts.isPropertyAccessExpression(expression)) return []
  const name = expression.name.text
  const other = others[name]
  const between = expression.getSourceFile().text.slice(expression.expression.end, expression.name.getStart())
  if (other === undefined || !/^\s*\??\.$/.test(between)) return []
  const code = (number: number): string =>
    `${between.replace(/(?<!\?)\.$/, '')}[mutants.value(${String(number)}, '${name}', '${other}')]`
  return [
    {
      ...{ kind: 'method', node, change: `\`${textOf(expression)}\` with ${other}` },
      edits: [{ start: expression.expression.end, end: expression.name.end, code }],
    },
  ]
}

/** A constant outside of functions is changed where it is used: the module is loaded by almost every spec. */
function usesOf(node: ts.NumericLiteral): readonly ts.Node[] {
  const declared = node.parent
  if (!ts.isVariableDeclaration(declared) || !ts.isIdentifier(declared.name)) return []
  const { text } = declared.name
  const uses: ts.Node[] = []
  const odd: ts.Node[] = []
  const visit = (at: ts.Node, isLazy: boolean): void => {
    if (ts.isIdentifier(at) && at.text === text && at !== declared.name) {
      const { parent } = at
      const isName = 'name' in parent && parent.name === at
      if (!isName || !(ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent))) {
        uses.push(at)
        if (!isLazy || isName || ts.isExportSpecifier(parent) || ts.isBindingElement(parent)) odd.push(at)
      }
    }
    at.forEachChild((child) => {
      visit(child, isLazy || ts.isFunctionLike(at))
    })
  }
  visit(node.getSourceFile(), false)
  return odd.length === 0 ? uses : []
}

function ofNumber(node: ts.NumericLiteral, isLazy: boolean): readonly Candidate[] {
  const value = Number(node.text)
  if (value > largestConstant || ts.isLiteralTypeNode(node.parent) || ts.isPropertyName(node.parent))
    return []
  if ('name' in node.parent && node.parent.name === node) return []
  const other = String(value + 1)
  const places = isLazy ? [node] : usesOf(node)
  const change = `${textOf(node.parent)} with ${other}`
  const code = (number: number): string => `mutants.value(${String(number)}, ${node.getText()}, ${other})`
  return places.length === 0
    ? []
    : [{ kind: 'constant', node, change, edits: places.map((place) => edit(place, code)) }]
}

function candidatesAt(node: ts.Node, isLazy: boolean): readonly Candidate[] {
  if (ts.isNumericLiteral(node)) return ofNumber(node, isLazy)
  if (!isLazy) return []
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition
    return [called('falsy', condition, `branch of \`${textOf(condition)}\` removed`, 'branch')]
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [called('truth', node, `\`${textOf(node)}\` without !`, 'negation')]
  if (ts.isBinaryExpression(node)) return ofBinary(node)
  return ts.isCallExpression(node) ? ofMethod(node) : []
}

/** The wording of messages is no behaviour, and types have none. */
const hasBehaviour = (node: ts.Node): boolean =>
  !ts.isTemplateExpression(node) && !ts.isThrowStatement(node) && !ts.isTypeNode(node)

function candidatesIn(source: ts.SourceFile): readonly Candidate[] {
  const found: Candidate[] = []
  const visit = (node: ts.Node, isLazy: boolean): void => {
    if (!hasBehaviour(node)) return
    found.push(...candidatesAt(node, isLazy))
    node.forEachChild((child) => {
      visit(child, isLazy || ts.isFunctionLike(node))
    })
  }
  visit(source, false)
  return found
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

const roomOf = (file: string): string => file.split('/')[1]?.replace(/\.ts$/, '') ?? ''

function mutantsIn(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const seen = new Map<string, number>()
  return candidatesIn(source).map(({ node, ...candidate }) => {
    const same = `${file}: ${candidate.change}`
    const times = (seen.get(same) ?? 0) + 1
    seen.set(same, times)
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    return { ...candidate, number: 0, id: hash(`${same}: ${String(times)}`), file, line, room: roomOf(file) }
  })
}

/** Places may not overlap, as all are edited at once. */
const doOverlap = (one: Mutant, other: Mutant): boolean =>
  one.file === other.file &&
  one.edits.some((a) => other.edits.some((b) => a.start < b.end && b.start < a.end))

/** Kinds take turns, in another order in each room: comparisons alone would fill the list. */
function chooseFrom(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  const turns = new Map<Kind, number>()
  const byHash = <T>(keyOf: (item: T) => string, items: readonly T[]): readonly T[] =>
    items
      .map((item) => ({ item, order: hash(`${String(seed)}: ${keyOf(item)}`) }))
      .sort((one, other) => (one.order < other.order ? -1 : 1))
      .map(({ item }) => item)
  const withTurn = byHash(({ id }) => id, mutants).map((mutant) => {
    const turn = (turns.get(mutant.kind) ?? 0) + 1
    turns.set(mutant.kind, turn)
    return { mutant, turn }
  })
  const inTurns = byHash(({ mutant }) => `${mutant.room} ${mutant.kind}`, withTurn)
  const chosen: Mutant[] = []
  for (const { mutant } of [...inTurns].sort((one, other) => one.turn - other.turn))
    if (chosen.length < count && !chosen.some((one) => doOverlap(one, mutant))) chosen.push(mutant)
  return chosen
}

/** What runs in Node of what is published. */
const tops = ['lib', 'extensions', 'tools']
const page = 'extensions/explorer/page/'

const sourcesIn = (checkout: string): readonly string[] =>
  tops
    .filter((top) => existsSync(join(checkout, top)))
    .flatMap((top) =>
      readdirSync(join(checkout, top), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `${top}/${file.split(sep).join('/')}`),
    )
    .filter((file) => !file.startsWith(page))

/** Two for each room, and more by its lines. The choice depends on nothing but the code and the seed. */
export function chooseMutants(checkout: string, seed: number, total: number): readonly Mutant[] {
  const files = sourcesIn(checkout)
  const texts = files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')] as const)
  const linesOf = (some: typeof texts): number => some.flatMap(([, text]) => text.split('\n')).length
  const lines = linesOf(texts)
  const rooms = [...new Set(files.map(roomOf))].sort()
  const chosen = rooms.flatMap((room) => {
    const own = texts.filter(([file]) => roomOf(file) === room)
    const count = Math.max(2, Math.round((total * linesOf(own)) / lines))
    return chooseFrom(
      own.flatMap(([file, text]) => mutantsIn(file, text)),
      count,
      seed,
    )
  })
  return chosen
    .sort((one, other) =>
      one.file < other.file || (one.file === other.file && one.line < other.line) ? -1 : 1,
    )
    .map((mutant, index) => ({ ...mutant, number: index + 1 }))
}
