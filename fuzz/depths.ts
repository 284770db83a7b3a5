import { type Chance, pick } from './chance'
import { wayDown } from './names'
import { joined } from './say'
import type { Known } from './types'
import { text } from './values'

/** Shorter than the longest text that a query may have. */
const longest = 49_000

/** Around the deepest that is allowed, and as far beyond as a text is long. */
function depth(chance: Chance): number {
  const far = 2 ** (3 + chance(12))
  return pick(chance, [240 + chance(20), 490 + chance(20), 510 + chance(1_500), far + chance(far)])
}

/** So much of it as is not too long, and no bracket is left open. */
const cut = (key: string): string =>
  key.length > longest ? key.slice(0, longest).replace(/\[[^\]]*$/, '') : key

const between = ['', '', '', '[$not]', '[$and][0]', '[$or][1]', '[$and][1][$not]']

function conditions(chance: Chance, key: string, names: readonly string[]): string {
  const groups = chance(2) === 0 ? [pick(chance, between)] : between
  return cut(key + names.map((name) => `${pick(chance, groups)}[${name}]`).join(''))
}

const populated = (names: readonly string[]): string =>
  cut(`populate${names.map((name) => `[${name}][populate]`).join('')}`)

/** What stands at the end of a way down. */
function end(chance: Chance, key: string, names: readonly string[]): string {
  const dotted = names.join('.').slice(0, longest - key.length)
  const way = chance(8)
  if (way === 0) return `${key}=*`
  if (way === 1) return `${key}[0]=${dotted}`
  return way === 2 ? joined([`${key}[0]=${dotted}`, `${key}[1]=${dotted.slice(0, 100)}`]) : `${key}=${dotted}`
}

const ofPages = '[sections][on][shared.related][populate][articles][populate][landingPage][populate]'
const senseless = [
  '[$not]',
  '[$or][0]',
  '[$and][1]',
  '[author]',
  '[]',
  '[0]',
  '[a',
  '[on][shared.quote]',
  ofPages,
]

function repeated(chance: Chance, times: number): string {
  const key = pick(chance, ['filters', 'populate', 'populate', 'sort', 'fields'])
  return `${cut(key + pick(chance, senseless).repeat(times))}=${text(chance)}`
}

/** One way down, in one notation or several. */
export function abyss(chance: Chance, type: Known): string {
  const names = wayDown(chance, type, depth(chance))
  const at = chance(names.length)
  const [above, below] = [names.slice(0, at), names.slice(at)]
  switch (chance(9)) {
    case 0:
      return repeated(chance, names.length)
    case 1:
      return `${conditions(chance, 'filters', names)}[id][$notNull]=true`
    case 2:
      return `${conditions(chance, `${populated(above)}[${below[0] ?? ''}][filters]`, below.slice(1))}[id]=1`
    case 3:
      return `sort=${names.join('.').slice(0, longest)}.id`
    case 4:
      return `${cut(`sort${names.map((name) => `[${name}]`).join('')}`)}[id]=asc`
    case 5:
      return end(chance, 'populate', names)
    case 6:
      return end(chance, populated(above), ['localizations'])
    default:
      return end(chance, populated(above), below)
  }
}
