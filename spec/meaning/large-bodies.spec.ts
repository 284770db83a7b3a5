import { once } from 'node:events'
import { get } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import type { ContentRouterConfig } from '../../lib'
import { serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { alone } from '../support/own-server'
import { stocked } from '../support/served'
import { whileItHolds } from '../support/tags'
import { serveTurning } from '../support/turns'

const types = [
  collection('author', {
    name: text,
    articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
  }),
  collection('article', {
    title: text,
    body: { type: 'text' },
    author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
  }),
] as unknown as ContentRouterConfig['contentTypes']

/** Signs of one to four bytes, and some that JSON escapes, each time at another distance from the beginning. */
const bodyOf = (number: number): string => 'x'.repeat(number) + 'é"ß\n€ 😀 '.repeat(9000)

const numbers = [...Array(40).keys()]
const written = numbers.map((number) => ({ title: `number ${String(number)}`, body: bodyOf(number) }))

interface Article {
  readonly title: string
  readonly body: string
}

const told = (articles: readonly Article[]): Article[] =>
  articles
    .map(({ title, body }) => ({ title, body }))
    .sort((one, other) => one.body.length - other.body.length)

const path = '/api/authors?populate=articles'
const whole = '/api/articles?pagination[pageSize]=100'

onSqlite((database) => {
  const { world } = stocked(alone(database), types, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    article: written.map((article) => ({ ...article, author: 'ada' })),
  })
  const options = { contentTypes: types }
  const place = { world, dialect: database.dialect }

  describe('a body of some megabytes', () => {
    it.each([
      ['of one entry that shows many', path],
      ['of many entries', whole],
    ])('%s says what was written, as one JSON text of the length that is announced', async (_what, asked) => {
      const { ask } = await serveTurning(world, options)
      const { status, headers, body, bytes } = await ask(asked)
      expect(status).toBe(200)
      expect(headers['content-length']).toBe(String(bytes.length))
      expect(bytes.length).toBeGreaterThan(4_000_000)
      const { data } = JSON.parse(body) as { data: readonly Record<string, unknown>[] }
      const articles = asked === path ? data[0]?.['articles'] : data
      expect(told(articles as Article[])).toEqual(written)
      expect(JSON.stringify(JSON.parse(body))).toBe(body)
    })

    it('is announced to HEAD with the same length, and named by the same tag', async () => {
      const cached = await serveCached(place, { ...options, etag: true })
      const asked = 'authors?populate=articles'
      await whileItHolds(cached.get, asked, async (etag) => {
        const { headers } = await cached.get(asked)
        const announced = await cached.head(asked)
        expect(announced.bytes).toHaveLength(0)
        expect(announced.headers).toMatchObject({ 'content-length': headers['content-length'], etag })
        const { status } = await cached.get(asked, 'public', { 'if-none-match': etag })
        expect(status).toBe(304)
      })
    })

    it('is the same from memory, and once it is compressed', async () => {
      const fresh = await (await serveTurning(world, options)).ask(path)
      const cached = await serveCached(place, { ...options, cache: { compress: true } })
      const asked = 'authors?populate=articles'
      await whileItHolds(cached.get, asked, async () => {
        const kept = await cached.kept(asked)
        expect(kept.bytes.equals(fresh.bytes)).toBe(true)
        const { hits } = cached.router.cache.stats()
        const { headers, bytes } = await cached.get(asked, 'public', { 'accept-encoding': 'br' })
        expect(headers['content-encoding']).toBe('br')
        expect(cached.router.cache.stats().hits).toBe(hits + 1)
        expect(brotliDecompressSync(bytes).equals(fresh.bytes)).toBe(true)
      })
    })

    it.each([path, whole])('is written turn by turn of the event loop: %s', async (asked) => {
      const { turnsOf } = await serveTurning(world, options)
      expect(await turnsOf(asked)).toBeGreaterThanOrEqual(6)
    })

    it('lets another request be answered while it is written', async () => {
      const order: string[] = []
      const { ask, afterStatements } = await serveTurning(world, options, (event) => order.push(event))
      const { body } = await ask('/ping')
      expect(body).toBe('pong')
      let pong: Promise<unknown> = Promise.resolve()
      afterStatements(2, () => {
        pong = ask('/ping')
      })
      await ask(path)
      await pong
      expect(order).toEqual(['ping', 'ping', 'sent'])
    })

    it('is not written to its end for a client that leaves', async () => {
      const read = { statements: 0, call: (): void => undefined }
      const onStatement = (): void => {
        read.statements += 1
        if (read.statements === 2) read.call()
      }
      const cached = await serveCached(place, { ...options, onStatement })
      await cached.kept('articles?fields=title')
      const { entries } = cached.router.cache.stats()
      read.statements = 0
      const asking = get(cached.origin + path)
      const gone = once(asking, 'error')
      read.call = () => {
        asking.destroy(new Error('gone'))
      }
      await gone
      for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve))
      expect(cached.router.cache.stats().entries).toBe(entries)
      await cached.kept('authors?populate=articles')
      expect(cached.router.cache.stats().entries).toBe(entries + 1)
    })
  })

  describe('a plain page', () => {
    it('is written at once', async () => {
      const { turnsOf } = await serveTurning(world, options)
      expect(await turnsOf('/api/authors?populate[articles][fields]=title')).toBe(0)
    })
  })
})
