import { join, relative } from 'node:path'
import { ConfigError, type Logger } from '../../lib'
import { type Definition, readSchema } from '../../lib/schema'
import { component, faultsOf, folderOf, relation, type } from './definitions'

const planted = {
  'article.json': type('article', {
    author: relation('manyToOne', 'api::auther.auther'),
    tags: relation('manyToMany', 'tag', { inversedBy: 'artcles' }),
    reader: relation('manyToWon', 'tag'),
    seo: { type: 'component', component: 'shared.soe' },
    scan: { type: 'media' },
    Scán: { type: 'media' },
    phone2: { type: 'string' },
    phone_2: { type: 'string' },
    comments: relation('morphMany', 'comment', { morphBy: 'mention' }),
    kinds: { type: 'enumeration' },
  }),
  'tag.json': type('tag', { articles: relation('manyToMany', 'article') }),
  'comment.json': type('comment', { mentions: relation('morphToMany') }),
  'broken.json': '{ "kind": "collectionType", ',
  'kindless.json': type('kindless', {}, { kind: 'colectionType' }),
  'unnamed.json': {
    kind: 'singleType',
    collectionName: 'unnamed; drop table',
    info: { singularName: 'unnamed' },
    attributes: {},
  },
  'twin.json': type(
    'twin',
    {},
    { info: { singularName: 'twin', pluralName: 'tags' }, collectionName: 'comments' },
  ),
  'uppercase.json': type(
    'Tag',
    {},
    { info: { singularName: 'Tag', pluralName: 'taags' }, collectionName: 'taags' },
  ),
  'components/shared/seo.json': { collectionName: 'components_shared_seos', attributes: {} },
}

const expected: readonly (readonly [file: string, pointer: string | undefined, says: RegExp])[] = [
  ['article.json', '/attributes/author/target', /api::auther\.auther/],
  ['article.json', '/attributes/tags/inversedBy', /"artcles".*did you mean articles\?/],
  ['article.json', '/attributes/reader/relation', /"manyToWon".*did you mean manyToOne\?/],
  ['article.json', '/attributes/seo/component', /"shared\.soe".*did you mean shared\.seo\?/],
  ['article.json', '/attributes/Scán', /differs from scan only in case or accents/],
  ['article.json', '/attributes/phone_2', /phone2 already uses the column phone_2/],
  ['article.json', '/attributes/comments/morphBy', /"mention".*did you mean mentions\?/],
  ['article.json', '/attributes/kinds', /the key enum is missing/],
  ['broken.json', undefined, /JSON/],
  ['kindless.json', '/kind', /"colectionType".*did you mean collectionType\?/],
  ['unnamed.json', '/collectionName', /the name "unnamed; drop table" is invalid/],
  ['unnamed.json', '/info', /the key pluralName is missing/],
  ['twin.json', '/info/pluralName', /tags.*api::tag\.tag/],
  ['twin.json', '/collectionName', /comments.*api::comment\.comment/],
  ['uppercase.json', '/info/singularName', /the uid api::Tag\.Tag is already used by api::tag\.tag/],
]

const author = type('author', {})
const seo = component('shared.seo', {})

describe('a folder with faults that Strapi rejects as well', () => {
  const folder = folderOf(planted)
  const faults = faultsOf(folder)
  const said = faults.map(({ where, pointer, problem, remedy }) => ({
    place: [relative(folder, where), pointer],
    text: `${problem} (${String(remedy)})`,
  }))

  it.each(expected)('is rejected with the fault at %s#%s and its fix', (file, pointer, says) => {
    const here = said.filter(({ place }) => place[0] === file && place[1] === pointer)
    expect(here.map(({ text }) => text)).toEqual([expect.stringMatching(says)])
  })

  it('is rejected with no other fault', () => {
    expect(said.map(({ place }) => place)).toHaveLength(expected.length)
  })

  it('is rejected with one error that lists all faults', () => {
    expect(() => readSchema(folder)).toThrow(ConfigError)
    expect(() => readSchema(folder)).toThrow(new RegExp(`^${String(expected.length)} faults`))
  })
})

describe('an invalid definition', () => {
  it.each([
    [
      'a oneToMany that would own',
      { authors: relation('oneToMany', 'author', { inversedBy: 'x' }) },
      '/attributes/authors/inversedBy',
    ],
    [
      'a manyToOne that would not own',
      { author: relation('manyToOne', 'author', { mappedBy: 'x' }) },
      '/attributes/author/mappedBy',
    ],
    [
      'both sides at once',
      { author: relation('oneToOne', 'author', { mappedBy: 'x', inversedBy: 'x' }) },
      '/attributes/author/mappedBy',
    ],
    [
      'a component that is a type',
      { author: { type: 'component', component: 'api::author.author' } },
      '/attributes/author/component',
    ],
    ['a relation without a target', { author: relation('oneToOne') }, '/attributes/author'],
    ['a second morphToOne', { one: relation('morphToOne'), two: relation('morphToOne') }, '/attributes/two'],
    ['the column of the creator', { createdById: { type: 'integer' } }, '/attributes/createdById'],
    ['an attribute that is none', { title: 'string' }, '/attributes/title'],
  ])('is rejected with %s', (_, attributes, pointer) => {
    const faults = faultsOf([type('article', attributes as Record<string, object>), author, seo])
    expect(faults.map((fault) => fault.pointer)).toEqual([pointer])
  })

  it.each(['files', 'up_users', 'up_permissions', 'admin_users', 'strapi_sessions', 'ADMIN_USERS'])(
    'is rejected with %s as the table of a content type',
    (collectionName) => {
      const [fault] = faultsOf([type('thing', {}, { collectionName })])
      expect(fault).toMatchObject({ where: 'contentTypes[0]', pointer: '/collectionName' })
    },
  )

  it("may use a table with the prefix of Strapi's own tables", () => {
    const places = (collectionName: string): unknown[] =>
      faultsOf([type('thing', {}, { collectionName })]).map(({ pointer }) => pointer)
    expect(places('strapi_models')).toEqual([])
    for (const name of ['strapi_api_tokens', 'strapi_core_store_settings'])
      expect(places(name)).toEqual(['/collectionName'])
  })

  it('is rejected with a table name that is the join table of another type', () => {
    const taking = type('taking', {}, { collectionName: 'books_author_lnk' })
    const faults = faultsOf([type('book', { author: relation('manyToOne', 'author') }), author, taking])
    expect(faults.map(({ where }) => where)).toEqual(['contentTypes[2]'])
  })

  it('is rejected if it is no object', () => {
    const source = ['content-types', seo, null, {}] as never
    expect(faultsOf(source).map(({ where }) => where)).toEqual([
      'contentTypes[0]',
      'contentTypes[2]',
      'contentTypes[3]',
    ])
  })

  it('is rejected if its folder is missing or empty', () => {
    const empty = folderOf({ 'package.json': { name: 'shop' } })
    expect(faultsOf([`${empty}/nowhere`]).map(({ where }) => where)).toEqual([`${empty}/nowhere`])
    expect(faultsOf(empty)).toEqual([
      expect.objectContaining({ where: empty, problem: 'the folder contains no definitions' }),
    ])
  })

  it('has one fault for a missing folder, however many attributes need it', () => {
    const parts = Object.fromEntries(
      Array.from({ length: 50 }, (_, place) => [
        `part${String(place)}`,
        { type: 'component', component: 'a.b' },
      ]),
    )
    const folder = folderOf({ 'api/article.json': type('article', parts) })
    const faults = faultsOf([join(folder, 'api'), join(folder, 'components')])
    expect(faults).toEqual([
      expect.objectContaining({
        where: join(folder, 'components'),
        problem: 'the definitions folder does not exist',
      }),
    ])
  })

  it('has no second fault in the target type of an invalid attribute', () => {
    const faults = faultsOf([
      type('article', {
        author: { type: 'relation', relation: 'manyToWon', target: 'author', inversedBy: 'articles' },
      }),
      type('author', { articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
    ])
    expect(faults).toHaveLength(1)
  })

  it('has the faults of one file listed together', () => {
    const wrong = (name: string): object =>
      type(name, { none: { type: 'enumeration' }, lost: relation('oneToOne', 'nowhere') })
    const places = faultsOf(folderOf({ 'a.json': wrong('one'), 'b.json': wrong('two') })).map(({ where }) =>
      where.slice(-6),
    )
    expect(places).toEqual(['a.json', 'a.json', 'b.json', 'b.json'])
  })

  it.each([
    ['{ "kind": x }', 'line 1, column 11'],
    ['{\n  "kind": "collectionType",\n  attributes\n}', 'line 3, column 3'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
    ['{\n  "a": 1,\n}', 'line 3, column 1'],
    ['{\n  "a": [1,\n', 'line 3, column 1'],
    ['', 'line 1, column 1'],
  ])('has the line and column of a JSON error: %j', (text, place) => {
    const [fault, ...others] = faultsOf(folderOf({ 'article.json': text }))
    expect(others).toEqual([])
    expect(fault?.problem).toContain(`the JSON is invalid at ${place}: `)
    expect(fault?.problem).not.toContain('position')
  })

  it.each(['kind', 'info', 'attributes', 'collectionName'])(
    'has no second fault where a type without its %s is used',
    (missing) => {
      const article = type('article', { author: relation('manyToOne', 'author', { inversedBy: 'articles' }) })
      const lacking = Object.fromEntries(Object.entries(article).filter(([name]) => name !== missing))
      const files = {
        'article.json': lacking,
        'author.json': type('author', { articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
      }
      const faults = faultsOf(folderOf(files))
      expect(faults.map(({ where, problem }) => [where.slice(-12), problem])).toEqual([
        ['article.json', `the key ${missing} is missing`],
      ])
    },
  )

  it('has no second fault where the type of an invalid JSON file is used', () => {
    const named = {
      article: relation('manyToOne', 'article'),
      other: relation('manyToOne', 'api::article.article'),
      seo: { type: 'component', component: 'shared.seo' },
    }
    const files = {
      'article.json': '{',
      'author.json': type('author', named),
      'components/shared/seo.json': '[',
    }
    const faults = faultsOf(folderOf(files))
    expect(faults.map(({ where }) => where.slice(-12)).sort()).toEqual(
      ['article.json', 'red/seo.json'].sort(),
    )
    const lost = {
      ...files,
      'author.json': type('author', { ...named, lost: relation('manyToOne', 'nobody') }),
    }
    expect(faultsOf(folderOf(lost))).toHaveLength(3)
  })
})

const listing = (privateAttributes: unknown): ReturnType<typeof type> =>
  type('article', { title: { type: 'string' } }, { options: { privateAttributes } })

const isNone = 'privateAttributes contains a name that is not an attribute'

/** The warnings of private names that are no attributes. */
function warnedOf(
  definitions: readonly Definition[],
  how: NonNullable<Parameters<typeof readSchema>[2]> = {},
): readonly object[] {
  const warned: object[] = []
  const warn: Logger['warn'] = (facts, message) => {
    expect(message).toBe(isNone)
    warned.push(facts)
  }
  readSchema(definitions, { warn }, how)
  return warned
}

describe('privateAttributes of a type', () => {
  it('may name attributes, built-in ones included', () => {
    const builtIn = [
      'createdAt',
      'updatedAt',
      'publishedAt',
      'locale',
      'localizations',
      'createdBy',
      'updatedBy',
    ]
    expect(warnedOf([listing(['title', ...builtIn])])).toEqual([])
  })

  it('logs a warning for unknown names, and for those that are always shown', () => {
    expect(warnedOf([listing(['titel', 'id', 'documentId'])])).toEqual([
      {
        ...{ where: 'contentTypes[0]', pointer: '/options/privateAttributes/0' },
        ...{ problem: 'there is no attribute "titel"', remedy: 'did you mean title?' },
      },
      ...['id', 'documentId'].map((name, index) => ({
        ...{ where: 'contentTypes[0]', pointer: `/options/privateAttributes/${String(index + 1)}` },
        ...{
          problem: `"${name}" cannot be private`,
          remedy: 'remove the name from the list of private attributes',
        },
      })),
    ])
  })

  it('may name only its own attributes for a component', () => {
    const seo = component('shared.seo', { score: { type: 'string' } })
    const warned = warnedOf([{ ...seo, options: { privateAttributes: ['score', 'createdAt'] } }])
    expect(warned).toEqual([expect.objectContaining({ pointer: '/options/privateAttributes/1' })])
  })

  it.each([['title'], [[1]], [{ title: true }]])('is rejected if it is no list of names: %j', (list) => {
    expect(faultsOf([listing(list)])).toMatchObject([{ where: 'contentTypes[0]' }])
  })
})

describe('private attributes of all types', () => {
  it('may name an attribute of any type', () => {
    expect(warnedOf([listing([])], { privateAttributes: ['title', 'createdAt', 'folderPath'] })).toEqual([])
  })

  it('logs a warning for each name that no type has', () => {
    expect(warnedOf([listing([])], { privateAttributes: ['title', 'creatdAt', 'id'] })).toEqual([
      {
        where: 'privateAttributes[1]',
        problem: 'there is no attribute "creatdAt"',
        remedy: 'did you mean createdAt?',
      },
      expect.objectContaining({ where: 'privateAttributes[2]', problem: '"id" cannot be private' }),
    ])
  })
})

describe('faults of existing tables', () => {
  const film = (attributes: object, parts: object = {}): object => ({
    ...type('film', attributes as never, parts),
    table: {},
    ...parts,
  })
  const language = relation('manyToOne', 'language')

  it.each([
    [
      'a relation without a key',
      film({ language }),
      '/attributes/language',
      /requires joinColumn, joinTable or mappedBy/,
    ],
    [
      'media',
      film({ cover: { type: 'media' } }),
      '/attributes/cover/type',
      /"media" is not supported for an existing table/,
    ],
    ['drafts', film({}, { options: { draftAndPublish: true } }), '/options/draftAndPublish', /not supported/],
    ['an unknown key', film({}, { table: { ids: 'x' } }), '/table', /ids is not allowed/],
    [
      'an unknown type of key',
      film({}, { table: { id: { name: 'x', type: 'int' } } }),
      '/table/id/type',
      /"int" is unknown/,
    ],
    ['another value than an object', film({}, { table: true }), '/table', /true/],
    [
      'one column for two attributes',
      film({ a: { type: 'string', columnName: 'x' }, b: { type: 'string', columnName: 'x' } }),
      '/attributes/b',
      /a already uses the column x/,
    ],
    [
      'the column of the key',
      film({ a: { type: 'string', columnName: 'id' } }),
      '/attributes/a',
      /"table" already uses the column id/,
    ],
    [
      'a name with a dot',
      film({ a: { type: 'string', columnName: 'a.b' } }),
      '/attributes/a/columnName',
      /"a\.b"/,
    ],
    [
      'a foreign key for a list',
      film({ languages: relation('oneToMany', 'language', { joinColumn: { name: 'x' } }) }),
      '/attributes/languages/joinColumn',
      /cannot link to several entries/,
    ],
    [
      'a mappedBy that names no attribute',
      film({ languages: relation('oneToMany', 'language', { mappedBy: 'film' }) }),
      '/attributes/languages/mappedBy',
      /language has no attribute "film"/,
    ],
    [
      'a foreign key to another column than the key',
      film({ language: { ...language, joinColumn: { name: 'x', referencedColumn: 'code' } } }),
      '/attributes/language/joinColumn/referencedColumn',
      /must refer to id, the key of/,
    ],
  ])('%s', (_, definition, pointer, problem) => {
    const faults = faultsOf([definition, type('language', {})] as never)
    expect(faults).toEqual([
      expect.objectContaining({ pointer, problem: expect.stringMatching(problem) as unknown }),
    ])
  })

  it('a mappedBy of a Strapi type that no attribute of the existing table has', () => {
    const films = relation('oneToMany', 'film', { mappedBy: 'langauge' })
    const owner = film({ language: { ...language, joinColumn: { name: 'x' } } })
    expect(faultsOf([type('language', { films }), owner] as never)).toMatchObject([
      { pointer: '/attributes/films/mappedBy', remedy: 'did you mean language?' },
    ])
  })
})
