import { isTable, type QueryTable, type QueryValue } from './address'
import { populatedBy, populateOf } from './populated'
import { type TypeData, isOfSeveral, targetsOf, type LinkData, type TypesByUid } from './page-data'

/** One relation on the path from the top to a level, with the chosen type if there are several. */
export interface Step {
  readonly link: string
  readonly on: string | null
  /** All relations of the level above, for `*`. */
  readonly among: readonly string[]
}
export type LevelPath = readonly Step[]

/** Without empty parts. */
export function filled(table: Readonly<Record<string, QueryValue | undefined>>): QueryTable {
  const said = Object.entries(table).filter(
    (entry): entry is [string, QueryValue] =>
      entry[1] !== undefined && (typeof entry[1] === 'string' || Object.keys(entry[1]).length > 0),
  )
  return Object.fromEntries(said)
}

const fragmentsOf = (level: QueryTable): QueryTable => (isTable(level['on']) ? level['on'] : {})

const fragmentOf = (level: QueryTable, uid: string): QueryTable => {
  const own = fragmentsOf(level)[uid]
  return isTable(own) ? own : {}
}

/** Null if the query does not contain the level. */
export function levelAt(query: QueryTable, path: LevelPath): QueryTable | null {
  const [step, ...rest] = path
  if (step === undefined) return query
  const { isAll, links } = populatedBy(query['populate'])
  const below = links.get(step.link) ?? (isAll ? {} : undefined)
  if (below === undefined) return null
  if (step.on === null) return levelAt(below, rest)
  return step.on in fragmentsOf(below) ? levelAt(fragmentOf(below, step.on), rest) : null
}

/** The query with a changed level, which is added if missing. */
export function withLevel(
  query: QueryTable,
  path: LevelPath,
  make: (level: QueryTable) => QueryTable,
): QueryTable {
  const [step, ...rest] = path
  if (step === undefined) return filled(make(query))
  const populated = populatedBy(query['populate'])
  const all = populated.isAll ? step.among.map((name) => [name, {}] as const) : []
  const links = new Map<string, QueryTable>([...all, ...populated.links])
  const old = links.get(step.link) ?? {}
  const { on } = step
  const below =
    on === null
      ? withLevel(old, rest, make)
      : { ...old, on: { ...fragmentsOf(old), [on]: orTrue(withLevel(fragmentOf(old, on), rest, make)) } }
  const populate = populateOf({ isAll: false, links: new Map([...links, [step.link, below]]) })
  return filled({ ...query, populate })
}

const orTrue = (table: QueryTable): QueryValue => (Object.keys(table).length === 0 ? 'true' : table)

export const isPopulated = (level: QueryTable, link: string): boolean => {
  const { isAll, links } = populatedBy(level['populate'])
  return isAll || links.has(link)
}

/** Adds or removes a relation; `*` is replaced by the names. */
export function withLink(level: QueryTable, type: TypeData, link: string): QueryTable {
  const { isAll, links } = populatedBy(level['populate'])
  const all = new Map([...(isAll ? type.links.map(({ name }) => [name, {}] as const) : []), ...links])
  if (!all.delete(link)) all.set(link, {})
  return filled({ ...level, populate: populateOf({ isAll: false, links: all }) })
}

export function withFragment(level: QueryTable, uid: string): QueryTable {
  const { [uid]: old, ...others } = fragmentsOf(level)
  return filled({ ...level, on: old === undefined ? { ...others, [uid]: 'true' } : others })
}

export const hasFragment = (level: QueryTable, uid: string): boolean => uid in fragmentsOf(level)

/** The names in a text with commas, or in a list of such texts. */
export function namesIn(value: QueryValue | undefined): readonly string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return value.split(',').map((name) => name.trim())
  return Object.values(value).flatMap((one: QueryValue) => (typeof one === 'string' ? namesIn(one) : []))
}

export function fieldsOf({ fields }: QueryTable): readonly string[] | null {
  const names = namesIn(fields)
  return fields === undefined || names.includes('*') ? null : names
}

/** Included whatever `fields` contains. */
export const alwaysShown: readonly string[] = ['id', 'documentId']

export const choosableFields = ({ scalars }: TypeData): readonly string[] =>
  scalars.map(({ name }) => name).filter((name) => !alwaysShown.includes(name))

export const withAllFields = (level: QueryTable): QueryTable => filled({ ...level, fields: undefined })

/** An empty list would mean all. */
export const withoutFields = (level: QueryTable): QueryTable => ({ ...level, fields: ['id'] })

export function withField(level: QueryTable, type: TypeData, field: string): QueryTable {
  const all = choosableFields(type)
  const shown = fieldsOf(level) ?? all
  const now = all.filter((name) => shown.includes(name) !== (name === field))
  if (now.length === all.length) return withAllFields(level)
  return now.length === 0 ? withoutFields(level) : { ...level, fields: now }
}

export interface Order {
  readonly by: string
  readonly isDown: boolean
}

export const ordersOf = ({ sort }: QueryTable): readonly Order[] =>
  namesIn(sort)
    .filter((text) => text !== '')
    .map((text) => {
      const [by = '', way = ''] = text.split(':')
      return { by, isDown: way.toLowerCase() === 'desc' }
    })

export function withOrders({ ranks, ...level }: QueryTable, orders: readonly Order[]): QueryTable {
  const texts = orders.map(({ by, isDown }) => (isDown ? `${by}:desc` : by))
  const [first = ''] = texts
  // The router has points only in a list that the points sort.
  const isRanked = texts.length === 0 || texts.includes('_rank')
  return filled({
    ...level,
    ranks: isRanked ? ranks : undefined,
    sort: texts.length === 1 ? first : texts,
  })
}

export const withValue = (level: QueryTable, name: string, value: string): QueryTable =>
  filled({ ...level, [name]: value === '' ? undefined : value })

export function pageOf({ pagination }: QueryTable): QueryTable {
  return isTable(pagination) ? pagination : {}
}

/** Parameters of one kind of pagination replace those of the other kinds. */
const besides: Readonly<Record<string, readonly string[]>> = {
  page: ['start', 'limit', 'after', 'before'],
  pageSize: ['start', 'limit'],
  start: ['page', 'pageSize', 'after', 'before'],
  limit: ['page', 'pageSize', 'after', 'before'],
  after: ['page', 'start', 'limit', 'before'],
  before: ['page', 'start', 'limit', 'after'],
}

export const withPage = (level: QueryTable, name: string, value: string): QueryTable => {
  const kept = Object.entries(pageOf(level)).filter(([key]) => besides[name]?.includes(key) !== true)
  return filled({
    ...level,
    pagination: filled({ ...Object.fromEntries(kept), [name]: value === '' ? undefined : value }),
  })
}

export const searchTextOf = ({ _q: text }: QueryTable): string => (typeof text === 'string' ? text : '')

/** A first text shows the best matches on the first page. The next text keeps the order. */
export function withSearch(query: QueryTable, { ranked }: TypeData, text: string): QueryTable {
  const order = searchTextOf(query) === '' ? { ranks: 'true', sort: undefined } : {}
  const nothing = { _q: undefined, highlight: undefined, ranks: undefined, sort: undefined }
  const search = text.trim() === '' ? nothing : { _q: text, highlight: ranked.join(','), ...order }
  return withPage(filled({ ...query, ...search }), 'page', '')
}

/** A level of the query that can have filters and an order. */
export interface LevelChoice {
  readonly path: LevelPath
  readonly type: TypeData
  readonly name: string
}

export const stepTo = ({ name }: LinkData, { links }: TypeData): Step => ({
  link: name,
  on: null,
  among: links.map((link) => link.name),
})

/** The top level, and all populated levels below it. */
export function levelChoices(types: TypesByUid, query: QueryTable, top: LevelChoice): readonly LevelChoice[] {
  const { links } = populatedBy(query['populate'])
  const below = [...links].flatMap(([name, asked]): readonly LevelChoice[] => {
    const link = top.type.links.find((one) => one.name === name)
    const [type] = link === undefined ? [] : targetsOf(types, link)
    if (link === undefined || type === undefined || isOfSeveral(link)) return []
    const path = [...top.path, stepTo(link, top.type)]
    return levelChoices(types, asked, { path, type, name: `${top.name} › ${name}` })
  })
  return [top, ...below]
}
