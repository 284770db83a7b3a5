import { asStrapi } from '../support/as-strapi'
import { onSqlite } from '../support/databases'
import { collection, integer, relation, repeated, text, component } from '../support/library'
import { stocked } from '../support/served'

const types = [
  component('shop.label', { words: text, quiet: { ...text, searchable: false } }),
  collection('product', {
    name: text,
    quiet: { ...text, searchable: false },
    essay: { type: 'richtext', searchable: false },
    hint: { ...text, private: true },
    rank: integer,
    price: integer,
    stock: { ...integer, searchable: false },
    maker: relation('manyToOne', 'maker', { inversedBy: 'products' }),
    labels: repeated('shop.label'),
  }),
  collection('maker', {
    name: text,
    secret: { ...text, private: true },
    products: relation('oneToMany', 'product', { mappedBy: 'maker' }),
  }),
] as unknown as Parameters<typeof stocked>[1]

const content = {
  maker: [
    { $ref: 'ada', name: 'Ada' },
    { $ref: 'bo', name: 'Bo' },
  ],
  product: [
    { name: 'anvil', quiet: 'hush', essay: 'whisper', rank: 42, price: 10, stock: 777, maker: 'ada' },
    { name: 'bell', quiet: 'loud', essay: 'shout', rank: 91, price: 30, stock: 5, maker: 'ada' },
    { name: 'cart', rank: 91, stock: 5, maker: 'bo', labels: [{ words: 'wood', quiet: 'oak' }] },
  ],
}

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  const both = [
    ['by default', {}],
    ['with strapi5', { extensions: [asStrapi] }],
  ] as const
  const named = (query: string, options = {}): Promise<unknown[]> =>
    serve(options).values(`products?sort=name&${query}`, 'name')

  describe.each(both)('"searchable": false, %s', (_title, options) => {
    it.each(['hush', 'whisper', '777'])('_q=%s finds nothing', async (words) => {
      expect(await named(`_q=${words}`, options)).toEqual([])
    })

    it('the attribute is shown, filtered and sorted by all the same', async () => {
      const app = serve(options)
      expect(await app.list('products?filters[quiet]=hush&sort=stock')).toMatchObject([
        { name: 'anvil', quiet: 'hush', stock: 777 },
      ])
      expect(await named('_q=anvil', options)).toEqual(['anvil'])
    })

    it('says nothing of other attributes', async () => {
      const found = await named('_q=91', options)
      expect(found).toEqual('extensions' in options ? ['bell', 'cart'] : [])
    })
  })

  describe('a list of conditions', () => {
    const cheapOrBoth =
      'filters[$or][0][rank]=42&filters[$or][1][0][price][$gt]=28&filters[$or][1][1][rank]=91'

    it.each([
      ['in $or', cheapOrBoth, ['anvil', 'bell']],
      ['in $and', 'filters[$and][0][0][rank]=91&filters[$and][0][1][price]=30', ['bell']],
      ['behind $not', 'filters[$not][0][rank]=91&filters[$not][1][price]=30', ['anvil']],
      ['in a list of conditions', 'filters[$or][0][0][0][rank]=91&filters[$or][0][0][1][price]=30', ['bell']],
      [
        'of an attribute behind $not',
        'filters[name][$not][0][$startsWith]=b&filters[name][$not][1][$endsWith]=l',
        ['anvil', 'cart'],
      ],
      [
        'through a relation',
        'filters[maker][$and][0][0][name]=Ada&filters[maker][$and][0][1][products][rank]=42',
        ['anvil', 'bell'],
      ],
      [
        'in a quantifier',
        'filters[maker][products][$some][$or][0][0][rank]=91&filters[maker][products][$some][$or][0][1][price]=30',
        ['anvil', 'bell'],
      ],
    ])('%s holds where all of them do', async (_title, query, expected) => {
      for (const [, options] of both) expect(await named(query, options)).toEqual(expected)
    })

    it('holds inside populate, from both sides of a relation', async () => {
      const inside = cheapOrBoth.replaceAll(
        'filters',
        'populate[products][sort]=name&populate[products][filters]',
      )
      expect(await serve().list(`makers?sort=name&${inside}`)).toMatchObject([
        { name: 'Ada', products: [{ name: 'anvil' }, { name: 'bell' }] },
        { name: 'Bo', products: [] },
      ])
      const other =
        'populate[maker][filters][$or][0][0][name]=Ada&populate[maker][filters][$or][0][1][products][rank]=42'
      const entries = await serve().list(`products?sort=name&${other}`)
      expect(entries).toMatchObject([{ maker: { name: 'Ada' } }, { maker: { name: 'Ada' } }, { maker: null }])
    })

    it('leaves a list of values behind $not a list of values', async () => {
      expect(await named('filters[name][$not][0]=bell&filters[name][$not][1]=cart')).toEqual(['anvil'])
    })

    it('still has to consist of conditions', async () => {
      expect(await serve().refusal('products?filters[$or][0][0]=91')).toEqual({
        message: 'Expected a condition',
        path: 'filters.$or.0.0',
      })
    })
  })

  describe('$null and $notNull with a list or an object', () => {
    const values = ['[0]=false', '[]=true', '[0]=anything', '[anything]=anything', '[0][0]=false']

    it.each(values)('%s is true with strapi5', async (value) => {
      expect(await named(`filters[price][$null]${value}`, { extensions: [asStrapi] })).toEqual(['cart'])
      expect(await named(`filters[price][$notNull]${value}`, { extensions: [asStrapi] })).toEqual([
        'anvil',
        'bell',
      ])
      const inside = `populate[products][sort]=name&populate[products][filters][price][$null]${value}`
      expect(await serve({ extensions: [asStrapi] }).list(`makers?sort=name&${inside}`)).toMatchObject([
        { products: [] },
        { products: [{ name: 'cart' }] },
      ])
    })

    it.each(values)('%s is a 400 by default, which says what the operator takes', async (value) => {
      for (const operator of ['$null', '$notNull']) {
        const message = `Invalid value for ${operator}: expected true or false`
        expect(await serve().refusal(`products?filters[price][${operator}]${value}`)).toEqual({
          message,
          path: `filters.price.${operator}`,
        })
        const inside = `makers?populate[products][filters][maker][${operator}]${value}`
        expect(await serve().refusal(inside)).toMatchObject({ message })
      }
    })

    it('one value is read as before', async () => {
      expect(await named('filters[price][$null]=false')).toEqual(['anvil', 'bell'])
      expect(await named('filters[price][$null]=true', { extensions: [asStrapi] })).toEqual(['cart'])
    })
  })

  describe('names beside * in fields', () => {
    it.each([
      ['hint', 'products?fields[0]=*&fields[1]=hint', 'fields.hint'],
      ['nope', 'products?fields=*,nope', 'fields.nope'],
      ['maker', 'products?fields[0]=maker&fields[1]=*', 'fields.maker'],
      ['secret', 'products?populate[maker][fields]=*,secret', 'populate.maker.fields.secret'],
      ['hint', 'makers?populate[products][fields]=*,hint', 'populate.products.fields.hint'],
    ])('%s is refused: %s', async (name, query, path) => {
      for (const [, options] of both)
        expect(await serve(options).refusal(query)).toEqual({
          message: expect.stringContaining(`Invalid key ${name}`) as string,
          path,
        })
    })

    it('that exist change nothing', async () => {
      const all = await serve().list('products?sort=name')
      expect(await serve().list('products?sort=name&fields[0]=name&fields[1]=*')).toEqual(all)
      expect(await serve().list('products?sort=name&fields=*,*')).toEqual(all)
    })
  })

  describe('the place of a fault', () => {
    it.each([
      ['products?sort[maker][secret]=asc', 'sort.maker.secret'],
      ['products?sort[0][maker][secret]=asc', 'sort.0.maker.secret'],
      ['products?sort=maker.secret', 'sort.maker.secret'],
      ['products?sort[maker][name]=up', 'sort.maker.name'],
      ['makers?populate[products][sort][maker][secret]=asc', 'populate.products.sort.maker.secret'],
    ])('%s is %s', async (query, path) => {
      expect(await serve().refusal(query)).toMatchObject({ path })
    })
  })

  describe('an empty nested populate', () => {
    it.each([
      ['products?populate[maker][populate]=', 'populate.maker.populate'],
      ['products?populate[maker][populate]=%20', 'populate.maker.populate'],
      ['makers?populate[products][populate][maker][populate]=', 'populate.products.populate.maker.populate'],
    ])('is a 400: %s', async (query, path) => {
      for (const [, options] of both)
        expect(await serve(options).refusal(query)).toEqual({
          message: 'Invalid nested populate. Expected *, one name, a list or an object',
          path,
        })
    })

    it('is nothing at the top, as in Strapi', async () => {
      expect(await serve().list('products?populate=&sort=name')).toHaveLength(3)
    })
  })
})
