import { transformSync } from '@swc/core'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { compileFunction } from 'node:vm'
import request from 'supertest'
import * as library from '../../lib'
import type { ContentRouterConfig, Extension } from '../../lib'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, relation, text } from '../support/library'
import { type Served, stocked } from '../support/served'
import { modulesIn } from '../support/type-check'

const root = join(__dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')
const page = read('how-to/write-an-extension.md')

/** The examples, by the names of their files. */
const examples = new Map(
  [...page.matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\n(.*?)^```/gms)].map(([, name = '', code = '']) => [
    name,
    code,
  ]),
)

/** What an example exports: functions that make extensions. */
function exportsOf(name: string): Readonly<Record<string, (...options: readonly unknown[]) => Extension>> {
  const { code } = transformSync(examples.get(name) ?? '', {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  })
  const modules = new Map<string, unknown>([['express-content-router', library]])
  const exports = {}
  const given = ['require', 'exports', 'setInterval', 'clearInterval']
  const run = compileFunction(code, given) as (...values: unknown[]) => void
  run((one: string) => modules.get(one), exports, setInterval, clearInterval)
  return exports
}

function extensionOf(file: string, factory: string, ...options: readonly unknown[]): Extension {
  const make = exportsOf(file)[factory]
  if (make === undefined) throw new Error(`${file} exports no ${factory}`)
  return make(...options)
}

const types = [
  collection('article', { title: text, author: relation('manyToOne', 'author', { inversedBy: 'articles' }) }),
  collection('author', {
    name: text,
    email: text,
    articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
  }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  author: [{ $ref: 'ada', name: 'Ada', email: 'ada@example.com' }, { name: 'Ben' }],
  article: [
    { title: 'Dawn', author: 'ada', publishedAt: '2026-01-01T00:00:00.000Z' },
    { title: 'Noon', author: 'ada', publishedAt: '2026-01-02T00:00:00.000Z' },
    { title: 'Dusk', publishedAt: '2026-01-03T00:00:00.000Z' },
  ],
}

describe('the examples of docs/how-to/write-an-extension.md', () => {
  const inModule = modulesIn(__dirname)
  const snippets = [...examples].map(
    ([name, code]) =>
      [name, inModule(code.replaceAll(`'express-content-router'`, `'../../dist/lib'`))] as const,
  )

  it.each(snippets)('compile: %s', (_name, { problems }) => {
    expect(problems()).toEqual([])
  })

  it('have names of files', () => {
    expect(page.match(/^```ts$/gm)).toHaveLength(examples.size)
    expect(examples.size).toBe(9)
  })

  onSqlite((database) => {
    const { serve } = stocked(database, types, content)
    const serveWith = (extension: Extension, more: Partial<ContentRouterConfig> = {}): Served =>
      serve({ extensions: [extension], ...more })

    it('add a header', async () => {
      const { get } = serveWith(extensionOf('hello.ts', 'hello'))
      expect((await get('articles')).headers).toMatchObject({ 'x-hello': 'world' })
    })

    it('send a header by type, for responses that are read, cached and unchanged', async () => {
      const { app, get } = serveWith(extensionOf('type-header.ts', 'typeHeader'), { cache: {} })
      for (let turn = 0; turn < 2; turn += 1)
        expect((await get('articles')).headers).toMatchObject({ 'x-content-of': 'api::article.article' })
      const { headers } = await get('authors')
      expect(headers).toMatchObject({ 'x-content-of': 'api::author.author' })
      const unchanged = await request(app).get('/api/authors').set('if-none-match', String(headers['etag']))
      expect([unchanged.status, unchanged.headers['x-content-of']]).toEqual([304, 'api::author.author'])
    })

    it('send no such header with a 403', async () => {
      const { get } = serveWith(extensionOf('type-header.ts', 'typeHeader'))
      const { status, headers } = await get('articles', 'stranger')
      expect(status).toBe(403)
      expect(headers).not.toHaveProperty('x-content-of')
    })

    it('serve a route with the rights of the role, for no cache', async () => {
      const permissions = { public: { find: ['author'] }, editor: { find: '*' } } as const
      const { get } = serveWith(extensionOf('my-types.ts', 'myTypes'), { permissions })
      const mine = await get('my-types')
      expect(mine.body).toEqual({ data: ['authors'] })
      expect(mine.headers).toMatchObject({ 'cache-control': 'private, no-store' })
      expect((await get('my-types', 'editor')).body).toEqual({ data: ['articles', 'authors'] })
      expect((await get('my-types', '')).status).toBe(401)
    })

    it('name no withheld type there', async () => {
      const extensions = [
        extensionOf('my-types.ts', 'myTypes'),
        extensionOf('withhold.ts', 'withhold', 'article'),
      ]
      expect((await serve({ extensions }).get('my-types')).body).toEqual({ data: ['authors'] })
    })

    it('take the role from a header', async () => {
      const roles = new Map([['k1', 'editor']])
      const { app } = serveWith(extensionOf('role-by-key.ts', 'roleByKey', roles), {
        permissions: { public: { find: ['author'] }, editor: { find: '*' } },
        // Not written, so that the default holds.
        role: undefined as never,
      })
      const answerTo = (key?: string): request.Test =>
        request(app)
          .get('/api/articles')
          .set(key === undefined ? {} : { 'X-Api-Key': key })
      const answered = await answerTo('k1')
      expect(answered.status).toBe(200)
      expect(answered.headers).toMatchObject({ vary: expect.stringContaining('X-Api-Key') as string })
      expect((await answerTo()).status).toBe(403)
      expect((await answerTo('constructor')).status).toBe(401)
    })

    it('rewrite a query, within the rights of the role', async () => {
      const { values, refusal } = serveWith(extensionOf('latest.ts', 'latest'))
      expect(await values('articles?latest=2', 'title')).toEqual(['Dusk', 'Noon'])
      expect(await values('articles?latest=9&filters[title][$ne]=Dusk', 'title')).toEqual(['Noon', 'Dawn'])
      expect(await values('articles?sort=title', 'title')).toEqual(['Dawn', 'Dusk', 'Noon'])
      expect((await refusal('articles?latest=2&filters[secret]=1')).path).toBe('filters.secret')
    })

    it.each(['0', '100', 'x', '[2]'])('refuse a wrong parameter: %s', async (count) => {
      const { get } = serveWith(extensionOf('latest.ts', 'latest'))
      expect((await get(`articles?latest=${count}`)).body).toMatchObject({
        error: { status: 400, message: 'latest is a number from 1 to 99' },
      })
    })

    it('change rows wherever they are shown, and only there prevent caching', async () => {
      const { get, list } = serveWith(extensionOf('mask-emails.ts', 'maskEmails'), { cache: {} })
      expect(await list('authors?sort=name')).toMatchObject([{ email: '…@example.com' }, { email: null }])
      const populated = await get('articles?sort=title&populate[author][populate][articles][populate]=author')
      expect(populated.text).not.toContain('ada@')
      expect(populated.text.split('…@example.com')).toHaveLength(1 + 2 + 2 * 2)
      expect(populated.headers).toMatchObject({ 'cache-control': 'private, no-store' })
      const without = await get('articles?populate[author][fields]=name')
      expect(without.headers).toHaveProperty('etag')
    })

    it('count responses by type and status', async () => {
      const counts = new Map<string, number>()
      const { get } = serveWith(extensionOf('request-counts.ts', 'requestCounts', counts))
      for (const path of ['articles', 'articles', 'articles?sort=none', 'authors']) await get(path)
      await get('authors', 'stranger')
      expect(Object.fromEntries(counts)).toEqual({
        'api::article.article 200': 2,
        'api::article.article 400': 1,
        'api::author.author 200': 1,
        'api::author.author 403': 1,
      })
    })

    it('start with the router and end with it', async () => {
      let beats: boolean[] = []
      const extension = extensionOf('heartbeat.ts', 'heartbeat', (isUp: boolean) => beats.push(isUp), 10)
      const router = library.contentRouter({
        contentTypes: types,
        database: { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true },
        logger: false,
        extensions: [extension],
      })
      while (beats.length < 2) await pause(5)
      expect(beats.slice(0, 2)).toEqual([true, true])
      await router.close()
      await pause(30)
      beats = []
      await pause(50)
      expect(beats).toEqual([])
    })

    it('report faults of their own options', () => {
      expect(() => serveWith(extensionOf('heartbeat.ts', 'heartbeat', () => undefined, 1))).toThrow(
        /heartbeat: everyMs is less than 10/,
      )
    })

    it('take types off the API, but not out of other entries', async () => {
      const { get, list } = serveWith(extensionOf('withhold.ts', 'withhold', 'author'))
      expect((await get('authors')).status).toBe(403)
      expect(await list('articles?populate=author&filters[title]=Dawn')).toMatchObject([
        { author: { name: 'Ada' } },
      ])
    })

    it('log what an observer throws, and change no response', async () => {
      const { errors, logger } = keeping()
      const failing: Extension = {
        name: 'failing',
        observe: {
          addsMeta: false,
          follow: () => () => ({
            on: () => {
              throw new Error('own words')
            },
          }),
        },
      }
      expect((await serveWith(failing, { logger }).get('articles')).status).toBe(200)
      expect(errors).not.toEqual([])
    })
  })
})

describe('the list in docs/reference/extensions.md', () => {
  it('has each entry point, with functions that it exports', async () => {
    const rows = [...read('reference/extensions.md').matchAll(/^\| `\/(\w+)` +\| (.*?) \|/gm)]
    const listed = new Set(rows.map(([, name]) => name))
    const folders = readdirSync(join(root, 'extensions'))
    expect([...listed].sort()).toEqual(folders.sort())
    for (const [, name = '', functions = ''] of rows) {
      const given = (await import(join(root, 'extensions', name))) as Readonly<Record<string, unknown>>
      const named = [...functions.matchAll(/`(\w+)\(\)`/g)].map(([, one = '']) => one)
      expect(named.length).toBeGreaterThan(0)
      expect(named.filter((one) => typeof given[one] !== 'function')).toEqual([])
    }
  })

  it.each(readdirSync(join(root, 'extensions')))('has a short README for each: %s', (name) => {
    const readme = join(root, 'extensions', name, 'README.md')
    expect(existsSync(readme)).toBe(true)
    const lines = readFileSync(readme, 'utf8').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    const parts = [
      /^# /m,
      /```(?:js|ts)\n/,
      /\*\*Costs\*\*|^## What it costs$/m,
      /\*\*Promises\*\*|^## What it promises$/m,
    ]
    expect(parts.filter((part) => !part.test(lines.join('\n')))).toEqual([])
  })
})
