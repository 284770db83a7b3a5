import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Option } from '../../lib/config/option'
import { optionTable } from '../../lib/config/option-table'

/** Options by the names that docs/reference/options.md has for them. Those beside the table have no entry in it. */
export function namedOptions(): readonly (readonly [name: string, option: Option<unknown> | null])[] {
  const named = Object.entries(optionTable).flatMap(
    ([name, entry]): (readonly [string, Option<unknown>])[] =>
      entry.kind === 'group'
        ? Object.entries(entry.options).map(([own, option]) => [`${name}.${own}`, option])
        : [[name, entry]],
  )
  const beside = ['contentTypes', 'database', 'logger', 'extensions'].map((name) => [name, null] as const)
  return [...beside, ...named]
}

const mebibyte = 1024 * 1024

/** A default as docs/reference/options.md writes it; null for those that it describes in words. */
export function writtenDefault({ default: value }: Option<unknown>): string | null {
  if (value === Infinity) return 'no limit'
  if (typeof value === 'number')
    return value >= mebibyte ? `${String(value / mebibyte)} MB` : value.toLocaleString('en')
  if (typeof value === 'string') return `\`'${value}'\``
  return typeof value === 'boolean' ? `\`${String(value)}\`` : null
}

const literals = /`('[\w-]+'|true|false)`/g

/** The strings and booleans in a line of the page. */
export const literalsIn = (line: string): readonly (string | boolean)[] =>
  [...line.matchAll(literals)].map(([, text = '']) =>
    text.startsWith("'") ? text.slice(1, -1) : text === 'true',
  )

export interface DescribedOption {
  readonly type: string
  readonly byDefault: string
  readonly isPerRole: boolean
  readonly example: string
  /** The first paragraph, without the links to other pages. */
  readonly text: string
}

const perRole = /, per role$/

/** The options of docs/reference/options.md by their names. */
export function describedOptions(): ReadonlyMap<string, DescribedOption> {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'reference', 'options.md'), 'utf8')
  const sections = page.matchAll(/^### `([\w.]+)`\n(.*?)(?=\n##|$(?![^]))/gms)
  return new Map(
    [...sections].map(([, name = '', section = '']) => {
      const line = (title: string): string =>
        new RegExp(`^- \\*\\*${title}\\*\\*: (.*)$`, 'm').exec(section)?.[1] ?? ''
      const [, paragraph = ''] = section.split('\n\n')
      const text = paragraph.split(/\n(?:You .*)?See \[/)[0] ?? ''
      const byDefault = line('Default')
      return [
        name,
        {
          type: line('Type'),
          byDefault: byDefault.replace(perRole, ''),
          isPerRole: perRole.test(byDefault),
          example: line('Example').replace(/^`|`$/g, ''),
          text: text.trim().replaceAll('\n', ' '),
        },
      ]
    }),
  )
}
