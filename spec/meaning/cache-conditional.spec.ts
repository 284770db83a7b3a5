import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { migrate, seed } from '../../lib'
import { serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { keeping } from '../support/hearing'
import { tagOf, whileItHolds } from '../support/tags'

const content = {
  country: [{ $ref: 'uk', name: 'UK' }],
  author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
  book: [...Array(12).keys()].map((number) => ({ title: `Book ${String(number)}`, author: 'ada' })),
}
const path = 'books?populate=author'
const find = ['book', 'author']
const permissions = { public: { find }, guest: { find }, reader: { find: '*' } } as const

onSqlite((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const on = { world, dialect: database.dialect }
  beforeAll(async () => {
    await migrate({ contentTypes: library, database: world.config })
    await seed({ contentTypes: library, database: world.config }, content)
  })
  const rename = async (title: string): Promise<void> => {
    await world.knex('books').update({ title })
  }

  describe.each([
    ['with a cache', { permissions, cache: {} }],
    ['without a cache', { permissions, cache: false, etag: true }],
  ] as const)('an ETag %s', (how, options) => {
    it('is answered with 304 for as long as nothing is committed, and reads no content', async () => {
      const { sql: statements, logger } = keeping()
      const { get } = await serveCached(on, { ...options, logger })
      let etag = ''
      await whileItHolds(get, path, async (tag) => {
        etag = tag
        statements.length = 0
        const same = await get(path, 'public', { 'If-None-Match': tag })
        expect(statements).toEqual([])
        expect([same.status, same.headers.etag, same.body]).toEqual([304, tag, ''])
      })
      await rename(`Changed ${how}`)
      const changed = await get(path, 'public', { 'If-None-Match': etag })
      expect(changed.status).toBe(200)
      expect(changed.body).toContain('Changed')
      expect(changed.headers.etag).not.toBe(etag)
    })

    it('is found weakened, in a list and under a star, and not in other words', async () => {
      const { get } = await serveCached(on, options)
      const ask = async (header: string): Promise<number> =>
        (await get(path, 'public', { 'If-None-Match': header })).status
      await whileItHolds(get, path, async (etag) => {
        expect(await ask(`W/${etag}`)).toBe(304)
        expect(await ask(`"other", ${etag}`)).toBe(304)
        expect(await ask('*')).toBe(304)
        expect(await ask(etag.replaceAll('"', ''))).toBe(200)
      })
      expect(await ask(`"${'a'.repeat(27)}"`)).toBe(200)
    })

    it('of one query, format or role that may see more says nothing to another', async () => {
      const { get } = await serveCached(on, options)
      await whileItHolds(get, path, async (etag) => {
        const headers = { 'If-None-Match': etag }
        expect((await get(path, 'guest', headers)).status).toBe(304)
        expect((await get(path, 'reader', headers)).status).toBe(200)
        expect((await get(`${path}&sort=title`, 'public', headers)).status).toBe(200)
        expect((await get(path, 'public', { ...headers, 'Strapi-Response-Format': 'v4' })).status).toBe(200)
        expect((await get(path, 'nobody', headers)).status).toBe(403)
      })
    })

    it('is that of every router of the same configuration on a server, and of no other', async () => {
      const one = await serveCached(on, options)
      const other = await serveCached(on, options)
      const wrapped = await serveCached(on, { ...options, relations: 'wrapped' })
      // The counter of SQLite means something to one process and connection only.
      const isShared = database.dialect !== 'sqlite'
      await whileItHolds(one.get, path, async (etag) => {
        const headers = { 'If-None-Match': etag }
        await tagOf(other.get, path)
        await tagOf(wrapped.get, path)
        expect((await other.get(path, 'public', headers)).status).toBe(isShared ? 304 : 200)
        expect((await wrapped.get(path, 'public', headers)).status).toBe(200)
      })
    })
  })

  it('is absent unless there is a cache or it is asked for', async () => {
    const { get } = await serveCached(on, { cache: false })
    const { headers } = await get(path)
    expect(headers).not.toHaveProperty('etag')
  })

  it('answers HEAD as GET, without the body', async () => {
    const { kept, head } = await serveCached(on)
    const { headers } = await kept(path)
    const answer = await head(path)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: '' })
    expect(answer.headers['content-length']).toBe(headers['content-length'])
    expect(answer.headers.etag).toBe(headers.etag)
  })

  describe('what caches are told', () => {
    it('is to ask every time, and to share nothing that not everybody may see', async () => {
      const { get } = await serveCached(on, { permissions })
      await tagOf(get, path)
      const shown = async (role: string): Promise<unknown[]> => {
        const { headers } = await get(path, role)
        return [headers['cache-control'], headers.vary]
      }
      expect(await shown('public')).toEqual(['public, no-cache', 'Strapi-Response-Format'])
      expect(await shown('reader')).toEqual(['private, no-cache', 'Strapi-Response-Format'])
    })

    it('is said of answers without a tag, too: of what is told nothing, some keep what others may not see', async () => {
      const { get } = await serveCached(on, { permissions, cache: false })
      const shown = async (role: string): Promise<unknown[]> => {
        const { headers } = await get(path, role)
        return [headers['cache-control'], headers.vary]
      }
      expect(await shown('public')).toEqual(['public, no-cache', 'Strapi-Response-Format'])
      expect(await shown('reader')).toEqual(['private, no-cache', 'Strapi-Response-Format'])
    })

    it('is what answers vary by, also where they lead to what varies', async () => {
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

    it('is what the configuration says for the type', async () => {
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

    it('gives each encoding a tag of its own, and knows it again', async () => {
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

    it('is done once, and counted', async () => {
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
})
