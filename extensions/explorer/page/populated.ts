import { isTable, type QueryTable, type QueryValue } from './address'

/** The relations of `populate` at one level, whichever form the query uses. */
export interface Populated {
  /** `*` */
  readonly isAll: boolean
  readonly links: ReadonlyMap<string, QueryTable>
}

function addPath(links: Map<string, QueryTable>, [name = '', ...rest]: readonly string[]): void {
  const own = links.get(name) ?? {}
  if (rest.length === 0) links.set(name, own)
  else {
    const below = new Map(populatedBy(own['populate']).links)
    addPath(below, rest)
    links.set(name, { ...own, populate: populateOf({ isAll: false, links: below }) })
  }
}

function ofNames(names: readonly QueryValue[]): Populated {
  const texts = names.filter((name) => typeof name === 'string').flatMap((name) => name.split(','))
  const links = new Map<string, QueryTable>()
  for (const text of texts.map((name) => name.trim()))
    if (text !== '' && text !== '*') addPath(links, text.split('.'))
  return { isAll: texts.includes('*'), links }
}

export function populatedBy(populate: QueryValue | undefined): Populated {
  if (populate === undefined) return { isAll: false, links: new Map() }
  if (typeof populate === 'string') return ofNames([populate])
  if (!isTable(populate)) return ofNames(populate)
  const entries = Object.entries(populate)
  if (entries.every(([name]) => /^\d+$/.test(name))) return ofNames(entries.map(([, value]) => value))
  const asked = entries.filter(([name, value]) => name !== '*' && value !== 'false' && value !== '0')
  return {
    isAll: entries.some(([name]) => name === '*'),
    links: new Map(asked.map(([name, value]) => [name, isTable(value) ? value : {}])),
  }
}

/** The shortest form: names alone if no relation has a query. */
export function populateOf({ isAll, links }: Populated): QueryValue {
  const all = [...links]
  if (isAll && all.length === 0) return '*'
  const isPlain = all.every(([, below]) => Object.keys(below).length === 0)
  if (isPlain) return all.map(([name]) => name)
  return Object.fromEntries(
    all.map(([name, below]) => [name, Object.keys(below).length === 0 ? 'true' : below]),
  )
}
