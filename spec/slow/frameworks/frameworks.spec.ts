import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import express, { type RequestHandler } from 'express'
import { knex } from 'knex'
import { seed } from '../../../extensions/seed'
import { contentRouter, migrate } from '../../../lib'
import { inBrowser } from '../../support/browser'
import { testDatabase } from '../../support/databases'
import { freePort } from '../../support/servers/private-server'

// Each framework is installed in a folder of its own, with the package as npm packs it.

const run = promisify(execFile)
const root = join(__dirname, '..', '..', '..')
const guide = readFileSync(join(root, 'docs', 'how-to', 'front-end.md'), 'utf8')
const tutorial = readFileSync(join(root, 'docs', 'tutorials', 'nextjs.md'), 'utf8')

/** Files of a page: code with the name of its file in the first line. */
function filesIn(page: string): ReadonlyMap<string, string> {
  const blocks = [
    ...page.matchAll(/```tsx?\n\/\/ (\S+)\n(.*?)```/gs),
    ...page.matchAll(/```vue\n<!-- (\S+) -->\n(.*?)```/gs),
    ...page.matchAll(/```astro\n(?=---\n\/\/ (\S+)\n)(.*?)```/gs),
  ]
  return new Map(blocks.map(([, name = '', code = '']) => [name, code]))
}

const [, typesCommand = ''] = /^(npx content-router types .*)$/m.exec(guide) ?? []
const guideFiles = filesIn(guide)
const tutorialFiles = filesIn(tutorial)
const versionOf = (name: string, dependency: string): string => {
  const file = readFileSync(join(__dirname, name, 'package.json'), 'utf8')
  const { dependencies, devDependencies } = JSON.parse(file) as Partial<
    Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
  >
  return { ...dependencies, ...devDependencies }[dependency] ?? ''
}

/** The package brings no types. */
const cors = jest.requireActual<() => RequestHandler>('cors')

let home = ''
let tarball = ''
let api: Server
let apiUrl = ''
let isApiDown = false
const world = testDatabase('sqlite').fresh()
const titles = ['Dawn', 'Noon & after', 'Dusk']

beforeAll(async () => {
  const config = { contentTypes: join(root, 'content-types'), database: world.config }
  await migrate(config)
  await seed(config, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    article: titles.map((title) => ({ title, slug: title.split(' ')[0]?.toLowerCase(), author: 'ada' })),
  })
  const permissions = { public: { find: ['article', 'author'] } }
  const router = world.closing(contentRouter({ ...config, permissions, logger: false }))
  const app = express().use(cors(), (_req, res, next) => {
    if (isApiDown) res.sendStatus(500)
    else next()
  })
  api = createServer({ keepAliveTimeout: 0 }, app.use('/api', router)).listen(0, '127.0.0.1')
  await once(api, 'listening')
  apiUrl = `http://127.0.0.1:${String((api.address() as AddressInfo).port)}/api`

  home = mkdtempSync(join(tmpdir(), 'content-router-frameworks-'))
  const flags = ['--json', '--ignore-scripts', '--pack-destination', home, '--loglevel=error']
  const { stdout } = await run('npm', ['pack', ...flags], { cwd: root, maxBuffer: 2 ** 24 })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  tarball = join(home, filename)
}, 60_000)
afterAll(() => {
  api.closeAllConnections()
  api.close()
  rmSync(home, { recursive: true, force: true })
})

function writeFiles(folder: string, files: ReadonlyMap<string, string>, names: readonly string[]): void {
  for (const name of names) {
    const code = files.get(name)
    if (code === undefined) throw new Error(`The page has no ${name}`)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
}

/** Installs a framework and the package, and writes the types to `content.ts` in `place`. */
async function makeProject(name: string, place = '.'): Promise<string> {
  const folder = join(home, name)
  cpSync(join(__dirname, name), folder, { recursive: true })
  const flags = ['--no-package-lock', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, tarball], { cwd: folder, maxBuffer: 2 ** 24 })
  cpSync(join(root, 'content-types'), join(folder, 'content-types'), { recursive: true })
  const [npx = '', ...words] = typesCommand.split(' ')
  await run(npx, ['--no-install', ...words], { cwd: folder })
  mkdirSync(join(folder, place), { recursive: true })
  if (place !== '.') cpSync(join(folder, 'content.ts'), join(folder, place, 'content.ts'))
  return folder
}

const settings = (): NodeJS.ProcessEnv => ({
  ...process.env,
  ...{ NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' },
  ...{ NODE_ENV: 'production', CONTENT_URL: apiUrl, VITE_CONTENT_URL: apiUrl, REVALIDATE_TOKEN: 'secret' },
})

async function build(folder: string): Promise<void> {
  const building = run('npm', ['run', 'build'], { cwd: folder, env: settings(), maxBuffer: 2 ** 24 })
  await building.catch((error: unknown) => {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`The build in ${folder} failed:\n${stdout}\n${stderr}`)
  })
}

interface Site {
  readonly at: string
  readonly stop: () => void
}

/** Starts a built site; `words` are the command, after Node. */
async function start(folder: string, words: (port: string) => readonly string[]): Promise<Site> {
  const port = String(await freePort())
  const child: ChildProcess = spawn('node', words(port), {
    cwd: folder,
    env: { ...settings(), PORT: port, HOST: '127.0.0.1' },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  const at = `http://127.0.0.1:${port}`
  while ((await fetch(at).catch(() => null)) === null) {
    if (child.exitCode !== null) throw new Error(`The site in ${folder} ended before it served anything`)
    await pause(50)
  }
  return {
    at,
    stop: () => {
      if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL')
    },
  }
}

/** Nuxt and Astro require Node 22.19, which the nightly run has. The frameworks run on the Node of the `PATH`. */
const [major = 0, minor = 0] = execFileSync('node', ['--version'], { encoding: 'utf8' })
  .slice(1)
  .split('.')
  .map(Number)
const describeIfNew = major > 22 || (major === 22 && minor >= 19) ? describe : describe.skip

async function read(url: string): Promise<{ readonly status: number; readonly html: string }> {
  const response = await fetch(url)
  return { status: response.status, html: await response.text() }
}

describe('docs/how-to/front-end.md', () => {
  it('names the versions that are built', () => {
    const majorOf = (name: string, dependency: string): string =>
      versionOf(name, dependency).replace(/\..*/, '')
    const react = `Vite ${majorOf('react', 'vite')} and React ${majorOf('react', 'react')}`
    const others = `Next.js ${majorOf('next', 'next')}, Nuxt ${majorOf('nuxt', 'nuxt')} and Astro ${majorOf('astro', 'astro')}`
    expect(guide.replaceAll(/\s+/g, ' ')).toContain(`${react}, ${others}.`)
  })
})

describe('React with TanStack Query, built with Vite', () => {
  let at = ''
  let stop = (): void => undefined
  beforeAll(async () => {
    const folder = await makeProject('react', 'src')
    writeFiles(folder, guideFiles, ['src/api.ts', 'src/article-list.tsx'])
    writeFileSync(join(folder, 'src', 'articles.ts'), guideFiles.get('articles.ts') ?? '')
    await build(folder)
    ;({ at, stop } = await start(folder, (port) => [
      ...['node_modules/vite/bin/vite.js', 'preview'],
      ...['--host', '127.0.0.1', '--port', port, '--strictPort'],
    ]))
  }, 600_000)
  afterAll(() => {
    stop()
  })

  inBrowser('shows the newest articles', async (page) => {
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(at)
    await page.getByRole('listitem').first().waitFor()
    const shown = await page.getByRole('listitem').allTextContents()
    expect(shown.toSorted()).toEqual(titles.toSorted())
    expect(complaints).toEqual([])
  })
})

describe('Next.js', () => {
  let folder = ''
  let site: Site | undefined
  const startNext = (): Promise<Site> =>
    start(folder, (port) => ['node_modules/next/dist/bin/next', 'start', '--port', port])

  beforeAll(async () => {
    folder = await makeProject('next')
  }, 600_000)
  afterEach(() => {
    site?.stop()
  })

  async function rename(title: string): Promise<void> {
    const database = knex(world.config)
    await database('articles').where({ slug: 'dawn' }).update({ title })
    await database.destroy()
  }

  it('renders the pages of the tutorial, and renders them anew after a change', async () => {
    writeFiles(folder, tutorialFiles, [...tutorialFiles.keys()])
    await build(folder)
    expect(existsSync(join(folder, '.next', 'server', 'app', 'articles', 'dawn.html'))).toBe(true)
    site = await startNext()
    const { at } = site
    const { html } = await read(at)
    expect(html).toContain('<a href="/articles/dawn">Dawn</a>')
    expect(html).toContain('Noon &amp; after')
    expect(html).toContain('Ada')
    expect((await read(`${at}/articles/dawn`)).html).toContain('<h1>Dawn</h1><p>Ada</p>')
    expect((await read(`${at}/articles/nowhere`)).status).toBe(404)

    const revalidate = async (token: string, types: unknown): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` }
      const body = JSON.stringify(types)
      return (await fetch(`${at}/revalidate`, { method: 'POST', headers, body })).status
    }
    const headingAt = async (): Promise<string | undefined> =>
      /<h1>(.*?)<\/h1>/.exec((await read(`${at}/articles/dawn`)).html)?.[1]
    await rename('Sunrise')
    expect(await revalidate('guessed', ['article'])).toBe(401)
    expect(await revalidate('secret', ['category'])).toBe(204)
    expect(await headingAt()).toBe('Dawn')
    expect(await revalidate('secret', ['article'])).toBe(204)
    expect(await headingAt()).toBe('Sunrise')
    expect((await read(at)).html).toContain('Sunrise')
    await rename('Dawn')
    expect(await revalidate('secret', '*')).toBe(204)
    expect(await headingAt()).toBe('Dawn')
  }, 180_000)

  it('renders the page of the guide', async () => {
    rmSync(join(folder, 'app', 'page.tsx'), { force: true })
    writeFiles(folder, guideFiles, ['api.ts', 'articles.ts', 'app/articles/[slug]/page.tsx'])
    await build(folder)
    site = await startNext()
    expect((await read(`${site.at}/articles/dusk`)).html).toContain('<h1>Dusk</h1>')
    expect((await read(`${site.at}/articles/nowhere`)).status).toBe(404)
  }, 180_000)
})

describeIfNew('Nuxt', () => {
  let at = ''
  let stop = (): void => undefined
  beforeAll(async () => {
    const folder = await makeProject('nuxt', 'app')
    writeFiles(folder, guideFiles, ['app/pages/articles/[slug].vue'])
    writeFileSync(join(folder, 'app', 'articles.ts'), guideFiles.get('articles.ts') ?? '')
    writeFileSync(join(folder, 'app', 'api.ts'), guideFiles.get('src/api.ts') ?? '')
    await build(folder)
    ;({ at, stop } = await start(folder, () => ['.output/server/index.mjs']))
  }, 600_000)
  afterAll(() => {
    stop()
  })

  it('renders an article on the server, and a 404 without one', async () => {
    expect((await read(`${at}/articles/noon`)).html).toContain('<h1>Noon &amp; after</h1>')
    expect((await read(`${at}/articles/nowhere`)).status).toBe(404)
  })

  it('renders an error while the API is down', async () => {
    isApiDown = true
    try {
      expect((await read(`${at}/articles/dusk`)).status).toBe(500)
    } finally {
      isApiDown = false
    }
  })

  inBrowser('shows it in the browser without errors', async (page) => {
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${at}/articles/noon`)
    await page.waitForLoadState('networkidle')
    expect(await page.getByRole('heading').textContent()).toBe('Noon & after')
    expect(complaints).toEqual([])
  })
})

describeIfNew('Astro', () => {
  it('builds a page for each article', async () => {
    const folder = await makeProject('astro')
    writeFiles(folder, guideFiles, ['api.ts', 'articles.ts', 'src/pages/articles/[slug].astro'])
    await build(folder)
    const pageOf = (slug: string): string =>
      readFileSync(join(folder, 'dist', 'articles', slug, 'index.html'), 'utf8')
    expect(['dawn', 'noon', 'dusk'].map((slug) => /<h1>.*<\/h1>/.exec(pageOf(slug))?.[0])).toEqual([
      '<h1>Dawn</h1>',
      '<h1>Noon &amp; after</h1>',
      '<h1>Dusk</h1>',
    ])
  }, 600_000)
})
