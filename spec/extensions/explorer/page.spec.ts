import fc from 'fast-check'
import { parse } from 'qs'
import {
  formatAddress,
  inLines,
  onOneLine,
  type QueryTable,
  queryText,
  parseAddress,
} from '../../../extensions/explorer/page/address'
import { codeOf } from '../../../extensions/explorer/page/code'
import { conditionsOf, withCondition, withoutCondition } from '../../../extensions/explorer/page/conditions'
import { functionsOf, withFunctions, withGroups } from '../../../extensions/explorer/page/group-names'
import {
  levelAt,
  withField,
  withLevel,
  withLink,
  withOrders,
  withSearch,
} from '../../../extensions/explorer/page/level'
import { readObjectForm } from '../../../extensions/explorer/page/object-form'
import { populatedBy } from '../../../extensions/explorer/page/populated'
import { nearPages } from '../../../extensions/explorer/page/near-pages'
import type { TypeData } from '../../../extensions/explorer/page/page-data'
import { typedQuery, queryInCode } from '../../../extensions/explorer/page/typed-query'
import { firstSeed, runs } from '../../support/property-runs'

const name = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
  .filter((text) => !/[[\].]|^\d+$|^__proto__$/.test(text))
const value = fc.oneof(
  fc.string({ maxLength: 10, unit: 'grapheme' }),
  fc.constantFrom('a&b=c', '50%', '#1', 'a+b', '%41', 'é ü', '[x]', "it's", '日本'),
)
const isProto = (key: string): boolean => key in Object.prototype
const tables = fc.letrec<{ table: QueryTable }>((tie) => ({
  table: fc.dictionary(
    name.filter((key) => !isProto(key)),
    fc.oneof({ maxDepth: 4 }, value, fc.array(value, { minLength: 1, maxLength: 4 }), tie('table')),
    { maxKeys: 3 },
  ),
})).table

/** A table with nothing in it stands in no URL. */
function said(query: QueryTable): QueryTable {
  const entries = Object.entries(query).map(
    ([key, one]) =>
      [key, typeof one === 'object' && !Array.isArray(one) ? said(one as QueryTable) : one] as const,
  )
  return Object.fromEntries(
    entries.filter(([, one]) => typeof one === 'string' || Object.keys(one).length > 0),
  )
}

const type = (uid: string, links: readonly string[]): TypeData => ({
  ...{
    uid,
    kind: 'collectionType',
    path: uid,
    reads: ['find'],
    readings: [],
    ranked: [],
    hasDrafts: false,
    onlyByName: false,
    localized: false,
    draftAndPublish: false,
    queries: [],
  },
  scalars: ['id', 'documentId', 'title', 'text'].map((one) => ({
    name: one,
    type: 'string',
    operators: ['$eq'],
    values: null,
    isUnique: false,
    isSorted: true,
  })),
  links: links.map((one) => ({ name: one, role: 'relation', many: false, targets: ['author'] })),
})

const article = type('article', ['author', 'editor'])

describe('the text of a query in the explorer', () => {
  it('is parsed as it was written, by the page and by qs', () => {
    fc.assert(
      fc.property(tables, (query) => {
        const text = queryText(query)
        const wanted = said(query)
        expect(parseAddress(`/api/articles?${text}`, '/api').query).toEqual(wanted)
        expect(parse(text, { depth: 20, arrayLimit: 100 })).toEqual(wanted)
      }),
      { seed: firstSeed, numRuns: runs(2000) },
    )
  })

  it.each([
    ['/api/articles?a=b', 'articles', { a: 'b' }],
    ['articles?a=b', 'articles', { a: 'b' }],
    ['GET https://example.org/api/articles?a=b', 'articles', { a: 'b' }],
    ['http://localhost:1337/api/articles', 'articles', {}],
    ['  /articles?a=b\n', 'articles', { a: 'b' }],
    ['/api/apiaries', 'apiaries', {}],
    [
      `curl -g -H 'A: http://elsewhere/' 'http://localhost/api/articles?a=it'\\''s'`,
      'articles',
      { a: `it's` },
    ],
    [
      'curl -sG "http://localhost/api/articles" \\\n --data-urlencode "a=b&c d" -d x=1',
      'articles',
      { a: 'b&c d', x: '1' },
    ],
    ['curl http://localhost/api/articles?a=1 --get --data=b=2', 'articles', { a: '1', b: '2' }],
    ['/api/articles?filters[constructor]=1', 'articles', { filters: { constructor: '1' } }],
  ])('may be written as %s', (text, path, query) => {
    expect(parseAddress(text, '/api')).toEqual({ path: [path], query })
    expect(parseAddress(formatAddress(parseAddress(text, '/api'), '/api'), '/api')).toEqual({
      path: [path],
      query,
    })
  })

  it('has one parameter on each line of the text box, and is the same URL', () => {
    expect(inLines('/api/articles?a=?&b[c]=d')).toBe('/api/articles\n?a=?\n&b[c]=d')
    fc.assert(
      fc.property(tables, (query) => {
        const text = formatAddress({ path: ['articles'], query }, '/api')
        expect(onOneLine(inLines(text))).toBe(text)
        expect(parseAddress(inLines(text), '/api')).toEqual(parseAddress(text, '/api'))
      }),
      { seed: firstSeed, numRuns: runs(200) },
    )
    const command = "curl -sG 'http://localhost/api/articles?a=1' \\\n -d b=2"
    expect([inLines(command), onOneLine(command)]).toEqual([command, command])
  })

  it.each(['curl -X POST http://localhost/api/articles', 'curl http://localhost/api/articles -d a=b'])(
    'is not read from a line that sends a body: %s',
    (text) => {
      expect(parseAddress(text, '/api').path[0]).toMatch(/^curl /)
    },
  )

  it.each([
    [['author', 'editor'], 'author,editor'],
    [
      ['author', 'editor'],
      ['author', 'editor'],
    ],
    [['author', 'editor'], { 0: 'author', 1: 'editor' }],
    [['author', 'editor'], { author: 'true', editor: { fields: 'name' } }],
    [['author'], { author: 'true', editor: 'false' }],
    [['author'], ['author.city', 'author.pet']],
    [[], '*'],
  ])('populates %j for %j', (links, populate) => {
    expect([...populatedBy(populate).links.keys()]).toEqual(links)
  })

  it('populates below a relation what a dotted path names', () => {
    const below = populatedBy(['author.city', 'author.pet.vet']).links.get('author')
    expect([...populatedBy(below?.['populate']).links.keys()]).toEqual(['city', 'pet'])
  })
})

describe('a click', () => {
  it('removes one relation from all', () => {
    expect(withLink({ populate: '*' }, article, 'author')).toEqual({ populate: ['editor'] })
    expect(withLink({ populate: ['editor'] }, article, 'editor')).toEqual({})
  })

  it('keeps the other relations when it changes one of them', () => {
    const path = [{ link: 'author', on: null, among: ['author', 'editor'] }]
    expect(withLevel({ populate: '*' }, path, () => ({ fields: ['name'] }))).toEqual({
      populate: { author: { fields: ['name'] }, editor: 'true' },
    })
  })

  it('requests the id alone when no field is left', () => {
    expect(withField({}, article, 'text')).toEqual({ fields: ['title'] })
    expect(withField({ fields: ['title'] }, article, 'title')).toEqual({ fields: ['id'] })
    expect(withField({ fields: ['id'] }, article, 'title')).toEqual({ fields: ['title'] })
    expect(withField({ fields: ['title'] }, article, 'text')).toEqual({})
  })

  it('writes one sort key as a string', () => {
    expect(withOrders({}, [{ by: 'title', isDown: true }])).toEqual({ sort: 'title:desc' })
    expect(withOrders({ sort: 'a' }, [])).toEqual({})
  })

  it('adds one condition, and removes just that one', () => {
    const own = { path: ['title', '$eq'], value: 'a' }
    const conditions = fc.array(
      fc.record({
        path: fc.constantFrom(
          ['title', '$eq'],
          ['text', '$contains'],
          ['author', 'name', '$eq'],
          ['text', '$in'],
        ),
        value: fc.constantFrom('a', 'b', 'c, d'),
      }),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(conditions, (before) => {
        const level = before.reduce<QueryTable>((one, condition) => withCondition(one, condition), {})
        const more = withCondition(level, own)
        expect(conditionsOf(level)).toHaveLength(before.length)
        expect(conditionsOf(more)).toHaveLength(before.length + 1)
        const [last] = conditionsOf(more).slice(-1)
        expect(conditionsOf(more).filter(({ value: one }) => one === 'a').length).toBeGreaterThan(0)
        if (last !== undefined) expect(conditionsOf(withoutCondition(more, last))).toHaveLength(before.length)
      }),
      { seed: firstSeed, numRuns: runs(100) },
    )
  })

  it('populates one of several types', () => {
    const path = [{ link: 'parts', on: 'shared.note', among: ['parts'] }]
    const query = withLevel({}, path, () => ({ fields: ['text'] }))
    expect(query).toEqual({ populate: { parts: { on: { 'shared.note': { fields: ['text'] } } } } })
    expect(levelAt(query, path)).toEqual({ fields: ['text'] })
  })
})

const somewhere = {
  ...{ origin: 'http://localhost', at: '/api', ask: '/explorer/ask', role: '' },
  ...{ types: new Map([['author', type('author', ['author'])]]), isNamed: false, hasToken: false },
}

describe('a deep query', () => {
  const nested = (depth: number): QueryTable =>
    depth === 0 ? { fields: 'title' } : { populate: { author: nested(depth - 1) } }
  const codeAt = (depth: number): string | null =>
    codeOf('typed client', {
      ...{ path: ['article'], query: nested(depth), type: article, ...somewhere },
    })

  it('is written as code in linear time', () => {
    // One that did a level's work twice for the level above would never end.
    const code = codeAt(60) ?? ''
    expect(code.match(/populate: \{/g)).toHaveLength(60)
    expect(code.match(/fields: \['title'\]/g)).toHaveLength(1)
  })
})

describe('a query of groups', () => {
  const grouped = { ...article, readings: ['aggregate'] }
  const query = { groupBy: 'title,text', aggregate: { count: 'true', sum: 'fee' }, sort: 'count:desc' }
  const codeIn = (language: 'typed client' | 'in-process'): string | null =>
    codeOf(language, { ...{ path: ['article', 'aggregate'], query, type: grouped, ...somewhere } })
  const call = `read('article', 'aggregate', {
  groupBy: ['title', 'text'],
  aggregate: { count: true, sum: 'fee' },
  sort: 'count:desc',
})`

  it('is written as code', () => {
    expect(codeIn('typed client')).toContain(`client.${call}`)
    expect(codeIn('in-process')).toContain(`api.as('public').${call}`)
  })

  it('changes its groups and functions, and forgets an order by a removed one', () => {
    expect(functionsOf(query)).toEqual(['count', 'sum.fee'])
    expect(withFunctions(query, ['count', 'sum.fee', 'sum.price'])).toEqual({
      groupBy: 'title,text',
      aggregate: { count: 'true', sum: 'fee,price' },
    })
    expect(withGroups(query, [])).toEqual({ aggregate: { count: 'true', sum: 'fee' } })
  })
})

describe('a ranked search', () => {
  const searched = { ...article, ranked: ['title', 'text'] }
  const query = withSearch({ sort: 'id', pagination: { page: '3', pageSize: '5' } }, searched, 'rust')

  it('begins with the best matches, on the first page', () => {
    expect(query).toEqual({
      ...{ _q: 'rust', highlight: 'title,text', ranks: 'true' },
      pagination: { pageSize: '5' },
    })
  })

  it('is written as code', () => {
    const sample = { ...{ path: ['article'], query, type: searched, ...somewhere } }
    expect(codeOf('typed client', sample)).toContain(`find('article', {
  pagination: { pageSize: 5 },
  _q: 'rust',
  highlight: ['title', 'text'],
  ranks: true,
})`)
  })

  it('keeps another order for the next text, without points, and forgets everything without a text', () => {
    const sorted = withOrders(query, [{ by: 'title', isDown: true }])
    const next = withSearch(sorted, searched, 'oxygen')
    expect(next).toMatchObject({ _q: 'oxygen', highlight: 'title,text', sort: 'title:desc' })
    expect([sorted['ranks'], next['ranks']]).toEqual([undefined, undefined])
    expect(withSearch(sorted, searched, ' ')).toEqual({ pagination: { pageSize: '5' } })
  })
})

describe('the object form of a query', () => {
  it.each([
    [
      `{ filters: { title: { $contains: 'o\\'s "x"' } }, sort: ['a', "b"], }`,
      { filters: { title: { $contains: `o's "x"` } }, sort: ['a', 'b'] },
    ],
    [
      '{ "pagination": { "page": 2, "withCount": false } }',
      { pagination: { page: '2', withCount: 'false' } },
    ],
    ['{ "populate": { "author": {} } }', { populate: { author: 'true' } }],
    [`{ filters: { title: 'a, b: c,}' } }`, { filters: { title: 'a, b: c,}' } }],
    ['{ "filters": { "reads": 9007199254740993 } }', { filters: { reads: '9007199254740993' } }],
    [
      '{ filters: { $in: [0.12345678901234567890, 2] } }',
      { filters: { $in: ['0.12345678901234567890', '2'] } },
    ],
    ['{ filters: { title: "12345678901234567890" } }', { filters: { title: '12345678901234567890' } }],
    ['{}', {}],
  ])('is read from %s', (text, query) => {
    expect(readObjectForm(text)).toEqual({ query })
  })

  it.each([
    ['{ "filters": { "title": null } }', /^filters\.title is null/],
    ['{ "sort": [] }', /^sort is empty/],
    ['[1]', /^the query must be an object/],
    ['{ "sort": ', /JSON/],
  ])('rejects %s with a reason', (text, problem) => {
    expect(readObjectForm(text)).toEqual({ problem: expect.stringMatching(problem) as string })
  })

  it('is the object in the code for the typed client', () => {
    fc.assert(
      fc.property(tables, (query) => {
        const wanted = said(query)
        const code = codeOf('typed client', {
          ...{ path: ['article'], query: wanted, type: article, ...somewhere },
        })
        const object = /find\('article'(?:, (.*))?\)$/s.exec(code ?? '')?.[1] ?? '{}'
        const form = readObjectForm(object)
        const meant = readObjectForm(JSON.stringify(typedQuery(queryInCode(wanted), article, new Map())))
        expect(form).toEqual(meant)
      }),
      { seed: firstSeed, numRuns: runs(100) },
    )
  })
})

interface NearPages {
  readonly previous: string | null
  readonly next: string | null
  readonly place: string
}

function near(asked: string, pagination: object, count: number): NearPages | null {
  const { query } = parseAddress(`/api/tags?${asked}`, '/api')
  const found = nearPages(query, { data: Array(count).fill({ id: 1 }), meta: { pagination } })
  if (found === null) return null
  const { previous, next, place } = found
  return { previous: previous && queryText(previous), next: next && queryText(next), place }
}

const pageOf = (number: number, more = ''): string => `pagination[page]=${String(number)}${more}`

describe('the pages before and after a response', () => {
  it('have numbers, up to the last one', () => {
    const of = (number: number): NearPages | null =>
      near(`sort=name&${pageOf(number)}`, { page: number, pageSize: 2, pageCount: 3, total: 5 }, 2)
    expect(of(1)).toEqual({ previous: null, next: `sort=name&${pageOf(2)}`, place: 'page 1 of 3' })
    expect(of(2)).toMatchObject({ previous: `sort=name&${pageOf(1)}`, next: `sort=name&${pageOf(3)}` })
    expect(of(3)).toMatchObject({ previous: `sort=name&${pageOf(2)}`, next: null })
    expect(of(9)).toMatchObject({ previous: `sort=name&${pageOf(3)}`, next: null })
  })

  it('include a next page if the page is full and no total is known', () => {
    const of = (count: number): NearPages | null => near('', { page: 2, pageSize: 2 }, count)
    expect(of(2)).toEqual({ previous: pageOf(1), next: pageOf(3), place: 'page 2' })
    expect(of(1)).toMatchObject({ next: null })
  })

  it('go on behind an estimated total while pages are full', () => {
    const about = { pageSize: 2, total: 20_000, estimated: true }
    const of = (count: number): NearPages | null =>
      near('', { page: 10_000, pageCount: 10_000, ...about }, count)
    expect(of(2)).toMatchObject({ next: pageOf(10_001), place: 'page 10000 of about 10000' })
    expect(of(1)).toMatchObject({ next: null })
    const start = { start: 20_000, limit: 2, total: 20_000, estimated: true }
    expect(near('', start, 2)).toMatchObject({ place: '20001 to 20002 of about 20000' })
    expect(near('', start, 2)?.next).not.toBeNull()
  })

  it('have offsets, of which none is negative', () => {
    const of = (start: number, count: number, more = {}): NearPages | null =>
      near(
        `pagination[start]=${String(start)}&pagination[limit]=4`,
        { start, limit: 4, total: 10, ...more },
        count,
      )
    const at = (start: number): string => `pagination[start]=${String(start)}&pagination[limit]=4`
    expect(of(0, 4)).toEqual({ previous: null, next: at(4), place: '1 to 4 of 10' })
    expect(of(3, 4)).toEqual({ previous: at(0), next: at(7), place: '4 to 7 of 10' })
    expect(of(8, 2)).toEqual({ previous: at(4), next: null, place: '9 to 10 of 10' })
    expect(of(90, 0)).toEqual({ previous: at(6), next: null, place: 'none of 10' })
    expect(of(4, 4, { total: undefined })).toEqual({ previous: at(0), next: at(8), place: '5 to 8' })
  })

  it('have cursors in either direction', () => {
    const cursors = { pageSize: 2, startCursor: 'a', endCursor: 'z' }
    const both = { ...cursors, hasPreviousPage: true, hasNextPage: true }
    expect(near('pagination[after]=m&pagination[pageSize]=2', both, 2)).toEqual({
      previous: 'pagination[pageSize]=2&pagination[before]=a',
      next: 'pagination[after]=z&pagination[pageSize]=2',
      place: '',
    })
    expect(near('pagination[before]=m', { ...both, hasPreviousPage: false }, 2)).toMatchObject({
      previous: null,
      next: 'pagination[after]=z',
    })
  })

  it('are missing if the response holds all entries, or no list', () => {
    expect(near('', { page: 1, pageSize: 25, pageCount: 1, total: 2 }, 2)).toBeNull()
    expect(near('', { page: 1, pageSize: 25, pageCount: 0, total: 0 }, 0)).toBeNull()
    expect(nearPages({}, { data: { id: 1 }, meta: {} })).toBeNull()
    expect(nearPages({}, 'no JSON')).toBeNull()
  })
})
