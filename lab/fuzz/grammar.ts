import { type Chance, happens, pick, some } from '../requests/chance'
import { prototypeNames, stored, text } from '../requests/hostile-texts'
import { hostileWords } from '../requests/hostile-words'
import { magazine, typeOf } from '../requests/magazine'
import { queryText } from '../requests/query-text'
import { type KnownList, keysetRequest } from './cursors'
import { encodings, mounts, named, stacks, type Standing } from './mounts'

export interface Asked {
  readonly path: string
  readonly role: string
  /** `v4`: the answer is asked for in Strapi's older form. */
  readonly format?: string
  /** Absent: it comes to the router at once. */
  readonly behind?: Standing
}

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

/** Of one type or another, and such as are none. */
const identifying = ['slug', 'slug', 'path', 'email', 'code', 'name', 'title', 'id', 'rating', 'nope']

const mountPaths = Object.keys(mounts)

const standing = (chance: Chance): Standing => ({
  express: pick(chance, ['4', '5']),
  stack: pick(chance, stacks),
  encoding: pick(chance, encodings),
})

/** A query of the host's, with what it declares and what it does not. */
function namedRequest(chance: Chance): string {
  const [query, type] = pick(chance, [...Object.entries(named), ['nope', named.card]] as const)
  const names = [
    ...Object.keys(type.parameters),
    'pagination[after]',
    'pagination[pageSize]',
    'status',
    'fields',
    '__proto__',
  ]
  const said = some(chance, names, 3).map(
    (name) => `&${name}=${happens(chance, 50) ? pick(chance, stored) : text(chance)}`,
  )
  return `articles?query=${query}${said.join('')}`
}

function path(chance: Chance, lists: readonly KnownList[]): string {
  const rare = chance(40)
  const mount = pick(chance, mountPaths)
  if (rare < 2 && lists.length > 0) return `${mount}/${keysetRequest(chance, lists)}`
  return rare === 2 ? `/own/${namedRequest(chance)}` : `${mount}/${usual(chance)}`
}

function usual(chance: Chance): string {
  const [root, type] = pick(chance, roots)
  const id = (): string =>
    chance(2) === 0 ? pick(chance, stored) : encodeURIComponent(Buffer.from(text(chance)).toString())
  const by = (): string => {
    const name = chance(8) === 0 ? id() : pick(chance, identifying)
    return `/by/${name}/${id()}`
  }
  const one = chance(20) === 0 ? (chance(3) === 0 ? by() : `/${id()}`) : ''
  const speaker = { chance, types: magazine, words: hostileWords(chance, magazine) }
  const query = queryText(speaker, typeOf(type))
  const pages = chance(60) === 0 ? `&pagination[${pick(chance, ['after', 'before'])}]=` : ''
  return `${root}${one}?${query}${pages}`
}

export function request(chance: Chance, lists: readonly KnownList[] = []): Asked {
  const asked = path(chance, lists)
  const role = pick(chance, pick(chance, mostRoles))
  const format = chance(8) === 0 ? { format: pick(chance, ['v4', 'v4', 'v5', 'V4', '__proto__']) } : {}
  const behind = chance(4) === 0 ? { behind: standing(chance) } : {}
  return { path: asked, role, ...format, ...behind }
}
