// Drizzle's relational queries, prepared; the handlers do what is left to make the same answer of it.
const { load } = require('./load.cjs')

const { drizzle } = load('drizzle-orm/node-postgres')
const { relations, and, asc, eq, isNotNull, sql } = load('drizzle-orm')
const { pgTable, integer, text, timestamp, doublePrecision, boolean, date, jsonb, numeric } =
  load('drizzle-orm/pg-core')
const { Pool } = load('pg')

const dates = () => ({
  createdAt: timestamp('created_at'),
  updatedAt: timestamp('updated_at'),
  publishedAt: timestamp('published_at'),
})
const entry = (columns) => ({
  id: integer('id').primaryKey(),
  documentId: text('document_id'),
  ...columns,
})
const link = (...names) =>
  Object.fromEntries(
    [['id', integer('id').primaryKey()]].concat(
      names.map((name) => [
        name,
        name.endsWith('_ord') || name === 'order' ? doublePrecision(name) : integer(name),
      ]),
    ),
  )
const part = () => ({
  ...link('entity_id', 'cmp_id', 'order'),
  component_type: text('component_type'),
  field: text('field'),
})

const articles = pgTable(
  'articles',
  entry({
    title: text('title'),
    slug: text('slug'),
    summary: text('summary'),
    body: text('body'),
    views: integer('views'),
    rating: doublePrecision('rating'),
    featured: boolean('featured'),
    releasedOn: date('released_on'),
    ...dates(),
  }),
)
const authors = pgTable(
  'authors',
  entry({ name: text('name'), email: text('email'), bio: text('bio'), ...dates() }),
)
const categories = pgTable(
  'categories',
  entry({ name: text('name'), slug: text('slug'), description: text('description'), ...dates() }),
)
const tags = pgTable('tags', entry({ name: text('name'), slug: text('slug'), ...dates() }))
const countries = pgTable('countries', entry({ name: text('name'), code: text('code'), ...dates() }))
const files = pgTable(
  'files',
  entry({
    name: text('name'),
    alternativeText: text('alternative_text'),
    caption: text('caption'),
    focalPoint: jsonb('focal_point'),
    width: integer('width'),
    height: integer('height'),
    formats: jsonb('formats'),
    hash: text('hash'),
    ext: text('ext'),
    mime: text('mime'),
    size: numeric('size', { mode: 'number' }),
    url: text('url'),
    previewUrl: text('preview_url'),
    provider: text('provider'),
    provider_metadata: jsonb('provider_metadata'),
    ...dates(),
  }),
)
const authorLinks = pgTable('articles_author_lnk', link('article_id', 'author_id', 'article_ord'))
const categoryLinks = pgTable('articles_category_lnk', link('article_id', 'category_id'))
const tagLinks = pgTable('articles_tags_lnk', link('article_id', 'tag_id', 'tag_ord'))
const countryLinks = pgTable('authors_country_lnk', link('author_id', 'country_id'))
const uses = pgTable('files_related_mph', {
  ...link('file_id', 'related_id', 'order'),
  related_type: text('related_type'),
  field: text('field'),
})
const parts = pgTable('articles_cmps', part())
const seoParts = pgTable('components_shared_seos_cmps', part())
const richTexts = pgTable('components_shared_rich_texts', entry({ body: text('body') }))
const quotes = pgTable('components_shared_quotes', entry({ text: text('text'), name: text('name') }))
const callouts = pgTable(
  'components_shared_callouts',
  entry({ title: text('title'), text: text('text'), url: text('url') }),
)
const sliders = pgTable(
  'components_shared_sliders',
  entry({ title: text('title'), interval: integer('interval') }),
)
const seos = pgTable(
  'components_shared_seos',
  entry({ metaTitle: text('meta_title'), metaDescription: text('meta_description') }),
)
const socials = pgTable(
  'components_shared_socials',
  entry({ network: text('network'), title: text('title'), description: text('description') }),
)

const to = (one, table, from, column) => one(table, { fields: [from[column]], references: [table.id] })

const schema = {
  articles,
  authors,
  categories,
  tags,
  countries,
  files,
  authorLinks,
  categoryLinks,
  tagLinks,
  countryLinks,
  uses,
  parts,
  seoParts,
  richTexts,
  quotes,
  callouts,
  sliders,
  seos,
  socials,
  articleRelations: relations(articles, ({ one, many }) => ({
    authorLink: one(authorLinks, { fields: [articles.id], references: [authorLinks.article_id] }),
    categoryLink: one(categoryLinks, { fields: [articles.id], references: [categoryLinks.article_id] }),
    tagLinks: many(tagLinks),
    uses: many(uses, { relationName: 'article' }),
    parts: many(parts),
  })),
  authorRelations: relations(authors, ({ one, many }) => ({
    countryLink: one(countryLinks, { fields: [authors.id], references: [countryLinks.author_id] }),
    uses: many(uses, { relationName: 'author' }),
  })),
  authorLinkRelations: relations(authorLinks, ({ one }) => ({
    author: to(one, authors, authorLinks, 'author_id'),
  })),
  categoryLinkRelations: relations(categoryLinks, ({ one }) => ({
    category: to(one, categories, categoryLinks, 'category_id'),
  })),
  tagLinkRelations: relations(tagLinks, ({ one }) => ({
    article: to(one, articles, tagLinks, 'article_id'),
    tag: to(one, tags, tagLinks, 'tag_id'),
  })),
  countryLinkRelations: relations(countryLinks, ({ one }) => ({
    country: to(one, countries, countryLinks, 'country_id'),
  })),
  useRelations: relations(uses, ({ one }) => ({
    file: to(one, files, uses, 'file_id'),
    article: one(articles, {
      fields: [uses.related_id],
      references: [articles.id],
      relationName: 'article',
    }),
    author: one(authors, { fields: [uses.related_id], references: [authors.id], relationName: 'author' }),
  })),
  partRelations: relations(parts, ({ one }) => ({
    article: to(one, articles, parts, 'entity_id'),
    seo: to(one, seos, parts, 'cmp_id'),
    richText: to(one, richTexts, parts, 'cmp_id'),
    quote: to(one, quotes, parts, 'cmp_id'),
    callout: to(one, callouts, parts, 'cmp_id'),
    slider: to(one, sliders, parts, 'cmp_id'),
  })),
  seoRelations: relations(seos, ({ many }) => ({ parts: many(seoParts) })),
  seoPartRelations: relations(seoParts, ({ one }) => ({
    seo: to(one, seos, seoParts, 'entity_id'),
    social: to(one, socials, seoParts, 'cmp_id'),
  })),
}

const zoneNames = {
  'shared.rich-text': 'richText',
  'shared.quote': 'quote',
  'shared.callout': 'callout',
  'shared.slider': 'slider',
}

const filesOf = (list, field) =>
  list
    .filter((use) => use.field === field)
    .sort((one, other) => one.order - other.order)
    .map((use) => use.file)

function toSimple({ authorLink, categoryLink, tagLinks, uses, ...article }) {
  return {
    ...article,
    author: authorLink?.author ?? null,
    category: categoryLink?.category ?? null,
    tags: tagLinks.map(({ tag }) => tag),
    cover: filesOf(uses, 'cover')[0] ?? null,
  }
}

function toFull({ parts, ...article }) {
  const { countryLink, uses, ...author } = article.authorLink.author
  const seoPart = parts.find((one) => one.field === 'seo')
  const { parts: social, ...seo } = seoPart.seo
  const zone = parts.filter((one) => one.field === 'zone').sort((one, other) => one.order - other.order)
  return {
    ...toSimple(article),
    author: { ...author, country: countryLink?.country ?? null, avatar: uses[0]?.file ?? null },
    gallery: filesOf(article.uses, 'gallery'),
    seo: { ...seo, social: social.map((one) => one.social) },
    zone: zone.map((one) => ({ ...one[zoneNames[one.component_type]], __component: one.component_type })),
  }
}

const ofType = (type) => (table) => eq(table.related_type, type)
const simple = (fields) => ({
  authorLink: { columns: {}, with: { author: true } },
  categoryLink: { columns: {}, with: { category: true } },
  tagLinks: { columns: {}, with: { tag: true }, orderBy: (table) => asc(table.tag_ord) },
  uses: {
    columns: { field: true, order: true },
    with: { file: true },
    where: (table) => and(eq(table.related_type, 'api::article.article'), sql`${table.field} in ${fields}`),
  },
})

const full = () => ({
  ...simple(['cover', 'gallery']),
  authorLink: {
    columns: {},
    with: {
      author: {
        with: {
          countryLink: { columns: {}, with: { country: true } },
          uses: { columns: {}, with: { file: true }, where: ofType('api::author.author') },
        },
      },
    },
  },
  parts: {
    columns: { field: true, order: true, component_type: true },
    with: {
      seo: {
        with: {
          parts: { columns: {}, with: { social: true }, orderBy: (table) => asc(table.order) },
        },
      },
      richText: true,
      quote: true,
      callout: true,
      slider: true,
    },
  },
})

exports.answers = ({ connection, pool }) => {
  const db = drizzle(new Pool({ ...connection, max: pool.max }), { schema })
  const page = (name, start, inner) =>
    db.query.articles
      .findMany({
        where: (table) => isNotNull(table.publishedAt),
        orderBy: (table) => asc(table.id),
        limit: 25,
        offset: start,
        ...(inner ? { with: inner } : {}),
      })
      .prepare(name)
  const count = db
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(articles)
    .where(isNotNull(articles.publishedAt))
    .prepare('count')
  const answer = (rows, change) => async () => {
    const [found, [{ count: total }]] = await Promise.all([rows.execute(), count.execute()])
    return { rows: found.map(change), total }
  }
  return {
    q1: answer(page('q1', 0), (row) => row),
    q2: answer(page('q2', 0, simple(['cover'])), toSimple),
    q3: answer(page('q3', 0, full()), toFull),
    q6: answer(page('q6', 9975), (row) => row),
  }
}
