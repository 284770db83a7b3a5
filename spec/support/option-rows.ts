import { isGroup, type Option } from '../../lib/config/option'
import { optionTable } from '../../lib/config/option-table'

/** Options by the names that docs/options.md has for them, in its order. Those beside the table have no entry in it. */
export function namedOptions(): readonly (readonly [name: string, option: Option<unknown> | null])[] {
  const named = Object.entries(optionTable).flatMap(
    ([name, entry]): (readonly [string, Option<unknown>])[] =>
      isGroup(entry)
        ? Object.entries(entry.options).map(([own, option]) => [`${name}.${own}`, option])
        : [[name, entry]],
  )
  const beside = ['contentTypes', 'database', 'logger', 'extensions'].map((name) => [name, null] as const)
  return [...beside, ...named]
}

const mebibyte = 1024 * 1024

/** A default as docs/options.md writes it; null for those that it describes in words. */
export function writtenDefault({ default: value }: Option<unknown>): string | null {
  if (value === Infinity) return 'no limit'
  if (typeof value === 'number')
    return value >= mebibyte ? `${String(value / mebibyte)} MB` : value.toLocaleString('en')
  if (typeof value === 'string') return `\`'${value}'\``
  return typeof value === 'boolean' ? `\`${String(value)}\`` : null
}

const literals = /`('[\w-]+'|true|false)`/g

/** The texts and booleans among the values of a row. */
export const literalsIn = (cell: string): readonly (string | boolean)[] =>
  [...cell.matchAll(literals)].map(([, text = '']) =>
    text.startsWith("'") ? text.slice(1, -1) : text === 'true',
  )
