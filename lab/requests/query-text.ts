// Texts that a client could send: mostly such as mean something, with hostile pieces anywhere in them.
import { type Chance, happens, pick, some } from './chance'
import { crowd, garbage, spoil } from './chaos'
import { abyss } from './depths'
import { request } from './grammar'
import { numbers, prototypeNames, text, words } from './hostile-texts'
import { type Pair, pairsOf } from './request'
import type { Speaker } from './speaker'
import type { KnownType } from './vocabulary'

const parameters = ['_q', '_q', '_q', 'status', 'locale', 'publicationFilter', 'hasPublishedVersion']
const misplaced = ['lookup', 'where', 'select', 'page', ...prototypeNames]

function parameter(chance: Chance): Pair {
  const name = happens(chance, 10) ? pick(chance, misplaced) : pick(chance, parameters)
  return [name, happens(chance, 50) ? pick(chance, words) : text(chance)]
}

/** `sort[0]=author.name:desc` in brackets throughout. */
function asKeys(key: string, value: string): string {
  const [names = '', direction = 'asc'] = value.split(':')
  return `${key}[${names.replaceAll('.', '][')}]=${direction}`
}

/** More elements than any list may have. */
const manyTimes = (key: string, value: string): string =>
  Array.from({ length: 150 }, (_, at) => `${key}[${String(at)}]=${value}`).join('&')

/** A pair as it is written, or nearly. */
function written(chance: Chance, [key, value]: Pair): string {
  if (value === null) return key
  if (/pagination/.test(key) && happens(chance, 10))
    return `${key}=${happens(chance, 50) ? pick(chance, numbers) : text(chance)}`
  if (/^sort|\[sort\]/.test(key) && happens(chance, 10)) return asKeys(key, value)
  switch (chance(240)) {
    case 0:
      return key
    case 1:
      return `${key}[]=${value}`
    case 2:
      return `${key}[${String(chance(120))}]=${value}`
    case 3:
      return `${key}[${text(chance)}]=${value}`
    case 4:
    case 5:
      return `${key}=${text(chance)}`
    case 6:
      return chance(8) === 0 ? manyTimes(key, value) : `${key}=${value}${text(chance)}`
    default:
      return `${key}=${value}`
  }
}

/** Up to three parameters of a request, and perhaps one more. */
export function meant(speaker: Speaker, type: KnownType): string {
  const { chance } = speaker
  const { style, dotted, ...asked } = request(speaker, type, true)
  const kept = Object.fromEntries(some(chance, Object.entries(asked), 3))
  const pairs = pairsOf({ style, dotted, ...kept })
  const more = happens(chance, 15) ? [parameter(chance)] : []
  return [...pairs, ...more].map((pair) => written(chance, pair)).join('&')
}

export function queryText(speaker: Speaker, type: KnownType): string {
  const { chance } = speaker
  const rare = chance(600)
  if (rare === 0) return crowd(chance)
  if (rare > 579) return garbage(chance, type)
  if (rare < 19) return abyss(speaker, type)
  const whole = meant(speaker, type)
  return happens(chance, 10) ? spoil(chance, whole) : whole
}
