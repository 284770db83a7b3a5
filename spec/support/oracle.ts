// A slow and obvious oracle: what a request is answered, worked out over plain rows in memory. It follows service.md and
// the documented meaning of the query language, and shares no code with the rooms that plan, load and shape.
import {
  type Attribute,
  type Definition,
  isComponent,
  isLocalized,
  type Json,
  plainText,
  type Row,
  type Store,
} from './oracle-content'
import {
  type Ask,
  differing,
  type Filter,
  type Populate,
  type Request,
  type SortKey,
  type Value,
  type Wanted,
} from '../../lab/requests/request'

export interface Grants {
  readonly find: readonly string[]
  /** Of which types one entry may be asked for; where absent, as `find`. */
  readonly findOne?: readonly string[]
  readonly drafts: readonly string[]
  /** With what of a type something may be done, by its uid: any of them is enough. */
  readonly rules?: Rules
}

/** Null: all rows, or all attributes. */
export interface OracleRule {
  readonly where: Filter | null
  readonly fields: readonly string[] | null
}

type RulesByType = Readonly<Record<string, readonly OracleRule[]>>
export type Rules = Readonly<Partial<Record<'find' | 'findOne' | 'drafts', RulesByType>>>

export interface Options {
  readonly relations: 'flat' | 'wrapped'
  readonly localizations: 'flat' | 'wrapped'
  readonly unlistedZoneElements: 'stub' | 'omit'
}

/** All entries of a collection, the entry of a single type, or one by its document id. */
export interface Target {
  readonly uid: string
  readonly documentId?: string
}

export interface Expected {
  readonly status: number
  readonly body: unknown
  /** Asked for drafts without a grant and malformed as well: either refusal will do. */
  readonly orStatus?: 400
}

export interface Asker {
  readonly store: Store
  readonly options: Options
  readonly grants: Grants
  readonly status: 'draft' | 'published'
  /** What is done with the type that is looked at. */
  readonly action: 'find' | 'findOne'
}

/** Where links lead on, entries are found. */
const beyond = (asker: Asker): Asker => (asker.action === 'find' ? asker : { ...asker, action: 'find' })

export class Refused extends Error {
  constructor(readonly status: 400 | 403 | 404) {
    super(String(status))
  }
}

const dates = ['createdAt', 'updatedAt', 'publishedAt']
const textTypes = ['string', 'text', 'richtext', 'enumeration', 'email', 'uid']
const links = ['relation', 'media', 'component', 'dynamiczone']

const isHidden = ({ type, private: hidden }: Attribute): boolean => hidden ?? type === 'password'

/** The type of a scalar that the type has under this name and that may be named by a client. */
export function scalarType(type: Definition, name: string): string | undefined {
  if (name === 'id') return 'integer'
  if (name === 'documentId') return 'string'
  if (!isComponent(type) && dates.includes(name)) return 'datetime'
  if (name === 'locale' && isLocalized(type)) return 'string'
  const attribute = type.attributes[name]
  if (attribute === undefined || isHidden(attribute) || links.includes(attribute.type)) return undefined
  return attribute.type
}

function scalarNames(type: Definition): string[] {
  const own = Object.keys(type.attributes).filter((name) => scalarType(type, name) !== undefined)
  return [
    'id',
    'documentId',
    ...own,
    ...(isComponent(type) ? [] : dates),
    ...(isLocalized(type) ? ['locale'] : []),
  ]
}

interface Link {
  readonly name: string
  readonly kind: 'relation' | 'media' | 'component' | 'zone' | 'morph' | 'localizations'
  readonly many: boolean
  /** What it leads to; null for any type. */
  readonly to: readonly string[] | null
}

export function linkNamed(type: Definition, name: string): Link | undefined {
  if (name === 'localizations' && isLocalized(type))
    return { name, kind: 'localizations', many: true, to: [type.uid] }
  const attribute = type.attributes[name]
  if (attribute === undefined || isHidden(attribute)) return undefined
  const { target, component = '', components = [], repeatable, multiple, relation = '' } = attribute
  switch (attribute.type) {
    case 'media':
      return { name, kind: 'media', many: multiple === true, to: ['plugin::upload.file'] }
    case 'component':
      return { name, kind: 'component', many: repeatable === true, to: [component] }
    case 'dynamiczone':
      return { name, kind: 'zone', many: true, to: components }
    case 'relation': {
      const many = relation.endsWith('Many')
      return target === undefined
        ? { name, kind: 'morph', many, to: null }
        : { name, kind: 'relation', many, to: [target] }
    }
    default:
      return undefined
  }
}

const linkNames = (type: Definition): string[] =>
  [...Object.keys(type.attributes), 'localizations'].filter((name) => linkNamed(type, name) !== undefined)

export function typeOf({ store }: Asker, uid: string): Definition {
  const type = store.types.get(uid)
  if (type === undefined) throw new Refused(400)
  return type
}

/** Components and files need no grant of their own. */
function mayFind({ grants, status }: Asker, type: Definition): boolean {
  if (isComponent(type) || type.uid === 'plugin::upload.file') return true
  const drafts = status === 'draft' && type.options.draftAndPublish
  return grants.find.includes(type.uid) && (!drafts || grants.drafts.includes(type.uid))
}

/** Who looks at rows as a rule does: at all of them. */
const ruling = (asker: Asker): Asker => {
  const all = [...asker.store.types.keys()]
  return { ...asker, grants: { find: all, drafts: all } }
}

function isLetThrough(asker: Asker, row: Row, action: keyof Rules): boolean {
  const rules = asker.grants.rules?.[action]?.[row.type.uid]
  return rules?.some((rule) => isOnRow(asker, row, rule)) ?? true
}

/** A draft by drafts, all else by what is published. */
const judging = (asker: Asker, { state }: Row): Asker => ({
  ...ruling(asker),
  status: state === 'draft' ? 'draft' : 'published',
})

const isOnRow = (asker: Asker, row: Row, { where }: OracleRule): boolean =>
  where === null || holds(judging(asker, row), { type: row.type, row }, where, false, null)

/** Of each of these one rule has to grant what is looked at. */
function sidesOf({ grants: { rules }, action, status }: Asker, type: Definition): (readonly OracleRule[])[] {
  const isDraft = status === 'draft' && type.options.draftAndPublish
  const sides = [rules?.[action]?.[type.uid], isDraft ? rules?.drafts?.[type.uid] : undefined]
  return sides.filter((side) => side !== undefined)
}

const grants = ({ fields }: OracleRule, name: string): boolean =>
  fields === null || fields.includes(name) || name === 'id' || name === 'documentId'

/** Whether a name is one at all to whoever asks. */
const isKnown = (asker: Asker, type: Definition, name: string): boolean =>
  isComponent(type) || sidesOf(asker, type).every((side) => side.some((rule) => grants(rule, name)))

const isShown = (asker: Asker, row: Row, name: string): boolean =>
  isComponent(row.type) ||
  sidesOf(asker, row.type).every((side) =>
    side.some((rule) => grants(rule, name) && isOnRow(asker, row, rule)),
  )

const isOnSameRows = (one: OracleRule, other: OracleRule): boolean =>
  JSON.stringify(one.where) === JSON.stringify(other.where)

/** What not every entry shows can be sorted by by nobody; rules on the same rows are one. */
const isShownByAll = (asker: Asker, type: Definition, name: string): boolean =>
  isComponent(type) ||
  sidesOf(asker, type).every(
    (side) =>
      side.every((rule) => side.some((one) => isOnSameRows(one, rule) && grants(one, name))) ||
      side.some((rule) => grants(rule, name) && rule.where === null),
  )

const knownScalar = (asker: Asker, type: Definition, name: string): string | undefined =>
  isKnown(asker, type, name) ? scalarType(type, name) : undefined

export const knownLink = (asker: Asker, type: Definition, name: string): Link | undefined =>
  isKnown(asker, type, name) ? linkNamed(type, name) : undefined

/** The rule of status and the role's own, which hold wherever a row is met. */
function isVisible(asker: Asker, row: Row, action: 'find' | 'findOne' = 'find'): boolean {
  if (isComponent(row.type)) return true
  if (row.state !== 'only' && row.state !== asker.status) return false
  return isLetThrough(asker, row, action) && (row.state !== 'draft' || isLetThrough(asker, row, 'drafts'))
}

/** Every row that may be seen where so much is done, whatever is asked, and what of it. */
export function visibleRows(
  store: Store,
  grants: Grants,
  { status, action }: { readonly status: Asker['status']; readonly action: 'find' | 'findOne' },
): ReadonlyMap<Row, readonly string[]> {
  const asker: Asker = { store, grants, status, action, options: flat }
  const seen = store.rows.filter((row) => mayFind(asker, row.type) && isVisible(asker, row, action))
  return new Map(seen.map((row) => [row, namesOf(row.type).filter((name) => isShown(asker, row, name))]))
}

/** What a rule may show of a type, or leave out. */
export const namesOf = (type: Definition): readonly string[] =>
  [...scalarNames(type), ...linkNames(type)].filter((name) => name !== 'id' && name !== 'documentId')

const flat: Options = { relations: 'flat', localizations: 'flat', unlistedZoneElements: 'omit' }

/** Whether a condition on a type could be asked at all. */
export function isSound(store: Store, uid: string, filter: Filter): boolean {
  const nobody = { find: [], drafts: [] }
  const asker = ruling({ store, grants: nobody, status: 'published', action: 'find', options: flat })
  try {
    checkFilter(asker, typeOf(asker, uid), filter)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

export function follow(asker: Asker, row: Row, link: Link): Row[] {
  const all =
    link.kind === 'localizations'
      ? asker.store.rows
          .filter((other) => other.type === row.type && other.documentId === row.documentId && other !== row)
          .sort((one, other) => order(one.locale, other.locale))
      : (row.links.get(link.name) ?? [])
  return all.filter((other) => isVisible(asker, other))
}

// Values: as they are compared, and as they are shown.

export type Comparable = string | number | bigint | null

const withMilliseconds = (time: string): string => time + '00:00:00.000'.slice(time.length)

function given(row: Row, name: string): Json {
  if (name === 'id') return row.id
  if (name === 'documentId') return row.documentId
  if (name === 'locale') return row.locale
  return row.given[name] ?? null
}

export function comparable(row: Row, name: string): Comparable {
  const type = scalarType(row.type, name) ?? ''
  const value = given(row, name)
  if (value === null) return null
  return type === 'json' || type === 'blocks' ? JSON.stringify(value) : toComparable(type, plainText(value))
}

/** A stored or a sent text, as what it means for an attribute of this type. */
function toComparable(type: string, value: string): Comparable {
  switch (type) {
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(value)
    case 'biginteger':
      return BigInt(value)
    case 'boolean':
      return ['', '0', 'f', 'false'].includes(value) ? 0 : 1
    case 'time':
      return withMilliseconds(value)
    case 'datetime':
    case 'timestamp':
      return Date.parse(value)
    default:
      return value
  }
}

export function shown(row: Row, name: string): Json {
  const type = scalarType(row.type, name) ?? ''
  const value = given(row, name)
  if (value === null) return null
  switch (type) {
    case 'biginteger':
      return plainText(value)
    case 'time':
      return withMilliseconds(plainText(value))
    case 'datetime':
    case 'timestamp':
      return new Date(plainText(value)).toISOString()
    default:
      return value
  }
}

/** NULLs first, texts by code point. */
export function order(one: Comparable, other: Comparable): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? -1 : 1
  if (typeof one === 'string' && typeof other === 'string') {
    const [left, right] = [Array.from(one), Array.from(other)]
    for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
      const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0)
      if (difference !== 0) return difference
    }
    return left.length - right.length
  }
  return one < other ? -1 : one > other ? 1 : 0
}

// Filters.

/** The two small sigmas are one letter. */
const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

const isTruth = (value: Value): boolean => !['', '0', 'f', 'false'].includes(value ?? '')

type Find = (text: string, part: string) => boolean

const finds: Readonly<Record<string, Find>> = {
  Contains: (text, part) => text.includes(part),
  StartsWith: (text, part) => text.startsWith(part),
  EndsWith: (text, part) => text.endsWith(part),
}

function findsText(operator: string, actual: Comparable, wanted: string): boolean {
  const [, not, name = '', ignoring] = /^\$(not)?(\w+?)(i?)$/.exec(operator) ?? []
  const find = finds[name.charAt(0).toUpperCase() + name.slice(1)]
  if (find === undefined) throw new Error(`unknown operator ${operator}`)
  const found = ignoring === 'i' ? find(fold(String(actual)), fold(wanted)) : find(String(actual), wanted)
  return found !== (not !== undefined)
}

function compares(type: string, operator: string, actual: Comparable, wanted: readonly string[]): boolean {
  const values = wanted.map((value) => toComparable(type, value))
  const [first = null, second = null] = values
  const by = order(actual, first)
  const ignoringCase = (): boolean =>
    typeof actual === 'string' && textTypes.includes(type) ? fold(actual) === fold(String(first)) : by === 0
  switch (operator) {
    case '$eq':
      return by === 0
    case '$ne':
      return by !== 0
    case '$eqi':
      return ignoringCase()
    case '$nei':
      return !ignoringCase()
    case '$lt':
      return by < 0
    case '$lte':
      return by <= 0
    case '$gt':
      return by > 0
    case '$gte':
      return by >= 0
    case '$in':
      return values.some((value) => order(actual, value) === 0)
    case '$notIn':
      return values.every((value) => order(actual, value) !== 0)
    case '$between':
      return by >= 0 && order(actual, second) <= 0
    default:
      return findsText(operator, actual, wanted[0] ?? '')
  }
}

/** One comparison. NULL meets none but those that ask for it, and neither does it meet their opposites. */
export function meets(
  type: string,
  actual: Comparable,
  { operator, value }: Extract<Filter, { operator: string }>,
  negated: boolean,
): boolean {
  const isNull = actual === null
  if (operator === '$null' || operator === '$notNull') {
    const asksNull = isTruth(value as Value) === (operator === '$null')
    return (asksNull === isNull) !== negated
  }
  if (value === null) return (isNull === (operator === '$eq')) !== negated
  if (isNull) return false
  return compares(type, operator, actual, typeof value === 'string' ? [value] : value) !== negated
}

/** A row, or none where a link leads nowhere: then everything behind it is NULL. */
interface Place {
  readonly type: Definition
  readonly row: Row | null
}

/** Whether it is said of all that a link leads to, and not of one row there. */
function isOfAll(filter: Filter): boolean {
  if ('all' in filter) return filter.all.some(isOfAll)
  if ('any' in filter) return filter.any.some(isOfAll)
  if ('not' in filter) return isOfAll(filter.not)
  return 'which' in filter || 'count' in filter
}

/** What a link leads to, as far as the role would be shown it. */
const shownBehind = (asker: Asker, row: Row | null, link: Link): Row[] =>
  row === null ? [] : follow(asker, row, link).filter(({ type }) => mayFind(asker, type))

const isMixed = ({ kind }: Link): boolean => kind === 'zone' || kind === 'morph'

/** Of an entry that may be of several types. */
function elementHolds(asker: Asker, row: Row, filter: Filter): boolean {
  return elementIs(asker, row, filter, false)
}

function elementIs(asker: Asker, row: Row, filter: Filter, negated: boolean): boolean {
  const is = (part: Filter): boolean => elementIs(asker, row, part, negated)
  if ('all' in filter) return negated ? filter.all.some(is) : filter.all.every(is)
  if ('any' in filter) return negated ? filter.any.every(is) : filter.any.some(is)
  if ('not' in filter) return elementIs(asker, row, filter.not, !negated)
  if (!('at' in filter) || !('at' in filter.of || 'operator' in filter.of)) throw new Error('no element')
  if ('at' in filter.of) {
    if (filter.of.at !== row.type.uid) return negated
    return holds(asker, { type: row.type, row }, filter.of.of, negated, null)
  }
  const { operator, value } = filter.of
  const isOneOf = ([value].flat() as string[]).includes(row.type.uid)
  return (isOneOf === (operator === '$eq' || operator === '$in')) !== negated
}

function numberMeets(count: number, filter: Filter, negated: boolean): boolean {
  if ('not' in filter) return numberMeets(count, filter.not, !negated)
  if (!('operator' in filter)) throw new Error('no number')
  return meets('integer', count, filter, negated)
}

/** What is said at a link. */
function holdsThrough(
  asker: Asker,
  { type, row }: Place,
  link: Link,
  filter: Filter,
  negated: boolean,
): boolean {
  const again = (part: Filter): boolean => holdsThrough(asker, { type, row }, link, part, negated)
  if (!isOfAll(filter)) return holdsForOne(asker, row, link, filter, negated)
  if ('not' in filter) return holdsThrough(asker, { type, row }, link, filter.not, !negated)
  if ('all' in filter || 'any' in filter) {
    const parts = 'all' in filter ? filter.all : filter.any
    const ofOne = parts.filter((part) => !isOfAll(part))
    const one: Filter[] = ofOne.length === 0 ? [] : ['all' in filter ? { all: ofOne } : { any: ofOne }]
    const whole = [...one, ...parts.filter(isOfAll)]
    return 'all' in filter === negated ? whole.some(again) : whole.every(again)
  }
  const rows = shownBehind(asker, row, link)
  if ('count' in filter) return numberMeets(rows.length, filter.count, negated)
  if (!('which' in filter)) throw new Error('no quantifier')
  const { which, of } = filter
  const is = (one: Row): boolean =>
    isMixed(link)
      ? elementHolds(beyond(asker), one, of)
      : holds(beyond(asker), { type: one.type, row: one }, of, false, null)
  const answers = { $some: () => rows.some(is), $none: () => !rows.some(is), $every: () => rows.every(is) }
  return answers[which]() !== negated
}

/** `name`: the attribute that a comparison without a name of its own is about. */
function holds(asker: Asker, place: Place, filter: Filter, negated: boolean, name: string | null): boolean {
  const all = (parts: readonly Filter[]): boolean =>
    parts.every((part) => holds(asker, place, part, negated, name))
  const any = (parts: readonly Filter[]): boolean =>
    parts.some((part) => holds(asker, place, part, negated, name))
  if ('all' in filter) return negated ? any(filter.all) : all(filter.all)
  if ('any' in filter) return negated ? all(filter.any) : any(filter.any)
  if ('not' in filter) return holds(asker, place, filter.not, !negated, name)
  if ('at' in filter) return holdsAt(asker, place, filter, negated)
  if ('which' in filter || 'count' in filter) throw new Error('said of no link')
  const about = name ?? 'id'
  const actual = place.row === null ? null : comparable(place.row, about)
  return meets(scalarType(place.type, about) ?? '', actual, filter, negated)
}

/** A condition behind a link is about one row there. */
function holdsForOne(asker: Asker, row: Row | null, link: Link, filter: Filter, negated: boolean): boolean {
  const [uid = ''] = link.to ?? []
  const target = typeOf(asker, uid)
  const rows: readonly (Row | null)[] = row === null ? [] : follow(asker, row, link)
  return (rows.length === 0 ? [null] : rows).some((one) =>
    holds(beyond(asker), { type: target, row: one }, filter, negated, null),
  )
}

function holdsAt(
  asker: Asker,
  { type, row }: Place,
  filter: Extract<Filter, { at: string }>,
  negated: boolean,
): boolean {
  if (row !== null && !isShown(asker, row, filter.at)) return false
  const link = linkNamed(type, filter.at)
  if (link === undefined) return holds(asker, { type, row }, filter.of, negated, filter.at)
  return holdsThrough(asker, { type, row }, link, filter.of, negated)
}

/** What is asked of an entry of one of several types names these. */
function checkElement(asker: Asker, uids: readonly string[], filter: Filter): void {
  const named = (uid: string): Definition => {
    if (!uids.includes(uid) || !mayFind(asker, typeOf(asker, uid))) throw new Refused(400)
    return typeOf(asker, uid)
  }
  if ('all' in filter) for (const part of filter.all) checkElement(asker, uids, part)
  else if ('any' in filter) for (const part of filter.any) checkElement(asker, uids, part)
  else if ('not' in filter) checkElement(asker, uids, filter.not)
  else if ('at' in filter && 'at' in filter.of) checkFilter(asker, named(filter.of.at), filter.of.of)
  else if ('at' in filter && 'operator' in filter.of) ([filter.of.value].flat() as string[]).forEach(named)
  else throw new Refused(400)
}

/** What a link leads to that the role may read; where that is nothing it is as if the link were not there. */
function readableBehind(asker: Asker, type: Definition, name: string): readonly string[] {
  const link = knownLink(asker, type, name)
  if (link === undefined) throw new Refused(400)
  const readable = (link.to ?? contentTypes(asker)).filter((uid) => mayFind(asker, typeOf(asker, uid)))
  if (readable.length === 0) throw new Refused(400)
  return readable
}

function checkThrough(asker: Asker, type: Definition, name: string, filter: Filter): void {
  if (!isOfAll(filter)) {
    checkFilter(beyond(asker), step(asker, type, name), filter)
    return
  }
  if ('not' in filter) checkThrough(asker, type, name, filter.not)
  if ('all' in filter) for (const part of filter.all) checkThrough(asker, type, name, part)
  if ('any' in filter) for (const part of filter.any) checkThrough(asker, type, name, part)
  if (!('which' in filter || 'count' in filter)) return
  const readable = readableBehind(asker, type, name)
  const link = linkNamed(type, name)
  if (!('which' in filter) || link === undefined) return
  if (isMixed(link)) checkElement(beyond(asker), readable, filter.of)
  else checkFilter(beyond(asker), typeOf(asker, readable[0] ?? ''), filter.of)
}

/** Where a name in a filter or sort leads; whatever cannot be named, or not by this role, is refused. */
export function step(asker: Asker, type: Definition, name: string): Definition {
  const link = knownLink(asker, type, name)
  if (link === undefined || link.kind === 'zone' || link.kind === 'morph') throw new Refused(400)
  const target = typeOf(asker, link.to?.[0] ?? '')
  if (!mayFind(asker, target)) throw new Refused(400)
  return target
}

function checkFilter(asker: Asker, type: Definition, filter: Filter): void {
  if ('all' in filter) for (const part of filter.all) checkFilter(asker, type, part)
  else if ('any' in filter) for (const part of filter.any) checkFilter(asker, type, part)
  else if ('not' in filter) checkFilter(asker, type, filter.not)
  else if ('at' in filter && knownScalar(asker, type, filter.at) === undefined) {
    checkThrough(asker, type, filter.at, filter.of)
  }
}

// Sort.

/** The values at the end of a path: NULL for each row, ours or one on the way, that leads no further. */
function valuesAt(asker: Asker, rows: ReadonlySet<Row>, names: readonly string[]): Comparable[] {
  const [name = '', ...rest] = names
  if (rest[0] === '$count') return [...rows].map((row) => counted(asker, row, name))
  if (rest.length === 0) return [...rows].map((row) => comparable(row, name))
  const led = [...rows].map((row) => {
    const link = linkNamed(row.type, name)
    return link === undefined ? [] : follow(asker, row, link)
  })
  const ends = led.some((next) => next.length === 0) ? [null] : []
  const next = new Set(led.flat())
  return next.size === 0 ? ends : [...ends, ...valuesAt(asker, next, rest)]
}

function counted(asker: Asker, row: Row, name: string): number {
  const link = linkNamed(row.type, name)
  return link === undefined ? 0 : shownBehind(asker, row, link).length
}

const sign = { asc: 1, desc: -1 } as const

function sortValue(asker: Asker, row: Row, { names, direction }: SortKey): Comparable {
  const isCount = names.at(-1) === '$count'
  const found = valuesAt(asker, new Set([row]), names).map((value) => (isCount ? (value ?? 0) : value))
  const values = found.sort((one, other) => order(one, other) * sign[direction])
  return values[0] ?? null
}

function sorted(asker: Asker, rows: readonly Row[], keys: readonly SortKey[]): Row[] {
  const placed = rows.map((row) => ({ row, values: keys.map((key) => sortValue(asker, row, key)) }))
  placed.sort((one, other) => {
    for (const [at, { direction }] of keys.entries()) {
      const by = order(one.values[at] ?? null, other.values[at] ?? null) * sign[direction]
      if (by !== 0) return by
    }
    return one.row.id - other.row.id
  })
  return placed.map(({ row }) => row)
}

/** What an answer may cost by default, and how far any sort may lead. */
const [mostKeys, mostLinks] = [10, 8]

/** What is too long is refused whatever it is about. */
function checkForm({ sort = [], populate = [], on = [] }: Ask): void {
  if (differing(sort).length > mostKeys) throw new Refused(400)
  for (const { ask } of [...(populate === '*' ? [] : populate), ...on]) checkForm(ask)
}

export function checkSort(asker: Asker, type: Definition, keys: readonly SortKey[]): void {
  for (const { names } of keys) {
    if (names.length > mostLinks + 1) throw new Refused(400)
    const isCount = names.at(-1) === '$count'
    let [place, own] = [type, asker]
    for (const name of names.slice(0, isCount ? -2 : -1)) {
      if (!isShownByAll(own, place, name)) throw new Refused(400)
      place = step(own, place, name)
      own = beyond(own)
    }
    const last = names.at(isCount ? -2 : -1) ?? ''
    if (!isShownByAll(own, place, last)) throw new Refused(400)
    if (isCount) readableBehind(own, place, last)
    else if (knownScalar(own, place, last) === undefined) throw new Refused(400)
  }
}

// Populate. First what is asked is checked against the model alone, for a refusal must not depend on what is stored.

interface Branch {
  readonly link: Link
  readonly ask: Ask
  /** What is asked of each type that the link may lead to and that the role may find. */
  readonly asks: ReadonlyMap<string, Ask>
}

const everything = (asker: Asker, type: Definition): Wanted[] =>
  linkNames(type)
    .filter((name) => isKnown(asker, type, name))
    .map((name) => ({ name, ask: {} }))

function contentTypes({ store }: Asker): string[] {
  const types = [...store.types.values()].filter(
    (type) => !isComponent(type) && type.uid !== 'plugin::upload.file',
  )
  return types.map(({ uid }) => uid)
}

/** A path through a zone reaches into every component that has the name; one of them must. */
function throughZone(asker: Asker, uids: readonly string[], wanted: readonly Wanted[]): Map<string, Ask> {
  const has = (uid: string, name: string): boolean => linkNamed(typeOf(asker, uid), name) !== undefined
  if (wanted.some(({ name }) => !uids.some((uid) => has(uid, name)))) throw new Refused(400)
  return new Map(uids.map((uid) => [uid, { populate: wanted.filter(({ name }) => has(uid, name)) }]))
}

function asksOf(asker: Asker, link: Link, ask: Ask): Map<string, Ask> {
  const uids = link.to ?? contentTypes(asker)
  if (ask.on !== undefined) {
    const listed = ask.on.filter(({ name }) => uids.includes(typeOf(asker, name).uid))
    return new Map(listed.map(({ name, ask: of }) => [name, of]))
  }
  if (link.kind === 'zone' && Array.isArray(ask.populate))
    return throughZone(asker, uids, ask.populate as Wanted[])
  return new Map(uids.map((uid) => [uid, ask]))
}

function branchOf(asker: Asker, type: Definition, { name, ask }: Wanted): Branch[] {
  const link = knownLink(asker, type, name)
  if (link === undefined) throw new Refused(400)
  const asks = asksOf(asker, link, ask)
  const readable = [...asks].filter(([uid]) => mayFind(asker, typeOf(asker, uid)))
  if (readable.length === 0 && asks.size > 0) return []
  for (const [uid, of] of readable) checkAsk(beyond(asker), typeOf(asker, uid), of)
  return [{ link, ask, asks: new Map(readable) }]
}

function branchesOf(asker: Asker, type: Definition, populate: Populate | undefined): Branch[] {
  const wanted = populate === '*' ? everything(asker, type) : (populate ?? [])
  return wanted.flatMap((one) => branchOf(asker, type, one))
}

function checkAsk(asker: Asker, type: Definition, ask: Ask): void {
  for (const name of ask.fields ?? [])
    if (knownScalar(asker, type, name) === undefined) throw new Refused(400)
  if (ask.filters !== undefined) checkFilter(asker, type, ask.filters)
  checkSort(asker, type, ask.sort ?? [])
  branchesOf(asker, type, ask.populate)
}

// The answer.

function chosen(asker: Asker, rows: readonly Row[], ask: Ask): Row[] {
  const { filters, sort = [] } = ask
  const found =
    filters === undefined
      ? [...rows]
      : rows.filter((row) => holds(asker, { type: row.type, row }, filters, false, null))
  return sort.length === 0 ? found : sorted(asker, found, sort)
}

const tags: Readonly<Partial<Record<Link['kind'], string>>> = { zone: '__component', morph: '__type' }

function elements(asker: Asker, row: Row, { link, ask, asks }: Branch): unknown[] {
  const tag = tags[link.kind]
  const stubs = link.kind === 'zone' && ask.on !== undefined && asker.options.unlistedZoneElements === 'stub'
  const rows = follow(asker, row, link)
  if (tag === undefined) {
    const [of = {}] = asks.values()
    return chosen(beyond(asker), rows, of).map((one) => shownRow(beyond(asker), one, of))
  }
  return rows.flatMap((one): unknown[] => {
    const { uid } = one.type
    const of = asks.get(uid)
    if (of === undefined) return stubs ? [{ id: one.id, [tag]: uid }] : []
    const own = beyond(asker)
    return chosen(own, [one], of).map((kept) => ({ ...shownRow(own, kept, of), [tag]: uid }))
  })
}

function wraps({ options }: Asker, { kind }: Link): boolean {
  if (kind === 'component' || kind === 'zone') return false
  return (kind === 'localizations' ? options.localizations : options.relations) === 'wrapped'
}

function shownBranch(asker: Asker, row: Row, branch: Branch): unknown {
  const found = elements(asker, row, branch)
  if (branch.ask.count === true) return { count: found.length }
  const value = branch.link.many ? found : (found[0] ?? null)
  return wraps(asker, branch.link) ? { data: value } : value
}

/** `id` and `documentId` whatever is asked, the fields asked for, and what is populated. */
function shownRow(asker: Asker, row: Row, ask: Ask): Record<string, unknown> {
  const names = scalarNames(row.type).filter(
    (name) =>
      name === 'id' ||
      name === 'documentId' ||
      ((ask.fields === undefined || ask.fields.includes(name)) && isShown(asker, row, name)),
  )
  const scalars = names.map((name) => [name, shown(row, name)] as const)
  const branches = branchesOf(asker, row.type, ask.populate).filter(({ link }) =>
    isShown(asker, row, link.name),
  )
  return {
    ...Object.fromEntries(scalars),
    ...Object.fromEntries(branches.map((branch) => [branch.link.name, shownBranch(asker, row, branch)])),
  }
}

/** Of the rows of a document, the one of the first of these locales. */
function isFirstOf(asker: Asker, row: Row, chain: readonly string[], action: 'find' | 'findOne'): boolean {
  const own = asker.store.rows.filter(
    (other) =>
      other.type === row.type && other.documentId === row.documentId && isVisible(asker, other, action),
  )
  const first = chain.find((locale) => own.some((other) => other.locale === locale))
  return first !== undefined && row.locale === first
}

/** A condition on `locale` at the top of the filters takes the place of the parameter, but not of a fallback. */
function inLocale(asker: Asker, request: Request, target: Target, row: Row): boolean {
  const { filters, locale = [asker.store.defaultLocale], fallback = [] } = request
  if (!isLocalized(row.type)) return true
  if (fallback.length > 0) return isFirstOf(asker, row, [locale, fallback].flat(), actionOn(target))
  if (filters !== undefined && 'at' in filters && filters.at === 'locale') return true
  if (locale === '*') return isList(row.type, target)
  return locale.includes(row.locale ?? '')
}

const actionOn = ({ documentId }: Target): 'find' | 'findOne' =>
  documentId === undefined ? 'find' : 'findOne'

/** It stands in for one locale. */
function checkFallback({ locale, fallback }: Request, type: Definition): void {
  if (!isLocalized(type) || fallback === undefined || fallback.length === 0) return
  if (locale === '*' || (locale ?? ['']).length !== 1) throw new Refused(400)
}

const isList = (type: Definition, { documentId }: Target): boolean =>
  type.kind === 'collectionType' && documentId === undefined

export function pageOf<T>(rows: readonly T[], { page }: Request): { rows: T[]; meta: object } {
  const { by = 'page', first = 1, size = 25, withCount = true } = page ?? {}
  const total = rows.length
  if (by === 'offset') {
    const counted = withCount ? { total } : {}
    return { rows: rows.slice(first, first + size), meta: { start: first, limit: size, ...counted } }
  }
  const counted = withCount ? { pageCount: Math.ceil(total / size), total } : {}
  return {
    rows: rows.slice((first - 1) * size, first * size),
    meta: { page: first, pageSize: size, ...counted },
  }
}

/** The rows that a request finds, in its order. */
function found(asker: Asker, target: Target, request: Request): Row[] {
  const type = typeOf(asker, target.uid)
  const { find, findOne = find } = asker.grants
  const granted = actionOn(target) === 'find' ? find : findOne
  if (!granted.includes(type.uid)) throw new Refused(403)
  if (asker.status === 'draft' && type.options.draftAndPublish && !asker.grants.drafts.includes(type.uid))
    throw new Refused(403)
  checkForm(request)
  checkFallback(request, type)
  checkAsk(asker, type, request)
  const all = asker.store.rows.filter(
    (row) =>
      row.type === type &&
      isVisible(asker, row, actionOn(target)) &&
      inLocale(asker, request, target, row) &&
      (target.documentId === undefined || row.documentId === target.documentId),
  )
  return chosen(asker, all, { ...request, sort: request.sort ?? [{ names: ['id'], direction: 'asc' }] })
}

function answerOrThrow(asker: Asker, target: Target, request: Request): unknown {
  const all = found(asker, target, request)
  if (isList(typeOf(asker, target.uid), target)) {
    const { rows, meta } = pageOf(all, request)
    return { data: rows.map((row) => shownRow(asker, row, request)), meta: { pagination: meta } }
  }
  const [first] = all
  if (first === undefined) throw new Refused(404)
  return { data: shownRow(asker, first, request), meta: {} }
}

function answerOrRefusal(asker: Asker, make: (asker: Asker) => unknown): Expected {
  try {
    return { status: 200, body: make(asker) }
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, body: null }
    throw error
  }
}

function answerFrom(asker: Asker, make: (asker: Asker) => unknown): Expected {
  const expected = answerOrRefusal(asker, make)
  if (expected.status !== 403 || asker.status === 'published') return expected
  const published = answerOrRefusal({ ...asker, status: 'published' }, make)
  return published.status === 400 ? { ...expected, orStatus: 400 } : expected
}

/** What is made of all rows that a list finds, or the refusal. */
export function answerOfRows(
  store: Store,
  grants: Grants,
  { uid, request }: { readonly uid: string; readonly request: Request },
  make: (asker: Asker, rows: readonly Row[]) => unknown,
): Expected {
  const status = request.status ?? 'published'
  const asker: Asker = { store, options: flat, grants, status, action: 'find' }
  return answerFrom(asker, (own) => make(own, found(own, { uid }, request)))
}

/** The status, and where it is 200 the body. */
export function answer(
  store: Store,
  options: Options,
  grants: Grants,
  target: Target,
  request: Request,
): Expected {
  const status = request.status ?? 'published'
  const asker: Asker = { store, options, grants, status, action: actionOn(target) }
  return answerFrom(asker, (own) => answerOrThrow(own, target, request))
}
