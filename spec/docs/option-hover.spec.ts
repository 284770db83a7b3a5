import { join } from 'node:path'
import ts from 'typescript'
import type { Option } from '../../lib/config/option'
import { optionTable } from '../../lib/config/option-table'
import { describedOptions } from '../support/option-rows'

const root = join(__dirname, '..', '..')
const entry = join(root, 'lib', 'index.ts')

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  types: ['node'],
  ...{ strict: true, exactOptionalPropertyTypes: true, esModuleInterop: true, skipLibCheck: true },
}

interface Shown {
  readonly text: string
  readonly byDefault: string | undefined
}

/** True for a type of this package that is no function: users write its members. */
const isOurs = (type: ts.Type): boolean =>
  type.getCallSignatures().length === 0 &&
  type
    .getProperties()
    .some(({ declarations: [at] = [] }) => at?.getSourceFile().fileName.startsWith(join(root, 'lib')))

/** The hover text of every option by its dotted name. `*` stands for any key of a table. */
function shownOptions(): ReadonlyMap<string, Shown> {
  const program = ts.createProgram([entry], compilerOptions)
  const checker = program.getTypeChecker()
  const shown = new Map<string, Shown>()

  function read(type: ts.Type, at: string, within: readonly ts.Type[]): void {
    const parts = type.isUnion() ? type.types : [type]
    for (const part of parts) {
      if (within.includes(part) || (part.flags & ts.TypeFlags.Object) === 0 || checker.isArrayLikeType(part))
        continue
      const byName = part.getStringIndexType()
      if (byName !== undefined) read(byName, `${at}*.`, [...within, part])
      if (isOurs(part)) readMembers(part, at, [...within, part])
    }
  }

  function readMembers(type: ts.Type, at: string, within: readonly ts.Type[]): void {
    for (const member of type.getProperties()) {
      const inLib = member.declarations?.[0]?.getSourceFile().fileName.startsWith(join(root, 'lib')) ?? false
      if (!inLib) continue
      const name = at + member.name
      const tag = member.getJsDocTags(checker).find((one) => one.name === 'default')
      shown.set(name, {
        text: ts.displayPartsToString(member.getDocumentationComment(checker)),
        byDefault: tag && ts.displayPartsToString(tag.text),
      })
      read(checker.getTypeOfSymbol(member), `${name}.`, within)
    }
  }

  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.Node)
  const config = checker
    .getExportsOfModule(module as ts.Symbol)
    .find(({ name }) => name === 'ContentRouterConfig')
  readMembers(checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(config as ts.Symbol)), '', [])
  return shown
}

/** A value as `@default` has it: numbers with `_` between thousands. */
function written(value: unknown): string {
  if (typeof value === 'function') return `() => ${written((value as () => unknown)())}`
  if (typeof value === 'number')
    return value === Infinity ? 'Infinity' : value.toLocaleString('en').replaceAll(',', '_')
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

const defaultOf = ({ default: value }: Option<unknown>): string | undefined =>
  value === undefined ? undefined : written(value)

const defaults = Object.entries(optionTable).flatMap(
  ([name, option]): (readonly [string, string | undefined])[] => {
    if (option.kind === 'option') return [[name, defaultOf(option)]]
    const nested = Object.entries(option.options).map(
      ([own, one]: [string, Option<unknown>]) => [`${name}.${own}`, defaultOf(one)] as const,
    )
    return [[name, option.canBeOff ? 'false' : undefined], ...nested]
  },
)

describe('the hover text of an option', () => {
  const shown = shownOptions()

  it('exists for each option', () => {
    const names = ['contentTypes', 'database', 'logger', ...defaults.map(([name]) => name)]
    expect(names.filter((name) => !shown.has(name))).toEqual([])
    expect([...shown].filter(([, { text }]) => text.split(' ').length < 3).map(([name]) => name)).toEqual([])
  })

  it('exists for the options of types and roles', () => {
    const nested = ['permissions.*.find', 'headers.*.vary', 'limitsByRole.*.maxDepth', 'database.client']
    expect(nested.filter((name) => !shown.has(name))).toEqual([])
  })

  it('is the text of docs/reference/options.md', () => {
    const described = [...describedOptions()].map(([name, { text }]) => [name, text])
    const texts = described.map(([name = '']) => [name, shown.get(name)?.text.replaceAll(/\s+/g, ' ')])
    expect(texts).toEqual(described)
    expect(texts.length).toBeGreaterThan(30)
  })

  it('has the default of the option', () => {
    const told = defaults.map(([name]) => [name, shown.get(name)?.byDefault])
    expect(told).toEqual(defaults)
  })
})
