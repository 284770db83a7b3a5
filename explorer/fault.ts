import { distance } from '../lib/schema/nearest'
import { readAsked } from './asked'
import { isEntry } from './entry'
import { type Grammar, placeAt } from './places'
import { typeAt, type ToldType } from './told'
import { decoded } from './plain-text'

/** Why a query was refused, and where in its text. */
export interface Fault {
  readonly message: string
  /** Between which letters, where it is known. */
  readonly spot: readonly [from: number, to: number] | null
  /** Names that were probably meant, the nearest first. */
  readonly meant: readonly string[]
}

interface ToldError {
  readonly message: string
  readonly path: readonly string[]
  /** The wrong name itself, where there is one. */
  readonly key: string
}

export function errorIn(body: unknown): ToldError | null {
  if (!isEntry(body) || !isEntry(body['error'])) return null
  const { message, details } = body['error']
  const said = (name: string): string =>
    isEntry(details) && typeof details[name] === 'string' ? details[name] : ''
  const [key, path] = [said('key'), said('path')]
  // Names of types have dots of their own.
  const endsWithKey = key !== '' && path.endsWith(`.${key}`)
  const above = endsWithKey ? path.slice(0, -key.length - 1) : path
  const names = above === '' ? [] : above.split('.')
  const told = typeof message === 'string' ? message : 'refused'
  return { message: told, path: endsWithKey ? [...names, key] : names, key }
}

const longestWord = 60

/** Those that are a slip or two away, or begin as it does. */
export function nearestOf(word: string, words: readonly string[]): readonly string[] {
  if (word === '' || word.length > longestWord) return []
  const written = word.toLowerCase()
  const most = Math.max(2, Math.floor(word.length / 3))
  const near = [...new Set(words)]
    .map((one) => {
      const plain = one.toLowerCase()
      const begins = plain.startsWith(written) || written.startsWith(plain)
      return { one, steps: begins ? 1 : distance(written, plain) }
    })
    .filter(({ one, steps }) => steps <= most && one !== word)
  return near
    .sort((first, second) => first.steps - second.steps)
    .slice(0, 3)
    .map(({ one }) => one)
}

interface Written {
  readonly keyFrom: number
  readonly key: string
  readonly valueFrom: number
  readonly value: string
}

function pairsIn(text: string): readonly Written[] {
  const start = text.indexOf('?') + 1
  if (start === 0) return []
  let from = start
  return text
    .slice(start)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const key = equals < 0 ? pair : pair.slice(0, equals)
      const written = {
        keyFrom: from,
        key,
        valueFrom: from + key.length + 1,
        value: equals < 0 ? '' : pair.slice(equals + 1),
      }
      from += pair.length + 1
      return written
    })
}

const namesOf = (key: string): readonly string[] =>
  decoded(key)
    .split('[')
    .map((name) => name.replace(/\]$/, ''))

const whereIn = (from: number, part: string, word: string): Fault['spot'] => {
  const at = word === '' ? -1 : part.lastIndexOf(word)
  return at < 0 ? null : [from + at, from + at + word.length]
}

/** The wrong word in the pair that the path leads to: in its value, or as the last name of its key. */
function spotOf(text: string, path: readonly string[], word: string): Fault['spot'] {
  const shared = ({ key }: Written): number => {
    const names = namesOf(key)
    const odd = path.findIndex((name, at) => names[at] !== name)
    return odd < 0 ? path.length : odd
  }
  const last = word === '' ? (path.at(-1) ?? '') : word
  const holders = pairsIn(text)
    .map((pair) => ({ pair, depth: shared(pair) }))
    .filter(({ depth }) => depth > 0)
    .sort((one, other) => other.depth - one.depth)
  for (const { pair, depth } of holders) {
    const inKey = whereIn(pair.keyFrom, pair.key, last)
    const spot = depth === path.length ? inKey : (whereIn(pair.valueFrom, pair.value, last) ?? inKey)
    if (spot !== null) return spot
  }
  const [first] = holders
  if (first === undefined) return null
  const { keyFrom, valueFrom, value } = first.pair
  return [keyFrom, valueFrom + value.length]
}

/** What may stand where the wrong word does. */
function candidates(grammar: Grammar, type: ToldType, path: readonly string[]): readonly string[] {
  const above = path.at(-1) !== undefined && /^\d+$/.test(path.at(-1) ?? '') ? path : path.slice(0, -1)
  const all = [placeAt(grammar, type, above), placeAt(grammar, type, path)]
  return all.flatMap(({ names, values }) => [...names, ...values].map(({ text }) => text))
}

interface Refused {
  readonly text: string
  readonly at: string
  readonly body: unknown
  readonly status: number
}

export function faultOf(
  { text, at, body, status }: Refused,
  grammar: Grammar,
  types: readonly ToldType[],
): Fault | null {
  const error = errorIn(body)
  if (error === null)
    return status >= 400
      ? { message: 'The answer is no JSON: nothing of this router stands there.', spot: null, meant: [] }
      : null
  const { message, path, key } = error
  const [route = ''] = readAsked(text, at).path
  const type = typeAt(types, route)
  if (type === undefined) {
    const paths = types.flatMap(({ path: own }) => own ?? [])
    const place = text.lastIndexOf(route)
    const isUnknown = status === 404 || status === 403
    return {
      message,
      spot: isUnknown && route !== '' ? [place, place + route.length] : null,
      meant: isUnknown ? nearestOf(route, paths) : [],
    }
  }
  if (status !== 400) return { message, spot: null, meant: [] }
  const spot = spotOf(text, path, key)
  return { message, spot, meant: key === '' ? [] : nearestOf(key, candidates(grammar, type, path)) }
}
