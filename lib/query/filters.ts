import { lastOf, malformed, type QueryPath, unknownKey } from '../errors'
import { unknownAmong } from '../schema'
import type { QueryCondition, RawValue, AskerName } from './query'
import {
  type CompareOperator,
  countName,
  isCompareOperator,
  operatorNames,
  operators,
  quantifiers,
} from '../operators'
import { deeper, type QueryPlace, within, isRawList, isRawObject, type Raw, type RawObject } from './raw'

/** Key of a value of the current user, in rules only. */
const askerKey = '$asker'

function askerIn(raw: Raw, { isRule }: QueryPlace): AskerName | null {
  if (isRule !== true || !isRawObject(raw)) return null
  const { [askerKey]: asker, ...others } = raw
  return typeof asker === 'string' && asker !== '' && Object.keys(others).length === 0 ? { asker } : null
}

/** Names of the current user in other query languages. */
const askerWords = ['$user', '$currentUser', '$me', '$auth']

function unknownOperator(key: string, { path, isRule }: QueryPlace): Error {
  if (isRule && askerWords.includes(key)) return unknownKey(path, key, `did you mean ${askerKey}?`)
  return unknownAmong(path, key, isRule ? [...operatorNames, askerKey] : operatorNames)
}

function readValue(raw: Raw, place: QueryPlace): RawValue {
  if (raw === null || typeof raw === 'string') return raw
  const { path } = place
  const asker = askerIn(raw, place)
  if (asker !== null) return asker
  const [key = ''] = place.isRule && isRawObject(raw) ? Object.keys(raw) : []
  if (key.startsWith('$')) throw unknownOperator(key, within(place, key))
  throw malformed(path, `Invalid value for ${lastOf(path)}: expected a string or a list of strings`)
}

function compare(operator: CompareOperator, raw: Raw, place: QueryPlace): QueryCondition {
  const { path } = place
  const { takes, value: kind } = operators[operator]
  if (kind === 'truth' && (isRawList(raw) || (isRawObject(raw) && askerIn(raw, place) === null)))
    return { op: 'compare', operator, values: [], path }
  const values = isRawList(raw) ? raw.map((value) => readValue(value, place)) : [readValue(raw, place)]
  if (takes === 'two' && values.length !== 2) throw malformed(path, `${operator} expects exactly two values`)
  if (takes === 'one' && values.length === 0) throw malformed(path, `${operator} expects a value`)
  return { op: 'compare', operator, values, path }
}

function group(op: 'and' | 'or', raw: Raw, place: QueryPlace): QueryCondition {
  if (!isRawList(raw) || raw.length === 0) throw malformed(place.path, `$${op} expects a list of conditions`)
  return { op, of: raw.map((element, index) => groupElement(element, within(place, String(index)))) }
}

function groupElement(raw: Raw, place: QueryPlace): QueryCondition {
  if (isRawList(raw)) return group('and', raw, deeper(place))
  if (!isRawObject(raw)) throw malformed(place.path, 'Expected a condition')
  return readObject(raw, place)
}

/** At an attribute, `$not` may hold a list of values. */
function readNegated(raw: Raw, place: QueryPlace): QueryCondition {
  const isValue = (part: Raw): boolean =>
    !isRawList(part) && (!isRawObject(part) || askerIn(part, place) !== null)
  return isRawList(raw) && raw.length > 0 && !raw.some(isValue)
    ? group('and', raw, place)
    : readOperand(raw, place)
}

function readEntry(key: string, raw: Raw, place: QueryPlace): QueryCondition {
  if (isCompareOperator(key)) return compare(key, raw, place)
  const below = deeper(place)
  if (key === '$and') return group('and', raw, below)
  if (key === '$or') return group('or', raw, below)
  if (key === '$not') return { op: 'not', of: readNegated(raw, below) }
  const quantifier = ([...quantifiers, countName] as const).find((one) => one === key)
  if (quantifier !== undefined)
    return { op: 'which', quantifier, of: readOperand(raw, below), path: place.path }
  if (key.startsWith('$')) throw unknownOperator(key, place)
  return { op: 'at', name: key, of: readOperand(raw, below), path: place.path }
}

function readOperand(raw: Raw, place: QueryPlace): QueryCondition {
  if (isRawObject(raw) && askerIn(raw, place) === null) return readObject(raw, place)
  return compare(isRawList(raw) ? '$in' : '$eq', raw, place)
}

function readObject(raw: RawObject, place: QueryPlace): QueryCondition {
  const of = Object.entries(raw).map(([key, value]) => readEntry(key, value, within(place, key)))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: 'and', of }
}

export const readRule = (raw: RawObject, path: QueryPath): QueryCondition =>
  readObject(raw, { path, depth: 0, isRule: true })

export function readFilters(raw: Raw | undefined, place: QueryPlace): QueryCondition | null {
  if (raw === undefined || raw === null) return null
  if (isRawList(raw)) throw malformed(place.path, 'The filters parameter must be an object')
  if (!isRawObject(raw)) throw malformed(place.path, 'The filters parameter must be an object or an array')
  // Empty filters equal none, so that their cursors are the same.
  if (Object.keys(raw).length === 0) return null
  return readObject(raw, place)
}
