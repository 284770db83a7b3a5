// Requests that a client could send: mostly such as mean something, with hostile pieces anywhere in them.

import { type Chance, pick, times } from './chance'
import { crowd, garbage, spoil } from './chaos'
import { filter, sort } from './conditions'
import { abyss } from './depths'
import { encodings, mounts, stacks, type Standing } from './mounts'
import { parameters, rarely, types, unknown } from './names'
import { fields, page, populate } from './populate'
import { joined, sayValue } from './say'
import type { Known } from './types'
import { prototypeNames, stored, text, words } from './values'

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

function queryText(chance: Chance, type: Known): string {
  const rare = chance(600)
  if (rare === 0) return crowd(chance)
  if (rare > 579) return garbage(chance)
  if (rare < 19) return abyss(chance, type)
  const whole = joined(times(chance, 3, () => parameter(chance, type)))
  return chance(10) === 0 ? spoil(chance, whole) : whole
}

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
  const one = chance(20) === 0 ? `/${id()}` : ''
  const mount = pick(chance, mountPaths)
  const query = queryText(chance, types.get(type) ?? unknown)
  const role = pick(chance, pick(chance, mostRoles))
  const format = chance(8) === 0 ? { format: pick(chance, ['v4', 'v4', 'v5', 'V4', '__proto__']) } : {}
  const behind = chance(4) === 0 ? { behind: standing(chance) } : {}
  return { path: `${mount}/${root}${one}?${query}`, role, ...format, ...behind }
}
