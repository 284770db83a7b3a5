import type { Definition } from '../../lib/schema'
import type { Introspection } from '../introspect'
import { inColumns } from './output'

const counted = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`

function typeLine(table: string, { info, attributes }: Definition): readonly [string, string, string] {
  const all = Object.entries(attributes)
  const relations = all.filter(([, { type }]) => type === 'relation').map(([name]) => name)
  const parts = [counted(all.length - relations.length, 'attribute'), ...relations]
  return [table, `/${info?.pluralName ?? ''}`, parts.join(', ')]
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
    ...section('Private columns, because of their names:', inColumns(secrets.map((column) => [column]))),
    ...section('Names and private attributes from the files:', inColumns(kept)),
    ...section('Omitted parts:', inColumns(unserved.map(({ place, reason }) => [place, reason]))),
    ...section('A view for a table without a key column:', hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}
