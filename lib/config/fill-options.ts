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

/** Options that only extensions set. */
export const internalOptions = {
  /** Storage types of custom fields, if neither the database nor the list of plugins has them. */
  customFields: custom<CustomFieldsOption>({}, isTable, 'is no table of types'),
  /** The locales of the database are a type, which routes of an extension may serve. */
  localeType: flag(false),
  /** `Strapi-Response-Format: v4` selects the older form of responses, with ids in place of document ids. */
  olderFormat: flag(false),
  /** Keeps what Strapi's way of loading leaves in its responses; docs/concepts/differences-from-strapi.md lists it. */
  loadingArtefacts: flag(false, {
    changesBodies: true,
  }),
} as const

export type OptionDefaults = GivenOptions<typeof optionTable> & GivenOptions<typeof internalOptions>

export interface DefaultingExtension {
  readonly name: string
  /** Defaults of core options. The host's own values override them. */
  readonly defaults?: OptionDefaults
}

interface ExtendedConfig {
  readonly extensions?: readonly DefaultingExtension[]
}

type NamedValues = Readonly<Record<string, unknown>>

const isOptionGroup = (name: string): boolean =>
  Object.hasOwn(optionTable, name) && isGroup(optionTable[name as keyof typeof optionTable])

/** Groups are merged option by option: `query.maxDepth`. */
function mergeOptions(base: NamedValues, over: NamedValues): NamedValues {
  const said = Object.entries(over).filter(([, value]) => value !== undefined)
  const merged = said.map(([name, value]): [string, unknown] => {
    const given = base[name]
    const both = isOptionGroup(name) && isTable(given) && isTable(value)
    return [name, both ? { ...given, ...value } : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

/** Other values are reported elsewhere. */
const extensionsIn = ({ extensions }: ExtendedConfig): readonly DefaultingExtension[] =>
  Array.isArray(extensions) ? (extensions as readonly DefaultingExtension[]).filter(isTable) : []

/** Idempotent. */
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

/** Contradictory defaults of two extensions are faults, unless the host sets the option. */
export function faultsOfDefaultOptions(config: ExtendedConfig): Fault[] {
  const written = new Set(optionsIn(config as NamedValues).map(([name]) => name))
  const known = new Map<string, { readonly by: string; readonly value: unknown }>()
  return extensionsIn(config).flatMap(({ name: by, defaults = {} }) =>
    optionsIn(defaults as NamedValues).flatMap(([name, value]): Fault[] => {
      const other = known.get(name)
      if (other === undefined) known.set(name, { by, value })
      if (other === undefined || written.has(name) || isDeepStrictEqual(other.value, value)) return []
      // Duplicate extensions are reported elsewhere.
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

/** The host's value, else an extension's, else the default. */
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

const single: readonly (readonly [string, Option<unknown>])[] = Object.entries(table).flatMap(
  ([name, entry]): (readonly [string, Option<unknown>])[] =>
    isGroup(entry)
      ? Object.entries(entry.options).map(([own, option]) => [`${name}.${own}`, option])
      : [[name, entry]],
)

const lastName = (dotted: string): string => dotted.slice(dotted.lastIndexOf('.') + 1)

/** Options of `limitsByRole`. */
export const limitOptions: Options = Object.fromEntries(
  single.filter(([, { isPerRole }]) => isPerRole).map(([name, option]) => [lastName(name), option]),
)

const bodyChangingNames = single.flatMap(([name, { changesBodies }]) => (changesBodies ? [name] : []))

/** Options that change bodies, as part of the cache key. */
export function bodyChanging(options: FilledOptions): Named<unknown> {
  const at = (dotted: string): unknown =>
    dotted.split('.').reduce((value: unknown, name) => (value as Named<unknown>)[name], options)
  return Object.fromEntries(bodyChangingNames.map((name) => [name, at(name)]))
}
