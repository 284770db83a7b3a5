// Random models and random content for them, small enough to be read when something disagrees.
import type { Arbitrary } from 'fast-check'
import { type Chance, happens, pick, some, times } from '../../lab/requests/chance'
import { drawn } from './drawn'
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

const ascii = (chance: Chance): string => String.fromCharCode(32 + chance(95))

export const nastyText = (chance: Chance): string =>
  chance(9) > 0 ? pick(chance, nastyTexts) : times(chance, 0, 5, () => ascii(chance)).join('')

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

const scalarValues: Readonly<Record<string, (chance: Chance) => Json>> = {
  date: (chance) =>
    pick(chance, ['0001-01-01', '0099-12-31', '1999-12-31', '2000-01-01', '2024-02-29', '9999-12-31']),
  time: (chance) => pick(chance, ['00:00', '09:30', '09:30:00.001', '23:59:59.999']),
  datetime: (chance) => pick(chance, [...instants, ...stamps]),
  timestamp: (chance) => pick(chance, stamps),
  integer: (chance) => pick(chance, [-2_147_483_648, -2, -1, 0, 1, 2, 10, 2_147_483_647]),
  biginteger: (chance) =>
    pick(chance, [
      '-9223372036854775808',
      '0',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
    ]),
  float: (chance) =>
    pick(chance, [-1.5, 0, 0.1, 0.30000000000000004, 2, 1e21, Number.MAX_VALUE, -Number.MAX_VALUE, 1e-308]),
  decimal: (chance) => pick(chance, [-1.5, 0, 0.1, 2, 99_999_999.99]),
  boolean: (chance) => happens(chance, 50),
  json: (chance) => pick(chance, jsons),
  blocks: (chance) => pick(chance, jsons),
}

function scalarValue(chance: Chance, { type, enum: words }: Attribute): Json {
  if (happens(chance, 20)) return null
  if (words !== undefined) return pick(chance, words)
  return scalarValues[type]?.(chance) ?? nastyText(chance)
}

const texts = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration']
const scalarTypes = [...texts, ...Object.keys(scalarValues)]
const linkTypes = ['relation', 'media', 'component', 'dynamiczone']
const isScalar = ({ type }: Attribute): boolean => !linkTypes.includes(type)

const scalarAttribute = (type: string): Attribute =>
  type === 'enumeration' ? { type, enum: ['red', 'Red', 'blue'] } : { type }

/** Every type has a text and a number, what nobody may read, and some more. */
function scalars(chance: Chance): Record<string, Attribute> {
  const more = some(chance, scalarTypes, 6).map((type) => [`${type}Value`, scalarAttribute(type)] as const)
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

function components(chance: Chance, related: string): Draft[] {
  const make = (name: string, attributes: Record<string, Attribute>): Draft => ({
    uid: `shared.${name}`,
    collectionName: `components_shared_${name}s`,
    info: { singularName: name, pluralName: `${name}s` },
    options: { draftAndPublish: false },
    pluginOptions: { i18n: { localized: false } },
    attributes: { ...scalars(chance), ...attributes },
  })
  const kind = pick(chance, relatedKinds)
  return [
    make('seed', { photo: { type: 'media' } }),
    make('core', {
      seed: { type: 'component', component: 'shared.seed', repeatable: happens(chance, 50) },
      linked: { type: 'relation', relation: kind, target: related },
    }),
    make('peel', { photos: { type: 'media', multiple: true } }),
  ]
}

function contentType(chance: Chance, name: string, single: boolean): Draft {
  const attributes: Record<string, Attribute> = scalars(chance)
  if (happens(chance, 50)) attributes['cover'] = { type: 'media' }
  if (happens(chance, 30)) attributes['gallery'] = { type: 'media', multiple: true }
  if (happens(chance, 60)) attributes['seed'] = { type: 'component', component: 'shared.seed' }
  if (happens(chance, 60))
    attributes['cores'] = { type: 'component', component: 'shared.core', repeatable: true }
  if (happens(chance, 60)) {
    attributes['zone'] = { type: 'dynamiczone', components: ['shared.seed', 'shared.core', 'shared.peel'] }
  }
  return {
    uid: `api::${name}.${name}`,
    kind: single ? 'singleType' : 'collectionType',
    collectionName: `${name}_rows`,
    info: { singularName: name, pluralName: `${name}s` },
    options: { draftAndPublish: happens(chance, 50) },
    pluginOptions: { i18n: { localized: happens(chance, 50) } },
    attributes,
  }
}

/**
 * A to-one side that several rows lead back to would have no one answer: a localized type that leads to one that is not
 * reaches it from each of its locales.
 */
const manyLocalesMeet = (owner: Definition, target: Definition): boolean =>
  isLocalized(owner) && !isLocalized(target)

function relate(chance: Chance, types: readonly Draft[], index: number): void {
  const owner = pick(chance, types)
  const target = pick(chance, types)
  const name = `rel${String(index)}`
  const back = `${name}Back`
  const kind = pick(chance, relatedKinds)
  const twoWay =
    kind !== 'oneToMany' && !(kind === 'oneToOne' && manyLocalesMeet(owner, target)) && happens(chance, 60)
  const toOne = kind.endsWith('One')
  owner.attributes[name] = {
    ...{ type: 'relation', relation: kind, target: target.uid },
    ...(twoWay ? { inversedBy: back } : {}),
    ...(toOne && happens(chance, 20) ? { useJoinTable: false } : {}),
  }
  if (!twoWay) return
  const opposite = kind === 'manyToOne' ? 'oneToMany' : kind
  target.attributes[back] = { type: 'relation', relation: opposite, target: owner.uid, mappedBy: name }
}

function relateToAny(chance: Chance, types: readonly Draft[]): void {
  const owner = pick(chance, types)
  const target = pick(chance, types)
  owner.attributes['subject'] = { type: 'relation', relation: 'morphToOne' }
  owner.attributes['mentions'] = { type: 'relation', relation: 'morphToMany' }
  const relation = pick(chance, ['morphOne', 'morphMany'])
  target.attributes['remarks'] = { type: 'relation', relation, target: owner.uid, morphBy: 'subject' }
  target.attributes['mentionedIn'] = {
    type: 'relation',
    relation: 'morphMany',
    target: owner.uid,
    morphBy: 'mentions',
  }
}

function model(chance: Chance): readonly Definition[] {
  const types = ['plum', 'pear', 'fig', 'home'].map((name) => contentType(chance, name, name === 'home'))
  const collections = types.slice(0, 3)
  times(chance, 4, 7, (index) => {
    relate(chance, collections, index)
  })
  if (happens(chance, 70)) relateToAny(chance, collections)
  return [...types, ...components(chance, pick(chance, collections).uid)]
}

type Refs = ReadonlyMap<string, readonly string[]>

/** References that are given out once only, for the sides of a relation where each target belongs to one. */
type Pools = Map<string, string[]>

interface Filling {
  readonly chance: Chance
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
  const { chance, refs, pools } = filling
  const { relation = '', target, morphBy } = attribute
  if (morphBy !== undefined) return undefined
  if (target === undefined) {
    const any = (): Json => {
      const uid = pick(
        chance,
        [...refs.keys()].filter((key) => key.startsWith('api::') && refs.get(key)?.length !== 0),
      )
      return { [uid]: pick(chance, refs.get(uid) ?? []) }
    }
    return relation === 'morphToOne' ? any() : uniqueJson(times(chance, 0, 3, any))
  }
  if (!isWrittenHere(filling, owner, name, attribute)) return undefined
  const all = refs.get(target) ?? []
  const key = `${owner.uid} ${name}`
  const pool = belongsToOne(attribute) ? (pools.get(key) ?? [...all]) : [...all]
  const found = some(chance, pool, relation.endsWith('Many') ? 3 : 1)
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
  const { chance, refs } = filling
  const files = refs.get('plugin::upload.file') ?? []
  switch (attribute.type) {
    case 'relation':
      return related(filling, owner, name, attribute)
    case 'media':
      return attribute.multiple === true
        ? some(chance, files, 3)
        : happens(chance, 70)
          ? pick(chance, files)
          : null
    case 'component': {
      const make = (): JsonObject => values(filling, typeAt(filling, attribute.component ?? ''))
      return attribute.repeatable === true ? times(chance, 0, 3, make) : happens(chance, 70) ? make() : null
    }
    case 'dynamiczone':
      return times(chance, 0, 3, (): JsonObject => {
        const uid = pick(chance, attribute.components ?? [])
        return { __component: uid, ...values(filling, typeAt(filling, uid)) }
      })
    default:
      return scalarValue(chance, attribute)
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
  const names = some(filling.chance, Object.keys(all), 4)
  return Object.fromEntries(names.map((name) => [name, all[name]])) as JsonObject
}

function moments(chance: Chance): JsonObject {
  return {
    createdAt: pick(chance, instants),
    updatedAt: pick(chance, instants),
    publishedAt: pick(chance, instants),
  }
}

function drafting(filling: Filling, type: Definition): JsonObject {
  const { chance } = filling
  if (!type.options.draftAndPublish || happens(chance, 40)) return {}
  if (happens(chance, 50)) return { $status: 'draft' }
  return { $draft: { ...changes(filling, type), updatedAt: pick(chance, instants) } }
}

function entry(filling: Filling, type: Definition, ref: string): JsonObject {
  const { chance } = filling
  const own = { ...values(filling, type), ...moments(chance) }
  const locales = isLocalized(type) ? some(chance, ['fr', 'de'], 2) : []
  const translations = locales.map((code) => {
    const { $status = 'published', ...rest } = drafting(filling, type)
    const status = type.options.draftAndPublish ? { $status } : {}
    return [code, { ...changes(filling, type), ...moments(chance), ...status, ...rest }] as const
  })
  const others = translations.length === 0 ? {} : { $locales: Object.fromEntries(translations) }
  return { $ref: ref, documentId: `doc-${ref}`, ...own, ...drafting(filling, type), ...others }
}

function file(chance: Chance, ref: string): JsonObject {
  const name = `${ref}${pick(chance, ['.png', '.PNG', '.pdf'])}`
  return {
    ...{
      $ref: ref,
      documentId: `doc-${ref}`,
      name,
      url: `/uploads/${name}`,
      hash: ref,
      ext: '.x',
      mime: pick(chance, ['a/b', 'A/b']),
    },
    ...{
      alternativeText: nastyText(chance),
      size: pick(chance, [0, 1.5]),
      width: pick(chance, [1, 2, null]),
      provider: 'local',
    },
    ...{ formats: pick(chance, [null, { small: { width: 1 } }]), ...moments(chance) },
  }
}

function content(chance: Chance, definitions: readonly Definition[]): Content {
  const types = definitions.filter((type) => !isComponent(type))
  const named = types.map((type): [string, string[]] => {
    const most = type.kind === 'singleType' ? 1 : 6
    return [
      type.uid,
      times(chance, Math.min(most, 3), most, (index) => `${type.info.singularName}${String(index)}`),
    ]
  })
  const files = times(chance, 2, 4, (index) => `file${String(index)}`)
  const refs: Refs = new Map([...named, ['plugin::upload.file', files]])
  const filling: Filling = {
    chance,
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
    'plugin::upload.file': files.map((ref) => file(chance, ref)),
    ...(Object.fromEntries(entries) as Record<string, JsonObject[]>),
  }
}

function roles(chance: Chance, definitions: readonly Definition[]): RandomWorld['roles'] {
  const all = definitions.filter((type) => !isComponent(type)).map(({ uid }) => uid)
  const find = some(chance, all, all.length)
  return {
    all: { find: all, drafts: all },
    readers: { find: all, drafts: [] },
    some: { find, drafts: some(chance, find, find.length) },
  }
}

export const randomWorld: Arbitrary<RandomWorld> = drawn((chance) => {
  const definitions = model(chance)
  return { definitions, content: content(chance, definitions), roles: roles(chance, definitions) }
})
