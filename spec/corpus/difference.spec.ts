import { firstDifference } from './difference'

function difference(expected: unknown, got: unknown, request = '/api/articles'): string | undefined {
  return firstDifference(request, { status: 200, body: expected }, { status: 200, body: got })
}

describe('the comparison with a recorded answer', () => {
  it('takes keys in any order and floats within a billionth', () => {
    expect(difference({ a: 1, b: 0.1 + 0.2 }, { b: 0.3, a: 1 })).toBeUndefined()
  })

  it.each([
    ['a value', { data: { id: 1 } }, { data: { id: 2 } }, 'data.id'],
    ['a type', { data: { id: 1 } }, { data: { id: '1' } }, 'data.id'],
    ['a missing key', { data: { id: 1, title: null } }, { data: { id: 1 } }, 'data.title'],
    ['an additional key', { data: { id: 1 } }, { data: { id: 1, secret: 'x' } }, 'data.secret'],
    ['a float beyond the tolerance', { data: { price: 1 } }, { data: { price: 1.000_001 } }, 'data.price'],
    ['a shorter list', { data: [{ id: 1 }, { id: 2 }] }, { data: [{ id: 1 }] }, 'data: expected 2'],
    [
      'the order of entries',
      { data: [{ id: 1 }, { id: 2 }] },
      { data: [{ id: 2 }, { id: 1 }] },
      'another order',
    ],
    ['an object in the place of null', { data: null }, { data: {} }, 'data'],
  ])('notices %s that is different, and where', (_what, expected, got, place) => {
    expect(difference(expected, got)).toContain(place)
  })

  const list = (...entries: readonly object[]) => ({ data: [{ id: 1, author: { articles: entries } }] })

  it('is strict about the order of a populated list', () => {
    expect(difference(list({ id: 1 }, { id: 2 }), list({ id: 2 }, { id: 1 }))).toContain('another order')
  })

  it('takes equals of a populated sort in any order, and nothing else', () => {
    const request = '/api/articles?populate[author][populate][articles][sort]=views:desc'
    const [one, two, three] = [
      { id: 1, views: 5 },
      { id: 2, views: 5 },
      { id: 3, views: 4 },
    ]
    expect(difference(list(one, two, three), list(two, one, three), request)).toBeUndefined()
    expect(difference(list(one, two, three), list(one, three, two), request)).toContain('another order')
  })

  it('takes the exact value of a bigint that Strapi rounded, and no other', () => {
    const views = (value: string) => ({ data: { views: value } })
    expect(difference(views('9007199254740992'), views('9007199254740993'))).toBeUndefined()
    expect(difference(views('9223372036854776000'), views('9223372036854775807'))).toBeUndefined()
    expect(difference(views('9007199254740993'), views('9007199254740992'))).toContain('data.views')
    expect(difference(views('9007199254740992'), views('9007199254740995'))).toContain('data.views')
  })

  it('takes localizations in any order', () => {
    const localized = (...locales: readonly string[]) => ({
      data: { localizations: locales.map((locale) => ({ locale })) },
    })
    expect(difference(localized('fr', 'de'), localized('de', 'fr'))).toBeUndefined()
    expect(difference(localized('fr', 'de'), localized('de', 'de'))).toContain('localizations')
  })

  it('compares errors by status and name, and unknown paths by status', () => {
    const error = (name: string) => ({ data: null, error: { name, message: name } })
    const status = (code: number, name: string) => ({ status: code, body: error(name) })
    const compared = (one: number, other: number, name: string) =>
      firstDifference('/api/x', status(one, 'ValidationError'), status(other, name))
    expect(compared(400, 400, 'ValidationError')).toBeUndefined()
    expect(compared(400, 400, 'PolicyError')).toContain('error.name')
    expect(compared(400, 403, 'ValidationError')).toContain('expected status 400')
    expect(compared(404, 404, 'HostError')).toBeUndefined()
  })
})
