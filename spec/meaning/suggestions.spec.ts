import type { ContentRouterConfig, Rule } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, component, integer, relation, single, text } from '../support/library'
import { type Served, stocked } from '../support/served'

const typesWith = (more: object): Parameters<typeof stocked>[1] =>
  [
    component('shop.label', { caption: text, printer: relation('manyToOne', 'maker') }),
    component('shop.stamp', { year: integer }),
    collection('product', {
      title: text,
      secret: { ...text, private: true },
      price: integer,
      maker: relation('manyToOne', 'maker', { inversedBy: 'products' }),
      label: single('shop.label'),
      parts: { type: 'dynamiczone', components: ['shop.label', 'shop.stamp'] },
      about: { type: 'relation', relation: 'morphToMany' },
      ...more,
    }),
    collection('maker', { name: text, products: relation('oneToMany', 'product', { mappedBy: 'maker' }) }),
    collection('vault', { code: text }),
  ] as unknown as Parameters<typeof stocked>[1]

/** `makers` and `papers` lead to a type that the guest may not find. */
const hidden = { makers: relation('oneToMany', 'vault'), papers: relation('manyToOne', 'vault') }
const types = typesWith(hidden)

const permissions = { public: { find: '*' }, guest: { find: ['product', 'maker'] } } as const

onSqlite((database) => {
  const { serve } = stocked(database, types, { product: [{ title: 'Anvil' }] })
  let refusals: Served

  beforeAll(() => {
    refusals = serve({ permissions, nestedPagination: true })
  })

  describe('an unknown name is refused with the nearest that may stand there', () => {
    it.each([
      ['fields', 'products?fields=titel', 'title'],
      ['fields beside *', 'products?fields=*,pryce', 'price'],
      ['fields inside populate', 'makers?populate[products][fields]=titel', 'title'],
      ['filters', 'products?filters[titel]=a', 'title'],
      ['filters, by a relation', 'products?filters[makr][name]=a', 'maker'],
      ['filters behind a relation', 'products?filters[maker][nam]=a', 'name'],
      ['filters behind both sides of a relation', 'products?filters[maker][products][titel]=a', 'title'],
      ['filters of a component', 'products?filters[label][captoin]=a', 'caption'],
      ['filters with quantifiers', 'makers?filters[products][$some][titel]=a', 'title'],
      ['filters inside populate', 'makers?populate[products][filters][titel]=a', 'title'],
      ['filters of a zone', 'products?filters[parts][$some][on][shop.label][captoin]=a', 'caption'],
      ['components of a zone', 'products?filters[parts][$some][__component]=shop.lable', 'shop.label'],
      ['the key of a zone', 'products?filters[parts][$some][__componant]=shop.label', '__component'],
      [
        'types of a relation to any',
        'products?filters[about][$some][__type]=api::maker.makr',
        'api::maker.maker',
      ],
      ['operators', 'products?filters[title][$contain]=a', '$contains'],
      ['operators without $', 'products?filters[title][contains]=a', '$contains'],
      ['groups', 'products?filters[$ors][0][title]=a', '$or'],
      ['quantifiers', 'makers?filters[products][$som][title]=a', '$some'],
      ['sort', 'products?sort=titel', 'title'],
      ['sort as an object', 'products?sort[titel]=asc', 'title'],
      ['sort through a relation', 'products?sort=makr.name', 'maker'],
      ['sort behind a relation', 'products?sort=maker.nam', 'name'],
      ['sort by a count', 'makers?sort=product.$count', 'products'],
      ['sort inside populate', 'makers?populate[products][sort]=titel', 'title'],
      ['populate', 'products?populate=makr', 'maker'],
      ['populate by a path', 'products?populate=maker.product', 'products'],
      ['populate inside populate', 'products?populate[maker][populate]=product', 'products'],
      ['populate of a component', 'products?populate[label][populate]=printr', 'printer'],
      ['populate of a zone by a path', 'products?populate=parts.printr', 'printer'],
      ['fragments', 'products?populate[parts][on][shop.lable]=true', 'shop.label'],
      ['keys of populate', 'products?populate[maker][field]=name', 'fields'],
      ['keys of pagination', 'products?pagination[pagesize]=1', 'pageSize'],
      ['keys of pagination inside populate', 'makers?populate[products][pagination][pgae]=1', 'page'],
    ])('%s: %s', async (_title, query, meant) => {
      const { message } = await refusals.refusal(query)
      expect(message).toMatch(/^Invalid key \S+: did you mean \S+\?$/)
      expect(message).toContain(`did you mean ${meant}?`)
    })

    it.each([
      ['nothing is near', 'products?fields=nowhere'],
      ['what is near is private', 'products?fields=secre'],
      ['what is near is private, in a filter', 'products?filters[secrett]=a'],
      ['the name is there, but not for this', 'products?filters[parts][title]=a'],
      ['it is longer than any name', `products?fields=${'title'.repeat(20)}`],
    ])('and with none where %s', async (_title, query) => {
      expect((await refusals.refusal(query)).message).toMatch(/^Invalid key \S+$/)
    })
  })

  describe('a name that the role may not use', () => {
    const cases = [
      ['filters[papers][code]=a', null],
      ['filters[papers][$count]=1', null],
      ['filters[makers][code]=a', 'maker'],
      ['filters[makers][$none][code]=a', 'maker'],
      ['filters[makers]=1', 'maker'],
      ['filters[$or][0][makers][nope]=a', 'maker'],
      ['filters[maker][products][makers][code]=a', 'maker'],
      ['sort=makers.code', 'maker'],
      ['sort[makers][code]=asc', 'maker'],
      ['sort=makers.$count', 'maker'],
      ['populate[maker][populate][products][filters][makers][code]=a', 'maker'],
      ['populate[maker][populate][products][sort]=makers.code', 'maker'],
      ['fields=makers', null],
    ] as const

    it.each(cases)('gets the response of one that is not there: %s', async (query, meant) => {
      const without = serve({ permissions, contentTypes: typesWith({}) })
      const [there, nowhere] = [
        await refusals.get(`products?${query}`, 'guest'),
        await without.get(`products?${query}`, 'guest'),
      ]
      expect(there.status).toBe(400)
      expect(there.text).toBe(nowhere.text)
      if (meant === null) expect(there.text).not.toContain('did you mean')
      else expect(there.text).toContain(`did you mean ${meant}?`)
    })

    it.each([
      ['filters[paperz][code]=a', 'papers'],
      ['sort=paperz.code', 'papers'],
      ['populate=paperz', 'papers'],
      ['filters[about][$some][__type]=api::vault.vaul', 'api::vault.vault'],
    ])('is suggested to roles that may use it, and to no other: %s', async (query, meant) => {
      expect((await refusals.refusal(`products?${query}`)).message).toContain(`did you mean ${meant}?`)
      expect((await refusals.refusal(`products?${query}`, 'guest')).message).not.toContain('did you mean')
    })

    it('is left out of populate without an error, as before', async () => {
      const [product] = await refusals.list('products?populate[0]=papers&populate[1]=maker', 'guest')
      expect(product).toMatchObject({ title: 'Anvil', maker: null })
      expect(product).not.toHaveProperty('papers')
    })

    it('is not suggested where a rule hides the attribute', async () => {
      const narrow = serve({ permissions: { public: { find: { product: { fields: ['title'] } } } } })
      for (const query of ['fields=pryce', 'filters[pryce]=1', 'sort=pryce', 'populate=makr'])
        expect((await narrow.refusal(`products?${query}`)).message).not.toContain('did you mean')
      expect((await narrow.refusal('products?fields=titel')).message).toContain('did you mean title?')
    })
  })

  describe('a rule', () => {
    const orders = [
      collection('order', { customerId: integer, ownerName: text }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const faultOf = (where: object): string => {
      const rule = { where } as Rule
      try {
        serve({ contentTypes: orders, permissions: { public: { find: { order: rule } } } })
      } catch (error) {
        return (error as Error).message
      }
      throw new Error('the rule is taken')
    }

    it.each([
      ['$user', { customerId: { $user: 'id' } }, '$asker'],
      ['$currentUser', { customerId: { $eq: { $currentUser: 'id' } } }, '$asker'],
      ['$askr', { customerId: { $askr: 'id' } }, '$asker'],
      ['$equ', { customerId: { $equ: 1 } }, '$eq'],
      ['customer', { customer: { $asker: 'customerId' } }, 'customerId'],
      ['ownrName', { $or: [{ ownrName: 'a' }] }, 'ownerName'],
    ])('that says %s names what was meant', (_name, where, meant) => {
      expect(faultOf(where)).toContain(`did you mean ${meant}?`)
    })
  })
})
