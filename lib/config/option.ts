export interface Option<T> {
  readonly kind: 'option'
  readonly default: T
  readonly fits: (value: unknown) => boolean
  readonly problem: (value: unknown) => string
  readonly remedy: string | undefined
  /** May be set for one role in `limitsByRole`. */
  readonly isPerRole: boolean
  /** Responses depend on it, so that their tags must differ. */
  readonly changesBodies: boolean
}

export interface Group<O extends Options, Off extends boolean = boolean> {
  readonly kind: 'group'
  readonly options: O
  /** The fault of a value that is no object. */
  readonly problem: string
  readonly remedy: string | undefined
  /** True if `false`, the default, switches the group off. */
  readonly canBeOff: Off
}

export type Options = Readonly<Record<string, Option<unknown>>>
export type OptionTable = Readonly<Record<string, Option<unknown> | Group<Options>>>

type GivenEntry<E> =
  E extends Option<infer V>
    ? V
    : E extends Group<infer O, infer Off>
      ? GivenOptions<O> | (Off extends true ? false : never)
      : never

export type GivenOptions<T extends OptionTable> = { readonly [N in keyof T]?: GivenEntry<T[N]> }

type FilledEntry<E> =
  E extends Option<infer V>
    ? V
    : E extends Group<infer O, infer Off>
      ? Filled<O> | (Off extends true ? null : never)
      : never

export type Filled<T extends OptionTable> = { readonly [N in keyof T]: FilledEntry<T[N]> }

type OptionTraits = Partial<Pick<Option<unknown>, 'remedy' | 'isPerRole' | 'changesBodies'>>

export const custom = <T>(
  byDefault: T,
  fits: (value: unknown) => boolean,
  problem: string | ((value: unknown) => string),
  { remedy, isPerRole = false, changesBodies = false }: OptionTraits = {},
): Option<T> => ({
  kind: 'option',
  default: byDefault,
  fits,
  problem: typeof problem === 'string' ? () => problem : problem,
  ...{ remedy, isPerRole, changesBodies },
})

/** One of a few values; the first is the default. */
export const choice = <const T extends string>(
  values: readonly [T, ...T[]],
  traits: OptionTraits = {},
): Option<T> =>
  custom<T>(
    values[0],
    (value) => (values as readonly unknown[]).includes(value),
    (value) => `the value ${JSON.stringify(value)} is not allowed`,
    { ...traits, remedy: `set the option to ${values.map((value) => JSON.stringify(value)).join(' or ')}` },
  )

export type OptionValues = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && 'then' in value && typeof value.then === 'function'
/** True for an object with members of its own: no list, map or promise. */
export const isTable = (value: unknown): value is OptionValues =>
  isObject(value) && !(Symbol.iterator in value || isPromise(value))
export const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')
export const isTime = (value: unknown): boolean => typeof value === 'number' && value > 0
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
export const isFunction = (value: unknown): boolean => typeof value === 'function'

export const flag = <T extends boolean | undefined>(
  byDefault: T,
  traits?: OptionTraits,
): Option<T | boolean> => custom<T | boolean>(byDefault, isBoolean, 'the value must be true or false', traits)

/** A whole number; Infinity is no limit. */
export const limit = <T extends number | undefined>(
  byDefault: T,
  least: 0 | 1,
  traits?: OptionTraits,
): Option<T | number> =>
  custom<T | number>(
    byDefault,
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= least),
    `the value must be an integer, ${String(least)} or higher`,
    traits,
  )

export const group = <const O extends Options>(
  options: O,
  problem: string,
  remedy?: string,
): Group<O, false> => ({ kind: 'group', options, problem, remedy, canBeOff: false })
