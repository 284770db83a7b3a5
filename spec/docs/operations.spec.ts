import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Logger } from '../../lib/config'
import { namedOptions, writtenDefault } from '../support/option-rows'
import { serveSample } from '../support/sample-site'

const root = join(__dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** The cells of the rows below a heading, with a name in ticks in the first; of all rows without a heading. */
function rowsUnder(page: string, heading = ''): readonly (readonly string[])[] {
  const from = page.indexOf(heading)
  if (from < 0) throw new Error(`there is no ${heading}`)
  const [section = ''] = page.slice(from + heading.length).split(heading === '' ? /^(?!)/ : /^#{2,3} /m)
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** The names in ticks in the first column. */
const namesUnder = (page: string, heading?: string): readonly string[] =>
  rowsUnder(page, heading).flatMap(([first = '']) =>
    [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )

/** The members of an interface of a file. */
function membersOf(file: string, name: string): readonly string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest)
  return source.statements.flatMap((one) =>
    ts.isInterfaceDeclaration(one) && one.name.text === name
      ? one.members.flatMap((member) =>
          member.name !== undefined && ts.isIdentifier(member.name) ? [member.name.text] : [],
        )
      : [],
  )
}

describe('docs/reference/log-messages.md', () => {
  const outages = 'lib/http/errors.ts'
  type Level = keyof Logger
  const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly Level[]

  interface Line {
    readonly level: string
    readonly message: string
  }

  /** Texts that an expression may be, with `…` for what is known only as it runs; null where no text is to be seen. */
  function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string | null {
    if (ts.isStringLiteralLike(node)) return node.text
    if (ts.isIdentifier(node)) {
      const value = constants.get(node.text)
      return value === undefined ? null : textOf(value, constants)
    }
    if (!ts.isTemplateExpression(node)) return null
    const parts = node.templateSpans.map(
      ({ expression, literal }) => (textOf(expression, constants) ?? '…') + literal.text,
    )
    return node.head.text + parts.join('')
  }

  function constantsIn(source: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
    const found = new Map<string, ts.Expression>()
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
        found.set(node.name.text, node.initializer)
      ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  }

  const isLogger = (node: ts.Expression): boolean =>
    ts.isPropertyAccessExpression(node)
      ? node.name.text === 'logger'
      : ts.isIdentifier(node) && node.text === 'logger'

  /** The text that a call gives to the log, or to the function that logs a failure once a minute. */
  function messageIn(call: ts.CallExpression): readonly [level: string, message: ts.Expression] | null {
    const [, second] = call.arguments
    const { expression: called } = call
    if (second === undefined) return null
    if (ts.isPropertyAccessExpression(called))
      return levels.includes(called.name.text) && isLogger(called.expression)
        ? [called.name.text, second]
        : null
    return ts.isIdentifier(called) && called.text === 'makeFailureLog' ? ['error', second] : null
  }

  interface Passing {
    readonly name: string
    readonly at: number
    readonly level: string
  }

  /** The function that logs a text which it is given, where the node is the name of that text. */
  function passingOf(node: ts.Expression, level: string): Passing | null {
    for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
      if (!ts.isFunctionLike(at)) continue
      const place = at.parameters.findIndex(({ name }) => name.getText() === node.getText())
      const { name } = ts.isArrowFunction(at) && ts.isVariableDeclaration(at.parent) ? at.parent : at
      if (place >= 0) return name === undefined ? null : { name: name.getText(), at: place, level }
    }
    return null
  }

  /** Warnings that are listed as pairs of facts and text before they are logged. */
  function pairsIn(source: ts.SourceFile): readonly ts.Expression[] {
    const list = constantsIn(source).get('warnings')
    if (list === undefined) return []
    const found: ts.Expression[] = []
    const visit = (node: ts.Node): void => {
      const [, text] = ts.isArrayLiteralExpression(node) ? node.elements : []
      if (text !== undefined && ts.isStringLiteralLike(text)) found.push(text)
      ts.forEachChild(node, visit)
    }
    visit(list)
    return found
  }

  /** The texts that the log of outages has for a reason. */
  function textsOfOutages(node: ts.Node): readonly (readonly [level: string, text: ts.Expression])[] {
    if (!ts.isPropertyAssignment(node)) return []
    const level = { begins: 'error', ends: 'warn' }[node.name.getText()]
    return level === undefined ? [] : [[level, node.initializer]]
  }

  function linesIn(file: string): { readonly lines: readonly Line[]; readonly unknown: number } {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true)
    const constants = constantsIn(source)
    const lines: Line[] = []
    const passing: Passing[] = []
    let unknown = 0
    const add = (level: string, node: ts.Expression): void => {
      const passed = passingOf(node, level)
      const message = passed === null ? textOf(node, constants) : null
      if (passed !== null) passing.push(passed)
      else if (message === null) unknown += 1
      else lines.push({ level, message })
    }
    const eachCall = (use: (call: ts.CallExpression) => void): void => {
      const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node)) use(node)
        ts.forEachChild(node, visit)
      }
      visit(source)
    }
    eachCall((call) => {
      const found = messageIn(call)
      if (found !== null) add(...found)
    })
    const texts = passing.splice(0)
    eachCall((call) => {
      for (const { name, at, level } of texts) {
        const text = call.arguments[at]
        if (call.expression.getText() === name && text !== undefined) add(level, text)
      }
    })
    for (const text of pairsIn(source)) add('warn', text)
    const addOutages = (node: ts.Node): void => {
      for (const text of textsOfOutages(node)) add(...text)
      ts.forEachChild(node, addOutages)
    }
    if (file === outages) addOutages(source)
    return { lines, unknown: unknown + passing.length }
  }

  const files = ['lib', 'extensions'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('explorer/page/'))
      .map((file) => join(top, file)),
  )
  const found = files.map((file) => ({ file, ...linesIn(file) }))
  const page = read('docs/reference/log-messages.md')
  const listed = rowsUnder(page)
    .filter((cells) => cells.length === 3 && levels.includes(cells[1] ?? ''))
    .map(([message = '', level = '']) => ({ level, message: message.replace(/^`|`$/g, '') }))

  const inOrder = (lines: readonly Line[]): readonly string[] =>
    [...new Set(lines.map(({ level, message }) => `${level}: ${message}`))].sort()

  it('lists each line that the library and its extensions log, with its level, and no other', () => {
    expect(inOrder(listed)).toEqual(inOrder(found.flatMap(({ lines }) => lines)))
    expect(listed.length).toBeGreaterThan(25)
  })

  it('is checked for all calls but those of a given message and the texts of outages', () => {
    const others = found.flatMap(({ file, unknown }) => (unknown === 0 ? [] : [[file, unknown]]))
    expect(others).toEqual([[outages, 2]])
  })

  it('says what to do about each', () => {
    const short = rowsUnder(page).filter((cells) => cells.length === 3 && (cells[2] ?? '').length < 8)
    expect(short).toEqual([])
  })
})

describe('docs/reference/events-and-metrics.md', () => {
  const page = read('docs/reference/events-and-metrics.md')
  const events = 'extensions/observe/request-events.ts'

  it('lists each option of observe()', () => {
    const options = membersOf('extensions/observe/observe-options.ts', 'ObserveOptions')
    expect(namesUnder(page, '## Options of `observe()`')).toEqual(expect.arrayContaining([...options]))
  })

  it('lists each property of a request, and no other', () => {
    const listed = rowsUnder(page, '## `onRequest`').map(([name = '']) => name.replace(/`/g, ''))
    expect(listed).toEqual(membersOf(events, 'RequestEvent'))
  })

  it('lists each stage in its order', () => {
    expect(namesUnder(page, '### Stages')).toEqual(membersOf(events, 'Stages'))
  })

  it('lists the properties of each statement', () => {
    const listed = namesUnder(page, '## `onStatement`')
    expect(listed).toEqual(expect.arrayContaining([...membersOf(events, 'StatementFacts')]))
  })
})

describe('docs/how-to/logs-and-metrics.md', () => {
  it('explains each reason of a 503, and no other', () => {
    const [, union = ''] = /type UnavailableReason = (.*)/.exec(read('lib/errors.ts')) ?? []
    const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, reason = '']) => reason)
    expect(reasons.length).toBeGreaterThan(3)
    const page = read('docs/how-to/logs-and-metrics.md')
    expect(rowsUnder(page, '## Find the reason of a 503').map(([name = '']) => name)).toEqual(
      reasons.map((reason) => `\`${reason}\``),
    )
  })

  it('lists each alert rule of the example, and no other', () => {
    const rules = [...read('examples/metrics/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    expect(namesUnder(read('docs/how-to/logs-and-metrics.md'), '## Alerts').slice(0, rules.length)).toEqual(
      rules.flatMap((name) => (name === undefined ? [] : [name])),
    )
  })
})

describe('docs/how-to/cache.md', () => {
  it('lists each counter of the cache, and no other', () => {
    const listed = namesUnder(read('docs/how-to/cache.md'), '## Watch the cache')
    expect(listed).toEqual(membersOf('lib/config.ts', 'CacheStats'))
  })
})

describe('docs/how-to/limits-for-public-apis.md', () => {
  const rows = rowsUnder(read('docs/how-to/limits-for-public-apis.md'), '## Limits\n')
  const perRole = namedOptions().flatMap(([name, option]) =>
    option?.isPerRole === true ? [{ name, option }] : [],
  )

  it('lists each limit that may be set for a role, with its default, and no other', () => {
    const listed = rows.map(([name = '', byDefault = '']) => [name.replace(/`/g, ''), byDefault])
    expect(listed.sort()).toEqual(perRole.map(({ name, option }) => [name, writtenDefault(option)]).sort())
  })
})

describe('docs/reference/http-caching.md', () => {
  const site = serveSample()

  it('shows the headers of a response of the sample', async () => {
    const [, path = '', shown = ''] =
      /```http\nGET (\S+)\n```\n\n```text\nHTTP\/1\.1 200 OK\n(.*?)```/s.exec(
        read('docs/reference/http-caching.md'),
      ) ?? []
    const { status, headers } = await fetch(site.at + path)
    expect(status).toBe(200)
    const lines = shown.trim().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    expect(
      lines.map((line) => line.split(': ')[0] ?? '').map((name) => `${name}: ${headers.get(name) ?? ''}`),
    ).toEqual(lines)
  })
})
