// Random models and random content for them, small enough to be read when something disagrees.
import fc, { type Arbitrary, type GeneratorValue } from 'fast-check'
import type { Grants } from './oracle'
import {
  type Attribute,
  type Content,
  type Definition,
  isComponent,
  isLocalized,
  type Json,
  type JsonObject,
} from './oracle-content'

export interface RandomWorld {
  readonly definitions: readonly Definition[]
  readonly content: Content
  readonly roles: Readonly<Record<string, Grants>>
}

const upTo = (max: number): Arbitrary<number> => fc.nat(max)

export const pick = <T>(g: GeneratorValue, list: readonly T[]): T => list[g(upTo, list.length - 1)] as T
export const chance = (g: GeneratorValue, percent: number): boolean => g(upTo, 99) >= 100 - percent
export const times = <T>(g: GeneratorValue, least: number, most: number, make: (index: number) => T): T[] =>
  Array.from({ length: least + g(upTo, most - least) }, (_, index) => make(index))

/** Some of a list, in random order, none twice. */
export function some<T>(g: GeneratorValue, list: readonly T[], most: number): T[] {
  const left = [...list]
  return times(g, 0, Math.min(most, left.length), () => left.splice(g(upTo, left.length - 1), 1)[0] as T)
}

/** Quotes, wildcards and their escapes, letters of one case and of two forms, blanks, and what a URL is made of. */
export const nastyTexts: readonly string[] = [
  ...[
    '',
    ' ',
    'a',
    'A',
    'a ',
    'aa',
    'Aa',
    'b',
    'ab',
    'aB',
    'ba',
    'null',
    '0',
    '-1',
    'true',
    'é',
    'e\u0301',
    'É',
    'ä',
    'Ä',
  ],
  ...[
    'ß',
    'Straße',
    'STRASSE',
    'ΣΑΣ',
    'σας',
    'σασ',
    'ж',
    'Ж',
    '日本',
    '🚀',
    'a🚀',
    '🚀b',
    '👩‍👩‍👧',
    '%',
    'a%',
    '%a',
    '_',
    'a_b',
    'a%b',
  ],
  ...[
    '\\',
    '\\%',
    'a\\',
    '!',
    '!%',
    '!!',
    "'",
    "it's",
    '"',
    '""',
    '`',
    ';--',
    '?',
    '??',
    ':a',
    '$1',
    'a,b',
    'a&b=c',
    'a+b',
    '#',
    '[0]',
  ],
  ...['\n', '\t', ' a', '${a}', '<b>', '\u00a0', '\ufeff', '\u202e', 'ﬀ', '\uffff', '\u{10ffff}'],
]

const nasty = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 5 }) },
)
export const nastyText = (): Arbitrary<string> => nasty

const instants = [
  '0001-01-01T00:00:00.000Z',
  '0099-12-31T23:59:59.999Z',
  '1969-12-31T23:59:59.999Z',
  '2106-02-07T06:28:16.000Z',
  '9999-12-31T23:59:59.999Z',
]
/** As far as TIMESTAMP goes, too. */
const stamps = [
  '1970-01-01T00:00:01.000Z',
  '2012-01-13T12:12:36.852Z',
  '2024-02-29T00:00:00.000Z',
  '2024-03-31T01:30:00.100Z',
  '2038-01-19T03:14:07.999Z',
]
const jsons: readonly Json[] = [
  {},
  [],
  { a: 1, b: [true, null] },
  [{ type: 'paragraph', children: [{ text: "é'\\" }] }],
  42,
]

const scalarValues: Readonly<Record<string, (g: GeneratorValue) => Json>> = {
  date: (g) => pick(g, ['0001-01-01', '0099-12-31', '1999-12-31', '2000-01-01', '2024-02-29', '9999-12-31']),
  time: (g) => pick(g, ['00:00', '09:30', '09:30:00.001', '23:59:59.999']),
  datetime: (g) => pick(g, [...instants, ...stamps]),
  timestamp: (g) => pick(g, stamps),
  integer: (g) => pick(g, [-2_147_483_648, -2, -1, 0, 1, 2, 10, 2_147_483_647]),
  biginteger: (g) =>
    pick(g, ['-9223372036854775808', '0', '9007199254740992', '9007199254740993', '9223372036854775807']),
  float: (g) =>
    pick(g, [-1.5, 0, 0.1, 0.30000000000000004, 2, 1e21, Number.MAX_VALUE, -Number.MAX_VALUE, 1e-308]),
  decimal: (g) => pick(g, [-1.5, 0, 0.1, 2, 99_999_999.99]),
  boolean: (g) => chance(g, 50),
  json: (g) => pick(g, jsons),
  blocks: (g) => pick(g, jsons),
}

function scalarValue(g: GeneratorValue, { type, enum: words }: Attribute): Json {
  if (chance(g, 20)) return null
  if (words !== undefined) return pick(g, words)
  return scalarValues[type]?.(g) ?? g(nastyText)
}

const texts = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration']
const scalarTypes = [...texts, ...Object.keys(scalarValues)]
const linkTypes = ['relation', 'media', 'component', 'dynamiczone']
const isScalar = ({ type }: Attribute): boolean => !linkTypes.includes(type)

const scalarAttribute = (type: string): Attribute =>
  type === 'enumeration' ? { type, enum: ['red', 'Red', 'blue'] } : { type }

/** Every type has a text and a number, what nobody may read, and some more. */
function scalars(g: GeneratorValue): Record<string, Attribute> {
  const more = some(g, scalarTypes, 6).map((type) => [`${type}Value`, scalarAttribute(type)] as const)
  return {
    title: { type: 'string' },
    rank: { type: 'integer' },
    secret: { type: 'string', private: true },
    word: { type: 'password' },
    ...Object.fromEntries(more),
  }
}

type Draft = Definition & { readonly attributes: Record<string, Attribute> }

const relatedKinds = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany']

function components(g: GeneratorValue, related: string): Draft[] {
  const make = (name: string, attributes: Record<string, Attribute>): Draft => ({
    uid: `shared.${name}`,
    collectionName: `components_shared_${name}s`,
    info: { singularName: name, pluralName: `${name}s` },
    options: { draftAndPublish: false },
    pluginOptions: { i18n: { localized: false } },
    attributes: { ...scalars(g), ...attributes },
  })
  const kind = pick(g, relatedKinds)
  return [
    make('seed', { photo: { type: 'media' } }),
    make('core', {
      seed: { type: 'component', component: 'shared.seed', repeatable: chance(g, 50) },
      linked: { type: 'relation', relation: kind, target: related },
    }),
    make('peel', { photos: { type: 'media', multiple: true } }),
  ]
}

function contentType(g: GeneratorValue, name: string, single: boolean): Draft {
  const attributes: Record<string, Attribute> = scalars(g)
  if (chance(g, 50)) attributes['cover'] = { type: 'media' }
  if (chance(g, 30)) attributes['gallery'] = { type: 'media', multiple: true }
  if (chance(g, 60)) attributes['seed'] = { type: 'component', component: 'shared.seed' }
  if (chance(g, 60)) attributes['cores'] = { type: 'component', component: 'shared.core', repeatable: true }
  if (chance(g, 60)) {
    attributes['zone'] = { type: 'dynamiczone', components: ['shared.seed', 'shared.core', 'shared.peel'] }
  }
  return {
    uid: `api::${name}.${name}`,
    kind: single ? 'singleType' : 'collectionType',
    collectionName: `${name}_rows`,
    info: { singularName: name, pluralName: `${name}s` },
    options: { draftAndPublish: chance(g, 50) },
    pluginOptions: { i18n: { localized: chance(g, 50) } },
    attributes,
  }
}

/**
 * A to-one side that several rows lead back to would have no one answer: a localized type that leads to one that is not
 * reaches it from each of its locales.
 */
const manyLocalesMeet = (owner: Definition, target: Definition): boolean =>
  isLocalized(owner) && !isLocalized(target)

function relate(g: GeneratorValue, types: readonly Draft[], index: number): void {
  const owner = pick(g, types)
  const target = pick(g, types)
  const name = `rel${String(index)}`
  const back = `${name}Back`
  const kind = pick(g, relatedKinds)
  const twoWay =
    kind !== 'oneToMany' && !(kind === 'oneToOne' && manyLocalesMeet(owner, target)) && chance(g, 60)
  const toOne = kind.endsWith('One')
  owner.attributes[name] = {
    ...{ type: 'relation', relation: kind, target: target.uid },
    ...(twoWay ? { inversedBy: back } : {}),
    ...(toOne && chance(g, 20) ? { useJoinTable: false } : {}),
  }
  if (!twoWay) return
  const opposite = kind === 'manyToOne' ? 'oneToMany' : kind
  target.attributes[back] = { type: 'relation', relation: opposite, target: owner.uid, mappedBy: name }
}

function relateToAny(g: GeneratorValue, types: readonly Draft[]): void {
  const owner = pick(g, types)
  const target = pick(g, types)
  owner.attributes['subject'] = { type: 'relation', relation: 'morphToOne' }
  owner.attributes['mentions'] = { type: 'relation', relation: 'morphToMany' }
  const relation = pick(g, ['morphOne', 'morphMany'])
  target.attributes['remarks'] = { type: 'relation', relation, target: owner.uid, morphBy: 'subject' }
  target.attributes['mentionedIn'] = {
    type: 'relation',
    relation: 'morphMany',
    target: owner.uid,
    morphBy: 'mentions',
  }
}

function model(g: GeneratorValue): readonly Definition[] {
  const types = ['plum', 'pear', 'fig', 'home'].map((name) => contentType(g, name, name === 'home'))
  const collections = types.slice(0, 3)
  times(g, 4, 7, (index) => {
    relate(g, collections, index)
  })
  if (chance(g, 70)) relateToAny(g, collections)
  return [...types, ...components(g, pick(g, collections).uid)]
}

type Refs = ReadonlyMap<string, readonly string[]>

/** References that are given out once only, for the sides of a relation where each target belongs to one. */
type Pools = Map<string, string[]>

interface Filling {
  readonly g: GeneratorValue
  readonly byUid: ReadonlyMap<string, Definition>
  readonly refs: Refs
  readonly pools: Pools
}

const typeAt = ({ byUid }: Filling, uid: string): Definition => byUid.get(uid) as Definition

/**
 * Each two-way relation is written from one side, so that nothing is said twice: every third one from the back. Never
 * where each locale of the back would lead to the same owner, which has room for one.
 */
function isWrittenFromBack(name: string, attribute: Attribute, owner: Definition, back: Definition): boolean {
  if (attribute.useJoinTable === false || Number(name.replace(/\D/g, '')) % 3 !== 0) return false
  return attribute.relation === 'manyToMany' || !manyLocalesMeet(back, owner)
}

function isWrittenHere(filling: Filling, type: Definition, name: string, attribute: Attribute): boolean {
  const { target = '', mappedBy, inversedBy } = attribute
  const other = typeAt(filling, target)
  const owning = mappedBy === undefined ? attribute : other.attributes[mappedBy]
  if (mappedBy === undefined) {
    return inversedBy === undefined || !isWrittenFromBack(name, attribute, type, other)
  }
  return owning !== undefined && isWrittenFromBack(mappedBy, owning, other, type)
}

const belongsToOne = ({ relation }: Attribute): boolean => relation === 'oneToOne' || relation === 'oneToMany'

function related(filling: Filling, owner: Definition, name: string, attribute: Attribute): Json | undefined {
  const { g, refs, pools } = filling
  const { relation = '', target, morphBy } = attribute
  if (morphBy !== undefined) return undefined
  if (target === undefined) {
    const any = (): Json => {
      const uid = pick(
        g,
        [...refs.keys()].filter((key) => key.startsWith('api::') && refs.get(key)?.length !== 0),
      )
      return { [uid]: pick(g, refs.get(uid) ?? []) }
    }
    return relation === 'morphToOne' ? any() : uniqueJson(times(g, 0, 3, any))
  }
  if (!isWrittenHere(filling, owner, name, attribute)) return undefined
  const all = refs.get(target) ?? []
  const key = `${owner.uid} ${name}`
  const pool = belongsToOne(attribute) ? (pools.get(key) ?? [...all]) : [...all]
  const found = some(g, pool, relation.endsWith('Many') ? 3 : 1)
  if (belongsToOne(attribute))
    pools.set(
      key,
      pool.filter((ref) => !found.includes(ref)),
    )
  return relation.endsWith('Many') ? found : (found[0] ?? null)
}

const uniqueJson = (values: readonly Json[]): Json[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]

function value(filling: Filling, owner: Definition, name: string, attribute: Attribute): Json | undefined {
  const { g, refs } = filling
  const files = refs.get('plugin::upload.file') ?? []
  switch (attribute.type) {
    case 'relation':
      return related(filling, owner, name, attribute)
    case 'media':
      return attribute.multiple === true ? some(g, files, 3) : chance(g, 70) ? pick(g, files) : null
    case 'component': {
      const make = (): JsonObject => values(filling, typeAt(filling, attribute.component ?? ''))
      return attribute.repeatable === true ? times(g, 0, 3, make) : chance(g, 70) ? make() : null
    }
    case 'dynamiczone':
      return times(g, 0, 3, (): JsonObject => {
        const uid = pick(g, attribute.components ?? [])
        return { __component: uid, ...values(filling, typeAt(filling, uid)) }
      })
    default:
      return scalarValue(g, attribute)
  }
}

function values(
  filling: Filling,
  type: Definition,
  wanted: (attribute: Attribute) => boolean = () => true,
): JsonObject {
  const given = Object.entries(type.attributes)
    .filter(([, attribute]) => wanted(attribute))
    .map(([name, attribute]) => [name, value(filling, type, name, attribute)] as const)
  return Object.fromEntries(given.filter(([, one]) => one !== undefined)) as JsonObject
}

/** What a locale or a draft says differently. Relations stay, for a target that belongs to one cannot be given again. */
function changes(filling: Filling, type: Definition): JsonObject {
  const all = values(filling, type, (attribute) => isScalar(attribute) || attribute.type !== 'relation')
  const names = some(filling.g, Object.keys(all), 4)
  return Object.fromEntries(names.map((name) => [name, all[name]])) as JsonObject
}

function moments(g: GeneratorValue): JsonObject {
  return { createdAt: pick(g, instants), updatedAt: pick(g, instants), publishedAt: pick(g, instants) }
}

function drafting(filling: Filling, type: Definition): JsonObject {
  const { g } = filling
  if (!type.options.draftAndPublish || chance(g, 40)) return {}
  if (chance(g, 50)) return { $status: 'draft' }
  return { $draft: { ...changes(filling, type), updatedAt: pick(g, instants) } }
}

function entry(filling: Filling, type: Definition, ref: string): JsonObject {
  const { g } = filling
  const own = { ...values(filling, type), ...moments(g) }
  const locales = isLocalized(type) ? some(g, ['fr', 'de'], 2) : []
  const translations = locales.map((code) => {
    const { $status = 'published', ...rest } = drafting(filling, type)
    const status = type.options.draftAndPublish ? { $status } : {}
    return [code, { ...changes(filling, type), ...moments(g), ...status, ...rest }] as const
  })
  const others = translations.length === 0 ? {} : { $locales: Object.fromEntries(translations) }
  return { $ref: ref, documentId: `doc-${ref}`, ...own, ...drafting(filling, type), ...others }
}

function file(g: GeneratorValue, ref: string): JsonObject {
  const name = `${ref}${pick(g, ['.png', '.PNG', '.pdf'])}`
  return {
    ...{
      $ref: ref,
      documentId: `doc-${ref}`,
      name,
      url: `/uploads/${name}`,
      hash: ref,
      ext: '.x',
      mime: pick(g, ['a/b', 'A/b']),
    },
    ...{
      alternativeText: g(nastyText),
      size: pick(g, [0, 1.5]),
      width: pick(g, [1, 2, null]),
      provider: 'local',
    },
    ...{ formats: pick(g, [null, { small: { width: 1 } }]), ...moments(g) },
  }
}

function content(g: GeneratorValue, definitions: readonly Definition[]): Content {
  const types = definitions.filter((type) => !isComponent(type))
  const named = types.map((type): [string, string[]] => {
    const most = type.kind === 'singleType' ? 1 : 6
    return [
      type.uid,
      times(g, Math.min(most, 3), most, (index) => `${type.info.singularName}${String(index)}`),
    ]
  })
  const files = times(g, 2, 4, (index) => `file${String(index)}`)
  const refs: Refs = new Map([...named, ['plugin::upload.file', files]])
  const filling: Filling = {
    g,
    byUid: new Map(definitions.map((type) => [type.uid, type])),
    refs,
    pools: new Map(),
  }
  const entries = types.map((type) => [
    type.uid,
    (refs.get(type.uid) ?? []).map((ref) => entry(filling, type, ref)),
  ])
  return {
    $locales: ['en', 'fr', 'de'],
    'plugin::upload.file': files.map((ref) => file(g, ref)),
    ...(Object.fromEntries(entries) as Record<string, JsonObject[]>),
  }
}

function roles(g: GeneratorValue, definitions: readonly Definition[]): RandomWorld['roles'] {
  const all = definitions.filter((type) => !isComponent(type)).map(({ uid }) => uid)
  const find = some(g, all, all.length)
  return {
    all: { find: all, drafts: all },
    readers: { find: all, drafts: [] },
    some: { find, drafts: some(g, find, find.length) },
  }
}

export const randomWorld: Arbitrary<RandomWorld> = fc.gen().map((g) => {
  const definitions = model(g)
  return { definitions, content: content(g, definitions), roles: roles(g, definitions) }
})
