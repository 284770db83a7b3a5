import { strapi, type StrapiClient } from '@strapi/client'
import express from 'express'
import { sign } from 'jsonwebtoken'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onSqlite } from '../../support/databases'
import { jwtSecret, siteOver } from '../../support/recorded-site'

const editor = 1

const valuesOf = (entries: readonly object[], name: string): readonly unknown[] =>
  entries.map((entry) => (entry as Readonly<Record<string, unknown>>)[name])

/** Strapi's own client for front ends, in the place of every front end. */
onSqlite((database) => {
  const world = database.restored()
  let server: Server
  let baseURL = ''
  let client: StrapiClient

  beforeAll(async () => {
    const app = express().use('/api', siteOver(world, database)())
    server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    baseURL = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api`
    client = strapi({ baseURL })
  })

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const published = () => world.knex('articles').whereNotNull('published_at')
  const namesIn = async (query: Promise<readonly { name: string }[]>): Promise<readonly string[]> =>
    (await query).map(({ name }) => name)

  it('finds a collection, page by page', async () => {
    const articles = client.collection('articles')
    const ids: unknown[] = []
    for (const page of [1, 2, 3]) {
      const { data, meta } = await articles.find({ pagination: { page, pageSize: 20 } })
      expect(meta.pagination).toMatchObject({ page, pageSize: 20, pageCount: 3, total: 50 })
      ids.push(...valuesOf(data, 'id'))
    }
    const rows: readonly { id: number }[] = await published().where('locale', 'en').orderBy('id').select('id')
    expect(ids).toEqual(rows.map(({ id }) => id))
  })

  it('pages by offset, with and without a count', async () => {
    const countries = client.collection('countries')
    const all = await countries.find({ sort: 'id' })
    const some = await countries.find({ sort: 'id', pagination: { start: 1, limit: 2 } })
    expect(some.data).toEqual(all.data.slice(1, 3))
    const bare = await countries.find({ pagination: { page: 1, pageSize: 2, withCount: false } })
    expect(bare.meta.pagination).toEqual({ page: 1, pageSize: 2 })
  })

  it('finds one document by its id, and tells of one that is not there', async () => {
    const [row] = (await published().where('locale', 'en').limit(1).select('id', 'document_id')) as [
      { id: number; document_id: string },
    ]
    const { data } = await client.collection('articles').findOne(row.document_id)
    expect(data).toMatchObject({ id: row.id, documentId: row.document_id, locale: 'en' })
    await expect(client.collection('articles').findOne('nosuchdocument')).rejects.toMatchObject({
      response: { status: 404 },
    })
  })

  it('finds single types by their names', async () => {
    const { data } = await client.single('homepage').find({ populate: '*', locale: 'fr' })
    const [row] = (await world
      .knex('homepages')
      .where({ locale: 'fr' })
      .whereNotNull('published_at')
      .select('id', 'heading')) as [{ id: number; heading: string }]
    expect(data).toMatchObject({ ...row, blocks: expect.any(Array) as unknown })
  })

  it('populates in a list of names, and in depth with fields, filters and sort', async () => {
    const { data } = await client.collection('articles').find({
      fields: ['title'],
      populate: {
        author: { fields: ['name'], populate: { country: { fields: ['code'] } } },
        quotes: { sort: ['year:desc'], filters: { year: { $notNull: true } } },
      },
      pagination: { pageSize: 50 },
    })
    const quoted = data.filter(({ quotes }) => (quotes as unknown[]).length > 1)
    expect(quoted.length).toBeGreaterThan(0)
    for (const { quotes } of quoted) {
      const years = (quotes as { year: number }[]).map(({ year }) => year)
      expect(years).toEqual([...years].sort((one, other) => other - one))
    }
    const [first] = data.filter(({ author }) => author !== null)
    expect(Object.keys(first ?? {}).sort()).toEqual(['author', 'documentId', 'id', 'quotes', 'title'])
    expect(Object.keys(first?.['author'] as object).sort()).toEqual(['country', 'documentId', 'id', 'name'])
    const named = await client.collection('articles').find({ populate: ['author', 'category'] })
    expect(named.data[0]).toMatchObject({ author: expect.anything() as unknown })
  })

  it('filters with operators, groups and relations', async () => {
    const { data } = await client.collection('articles').find({
      fields: ['kind', 'views'],
      filters: {
        $or: [{ kind: { $in: ['news', 'review'] } }, { views: { $gt: 100 } }],
        author: { name: { $notNull: true } },
      },
      pagination: { pageSize: 50 },
      sort: 'id',
    })
    const rows: readonly { id: number }[] = await published()
      .where('locale', 'en')
      .where((either) => {
        void either.whereIn('kind', ['news', 'review']).orWhere('views', '>', 100)
      })
      .whereIn('id', world.knex('articles_author_lnk').select('article_id'))
      .orderBy('id')
      .select('id')
    expect(rows.length).toBeGreaterThan(0)
    expect(valuesOf(data, 'id')).toEqual(rows.map(({ id }) => id))
  })

  it('sorts by several names', async () => {
    const { data } = await client
      .collection('authors')
      .find({ sort: ['name:desc', 'id:asc'], fields: ['name'] })
    const rows = world
      .knex('authors')
      .orderBy([{ column: 'name', order: 'desc' }, 'id'])
      .limit(25)
      .select('name')
    expect(valuesOf(data, 'name')).toEqual(await namesIn(rows as Promise<readonly { name: string }[]>))
  })

  it('reads another locale, and drafts', async () => {
    const french = await client.collection('articles').find({ locale: 'fr', fields: ['locale'] })
    expect(french.data.length).toBeGreaterThan(0)
    expect(new Set(valuesOf(french.data, 'locale'))).toEqual(new Set(['fr']))
    const drafts = await client.collection('articles').find({ status: 'draft', fields: ['publishedAt'] })
    expect(drafts.data.length).toBeGreaterThan(0)
    expect(new Set(valuesOf(drafts.data, 'publishedAt'))).toEqual(new Set([null]))
  })

  it('shows an editor with a token what the public may not see', async () => {
    await expect(client.collection('tags').find()).rejects.toMatchObject({ response: { status: 403 } })
    const auth = sign({ id: editor }, jwtSecret, { expiresIn: '1h' })
    const { data } = await strapi({ baseURL, auth }).collection('tags').find()
    expect(data.length).toBeGreaterThan(0)
    const stranger = strapi({ baseURL, auth: sign({ id: editor }, 'another secret') })
    await expect(stranger.collection('tags').find()).rejects.toMatchObject({ response: { status: 401 } })
  })

  it('tells what is wrong with a request', async () => {
    const asked = client.collection('articles').find({ filters: { nope: 1 } })
    await expect(asked).rejects.toMatchObject({ response: { status: 400 } })
  })
})
