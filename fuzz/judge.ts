import type { Answered } from './serve'

interface ErrorBody {
  readonly error?: { readonly name?: unknown; readonly details?: { readonly path?: unknown } }
}

/** What is wrong with an answer, whatever was asked. */
export function faultOf({ status, text }: Answered): string | undefined {
  if (status >= 500) return `status ${String(status)}`
  let body: ErrorBody
  try {
    body = JSON.parse(text) as ErrorBody
  } catch {
    return `no JSON in the body of a ${String(status)}`
  }
  if (status === 200) return undefined
  // A path that cannot be decoded is no place in the query.
  const isOfPath = body.error?.name === 'BadRequestError'
  if (status === 400 && !isOfPath && typeof body.error?.details?.path !== 'string')
    return 'a 400 without details.path'
  return undefined
}

const shared = {
  'Object.prototype': Object.prototype,
  'Array.prototype': Array.prototype,
  'String.prototype': String.prototype,
  'Function.prototype': Function.prototype,
  'Map.prototype': Map.prototype,
  'Promise.prototype': Promise.prototype,
  Object,
  Array,
  JSON,
  globalThis,
}

const shapeOf = (value: object): string =>
  JSON.stringify(
    Reflect.ownKeys(value)
      .map((key) => `${String(key)} ${typeof Object.getOwnPropertyDescriptor(value, key)?.value}`)
      .sort(),
  )

const shapes = (): Map<string, string> =>
  new Map(Object.entries(shared).map(([name, value]) => [name, shapeOf(value)]))

/** Tells, whenever it is asked, which of the objects that everything shares has been changed since. */
export function watchGlobals(): () => string | undefined {
  const before = shapes()
  return () => {
    const changed = [...shapes()].filter(([name, shape]) => before.get(name) !== shape).map(([name]) => name)
    return changed.length === 0 ? undefined : `changed ${changed.join(', ')}`
  }
}
