// Random requests for a model: mostly such that they find something, some that must be refused.
import fc, { type Arbitrary, type GeneratorValue } from 'fast-check'
import { chance, nastyText, pick, some, times } from './arbitrary-worlds'
import type { Grants, Target } from './oracle'
import {
  type Attribute,
  type Definition,
  isComponent,
  isLocalized,
  type Row,
  type Store,
} from './oracle-content'
import type { Ask, Filter, Page, Populate, Request, SortKey, Wanted } from './request'

export interface Asking {
  readonly role: string
  readonly target: Target
  readonly request: Request
}

interface Asker {
  readonly g: GeneratorValue
  readonly store: Store
}

const links = ['relation', 'media', 'component', 'dynamiczone']
/** The document ids of components are the database's own affair. */
const ofEntries: Readonly<Record<string, string>> = {
  documentId: 'string',
  createdAt: 'datetime',
  updatedAt: 'datetime',
  publishedAt: 'datetime',
}

function scalars(type: Definition): readonly (readonly [name: string, type: string])[] {
  const own = Object.entries(type.attributes).filter(([, { type: kind }]) => !links.includes(kind))
  return [
    ...Object.entries({ id: 'integer', ...(isComponent(type) ? {} : ofEntries) }),
    ...own
      .filter(([, { type: kind, private: hidden }]) => hidden !== true && kind !== 'password')
      .map(([name, attribute]) => [name, attribute.type] as const),
    ...(isLocalized(type) ? ([['locale', 'string']] as const) : []),
  ]
}

interface Link {
  readonly name: string
  readonly to: string | null
  readonly kind: string
  readonly many: boolean
  /** Of a zone. */
  readonly elements: readonly string[]
}

function linkOf(name: string, attribute: Attribute): Link {
  const { type: kind, target, component, relation = '', repeatable, multiple } = attribute
  const { components: elements = [] } = attribute
  const to = kind === 'media' ? 'plugin::upload.file' : (target ?? component ?? null)
  const many = repeatable ?? multiple ?? (kind === 'dynamiczone' || relation.endsWith('Many'))
  return { name, to, kind, many, elements }
}

function linksOf(type: Definition): Link[] {
  const own = Object.entries(type.attributes).filter(([, { type: kind }]) => links.includes(kind))
  const all = own.map(([name, attribute]) => linkOf(name, attribute))
  return isLocalized(type)
    ? [...all, { name: 'localizations', to: type.uid, kind: 'relation', many: true, elements: [] }]
    : all
}

/** Such as lead to one type, which conditions and sorts may go through. */
const passable = (type: Definition): Link[] => linksOf(type).filter(({ to }) => to !== null)

const typeAt = ({ store }: Asker, uid: string): Definition => store.types.get(uid) as Definition

/** Names that must be refused, in the same words as names that are not there. */
const forbiddenNames = ['nope', 'secret', 'word', 'createdBy', 'related']

const nameOr = (g: GeneratorValue, make: () => string): string =>
  chance(g, 1) ? pick(g, forbiddenNames) : make()

// Operands: what is stored, or near it.

const textOperators = ['$contains', '$notContains', '$startsWith', '$endsWith']
const ignoring = ['$eqi', '$nei', '$containsi', '$notContainsi', '$startsWithi', '$endsWithi']
const plainOperators = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn', '$between']
const texts = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration']
const withTextForm = ['integer', 'biginteger', 'date']

function operatorsFor(type: string): readonly string[] {
  if (type === 'json' || type === 'blocks') return ['$null', '$notNull']
  if (texts.includes(type)) return [...plainOperators, ...textOperators, ...ignoring, '$null', '$notNull']
  if (withTextForm.includes(type)) return [...plainOperators, '$eqi', ...textOperators, '$null', '$notNull']
  return [...plainOperators, '$null', '$notNull']
}

const farInstants = ['0001-01-01', '1969-12-31', '2038-01-20', '9999-12-31T23:59:59.999Z']

const fallbacks: Readonly<Record<string, readonly string[]>> = {
  integer: ['0', '1', '-1', '7'],
  biginteger: ['1', '9007199254740993', '9223372036854775807'],
  float: ['0', '0.1', '1e21', '5e-324', '-1e308'],
  decimal: ['0.10', '5', '-1.5'],
  boolean: ['true', 'false', '1', 'f'],
  date: ['0001-01-01', '2000-01-01', '2024-02-29', '9999-12-31'],
  time: ['09:30', '23:59:59.999'],
  datetime: ['2012-01-13T12:12:36.852Z', '2024-01-01', ...farInstants],
  timestamp: ['2012-01-13T12:12:36.852Z', '2024-01-01', ...farInstants],
}

const swapCase = (text: string): string =>
  Array.from(text, (sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase())).join('')

function storedText({ g, store }: Asker, type: Definition, name: string): string | null {
  const values = store.rows
    .filter((row) => row.type === type)
    .map((row: Row) => (name === 'id' ? row.id : name === 'documentId' ? row.documentId : row.given[name]))
    .filter((one) => one !== undefined && one !== null && typeof one !== 'object')
  return values.length === 0 ? null : String(pick(g, values))
}

function near(g: GeneratorValue, text: string): string {
  const signs = Array.from(text)
  switch (g(() => fc.nat(9))) {
    case 0:
      return swapCase(text)
    case 1:
      return signs.slice(0, -1).join('')
    case 2:
      return signs.slice(1).join('')
    case 3:
      return g(nastyText)
    default:
      return text
  }
}

function operand(asker: Asker, type: Definition, name: string, kind: string): string {
  const { g } = asker
  const stored = chance(g, 80) ? storedText(asker, type, name) : null
  if (texts.includes(kind)) return near(g, stored ?? g(nastyText))
  return stored ?? pick(g, fallbacks[kind] ?? ['0'])
}

function comparison(asker: Asker, type: Definition, name: string, kind: string): Filter {
  const { g } = asker
  const operator = pick(g, operatorsFor(kind))
  const one = (): string => operand(asker, type, name, kind)
  if (operator === '$null' || operator === '$notNull') return { operator, value: pick(g, ['true', 'false']) }
  if (operator === '$between') return { operator, value: [one(), one()] }
  if (operator === '$in' || operator === '$notIn') return { operator, value: times(g, 1, 3, one) }
  if ((operator === '$eq' || operator === '$ne') && chance(g, 10)) return { operator, value: null }
  if (withTextForm.includes(kind) && textOperators.includes(operator))
    return { operator, value: part(g, one()) }
  return { operator, value: one() }
}

const part = (g: GeneratorValue, text: string): string =>
  text.slice(
    g(() => fc.nat(2)),
    3,
  )

function idComparison({ g }: Asker): Filter {
  return pick<Filter>(g, [
    { operator: '$null', value: 'true' },
    { operator: '$notNull', value: 'true' },
    { operator: '$eq', value: pick(g, ['1', '2', '3']) },
    { operator: '$ne', value: '1' },
    { operator: '$in', value: ['1', '3'] },
  ])
}

/** As many side by side through one link as no database is to be given at once. */
function crowd(asker: Asker, { name, to }: Link): Filter {
  const { g } = asker
  const type = typeAt(asker, to ?? '')
  const depth = chance(g, 20) ? 1 : 0
  const parts = times(g, 8, 24, () => ({ at: name, of: condition(asker, type, depth) }))
  return chance(g, 70) ? { all: parts } : { any: parts }
}

function condition(asker: Asker, type: Definition, depth: number): Filter {
  const { g } = asker
  const ways = passable(type)
  if (depth > 0 && ways.length > 0 && chance(g, 5)) return crowd(asker, pick(g, ways))
  const choice = g(() => fc.nat(9))
  const parts = (): Filter[] => times(g, 1, 2, () => condition(asker, type, depth - 1))
  if (depth > 0 && choice === 0) return { all: parts() }
  if (depth > 0 && choice === 1) return { any: parts() }
  if (depth > 0 && choice === 2) return { not: condition(asker, type, depth - 1) }
  if (depth > 0 && choice < 7 && ways.length > 0) {
    const { name, to } = pick(g, ways)
    const of = chance(g, 15) ? idComparison(asker) : condition(asker, typeAt(asker, to ?? ''), depth - 1)
    return { at: nameOr(g, () => name), of }
  }
  const [name, kind] = pick(g, scalars(type))
  const of = comparison(asker, type, name, kind)
  return { at: nameOr(g, () => name), of: chance(g, 10) ? { not: of } : of }
}

// JSON has no order that all databases agree on.
const isSortable = ([, kind]: readonly [string, string]): boolean => kind !== 'json' && kind !== 'blocks'

const directions = ['asc', 'desc'] as const

/** One in four leads as far as it may, through lists where there are any; one in forty farther. */
function mostLinks(g: GeneratorValue): number {
  if (chance(g, 75)) return times(g, 0, 3, () => 0).filter(() => chance(g, 40)).length
  return chance(g, 10) ? 9 : 2 + g(() => fc.nat(6))
}

function sortKey(asker: Asker, type: Definition): SortKey {
  const { g } = asker
  const names: string[] = []
  const most = mostLinks(g)
  let place = type
  while (names.length < most) {
    const ways = passable(place)
    const lists = ways.filter(({ many, to }) => many && passable(typeAt(asker, to ?? '')).length > 0)
    const able = lists.length > 0 && chance(g, 70) ? lists : ways
    if (able.length === 0) break
    const { name, to } = pick(g, able)
    names.push(name)
    place = typeAt(asker, to ?? '')
  }
  const [last] = pick(g, scalars(place).filter(isSortable))
  return { names: [...names, nameOr(g, () => last)], direction: pick(g, directions) }
}

/** Now and then many, most of which stood before: whichever way they lead, they decide nothing any more. */
function sortKeys(asker: Asker, type: Definition): SortKey[] {
  const { g } = asker
  const keys = times(g, 1, chance(g, 10) ? 12 : 2, () => sortKey(asker, type))
  if (chance(g, 80)) return keys
  const again = (): SortKey => ({ ...pick(g, keys), direction: pick(g, directions) })
  const id = (): SortKey => ({ names: ['id'], direction: pick(g, directions) })
  return [...keys, ...times(g, 1, 40, again), ...(chance(g, 30) ? [id(), sortKey(asker, type)] : [])]
}

const fields = ({ g }: Asker, type: Definition): string[] => {
  const names = scalars(type).map(([name]) => name)
  return [nameOr(g, () => pick(g, names)), ...some(g, names, 3)]
}

function filtering(asker: Asker, type: Definition, percent: number): Pick<Ask, 'filters'> {
  return chance(asker.g, percent) ? { filters: condition(asker, type, 3) } : {}
}

function ask(asker: Asker, type: Definition, many: boolean, depth: number): Ask {
  const { g } = asker
  return {
    ...(chance(g, 30) ? { fields: fields(asker, type) } : {}),
    ...filtering(asker, type, 25),
    ...(many && chance(g, 30) ? { sort: sortKeys(asker, type) } : {}),
    ...(depth > 0 && chance(g, 60) ? { populate: populate(asker, type, depth - 1) } : {}),
    ...(many && chance(g, 8) ? { count: true } : {}),
  }
}

function fragment(asker: Asker, uid: string, depth: number): Wanted {
  return { name: uid, ask: ask(asker, typeAt(asker, uid), false, depth) }
}

function mixedAsk(asker: Asker, kind: string, depth: number): Ask {
  const { g, store } = asker
  const isTarget = (type: Definition): boolean =>
    kind === 'dynamiczone' ? isComponent(type) : !isComponent(type) && type.uid !== 'plugin::upload.file'
  const uids = [...store.types.values()].filter(isTarget).map(({ uid }) => uid)
  const listed = some(g, uids, 3)
  if (listed.length > 0 && chance(g, 60)) return { on: listed.map((uid) => fragment(asker, uid, depth)) }
  return kind === 'dynamiczone' && chance(g, 50) ? { populate: '*' } : {}
}

function wanted(asker: Asker, { name, to, kind, many }: Link, depth: number): Wanted {
  if (chance(asker.g, 1)) return { name: pick(asker.g, forbiddenNames), ask: {} }
  if (to === null) return { name, ask: mixedAsk(asker, kind, depth) }
  const of = ask(asker, typeAt(asker, to), many, depth)
  return { name, ask: to === 'plugin::upload.file' ? withoutPopulate(of) : of }
}

/** What a file is used by is left to specs of its own. */
const withoutPopulate = (asked: Ask): Ask =>
  Object.fromEntries(Object.entries(asked).filter(([key]) => key !== 'populate'))

function populate(asker: Asker, type: Definition, depth: number): Populate | [] {
  if (chance(asker.g, 20)) return '*'
  const ways = some(asker.g, linksOf(type), 4)
  const asked = ways.map((link) => wanted(asker, link, depth))
  // A name asked for twice would be one key of the text.
  const byName = new Map(asked.map((one) => [one.name, one]))
  return ways.length === 0 ? '*' : [...byName.values()]
}

/** Paths below a zone name what its elements have: those of arbitrary worlds all have what the core has. */
const elementOf = (elements: readonly string[]): string | undefined =>
  elements.find((uid) => uid === 'shared.core') ?? elements[0]

/** A tree of names, such as paths can say. */
function tree(asker: Asker, type: Definition, depth: number): Wanted[] {
  const { g } = asker
  return some(g, linksOf(type), 4).map(({ name, to, elements }): Wanted => {
    const next = to ?? elementOf(elements)
    if (depth === 0 || chance(g, 40) || next === undefined || next === 'plugin::upload.file')
      return { name, ask: {} }
    const below = tree(asker, typeAt(asker, next), depth - 1)
    return { name, ask: below.length === 0 ? {} : { populate: below } }
  })
}

function populating(asker: Asker, type: Definition, dotted: boolean): Pick<Request, 'populate'> {
  if (dotted) {
    const names = tree(asker, type, 3)
    return names.length === 0 ? {} : { populate: names }
  }
  return chance(asker.g, 75) ? { populate: populate(asker, type, 3) } : {}
}

function page({ g }: Asker): Page {
  const by = pick(g, ['page', 'offset'] as const)
  const first = (by === 'page' ? 1 : 0) + g(() => fc.nat(3))
  return { by, first, size: 1 + g(() => fc.nat(5)), ...(chance(g, 30) ? { withCount: chance(g, 50) } : {}) }
}

function locale(g: GeneratorValue): Pick<Request, 'locale'> {
  if (chance(g, 60)) return {}
  return { locale: chance(g, 50) ? '*' : times(g, 1, 2, () => pick(g, ['en', 'fr', 'de', 'xx'])) }
}

function request(asker: Asker, type: Definition, isList: boolean): Request {
  const { g } = asker
  const dotted = chance(g, 20)
  return {
    style: pick(g, ['brackets', 'indexes', 'commas'] as const),
    dotted,
    ...(chance(g, 40) ? { fields: fields(asker, type) } : {}),
    ...populating(asker, type, dotted),
    ...filtering(asker, type, 50),
    ...(chance(g, 50) ? { sort: sortKeys(asker, type) } : {}),
    ...(isList && chance(g, 30) ? { page: page(asker) } : {}),
    ...(chance(g, 30) ? { status: pick(g, ['draft', 'draft', 'published'] as const) } : {}),
    ...locale(g),
  }
}

function targetOf({ g, store }: Asker, type: Definition): Target {
  const ids = store.rows.filter((row) => row.type === type).map(({ documentId }) => documentId)
  if (type.kind !== 'collectionType' || ids.length === 0 || chance(g, 93)) return { uid: type.uid }
  return { uid: type.uid, documentId: chance(g, 90) ? pick(g, ids) : 'nowhere' }
}

export function randomAsking(store: Store, roles: Readonly<Record<string, Grants>>): Arbitrary<Asking> {
  const isServed = (type: Definition): boolean => !isComponent(type) && type.uid !== 'plugin::upload.file'
  const types = [...store.types.values()].filter(isServed)
  return fc.gen().map((g) => {
    const asker = { g, store }
    const role = pick(g, ['all', 'all', ...Object.keys(roles)])
    const readable = types.filter(({ uid }) => roles[role]?.find.includes(uid))
    const lists = readable.filter(({ kind }) => kind === 'collectionType')
    const type = pick(
      g,
      chance(g, 5) || readable.length === 0 ? types : chance(g, 10) || lists.length === 0 ? readable : lists,
    )
    const target = targetOf(asker, type)
    const isList = type.kind === 'collectionType' && target.documentId === undefined
    return { role, target, request: request(asker, type, isList) }
  })
}
