import {
  type FilledTable,
  isGroup,
  type Option,
  type Options,
  type GivenOptions,
  isTable,
  custom,
  flag,
} from './option'
import { optionTable } from './option-table'
import { isDeepStrictEqual } from 'node:util'
import type { Fault } from '../errors'
import type { CustomFieldsOption } from '../schema'

/** What only the defaults of an extension set. A host chooses the extension. */
export const internalOptions = {
  /** What fields of plugins are kept as, where neither the database nor a list of well-known ones says it. */
  customFields: custom<CustomFieldsOption>({}, isTable, 'is no table of types'),
  /** The locales of the database are a type, which routes of an extension may serve. */
  localeType: flag(false),
  /** `Strapi-Response-Format: v4` is heeded: the older form of responses, and entries by their numbers. */
  olderFormat: flag(false),
  /** Keeps what Strapi's way of loading leaves in its responses; docs/strapi.md lists it. */
  loadingArtefacts: flag(false, {
    changesBodies: true,
  }),
} as const

/** What options are where the host says nothing. */
export type OptionDefaults = GivenOptions<typeof optionTable> & GivenOptions<typeof internalOptions>

/** An extension, as far as options are concerned. */
export interface DefaultingExtension {
  readonly name: string
  /** Defaults of core options. The host overrides each by writing it. */
  readonly defaults?: OptionDefaults
}

interface ExtendedConfig {
  readonly extensions?: readonly DefaultingExtension[]
}

type NamedValues = Readonly<Record<string, unknown>>

const isOptionGroup = (name: string): boolean =>
  Object.hasOwn(optionTable, name) && isGroup(optionTable[name as keyof typeof optionTable])

/** Options of a group one by one: `query.maxDepth`. */
function mergeOptions(base: NamedValues, over: NamedValues): NamedValues {
  const said = Object.entries(over).filter(([, value]) => value !== undefined)
  const merged = said.map(([name, value]): [string, unknown] => {
    const given = base[name]
    const both = isOptionGroup(name) && isTable(given) && isTable(value)
    return [name, both ? { ...given, ...value } : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

/** What is no extension is a fault of its own. */
const extensionsIn = ({ extensions }: ExtendedConfig): readonly DefaultingExtension[] =>
  Array.isArray(extensions) ? (extensions as readonly DefaultingExtension[]).filter(isTable) : []

/** The configuration of a host, over the defaults of its extensions. Applied twice it changes nothing. */
export function withDefaults<C extends ExtendedConfig>(config: C): C & OptionDefaults {
  const defaults = extensionsIn(config).map((extension) => (extension.defaults ?? {}) as NamedValues)
  return [...defaults, config as NamedValues].reduce(mergeOptions) as C & OptionDefaults
}

const optionsIn = (options: NamedValues, before = ''): readonly (readonly [string, unknown])[] =>
  Object.entries(options).flatMap(([name, value]) =>
    isOptionGroup(name) && isTable(value)
      ? optionsIn(value as NamedValues, `${name}.`)
      : [[before + name, value]],
  )

/** Defaults of two extensions that contradict each other, where the host decides neither way. */
export function faultsOfDefaultOptions(config: ExtendedConfig): Fault[] {
  const written = new Set(optionsIn(config as NamedValues).map(([name]) => name))
  const known = new Map<string, { readonly by: string; readonly value: unknown }>()
  return extensionsIn(config).flatMap(({ name: by, defaults = {} }) =>
    optionsIn(defaults as NamedValues).flatMap(([name, value]): Fault[] => {
      const other = known.get(name)
      if (other === undefined) known.set(name, { by, value })
      if (other === undefined || written.has(name) || isDeepStrictEqual(other.value, value)) return []
      // That an extension is listed twice is a fault of its own.
      if (other.by === by) return []
      const problem = `${other.by} and ${by} give ${name} different defaults`
      return [{ where: 'extensions', problem, remedy: `write ${name} yourself` }]
    }),
  )
}

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
