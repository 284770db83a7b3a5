import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { aggregates } from '../../extensions/aggregate'
import type { ContentRouterConfig } from '../../lib'
import { testDatabase } from '../support/databases'
import { examplesIn, isShownAs } from '../support/doc-examples'
import { collection, integer, relation, text } from '../support/library'
import { stocked } from '../support/served'

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'how-to', 'aggregate.md'), 'utf8')

const toOne = (target: string, more: object = {}): object => relation('manyToOne', target, more)

const types = [
  collection('author', { name: text }),
  collection('post', { title: text, postedAt: { type: 'datetime' }, author: toOne('author') }),
  collection('country', { name: text }),
  collection('customer', { name: text, country: toOne('country') }),
  collection('order', { total: { type: 'decimal' }, customer: toOne('customer') }),
  collection('category', { name: text }),
  collection('color', { name: text }),
  collection('product', {
    name: text,
    price: integer,
    inStock: { type: 'boolean' },
    category: toOne('category'),
    colors: relation('manyToMany', 'color'),
    sales: relation('oneToMany', 'sale', { mappedBy: 'product' }),
  }),
  collection('sale', { quantity: integer, product: toOne('product', { inversedBy: 'sales' }) }),
  collection('review', { stars: integer, product: toOne('product') }),
] as unknown as ContentRouterConfig['contentTypes']

const withRef = (name: string, more: object = {}): object => ({ $ref: name, name, ...more })

const posts = [
  { title: 'Rain', postedAt: '2026-01-05T08:00:00.000Z', author: 'Ada' },
  { title: 'Wind', postedAt: '2026-01-31T23:30:00.000Z', author: 'Ada' },
  { title: 'Snow', postedAt: '2026-02-02T00:30:00.000Z', author: 'Bo' },
  { title: 'Fog', postedAt: '2026-02-10T12:00:00.000Z', author: 'Ada' },
  { title: 'Sun', postedAt: '2026-02-20T12:00:00.000Z', author: 'Bo' },
  { title: 'Hail', postedAt: '2026-02-22T23:59:59.000Z' },
]

const countryOf: Readonly<Record<string, string>> = { Ada: 'France', Bo: 'Norway', Cy: 'France' }

const orders = [
  { total: 19.99, customer: 'Ada' },
  { total: 5.01, customer: 'Ada' },
  { total: 40, customer: 'Bo' },
  { total: 30.5, customer: 'Cy' },
  { total: 12, customer: 'Di' },
  { total: 8 },
]

const products = [
  { name: 'Coat', price: 89, inStock: true, category: 'Clothing', colors: ['red', 'blue'] },
  { name: 'Hat', price: 25, inStock: true, category: 'Clothing', colors: ['red'] },
  { name: 'Boots', price: 60, inStock: true, category: 'Shoes', colors: ['blue'] },
  { name: 'Sandals', price: 35, inStock: false, category: 'Shoes', colors: ['red', 'blue'] },
  { name: 'Card', price: 5, inStock: true, colors: [] },
]

const sales = [
  { quantity: 1, product: 'Coat' },
  { quantity: 3, product: 'Hat' },
  { quantity: 2, product: 'Hat' },
  { quantity: 4, product: 'Boots' },
  { quantity: 9, product: 'Card' },
]

const reviews = [
  { stars: 5, product: 'Hat' },
  { stars: 4, product: 'Hat' },
  { stars: 4, product: 'Hat' },
  { stars: 5, product: 'Coat' },
  { stars: 5, product: 'Coat' },
  { stars: 1, product: 'Boots' },
]

type Value = string | boolean | null

/** The entries of each value, in the order of the values: null first. */
function groupsOf<T>(entries: readonly T[], valuesOf: (entry: T) => readonly Value[]): [Value, T[]][] {
  const values = [...new Set(entries.flatMap(valuesOf))].sort((one, other) =>
    one === null ? -1 : other === null ? 1 : one < other ? -1 : 1,
  )
  return values.map((value) => [value, entries.filter((entry) => valuesOf(entry).includes(value))])
}

const sumOf = (numbers: readonly number[]): number =>
  Math.round(numbers.reduce((sum, one) => sum + one, 0) * 100) / 100

const monthOf = ({ postedAt }: { readonly postedAt: string }): string => `${postedAt.slice(0, 7)}-01`

function mondayOf({ postedAt }: { readonly postedAt: string }): string {
  const day = new Date(`${postedAt.slice(0, 10)}T00:00:00Z`)
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1)
  return day.toISOString().slice(0, 10)
}

const cheap = products.filter(({ price }) => price <= 60)

const facet = (valuesOf: (product: (typeof products)[number]) => readonly Value[]): object[] =>
  groupsOf(cheap, valuesOf)
    .map(([value, entries]) => ({ value, count: entries.length }))
    .sort((one, other) => other.count - one.count)

/** What plain JavaScript makes of the same entries, for each request of the page. */
const expected: readonly object[] = [
  groupsOf(posts, (post) => [monthOf(post)]).flatMap(([month, written]) =>
    groupsOf(written, ({ author }) => [author ?? null]).map(([author, { length }]) => ({
      group: { 'postedAt:month': month, 'author.name': author },
      count: length,
    })),
  ),
  groupsOf(
    posts.filter(({ postedAt }) => postedAt >= '2026-02-01'),
    (post) => [mondayOf(post)],
  ).map(([week, { length }]) => ({ group: { 'postedAt:week': week }, count: length })),
  groupsOf(orders, ({ customer }) => [countryOf[customer ?? ''] ?? null])
    .map(([country, placed]) => ({
      group: { 'customer.country.name': country },
      count: placed.length,
      sum: { total: sumOf(placed.map(({ total }) => total)) },
    }))
    .sort((one, other) => other.sum.total - one.sum.total),
  {
    'category.name': facet(({ category }) => [category ?? null]),
    'colors.name': facet(({ colors }) => (colors.length === 0 ? [null] : colors)),
    inStock: facet(({ inStock }) => [inStock]),
  },
  groupsOf(sales, ({ product }) => [product])
    .map(([product, sold]) => ({
      group: { 'product.name': product },
      sum: { quantity: sumOf(sold.map(({ quantity }) => quantity)) },
    }))
    .sort((one, other) => other.sum.quantity - one.sum.quantity)
    .slice(0, 3),
  products
    .filter(({ name }) => sales.every(({ product }) => product !== name))
    .map(({ name }) => ({ name, '…': '…' })),
  groupsOf(reviews, ({ product }) => [product])
    .filter(([, { length }]) => length >= 2)
    .map(([product, of]) => ({
      group: { 'product.name': product },
      count: of.length,
      avg: { stars: Number((sumOf(of.map(({ stars }) => stars)) / of.length).toPrecision(15)) },
    }))
    .sort((one, other) => other.avg.stars - one.avg.stars),
]

/** The options of the first block of the page. */
function optionsOnPage(): Partial<ContentRouterConfig> {
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const taken: Partial<ContentRouterConfig>[] = []
  const contentRouter = (options: Partial<ContentRouterConfig>): unknown => taken.push(options)
  runInNewContext(code.replaceAll(/^import .*$/gm, ''), { contentRouter, aggregates, config: {} })
  const [options] = taken
  if (options === undefined) throw new Error('the page has no options')
  return options
}

describe('docs/how-to/aggregate.md', () => {
  const { serve } = stocked(testDatabase('sqlite'), types, {
    author: ['Ada', 'Bo'].map((name) => withRef(name)),
    post: posts,
    country: ['France', 'Norway'].map((name) => withRef(name)),
    customer: ['Ada', 'Bo', 'Cy', 'Di'].map((name) => withRef(name, { country: countryOf[name] ?? null })),
    order: orders,
    category: ['Clothing', 'Shoes'].map((name) => withRef(name)),
    color: ['red', 'blue'].map((name) => withRef(name)),
    product: products.map((product) => ({ $ref: product.name, ...product })),
    sale: sales,
    review: reviews,
  } as Parameters<typeof stocked>[2])

  interface Body {
    readonly data: unknown
    readonly meta: { readonly facets?: unknown }
  }

  const examples = examplesIn(page).map(({ request: { path }, answer }) => ({ path, answer: answer as Body }))

  it('has a response for each request', () => {
    expect(page.match(/```http\n/g)).toHaveLength(expected.length)
    expect(examples).toHaveLength(expected.length)
  })

  it.each(examples)('shows the response: $path', async ({ path, answer }) => {
    const { get } = serve(optionsOnPage())
    const { body } = (await get(path.replace('/api/', ''), 'public')) as { body: unknown }
    expect(isShownAs(answer, body) ? answer : body).toEqual(answer)
  })

  it.each(examples.map((example, at) => ({ ...example, made: expected[at] })))(
    'shows what JavaScript computes: $path',
    ({ answer: { data, meta }, made }) => {
      expect(meta.facets ?? data).toEqual(made)
    },
  )
})
