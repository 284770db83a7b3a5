import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrate, seed } from '../../lib'
import { onSqlite } from '../support/databases'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'recipes.md'), 'utf8')
const modules = [...page.matchAll(/```js\n\/\/ (\S+\.mjs)\n(.*?)```/gs)].map(([, name = '', code = '']) => ({
  name,
  code,
}))
const [, template = ''] = /```html\n(.*?)```/s.exec(page) ?? []

/** What every host below begins with: a router on the database, and a server for whatever app is made of it. */
const beginning = `
import { once } from 'node:events'
import express from 'express'
import { contentRouter } from 'express-content-router'

const database = JSON.parse(process.env.CONFIG)
const permissions = { public: { find: ['article', 'author'] } }
export const routerOf = (options) =>
  contentRouter({ contentTypes: './content-types', database, permissions, logger: false, ...options })
export const app = express()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
export const at = 'http://127.0.0.1:' + server.address().port
process.env.CONTENT_URL = at + '/api'
export async function tell(content, answer) {
  process.stdout.write(JSON.stringify(await answer))
  await content.close()
  server.closeAllConnections()
  server.close()
}
export const got = async (path, headers = {}) => {
  const response = await fetch(at + path, { headers })
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}
`

onSqlite((database) => {
  const world = database.fresh()
  let folder = ''

  beforeAll(async () => {
    if (!existsSync(join(root, 'dist', 'lib', 'index.js'))) throw new Error('run `npm run build` first')
    const config = { contentTypes: join(root, 'content-types'), database: world.config }
    await migrate(config)
    await seed(config, {
      author: [{ $ref: 'ada', documentId: 'ada', name: 'Ada & Co' }],
      article: [
        ...Array.from({ length: 101 }, (_, at) => ({
          title: `Article ${String(at)}`,
          slug: `article-${String(at)}`,
          author: 'ada',
        })),
        { title: 'Night', slug: 'night', author: 'ada', $status: 'draft' },
        { title: 'Long ago', slug: 'embargoed-once', embargoUntil: '2001-01-01T00:00:00.000Z' },
        { title: 'In time', slug: 'embargoed-still', embargoUntil: '2999-01-01T00:00:00.000Z' },
      ],
    })
    mkdirSync(join(root, '.tmp'), { recursive: true })
    folder = mkdtempSync(join(root, '.tmp', 'recipes-'))
    cpSync(join(root, 'content-types'), join(folder, 'content-types'), { recursive: true })
    for (const { name, code } of modules) writeFileSync(join(folder, name), code)
    mkdirSync(join(folder, 'views'))
    writeFileSync(join(folder, 'views', 'article.ejs'), template)
    mkdirSync(join(folder, 'public', 'uploads'), { recursive: true })
    writeFileSync(join(folder, 'public', 'uploads', 'cover.txt'), 'a cover')
    writeFileSync(join(folder, 'host.mjs'), beginning)
  }, 60_000)
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  async function told(code: string): Promise<unknown> {
    const main = `import { app, at, got, routerOf, tell } from './host.mjs'\n${code}`
    writeFileSync(join(folder, 'main.mjs'), main)
    const env = {
      ...process.env,
      CONFIG: JSON.stringify(world.config),
      PREVIEW_SECRET: 'a secret',
      LOGIN_SECRET: 'of the login',
    }
    const { stdout } = await run(process.execPath, ['main.mjs'], { cwd: folder, env })
    return JSON.parse(stdout)
  }

  describe('docs/recipes.md', () => {
    it('asks as a front end does, page by page', async () => {
      const answer = await told(`
        const router = routerOf()
        app.use('/api', router)
        const { articleBySlug, allSlugs } = await import('./articles.mjs')
        const { content } = await import('./content.mjs')
        const ask = async () => ({
          one: (await articleBySlug('article-7')).author.name,
          none: await articleBySlug('nowhere'),
          slugs: (await allSlugs()).length,
          refused: await content('articles', { fields: ['nope'] }).catch(({ status }) => status),
        })
        await tell(router, ask())`)
      expect(answer).toEqual({ one: 'Ada & Co', none: null, slugs: 103, refused: 400 })
    }, 30_000)

    it('renders pages in the same app, with content escaped', async () => {
      const answer = await told(`
        const router = routerOf()
        app.use('/api', router)
        const { pagesOf } = await import('./pages.mjs')
        app.use(pagesOf(router))
        const ask = async () => [await got('/articles/article-7'), await got('/articles/nowhere')]
        await tell(router, ask())`)
      expect(answer).toMatchObject([
        { status: 200, text: '<h1>Article 7</h1>\n<p>by Ada &amp; Co</p>\n' },
        { status: 404 },
      ])
    }, 30_000)

    it('shows drafts to who has the secret, and to nobody else', async () => {
      const answer = await told(`
        const { preview } = await import('./preview.mjs')
        const router = routerOf(preview)
        app.use('/api', router)
        const path = '/api/articles?status=draft&filters[slug]=night&fields=title'
        const statusWith = async (secret) => (await got(path, { 'X-Preview': secret })).status
        const ask = async () => {
          const { headers, text } = await got(path, { 'X-Preview': 'a secret' })
          const refused = [await statusWith('a secres'), await statusWith(''), (await got(path)).status]
          return { titles: JSON.parse(text).data.map(({ title }) => title), vary: headers.vary, refused }
        }
        await tell(router, ask())`)
      expect(answer).toEqual({
        titles: ['Night'],
        vary: expect.stringContaining('X-Preview') as string,
        refused: [403, 403, 403],
      })
    }, 30_000)

    it('shows authors their own articles and drafts', async () => {
      const answer = await told(`
        import jwt from 'jsonwebtoken'
        const { own } = await import('./own.mjs')
        const router = routerOf(own)
        app.use('/api', router)
        const totalFor = async (claims, path, secret = 'of the login') => {
          const headers = claims === null ? {} : { Authorization: 'Bearer ' + jwt.sign(claims, secret) }
          const { status, text } = await got('/api/' + path, headers)
          return status === 200 ? JSON.parse(text).meta.pagination.total : status
        }
        const ask = async () => [
          await totalFor({ author: 'ada' }, 'articles'),
          await totalFor({ author: 'ada' }, 'articles?status=draft&filters[slug]=night'),
          await totalFor({ author: 'ben' }, 'articles'),
          await totalFor({}, 'articles'),
          await totalFor({ author: 'ada' }, 'articles', 'guessed'),
          await totalFor(null, 'articles'),
        ]
        await tell(router, ask())`)
      expect(answer).toEqual([101, 1, 0, 0, 403, 403])
    }, 30_000)

    it('shows each site its own', async () => {
      const answer = await told(`
        const { sites } = await import('./sites.mjs')
        const router = routerOf(sites)
        app.set('trust proxy', 1)
        app.use('/api', router)
        const askFor = async (host) => {
          const { headers, text } = await got('/api/articles?populate=author', { 'X-Forwarded-Host': host })
          return [JSON.parse(text).meta.pagination.total, headers['cache-control']]
        }
        await tell(router, Promise.all([askFor('ada.example.com'), askFor('ben.example.com')]))`)
      expect(answer).toEqual([
        [101, 'private, no-cache'],
        [0, 'private, no-cache'],
      ])
    }, 30_000)

    it('shows a teaser to everybody and the whole to who pays', async () => {
      const answer = await told(`
        const { paid } = await import('./paid.mjs')
        const router = routerOf(paid)
        const pays = (req, _res, next) => {
          if (req.get('X-Pays') === 'yes') req.user = { isPaying: true }
          next()
        }
        app.use('/api', pays, router)
        const ask = async (query, headers) => {
          const { status, text } = await got('/api/articles?pagination[limit]=1' + query, headers)
          return status === 200 ? Object.keys(JSON.parse(text).data[0]) : status
        }
        const both = async (query) => [await ask(query, {}), await ask(query, { 'X-Pays': 'yes' })]
        await tell(router, Promise.all([both(''), both('&filters[body][$notNull]=false')]))`)
      const [[teaser, whole], filtered] = answer as [[string[], string[]], [number, unknown]]
      expect(teaser).toEqual(['id', 'documentId', 'title', 'slug', 'publishedAt'])
      expect(whole).toEqual(expect.arrayContaining([...teaser, 'body']))
      expect(filtered[0]).toBe(400)
      expect(filtered[1]).toEqual(whole)
    }, 30_000)

    it('shows what has its day by that day', async () => {
      const answer = await told(`
        const { embargo } = await import('./embargo.mjs')
        const router = routerOf(embargo)
        app.use('/api', router)
        const ask = async () => {
          const { headers, text } = await got('/api/articles?filters[slug][$startsWith]=embargoed')
          return [JSON.parse(text).data.map(({ title }) => title), headers['cache-control']]
        }
        await tell(router, ask())`)
      expect(answer).toEqual([['Long ago'], 'public, max-age=60'])
    }, 30_000)

    it('serves files, and gives them the address of a CDN', async () => {
      const answer = await told(`
        const { files } = await import('./files.mjs')
        const { fileUrl } = await import('./cdn.mjs')
        const router = routerOf({ fileUrl })
        app.use('/uploads', files)
        const ask = async () => ({
          cover: (await got('/uploads/cover.txt')).text,
          listing: (await got('/uploads/')).status,
          addresses: ['/uploads/a.jpg', 'https://bucket.example.com/b.jpg'].map((url) => fileUrl({ url })),
        })
        await tell(router, ask())`)
      expect(answer).toEqual({
        cover: 'a cover',
        listing: 404,
        addresses: ['https://cdn.example.com/uploads/a.jpg', 'https://bucket.example.com/b.jpg'],
      })
    }, 30_000)

    it('answers behind helmet, CORS, a rate limit and compression', async () => {
      const answer = await told(`
        const { guarded } = await import('./guarded.mjs')
        const router = routerOf()
        app.use(guarded(router))
        const ask = async () => {
          const { status, headers, text } = await got('/api/articles', { 'Accept-Encoding': 'gzip' })
          const { length } = JSON.parse(text).data
          const names = ['access-control-allow-origin', 'cross-origin-resource-policy', 'content-encoding']
          return { status, length, told: names.map((name) => headers[name]), limited: 'ratelimit' in headers }
        }
        await tell(router, ask())`)
      expect(answer).toEqual({
        status: 200,
        length: 25,
        told: ['https://www.example.com', 'cross-origin', 'gzip'],
        limited: true,
      })
    }, 30_000)

    it('leaves to Strapi what only Strapi answers, where that stands behind', async () => {
      const paths = [...page.matchAll(/^\| `(\/api\/[^`]+)` +\|/gm)].map(([, path]) => path)
      expect(paths).toContain('/api/connect/google')
      const answer = await told(`
        const { strapi5 } = await import('express-content-router')
        const router = routerOf({ ...strapi5 })
        const strict = routerOf({ ...strapi5, notFound: 'json' })
        app.use('/strict/api', strict)
        app.use('/api', router, (_req, res) => res.send('Strapi'))
        const ask = async () => {
          const answers = []
          for (const path of [...${JSON.stringify(paths)}, '/api/articles/none'])
            answers.push([path, (await got(path)).text === 'Strapi', (await got('/strict' + path)).status])
          await strict.close()
          return answers
        }
        await tell(router, ask())`)
      expect(answer).toEqual([...paths.map((path) => [path, true, 404]), ['/api/articles/none', false, 404]])
    }, 30_000)

    it('is alive without a database, and ready with one', async () => {
      const answer = await told(`
        const { health } = await import('./health.mjs')
        const router = routerOf()
        const lost = routerOf({ database: { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true } })
        app.use(health(router))
        app.use('/lost', health(lost))
        const paths = ['/live', '/ready', '/ready', '/lost/live', '/lost/ready']
        const ask = async () => {
          const statuses = []
          for (const path of paths) statuses.push((await got(path)).status)
          await lost.close()
          return statuses
        }
        await tell(router, ask())`)
      expect(answer).toEqual([200, 200, 200, 200, 503])
    }, 30_000)
  })
})

describe('the code of docs/recipes.md', () => {
  it('has a name wherever it is JavaScript', () => {
    expect(modules.map(({ name }) => name)).toEqual([
      ...[
        'content.mjs',
        'articles.mjs',
        'pages.mjs',
        'preview.mjs',
        'own.mjs',
        'sites.mjs',
        'paid.mjs',
        'embargo.mjs',
        'files.mjs',
        'cdn.mjs',
        'guarded.mjs',
      ],
      'health.mjs',
    ])
    expect(page.match(/```js\n/g)).toHaveLength(modules.length)
  })
})
