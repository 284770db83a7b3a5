import { distance } from '../lib/schema/nearest'
import { readAsked } from './asked'
import { isEntry } from './entry'
import { errorMessageIn } from './error-message'
import { type Grammar, type Place, placeAt } from './places'
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
  const { details } = body['error']
  const said = (name: string): string =>
    isEntry(details) && typeof details[name] === 'string' ? details[name] : ''
  const [key, path] = [said('key'), said('path')]
  // Names of types have dots of their own.
  const endsWithKey = key !== '' && path.endsWith(`.${key}`)
  const above = endsWithKey ? path.slice(0, -key.length - 1) : path
  const names = above === '' ? [] : above.split('.')
  return { message: errorMessageIn(body) ?? 'refused', path: endsWithKey ? [...names, key] : names, key }
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

interface Wrong {
  readonly pair: Written
  readonly depth: number
}

/** Those that share names with the path, the most first. */
function pairsAt(text: string, path: readonly string[]): readonly Wrong[] {
  const shared = ({ key }: Written): number => {
    const names = namesOf(key)
    const odd = path.findIndex((name, at) => names[at] !== name)
    return odd < 0 ? path.length : odd
  }
  return pairsIn(text)
    .map((pair) => ({ pair, depth: shared(pair) }))
    .filter(({ depth }) => depth > 0)
    .sort((one, other) => other.depth - one.depth)
}

const ways: readonly string[] = ['asc', 'desc']

/** What is no way to go, behind a colon. */
function wrongWay({ valueFrom, value }: Written): WrongValue['spot'] | null {
  const found = [...value.matchAll(/:([^,]*)/g)].find(([, way = '']) => !ways.includes(way.toLowerCase()))
  if (found === undefined) return null
  const from = valueFrom + found.index + 1
  return [from, from + (found[1] ?? '').length]
}

interface WrongValue {
  readonly spot: readonly [from: number, to: number]
  /** What would be right. */
  readonly right: readonly string[]
}

/** Where no name is wrong, the value is. */
function wrongValueIn(text: string, path: readonly string[], place: Place): WrongValue | null {
  const [first] = pairsAt(text, path)
  if (first === undefined || first.depth < path.length) return null
  const { pair } = first
  const way = path[0] === 'sort' || path.includes('sort') ? wrongWay(pair) : null
  if (way !== null) return { spot: way, right: ways }
  const { valueFrom, value } = pair
  return value === ''
    ? null
    : { spot: [valueFrom, valueFrom + value.length], right: place.values.map((one) => one.text) }
}

/** So few are all offered, however far they are from what was written. */
const few = 4

/** The wrong word in the pair that the path leads to: in its value, or as the last name of its key. */
function spotOf(text: string, path: readonly string[], word: string): Fault['spot'] {
  const last = word === '' ? (path.at(-1) ?? '') : word
  const holders = pairsAt(text, path)
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

interface Looking {
  readonly grammar: Grammar
  readonly type: ToldType
}

function malformedAt(text: string, { message, path, key }: ToldError, { grammar, type }: Looking): Fault {
  const wrong = key === '' ? wrongValueIn(text, path, placeAt(grammar, type, path)) : null
  if (wrong !== null) {
    const { spot, right } = wrong
    const near = nearestOf(text.slice(...spot), right)
    return { message, spot, meant: near.length === 0 && right.length <= few ? right : near }
  }
  const spot = spotOf(text, path, key)
  return { message, spot, meant: key === '' ? [] : nearestOf(key, candidates(grammar, type, path)) }
}

/** No path of the API, or of one that whoever asks may not know of. */
function unknownRoute({ text, at, status }: Refused, message: string, types: readonly ToldType[]): Fault {
  const [route = ''] = readAsked(text, at).path
  const isUnknown = (status === 404 || status === 403) && route !== ''
  if (!isUnknown) return { message, spot: null, meant: [] }
  const place = text.lastIndexOf(route, text.includes('?') ? text.indexOf('?') : text.length)
  const paths = types.flatMap(({ path }) => path ?? [])
  return { message, spot: place < 0 ? null : [place, place + route.length], meant: nearestOf(route, paths) }
}

/** Of a type that may be read, drafts are what may not be, where they are asked for. */
function forbiddenAt(text: string, message: string, { hasDrafts }: ToldType): Fault {
  const asked = pairsIn(text).find(({ key, value }) => key === 'status' && value === 'draft')
  if (asked === undefined || hasDrafts) return { message, spot: null, meant: [] }
  const { valueFrom, value } = asked
  return { message, spot: [valueFrom, valueFrom + value.length], meant: ['published'] }
}

/** Node itself refuses a long request before anything of the host has seen it. */
const strangeAnswer = (status: number): string =>
  status === 414 || status === 431
    ? 'The address of this query is longer than the server takes. Node takes more with --max-http-header-size, and what stands before it has a limit of its own.'
    : 'The answer is no JSON: nothing of this router stands there.'

export function faultOf(refused: Refused, grammar: Grammar, types: readonly ToldType[]): Fault | null {
  const { text, at, body, status } = refused
  const error = errorIn(body)
  if (error === null) return status >= 400 ? { message: strangeAnswer(status), spot: null, meant: [] } : null
  const { message } = error
  const [route = ''] = readAsked(text, at).path
  const type = typeAt(types, route)
  if (type === undefined) return unknownRoute(refused, message, types)
  if (status === 403) return forbiddenAt(text, message, type)
  if (status !== 400) return { message, spot: null, meant: [] }
  return malformedAt(text, error, { grammar, type })
}
