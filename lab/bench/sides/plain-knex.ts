// What an average developer would write for these answers: one statement per relation, objects, res.json.
import express, { type Express } from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { measured, type MeasuredDatabase } from '../measured-databases'
import type { Given, Side } from '../side'
import { poolOf } from './ours'

type Row = Record<string, unknown>

const dates = ['created_at', 'updated_at', 'published_at']
const articleColumns = 'id document_id title slug summary body views rating featured released_on'.split(' ')
const authorColumns = 'id document_id name email bio'.split(' ')
const categoryColumns = 'id document_id name slug description'.split(' ')
const tagColumns = 'id document_id name slug'.split(' ')
const countryColumns = 'id document_id name code'.split(' ')
const fileColumns =
  `id document_id name alternative_text caption focal_point width height formats hash ext mime size url
  preview_url provider provider_metadata`.split(/\s+/)

const camel = (name: string): string =>
  name === 'provider_metadata' ? name : name.replace(/_(\w)/g, (_, sign: string) => sign.toUpperCase())

interface Shop {
  readonly db: Knex
  readonly sqlite: boolean
}

const jsonColumns = new Set(['focal_point', 'formats', 'provider_metadata'])

function toEntry({ sqlite }: Shop, row: Row, columns: readonly string[], withDates = true): Row {
  const entry: Row = {}
  for (const column of columns) {
    const value = row[column]
    if (column === 'featured') entry[camel(column)] = Boolean(value)
    else if (column === 'released_on') entry[camel(column)] = day(value)
    else if (column === 'size') entry[column] = Number(value)
    else if (jsonColumns.has(column) && typeof value === 'string') entry[camel(column)] = JSON.parse(value)
    else entry[camel(column)] = value ?? null
  }
  if (withDates) {
    for (const column of dates) {
      const value = row[column]
      entry[camel(column)] = value === null ? null : sqlite ? new Date(value as number) : value
    }
  }
  return entry
}

/** The drivers of MariaDB and PostgreSQL make a Date of it, at midnight in the process's time zone. */
function day(value: unknown): unknown {
  if (!(value instanceof Date)) return value
  const month = String(value.getMonth() + 1).padStart(2, '0')
  return `${String(value.getFullYear())}-${month}-${String(value.getDate()).padStart(2, '0')}`
}

const qualified = (table: string, columns: readonly string[], withDates = true): string[] =>
  [...columns, ...(withDates ? dates : [])].map((column) => `${table}.${column}`)

const idsOf = (rows: readonly Row[]): number[] => rows.map(({ id }) => id as number)

function group(rows: readonly Row[], by: string): Map<unknown, Row[]> {
  const groups = new Map<unknown, Row[]>()
  for (const row of rows) groups.set(row[by], [...(groups.get(row[by]) ?? []), row])
  return groups
}

async function addOne(
  shop: Shop,
  entries: readonly Row[],
  { name, table, columns, via, ours, theirs }: Related,
): Promise<Row[]> {
  const rows = await shop
    .db(table)
    .join(via, `${via}.${theirs}`, `${table}.id`)
    .whereIn(`${via}.${ours}`, idsOf(entries))
    .select<Row[]>(...qualified(table, columns), `${via}.${ours} as parent`)
  const byParent = group(rows, 'parent')
  const added: Row[] = []
  for (const entry of entries) {
    const row = byParent.get(entry['id'])?.[0]
    const related = row === undefined ? null : toEntry(shop, row, columns)
    entry[name] = related
    if (related !== null) added.push(related)
  }
  return added
}

interface Related {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly via: string
  readonly ours: string
  readonly theirs: string
}

async function addTags(shop: Shop, entries: readonly Row[]): Promise<void> {
  const rows = await shop
    .db('tags')
    .join('articles_tags_lnk', 'articles_tags_lnk.tag_id', 'tags.id')
    .whereIn('articles_tags_lnk.article_id', idsOf(entries))
    .orderBy('articles_tags_lnk.tag_ord')
    .select<Row[]>(...qualified('tags', tagColumns), 'articles_tags_lnk.article_id as parent')
  const byParent = group(rows, 'parent')
  for (const entry of entries) {
    entry['tags'] = (byParent.get(entry['id']) ?? []).map((row) => toEntry(shop, row, tagColumns))
  }
}

async function addFiles(
  shop: Shop,
  entries: readonly Row[],
  { type, field, many }: { type: string; field: string; many: boolean },
): Promise<void> {
  const rows = await shop
    .db('files')
    .join('files_related_mph as use', 'use.file_id', 'files.id')
    .whereIn('use.related_id', idsOf(entries))
    .where({ 'use.related_type': type, 'use.field': field })
    .orderBy('use.order')
    .select<Row[]>(...qualified('files', fileColumns), 'use.related_id as parent')
  const byParent = group(rows, 'parent')
  for (const entry of entries) {
    const files = (byParent.get(entry['id']) ?? []).map((row) => toEntry(shop, row, fileColumns))
    entry[field] = many ? files : (files[0] ?? null)
  }
}

const components: Readonly<Record<string, { table: string; columns: string[] }>> = {
  'shared.rich-text': { table: 'components_shared_rich_texts', columns: ['id', 'document_id', 'body'] },
  'shared.quote': { table: 'components_shared_quotes', columns: ['id', 'document_id', 'text', 'name'] },
  'shared.callout': {
    table: 'components_shared_callouts',
    columns: ['id', 'document_id', 'title', 'text', 'url'],
  },
  'shared.slider': {
    table: 'components_shared_sliders',
    columns: ['id', 'document_id', 'title', 'interval'],
  },
  'shared.seo': {
    table: 'components_shared_seos',
    columns: ['id', 'document_id', 'meta_title', 'meta_description'],
  },
  'shared.social': {
    table: 'components_shared_socials',
    columns: ['id', 'document_id', 'network', 'title', 'description'],
  },
}

async function partsOf(
  shop: Shop,
  entries: readonly Row[],
  link: string,
  field: string,
): Promise<Map<unknown, { type: string; entry: Row }[]>> {
  const links = await shop
    .db(link)
    .whereIn('entity_id', idsOf(entries))
    .where({ field })
    .orderBy('order')
    .select<Row[]>('entity_id', 'cmp_id', 'component_type')
  const found = new Map<string, Row>()
  for (const type of new Set(links.map((row) => row['component_type'] as string))) {
    const { table, columns } = components[type] ?? { table: '', columns: [] }
    const ids = links.filter((row) => row['component_type'] === type).map((row) => row['cmp_id'] as number)
    const rows = await shop.db(table).whereIn('id', ids).select<Row[]>(columns)
    for (const row of rows) found.set(`${type} ${String(row['id'])}`, toEntry(shop, row, columns, false))
  }
  const parts = new Map<unknown, { type: string; entry: Row }[]>()
  for (const row of links) {
    const type = row['component_type'] as string
    const entry = found.get(`${type} ${String(row['cmp_id'])}`)
    if (entry === undefined) continue
    parts.set(row['entity_id'], [...(parts.get(row['entity_id']) ?? []), { type, entry }])
  }
  return parts
}

async function addSeo(shop: Shop, entries: readonly Row[]): Promise<void> {
  const parts = await partsOf(shop, entries, 'articles_cmps', 'seo')
  const seos: Row[] = []
  for (const entry of entries) {
    const seo = parts.get(entry['id'])?.[0]?.entry ?? null
    entry['seo'] = seo
    if (seo !== null) seos.push(seo)
  }
  const social = await partsOf(shop, seos, 'components_shared_seos_cmps', 'social')
  for (const seo of seos) seo['social'] = (social.get(seo['id']) ?? []).map(({ entry }) => entry)
}

async function addZone(shop: Shop, entries: readonly Row[]): Promise<void> {
  const parts = await partsOf(shop, entries, 'articles_cmps', 'zone')
  for (const entry of entries) {
    entry['zone'] = (parts.get(entry['id']) ?? []).map(({ type, entry }) => ({ ...entry, __component: type }))
  }
}

const author: Related = {
  name: 'author',
  table: 'authors',
  columns: authorColumns,
  via: 'articles_author_lnk',
  ours: 'article_id',
  theirs: 'author_id',
}
const category: Related = {
  name: 'category',
  table: 'categories',
  columns: categoryColumns,
  via: 'articles_category_lnk',
  ours: 'article_id',
  theirs: 'category_id',
}
const country: Related = {
  name: 'country',
  table: 'countries',
  columns: countryColumns,
  via: 'authors_country_lnk',
  ours: 'author_id',
  theirs: 'country_id',
}
const cover = { type: 'api::article.article', field: 'cover', many: false }

async function simple(shop: Shop, entries: readonly Row[]): Promise<void> {
  await addOne(shop, entries, author)
  await addOne(shop, entries, category)
  await addTags(shop, entries)
  await addFiles(shop, entries, cover)
}

async function everything(shop: Shop, entries: readonly Row[]): Promise<void> {
  const authors = await addOne(shop, entries, author)
  await addOne(shop, authors, country)
  await addFiles(shop, authors, { type: 'api::author.author', field: 'avatar', many: false })
  await addOne(shop, entries, category)
  await addTags(shop, entries)
  await addFiles(shop, entries, cover)
  await addFiles(shop, entries, { ...cover, field: 'gallery', many: true })
  await addSeo(shop, entries)
  await addZone(shop, entries)
}

type Add = (shop: Shop, entries: readonly Row[]) => Promise<void>

function filtered({ db }: Shop): Knex.QueryBuilder {
  return db('articles')
    .whereNotNull('articles.published_at')
    .join('articles_author_lnk as wrote', 'wrote.article_id', 'articles.id')
    .join('authors_country_lnk as lives', 'lives.author_id', 'wrote.author_id')
    .join('countries', 'countries.id', 'lives.country_id')
    .where('countries.code', 'c07')
}

const published = ({ db }: Shop): Knex.QueryBuilder => db('articles').whereNotNull('articles.published_at')

const withoutTag = (shop: Shop): Knex.QueryBuilder =>
  published(shop).whereNotExists((tagged): void => {
    void tagged
      .select(shop.db.raw('1'))
      .from('articles_tags_lnk as tagged')
      .join('tags', 'tags.id', 'tagged.tag_id')
      .whereRaw('tagged.article_id = articles.id')
      .where('tags.slug', 'tag-7')
  })

const withTags = (shop: Shop): Knex.QueryBuilder =>
  published(shop).whereIn('articles.id', (tagged): void => {
    void tagged
      .select('tagged.article_id')
      .from('articles_tags_lnk as tagged')
      .join('tags', 'tags.id', 'tagged.tag_id')
      .groupBy('tagged.article_id')
      .havingRaw('count(*) >= 3')
  })

interface List {
  readonly from: (shop: Shop) => Knex.QueryBuilder
  readonly byCategory?: boolean
  readonly page?: number
  readonly add?: Add
}

async function list(shop: Shop, { from, byCategory = false, page = 1, add }: List): Promise<Row> {
  const pageSize = 25
  const counted = await from(shop).count({ count: '*' }).first<Row>()
  const sorted = byCategory
    ? from(shop)
        .leftJoin('articles_category_lnk as filed', 'filed.article_id', 'articles.id')
        .leftJoin('categories', 'categories.id', 'filed.category_id')
        .orderBy('categories.name')
        .orderBy('articles.id')
    : from(shop).orderBy('articles.id')
  const rows = await sorted
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .select<Row[]>(...qualified('articles', articleColumns))
  const data = rows.map((row) => toEntry(shop, row, articleColumns))
  await add?.(shop, data)
  const total = Number(counted['count'])
  return { data, meta: { pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } } }
}

async function authorWithArticles(shop: Shop, documentId: string): Promise<Row> {
  const row = await shop.db('authors').where({ document_id: documentId }).first<Row>()
  const articles = await published(shop)
    .join('articles_author_lnk as wrote', 'wrote.article_id', 'articles.id')
    .where('wrote.author_id', row['id'] as number)
    .orderBy('wrote.article_ord')
    .orderBy('articles.id')
    .select<Row[]>(...qualified('articles', articleColumns))
  const entry = toEntry(shop, row, authorColumns)
  entry['articles'] = articles.map((article) => toEntry(shop, article, articleColumns))
  return { data: entry, meta: {} }
}

function connect({ bench, name }: Given): Shop {
  return {
    db: makeKnex({ ...bench, ...databaseOptions(measured(name), bench), pool: poolOf(name) }),
    sqlite: name === 'sqlite',
  }
}

/** Dates are kept in UTC, which has to be told to the drivers. */
function databaseOptions(name: MeasuredDatabase, { connection }: Knex.Config): Knex.Config {
  if (name !== 'mariadb') return {}
  return { connection: { ...(connection as Knex.MySql2ConnectionConfig), timezone: 'Z' } }
}

export function plainKnex(given: Given): Side {
  process.env['TZ'] = 'UTC'
  const shop = connect(given)
  const app: Express = express()
  const serve = (name: string, answer: () => Promise<Row>): void => {
    app.get(`/${name}`, (_req, res, next) => {
      answer().then((body) => res.json(body), next)
    })
  }
  serve('q1', () => list(shop, { from: published }))
  serve('q2', () => list(shop, { from: published, add: simple }))
  serve('q3', () => list(shop, { from: published, add: everything }))
  serve('q5', () => list(shop, { from: filtered, byCategory: true }))
  serve('none', () => list(shop, { from: withoutTag }))
  serve('count', () => list(shop, { from: withTags }))
  serve('q6', () => list(shop, { from: published, page: 400 }))
  serve('q7', () => authorWithArticles(shop, given.prolific))
  return { listener: app }
}
