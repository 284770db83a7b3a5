// Objection's models and graphs, as its documentation writes them.
const { load } = require('./load.cjs')

const { Model, snakeCaseMappers } = load('objection')
const makeKnex = load('knex')

class Base extends Model {
  static get columnNameMappers() {
    return snakeCaseMappers()
  }
}

const shown = {
  authors: 'document_id name email bio created_at updated_at published_at',
  categories: 'document_id name slug description created_at updated_at published_at',
  tags: 'document_id name slug created_at updated_at published_at',
  countries: 'document_id name code created_at updated_at published_at',
  files: `document_id name alternative_text caption focal_point width height formats hash ext mime size url preview_url
    provider provider_metadata created_at updated_at published_at`,
  articles:
    'document_id title slug summary body views rating featured released_on created_at updated_at published_at',
}
const columnsOf = (table) => ['id', ...shown[table].split(/\s+/)].map((column) => `${table}.${column}`)

const model = (table, relations = () => ({})) =>
  class extends Base {
    static get tableName() {
      return table
    }
    static get relationMappings() {
      return relations()
    }
  }

const through = (kind, to, from, via, ours, theirs, change = (query) => query) => ({
  relation: Base[kind],
  modelClass: to,
  modify: (query) => change(shown[to.tableName] ? query.select(columnsOf(to.tableName)) : query),
  join: {
    from: `${from}.id`,
    through: { from: `${via}.${ours}`, to: `${via}.${theirs}` },
    to: `${to.tableName}.id`,
  },
})

const one = 'HasOneThroughRelation'
const many = 'ManyToManyRelation'
const Country = model('countries')
const Category = model('categories')
const Tag = model('tags')
const File = model('files')
const filesOf = (kind, from, type, field) =>
  through(kind, File, from, 'files_related_mph', 'related_id', 'file_id', (query) =>
    query
      .where({ 'files_related_mph.related_type': type, 'files_related_mph.field': field })
      .orderBy('files_related_mph.order'),
  )
const Author = model('authors', () => ({
  country: through(one, Country, 'authors', 'authors_country_lnk', 'author_id', 'country_id'),
  avatar: filesOf(one, 'authors', 'api::author.author', 'avatar'),
}))
const partOf = (kind, to, from, via, field, type) => {
  const relation = through(kind, to, from, via, 'entity_id', 'cmp_id', (query) =>
    query
      .where({ [`${via}.field`]: field, [`${via}.component_type`]: type })
      .orderBy(`${via}.order`)
      .select(`${to.tableName}.*`),
  )
  return { ...relation, join: { ...relation.join, through: { ...relation.join.through, extra: ['order'] } } }
}
const zoneTypes = {
  richText: ['shared.rich-text', model('components_shared_rich_texts')],
  quote: ['shared.quote', model('components_shared_quotes')],
  callout: ['shared.callout', model('components_shared_callouts')],
  slider: ['shared.slider', model('components_shared_sliders')],
}
const Social = model('components_shared_socials')
const Seo = model('components_shared_seos', () => ({
  social: partOf(
    many,
    Social,
    'components_shared_seos',
    'components_shared_seos_cmps',
    'social',
    'shared.social',
  ),
}))
const Article = model('articles', () => ({
  author: through(one, Author, 'articles', 'articles_author_lnk', 'article_id', 'author_id'),
  category: through(one, Category, 'articles', 'articles_category_lnk', 'article_id', 'category_id'),
  tags: through(many, Tag, 'articles', 'articles_tags_lnk', 'article_id', 'tag_id', (query) =>
    query.orderBy('articles_tags_lnk.tag_ord'),
  ),
  cover: filesOf(one, 'articles', 'api::article.article', 'cover'),
  gallery: filesOf(many, 'articles', 'api::article.article', 'gallery'),
  seo: partOf(one, Seo, 'articles', 'articles_cmps', 'seo', 'shared.seo'),
  ...Object.fromEntries(
    Object.entries(zoneTypes).map(([name, [type, to]]) => [
      name,
      partOf(many, to, 'articles', 'articles_cmps', 'zone', type),
    ]),
  ),
}))

const day = (date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

function fixFile(file) {
  if (file === null || file === undefined) return null
  const { providerMetadata, size, ...rest } = file
  return { ...rest, size: Number(size), provider_metadata: providerMetadata }
}

function withoutOrder(part) {
  const { order: _, ...rest } = part
  return rest
}

function toEntry(article) {
  const entry = { ...article.toJSON(), releasedOn: day(article.releasedOn) }
  if ('cover' in entry) entry.cover = fixFile(entry.cover)
  if (entry.gallery) entry.gallery = entry.gallery.map(fixFile)
  if (entry.author?.avatar) entry.author = { ...entry.author, avatar: fixFile(entry.author.avatar) }
  if (entry.seo) {
    const { social, ...seo } = withoutOrder(entry.seo)
    entry.seo = { ...seo, social: social.map(withoutOrder) }
    const zone = Object.entries(zoneTypes).flatMap(([name, [type]]) => {
      const parts = entry[name]
      delete entry[name]
      return parts.map(({ order, ...part }) => ({ order, part: { ...part, __component: type } }))
    })
    entry.zone = zone.sort((a, b) => a.order - b.order).map(({ part }) => part)
  }
  return entry
}

exports.answers = ({ connection, pool }) => {
  const knex = makeKnex({ client: 'pg', connection, pool })
  const answer = (graph, start) => async () => {
    const query = Article.query(knex)
      .select(columnsOf('articles'))
      .whereNotNull('published_at')
      .orderBy('id')
      .limit(25)
      .offset(start)
    const [rows, total] = await Promise.all([
      graph === undefined ? query : query.withGraphFetched(graph),
      Article.query(knex).whereNotNull('published_at').resultSize(),
    ])
    return { rows: rows.map(toEntry), total }
  }
  return {
    q1: answer(undefined, 0),
    q2: answer('[author, category, tags, cover]', 0),
    q3: answer(
      '[author.[country, avatar], category, tags, cover, gallery, seo.social, richText, quote, callout, slider]',
      0,
    ),
    q6: answer(undefined, 9975),
  }
}
