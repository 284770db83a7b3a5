import { malformed, type QueryPath, unknownKey } from '../errors'
import { type AskedCondition, type AskedValue, type CompareOperator, compareOperators } from './asked'
import { isList, isObject, type Raw, type RawObject } from './raw'

const listOperators: ReadonlySet<string> = new Set<CompareOperator>(['$in', '$notIn', '$between'])

const isCompareOperator = (key: string): key is CompareOperator =>
  (compareOperators as readonly string[]).includes(key)

function readValue(raw: Raw, path: QueryPath): AskedValue {
  if (raw === null || typeof raw === 'string') return raw
  throw malformed(path, `Invalid value for ${path.at(-1) ?? ''}: expected a string or a list of strings`)
}

function compare(operator: CompareOperator, raw: Raw, path: QueryPath): AskedCondition {
  const values = isList(raw) ? raw.map((value) => readValue(value, path)) : [readValue(raw, path)]
  if (operator === '$between' && values.length !== 2)
    throw malformed(path, '$between expects exactly two values')
  if (values.length === 0 && !listOperators.has(operator))
    throw malformed(path, `${operator} expects a value`)
  return { op: 'compare', operator, values, path }
}

function group(op: 'and' | 'or', raw: Raw, path: QueryPath): AskedCondition {
  if (!isList(raw) || raw.length === 0) throw malformed(path, `$${op} expects a list of conditions`)
  return { op, of: raw.map((element, index) => groupElement(element, [...path, String(index)])) }
}

function groupElement(raw: Raw, path: QueryPath): AskedCondition {
  if (!isObject(raw)) throw malformed(path, 'Expected a condition')
  return readObject(raw, path)
}

function readEntry(key: string, raw: Raw, path: QueryPath): AskedCondition {
  if (key === '$and') return group('and', raw, path)
  if (key === '$or') return group('or', raw, path)
  if (key === '$not') return { op: 'not', of: readOperand(raw, path) }
  if (isCompareOperator(key)) return compare(key, raw, path)
  if (key.startsWith('$')) throw unknownKey(path, key)
  return { op: 'at', name: key, of: readOperand(raw, path), path }
}

/** What stands at an attribute or behind `$not`: conditions, or a value that it shall equal. */
function readOperand(raw: Raw, path: QueryPath): AskedCondition {
  if (isObject(raw)) return readObject(raw, path)
  return compare(isList(raw) ? '$in' : '$eq', raw, path)
}

function readObject(raw: RawObject, path: QueryPath): AskedCondition {
  const of = Object.entries(raw).map(([key, value]) => readEntry(key, value, [...path, key]))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op: 'and', of }
}

export function readFilters(raw: Raw | undefined, path: QueryPath): AskedCondition | null {
  if (raw === undefined || raw === null) return null
  if (isList(raw)) throw malformed(path, 'The filters parameter must be an object')
  if (!isObject(raw)) throw malformed(path, 'The filters parameter must be an object or an array')
  return readObject(raw, path)
}
