import type { Answered } from './serve'

interface ErrorBody {
  readonly error?: { readonly name?: unknown; readonly details?: { readonly path?: unknown } }
}

/** What the recorded content holds in private attributes and in passwords. */
const secret = /\$2a\$10\$|"internal \d|private note \d|"trk-\d/

/** What is wrong with an answer, whatever was asked. */
export function faultOf({ status, text, difference }: Answered): string | undefined {
  if (difference !== undefined) return difference
  // Node's own, of more letters than the host lets in: no router has seen it.
  if (status === 431) return undefined
  if (status >= 500) return `status ${String(status)}`
  let body: ErrorBody
  try {
    body = JSON.parse(text) as ErrorBody
  } catch {
    return `no JSON in the body of a ${String(status)}`
  }
  if (status === 200) return secret.test(text) ? 'tells a secret' : undefined
  // A path that cannot be decoded is no place in the query.
  const isOfPath = body.error?.name === 'BadRequestError'
  if (status === 400 && !isOfPath && typeof body.error?.details?.path !== 'string')
    return 'a 400 without details.path'
  return undefined
}

const shared: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    [Object, Array, String, Number, Boolean, Function, RegExp, Error, Map, Set, Promise, Buffer].map(
      (one) => [`${one.name}.prototype`, one.prototype as object],
    ),
  ),
  Object,
  Array,
  JSON,
  Math,
  Reflect,
  globalThis,
}

type Members = ReadonlyMap<PropertyKey, PropertyDescriptor | undefined>

const membersOf = (value: object): Members =>
  new Map(Reflect.ownKeys(value).map((key) => [key, Object.getOwnPropertyDescriptor(value, key)]))

/** What is made when it is first asked for, as some globals are, becomes a value by that. */
const isMade = (one: PropertyDescriptor | undefined, before: PropertyDescriptor | undefined): boolean =>
  before?.get !== undefined && one !== undefined && one.get === undefined

const isSame = (one: PropertyDescriptor | undefined, before: PropertyDescriptor | undefined): boolean =>
  one !== undefined &&
  before !== undefined &&
  Object.is(one.value, before.value) &&
  one.get === before.get &&
  one.set === before.set

function isUnchanged(value: object, before: Members): boolean {
  const now = membersOf(value)
  const isLazy = value === globalThis
  return (
    now.size === before.size &&
    [...now].every(([key, one]) => {
      const other = before.get(key)
      return isSame(one, other) || (isLazy && isMade(one, other))
    })
  )
}

/** Tells, whenever it is asked, which of the objects that everything shares has been changed since. */
export function watchGlobals(): () => string | undefined {
  const before = Object.entries(shared).map(([name, value]) => [name, value, membersOf(value)] as const)
  return () => {
    const changed = before.filter(([, value, members]) => !isUnchanged(value, members)).map(([name]) => name)
    return changed.length === 0 ? undefined : `changed ${changed.join(', ')}`
  }
}
