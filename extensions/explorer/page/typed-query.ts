import { type LinkData, type TypeData, targetsOf, type TypesByUid } from './page-data'
import { isTable, type QueryTable, type QueryValue } from './address'
import { takesTruth } from './fixed-choices'

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
      above === 'populate' ||
      above === 'on' ||
      ['withCount', 'count', 'ranks'].includes(name) ||
      takesTruth(name)
    return isSwitch && (value === 'true' || value === 'false') ? value === 'true' : value
  }
  if (!isTable(value)) return value.map((one: QueryValue) => inCode(one, '', name))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inCode(one, key, name)]))
}

export const queryInCode = (query: QueryTable): CodeValue => inCode(query, '', '')

type CodeTable = Readonly<Record<string, CodeValue>>

const mapped = (table: CodeTable, make: (value: CodeValue, name: string) => CodeValue): CodeTable =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, make(value, name)]))

/** A URL may list several names with commas; types list them one by one. */
const listed = (value: CodeValue): CodeValue =>
  typeof value === 'string' && value.includes(',') ? value.split(',').map((one) => one.trim()) : value

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  1: true,
  false: false,
  f: false,
  0: false,
}

function truthsIn(value: CodeValue): CodeValue {
  if (typeof value === 'string') return truths[value] ?? value
  if (typeof value !== 'object') return value
  return isCodeTable(value) ? mapped(value, truthsIn) : value.map(truthsIn)
}

/** The query of one type, with values that the compiler accepts. */
export function typedQuery(query: CodeValue, type: TypeData, types: TypesByUid): CodeValue {
  const below = (
    value: CodeValue,
    link: LinkData,
    go: (value: CodeValue, target: TypeData) => CodeValue,
  ): CodeValue => {
    const [target, ...others] = targetsOf(types, link)
    if (others.length === 0 && target !== undefined && link.role !== 'zone') return go(value, target)
    return ofSeveral(value, go)
  }
  const ofSeveral = (value: CodeValue, go: (value: CodeValue, target: TypeData) => CodeValue): CodeValue => {
    if (!isCodeTable(value)) return value
    return mapped(value, (one, name) => {
      if (name !== 'on' || !isCodeTable(one)) return ofSeveral(one, go)
      return mapped(one, (own, uid) => {
        const target = types.get(uid)
        return target === undefined ? own : go(own, target)
      })
    })
  }
  const conditions = (value: CodeValue, of: TypeData): CodeValue => {
    if (typeof value !== 'object') return value
    if (!isCodeTable(value)) return value.map((one) => conditions(one, of))
    return mapped(value, (one, name) => {
      if (of.scalars.some((scalar) => scalar.name === name && scalar.type === 'boolean')) return truthsIn(one)
      const link = of.links.find((own) => own.name === name)
      if (link !== undefined) return below(one, link, conditions)
      return name.startsWith('$') && name !== '$count' ? conditions(one, of) : one
    })
  }
  const level = (value: CodeValue, of: TypeData): CodeValue => {
    if (!isCodeTable(value)) return value
    return mapped(value, (one, name) => {
      if (name === 'fields') return typeof one === 'string' && one !== '*' ? [listed(one)].flat() : one
      if (['sort', 'groupBy', 'facets', 'highlight'].includes(name)) return listed(one)
      if (name === 'aggregate' && isCodeTable(one)) return mapped(one, listed)
      if (name === 'filters') return conditions(one, of)
      if (name !== 'populate') return one
      if (!isCodeTable(one)) return listed(one)
      return mapped(one, (asked, linkName) => {
        const link = of.links.find((own) => own.name === linkName)
        return link === undefined ? asked : below(asked, link, level)
      })
    })
  }
  return level(query, type)
}
