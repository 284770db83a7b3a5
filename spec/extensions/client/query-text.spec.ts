import fc from 'fast-check'
import { stringify } from 'qs'
import { queryText } from '../../../extensions/client/query-text'
import { readText } from '../../../lib/query/raw'
import { firstSeed, runs } from '../../support/property-runs'

const name = fc.oneof(
  fc.constantFrom('filters', 'populate', '$or', 'title', 'api::article.article', 'page.prose', 'año'),
  fc.stringMatching(/^[\w$.:-]{1,8}$/).filter((text) => text !== '__proto__'),
)
const atom = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.bigInt(),
  fc.constant(null),
  fc.constant(undefined),
  fc.date({ noInvalidDate: true }),
)
const { query } = fc.letrec<{ value: unknown; query: object }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, atom, fc.array(tie('value'), { maxLength: 4 }), tie('query')),
  query: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))

/** What qs makes nonsense of: half of a letter stands in no text of UTF-8. */
const isWhole = (asked: object): boolean => !/\\u[dD][89abAB]/.test(written(asked))
const written = (asked: unknown): string =>
  JSON.stringify(asked, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Names of any letters but brackets, which readers take for brackets however they are written, and numbers, which are places in a list. */
const anyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
  .filter((text) => !/[[\]]|^\d+$/.test(text) && !['__proto__', '.', '..'].includes(text))
const { told } = fc.letrec<{ told: Readonly<Record<string, unknown>> }>((tie) => ({
  told: fc.dictionary(
    anyName,
    fc.oneof({ depthSize: 'small' }, fc.string({ unit: 'grapheme' }), tie('told')),
    {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    },
  ),
}))

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the text of a query', () => {
  it('is what qs writes', () => {
    fc.assert(
      fc.property(query, (asked) => {
        fc.pre(isWhole(asked))
        expect(queryText(asked)).toBe(stringify(asked, { encodeValuesOnly: true, strictNullHandling: true }))
      }),
      { seed: firstSeed, numRuns: runs(2000) },
    )
  })

  it('is read by the router as it was meant, once a URL has been made of it', () => {
    const limits = { arrayLimit: 100, maxParameters: 1000, maxLength: 100_000 }
    fc.assert(
      fc.property(told, (asked) => {
        const { search } = new URL(`http://localhost/api/articles?${queryText(asked)}`)
        expect(plain(readText(search.slice(1), limits))).toEqual(plain(asked))
      }),
      { seed: firstSeed, numRuns: runs(2000) },
    )
  })

  it('holds no half of a letter', () => {
    expect(queryText({ '\ud83d': 'a\ude00😀' })).toBe('\ufffd=a%EF%BF%BD%F0%9F%98%80')
  })

  it.each([
    [{ fields: ['title', 'slug'], sort: 'title:desc' }, 'fields[0]=title&fields[1]=slug&sort=title%3Adesc'],
    [{ filters: { title: { $eq: 'a&b=c #1' } } }, 'filters[title][$eq]=a%26b%3Dc%20%231'],
    [{ 'a&b=c': 1 }, 'a%26b%3Dc=1'],
  ])('of %j is %s', (asked, text) => {
    expect(queryText(asked)).toBe(text)
  })
})
