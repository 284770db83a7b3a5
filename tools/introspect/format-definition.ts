import type { Definition } from '../../lib/schema'

const width = 110

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** JSON in one line: `{ "type": "string" }`. */
function inLine(value: unknown): string {
  if (isList(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inLine(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function inLines(value: unknown, indent: string, before: number): string {
  const line = inLine(value)
  const isShort = indent.length + before + line.length < width
  if (typeof value !== 'object' || value === null || (indent.length > 2 && isShort)) return line
  const inner = `${indent}  `
  const parts = isList(value)
    ? value.map((part) => inner + inLines(part, inner, 0))
    : Object.entries(value).map(([key, part]) => {
        const name = JSON.stringify(key)
        // Only attributes stand below each other.
        const isPlain = indent === '' && key !== 'attributes'
        return `${inner}${name}: ${isPlain ? inLine(part) : inLines(part, inner, name.length + 2)}`
      })
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}']
  return parts.length === 0 ? line : `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

/** The text of a file: an attribute a line, as far as it fits. */
export const formatDefinition = (definition: Definition): string => `${inLines(definition, '', 0)}\n`
