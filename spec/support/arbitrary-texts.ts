// Query texts that a request could have been meant by, and texts that nothing was meant by.
import fc, { type Arbitrary } from 'fast-check'

const names = [
  'fields',
  'populate',
  'filters',
  'sort',
  'pagination',
  'status',
  'locale',
  '_q',
  'publicationFilter',
]
const attributes = [
  'title',
  'rank',
  'rel0',
  'zone',
  'cores',
  'seed',
  'subject',
  'localizations',
  'id',
  'nope',
  '*',
  'shared.core',
]
const keys = [
  'populate',
  'fields',
  'filters',
  'sort',
  'on',
  'count',
  'pagination',
  'page',
  'pageSize',
  'start',
  'limit',
  'withCount',
]
const operators = [
  '$eq',
  '$eqi',
  '$in',
  '$notIn',
  '$between',
  '$and',
  '$or',
  '$not',
  '$null',
  '$contains',
  '$gt',
  '$nope',
]
const strange = [
  '',
  '0',
  '1',
  '99',
  '100',
  '1e9',
  '-1',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '\u0000',
]
const segment = fc.oneof(
  fc.constantFrom(...attributes),
  fc.constantFrom(...keys),
  fc.constantFrom(...operators),
  fc.constantFrom(...strange),
)

const brackets = fc.array(segment, { maxLength: 6 }).map((path) => path.map((one) => `[${one}]`).join(''))
const key = fc.tuple(fc.constantFrom(...names), brackets).map(([name, path]) => name + path)

const values = [
  '*',
  'true',
  'false',
  'title',
  'title:desc',
  'rank:up',
  'a,b',
  ',',
  '',
  'author.name',
  'draft',
  'en',
  'abc',
  '2024-01-01',
]
const value = fc.oneof(
  fc.constantFrom(...values),
  fc.constantFrom(...strange),
  fc.string({ unit: 'binary', maxLength: 6 }).map(encoded),
)

/** A lone half of a surrogate pair cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?'))
}

const parameter = fc
  .tuple(key, fc.constantFrom('=', '=', '=', '', '[]='), value)
  .map(([name, sign, text]) => name + sign + (sign === '' ? '' : text))

const junkSign = fc.constantFrom(
  ...['[', ']', '[]', '%', '%5B', '%5D', '%ZZ', '%00', '&', '=', '#', '?', '.', '$', ',', '+', '\\', '"'],
)
const junk = fc
  .array(fc.oneof(junkSign, segment, fc.string({ maxLength: 3 })), { maxLength: 12 })
  .map((parts) => parts.join(''))

/** Around the deepest that is allowed, and up to where the text itself would be too long. */
const depth = fc.oneof(
  fc.integer({ min: 240, max: 260 }),
  fc.integer({ min: 480, max: 520 }),
  fc.integer({ min: 3, max: 14 }).chain((power) => fc.integer({ min: 2 ** power, max: 2 ** (power + 1) })),
)

const longest = 50_000

const steps = [
  ...[
    '[author]',
    '[author][populate]',
    '[zone][on][shared.core][populate]',
    '[$not]',
    '[$and][0]',
    '[$or][1]',
  ],
  ...['[$not][author]', '[a]', '[0]', '[]', '[author][populate][author][filters]'],
]

/** A way down, in brackets, dots or both. */
const nest = fc
  .tuple(
    fc.constantFrom(
      'populate',
      'populate[0]',
      'filters',
      'sort',
      'sort[0]',
      'populate[author][sort]',
      'fields',
    ),
    fc.oneof(
      fc.constantFrom(...steps),
      segment.map((one) => `[${one}]`),
    ),
    depth,
    fc.oneof(fc.constantFrom('author', 'author.books', 'a', 'title'), segment),
    depth,
    fc.constantFrom('brackets', 'dots', 'both'),
  )
  .map(([name, step, down, word, further, notation]) => {
    const brackets = notation === 'dots' ? '' : step.repeat(Math.min(down, longest / step.length))
    const room = Math.max(longest - name.length - brackets.length - 1, 0)
    const dots =
      notation === 'brackets' ? 'title' : `${word}.`.repeat(further).slice(0, room).replace(/\.$/, '')
    return `${name}${brackets}=${dots}`
  })

/** Several that part late share most of their way, and commas part many. */
export const deepQueryText: Arbitrary<string> = fc
  .tuple(fc.array(nest, { minLength: 1, maxLength: 3 }), fc.constantFrom('&', ',', '&populate=b,'))
  .map(([nests, sign]) => nests.join(sign).slice(0, longest))

const long = fc
  .tuple(key, fc.integer({ min: 90, max: 1100 }), fc.boolean())
  .map(([name, count, numbered]) =>
    Array.from({ length: count }, (_, index) => `${name}[${numbered ? String(index) : ''}]=x`).join('&'),
  )

export const anyQueryText: Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.array(parameter, { maxLength: 6 }).map((parts) => parts.join('&')) },
  { weight: 4, arbitrary: junk },
  { weight: 2, arbitrary: deepQueryText },
  { weight: 1, arbitrary: long },
)

/** A text with one piece of it left out, doubled or replaced by junk. */
export function spoiled(text: string): Arbitrary<string> {
  const at = fc.nat(text.length)
  return fc.tuple(at, fc.nat(8), fc.oneof(fc.constant(''), junkSign, value)).map(([from, length, piece]) => {
    return text.slice(0, from) + piece + text.slice(from + length)
  })
}
