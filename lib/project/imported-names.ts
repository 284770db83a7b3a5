import { type CodeStatement, UnreadableText } from './parse-module'
import type { ModuleExports, Scope } from './scope'
import { memberOf, type StaticValue, unknownValue } from './static-value'

type ImportDeclaration = Extract<CodeStatement, { type: 'ImportDeclaration' }>
type Specifier = ImportDeclaration['specifiers'][number]

export const nameIn = (key: { readonly name: string } | { readonly value: string }): string =>
  'name' in key ? key.name : key.value

/** Of a module that is known, and hands out all that it has at once. */
function memberNamed(module: StaticValue, name: string | null): StaticValue {
  return name === null || name === 'default' ? module : memberOf(module, name)
}

function exportNamed({ isCommon, named }: ModuleExports, name: string | null): StaticValue {
  if (isCommon) return memberNamed(named.get('default'), name)
  return name === null ? named : memberOf(named, name)
}

/** Null stands for all of it. */
function nameOf(specifier: Specifier): string | null {
  if (specifier.type === 'ImportNamespaceSpecifier') return null
  return specifier.type === 'ImportSpecifier' ? nameIn(specifier.imported) : 'default'
}

export const isBeside = (path: string): boolean => /^\.\.?\//.test(path)

/** What an import says that names mean. */
export function importedNames(
  { source, specifiers, importKind }: ImportDeclaration,
  { modules, beside }: Scope,
): readonly (readonly [string, StaticValue])[] {
  if (importKind === 'type') return []
  if (specifiers.length === 0) throw new UnreadableText('a module that is only run')
  const file = isBeside(source.value) ? (beside?.(source.value) ?? null) : null
  const module = modules.has(source.value) ? modules.get(source.value) : unknownValue
  return specifiers.map((one) => {
    const value = file === null ? memberNamed(module, nameOf(one)) : exportNamed(file, nameOf(one))
    return [one.local.name, value]
  })
}
