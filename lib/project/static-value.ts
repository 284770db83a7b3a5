/** What only running the project's code would tell. */
export const unknownValue: unique symbol = Symbol('unknown')

export type StaticRecord = ReadonlyMap<string, StaticValue>

/** A function whose answers are known without running the project's code. */
export interface StaticFunction {
  readonly call: (given: readonly StaticValue[]) => StaticValue
  readonly members: StaticRecord
  /** What one of the project's own may change when somebody calls it. */
  readonly reached?: () => readonly StaticValue[]
}

export type StaticValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | typeof unknownValue
  | readonly StaticValue[]
  | StaticRecord
  | StaticFunction

export const isList = (value: StaticValue): value is readonly StaticValue[] => Array.isArray(value)

export const isStaticRecord = (value: StaticValue): value is StaticRecord => value instanceof Map

export const isStaticFunction = (value: StaticValue): value is StaticFunction =>
  typeof value === 'object' && value !== null && !isList(value) && !isStaticRecord(value)

export const staticFunction = (
  call: StaticFunction['call'],
  members: Readonly<Record<string, StaticValue>> = {},
): StaticFunction => ({ call, members: new Map(Object.entries(members)) })

/** What is not made by a project's code, and stands for all projects. */
const lasting = new WeakSet<StaticRecord>()
export const isLasting = (value: StaticRecord): boolean => lasting.has(value)

/** A Map, so that no name that a text holds can mean what JavaScript's objects have. */
export function staticRecord(members: Readonly<Record<string, StaticValue>>): StaticRecord {
  const made = new Map(Object.entries(members))
  lasting.add(made)
  return made
}

/** Lists of which nobody knows how long they are. */
const open = new WeakSet<readonly StaticValue[]>()
export const isOpenList = (value: StaticValue): boolean => isList(value) && open.has(value)

export function openList(value: readonly StaticValue[]): readonly StaticValue[] {
  open.add(value)
  return value
}

export function memberOf(value: StaticValue, key: StaticValue): StaticValue {
  if (typeof key !== 'string' && typeof key !== 'number') return unknownValue
  const name = String(key)
  if (isStaticRecord(value)) return spreadsUnknown(value) && !value.has(name) ? unknownValue : value.get(name)
  if (isStaticFunction(value)) return value.members.has(name) ? value.members.get(name) : unknownValue
  return isList(value) && !isOpenList(value) && /^\d+$/.test(name) ? value[Number(name)] : unknownValue
}

/** Where what is spread is not known, neither is what else there may be. No key of a text is empty but by malice. */
export const unknownRest = '\u0000'
export const spreadsUnknown = (value: StaticRecord): boolean => value.has(unknownRest)

/** How many there are to be copied or looked through. */
export function sizeOf(value: StaticValue): number {
  if (isList(value)) return value.length
  return isStaticRecord(value) ? value.size : 0
}

/** The value at the end of a path of names; undefined where it ends early. */
export function valueAt(value: StaticValue, path: string): StaticValue {
  return path
    .split('.')
    .reduce<StaticValue>(
      (inner, name) => (inner === undefined || inner === null ? undefined : memberOf(inner, name)),
      value,
    )
}
