// A request as a structure, and the text it is written as: who makes the structure knows what is asked without parsing.

export type Value = string | null

export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly at: string; readonly of: Filter }
  | { readonly which: '$some' | '$none' | '$every'; readonly of: Filter }
  | { readonly count: Filter }
  | { readonly operator: string; readonly value: Value | readonly string[] }

export interface SortKey {
  readonly names: readonly string[]
  readonly direction: 'asc' | 'desc'
}

/** Without those that stood before. Backwards, a key through links is by another of their values; one of the entry's own is by the same. */
export function differing(keys: readonly SortKey[]): readonly SortKey[] {
  const textOf = ({ names, direction }: SortKey): string =>
    names.join('.') + (names.length > 1 ? ` ${direction}` : '')
  const texts = keys.map(textOf)
  return keys.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
}

export interface Wanted {
  readonly name: string
  readonly ask: Ask
}

export type Populate = '*' | readonly Wanted[]

export interface Ask {
  readonly fields?: readonly string[]
  readonly populate?: Populate
  readonly filters?: Filter
  readonly sort?: readonly SortKey[]
  readonly on?: readonly Wanted[]
  readonly count?: true
  readonly page?: Page
}

export interface Page {
  readonly by: 'page' | 'offset'
  readonly first: number
  readonly size: number
  readonly withCount?: boolean
}

/**
 * How lists are written: `a[]=x&a[]=y`, `a[0]=x&a[1]=y`, or `a=x,y` where that is allowed. `dotted`: populate as a list
 * of paths, which can name nothing but names.
 */
export type Style = 'brackets' | 'indexes' | 'commas'

export interface Request extends Omit<Ask, 'on' | 'count'> {
  readonly style: Style
  readonly dotted: boolean
  readonly status?: 'draft' | 'published'
  readonly locale?: '*' | readonly string[]
  /** Empty: none, whatever the host has for that. */
  readonly fallback?: readonly string[]
}

/** Null: a key without a value. */
export type Pair = readonly [key: string, value: Value]

function list(key: string, values: readonly Value[], style: Style): Pair[] {
  if (style === 'commas') return [[key, values.join(',')]]
  return values.map((value, index) => [`${key}[${style === 'indexes' ? String(index) : ''}]`, value])
}

const indexed = (style: Style): Style => (style === 'commas' ? 'indexes' : style)

function filterPairs(key: string, filter: Filter, style: Style): Pair[] {
  if ('all' in filter) return group(`${key}[$and]`, filter.all, style)
  if ('any' in filter) return group(`${key}[$or]`, filter.any, style)
  if ('not' in filter) return filterPairs(`${key}[$not]`, filter.not, style)
  if ('which' in filter) return filterPairs(`${key}[${filter.which}]`, filter.of, style)
  if ('count' in filter) return filterPairs(`${key}[$count]`, filter.count, style)
  if ('at' in filter) return filterPairs(`${key}[${filter.at}]`, filter.of, style)
  const { operator, value } = filter
  const at = `${key}[${operator}]`
  if (value === null || typeof value === 'string') return [[at, value]]
  return list(at, value, indexed(style))
}

/** Elements that are objects need their index: `[]` would start a new element for each of their keys. */
const group = (key: string, filters: readonly Filter[], style: Style): Pair[] =>
  filters.flatMap((filter, index) => filterPairs(`${key}[${String(index)}]`, filter, style))

const sortText = ({ names, direction }: SortKey): string =>
  direction === 'asc' ? names.join('.') : `${names.join('.')}:desc`

function askPairs(key: string, ask: Ask, style: Style): Pair[] {
  const inside = indexed(style)
  return [
    ...(ask.fields === undefined ? [] : list(`${key}[fields]`, ask.fields, style)),
    ...(ask.populate === undefined ? [] : populatePairs(`${key}[populate]`, ask.populate, inside)),
    ...(ask.filters === undefined ? [] : filterPairs(`${key}[filters]`, ask.filters, style)),
    ...(ask.sort === undefined ? [] : list(`${key}[sort]`, ask.sort.map(sortText), style)),
    ...(ask.on === undefined ? [] : wantedPairs(`${key}[on]`, ask.on, style)),
    ...(ask.page === undefined ? [] : pagePairs(`${key}[pagination]`, ask.page)),
    ...(ask.count === undefined ? [] : ([[`${key}[count]`, 'true']] satisfies Pair[])),
  ]
}

function wantedPairs(key: string, wanted: readonly Wanted[], style: Style): Pair[] {
  return wanted.flatMap(({ name, ask }): Pair[] => {
    const pairs = askPairs(`${key}[${name}]`, ask, style)
    return pairs.length === 0 ? [[`${key}[${name}]`, 'true']] : pairs
  })
}

const isBare = (ask: Ask): boolean => Object.values(ask).every((value) => value === undefined)

function populatePairs(key: string, populate: Populate, style: Style): Pair[] {
  if (populate === '*') return [[key, '*']]
  const names = populate.map(({ name }) => name)
  return populate.every(({ ask }) => isBare(ask))
    ? list(key, names, style)
    : wantedPairs(key, populate, style)
}

function paths(populate: Populate | undefined): string[] {
  if (populate === undefined || populate === '*') return []
  return populate.flatMap(({ name, ask }) => {
    const below = paths(ask.populate)
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`)
  })
}

function pagePairs(key: string, { by, first, size, withCount }: Page): Pair[] {
  const [at, of] = by === 'page' ? ['page', 'pageSize'] : ['start', 'limit']
  return [
    [`${key}[${at}]`, String(first)],
    [`${key}[${of}]`, String(size)],
    ...(withCount === undefined ? [] : ([[`${key}[withCount]`, String(withCount)]] satisfies Pair[])),
  ]
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll('%5B', '[').replaceAll('%5D', ']')

function encodedPair([key, value]: Pair): string {
  return value === null ? encoded(key) : `${encoded(key)}=${encodeURIComponent(value)}`
}

export function pairsOf(request: Request): readonly Pair[] {
  const { style, dotted, populate, page, status, locale, fallback } = request
  const whole = {
    ...(request.fields === undefined ? {} : { fields: request.fields }),
    ...(request.filters === undefined ? {} : { filters: request.filters }),
    ...(request.sort === undefined ? {} : { sort: request.sort }),
  }
  const top = askPairs('', whole, style).map(([key, value]): Pair => [key.replace(/^\[(\w+)\]/, '$1'), value])
  return [
    ...top,
    ...(populate === undefined
      ? []
      : dotted
        ? list('populate', paths(populate), style)
        : populatePairs('populate', populate, style)),
    ...(page === undefined ? [] : pagePairs('pagination', page)),
    ...(status === undefined ? [] : ([['status', status]] satisfies Pair[])),
    ...(locale === undefined
      ? []
      : locale === '*'
        ? ([['locale', '*']] satisfies Pair[])
        : list('locale', locale, indexed(style))),
    ...(fallback === undefined
      ? []
      : fallback.length === 0
        ? [['fallback', 'false'] satisfies Pair]
        : list('fallback', fallback, style)),
  ]
}

export const printRequest = (request: Request): string => pairsOf(request).map(encodedPair).join('&')
