import { readSchema, type Link, type Schema } from '../../lib/schema'
import { component, linkOf, relation, type } from './definitions'

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

test.each([
  [article, 'author', false, between('articles_author_lnk', 'article_id', 'author_id', null)],
  [author, 'articles', true, between('articles_author_lnk', 'author_id', 'article_id', 'article_ord')],
  [article, 'reviewer', false, between('articles_reviewer_lnk', 'article_id', 'author_id', null)],
  [article, 'coAuthors', true, between('articles_co_authors_lnk', 'article_id', 'author_id', 'author_ord')],
  [article, 'tags', true, between('articles_tags_lnk', 'article_id', 'tag_id', 'tag_ord')],
  ['api::tag.tag', 'articles', true, between('articles_tags_lnk', 'tag_id', 'article_id', 'article_ord')],
  [article, 'related', true, between('articles_related_lnk', 'article_id', 'inv_article_id', 'article_ord')],
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
])('%s.%s goes through the link table', (uid, name, many, link) => {
  const field = linkOf(schema, uid, name)
  expect(field.link).toEqual(link)
  expect(field.many).toBe(many)
  expect(field.role).toBe('relation')
  expect(field.targets).toHaveLength(1)
})

test('a relation without a join table reads its own table as one, and the way back reads the key', () => {
  expect(linked(article, 'owner')).toEqual(between('articles', 'id', 'owner_id', null))
  expect(linked(author, 'owned')).toEqual({ via: 'there', theirs: 'owner_id', ours: 'id', fixed: [] })
})

test.each([
  ['cover', false],
  ['gallery', true],
])('the media field %s is found by its type and its name', (name, many) => {
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

test.each([
  ['seo', 'shared.seo', false],
  ['quotes', 'shared.quote', true],
])('the component %s is found by its name and its kind', (name, uid, many) => {
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

test('a zone leads to each of its components', () => {
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

test('a morphToOne keeps key and type in its own row, and may lead to any content type', () => {
  const field = linkOf(schema, comment, 'subject')
  expect(field).toMatchObject({ role: 'morph', many: false })
  expect(field.link).toEqual({ via: 'here', key: 'target_id', type: 'target_type' })
  expect(field.targets).toEqual(expect.arrayContaining([article, author, comment]))
  expect(field.targets).not.toContain('shared.seo')
  expect(field.targets).not.toContain('plugin::upload.file')
})

test('a morphToMany keeps them in a table of its own', () => {
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

test('the ways back from any type name the type they come from', () => {
  expect(linkOf(schema, author, 'pinned')).toMatchObject({
    role: 'relation',
    many: false,
    targets: [comment],
  })
  expect(linked(author, 'pinned')).toEqual({
    via: 'there',
    theirs: 'target_id',
    ours: 'id',
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

test('localized types have localizations, others do not', () => {
  expect(linkOf(schema, article, 'localizations')).toEqual({
    name: 'localizations',
    role: 'localizations',
    many: true,
    shared: false,
    link: { via: 'there', theirs: 'document_id', ours: 'document_id', fixed: [] },
    targets: [article],
  })
  expect(() => linkOf(schema, author, 'localizations')).toThrow()
})

test('a private relation is stored but cannot be named', () => {
  expect(() => linkOf(schema, author, 'hidden')).toThrow()
  expect(joinTables(schema, author)).toContain('authors_hidden_lnk')
})

test('a relation to a type of a plugin that is not known is neither', () => {
  expect(() => linkOf(schema, author, 'editor')).toThrow()
  expect(joinTables(schema, author)).not.toContain('authors_editor_lnk')
})

function joinTables({ models }: Schema, uid: string): readonly string[] {
  const model = [...models.values()].find((one) => one.uid === uid)
  return model?.physical.joinTables.map(({ table }) => table) ?? []
}
