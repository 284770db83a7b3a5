// Requests that a client could send: mostly such as mean something, with hostile pieces anywhere in them.

import { join } from 'node:path'
import { type Known, typesIn } from './types'

export interface Asked {
  readonly path: string
  readonly role: string
  /** `v4`: the answer is asked for in Strapi's older form. */
  readonly format?: string
}

/** One half of a request's luck: the same seed makes the same requests. */
export type Chance = (below: number) => number

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pick = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T
const times = (chance: Chance, most: number, make: (index: number) => string): string[] =>
  Array.from({ length: 1 + chance(most) }, (_, index) => make(index))

const types = typesIn(join(__dirname, '..', 'spec', 'conformance', 'recordings', 'magazine', 'content-types'))
const unknown: Known = { scalars: [], links: [] }

const prototypeNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'valueOf',
  'length',
]

const scalars = [
  ...[
    'id',
    'documentId',
    'createdAt',
    'updatedAt',
    'publishedAt',
    'locale',
    'title',
    'summary',
    'body',
    'content',
  ],
  ...['kind', 'contactEmail', 'slug', 'publishDate', 'airTime', 'startsAt', 'stampedAt', 'views', 'bigViews'],
  ...[
    'rating',
    'price',
    'featured',
    'extra',
    'name',
    'bio',
    'email',
    'born',
    'reputation',
    'code',
    'population',
  ],
  ...[
    'area',
    'text',
    'score',
    'postedAt',
    'heading',
    'settings',
    'url',
    'mime',
    'formats',
    'size',
    'color',
    'weight',
  ],
]
const hidden = [
  'secret',
  'internalNote',
  'apiKey',
  'notes',
  'password',
  'resetPasswordToken',
  'createdBy',
  'updatedBy',
]
const links = [
  ...['author', 'reviewer', 'coAuthors', 'category', 'tags', 'countries', 'originCountry', 'relatedArticles'],
  ...['relatedBy', 'sequel', 'prequel', 'landingPage', 'comments', 'seo', 'quotes', 'relatedBlock', 'cover'],
  ...[
    'gallery',
    'articles',
    'country',
    'mentor',
    'mentees',
    'account',
    'pinned',
    'social',
    'avatar',
    'subject',
  ],
  ...[
    'mentions',
    'sections',
    'blocks',
    'owners',
    'parent',
    'children',
    'moderators',
    'localizations',
    'related',
  ],
]
const uids = [
  'shared.quote',
  'shared.rich-text',
  'layout.cta',
  'api::author.author',
  'api::page.page',
  'admin::user',
]
const roots: readonly (readonly [path: string, type: string])[] = [
  ...Array<readonly [string, string]>(8).fill(['articles', 'article']),
  ...([
    ['authors', 'author'],
    ['authors', 'author'],
    ['pages', 'page'],
    ['pages', 'page'],
  ] as const),
  ...([
    ['comments', 'comment'],
    ['categories', 'category'],
    ['countries', 'country'],
    ['tags', 'tag'],
  ] as const),
  ...([
    ['homepage', 'homepage'],
    ['global', 'global'],
    ['nope', 'article'],
  ] as const),
]
const operators = [
  ...['$eq', '$eqi', '$ne', '$nei', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn', '$contains', '$containsi'],
  ...[
    '$notContains',
    '$notContainsi',
    '$startsWith',
    '$startsWithi',
    '$endsWith',
    '$endsWithi',
    '$null',
    '$notNull',
  ],
  ...['$between', '$and', '$or', '$not', '$nope', '$jsonSupersetOf', '$raw'],
]
const parameters = [
  'populate',
  'filters',
  'filters',
  'sort',
  'fields',
  'pagination',
  'status',
  'locale',
  '_q',
]
const rarely = [
  'publicationFilter',
  'hasPublishedVersion',
  'lookup',
  'where',
  'select',
  'page',
  ...prototypeNames,
]
const roles = [
  ...Array<string>(12).fill('token'),
  'public',
  'public',
  'editor',
  'editor',
  'limited',
  'reader',
]
const mostRoles = [...Array<readonly string[]>(20).fill(roles), prototypeNames]

/** Percent-encodings of what cannot be written in a URL, some of them broken. */
const encodings = [
  ...[
    '%00',
    '%27',
    '%22',
    '%60',
    '%5C',
    '%ED%A0%80',
    '%ED%BF%BF',
    '%C3%28',
    '%FF',
    '%',
    '%Z',
    '%2',
    '%u0041',
  ],
  ...[
    '%F0%9F%92%A9',
    '%E2%80%AE',
    '%EF%BF%BF',
    '%0d%0a',
    '%2500',
    '%5B',
    '%5D',
    '%26',
    '%3D',
    '+',
    '%20',
    '%23',
  ],
]
const numbers = [
  ...[
    '0',
    '-0',
    '1',
    '2',
    '-1',
    '25',
    '99',
    '100',
    '101',
    '1e999',
    '-1e999',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e3',
  ],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809', '2147483648'],
  ...[
    '1e-400',
    '0x10',
    '0b1',
    '1_000',
    '.5',
    '5.',
    '1,5',
    '%20 1',
    '٣',
    '1e308',
    '123456789012345678901234567890',
  ],
]
const moments = [
  '2024-01-01',
  '2024-02-30',
  '0000-00-00',
  '+275760-09-13',
  '99999-01-01',
  '12:00',
  '25:61',
  '2024-01-01T00:00:00Z',
]
const attacks = [
  ...[
    "'%20OR%20'1'='1",
    "';DROP%20TABLE%20articles;--",
    '%22%3BSELECT%201--',
    '`id`',
    't0.password',
    't1.id',
  ],
  ...[
    '$1',
    '?',
    '??',
    ':id',
    '%25',
    '_',
    '%5C%25',
    '\\',
    '$.a[0]',
    '$**',
    '{}',
    '[]',
    '{"a":1}',
    '[1',
    'null',
  ],
  ...[
    '"',
    '{"__proto__":1}',
    'undefined',
    '(select%20sleep(1))',
    '*',
    'true',
    'false',
    't',
    'f',
    '',
    ' ',
    ',',
  ],
]
const words = [
  'a',
  'en',
  'de',
  'fr',
  'draft',
  'published',
  'news',
  'title:desc',
  'author.name:asc',
  'id,title',
  'x:up',
]
const unicode = ['naïve', 'Straße', 'ΣΑΣ', '日本', 'é', '👩‍👩‍👧', 'ﬀ', '\u202e', 'İ']
const stored = [
  'b3g0t4fwhz8td0uadqrla4i5',
  'bke9uj55g8g2afnkmxahcpd8',
  'abc',
  'published',
  'modified',
  'never-published',
]

const lengths = [10, 100, 1_000, 5_000, 20_000, 100_000]

function longText(chance: Chance): string {
  const piece = pick(chance, ['a', '%25', '%00', "'", '%F0%9F%92%A9', 'a,', '[', ']', '$', '.', '%2E', 'a:'])
  return piece.repeat(Math.ceil(pick(chance, lengths) / piece.length))
}

const plain = [
  '1',
  '2',
  '3',
  'a',
  'e',
  'true',
  'false',
  '2024-01-01',
  '2023-05-05',
  '12:00',
  '0.5',
  '100',
  'news',
]
const hostile = [numbers, moments, attacks, words, unicode, stored, encodings, prototypeNames]

function text(chance: Chance): string {
  if (chance(4000) === 0) return longText(chance)
  const first = pick<string>(chance, chance(10) < 7 ? plain : pick<readonly string[]>(chance, hostile))
  return chance(40) === 0 ? first + text(chance) : first
}

function name(chance: Chance, type: Known): string {
  const which = chance(1000)
  if (which < 930 && type.scalars.length > 0) return pick(chance, type.scalars)
  if (which < 960) return pick(chance, [...links, ...scalars])
  if (which < 980) return pick(chance, hidden)
  return which < 990 ? pick(chance, prototypeNames) : text(chance)
}

/** A link and the type it leads to; now and then one of another type. */
function link(chance: Chance, type: Known): readonly [string, Known] {
  if (type.links.length === 0 || chance(40) === 0) return [pick(chance, links), unknown]
  const [key, to] = pick(chance, type.links)
  return [key, to ?? unknown]
}

type Say = (chance: Chance, key: string, deep: number, type: Known) => string

const sayValue = (chance: Chance, key: string, value: string): string => {
  const way = chance(120)
  if (way === 0) return key
  if (way === 1) return `${key}[]=${value}`
  if (way === 2) return `${key}[${String(chance(120))}]=${value}`
  if (way === 3) return `${key}[${text(chance)}]=${value}`
  return `${key}=${value}`
}

const joined = (parts: readonly string[]): string => parts.join('&')

/** How often a list is written with more elements than any list may have. */
function list(chance: Chance, key: string, make: () => string): string {
  const many = chance(2000) === 0 ? 150 : 1 + chance(4)
  return joined(
    Array.from({ length: many }, (_, at) => `${key}[${chance(2) === 0 ? String(at) : ''}]=${make()}`),
  )
}

const compare: Say = (chance, key) => {
  const operator = chance(60) === 0 ? text(chance) : pick(chance, operators)
  const at = `${key}[${operator}]`
  if (operator === '$between' && chance(8) > 0) return `${at}[0]=${text(chance)}&${at}[1]=${text(chance)}`
  if (['$in', '$notIn'].includes(operator) && chance(5) > 0) return list(chance, at, () => text(chance))
  return sayValue(chance, at, text(chance))
}

const filter: Say = (chance, key, deep, type) => {
  const way = deep <= 0 ? 9 : chance(14)
  if (way < 3) {
    const group = pick(chance, ['$and', '$or'])
    return joined(times(chance, 3, (at) => filter(chance, `${key}[${group}][${String(at)}]`, deep - 1, type)))
  }
  if (way < 4) return filter(chance, `${key}[$not]`, deep - 1, type)
  if (way < 8) {
    const [through, to] = link(chance, type)
    return filter(chance, `${key}[${through}]`, deep - 1, to)
  }
  if (way === 13) return sayValue(chance, `${key}[${name(chance, type)}]`, text(chance))
  return compare(chance, `${key}[${name(chance, type)}]`, deep, type)
}

function order(chance: Chance, type: Known): string {
  const direction = pick(chance, ['', '', '', '', ':asc', ':desc', ':DESC', ':', ':x'])
  if (chance(3) > 0) return name(chance, type) + direction
  const [through, to] = link(chance, type)
  return `${through}.${order(chance, to)}`
}

const sort: Say = (chance, key, _deep, type) => {
  if (chance(4) === 0) return `${key}[${name(chance, type)}]=${pick(chance, ['asc', 'desc', text(chance)])}`
  if (chance(3) === 0) return list(chance, key, () => order(chance, type))
  return sayValue(chance, key, times(chance, 3, () => order(chance, type)).join(','))
}

const fields: Say = (chance, key, _deep, type) =>
  chance(3) === 0
    ? list(chance, key, () => name(chance, type))
    : sayValue(chance, key, times(chance, 4, () => name(chance, type)).join(','))

function page(chance: Chance, key: string): string {
  if (chance(2) === 0) return `${key}[page]=${String(chance(4))}&${key}[pageSize]=${text(chance)}`
  return joined(
    times(chance, 3, () => {
      const part = pick(chance, ['page', 'pageSize', 'start', 'limit', 'withCount', text(chance)])
      return `${key}[${part}]=${chance(3) === 0 ? text(chance) : pick(chance, numbers)}`
    }),
  )
}

const populateWithin: Say = (chance, key, deep, type) => {
  switch (chance(10)) {
    case 0:
      return fields(chance, `${key}[fields]`, deep, type)
    case 1:
    case 2:
      return filter(chance, `${key}[filters]`, deep - 1, type)
    case 3:
      return sort(chance, `${key}[sort]`, deep, type)
    case 4:
      return page(chance, `${key}[pagination]`)
    case 5: {
      const uid = pick(chance, uids)
      return populateWithin(
        chance,
        `${key}[on][${uid}]`,
        deep - 1,
        types.get(uid.replace(/^api.*\./, '')) ?? unknown,
      )
    }
    case 6:
      return `${key}[count]=${text(chance)}`
    default:
      return populate(chance, `${key}[populate]`, deep - 1, type)
  }
}

function populate(chance: Chance, key: string, deep: number, type: Known): string {
  const way = deep <= 0 ? 0 : chance(10)
  const some = (): string => link(chance, type)[0]
  if (way === 0) return `${key}=${chance(6) === 0 ? text(chance) : '*'}`
  if (way === 1) return sayValue(chance, key, times(chance, 3, some).join(','))
  if (way === 2) return list(chance, key, some)
  if (way === 3)
    return sayValue(chance, `${key}[${some()}]`, pick(chance, ['true', '*', 'false', text(chance)]))
  const [through, to] = link(chance, type)
  return joined(times(chance, 2, () => populateWithin(chance, `${key}[${through}]`, deep, to)))
}

function abyss(chance: Chance): string {
  const steps = ['[$not]', '[$or][0]', '[author]', '[author][articles]', '[articles]', '[]', '[0]', '[a']
  const step = pick(chance, [...steps, '[author][populate][articles][populate]'])
  const key = pick(chance, ['filters', 'populate', 'sort', 'fields'])
  return `${key}${step.repeat(1 + chance(chance(20) === 0 ? 2_000 : 40))}=${text(chance)}`
}

function crowd(chance: Chance): string {
  const one = pick(chance, ['filters[title][$in]', 'filters[$or]', 'fields', 'sort', 'populate', '_q', 'a'])
  return joined(
    Array.from({ length: 90 + chance(1_200) }, (_, at) => `${one}[${String(at % 110)}]=${text(chance)}`),
  )
}

function parameter(chance: Chance, type: Known): string {
  const which = chance(60) === 0 ? pick(chance, rarely) : pick(chance, parameters)
  switch (which) {
    case 'populate':
      return populate(chance, which, 4, type)
    case 'filters':
      return filter(chance, which, 4, type)
    case 'sort':
      return sort(chance, which, 0, type)
    case 'fields':
      return fields(chance, which, 0, type)
    case 'pagination':
      return page(chance, which)
    default:
      return sayValue(chance, which, chance(2) === 0 ? pick(chance, words) : text(chance))
  }
}

/** Takes a piece out, doubles it, or puts another in its place. */
function spoil(chance: Chance, whole: string): string {
  const from = chance(whole.length + 1)
  const to = from + chance(8)
  const piece = pick(chance, [
    '',
    whole.slice(from, to).repeat(2),
    pick(chance, encodings),
    '[',
    ']',
    '&',
    '=',
    '.',
  ])
  return whole.slice(0, from) + piece + whole.slice(to)
}

const signs = ['&', '=', '[', ']', '.', ',', ':', '#', '?', '/', ';', '$', '%', '+', '~', '|', '\\', '"', "'"]

/** Nothing that anybody could have meant: signs, words and broken encodings in any order. */
function garbage(chance: Chance): string {
  const pieces = [signs, encodings, attacks, prototypeNames, operators, parameters, scalars]
  return joined(
    times(chance, 3, () =>
      times(chance, 12, () => pick(chance, pick<readonly string[]>(chance, pieces))).join(''),
    ),
  )
}

function queryText(chance: Chance, type: Known): string {
  const rare = chance(600)
  if (rare === 0) return crowd(chance)
  if (rare > 579) return garbage(chance)
  if (rare < 6) return abyss(chance)
  const whole = joined(times(chance, 3, () => parameter(chance, type)))
  return chance(10) === 0 ? spoil(chance, whole) : whole
}

export function request(chance: Chance): Asked {
  const [root, type] = pick(chance, roots)
  const id = (): string =>
    chance(2) === 0 ? pick(chance, stored) : encodeURIComponent(Buffer.from(text(chance)).toString())
  const one = chance(20) === 0 ? `/${id()}` : ''
  const mount = pick(chance, ['/strapi', '/own'])
  const query = queryText(chance, types.get(type) ?? unknown)
  const role = pick(chance, pick(chance, mostRoles))
  const format = chance(8) === 0 ? { format: pick(chance, ['v4', 'v4', 'v5', 'V4', '__proto__']) } : {}
  return { path: `${mount}/${root}${one}?${query}`, role, ...format }
}
