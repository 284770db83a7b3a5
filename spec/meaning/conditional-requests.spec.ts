import express from 'express'
import request from 'supertest'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { ContentRouterConfig, Grant, RoleFunction } from '../../lib'
import { type Cached, serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, library, text } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { stocked } from '../support/served'
import { tagOf } from '../support/tags'
import { olderFormat } from '../support/as-strapi'
import { watching } from '../support/watching'

const content = {
  country: [{ $ref: 'uk', name: 'UK' }],
  author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
  book: [...Array(12).keys()].map((number) => ({ title: `Book ${String(number)}`, author: 'ada' })),
}
const path = 'books?populate=author'
const find = ['book', 'author']
const permissions = { public: { find }, guest: { find }, reader: { find: '*' } } as const

onSqlite((database) => {
  const { world } = stocked(database, library, content)
  const on = { world, dialect: database.dialect }
  const tag = (get: Cached['get'], at = path): Promise<string> => tagOf(get, at, 0)
  const rename = async (title: string): Promise<void> => {
    await world.knex('books').update({ title })
  }

  describe.each([
    ['with a cache', { permissions, cache: {} }],
    ['without a cache', { permissions, cache: false, etag: true }],
  ] as const)('an ETag %s', (how, options) => {
    it('is answered with 304 until something is committed, without reading rows', async () => {
      const { sql: statements, logger } = keeping()
      const { get } = await serveCached(on, { ...options, logger })
      const etag = await tag(get)
      statements.length = 0
      const same = await get(path, 'public', { 'If-None-Match': etag })
      expect(statements).toEqual([])
      expect([same.status, same.headers.etag, same.body]).toEqual([304, etag, ''])
      await rename(`Changed ${how}`)
      const changed = await get(path, 'public', { 'If-None-Match': etag })
      expect(changed.status).toBe(200)
      expect(changed.body).toContain('Changed')
      expect(changed.headers.etag).not.toBe(etag)
    })

    it('is found as a weak tag, in a list and under *', async () => {
      const { get } = await serveCached(on, options)
      const ask = async (header: string): Promise<number> =>
        (await get(path, 'public', { 'If-None-Match': header })).status
      const etag = await tag(get)
      expect(await ask(`W/${etag}`)).toBe(304)
      expect(await ask(`"other", ${etag}`)).toBe(304)
      expect(await ask('*')).toBe(304)
      expect(await ask(etag.replaceAll('"', ''))).toBe(200)
      expect(await ask(`"${'a'.repeat(27)}"`)).toBe(200)
    })

    it('belongs to one query, one format and one set of permissions', async () => {
      const { get } = await serveCached(on, { ...options, extensions: [olderFormat] })
      const headers = { 'If-None-Match': await tag(get) }
      expect((await get(path, 'guest', headers)).status).toBe(304)
      expect((await get(path, 'reader', headers)).status).toBe(200)
      expect((await get(`${path}&sort=title`, 'public', headers)).status).toBe(200)
      expect((await get(path, 'public', { ...headers, 'Strapi-Response-Format': 'v4' })).status).toBe(200)
      expect((await get(path, 'nobody', headers)).status).toBe(403)
    })

    // The counter of SQLite belongs to one process and connection. On servers, spec/slow/cache-freshness.
    it('is not accepted by another router', async () => {
      const one = await serveCached(on, options)
      const other = await serveCached(on, options)
      const headers = { 'If-None-Match': await tag(one.get) }
      await tag(other.get)
      expect((await other.get(path, 'public', headers)).status).toBe(200)
      expect((await one.get(path, 'public', headers)).status).toBe(304)
    })
  })

  it('is absent without cache and without the option etag', async () => {
    const { get } = await serveCached(on, { cache: false })
    const { headers } = await get(path)
    expect(headers).not.toHaveProperty('etag')
  })

  it('HEAD is answered like GET, without the body', async () => {
    const { kept, head } = await serveCached(on)
    const { headers } = await kept(path)
    const answer = await head(path)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: '' })
    expect(answer.headers['content-length']).toBe(headers['content-length'])
    expect(answer.headers.etag).toBe(headers.etag)
  })

  describe('Cache-Control and Vary', () => {
    it('require revalidation, and are private for what not everybody may see', async () => {
      const { get } = await serveCached(on, { permissions })
      await tag(get)
      const shown = async (role: string): Promise<unknown[]> => {
        const { headers } = await get(path, role)
        return [headers['cache-control'], headers.vary]
      }
      expect(await shown('public')).toEqual(['public, no-cache', 'Strapi-Response-Format'])
      expect(await shown('reader')).toEqual(['private, no-cache', 'Strapi-Response-Format'])
    })

    it('are sent without an ETag as well', async () => {
      const { get } = await serveCached(on, { permissions, cache: false })
      const shown = async (role: string): Promise<unknown[]> => {
        const { headers } = await get(path, role)
        return [headers['cache-control'], headers.vary]
      }
      expect(await shown('public')).toEqual(['public, no-cache', 'Strapi-Response-Format'])
      expect(await shown('reader')).toEqual(['private, no-cache', 'Strapi-Response-Format'])
    })

    it('name the headers of all types that a response may contain', async () => {
      const headers = { author: { vary: ['X-Level'] }, 'api::genre.genre': { vary: ['X-Tenant', 'X-Level'] } }
      const { get } = await serveCached(on, { permissions: { public: { find: '*' } }, headers })
      const shown = async (what: string): Promise<unknown> => (await get(what)).headers.vary
      const vary = 'Strapi-Response-Format, X-Level, X-Tenant'
      expect(await shown('books?populate=author')).toBe(vary)
      expect(await shown('books?filters[author][name]=x')).toBe(vary)
      expect(await shown('books')).toBe(vary)
      expect(await shown('authors')).toBe(vary)
      expect(await shown('books/none')).toBe(vary)
      expect(await shown('books?sort=nope')).toBe(vary)
    })

    it('follow the option headers of the type', async () => {
      const headers = {
        '*': { cacheControl: 'max-age=5', vary: ['X-Tenant'] },
        book: { cacheControl: 'max-age=60' },
        'api::country.country': { shared: true },
      }
      const { get } = await serveCached(on, { permissions, cache: false, headers })
      const shown = async (what: string, role: string): Promise<unknown[]> => {
        const answer = await get(what, role)
        return [answer.headers['cache-control'], answer.headers.vary]
      }
      const vary = 'Strapi-Response-Format, X-Tenant'
      expect(await shown('books', 'public')).toEqual(['public, max-age=60', vary])
      expect(await shown('books', 'reader')).toEqual(['private, max-age=60', vary])
      expect(await shown('authors', 'public')).toEqual(['public, max-age=5', vary])
      expect(await shown('countries', 'reader')).toEqual(['public, max-age=5', vary])
    })
  })

  describe('compression', () => {
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes } as const

    it.each([
      ['br, gzip', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0.2, gzip;q=0.9', 'gzip'],
      ['gzip;q=0, *', 'br'],
      ['identity, gzip;q=0.5', 'none'],
      ['br;q=0, gzip;q=0', 'none'],
      ['deflate', 'none'],
    ] as const)('answers %s with %s', async (header, encoding) => {
      const { get, kept } = await serveCached(on, { cache: { compress: true } })
      const plain = await kept(path)
      const { status, headers, bytes } = await get(path, 'public', { 'Accept-Encoding': header })
      expect(status).toBe(200)
      expect(headers['content-encoding'] ?? 'none').toBe(encoding)
      expect(headers.vary).toBe('Strapi-Response-Format, Accept-Encoding')
      expect(headers['content-length']).toBe(String(bytes.length))
      expect(decode[encoding](bytes).toString()).toBe(plain.body)
    })

    it('has an ETag for each encoding', async () => {
      const { get, kept } = await serveCached(on, { cache: { compress: true } })
      await kept(path)
      const tags = await Promise.all(
        ['br', 'gzip', 'identity'].map(async (encoding) => {
          const { etag } = (await get(path, 'public', { 'Accept-Encoding': encoding })).headers
          return etag ?? ''
        }),
      )
      expect(new Set(tags).size).toBe(3)
      for (const tag of tags) {
        const { status, headers } = await get(path, 'public', { 'If-None-Match': tag })
        expect({ status, etag: headers.etag }).toEqual({ status: 304, etag: tag })
      }
    })

    it('happens once per entry, and counts towards the size of the cache', async () => {
      const { get, kept, router } = await serveCached(on, { cache: { compress: true } })
      await kept(path)
      const { bytes } = router.cache.stats()
      const answers = await Promise.all([1, 2, 3].map(() => get(path, 'public', { 'Accept-Encoding': 'br' })))
      const length = answers[0]?.bytes.length ?? 0
      expect(router.cache.stats().bytes).toBe(bytes + length)
      await get(path, 'public', { 'Accept-Encoding': 'br' })
      expect(router.cache.stats().bytes).toBe(bytes + length)
    })
  })

  describe('requests by a unique attribute', () => {
    const articles = [
      collection('article', { title: text, slug: { type: 'uid' } }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const { world } = stocked(database, articles, {
      article: ['dawn', 'dusk'].map((slug) => ({ title: `At ${slug}`, slug })),
    })

    it('have an ETag of their own, which holds until something changes', async () => {
      const { get } = await serveCached({ ...on, world }, { contentTypes: articles })
      const headers = { 'If-None-Match': await tag(get, 'articles/by/slug/dawn') }
      const statusOf = async (slug: string): Promise<number> =>
        (await get(`articles/by/slug/${slug}`, 'public', headers)).status
      expect([await statusOf('dawn'), await statusOf('dusk')]).toEqual([304, 200])
      await world.knex('articles').where({ slug: 'dawn' }).update({ title: 'Changed' })
      const changed = await get('articles/by/slug/dawn', 'public', headers)
      expect([changed.status, changed.body]).toEqual([200, expect.stringContaining('"title":"Changed"')])
      const other = await get('articles/by/slug/dusk')
      expect([other.status, other.body]).toEqual([200, expect.stringContaining('"title":"At dusk"')])
    })
  })

  describe('Cache-Control with rules', () => {
    const { serve } = stocked(database, orderTypes, orderContent)
    const own = { where: { id: { $asker: 'id' } } }
    const reachOf = async (
      find: NonNullable<Grant['find']>,
      headers: ContentRouterConfig['headers'],
    ): Promise<unknown> => {
      const role: RoleFunction = () => ({ roles: 'public', asker: { id: 1 } })
      const { get } = serve({ permissions: { public: { find } }, role, ...(headers && { headers }) })
      const answered = await get('orders')
      return (answered.headers as Readonly<Record<string, string>>)['cache-control']
    }

    it('is private if a rule compares with the asker', async () => {
      expect(await reachOf({ order: true }, undefined)).toBe('public, no-cache')
      expect(await reachOf({ order: own }, undefined)).toBe('private, no-cache')
      // The rule may be on a type that is not asked for.
      expect(await reachOf({ order: true, item: own }, undefined)).toBe('private, no-cache')
    })

    it('is public if the host application declares all types with such rules as shared', async () => {
      const [order, item] = [{ shared: true }, { shared: true }]
      expect(await reachOf({ order: own, item: own }, { order, item })).toBe('public, no-cache')
      expect(await reachOf({ order: own, item: own }, { order })).toBe('private, no-cache')
      expect(await reachOf({ order: own, item: own }, { item })).toBe('private, no-cache')
    })

    it('replaces a public header that the host application has set before', async () => {
      const host = async (
        find: NonNullable<Grant['find']>,
        options: Partial<ContentRouterConfig> = {},
        said = 'public, max-age=60',
      ) => {
        const role: RoleFunction = () => ({ roles: 'public', asker: { id: 1 } })
        const { app } = serve({ permissions: { public: { find } }, role, ...options })
        const before = express().use((_req, res, next) => {
          res.setHeader('Cache-Control', said)
          next()
        })
        before.use(app)
        const ways = ['orders', 'orders/none', 'orders/by/number/none', 'orders?sort=nope', 'customers']
        const answers = ways.map((path) => request(before).get(`/api/${path}`))
        return (await Promise.all(answers)).map(({ status, headers }) => [
          status,
          (headers as Readonly<Record<string, string>>)['cache-control'],
        ])
      }
      const statuses = [200, 404, 404, 400, 403]
      const refused = statuses.slice(1).map((status) => [status, 'private, no-store'])
      expect(await host({ order: true })).toEqual([[200, 'public, max-age=60'], ...refused])
      expect(await host({ order: own })).toEqual([[200, 'private, no-cache'], ...refused])
      expect(await host({ order: own }, {}, 'no-store')).toEqual([[200, 'no-store'], ...refused])
      // What is not there for one may be there for the next, whichever type the rule is on.
      expect(await host({ order: true, item: own })).toEqual([[200, 'private, no-cache'], ...refused])
      const forOne = [[200, 'private, no-store'], ...refused]
      const extensions = [watching(() => undefined, { seen: true })]
      expect(await host({ order: own }, { extensions })).toEqual(forOne)
      // Nor is it known whose answer it is where that cannot be told.
      const unknown = (status: number): unknown => statuses.map(() => [status, 'private, no-store'])
      expect(await host({ order: own }, { role: () => null })).toEqual(unknown(401))
      const fails: RoleFunction = () => {
        throw new Error('the session store is away')
      }
      expect(await host({ order: own }, { role: fails, logger: false })).toEqual(unknown(500))
    })
  })
})
