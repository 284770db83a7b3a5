import { parseAddress } from './address'
import { isEntry, errorMessageIn } from './entry'
import { type Grammar, isNumber, type Place, placeAt } from './places'
import { typeAt, type TypeData } from './page-data'
import { pairsAt, pairsIn, type WrittenPair, namesOf } from './written-pairs'
import { distance } from '../../../lib/schema/nearest'
import { pages } from './fixed-choices'

const longestWord = 60

/** Similar names: with a few typing errors, or with the same prefix. A name that differs only in case is the only result. */
function nearestOf(word: string, words: readonly string[]): readonly string[] {
  if (word === '' || word.length > longestWord) return []
  const written = word.toLowerCase()
  const same = words.find((one) => one !== word && one.toLowerCase() === written)
  if (same !== undefined) return [same]
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

const pageNames = pages.map(({ text }) => text)

const isPageName = (word: string): boolean => pageNames.includes(word)

/** Parameters of `pagination` are often written without it. */
const nearestParameters = (word: string, names: readonly string[]): readonly string[] => {
  const inPages = (one: string): string => `pagination[${one}]`
  if (isPageName(word)) return [inPages(word)]
  return [...nearestOf(word, names), ...nearestOf(word, pageNames).map(inPages)].slice(0, 3)
}

/** An error of a query, and its position in the text. */
export interface Fault {
  readonly message: string
  /** True for a warning next to a response. */
  readonly isAnswered: boolean
  readonly spot: readonly [from: number, to: number] | null
  /** Similar names, the nearest first; without any, the names that are possible here. */
  readonly meant: readonly string[]
  readonly isNear: boolean
}

const unspotted = (message: string): Fault => ({
  message,
  isAnswered: false,
  spot: null,
  meant: [],
  isNear: false,
})

interface ReportedError {
  readonly message: string
  readonly path: readonly string[]
  readonly key: string
}

export function errorIn(body: unknown): ReportedError | null {
  if (!isEntry(body) || !isEntry(body['error'])) return null
  const { details } = body['error']
  const said = (name: string): string =>
    isEntry(details) && typeof details[name] === 'string' ? details[name] : ''
  const [key, path] = [said('key'), said('path')]
  // Names of types have dots of their own.
  const endsWithKey = key !== '' && path.endsWith(`.${key}`)
  const above = endsWithKey ? path.slice(0, -key.length - 1) : path
  const names = above === '' ? [] : above.split('.')
  return { message: errorMessageIn(body) ?? 'rejected', path: endsWithKey ? [...names, key] : names, key }
}

const whereIn = (from: number, part: string, word: string): Fault['spot'] => {
  const at = word === '' ? -1 : part.lastIndexOf(word)
  return at < 0 ? null : [from + at, from + at + word.length]
}

const ways: readonly string[] = ['asc', 'desc']

function wrongWay({ valueFrom, value }: WrittenPair): WrongValue['spot'] | null {
  const found = [...value.matchAll(/:([^,]*)/g)].find(([, way = '']) => !ways.includes(way.toLowerCase()))
  if (found === undefined) return null
  const from = valueFrom + found.index + 1
  return [from, from + (found[1] ?? '').length]
}

interface WrongValue {
  readonly spot: readonly [from: number, to: number]
  readonly right: readonly string[]
}

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

/** Up to this many are offered, however different they are from the text. */
const few = 4

/** The wrong word in the pair at the path: in its value, or as the last name of its key. */
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

/** A dotted path has the place of its brackets: `[author][populate]=avatar` is the place of `author.avatar`. */
function placeOfDots(key: readonly string[], names: readonly string[]): readonly string[] {
  const to = key.filter((name, at) => at < key.length - 1 || !isNumber(name))
  return to.at(-1) === 'sort'
    ? [...to.slice(0, -1), 'filters', ...names]
    : [...to, ...names.flatMap((name) => [name, 'populate'])]
}

function candidates({ grammar, type }: Looking, text: string, path: readonly string[]): readonly string[] {
  const depth = pairsAt(text, path)[0]?.depth ?? path.length
  const dotted = path.slice(depth, -1).filter((name) => !isNumber(name))
  const above = isNumber(path.at(-1)) ? path : path.slice(0, -1)
  const places = dotted.length > 0 ? [placeOfDots(path.slice(0, depth), dotted)] : [above, path]
  return places
    .map((at) => placeAt(grammar, type, at))
    .flatMap(({ names, values }) => [...names, ...values].map((one) => one.text))
}

interface Refused {
  readonly text: string
  readonly at: string
  readonly body: unknown
  readonly status: number
}

interface Looking {
  readonly grammar: Grammar
  readonly type: TypeData
}

function malformedAt(text: string, { message, path, key }: ReportedError, looking: Looking): Fault {
  const [top = '', ...below] = path
  const isTop = below.length === 0
  const word = isTop && isPageName(top) ? top : key
  const wrong = word === '' ? wrongValueIn(text, path, placeAt(looking.grammar, looking.type, path)) : null
  if (wrong !== null) {
    const { spot, right } = wrong
    const near = nearestOf(text.slice(...spot), right)
    const isNear = near.length > 0
    return { ...unspotted(message), spot, meant: isNear || right.length > few ? near : right, isNear }
  }
  const [, meant] = /did you mean (\S+)\?$/.exec(message) ?? []
  const near = (isTop ? nearestParameters : nearestOf)(word, candidates(looking, text, path))
  const names = meant === undefined ? near : [meant, ...near]
  return {
    ...unspotted(message),
    spot: spotOf(text, path, word),
    meant: [...new Set(names)].slice(0, 3),
    isNear: true,
  }
}

/** An unknown path, or a path that the role may not know. */
function unknownRoute({ text, at, status }: Refused, message: string, types: readonly TypeData[]): Fault {
  const [route = ''] = parseAddress(text, at).path
  const isUnknown = (status === 404 || status === 403) && route !== ''
  if (!isUnknown) return unspotted(message)
  const place = text.lastIndexOf(route, text.includes('?') ? text.indexOf('?') : text.length)
  const paths = types.flatMap(({ path }) => path ?? [])
  return {
    ...unspotted(message),
    spot: place < 0 ? null : [place, place + route.length],
    meant: nearestOf(route, paths),
    isNear: true,
  }
}

/** For a readable type, only drafts can be forbidden. */
function forbiddenAt(text: string, message: string, { hasDrafts }: TypeData): Fault {
  const asked = pairsIn(text).find(({ key, value }) => key === 'status' && value === 'draft')
  if (asked === undefined || hasDrafts) return unspotted(message)
  const { valueFrom, value } = asked
  const spot = [valueFrom, valueFrom + value.length] as const
  return { ...unspotted(message), spot, meant: ['published'], isNear: true }
}

/** Node itself rejects a long request, before any middleware of the host. */
const strangeAnswer = (status: number): string =>
  status === 414 || status === 431
    ? 'The URL of this query is too long for the server. Raise the limit of Node with --max-http-header-size, and the limit of each proxy.'
    : 'The response is not JSON. Check the mount path of the router.'

export function faultOf(refused: Refused, grammar: Grammar, types: readonly TypeData[]): Fault | null {
  const { text, at, body, status } = refused
  const error = errorIn(body)
  if (error === null) return status >= 400 ? unspotted(strangeAnswer(status)) : null
  const { message } = error
  const [route = ''] = parseAddress(text, at).path
  const type = typeAt(types, route)
  if (type === undefined) return unknownRoute(refused, message, types)
  if (status === 403) return forbiddenAt(text, message, type)
  if (status !== 400) return unspotted(message)
  return malformedAt(text, error, { grammar, type })
}

/** A warning for a response: the first parameter without a meaning that resembles a known one. */
export function ignoredIn(text: string, grammar: Grammar, type: TypeData): Fault | null {
  // Lists of plugins have parameters of their own.
  if (type.path === null || type.uid.startsWith('plugin::')) return null
  const known = placeAt(grammar, type, []).names.map((one) => one.text)
  for (const { key, keyFrom } of pairsIn(text)) {
    const [name = ''] = namesOf(key)
    if (known.includes(name)) continue
    const meant = nearestParameters(name, known)
    if (meant.length > 0) {
      const message = `The router ignores the unknown parameter ${name}`
      return { message, isAnswered: true, spot: [keyFrom, keyFrom + name.length], meant, isNear: true }
    }
  }
  return null
}
