import { malformed, type QueryPath } from '../errors'
import type { AskedFields } from './asked'
import { isRawList, type Raw, readNames } from './raw'

function namesIn(raw: Raw, path: QueryPath): string[] {
  if (typeof raw === 'string') return readNames(raw, path)
  throw malformed(path, 'Invalid fields parameter. Expected a string or an array of strings')
}

export function readFields(raw: Raw | undefined, path: QueryPath): AskedFields {
  if (raw === undefined || raw === null) return '*'
  const names = new Set(
    isRawList(raw) ? raw.flatMap((element) => namesIn(element, path)) : namesIn(raw, path),
  )
  return names.size === 1 && names.has('*') ? '*' : { names: [...names], path }
}
