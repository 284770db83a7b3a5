import { isTable, type QueryTable, type QueryValue } from './asked'
import { takesTruth } from './operators'

export type CodeValue =
  string | number | boolean | readonly CodeValue[] | { readonly [name: string]: CodeValue }

export const isCodeTable = (value: CodeValue): value is Readonly<Record<string, CodeValue>> =>
  typeof value === 'object' && !Array.isArray(value)

const numbers: readonly string[] = ['page', 'pageSize', 'start', 'limit']

/** A URL holds strings only; code has numbers and booleans. */
function inCode(value: QueryValue, name: string, above: string): CodeValue {
  if (typeof value === 'string') {
    if (above === 'pagination' && numbers.includes(name) && /^\d+$/.test(value)) return Number(value)
    const isSwitch =
      above === 'populate' || above === 'on' || ['withCount', 'count'].includes(name) || takesTruth(name)
    return isSwitch && (value === 'true' || value === 'false') ? value === 'true' : value
  }
  if (!isTable(value)) return value.map((one: QueryValue) => inCode(one, '', name))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inCode(one, key, name)]))
}

export const queryInCode = (query: QueryTable): CodeValue => inCode(query, '', '')
