import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { compileFunction } from 'node:vm'
import { transformSync } from '@swc/core'
import type { Knex } from 'knex'
import { migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { testDatabase, testDatabases } from '../support/databases'
import { library } from '../support/library'
import { startSample } from '../support/sample-site'
import { stocked } from '../support/served'
import { freePort } from '../support/servers/private-server'

// The code of these pages runs in processes of its own, on the package as it is built.

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** A folder inside this one, so that its files find the same packages; removed after the tests. */
function folderHere(name: string): () => string {
  let folder = ''
  beforeAll(() => {
    if (!existsSync(join(root, 'dist', 'lib', 'index.js'))) throw new Error('run `npm run build` first')
    mkdirSync(join(root, '.tmp'), { recursive: true })
    folder = mkdtempSync(join(root, '.tmp', `${name}-`))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return () => folder
}

/** The complaints of the strictest compiler about these files. */
async function problemsIn(folder: string, files: readonly string[]): Promise<string> {
  const settings = {
    compilerOptions: {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ module: 'preserve', jsx: 'preserve', target: 'es2022', types: ['node'], skipLibCheck: true },
    },
    files,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(root, 'node_modules', 'typescript7', 'bin', 'tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  )
  return stdout
}

/** Empty for a file of SQLite, which the page names itself. */
function urlOf({ client, connection }: Knex.Config): string {
  const { host, port, user, password, database } = connection as Readonly<Record<string, string>>
  if (host === undefined) return ''
  const url = new URL(`${client === 'pg' ? 'postgres' : 'mysql'}://${host}:${String(port)}/${database ?? ''}`)
  return Object.assign(url, { username: user, password }).href
}

/** Makes the hosts, runs each recipe with one, and prints the answers. */
const main = `
import { once } from 'node:events'
import express from 'express'
import { contentRouter } from 'express-content-router'

const database = JSON.parse(process.env.CONFIG)
const permissions = { public: { find: ['article', 'author'] } }
const routerOf = (options) =>
  contentRouter({ contentTypes: './content-types', database, permissions, logger: false, ...options })

async function makeHost() {
  const app = express()
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = 'http://127.0.0.1:' + server.address().port
  const got = async (path, headers = {}) => {
    const response = await fetch(at + path, { headers })
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  }
  const tell = async (content, answer) => {
    const told = await answer
    await content.close()
    return told
  }
  return { app, at, got, routerOf, tell, close: () => { server.closeAllConnections(); server.close() } }
}

const told = {}
for (const name of JSON.parse(process.env.RECIPES)) {
  const host = await makeHost()
  try {
    const { run } = await import('./' + name)
    told[name] = { answer: await run(host) }
  } catch (error) {
    told[name] = { problem: String(error.stack) }
  }
  host.close()
}
process.stdout.write(JSON.stringify(told))
`

/** Takes code that has a host, and returns its answer once all have run. */
function recipesIn(folder: () => string, env: () => Readonly<Record<string, string>>) {
  const codes: string[] = []
  let told: Readonly<Record<string, { readonly answer?: unknown; readonly problem?: string }>> = {}
  const nameOf = (number: number): string => `recipe-${String(number)}.mjs`
  beforeAll(async () => {
    codes.forEach((code, number) => {
      const text = `export async function run({ app, at, got, routerOf, tell }) {\n${code}\n}\n`
      writeFileSync(join(folder(), nameOf(number)), text)
    })
    writeFileSync(join(folder(), 'main.mjs'), main)
    const { stdout } = await run(process.execPath, ['main.mjs'], {
      cwd: folder(),
      env: { ...process.env, ...env(), RECIPES: JSON.stringify(codes.map((_, number) => nameOf(number))) },
    })
    told = JSON.parse(stdout) as typeof told
  }, 60_000)
  return (code: string): (() => unknown) => {
    const name = nameOf(codes.push(code) - 1)
    return () => {
      const { answer, problem } = told[name] ?? { problem: `nothing was told of ${name}` }
      if (problem !== undefined) throw new Error(problem)
      return answer
    }
  }
}

/** The how-to guides whose code runs here. */
const guides = [
  'front-end',
  'server-rendered-pages',
  'own-articles',
  'paid-content',
  'scheduled-content',
  'serve-files',
  'use-with-middleware',
  'move-from-strapi',
]

/** Guides with other code besides. */
const mixedGuides = ['multi-tenant', 'drafts-and-preview']

interface NamedCode {
  readonly name: string
  readonly code: string
}

/** Code that has its file name in the first line. */
const namedCodeIn = (page: string): readonly NamedCode[] =>
  [...page.matchAll(/```(?:js|tsx?)\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name = '', code = '']) => ({
    name,
    code,
  }))

/** A module of Node: without types, and with the names of files. */
const asModule = ({ name, code }: NamedCode): NamedCode => ({
  name: name.replace(/\.ts$/, '.mjs'),
  code: transformSync(code, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  }).code.replaceAll(/from '(\.\/\w+)'/g, `from '$1.mjs'`),
})

describe('the how-to guides and docs/start/explorer.md', () => {
  const textOf = (names: readonly string[]): string =>
    names.map((name) => read(`docs/how-to/${name}.md`)).join('\n')
  const page = textOf(guides)
  const ownModules = namedCodeIn(page).filter(({ name }) => name.endsWith('.mjs'))
  const modules = [...ownModules, ...namedCodeIn(textOf(mixedGuides))]
  const typedModules = namedCodeIn(read('docs/how-to/front-end.md'))
    .filter(({ name }) => ['api.ts', 'articles.ts'].includes(name))
    .map(asModule)
  const [, template = ''] = /```html\n(.*?)```/s.exec(page) ?? []
  const [, explorerName = '', explorerCode = ''] =
    /```js\n\/\/ (\S+\.mjs)\n(.*?)```/s.exec(read('docs/start/explorer.md')) ?? []

  const world = testDatabase('sqlite').fresh()
  const books = stocked(testDatabase('sqlite'), library, { genre: [{ name: 'Rain' }] }).world
  const folder = folderHere('recipes')

  beforeAll(async () => {
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
    cpSync(join(root, 'content-types'), join(folder(), 'content-types'), { recursive: true })
    for (const { name, code } of [...modules, ...typedModules]) writeFileSync(join(folder(), name), code)
    writeFileSync(join(folder(), explorerName), explorerCode)
    mkdirSync(join(folder(), 'views'))
    writeFileSync(join(folder(), 'views', 'article.ejs'), template)
    mkdirSync(join(folder(), 'public', 'uploads'), { recursive: true })
    writeFileSync(join(folder(), 'public', 'uploads', 'cover.txt'), 'a cover')
  }, 60_000)

  const recipe = recipesIn(folder, () => ({
    CONFIG: JSON.stringify(world.config),
    BOOKS: JSON.stringify({ contentTypes: library, database: books.config }),
    PREVIEW_SECRET: 'a secret',
    LOGIN_SECRET: 'of the login',
  }))

  const front = recipe(`
        const router = routerOf()
        app.use('/api', router)
        process.env.CONTENT_URL = at + '/api'
        const { articleBySlug, allSlugs, newestArticles } = await import('./articles.mjs')
        const { content } = await import('./content.mjs')
        const { api } = await import('./api.mjs')
        const bySlug = { filters: { slug: { $eq: 'article-8' } }, populate: 'author' }
        const ask = async () => ({
          one: (await articleBySlug('article-7')).author.name,
          none: await articleBySlug('nowhere'),
          slugs: (await allSlugs()).length,
          newest: (await newestArticles()).length,
          refused: await api.find('articles', { fields: ['nope'] }).catch(({ status }) => status),
          byHand: (await content('articles', bySlug)).data.map(({ author }) => author.name),
          refusedByHand: await content('articles', { fields: ['nope'] }).catch(({ status }) => status),
        })
        return tell(router, ask())`)
  it('fetches all pages as a front end does', () => {
    expect(front()).toEqual({
      ...{ one: 'Ada & Co', none: null, slugs: 103, newest: 10, refused: 400 },
      ...{ byHand: ['Ada & Co'], refusedByHand: 400 },
    })
  })

  const pages = recipe(`
        const router = routerOf()
        app.use('/api', router)
        const { pagesOf } = await import('./pages.mjs')
        app.use(pagesOf(router))
        const ask = async () => [await got('/articles/article-7'), await got('/articles/nowhere')]
        return tell(router, ask())`)
  it('renders pages in the same app, with content escaped', () => {
    expect(pages()).toMatchObject([
      { status: 200, text: '<h1>Article 7</h1>\n<p>by Ada &amp; Co</p>\n' },
      { status: 404 },
    ])
  })

  const preview = recipe(`
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
        return tell(router, ask())`)
  it('shows drafts only to requests with the secret', () => {
    expect(preview()).toEqual({
      titles: ['Night'],
      vary: expect.stringContaining('X-Preview') as string,
      refused: [403, 403, 403],
    })
  })

  const own = recipe(`
        const { default: jwt } = await import('jsonwebtoken')
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
        return tell(router, ask())`)
  it('shows authors their own articles and drafts', () => {
    expect(own()).toEqual([101, 1, 0, 0, 403, 403])
  })

  const sites = recipe(`
        const { sites } = await import('./sites.mjs')
        const router = routerOf(sites)
        app.set('trust proxy', 1)
        app.use('/api', router)
        const askFor = async (host) => {
          const { headers, text } = await got('/api/articles?populate=author', { 'X-Forwarded-Host': host })
          return [JSON.parse(text).meta.pagination.total, headers['cache-control']]
        }
        return tell(router, Promise.all([askFor('ada.example.com'), askFor('ben.example.com')]))`)
  it('shows each site its own articles', () => {
    expect(sites()).toEqual([
      [101, 'private, no-cache'],
      [0, 'private, no-cache'],
    ])
  })

  const paid = recipe(`
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
        return tell(router, Promise.all([both(''), both('&filters[body][$notNull]=false')]))`)
  it('shows a teaser to everybody and the whole article to paying users', () => {
    const [[teaser, whole], filtered] = paid() as [[string[], string[]], [number, unknown]]
    expect(teaser).toEqual(['id', 'documentId', 'title', 'slug', 'publishedAt'])
    expect(whole).toEqual(expect.arrayContaining([...teaser, 'body']))
    expect(filtered[0]).toBe(400)
    expect(filtered[1]).toEqual(whole)
  })

  const embargo = recipe(`
        const { embargo } = await import('./embargo.mjs')
        const router = routerOf(embargo)
        app.use('/api', router)
        const ask = async () => {
          const { headers, text } = await got('/api/articles?filters[slug][$startsWith]=embargoed')
          return [JSON.parse(text).data.map(({ title }) => title), headers['cache-control']]
        }
        return tell(router, ask())`)
  it('hides articles until their embargo ends', () => {
    expect(embargo()).toEqual([['Long ago'], 'public, max-age=60'])
  })

  const files = recipe(`
        const { files } = await import('./files.mjs')
        const { cdn, fileUrl } = await import('./cdn.mjs')
        const router = routerOf({ extensions: [cdn] })
        app.use('/uploads', files)
        const ask = async () => ({
          cover: (await got('/uploads/cover.txt')).text,
          listing: (await got('/uploads/')).status,
          addresses: ['/uploads/a.jpg', 'https://bucket.example.com/b.jpg'].map((url) => fileUrl({ url })),
        })
        return tell(router, ask())`)
  it('serves files, with the address of a CDN', () => {
    expect(files()).toEqual({
      cover: 'a cover',
      listing: 404,
      addresses: ['https://cdn.example.com/uploads/a.jpg', 'https://bucket.example.com/b.jpg'],
    })
  })

  const guarded = recipe(`
        const { guarded } = await import('./guarded.mjs')
        const router = routerOf()
        app.use(guarded(router))
        const ask = async () => {
          const { status, headers, text } = await got('/api/articles', { 'Accept-Encoding': 'gzip' })
          const { length } = JSON.parse(text).data
          const names = ['access-control-allow-origin', 'cross-origin-resource-policy', 'content-encoding']
          return { status, length, told: names.map((name) => headers[name]), limited: 'ratelimit' in headers }
        }
        return tell(router, ask())`)
  it('works behind helmet, CORS, a rate limit and compression', () => {
    expect(guarded()).toEqual({
      status: 200,
      length: 25,
      told: ['https://www.example.com', 'cross-origin', 'gzip'],
      limited: true,
    })
  })

  const paths = [...page.matchAll(/^\| `(\/api\/[^`]+)` +\|/gm)].map(([, path]) => path)
  const strapi = recipe(`
        const { strapi5 } = await import('express-content-router/strapi')
        const router = routerOf({ extensions: [strapi5()] })
        const strict = routerOf({ extensions: [strapi5()], notFound: 'json' })
        app.use('/strict/api', strict)
        app.use('/api', router, (_req, res) => res.send('Strapi'))
        const ask = async () => {
          const answers = []
          for (const path of [...${JSON.stringify(paths)}, '/api/articles/none'])
            answers.push([path, (await got(path)).text === 'Strapi', (await got('/strict' + path)).status])
          await strict.close()
          return answers
        }
        return tell(router, ask())`)
  it('leaves the routes of Strapi alone to the Strapi behind it', () => {
    expect(paths).toContain('/api/connect/google')
    expect(strapi()).toEqual([...paths.map((path) => [path, true, 404]), ['/api/articles/none', false, 404]])
  })

  // Users are told by a session in the docs, and by a header here.
  const explorer = recipe(`
    const { addExplorer } = await import('./explorer.mjs')
    const router = routerOf({
      ...JSON.parse(process.env.BOOKS),
      permissions: { public: { find: ['genre'] }, editor: { find: '*' } },
    })
    app.use((req, _res, next) => {
      const user = req.get('x-user')
      if (user) req.user = { isDeveloper: true, isOwner: user === 'owner' }
      next()
    })
    app.use('/api', router)
    addExplorer(app, router)
    const ask = async (path, user, role = '') =>
      (await got('/explorer/' + path, { 'x-user': user, 'x-explorer-role': role })).status
    const all = async () => ({
      strangers: await ask('', ''),
      developers: [
        await ask('', 'developer'),
        await ask('ask/genres', 'developer'),
        await ask('ask/books', 'developer', 'editor'),
      ],
      owners: [await ask('ask/books', 'owner'), await ask('ask/books', 'owner', 'editor')],
    })
    return tell(router, all())`)
  it('opens the explorer to developers, and lets owners try roles', () => {
    expect(explorerName).toBe('explorer.mjs')
    expect(explorer()).toEqual({
      strangers: 404,
      developers: [200, 200, 403],
      owners: [403, 200],
    })
  })

  it('names each file of JavaScript', () => {
    expect(modules.map(({ name }) => name)).toEqual([
      ...[
        'content.mjs',
        'pages.mjs',
        'own.mjs',
        'paid.mjs',
        'embargo.mjs',
        'files.mjs',
        'cdn.mjs',
        'guarded.mjs',
      ],
      ...['sites.mjs', 'preview.mjs'],
    ])
    expect(page.match(/```js\n/g)).toHaveLength(ownModules.length)
  })
})

describe('docs/how-to/test.md', () => {
  const suite = /```ts\n(.*?)```/s.exec(read('docs/how-to/test.md'))?.[1] ?? ''
  const folder = folderHere('suite')

  /** Node's own test runner, for the names that a suite takes from Jest. */
  const nodeRunner = `import { after as afterAll, before as beforeAll, test } from 'node:test'
import { expect } from 'expect'
`

  type Hook = () => unknown

  /** Runs the suite on the sources of the library; Jest does not see its tests. */
  async function runSuite(code: string): Promise<readonly string[]> {
    const compiled = transformSync(code, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    })
    const [before, after]: [Hook[], Hook[]] = [[], []]
    const tests: [title: string, test: Hook][] = []
    const given = {
      require: (name: string): unknown => jest.requireActual(name),
      exports: {},
      beforeAll: (hook: Hook) => before.push(hook),
      afterAll: (hook: Hook) => after.push(hook),
      test: (title: string, test: Hook) => tests.push([title, test]),
      expect,
    }
    const define = compileFunction(compiled.code, Object.keys(given)) as (...values: unknown[]) => void
    define(...Object.values(given))
    for (const hook of before) await hook()
    try {
      for (const [, test] of tests) await test()
    } finally {
      for (const hook of after) await hook()
    }
    return tests.map(([title]) => title)
  }

  it('passes, word for word', async () => {
    expect(await runSuite(suite)).toEqual(['an article shows its author'])
  })

  it('fails when the response is another', async () => {
    const other = suite.replace("author: { name: 'Ada' }", "author: { name: 'Bob' }")
    await expect(runSuite(other)).rejects.toThrow('Bob')
  })

  // Compilers to CommonJS are more tolerant of imports than Node is.
  it('passes as an ES module of Node', async () => {
    cpSync(join(root, 'content-types'), join(folder(), 'content-types'), { recursive: true })
    writeFileSync(join(folder(), 'host.mjs'), nodeRunner + suite)
    const { stdout } = await run(process.execPath, ['--test-reporter=tap', 'host.mjs'], { cwd: folder() })
    expect(stdout).toMatch(/^# pass 1$/m)
  })
})

describe.each(testDatabases)('docs/start/quick-start.md and the README on $name', (kind) => {
  const [, page = ''] = read('docs/start/quick-start.md').split('\n## New tables from definitions\n')
  const folder = folderHere(`quick-start-${kind.name}`)
  const [, shortest = ''] = /```js\n(.*?)```/s.exec(read('README.md')) ?? []
  const codes = [...namedCodeIn(page), { name: 'readme.mjs', code: shortest }]
  const definitions = [...page.matchAll(/`(content-types\/\S+\.json)`:\n\n```json\n(.*?)```/gs)]
  const answers = [...page.matchAll(/```json\n(\{\n  "data".*?)```/gs)]

  /** The line of the page for this database. */
  const title = { sqlite: 'SQLite', mysql: 'MySQL', mariadb: 'MariaDB', postgres: 'PostgreSQL' }[kind.name]
  const [, line = ''] =
    new RegExp(`^\\| [^|]*${title}[^|]*\\| \`(database: .*?)\` +\\|$`, 'm').exec(page) ?? []
  const postgresLine = "database: { client: 'pg', connection: process.env.DATABASE_URL },"

  let env: NodeJS.ProcessEnv = {}
  let drop = (): Promise<void> => Promise.resolve()
  beforeAll(async () => {
    const database = await kind.create()
    drop = () => database.drop()
    env = { ...process.env, DATABASE_URL: urlOf(database.config) }
    for (const { name: file, code } of codes) {
      expect([file, code]).toEqual([
        file,
        file === 'fill.mjs' || file === 'app.mjs' ? code : expect.stringContaining(postgresLine),
      ])
      writeFileSync(join(folder(), file), code.replace(postgresLine, line))
    }
    for (const [, file = '', text = ''] of definitions) {
      mkdirSync(dirname(join(folder(), file)), { recursive: true })
      writeFileSync(join(folder(), file), text)
    }
    const fill = (): Promise<unknown> => run(process.execPath, ['fill.mjs'], { cwd: folder(), env })
    await fill()
    await fill()
  }, 60_000)
  afterAll(() => drop())

  async function answerOf(process: ChildProcess, url: string): Promise<unknown> {
    for (;;) {
      if (process.exitCode !== null) throw new Error('the app has ended')
      const response = await fetch(url).catch(() => null)
      if (response !== null) return response.json()
      await pause(50)
    }
  }

  /** The page has … for values that change from day to day. */
  const asShown = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body, (key, value: unknown) => (/^documentId$|At$/.test(key) ? '…' : value)))

  it.each(['app.mjs', 'app.cjs', 'readme.mjs'])(
    'has the response of %s',
    async (file) => {
      const port = String(await freePort())
      const app = spawn(process.execPath, [file], {
        cwd: folder(),
        env: { ...env, PORT: port },
        stdio: 'inherit',
      })
      try {
        const body = await answerOf(app, `http://127.0.0.1:${port}/api/articles?populate=author`)
        expect(answers).toHaveLength(1)
        expect(asShown(body)).toEqual(JSON.parse(answers[0]?.[1] ?? ''))
      } finally {
        app.kill()
      }
    },
    60_000,
  )

  it('has TypeScript that compiles with the strictest settings', async () => {
    expect(await problemsIn(folder(), ['app.ts'])).toBe('')
  }, 60_000)
})

describe.each([
  ['docs/tutorials/blog-api.md', 'server.mjs'],
  ['docs/tutorials/own-orders.md', null],
])('%s', (file, server) => {
  const page = read(file)
  const folder = folderHere('tutorial')
  beforeAll(() => {
    mkdirSync(join(folder(), 'content-types'))
    for (const { name, code } of namedCodeIn(page)) writeFileSync(join(folder(), name), code)
    for (const [, name = '', text = ''] of page.matchAll(
      /`(content-types\/\S+\.json)`:\n\n```json\n(.*?)```/gs,
    ))
      writeFileSync(join(folder(), name), text)
  })

  it('has tests that pass, with the output that it shows', async () => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: folder() })
    const [, shown = 'nothing'] = /```text\n(.*?)```/s.exec(page) ?? []
    const lines = stdout.split('\n')
    expect(
      shown
        .trim()
        .split('\n')
        .filter((line) => !lines.includes(line)),
    ).toEqual([])
    expect(page.match(/```js\n/g)).toHaveLength(namedCodeIn(page).length)
  }, 60_000)

  if (server !== null)
    it('has a server that starts with empty tables', async () => {
      const port = String(await freePort())
      const app = spawn(process.execPath, [server], { cwd: folder(), env: { ...process.env, PORT: port } })
      try {
        const url = `http://127.0.0.1:${port}/api/posts`
        let response: Response | null = null
        while (response === null && app.exitCode === null) {
          response = await fetch(url).catch(() => null)
          await pause(50)
        }
        expect(await response?.json()).toMatchObject({ data: [] })
      } finally {
        app.kill()
      }
    }, 60_000)
})

describe('docs/how-to/front-end.md and docs/tutorials/nextjs.md', () => {
  const folder = folderHere('front-end')

  /** What the examples take of packages that are not installed here. */
  const frameworks = `
declare namespace JSX {
  interface Element {}
  interface IntrinsicElements { [name: string]: object }
  interface ElementChildrenAttribute { children: object }
  interface IntrinsicAttributes { key?: string }
}
interface RequestInit { next?: { tags?: string[]; revalidate?: number | false } }
interface ImportMeta { readonly env: Readonly<Record<string, string | undefined>> }
declare const Astro: { readonly params: Readonly<Record<string, string | undefined>> }
declare function useRoute(): { readonly params: Readonly<Record<string, string | string[]>> }
declare function useAsyncData<T>(key: string, read: () => Promise<T>): Promise<{ data: { value: T | undefined }; error: { value: Error | undefined } }>
declare function createError(fault: { statusCode: number }): Error
declare module 'next/navigation' { export function notFound(): never }
declare module 'next/cache' {
  export function revalidateTag(tag: string, profile: string | { expire?: number }): void
  export function revalidatePath(path: string, type?: 'layout' | 'page'): void
}
declare module 'next/link' { export default function Link(props: { href: string; children: unknown }): JSX.Element }
declare module '@tanstack/react-query' {
  export function useQuery<T>(options: {
    queryKey: readonly unknown[]
    queryFn: (context: { signal: AbortSignal }) => Promise<T>
  }):
    | { isPending: true; error: null; data: undefined }
    | { isPending: false; error: Error; data: undefined }
    | { isPending: false; error: null; data: T }
}
`

  function filesOf(page: string): readonly NamedCode[] {
    const scripts = [
      ...page.matchAll(/```vue\n<!-- (\S+) -->\n<script setup lang="ts">\n(.*?)<\/script>/gs),
      ...page.matchAll(/```astro\n---\n\/\/ (\S+)\n(.*?)---/gs),
    ].map(([, name = '', code = '']) => ({ name: `${name}.ts`, code: `${code}\nexport { }` }))
    return [...namedCodeIn(page).filter(({ name }) => /\.tsx?$/.test(name)), ...scripts]
  }

  it.each([
    ['docs/how-to/front-end.md', 8],
    ['docs/tutorials/nextjs.md', 4],
  ])(
    '%s has code that compiles, and whose faults are found',
    async (file, count) => {
      const page = read(file)
      const files = filesOf(page)
      expect(files).toHaveLength(count)
      expect(page.match(/```(?:tsx?|vue|astro)\n/g)).toHaveLength(count)
      const place = join(folder(), file.replaceAll(/\W/g, '-'))
      for (const { name, code } of files) {
        mkdirSync(dirname(join(place, name)), { recursive: true })
        writeFileSync(join(place, name), code)
      }
      writeFileSync(join(place, 'frameworks.d.ts'), frameworks)
      const sample = join(root, 'spec', 'extensions', 'client', 'sample-content.ts')
      cpSync(sample, join(place, 'content.ts'))
      // React and Nuxt have the shared files in their folder of sources.
      const codeOf = (name: string): string => files.find((one) => one.name === name)?.code ?? ''
      for (const source of codeOf('articles.ts') === '' ? [] : ['src', 'app']) {
        cpSync(sample, join(place, source, 'content.ts'))
        writeFileSync(join(place, source, 'articles.ts'), codeOf('articles.ts'))
        writeFileSync(join(place, source, 'api.ts'), codeOf('src/api.ts'))
      }
      const all = ['frameworks.d.ts', ...files.map(({ name }) => name)]
      expect(await problemsIn(place, all)).toBe('')
      for (const { name, code } of files)
        writeFileSync(join(place, name), code.replaceAll(`'title'`, `'titel'`))
      expect(await problemsIn(place, all)).toContain('titel')
    },
    120_000,
  )
})

describe('docs/how-to/seed.md', () => {
  const world = testDatabase('sqlite').fresh()

  it('has an example that is written, with the result that it shows', async () => {
    const page = read('docs/how-to/seed.md')
    const [, example = ''] = /```js\nimport .*?\n\n(.*?)```/s.exec(page) ?? []
    const [, result = '', shown = ''] =
      /const seeded = .*?\n(const .*?)\nrows \/\/ (\[.*?), …\]/s.exec(page) ?? []
    const config = { contentTypes: join(root, 'content-types'), database: world.config }
    await migrate(config)
    const code = `return (async () => { ${example.replace('await seed', 'const seeded = await seed')}; ${result}; return rows })()`
    const write = compileFunction(code, ['seed', 'config']) as (...given: unknown[]) => Promise<unknown[]>
    const rows = await write(seed, config)
    const promised = compileFunction(`return ${shown}]`) as () => unknown
    expect(rows.slice(0, 2)).toEqual(promised())
    expect(rows).toHaveLength(4)
  })
})

describe('npm start', () => {
  it('prints links that work in a terminal, and leaves no database behind', async () => {
    const site = await startSample()
    const file = join(root, '.tmp', `sample-${String(site.pid)}.db`)
    try {
      expect(existsSync(file)).toBe(true)
      const statuses = await Promise.all(
        site.links.map(async (link) => {
          const headers = { 'X-Role': link.includes('status=draft') ? 'editor' : 'public' }
          return [link, (await fetch(link, { headers })).status, /[[\]]/.test(link)]
        }),
      )
      expect(statuses).toEqual(site.links.map((link) => [link, 200, false]))
      expect(statuses.length).toBeGreaterThan(4)
    } finally {
      await site.stop()
    }
    expect(existsSync(file)).toBe(false)
  }, 60_000)
})
