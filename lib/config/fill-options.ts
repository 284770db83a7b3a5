import { type FilledTable, type GivenOptions, isGroup, type Option, type Options } from './option'
import { optionTable } from './option-table'

type Table = typeof optionTable

const filled = (options: Options, given: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, given[name] ?? option.default]))

type Named<T> = Readonly<Record<string, T>>

/** Every option, with the default where nothing is said. */
export function fillOptions(given: GivenOptions<Table>): FilledTable<Table> {
  const said = given as Named<unknown>
  const all = Object.entries(optionTable).map(([name, entry]): [string, unknown] => {
    if (!isGroup(entry)) return [name, said[name] ?? entry.default]
    const group = said[name]
    if (entry.canBeOff && (group === undefined || group === false)) return [name, null]
    return [name, filled(entry.options, (group ?? {}) as Named<unknown>)]
  })
  return Object.fromEntries(all) as unknown as FilledTable<Table>
}

/** All options by themselves, those of groups too, by their dotted names. */
const single: readonly (readonly [string, Option<unknown>])[] = Object.entries(optionTable).flatMap(
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
export function bodyChanging(options: FilledTable<Table>): Named<unknown> {
  const at = (dotted: string): unknown =>
    dotted.split('.').reduce((value: unknown, name) => (value as Named<unknown>)[name], options)
  return Object.fromEntries(bodyChangingNames.map((name) => [name, at(name)]))
}
