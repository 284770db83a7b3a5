import { lastOf, malformed, type QueryPath, unknownKey } from '../errors'
import type { Raw } from './raw'

/** `a[b][c]`, as it stands in a query. */
function bracketed(path: QueryPath): string {
  const [first = '', ...others] = path
  return first + others.map((name) => `[${name}]`).join('')
}

/**
 * A name that is populated takes true, false or an object; what stands there instead is mostly meant to be populated below
 * it. No name has been looked up yet, so that one which is nowhere is told the same.
 */
export function nothingBelow(path: QueryPath, raw: Raw): Error {
  const at = bracketed(path)
  if (typeof raw === 'string' && raw !== '') return unknownKey(path, raw, `write ${at}[populate]=${raw}`)
  const right = typeof raw === 'object' && raw !== null ? `${at}[populate][0]=<name>` : `${at}=true`
  return malformed(path, `Invalid populate of ${lastOf(path)}: write ${right}`)
}
