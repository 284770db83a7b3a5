import { strapi5 } from '../../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, component, relation, repeated, single, text } from '../../support/library'
import { stocked } from '../../support/served'

/** Definitions are looked at before anything is asked. */
const unreached = { client: 'pg', connection: {} } as const

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

// What Strapi 5.54 makes of it stands in its metadata: whoever has inversedBy, or neither word, makes the table and tells
// the side that it names. A side that nobody told is never in an answer.
const types = [
  collection('article', {
    title: text,
    author: relation('manyToOne', 'api::author.author'),
    editor: relation('manyToOne', 'api::author.author', { inversedBy: 'edited' }),
    topics: relation('manyToMany', 'api::topic.topic', { inversedBy: 'articles', mappedBy: 'articles' }),
    first: relation('manyToMany', 'api::topic.topic', { inversedBy: 'second' }),
    lost: relation('oneToMany', 'api::nothing.nothing', { mappedBy: 'article' }),
    flat: { ...relation('manyToMany', 'api::topic.topic'), useJoinTable: false },
    odd: { type: 'strng' },
    renamed: { type: 'string', columnName: 'another' },
    hidden: { type: 'string', private: 'yes' },
    zone: { type: 'dynamiczone', components: ['part.note', 'part.gone'] },
    empty: { type: 'dynamiczone' },
    bare: { type: 'dynamiczone', components: ['part.gone'] },
    nobody: { type: 'relation', relation: 'morphMany', target: 'api::topic.topic' },
    plain: relation('morphOne', 'api::author.author', { morphBy: 'name' }),
    constructor: text,
  }),
  collection('author', {
    name: text,
    articles: relation('oneToMany', 'api::article.article', { mappedBy: 'author' }),
    edited: relation('oneToMany', 'api::article.article', { mappedBy: 'misnamed' }),
    titles: relation('oneToMany', 'api::article.article', { mappedBy: 'title' }),
    gone: relation('oneToOne', 'api::article.article', { mappedBy: 'gone' }),
  }),
  collection('topic', {
    name: text,
    articles: relation('oneToOne', 'api::article.article', { mappedBy: 'topics' }),
    second: relation('manyToMany', 'api::article.article', { inversedBy: 'first' }),
  }),
  component('part.note', { line: text, inner: repeated('part.note') }),
] as unknown as Definitions

const lost = [
  'article.lost',
  'article.flat',
  'article.odd',
  'article.renamed',
  'article.hidden',
  'article.zone',
  'article.empty',
  'article.bare',
  'article.nobody',
  'article.plain',
  'article.constructor',
  'author.articles',
  'author.titles',
  'author.gone',
  'note.inner',
]

onSqlite((database) => {
  const { serve, world } = stocked(database, types, {
    author: [
      { $ref: 'ann', name: 'Ann' },
      { $ref: 'bob', name: 'Bob' },
    ],
    topic: [
      { $ref: 'sea', name: 'Sea' },
      { $ref: 'air', name: 'Air' },
    ],
    article: [
      { $ref: 'dawn', title: 'Dawn', author: 'ann', editor: 'bob', topics: ['sea', 'air'] },
      { title: 'Dusk', zone: [{ __component: 'part.note', line: 'Good night' }] },
    ],
  })
  const served = () => serve({ extensions: [strapi5()] })

  it('serves all that Strapi serves, from the tables that it would make', async () => {
    const [dawn, dusk] = await served().list('articles?populate=*&sort=title')
    expect(dawn).toMatchObject({
      title: 'Dawn',
      author: { name: 'Ann' },
      editor: { name: 'Bob' },
      topics: [{ name: 'Sea' }, { name: 'Air' }],
    })
    expect(dusk).toMatchObject({ title: 'Dusk', zone: [{ __component: 'part.note', line: 'Good night' }] })
  })

  it('lets the side be found that another calls its inverse, whatever it says itself', async () => {
    const [bob] = await served().list('authors?filters[name]=Bob&populate=*')
    expect(bob).toMatchObject({ edited: [{ title: 'Dawn' }] })
    expect(await served().values('articles?filters[editor][edited][title]=Dawn', 'title')).toEqual(['Dawn'])
  })

  it('reads both sides of a relation from the table of the side that comes last', async () => {
    const { knex } = world
    expect(await knex.schema.hasTable('topics_second_lnk')).toBe(true)
    expect(await knex.schema.hasTable('articles_first_lnk')).toBe(false)
  })

  it('leaves the rest out of answers, also where a relation is populated by name, as Strapi does', async () => {
    for (const name of ['articles', 'titles', 'gone']) {
      for (const populate of ['populate=*', `populate=${name}`, `populate[${name}][fields]=title`]) {
        const [ann] = await served().list(`authors?filters[name]=Ann&${populate}`)
        expect([ann?.['name'], Object.keys(ann ?? {}).includes(name)]).toEqual(['Ann', false])
      }
    }
    expect(await served().values('articles?populate[author][populate]=titles', 'title')).toHaveLength(2)
  })

  it('refuses it by name everywhere else', async () => {
    for (const name of ['articles', 'titles', 'gone'])
      expect((await served().refusal(`authors?filters[${name}][id]=1`)).message).toBe(`Invalid key ${name}`)
    expect((await served().refusal('articles?populate=odd')).message).toBe('Invalid key odd')
    for (const name of ['lost', 'odd', 'renamed', 'hidden', 'plain'])
      expect((await served().refusal(`articles?filters[${name}]=1`)).message).toBe(`Invalid key ${name}`)
  })

  it('finds nothing in a zone that no component is left of, whatever asks for it', async () => {
    const both = ['Dawn', 'Dusk']
    const titles = (query: string): Promise<unknown[]> => served().values(`articles?${query}`, 'title')
    expect(await titles('filters[bare][$count]=0&sort=title')).toEqual(both)
    expect(await titles('filters[bare][$count][$gt]=0')).toEqual([])
    expect(await titles('sort=bare.$count:desc,title')).toEqual(both)
    expect(await titles('sort=bare.$count,title:desc')).toEqual([...both].reverse())
  })

  it('warns once of each, and ready() is content', async () => {
    const warned: string[] = []
    const silent = (): void => undefined
    const warn = (facts: object): void => {
      const { uid, attribute } = facts as { uid: string; attribute: string }
      warned.push(`${uid.slice(uid.indexOf('.') + 1)}.${attribute}`)
    }
    const logger = { debug: silent, info: silent, warn, error: silent }
    const permissions = { public: { find: '*' } } as const
    const config = {
      extensions: [strapi5()],
      contentTypes: types,
      database: world.config,
      permissions,
      logger,
    }
    const router = world.closing(contentRouter(config))
    await expect(router.ready()).resolves.toBeUndefined()
    expect(warned.sort()).toEqual([...lost].sort())
  })
})

const faultsOf = (attributes: object, more: object = {}): readonly string[] => {
  const definitions = [
    collection('article', { title: text, ...attributes }),
    collection('author', { name: text }),
    component('part.note', { line: text }),
  ] as unknown as Definitions
  try {
    contentRouter({ contentTypes: definitions, database: unreached, ...more })
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ pointer }) => pointer ?? '')
    throw error
  }
  return []
}

describe('with the preset a definition is refused that Strapi does not start with', () => {
  it.each<[string, object, string]>([
    [
      'an owner whose target is not there',
      { lost: relation('manyToOne', 'api::x.x') },
      '/attributes/lost/target',
    ],
    [
      'an inversedBy that is not there',
      { author: relation('manyToOne', 'api::author.author', { inversedBy: 'x' }) },
      '/attributes/author/inversedBy',
    ],
    [
      'an inversedBy that is no relation',
      { author: relation('manyToOne', 'api::author.author', { inversedBy: 'name' }) },
      '/attributes/author/inversedBy',
    ],
    [
      'a oneToMany that owns',
      { authors: relation('oneToMany', 'api::author.author', { inversedBy: 'name' }) },
      '/attributes/authors/inversedBy',
    ],
    [
      'a manyToOne that does not own',
      { author: relation('manyToOne', 'api::author.author', { mappedBy: 'name' }) },
      '/attributes/author/mappedBy',
    ],
    [
      'a morphBy that is not there',
      { author: relation('morphOne', 'api::author.author', { morphBy: 'x' }) },
      '/attributes/author/morphBy',
    ],
    ['a component that is not there', { part: single('part.gone') }, '/attributes/part/component'],
    ['an enumeration without values', { kind: { type: 'enumeration' } }, '/attributes/kind'],
    ['a relation of no kind', { x: relation('manyToSome', 'api::author.author') }, '/attributes/x/relation'],
    ['an id', { documentId: text }, '/attributes/documentId'],
    ['two attributes of one column', { phone2: text, phone_2: text }, '/attributes/phone_2'],
  ])('names the place of %s', (_, attributes, pointer) => {
    expect(faultsOf(attributes, { extensions: [strapi5()] })).toEqual([pointer])
  })
})
