/** A part of a TypeScript type: a word, or named parts between braces. Empty parts are left out. */
export type TypePart = string | readonly (readonly [name: string, part: TypePart])[]

const isName = /^[A-Za-z_$][\w$]*$/

/** A TypeScript string literal; JSON's quotes are valid too. */
export const literal = (text: string): string =>
  /^[\w .:$/-]*$/.test(text) ? `'${text}'` : JSON.stringify(text)

const keyOf = (name: string): string => (isName.test(name) ? name : literal(name))

/** Names may end in `?`. */
function lineOf([name, part]: readonly [string, TypePart], indent: string): string {
  const isOptional = name.endsWith('?')
  const key = isOptional ? `${keyOf(name.slice(0, -1))}?` : keyOf(name)
  return `${indent}${key}: ${writeType(part, indent)}\n`
}

export function writeType(part: TypePart, indent = ''): string {
  if (typeof part === 'string') return part
  const told = part.filter(([, of]) => of.length > 0)
  return `{\n${told.map((line) => lineOf(line, `${indent}  `)).join('')}${indent}}`
}

export const unionOf = (names: readonly string[]): string =>
  names.length === 0 ? 'never' : names.map(literal).join(' | ')

/** The literal type of a JSON value. */
export function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typeOfValue).join(', ')}]`
  if (typeof value === 'string') return literal(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Object.entries(value).map(([name, of]) => `${keyOf(name)}: ${typeOfValue(of)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join('; ')} }`
}
