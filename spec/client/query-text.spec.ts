import fc from 'fast-check'
import { stringify } from 'qs'
import { queryText } from '../../lib/client/query-text'

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

/** Half of a letter stands in no URL. */
function canStand(asked: object): boolean {
  try {
    queryText(asked)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

describe('the text of a query', () => {
  it('is what qs writes', () => {
    fc.assert(
      fc.property(query, (asked) => {
        fc.pre(canStand(asked))
        expect(queryText(asked)).toBe(stringify(asked, { encodeValuesOnly: true }))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    [{ fields: ['title', 'slug'], sort: 'title:desc' }, 'fields[0]=title&fields[1]=slug&sort=title%3Adesc'],
    [{ filters: { title: { $eq: 'a&b=c #1' } } }, 'filters[title][$eq]=a%26b%3Dc%20%231'],
    [{ 'a&b=c': 1 }, 'a%26b%3Dc=1'],
  ])('of %j is %s', (asked, text) => {
    expect(queryText(asked)).toBe(text)
  })
})
