import { mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Link, type Model, modelNamed, nearest, readSchema, type Schema } from '../../lib/schema'
import { columnName, componentTableName, folderName, linkTableName, snakeCase } from '../../lib/schema/names'
import { firstSeed, runs } from '../support/property-runs'
import { component, faultsOf, folderOf, linkOf, relation, type } from './definitions'

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

  it('are read with their components', () => {
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

  it('include the types of files, users and roles', () => {
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

  it('declare routes, locales, drafts and single types', () => {
    expect(model(schema, 'article')).toMatchObject({
      route: 'articles',
      localized: true,
      draftAndPublish: true,
    })
    expect(model(schema, 'tag')).toMatchObject({ route: 'tags', localized: false, draftAndPublish: false })
    expect(model(schema, 'homepage')).toMatchObject({ route: 'homepage', kind: 'singleType' })
    expect(model(schema, 'shared.seo')).toMatchObject({ route: null, kind: 'component', localized: false })
  })

  it('hide private attributes and passwords from clients, but keep their columns', () => {
    const { columns, physical } = model(schema, 'article')
    const stored = physical.columns.map(({ column }) => column)
    expect(columns.has('secret')).toBe(false)
    expect(columns.has('internalNote')).toBe(false)
    expect(stored).toEqual(expect.arrayContaining(['secret', 'internal_note', 'created_by_id']))
    expect(model(schema, 'shared.seo').columns.has('trackingCode')).toBe(false)
  })
})

describe('definitions', () => {
  it('give a component a documentId and no timestamps', () => {
    const seo = model(readSchema([component('shared.seo', { metaTitle: { type: 'string' } })]), 'shared.seo')
    expect([...seo.columns.keys()]).toEqual(['id', 'documentId', 'metaTitle'])
    expect(seo.physical.columns.map(({ column }) => column)).toEqual(['id', 'document_id', 'meta_title'])
  })

  it('give a type that is not localized a locale column, but no locale attribute', () => {
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

  it('map every attribute type to a value type and a column type', () => {
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

  it('expose no password, whatever they declare', () => {
    const attributes = { closed: { type: 'password' }, open: { type: 'password', private: false } }
    const { columns } = model(readSchema([type('door', attributes)]), 'door')
    expect([columns.has('closed'), columns.has('open')]).toEqual([false, false])
  })

  it('are found by uid or, if it is unambiguous, by singular name', () => {
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

  it('leave out relations to plugin types with a warning', () => {
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

  it.each([
    ['strng', 'string'],
    ['artcile', 'article'],
    ['Author', 'author'],
    ['xyz', undefined],
    ['', undefined],
  ])('suggest for %j the nearest word %j', (word, meant) => {
    expect(nearest(word, ['article', 'author', 'string', 'integer'])).toBe(meant)
  })
})

describe('the files of definitions', () => {
  const article = type('article', { seo: { type: 'component', component: 'shared.seo' } })
  const seo = { collectionName: 'components_shared_seos', attributes: {} }

  it('may lie flat, beside other files', () => {
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

  it('are read once if folders overlap or are linked', () => {
    const folder = folderOf({ 'types/article.json': article, 'components/shared/seo.json': seo })
    symlinkSync(join(folder, 'types'), join(folder, 'again'))
    mkdirSync(join(folder, 'deep'))
    symlinkSync(folder, join(folder, 'deep', 'round'))
    const schema = readSchema([folder, join(folder, 'types'), join(folder, 'components')])
    expect(typesOf(schema)).toEqual(['api::article.article', 'shared.seo'])
  })

  it('below a folder of components are components', () => {
    const folder = folderOf({ 'types/article.json': article, 'components/shared/seo.json': seo })
    const schema = readSchema([join(folder, 'types'), join(folder, 'components', 'shared')])
    expect(typesOf(schema)).toEqual(['api::article.article', 'shared.seo'])
  })

  it('of a Strapi project belong to the API of their folder', () => {
    const folder = folderOf({ 'src/api/blog/content-types/post/schema.json': type('post', {}) })
    const schema = readSchema(join(folder, 'src'))
    expect(typesOf(schema)).toEqual(['api::blog.post'])
    expect(modelNamed(schema, 'post')?.uid).toBe('api::blog.post')
  })

  it('of a plugin are not served', () => {
    const folder = folderOf({
      'src/api/tag/content-types/tag/schema.json': type('tag', {}),
      'src/plugins/shop/server/src/content-types/order/schema.json': type('order', {}),
    })
    const warnings: object[] = []
    const schema = readSchema(join(folder, 'src'), { warn: (facts) => warnings.push(facts) })
    expect(typesOf(schema)).toEqual(['api::tag.tag'])
    expect(warnings).toEqual([{ uid: 'plugin::shop.order' }])
  })

  it('in the extensions folder extend the built-in types', () => {
    const user = {
      ...type('user', { username: { type: 'string' }, nickname: { type: 'string' } }),
      collectionName: 'up_users',
    }
    const folder = folderOf({ 'src/extensions/users-permissions/content-types/user/schema.json': user })
    const found = model(readSchema(folder), 'plugin::users-permissions.user')
    expect([...found.columns.keys()].slice(2, -3)).toEqual(['username', 'nickname'])
    expect(found.route).toBeNull()
  })

  it('in the extensions folder may leave out what stays the same', () => {
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

  it('of an API default to collection types with a table of their name', () => {
    const info = { singularName: 'tag', pluralName: 'tags' }
    const place = 'src/api/tag/content-types/tag/schema.json'
    const found = model(readSchema(folderOf({ [place]: { info, attributes: {} } })), 'tag')
    expect([found.kind, found.table, found.route]).toEqual(['collectionType', 'tag', 'tags'])
  })

  it('of a Strapi project are read from folders of types and components only', () => {
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

  it('are rejected if two define the same type', () => {
    const folder = folderOf({ 'a.json': type('tag', {}), 'b.json': type('tag', {}) })
    const [fault, ...others] = faultsOf(folder)
    expect(fault).toMatchObject({
      where: join(folder, 'b.json'),
      problem: 'two definitions have the uid api::tag.tag',
    })
    expect(others).toEqual([])
  })
})

describe('the tables of a relation', () => {
  const schema = readSchema([
    type(
      'article',
      {
        author: relation('manyToOne', 'api::author.author', { inversedBy: 'articles' }),
        reviewer: relation('oneToOne', 'author'),
        coAuthors: relation('oneToMany', 'author'),
        tags: relation('manyToMany', 'tag', { inversedBy: 'articles' }),
        related: relation('manyToMany', 'article', { inversedBy: 'relatedBy' }),
        relatedBy: relation('manyToMany', 'article', { mappedBy: 'related' }),
        sequel: relation('oneToOne', 'article', { inversedBy: 'prequel' }),
        prequel: relation('oneToOne', 'article', { mappedBy: 'sequel' }),
        owner: relation('manyToOne', 'author', { useJoinTable: false, inversedBy: 'owned' }),
        cover: { type: 'media' },
        gallery: { type: 'media', multiple: true },
        seo: { type: 'component', component: 'shared.seo' },
        quotes: { type: 'component', component: 'shared.quote', repeatable: true },
        sections: { type: 'dynamiczone', components: ['shared.quote', 'shared.seo'] },
        comments: relation('morphMany', 'comment', { morphBy: 'mentions' }),
      },
      { pluginOptions: { i18n: { localized: true } } },
    ),
    type('author', {
      articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
      owned: relation('oneToMany', 'article', { mappedBy: 'owner' }),
      pinned: relation('morphOne', 'comment', { morphBy: 'subject' }),
      account: relation('oneToOne', 'plugin::users-permissions.user'),
      hidden: relation('oneToOne', 'article', { private: true }),
      editor: relation('oneToOne', 'admin::user'),
    }),
    type('tag', { articles: relation('manyToMany', 'article', { mappedBy: 'tags' }) }),
    type('comment', { subject: relation('morphToOne'), mentions: relation('morphToMany') }),
    component('shared.seo', { metaTitle: { type: 'string' } }),
    component('shared.quote', { body: { type: 'text' }, speaker: relation('oneToOne', 'author') }),
  ])

  const article = 'api::article.article'
  const author = 'api::author.author'
  const comment = 'api::comment.comment'
  const linked = (uid: string, name: string): Link => linkOf(schema, uid, name).link

  function between(table: string, ours: string, theirs: string, order: string | null): Link {
    return { via: 'between', table, ours, theirs, order, fixed: [] }
  }

  function joinTables({ models }: Schema, uid: string): readonly string[] {
    const model = [...models.values()].find((one) => one.uid === uid)
    return model?.physical.joinTables.map(({ table }) => table) ?? []
  }

  it.each([
    [article, 'author', false, between('articles_author_lnk', 'article_id', 'author_id', null)],
    [author, 'articles', true, between('articles_author_lnk', 'author_id', 'article_id', 'article_ord')],
    [article, 'reviewer', false, between('articles_reviewer_lnk', 'article_id', 'author_id', null)],
    [article, 'coAuthors', true, between('articles_co_authors_lnk', 'article_id', 'author_id', 'author_ord')],
    [article, 'tags', true, between('articles_tags_lnk', 'article_id', 'tag_id', 'tag_ord')],
    ['api::tag.tag', 'articles', true, between('articles_tags_lnk', 'tag_id', 'article_id', 'article_ord')],
    [
      article,
      'related',
      true,
      between('articles_related_lnk', 'article_id', 'inv_article_id', 'article_ord'),
    ],
    [
      article,
      'relatedBy',
      true,
      between('articles_related_lnk', 'inv_article_id', 'article_id', 'inv_article_ord'),
    ],
    [article, 'sequel', false, between('articles_sequel_lnk', 'article_id', 'inv_article_id', null)],
    [article, 'prequel', false, between('articles_sequel_lnk', 'inv_article_id', 'article_id', null)],
    [author, 'account', false, between('authors_account_lnk', 'author_id', 'user_id', null)],
    [
      'shared.quote',
      'speaker',
      false,
      between('components_shared_quotes_speaker_lnk', 'quote_id', 'author_id', null),
    ],
  ])('%s.%s uses the join table', (uid, name, many, link) => {
    const field = linkOf(schema, uid, name)
    expect(field.link).toEqual(link)
    expect(field.many).toBe(many)
    expect(field.role).toBe('relation')
    expect(field.targets).toHaveLength(1)
  })

  it('without a join table uses the foreign key column in both directions', () => {
    expect(linked(article, 'owner')).toEqual(between('articles', 'id', 'owner_id', null))
    expect(linked(author, 'owned')).toEqual({ via: 'there', theirs: 'owner_id', fixed: [] })
  })

  it.each([
    ['cover', false],
    ['gallery', true],
  ])('the media attribute %s uses the type and the attribute name', (name, many) => {
    const field = linkOf(schema, article, name)
    expect(field).toMatchObject({ role: 'media', many, targets: ['plugin::upload.file'] })
    expect(field.link).toEqual({
      via: 'between',
      table: 'files_related_mph',
      ours: 'related_id',
      theirs: 'file_id',
      order: 'order',
      fixed: [
        { column: 'related_type', value: article },
        { column: 'field', value: name },
      ],
    })
  })

  it.each([
    ['seo', 'shared.seo', false],
    ['quotes', 'shared.quote', true],
  ])('the component %s uses the attribute name and the component type', (name, uid, many) => {
    const field = linkOf(schema, article, name)
    expect(field).toMatchObject({ role: 'component', many, targets: [uid] })
    expect(field.link).toEqual({
      via: 'between',
      table: 'articles_cmps',
      ours: 'entity_id',
      theirs: 'cmp_id',
      order: 'order',
      fixed: [
        { column: 'field', value: name },
        { column: 'component_type', value: uid },
      ],
    })
  })

  it('a zone has each of its components as target', () => {
    const field = linkOf(schema, article, 'sections')
    expect(field).toMatchObject({ role: 'zone', many: true, targets: ['shared.quote', 'shared.seo'] })
    expect(field.link).toEqual({
      via: 'mixed',
      table: 'articles_cmps',
      ours: 'entity_id',
      theirs: 'cmp_id',
      type: 'component_type',
      order: 'order',
      fixed: [{ column: 'field', value: 'sections' }],
    })
  })

  it('a morphToOne uses two columns of its own row, and targets any content type', () => {
    const field = linkOf(schema, comment, 'subject')
    expect(field).toMatchObject({ role: 'morph', many: false })
    expect(field.link).toEqual({ via: 'here', key: 'target_id', type: 'target_type' })
    expect(field.targets).toEqual(expect.arrayContaining([article, author, comment]))
    expect(field.targets).not.toContain('shared.seo')
    expect(field.targets).not.toContain('plugin::upload.file')
  })

  it('a morphToMany uses a table of its own', () => {
    expect(linked(comment, 'mentions')).toEqual({
      via: 'mixed',
      table: 'comments_mentions_mph',
      ours: 'comment_id',
      theirs: 'mentions_id',
      type: 'mentions_type',
      order: 'order',
      fixed: [],
    })
  })

  it('a morphOne and a morphMany use the type of their own entry', () => {
    expect(linkOf(schema, author, 'pinned')).toMatchObject({
      role: 'relation',
      many: false,
      targets: [comment],
    })
    expect(linked(author, 'pinned')).toEqual({
      via: 'there',
      theirs: 'target_id',
      fixed: [{ column: 'target_type', value: author }],
    })
    expect(linked(article, 'comments')).toEqual({
      via: 'between',
      table: 'comments_mentions_mph',
      ours: 'mentions_id',
      theirs: 'comment_id',
      order: 'order',
      fixed: [
        { column: 'mentions_type', value: article },
        { column: 'field', value: 'comments' },
      ],
    })
  })

  it('localizations exist for localized types only', () => {
    expect(linkOf(schema, article, 'localizations')).toEqual({
      name: 'localizations',
      role: 'localizations',
      many: true,
      link: { via: 'there', theirs: 'document_id', isOfDocument: true, fixed: [] },
      targets: [article],
    })
    expect(() => linkOf(schema, author, 'localizations')).toThrow()
  })

  it('a private relation has a join table but no name in queries', () => {
    expect(() => linkOf(schema, author, 'hidden')).toThrow()
    expect(joinTables(schema, author)).toContain('authors_hidden_lnk')
  })

  it('a relation to an unknown plugin type has neither', () => {
    expect(() => linkOf(schema, author, 'editor')).toThrow()
    expect(joinTables(schema, author)).not.toContain('authors_editor_lnk')
  })
})

describe('names in the database', () => {
  // The long ones are names that Strapi 5 gave in a recorded database.
  const longTable = 'warehouse_inventory_snapshot_records_for_reporting'

  /** The lodash of Knex; Strapi uses the same. */
  const lodash = createRequire(require.resolve('knex'))('lodash') as {
    snakeCase(name: string): string
    kebabCase(name: string): string
  }

  const letters = "abzABZ019_- .'’áÉñßŒłŊĳŉžÿ÷×Ðгоёй年αΩİı"
  const names = fc.oneof(
    fc.string({ unit: fc.nat(letters.length - 1).map((place) => letters.charAt(place)), maxLength: 12 }),
    fc.string({
      unit: fc.integer({ min: 0x20, max: 0x2fff }).map((code) => String.fromCharCode(code)),
      maxLength: 9,
    }),
    fc.constantFrom('1ST', '2nd', '3rd_4TH', 'the21stCentury', 'HTML5Page', 'ABCdefGHI', '11th'),
  )

  it.each([
    ['documentId', 'document_id'],
    ['bigViews', 'big_views'],
    ['weightKg2', 'weight_kg_2'],
    ['phone_2', 'phone_2'],
    ['provider_metadata', 'provider_metadata'],
    ['inventory-snapshot', 'inventory_snapshot'],
    ['HTMLPage', 'html_page'],
    ['the21stCentury', 'the_21st_century'],
  ])('%s has the column %s', (name, column) => {
    expect(snakeCase(name)).toBe(column)
  })

  it('a name of more than 55 characters is cut and ends with its hash', () => {
    expect(columnName('aVeryLongAttributeNameThatGoesOnAndOnForeverAndEverAndEver')).toBe(
      'a_very_long_attribute_name_that_goes_on_and_on_forebef1',
    )
  })

  it('a name of 55 characters is not cut', () => {
    expect(componentTableName(longTable)).toBe('warehouse_inventory_snapshot_records_for_reporting_cmps')
  })

  it('the parts of a long name are cut to equal lengths, and its suffix stays', () => {
    expect(linkTableName(longTable, 'theProductsThatWereCountedOnThatDay')).toMatch(
      /^warehouse_inventory_b84d1_the_products_that_we[0-9a-f]{5}_lnk$/,
    )
  })

  it('a short part leaves its length to the long one', () => {
    expect(linkTableName(longTable, 'brand')).toBe('warehouse_inventory_snapshot_records_forb84d1_brand_lnk')
  })

  it.each([
    ['año', 'ano'],
    ['año_escolar', 'ano_escolar'],
    ['Größe', 'grosse'],
    ['œuvre', 'oeuvre'],
    ['Łódź2', 'lodz_2'],
    ['nuñoÉl', 'nuno_el'],
    ["l'été", 'lete'],
    ['год', 'год'],
    ['годРождения', 'годрождения'],
    ['年份', '年份'],
  ])('%s becomes %s: accents are removed, other scripts stay', (name, column) => {
    expect(snakeCase(name)).toBe(column)
  })

  it('the length of a name is measured without accents', () => {
    const name = 'ñandúes'.repeat(9)
    expect(columnName(name)).toBe(columnName('nandues'.repeat(9)))
    expect(columnName(name)).toHaveLength(55)
  })

  it('every name without emoji is converted as lodash converts it', () => {
    const isDingbat = (name: string): boolean => /[\u2700-\u27bf]/.test(name)
    fc.assert(
      fc.property(
        names.filter((name) => !isDingbat(name)),
        (name) => {
          expect([name, snakeCase(name)]).toEqual([name, lodash.snakeCase(name)])
          const isKebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
          expect([name, folderName(name)]).toEqual([name, isKebabCase ? name : lodash.kebabCase(name)])
        },
      ),
      { seed: firstSeed, numRuns: runs(2000) },
    )
  })
})
