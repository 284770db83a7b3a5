import { search } from '../../../extensions/search'
import { contentRouter, type Grant, migrate } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { type Served, stocked } from '../../support/served'
import { textContent, textTypes } from './texts'

const permissions: Readonly<Record<string, Grant>> = {
  public: { find: ['article', 'author'] },
  titles: { find: { article: { fields: ['title'] } } },
  few: { find: { article: { where: { views: { $lte: 3 } } } } },
  low: { find: { article: { where: { views: { $lte: 2 } }, fields: ['title', 'body', 'views'] } } },
  high: { find: { article: { where: { views: { $gt: 2 } }, fields: ['title', 'views'] } } },
  nothing: { find: { article: { fields: ['views'] } } },
}

const queries = [
  ...['_q=rust', '_q=rust&sort=views:desc', '_q=rust&pagination[page]=2&pagination[pageSize]=2'],
  ...['_q=%22about%20rust%22', '_q=rust%20rain', '_q=title%20-rust', '_q=rust&highlight=title'],
  ...[
    '_q=secret',
    '_q=rust&pagination[pageSize]=2&pagination[after]=',
    '_q=rust&sort=_rank:desc&fields=title',
  ],
]

onSqlite((database) => {
  const { serve, world } = stocked(database, textTypes, textContent)
  const extensions = [search({ article: { title: 3, body: 1, note: 2 } })]

  beforeAll(async () => {
    await migrate({ contentTypes: textTypes, database: world.config, logger: false, extensions })
  })

  let common: Served | undefined
  const api = (): Served => (common ??= serve({ permissions, extensions }))
  const titles = (query: string, role?: string): Promise<unknown[]> =>
    api().values(`articles?${query}`, 'title', role)
  const answers = (role: string): Promise<readonly string[]> =>
    Promise.all(queries.map(async (query) => (await api().get(`articles?${query}`, role)).text))

  it('finds and ranks only by the attributes that the role sees', async () => {
    expect(await titles('_q=rust')).toEqual([
      ...['Rust never sleeps', 'Rust and oxygen', 'Rusty nails', 'Systems language'],
    ])
    expect(await titles('_q=rust', 'titles')).toEqual(['Rust and oxygen', 'Rust never sleeps', 'Rusty nails'])
    expect(await titles('_q=rust', 'few')).toEqual(['Rust and oxygen', 'Rusty nails', 'Systems language'])
    expect((await api().page('articles?_q=rust', 'few')).meta.pagination['total']).toBe(3)
    const nothing = await api().page('articles?_q=rust', 'nothing')
    expect([nothing.data, nothing.meta.pagination['total']]).toEqual([[], 0])
  })

  it('finds an attribute only in the entries that show it', async () => {
    const both = 'low,high'
    // The body of the entry with four views is hidden, so that its title alone counts.
    expect(await titles('_q=rust', both)).toEqual([
      ...['Rust and oxygen', 'Rust never sleeps', 'Rusty nails', 'Systems language'],
    ])
    expect(await titles('_q=song', both)).toEqual([])
    expect(await titles('_q=rust%20-song', both)).toEqual([
      ...['Rust and oxygen', 'Rust never sleeps', 'Systems language'],
    ])
    // The body of this entry has the word, and both roles show it.
    expect(await titles('_q=rust%20-fast', both)).toEqual(['Rust and oxygen', 'Rust never sleeps'])
  })

  it('highlights no attribute that is hidden, at all or in some entries', async () => {
    const ofHidden = await api().refusal('articles?_q=rust&highlight=body', 'titles')
    const ofUnknown = await api().refusal('articles?_q=rust&highlight=zody', 'titles')
    expect(ofHidden).toEqual({ message: 'Invalid key body', path: 'highlight.body' })
    expect(ofUnknown).toEqual({ message: 'Invalid key zody', path: 'highlight.zody' })
    expect(await api().refusal('articles?_q=rust&highlight=body', 'low,high')).toEqual({
      message: 'Invalid highlight: body is hidden in some entries',
      path: 'highlight.body',
    })
    expect((await api().refusal('articles?_q=rust&highlight=hidden')).message).toBe('Invalid key hidden')
  })

  it.each([
    ['_q=rust&highlight=locale', 'Invalid highlight parameter: locale is not a searched attribute'],
    [
      '_q=rust&highlight=author.name',
      'Invalid highlight parameter. Expected names of attributes of the entry',
    ],
    ['_q=rust&highlight=author', 'Invalid highlight parameter: author is not a searched attribute'],
    ['highlight=title', 'The parameter highlight needs a search with _q'],
    ['ranks=true', 'The parameter ranks needs a search with _q'],
    ['_q=rust&ranks=yes', 'Invalid ranks parameter. Expected true or false'],
    ['sort=_rank', 'Invalid key _rank'],
    [`_q=%22${'w+'.repeat(21)}%22`, 'Invalid _q parameter: a phrase can contain at most 20 words'],
    [`_q=${'w+'.repeat(9)}`, 'Invalid _q parameter: a search can contain at most 8 words and phrases'],
  ])('rejects %s', async (query, message) => {
    expect((await api().refusal(`articles?${query}`)).message).toBe(message)
  })

  it('leaves types without a search as they are', async () => {
    expect(await api().values('authors?_q=d', 'name')).toEqual(['Ada'])
    expect((await api().refusal('authors?_q=d&sort=_rank')).message).toBe('Invalid key _rank')
    expect((await api().page('authors?_q=d')).meta).not.toHaveProperty('search')
  })

  it('answers the same after changes of what the role does not see', async () => {
    const roles = ['public', 'titles', 'few', 'low,high', 'nothing']
    const before = await Promise.all(roles.map(answers))
    const { knex } = world
    const row = { title: 'Rust rust rain', body: 'secret rust', note: 'rust', locale: 'en' }
    await knex('articles').insert({ ...row, document_id: 'draft', published_at: null, views: 1 })
    await knex('articles').update({ hidden: 'secret rust rain' })
    expect(await Promise.all(roles.map(answers))).toEqual(before)
    await knex('articles').where('views', '>', 3).update({ body: 'secret rust rain' })
    const blind = ['titles', 'few', 'low,high', 'nothing']
    expect(await Promise.all(blind.map(answers))).toEqual(before.slice(1))
    expect(await answers('public')).not.toEqual(before[0])
  })

  it.each([
    [{ artcle: { title: 1 } }, 'search.artcle: there is no type artcle'],
    [
      { article: { titel: 1 } },
      'search.article.titel: api::article.article has no public text attribute titel',
    ],
    [
      { article: { hidden: 1 } },
      'search.article.hidden: api::article.article has no public text attribute hidden',
    ],
    [
      { article: { views: 1 } },
      'search.article.views: api::article.article has no public text attribute views',
    ],
    [
      { article: { title: 0.5 } },
      'search.article.title: the weight of an attribute must be an integer from 1 to 1000',
    ],
    [{ article: {} }, 'search.article: the weights of a type must be an object with 1 to 8 attributes'],
    [{}, 'search: search() must list at least one type'],
  ])('throws for a wrong option: %j', (types, problem) => {
    expect(() => serve({ permissions, extensions: [search(types as never)] })).toThrow(problem)
  })

  it('throws for an unknown option', () => {
    const extension = search({ article: { title: 1 } }, { language: { en: 'english' } } as object)
    expect(() => serve({ permissions, extensions: [extension] })).toThrow(
      'search.language: the option language does not exist (did you mean languages',
    )
  })

  it('throws for a table of SQLite whose key is no integer', () => {
    const types = [
      {
        ...{
          kind: 'collectionType',
          collectionName: 'codes',
          table: { id: { name: 'code', type: 'string' } },
        },
        info: { singularName: 'code', pluralName: 'codes', displayName: 'Code' },
        attributes: { text: { type: 'string' } },
      },
    ] as never
    const config = { contentTypes: types, database: world.config, permissions: {}, logger: false } as const
    expect(() => contentRouter({ ...config, extensions: [search({ code: { text: 1 } })] })).toThrow(
      'search.code.text: search() on SQLite requires integer keys, but the key of api::code.code is not an integer',
    )
  })
})
