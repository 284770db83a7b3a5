import {
  type DefaultingExtension,
  type OptionDefaults,
  withDefaults,
  internalOptions,
} from './option-defaults'
import { type FilledTable, isGroup, type Option, type Options } from './option'
import { optionTable } from './option-table'

const table = { ...optionTable, ...internalOptions } as const

type Table = typeof table

export type FilledOptions = FilledTable<Table>

const filled = (options: Options, given: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, given[name] ?? option.default]))

type Named<T> = Readonly<Record<string, T>>

/** Every option: what the host says, else an extension, else its default. */
export function fillOptions(
  given: OptionDefaults & { readonly extensions?: readonly DefaultingExtension[] },
): FilledOptions {
  const said = withDefaults(given) as Named<unknown>
  const all = Object.entries(table).map(([name, entry]): [string, unknown] => {
    if (!isGroup(entry)) return [name, said[name] ?? entry.default]
    const group = said[name]
    if (entry.canBeOff && (group === undefined || group === false)) return [name, null]
    return [name, filled(entry.options, (group ?? {}) as Named<unknown>)]
  })
  return Object.fromEntries(all) as unknown as FilledOptions
}

/** All options by themselves, those of groups too, by their dotted names. */
const single: readonly (readonly [string, Option<unknown>])[] = Object.entries(table).flatMap(
  ([name, entry]): (readonly [string, Option<unknown>])[] =>
    isGroup(entry)
      ? Object.entries(entry.options).map(([own, option]) => [`${name}.${own}`, option])
      : [[name, entry]],
)

const lastName = (dotted: string): string => dotted.slice(dotted.lastIndexOf('.') + 1)

/** What may be set for one role, by the names that stand in `limitsByRole`. */
export const limitOptions: Options = Object.fromEntries(
  single.filter(([, { isPerRole }]) => isPerRole).map(([name, option]) => [lastName(name), option]),
)

const bodyChangingNames = single.flatMap(([name, { changesBodies }]) => (changesBodies ? [name] : []))

/** The values of all options by which bodies differ: part of what answers are told apart by. */
export function bodyChanging(options: FilledOptions): Named<unknown> {
  const at = (dotted: string): unknown =>
    dotted.split('.').reduce((value: unknown, name) => (value as Named<unknown>)[name], options)
  return Object.fromEntries(bodyChangingNames.map((name) => [name, at(name)]))
}
