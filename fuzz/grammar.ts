import { type Chance, pick } from '../requests/chance'
import { prototypeNames, stored, text } from '../requests/hostile-texts'
import { hostileWords } from '../requests/hostile-words'
import { magazine, typeOf } from '../requests/magazine'
import { queryText } from '../requests/query-text'
import { encodings, mounts, stacks, type Standing } from './mounts'

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

export function request(chance: Chance): Asked {
  const [root, type] = pick(chance, roots)
  const id = (): string =>
    chance(2) === 0 ? pick(chance, stored) : encodeURIComponent(Buffer.from(text(chance)).toString())
  const by = (): string => {
    const name = chance(8) === 0 ? id() : pick(chance, identifying)
    return `/by/${name}/${id()}`
  }
  const one = chance(20) === 0 ? (chance(3) === 0 ? by() : `/${id()}`) : ''
  const mount = pick(chance, mountPaths)
  const speaker = { chance, types: magazine, words: hostileWords(chance, magazine) }
  const query = queryText(speaker, typeOf(type))
  const role = pick(chance, pick(chance, mostRoles))
  const format = chance(8) === 0 ? { format: pick(chance, ['v4', 'v4', 'v5', 'V4', '__proto__']) } : {}
  const behind = chance(4) === 0 ? { behind: standing(chance) } : {}
  return { path: `${mount}/${root}${one}?${query}`, role, ...format, ...behind }
}
