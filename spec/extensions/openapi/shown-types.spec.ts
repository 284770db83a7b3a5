import { makeGranting, nothingKnown } from '../../../lib/access'
import { shownTypes, type ShownType } from '../../../lib/describe'
import type { PermissionTable } from '../../../lib/config'
import { readSchema } from '../../../lib/schema'

describe('the types that a role may query', () => {
  const name = { type: 'string', required: true }
  const definitions = [
    {
      collectionName: 'books',
      kind: 'collectionType',
      info: { singularName: 'book', pluralName: 'books' },
      options: { draftAndPublish: true },
      attributes: {
        name,
        state: { type: 'enumeration', enum: ['new', 'used'] },
        price: { type: 'decimal' },
        secret: { type: 'string', private: true },
        author: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::author.author',
          inversedBy: 'books',
        },
        cover: { type: 'component', component: 'parts.cover' },
      },
    },
    {
      collectionName: 'authors',
      kind: 'collectionType',
      info: { singularName: 'author', pluralName: 'authors' },
      attributes: {
        name,
        books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author' },
      },
    },
    {
      uid: 'parts.cover',
      collectionName: 'covers',
      info: { displayName: 'Cover' },
      attributes: { colour: name },
    },
  ]

  function shownTo(permissions: PermissionTable): ReadonlyMap<string, ShownType> {
    const schema = readSchema(definitions)
    const granting = makeGranting(
      { schema, matching: 'exact', loadingArtefacts: false, supersets: 'none', typedJson: false },
      false,
    )
    const grants = granting(permissions, { kind: 'roles', roles: ['public'], asker: nothingKnown })
    const told = {
      ...{ schema, grants, drafts: 'granted' as const, isServed: () => true },
      ...{ readingsOf: () => [], rankedIn: () => [] },
    }
    return new Map(shownTypes(told).map((type) => [type.key, type]))
  }

  it('include its types and their components, without private attributes', () => {
    const shown = shownTo({ public: { find: ['book'] } })
    expect([...shown.keys()]).toEqual(['books', 'parts.cover'])
    const book = shown.get('books')
    expect(book?.reads).toEqual(['find', 'findOne'])
    expect(book?.hasDrafts).toBe(false)
    expect([...(book?.scalars.keys() ?? [])]).not.toContain('secret')
    expect([...(book?.links.keys() ?? [])]).toEqual(['cover'])
    expect(book?.scalars.get('name')).toMatchObject({ nullable: false, values: null, always: true })
    expect(book?.scalars.get('state')).toMatchObject({ nullable: true, values: ['new', 'used'] })
    expect(shown.get('parts.cover')?.reads).toEqual([])
  })

  it('have relations only to types that the role may find', () => {
    const shown = shownTo({ public: { find: ['book'], findOne: ['author'] } })
    expect([...(shown.get('books')?.links.keys() ?? [])]).toEqual(['cover'])
    expect(shown.get('authors')?.reads).toEqual(['findOne'])
  })

  it('mark attributes that rules show in some entries, and leave out those shown in none', () => {
    const shown = shownTo({
      public: {
        find: { book: { fields: ['name'] }, author: true },
        findOne: { book: { fields: ['name', 'price'] } },
        drafts: ['book'],
      },
    })
    const book = shown.get('books')
    expect(book?.scalars.get('name')?.always).toBe(true)
    expect(book?.scalars.get('price')?.always).toBe(false)
    expect(book?.scalars.has('state')).toBe(false)
    expect(book?.links.size).toBe(0)
    expect(book?.hasDrafts).toBe(true)
  })

  it('mark types that are open to named queries alone', () => {
    expect(shownTo({ public: { find: ['book'], queries: 'named' } }).get('books')?.onlyByName).toBe(true)
    expect(shownTo({ public: { find: ['book'] } }).get('books')?.onlyByName).toBe(false)
  })
})
