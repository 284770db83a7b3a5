import { strapi5 } from '../../lib'
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
    ['with strapi5', { ...strapi5 }],
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
      expect(found).toEqual('strapiArtefacts' in options ? ['bell', 'cart'] : [])
    })
  })
})
