import { malformed, unknownKey } from '../../lib/errors'
import { isRawList, isRawObject, type QuerySort, type Raw, type RawObject } from '../../lib/query'

/** Functions of attributes. `count` needs none. */
const functions = ['countDistinct', 'sum', 'avg', 'min', 'max'] as const
type AggregateFunction = (typeof functions)[number]

export const dateParts = ['year', 'quarter', 'month', 'week', 'day'] as const
export type DatePart = (typeof dateParts)[number]

/** A group as the query names it: `author.name`, `publishedAt:month`. */
export interface AskedGroup {
  readonly name: string
  readonly part: DatePart | null
  readonly key: QuerySort
}

/** An aggregate of an attribute. `name` is the one that `sort` uses: `sum.views`. */
export interface AskedAggregate {
  readonly name: string
  readonly of: AggregateFunction
  readonly attribute: string
  readonly key: QuerySort
}

export interface AskedSort {
  readonly name: string
  readonly direction: 'asc' | 'desc'
}

/** The parameters of an aggregate query. Attributes are not resolved. */
export interface AggregateQuery {
  readonly groups: readonly AskedGroup[]
  readonly counts: boolean
  readonly aggregates: readonly AskedAggregate[]
  readonly having: RawObject
  readonly sort: readonly AskedSort[]
}

const mostAggregates = 20
const mostGroups = { groupBy: 5, facets: 10 } as const

/** The texts of a parameter: `a,b`, a list, or an object with numbers as keys. */
function textsIn(
  raw: Raw | undefined,
  path: readonly string[],
): readonly (readonly [string, readonly string[]])[] {
  if (raw === undefined) return []
  const parts = isRawList(raw) || isRawObject(raw) ? Object.entries(raw) : [['', raw] as const]
  return parts.flatMap(([index, part]) => {
    const at = index === '' ? path : [...path, index]
    if (typeof part !== 'string' || part === '')
      throw malformed(at, `Invalid ${path[0] ?? ''} parameter: expected names of attributes`)
    return part.split(',').map((text) => [text.trim(), at] as const)
  })
}

function keyTo(name: string, path: readonly string[]): QuerySort {
  const [first = '', ...rest] = name.split('.')
  if ([first, ...rest].includes(''))
    throw malformed(path, `Invalid ${path[0] ?? ''} parameter: a name is empty`)
  return { names: [first, ...rest], direction: 'asc', isDirected: false, path }
}

const isOneOf = <T extends string>(names: readonly T[], name: string | undefined): name is T =>
  (names as readonly (string | undefined)[]).includes(name)

function readGroup(text: string, path: readonly string[]): AskedGroup {
  const [name = '', part, ...rest] = text.split(':')
  const ending = dateParts.find((one) => name.endsWith(`.${one}`))
  const hint = ending && `write ${name.slice(0, -1 - ending.length)}:${ending} for a part of a date`
  if (part === undefined) return { name, part: null, key: { ...keyTo(name, path), hint } }
  if (rest.length > 0 || !isOneOf(dateParts, part))
    throw malformed(
      path,
      `Invalid ${path[0] ?? ''} parameter: a part of a date is one of ${dateParts.join(', ')}`,
    )
  return { name: `${name}:${part}`, part, key: keyTo(name, path) }
}

function atMost(most: number, list: readonly unknown[], path: readonly string[], what: string): void {
  if (list.length > most) throw malformed(path, `A query can have at most ${String(most)} ${what}`)
}

/** The groups of a query, or the facets beside a list. */
export function readGroups(raw: Raw | undefined, name: 'groupBy' | 'facets'): readonly AskedGroup[] {
  const groups = uniqueByName(textsIn(raw, [name]).map(([text, path]) => readGroup(text, path)))
  atMost(mostGroups[name], groups, [name], name === 'facets' ? 'facets' : 'groups')
  return groups
}

function readAggregates(raw: Raw | undefined): Pick<AggregateQuery, 'counts' | 'aggregates'> {
  if (!isRawObject(raw ?? null))
    throw malformed(['aggregate'], 'Set the parameter aggregate, for example aggregate[count]=true')
  let counts = false
  const aggregates = Object.entries(raw as RawObject).flatMap(([of, names]): readonly AskedAggregate[] => {
    const path = ['aggregate', of]
    if (of === 'count') {
      if (names !== 'true') throw malformed(path, 'Invalid aggregate parameter: write aggregate[count]=true')
      counts = true
      return []
    }
    if (!isOneOf(functions, of))
      throw unknownKey(path, of, `the functions are ${['count', ...functions].join(', ')}`)
    return textsIn(names, path).map(([attribute, at]) => {
      return { name: `${of}.${attribute}`, of, attribute, key: keyTo(attribute, at) }
    })
  })
  atMost(mostAggregates, aggregates, ['aggregate'], 'aggregates')
  return { counts, aggregates: uniqueByName(aggregates) }
}

function uniqueByName<T extends { readonly name: string }>(list: readonly T[]): readonly T[] {
  return [...new Map(list.map((one) => [one.name, one])).values()]
}

/** `publishedAt:month:desc`: the last word may be a direction. */
function readSort(raw: Raw | undefined, known: readonly string[]): readonly AskedSort[] {
  return textsIn(raw, ['sort']).map(([text, path]) => {
    const [, name = '', word = 'asc'] = /^(.*?)(?::(asc|desc))?$/i.exec(text) ?? []
    if (!known.includes(name))
      throw unknownKey(
        path,
        name,
        `sort supports only the groups and aggregates of the query: ${known.join(', ')}`,
      )
    return { name, direction: word.toLowerCase() === 'desc' ? 'desc' : 'asc' }
  })
}

/** Takes the parameters of aggregates; `query` is what remains for the list. */
export function readAggregateQuery(raw: RawObject): { asked: AggregateQuery; query: RawObject } {
  const { aggregate, groupBy, having = {}, sort, ...query } = raw
  // Parameters of the list that have no effect on groups.
  for (const name of ['populate', 'fields', 'facets'])
    if (query[name] !== undefined) throw unknownKey([name], name)
  const groups = readGroups(groupBy, 'groupBy')
  const { counts, aggregates } = readAggregates(aggregate)
  if (!isRawObject(having))
    throw malformed(['having'], 'Invalid having parameter: write having[count][$gte]=2')
  const results = [...groups, ...(counts ? [{ name: 'count' }] : []), ...aggregates]
  const known = results.map(({ name }) => name)
  return { asked: { groups, counts, aggregates, having, sort: readSort(sort, known) }, query }
}
