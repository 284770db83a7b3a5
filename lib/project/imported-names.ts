import { type CodeStatement, UnreadableText } from './parse-module'
import { memberOf, type StaticRecord, type StaticValue, unknownValue } from './static-value'

type ImportDeclaration = Extract<CodeStatement, { type: 'ImportDeclaration' }>

const nameIn = (key: { readonly name: string } | { readonly value: string }): string =>
  'name' in key ? key.name : key.value

/** What an import says that names mean. */
export function importedNames(
  { source, specifiers, importKind }: ImportDeclaration,
  modules: StaticRecord,
): readonly (readonly [string, StaticValue])[] {
  if (importKind === 'type') return []
  if (specifiers.length === 0) throw new UnreadableText('a module that is only run')
  const module = modules.has(source.value) ? modules.get(source.value) : unknownValue
  return specifiers.map((one) => {
    const imported = one.type === 'ImportSpecifier' ? nameIn(one.imported) : 'default'
    return [one.local.name, imported === 'default' ? module : memberOf(module, imported)]
  })
}
