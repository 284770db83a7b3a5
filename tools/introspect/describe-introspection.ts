import type { Definition } from '../../lib/schema'
import type { BuiltDefinitions } from './build-definitions'
import type { LinkingTable } from './decide-tables'
import type { CatalogueTable } from './read-catalogue'

export interface Introspection extends BuiltDefinitions {
  readonly joins: readonly LinkingTable[]
  /** Attributes, and what their files have for them. */
  readonly kept: readonly (readonly [string, string])[]
  readonly tables: ReadonlyMap<string, CatalogueTable>
}

const counted = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`

function typeLine(table: string, { info, attributes }: Definition): readonly [string, string, string] {
  const all = Object.entries(attributes)
  const relations = all.filter(([, { type }]) => type === 'relation').map(([name]) => name)
  const parts = [counted(all.length - relations.length, 'attribute'), ...relations]
  return [table, `/${info?.pluralName ?? ''}`, parts.join(', ')]
}

function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) => row.map((cell, place) => Math.max(cell.length, widest[place] ?? 0)),
    [],
  )
  return rows.map((row) =>
    `  ${row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join('  ')}`.trimEnd(),
  )
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...lines]

/** What was mapped, what was not, and why. */
export function describeIntrospection({
  definitions,
  joins,
  unserved,
  secrets,
  kept,
}: Introspection): string {
  const types = [...definitions].map(([table, definition]) => typeLine(table, definition))
  const pairs = joins.map(({ name, links }) => [name, links.map(({ target }) => target).join(' and ')])
  const hint = unserved.find((one) => one.hint !== undefined)?.hint
  return [
    `${counted(types.length, 'type')}:`,
    ...inColumns(types),
    ...section('Join tables:', inColumns(pairs)),
    ...section('Private, as their names suggest secrets:', inColumns(secrets.map((column) => [column]))),
    ...section('Kept from the files:', inColumns(kept)),
    ...section('Left out:', inColumns(unserved.map(({ place, reason }) => [place, reason]))),
    ...section('A view with one key column serves such a table:', hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}
