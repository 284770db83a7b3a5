import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { modelNamed, nearest, readSchema, type Model, type Schema, type Uid } from '../../lib/schema'
import { component, faultsOf, folderOf, relation, type } from './definitions'

const magazine = join(__dirname, '..', 'corpus', 'recordings', 'magazine', 'content-types')

function model(schema: Schema, name: string): Model {
  const found = modelNamed(schema, name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

const typesOf = ({ models }: Schema): readonly string[] =>
  [...models.keys()].filter((uid) => !uid.startsWith('plugin::')).sort()

describe('the definitions of a Strapi project', () => {
  const schema = readSchema(magazine)

  test('are read with their components, by their places', () => {
    expect(typesOf(schema)).toEqual([
      ...['article', 'author', 'category', 'comment', 'country', 'global', 'homepage', 'page', 'tag'].map(
        (name) => `api::${name}.${name}`,
      ),
      'layout.cta',
      ...['link', 'meta-social', 'quote', 'related', 'rich-text', 'seo', 'slider'].map(
        (name) => `shared.${name}`,
      ),
    ])
  })

  test('come with the media type and the user and role of users-permissions', () => {
    const media = model(schema, 'plugin::upload.file')
    expect(media).toMatchObject({ table: 'files', route: null, open: true })
    expect([...media.columns.keys()]).toEqual([
      'id',
      'documentId',
      'name',
      'alternativeText',
      'caption',
      'focalPoint',
      'width',
      'height',
      'formats',
      'hash',
      'ext',
      'mime',
      'size',
      'url',
      'previewUrl',
      'provider',
      'provider_metadata',
      'createdAt',
      'updatedAt',
      'publishedAt',
    ])
    const user = model(schema, 'plugin::users-permissions.user')
    expect(user).toMatchObject({ table: 'up_users', route: null, open: false })
    expect([...user.columns.keys()].slice(2, -3)).toEqual([
      'username',
      'email',
      'provider',
      'confirmed',
      'blocked',
    ])
    expect(model(schema, 'plugin::users-permissions.role').table).toBe('up_roles')
  })

  test('say what is served where, localized, published and single', () => {
    expect(model(schema, 'article')).toMatchObject({
      route: 'articles',
      localized: true,
      draftAndPublish: true,
    })
    expect(model(schema, 'tag')).toMatchObject({ route: 'tags', localized: false, draftAndPublish: false })
    expect(model(schema, 'homepage')).toMatchObject({ route: 'homepage', kind: 'singleType' })
    expect(model(schema, 'shared.seo')).toMatchObject({ route: null, kind: 'component', localized: false })
  })

  test('keep what is private and passwords out of what a client may name, and in the table', () => {
    const { columns, physical } = model(schema, 'article')
    const stored = physical.columns.map(({ column }) => column)
    expect(columns.has('secret')).toBe(false)
    expect(columns.has('internalNote')).toBe(false)
    expect(stored).toEqual(expect.arrayContaining(['secret', 'internal_note', 'created_by_id']))
    expect(model(schema, 'shared.seo').columns.has('trackingCode')).toBe(false)
  })
})

test('a component has a document id and no timestamps', () => {
  const seo = model(readSchema([component('shared.seo', { metaTitle: { type: 'string' } })]), 'shared.seo')
  expect([...seo.columns.keys()]).toEqual(['id', 'documentId', 'metaTitle'])
  expect(seo.physical.columns.map(({ column }) => column)).toEqual(['id', 'document_id', 'meta_title'])
})

test('a type that is not localized has no locale to name, yet a column for it', () => {
  const { columns, physical } = model(readSchema([type('tag', { name: { type: 'string' } })]), 'tag')
  expect([...columns.keys()]).toEqual(['id', 'documentId', 'name', 'createdAt', 'updatedAt', 'publishedAt'])
  expect(physical.columns.map(({ column }) => column)).toEqual([
    'id',
    'document_id',
    'name',
    'created_at',
    'updated_at',
    'published_at',
    'created_by_id',
    'updated_by_id',
    'locale',
  ])
})

test('every attribute type is read as one kind of value and stored as another', () => {
  const kinds = {
    string: ['string', 'string', true],
    text: ['string', 'text', true],
    richtext: ['string', 'text', true],
    enumeration: ['string', 'string', true],
    email: ['string', 'string', true],
    uid: ['string', 'string', true],
    date: ['date', 'date', false],
    time: ['time', 'time', false],
    datetime: ['datetime', 'datetime', false],
    timestamp: ['timestamp', 'timestamp', false],
    integer: ['integer', 'integer', false],
    biginteger: ['biginteger', 'biginteger', false],
    float: ['float', 'float', false],
    decimal: ['decimal', 'decimal', false],
    boolean: ['boolean', 'boolean', false],
    json: ['json', 'json', false],
    blocks: ['json', 'json', false],
    array: ['json', 'json', false],
  }
  const names = Object.keys(kinds)
  const attributes = Object.fromEntries(names.map((kind) => [`a_${kind}`, { type: kind, enum: ['one'] }]))
  const { columns, physical } = model(readSchema([type('thing', attributes)]), 'thing')
  const read = names.map((kind) => {
    const column = columns.get(`a_${kind}`)
    const stored = physical.columns.find(({ attribute }) => attribute === `a_${kind}`)
    return [kind, [column?.type, stored?.type, column?.searchable]]
  })
  expect(Object.fromEntries(read)).toEqual(kinds)
})

test('a password is readable only where its definition says that it is not private', () => {
  const attributes = { closed: { type: 'password' }, open: { type: 'password', private: false } }
  const { columns } = model(readSchema([type('door', attributes)]), 'door')
  expect(columns.has('closed')).toBe(false)
  expect(columns.get('open')).toMatchObject({ type: 'string', searchable: false })
})

describe('files', () => {
  const article = type('article', { seo: { type: 'component', component: 'shared.seo' } })
  const seo = { collectionName: 'components_shared_seos', attributes: {} }

  test('may lie flat, beside others that are no definitions', () => {
    const folder = folderOf({
      'article.json': article,
      'components/shared/seo.json': seo,
      'package.json': { name: 'shop' },
      'list.json': [],
      'read me.txt': 'not JSON',
      'node_modules/other/tag.json': type('tag', {}),
    })
    expect(typesOf(readSchema(folder))).toEqual(['api::article.article', 'shared.seo'])
  })

  test('count once where folders overlap or are linked', () => {
    const folder = folderOf({ 'types/article.json': article, 'components/shared/seo.json': seo })
    symlinkSync(join(folder, 'types'), join(folder, 'again'))
    mkdirSync(join(folder, 'deep'))
    symlinkSync(folder, join(folder, 'deep', 'round'))
    const schema = readSchema([folder, join(folder, 'types'), join(folder, 'components')])
    expect(typesOf(schema)).toEqual(['api::article.article', 'shared.seo'])
  })

  test('below a folder of components are components', () => {
    const folder = folderOf({ 'types/article.json': article, 'components/shared/seo.json': seo })
    const schema = readSchema([join(folder, 'types'), join(folder, 'components', 'shared')])
    expect(typesOf(schema)).toEqual(['api::article.article', 'shared.seo'])
  })

  test('of a Strapi project belong to the API whose folder they are in', () => {
    const folder = folderOf({ 'src/api/blog/content-types/post/schema.json': type('post', {}) })
    const schema = readSchema(join(folder, 'src'))
    expect(typesOf(schema)).toEqual(['api::blog.post'])
    expect(modelNamed(schema, 'post')?.uid).toBe('api::blog.post')
  })

  test('of a plugin of the project are not served', () => {
    const folder = folderOf({
      'src/api/tag/content-types/tag/schema.json': type('tag', {}),
      'src/plugins/shop/server/src/content-types/order/schema.json': type('order', {}),
    })
    const warnings: object[] = []
    const schema = readSchema(join(folder, 'src'), { warn: (facts) => warnings.push(facts) })
    expect(typesOf(schema)).toEqual(['api::tag.tag'])
    expect(warnings).toEqual([{ uid: 'plugin::shop.order' }])
  })

  test('extend the built-in types from where Strapi keeps extensions', () => {
    const user = {
      ...type('user', { username: { type: 'string' }, nickname: { type: 'string' } }),
      collectionName: 'up_users',
    }
    const folder = folderOf({ 'src/extensions/users-permissions/content-types/user/schema.json': user })
    const found = model(readSchema(folder), 'plugin::users-permissions.user')
    expect([...found.columns.keys()].slice(2, -3)).toEqual(['username', 'nickname'])
    expect(found.route).toBeNull()
  })

  test('that extend a type need not say of what kind it is, nor anything else that stays', () => {
    const folder = folderOf({
      'src/extensions/upload/content-types/file/schema.json': { attributes: { name: { type: 'string' } } },
      'src/extensions/users-permissions/content-types/user/schema.json': {
        info: { singularName: 'user', pluralName: 'users' },
        attributes: { username: { type: 'string' }, nick: { type: 'string' } },
      },
    })
    const schema = readSchema(folder)
    const namesOf = (uid: string): string[] => [...model(schema, uid).columns.keys()].slice(2, -3)
    expect(namesOf('plugin::users-permissions.user')).toEqual(['username', 'nick'])
    expect(namesOf('plugin::upload.file')).toEqual(['name'])
    expect(model(schema, 'plugin::users-permissions.user').table).toBe('up_users')
  })

  test('of an API are collections, in a table named after them, where they do not say otherwise', () => {
    const info = { singularName: 'tag', pluralName: 'tags' }
    const place = 'src/api/tag/content-types/tag/schema.json'
    const found = model(readSchema(folderOf({ [place]: { info, attributes: {} } })), 'tag')
    expect([found.kind, found.table, found.route]).toEqual(['collectionType', 'tag', 'tags'])
  })

  test('in the folders of a Strapi project are read only where types and components lie', () => {
    const commented = '// made by the generator\n{ "compilerOptions": {} }'
    const folder = folderOf({
      'src/api/tag/content-types/tag/schema.json': type('tag', {}),
      'src/api/tag/documentation/1.0.0/tag.json': commented,
      'src/admin/tsconfig.json': commented,
      'src/plugins/shop/tsconfig.json': commented,
      'src/plugins/shop/server/content-types/order/schema.json': type('order', {}),
      'src/extensions/shop/content-types/order/schema.json': type('order', {}),
      'src/extensions/documentation/config/settings.json': commented,
      'src/components/shared/seo.json': seo,
    })
    const warnings: object[] = []
    const schema = readSchema(join(folder, 'src'), { warn: (facts) => warnings.push(facts) })
    expect(typesOf(schema)).toEqual(['api::tag.tag', 'shared.seo'])
    expect(warnings).toEqual([{ uid: 'plugin::shop.order' }])
  })

  test('that define one type twice are at fault', () => {
    const folder = folderOf({ 'a.json': type('tag', {}), 'b.json': type('tag', {}) })
    const [fault, ...others] = faultsOf(folder)
    expect(fault).toMatchObject({ where: join(folder, 'b.json'), problem: 'defines api::tag.tag once more' })
    expect(others).toEqual([])
  })
})

test('types are named by uid or, where it is clear, by their short name', () => {
  const posts = [
    type('post', {}, { uid: 'api::blog.post' }),
    type(
      'post',
      {},
      { uid: 'api::news.post', collectionName: 'news', info: { singularName: 'post', pluralName: 'news' } },
    ),
    type('tag', {}),
  ]
  const schema = readSchema(posts)
  expect(modelNamed(schema, 'tag')?.uid).toBe('api::tag.tag')
  expect(modelNamed(schema, 'api::news.post')?.table).toBe('news')
  expect(modelNamed(schema, 'post')).toBeUndefined()
  expect(modelNamed(schema, 'user')).toBeUndefined()
  expect(modelNamed(schema, 'constructor')).toBeUndefined()
})

test('what leads to a type of a plugin is left out with a warning', () => {
  const warnings: (readonly [object, string])[] = []
  const logger = { warn: (facts: object, message: string): unknown => warnings.push([facts, message]) }
  readSchema(
    [
      type('tag', {
        editor: relation('oneToOne', 'admin::user'),
        menu: relation('oneToOne', 'plugin::menus.menu'),
      }),
    ],
    logger,
  )
  expect(warnings.map(([facts]) => facts)).toEqual([
    { uid: 'api::tag.tag', attribute: 'editor', target: 'admin::user' },
    { uid: 'api::tag.tag', attribute: 'menu', target: 'plugin::menus.menu' },
  ])
})

test('nothing of a schema can be changed', () => {
  const schema = readSchema([type('tag', { name: { type: 'string' } })])
  const tag = model(schema, 'tag')
  expect(Object.isFrozen(tag)).toBe(true)
  expect(Object.isFrozen(tag.columns.get('name'))).toBe(true)
  expect(Object.isFrozen(tag.physical.columns)).toBe(true)
  expect(() => (tag.columns as Map<string, unknown>).set('title', {})).toThrow(TypeError)
  expect(() => {
    ;(schema.models as Map<Uid, Model>).clear()
  }).toThrow(TypeError)
})

test.each([
  ['strng', 'string'],
  ['artcile', 'article'],
  ['Author', 'author'],
  ['xyz', undefined],
  ['', undefined],
])('for %j the nearest word is %j', (word, meant) => {
  expect(nearest(word, ['article', 'author', 'string', 'integer'])).toBe(meant)
})
