import { search } from '../../../extensions/search'
import { type ContentRouterConfig, type Grant, migrate } from '../../../lib'
import { eachDatabase, onSqlite } from '../../support/databases'
import { collection, component, relation, repeated, single, text } from '../../support/library'
import { type Served, stocked } from '../../support/served'

// Words in linked entries and components. Each database has another index and another statement for them.

const types = [
  collection(
    'article',
    {
      title: text,
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
      tags: relation('manyToMany', 'tag'),
      seo: single('shared.seo'),
      notes: repeated('shared.note'),
      blocks: { type: 'dynamiczone', components: ['shared.seo', 'shared.note'] },
    },
    { drafts: true },
  ),
  collection('author', {
    name: text,
    email: text,
    secret: { ...text, private: true },
    age: { type: 'integer' },
    articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
    city: relation('manyToOne', 'city'),
  }),
  collection('city', { name: text }),
  collection('tag', { name: text, rank: { type: 'integer' } }),
  component('shared.seo', { title: text }),
  component('shared.note', { text }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  city: [{ $ref: 'london', name: 'London' }],
  author: [
    { $ref: 'ada', name: 'Ada Lovelace', email: 'ada@rust.example', age: 36, city: 'london' },
    { $ref: 'bo', name: 'Bo Stone', email: 'bo@example.org', age: 50 },
  ],
  tag: [
    { $ref: 'iron', name: 'Iron', rank: 1 },
    { $ref: 'stone', name: 'Stone', rank: 2 },
  ],
  article: [
    { title: 'Engines', author: 'ada', tags: ['iron'], seo: { title: 'Analytical machines' } },
    { title: 'Stone bridges', author: 'bo', tags: ['stone', 'iron'] },
    { title: 'Ada', tags: ['stone'], notes: [{ text: 'A language' }, { text: 'An engine' }] },
    { title: 'Letters', author: 'ada', $status: 'draft' },
  ],
} as const

const searched = {
  title: 4,
  'author.name': 2,
  'author.city.name': 1,
  'tags.name': 1,
  'seo.title': 1,
  'notes.text': 1,
}
const extensions = [search({ article: searched })]

eachDatabase((database) => {
  const { serve, world } = stocked(database, types, content)
  let common: Served | undefined
  const titles = (words: string, status = 'published'): Promise<unknown[]> => {
    common ??= serve({ permissions: { public: { find: '*', drafts: '*' } }, extensions })
    return common.values(`articles?_q=${encodeURIComponent(words)}&status=${status}`, 'title')
  }

  beforeAll(async () => {
    await migrate({ contentTypes: types, database: world.config, logger: false, extensions })
  }, 60_000)

  it.each([
    ['the name of a linked entry, below an own title', 'ada', ['Ada', 'Engines']],
    ['words in two places', 'engines lovelace', ['Engines']],
    ['the beginning of a word', 'lovel', ['Engines']],
    ['a phrase in one text', '"ada lovelace"', ['Engines']],
    ['no phrase across two texts', '"engines ada"', []],
    ['one of several linked entries', 'iron', ['Engines', 'Stone bridges']],
    ['the points of all places of a word', 'stone', ['Stone bridges', 'Ada']],
    ['an entry behind two links', 'london', ['Engines']],
    ['a component', 'analytical', ['Engines']],
    ['one of several components', 'engine', ['Engines', 'Ada']],
    ['no entry with an excluded word behind a link', 'engine -lovelace', ['Ada']],
    ['no entry with an excluded word behind one of several links', 'stone -iron', ['Ada']],
    ['entries without any link beside an excluded word', '-lovelace', ['Stone bridges', 'Ada']],
  ])('finds %s: %s', async (_name, words, found) => {
    expect(await titles(words)).toEqual(found)
  })

  it('finds a draft by its links', async () => {
    expect(await titles('lovelace', 'draft')).toEqual(['Engines', 'Letters'])
  })

  it('counts and pages what it finds through links', async () => {
    await titles('ada')
    const page = await common?.page('articles?_q=ada&pagination[pageSize]=1&pagination[page]=2&ranks=true')
    const id = Number(page?.data[0]?.['id'])
    expect(page).toMatchObject({
      data: [{ title: 'Engines' }],
      meta: { pagination: { total: 2 }, search: { ranks: { [id]: 4 } } },
    })
  })
})

onSqlite((database) => {
  const { serve, world } = stocked(database, types, content)
  const ofAuthors = [search({ article: { title: 4, 'author.name': 2, 'author.email': 1, 'tags.name': 1 } })]
  const article = true
  const permissions: Readonly<Record<string, Grant>> = {
    public: { find: '*' },
    noAuthors: { find: ['article', 'tag'] },
    names: { find: { article, author: { fields: ['name'] }, tag: true } },
    young: { find: { article, author: { where: { age: { $lt: 40 } } }, tag: { where: { rank: 1 } } } },
    adas: { find: { article: { where: { title: 'Ada' }, fields: ['title', 'tags'] }, tag: true } },
    titles: { find: { article: { fields: ['title'] } } },
    alone: { find: { article: { fields: ['title', 'tags'] }, author: true, tag: true } },
    oldEmails: {
      find: { article, author: { where: { age: { $gte: 40 } }, fields: ['name', 'email'] }, tag: true },
    },
  }
  let common: Served | undefined
  const api = (): Served => (common ??= serve({ permissions, extensions: ofAuthors }))
  const titles = (query: string, role: string): Promise<unknown[]> =>
    api().values(`articles?_q=${query}`, 'title', role)

  beforeAll(async () => {
    await migrate({ contentTypes: types, database: world.config, logger: false, extensions: ofAuthors })
  })

  it.each([
    ['public', ['Ada', 'Engines'], ['Stone bridges', 'Ada'], ['Engines']],
    ['noAuthors', ['Ada'], ['Stone bridges', 'Ada'], []],
    ['names', ['Ada', 'Engines'], ['Stone bridges', 'Ada'], []],
    ['young', ['Ada', 'Engines'], ['Stone bridges'], ['Engines']],
    ['alone', ['Ada'], ['Stone bridges', 'Ada'], []],
    // The first role shows the tags of one article.
    ['adas,titles', ['Ada'], ['Stone bridges', 'Ada'], []],
    // The first role shows all names, and the second one the addresses of old authors alone.
    ['names,oldEmails', ['Ada', 'Engines'], ['Stone bridges', 'Ada'], []],
  ])('finds for the role %s only by what it may read', async (role, ada, stone, rust) => {
    const found = [await titles('ada', role), await titles('stone', role), await titles('rust', role)]
    expect(found).toEqual([ada, stone, rust])
  })

  it('excludes no entry because of a word that the role may not read', async () => {
    const excluding = (role: string): Promise<unknown[]> => titles('-lovelace%20-rust', role)
    expect(await excluding('public')).toEqual(['Stone bridges', 'Ada'])
    for (const role of ['noAuthors', 'alone']) {
      expect(await excluding(role)).toEqual(['Engines', 'Stone bridges', 'Ada'])
    }
    expect(await titles('-stone', 'young')).toEqual(['Engines', 'Ada'])
    expect(await titles('-stone', 'adas,titles')).toEqual(['Engines'])
    expect(await titles('-iron', 'adas,titles')).toEqual(['Engines', 'Stone bridges', 'Ada'])
    expect(await titles('iron', 'adas,titles')).toEqual([])
  })

  it('answers the same after changes of linked entries that the role does not see', async () => {
    const queries = ['ada', 'stone', 'rust', 'ston&ranks=true', '-stone', 'hidden&sort=_rank:desc']
    const roles = ['noAuthors', 'alone']
    const answers = (): Promise<readonly string[]> =>
      Promise.all(
        roles.flatMap((role) =>
          queries.map(async (query) => (await api().get(`articles?_q=${query}`, role)).text),
        ),
      )
    const before = await answers()
    await world.knex('authors').update({ name: 'Hidden stone ada rust' })
    expect(await answers()).toEqual(before)
    expect(await titles('hidden', 'public')).toEqual(['Engines', 'Stone bridges'])
  })

  it('highlights only attributes of the entry', async () => {
    expect((await api().refusal('articles?_q=ada&highlight=author.name')).message).toBe(
      'Invalid highlight parameter. Expected names of attributes of the entry',
    )
  })

  it.each([
    ['author.nam', 'author.nam'],
    ['author.secret', 'author.secret'],
    ['author.age', 'author.age'],
    ['writer.name', 'writer.name'],
    ['blocks.title', 'blocks.title'],
    ['title.name', 'title.name'],
    ['author', 'author'],
  ])('throws for the path %s', (path, named) => {
    expect(() => serve({ permissions, extensions: [search({ article: { [path]: 1 } })] })).toThrow(
      `search.article.${named}: api::article.article has no public text attribute ${named}`,
    )
  })

  it('suggests the path of a misspelt attribute', () => {
    const misspelt = [search({ article: { 'author.nam': 1 } })]
    expect(() => serve({ permissions, extensions: misspelt })).toThrow('did you mean author.name?')
  })

  it('is ready only with the indexes of linked types', async () => {
    const byCity = [search({ article: { 'author.city.name': 1 } })]
    const { statements } = await migrate(
      { contentTypes: types, database: world.config, logger: false, extensions: byCity },
      { dryRun: true },
    )
    expect(statements.join('\n')).toContain('cr_cities_words')
  })
})
