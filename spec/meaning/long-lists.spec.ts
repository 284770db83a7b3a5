import request from 'supertest'
import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { type Entry, stocked } from '../support/served'
import { olderFormat } from '../support/as-strapi'

const types = [
  collection('rack', {
    name: text,
    books: relation('oneToMany', 'book', { mappedBy: 'rack' }),
    liked: relation('manyToMany', 'book'),
    things: { type: 'relation', relation: 'morphToMany' },
  }),
  collection('book', {
    title: text,
    rack: relation('manyToOne', 'rack', { inversedBy: 'books' }),
    label: relation('oneToOne', 'label', { inversedBy: 'book' }),
  }),
  collection('hall', { things: { type: 'relation', relation: 'morphToMany' } }),
  collection('label', { code: text, book: relation('oneToOne', 'book', { mappedBy: 'label' }) }),
] as unknown as ContentRouterConfig['contentTypes']

const numbers = [...Array(40).keys()]
const books = numbers.map((number) => `b${String(number)}`)
const things = books.map((book) => ({ book }))

/** Long lists are written entry by entry, and have to look like short ones. */
onSqlite((database) => {
  const { serve, world, seeded } = stocked(database, types, {
    label: numbers.map((number) => ({ $ref: `l${String(number)}`, code: `code ${String(number)}` })),
    book: numbers.map((number) => ({
      ...{ $ref: `b${String(number)}`, title: `title ${String(number)}` },
      label: `l${String(number)}`,
    })),
    hall: [{ things: [{ rack: 'long' }] }],
    rack: [
      { $ref: 'long', name: 'long', books, liked: books, things },
      { $ref: 'other', name: 'other' },
    ],
  })
  const one = async (query: string, options: object = {}, format = 'v5'): Promise<Entry> => {
    const { app } = serve({ nestedPagination: true, ...options })
    const response = await request(app).get(`/api/${query}`).set('strapi-response-format', format)
    expect(response.status).toBe(200)
    const [first = {}] = (response.body as { readonly data: readonly Entry[] }).data
    return first
  }
  const titled = numbers.map((number) => ({ title: `title ${String(number)}` }))
  const coded = numbers.map((number) => ({ code: `code ${String(number)}` }))
  const labelled = titled.map((book, number) => ({ ...book, label: coded[number] }))

  describe('a long list', () => {
    it('is an array if relations are flat', async () => {
      const { books } = await one('racks?populate[books][populate]=label')
      expect(books).toMatchObject(labelled)
    })

    it('is an object with data if relations are wrapped', async () => {
      const { books } = await one('racks?populate[books][populate]=label', {
        relations: 'wrapped',
      })
      expect(books).toMatchObject({
        data: titled.map((book, at) => ({ ...book, label: { data: coded[at] } })),
      })
    })

    it('is a page with the total number of entries', async () => {
      const page = 'populate[books][pagination][pageSize]=35&populate[books][pagination][withCount]=true'
      const { books } = await one(`racks?${page}`)
      const pagination = { page: 1, pageSize: 35, pageCount: 2, total: 40 }
      expect(books).toMatchObject({ data: titled.slice(0, 35), meta: { pagination } })
    })

    it('names the type of each entry of a polymorphic relation', async () => {
      const { things } = await one('racks?populate[things]=true')
      expect(things).toMatchObject(titled.map((book) => ({ ...book, __type: 'api::book.book' })))
    })

    it('is populated below a relation to one entry', async () => {
      const query = 'labels?populate[book][populate][rack][populate]=books'
      const { book } = await one(query)
      expect(book).toMatchObject({ ...titled[0], rack: { name: 'long', books: titled } })
    })

    it('is populated below an entry of a polymorphic relation', async () => {
      const { things } = await one('halls?populate[things][on][api::rack.rack][populate]=books')
      expect(things).toMatchObject([{ __type: 'api::rack.rack', name: 'long', books: titled }])
    })

    it('is populated below the first of two links, if the relation is to one', async () => {
      const idOf = (type: string, ref: string): number => seeded().entry(type, ref).rows[0]?.id ?? NaN
      const link = { book_id: idOf('book', 'b0'), rack_id: idOf('rack', 'other'), book_ord: 41 }
      await world.knex('books_rack_lnk').insert(link)
      const { book } = await one('labels?populate[book][populate][rack][populate]=books')
      expect(book).toMatchObject({ rack: { name: 'long', books: titled } })
      await world.knex('books_rack_lnk').where(link).delete()
    })

    it('is counted without being populated', async () => {
      const { books, liked } = await one('racks?populate[books][count]=true&populate[liked]=true')
      expect(books).toEqual({ count: 40 })
      expect(liked).toMatchObject(titled)
    })

    it('keeps entries of a polymorphic relation flat in response format 4', async () => {
      const query =
        'racks?populate[liked][populate]=label&populate[things][on][api::book.book][populate]=label'
      const { attributes } = await one(query, { extensions: [olderFormat] }, 'v4')
      const older = titled.map((book, at) => ({
        attributes: { ...book, label: { data: { attributes: coded[at] } } },
      }))
      expect(attributes).toMatchObject({ name: 'long', liked: { data: older }, things: labelled })
    })
  })
})
