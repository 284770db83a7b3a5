import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareOperators, publicationFilters, quantifiers } from '../../lib/query/asked'
import { examplesIn, isShownAs, requestOf, rowsIn, withoutTicks } from '../support/doc-examples'
import { type SampleSite, startSample } from '../support/sample-site'

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'queries.md'), 'utf8')
const examples = examplesIn(page)
const rows = rowsIn(page)

interface Body {
  readonly data: readonly { readonly name?: string; readonly title?: string }[]
  readonly error?: { readonly status: number }
}

describe('docs/queries.md', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  /** As the editor, who may read everything. */
  async function bodyOf(query: string): Promise<Body> {
    const response = await fetch(`${site.at}/api/${query}`, { headers: { 'X-Role': 'editor' } })
    if (response.status !== 200) throw new Error(`${query}: ${await response.text()}`)
    return (await response.json()) as Body
  }

  it.each(examples.map(({ request, answer }) => [`${request.method} ${request.path}`, request, answer]))(
    'shows the answer that comes: %s',
    async (_name, { method, path, headers }, shown) => {
      const response = await fetch(site.at + path, { method, headers })
      const came: unknown = await response.json()
      expect(response.status).toBe((shown as Body).error?.status ?? 200)
      expect(isShownAs(shown, came) ? shown : came).toEqual(shown)
    },
  )

  it.each(rows.filter((row) => 'finds here' in row).map((row) => [requestOf(row), row['finds here']]))(
    'says what is found: %s',
    async (query, finds) => {
      const { data } = await bodyOf(query)
      expect(data.map(({ name, title }) => name ?? title).join(', ') || 'nothing').toBe(finds)
    },
  )

  it.each(
    rows
      .filter((row) => 'is the same as' in row)
      .map((row) => [requestOf(row), withoutTicks(row['is the same as'] ?? '')]),
  )('says the same in other words: %s', async (query, other) => {
    expect(await bodyOf(query)).toEqual(await bodyOf(other))
    expect(query).not.toBe(other)
  })

  it.each(rows.map((row) => [requestOf(row)]))('has requests that are answered: %s', async (query) => {
    await expect(bodyOf(query)).resolves.toBeDefined()
  })

  it('shows each operator, each filter of publication and each parameter at work', () => {
    const asked = [...examples.map(({ request }) => request.path), ...rows.map(requestOf)]
    const operators = [...Object.keys(compareOperators), ...quantifiers, '$count', '$and', '$or', '$not'].map(
      (operator) => `[${operator}]`,
    )
    const parameters = [
      'fields',
      'filters',
      '_q',
      'sort',
      'populate',
      'query',
      'locale',
      'fallback',
      'status',
      'hasPublishedVersion',
    ]
    const pages = ['page', 'pageSize', 'start', 'limit', 'withCount', 'after', 'before'].map(
      (name) => `pagination[${name}]`,
    )
    const words = [...operators, ...publicationFilters, ...parameters, ...pages, '[on]', '[count]']
    expect(words.filter((word) => !asked.some((path) => path.includes(word)))).toEqual([])
  })

  it('has no block of a request without its answer, nor of JSON without its request', () => {
    expect(page.match(/```http\n/g)).toHaveLength(examples.length)
    expect(page.match(/```json\n/g)).toHaveLength(examples.length)
  })

  it('is the first link of the README', () => {
    const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8')
    expect(/\]\(([^)]*)\)/.exec(readme)?.[1]).toMatch(/docs\/queries\.md$/)
  })
})

describe('a shortened answer', () => {
  it.each([
    [['…'], [1, 2], true],
    [['…'], [], false],
    [[1, '…'], [1, 2, 3], true],
    [[1, '…'], [1], false],
    [[1, '…', 4], [1, 2, 4], true],
    [[1, '…', 4], [1, 2, 3], false],
    [[1, '…', 4], [1, 4], false],
    [[1, '…', 4, '…'], [1, 2, 3, 4, 5], true],
    [[1, '…', 4, '…'], [1, 2, 4], false],
    [[1, 2], [1, 2, 3], false],
    [{ a: 1, '…': '…' }, { a: 1, b: 2 }, true],
    [{ a: 1, '…': '…' }, { a: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: '…' }, { a: { b: 2 } }, true],
    [{ a: '…' }, {}, false],
    [{ a: null }, { a: undefined }, false],
    ['1', 1, false],
  ])('%j stands for %j: %s', (shown, came, is) => {
    expect(isShownAs(shown, came)).toBe(is)
  })
})
