import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inBrowser } from '../support/browser'
import { freePort } from '../support/servers/private-server'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const example = join(root, 'examples', 'vite')
const made = ['node_modules', 'dist', 'src/content.ts'].map((name) => join(example, name))

interface ListedArticle {
  readonly title: string
  readonly author: { readonly name: string } | null
}

describe('the example of a page with React', () => {
  /** As deep in the repository as the example is, so that it finds the package, the definitions and the sample. */
  let folder = ''
  let dev: ChildProcess
  let ports: readonly string[] = []
  let at = ''

  const npm = (...words: readonly string[]): Promise<{ readonly stdout: string }> =>
    run('npm', words, { cwd: folder })

  const isRunning = (): boolean => dev.exitCode === null && dev.signalCode === null

  async function served(): Promise<void> {
    while ((await fetch(at).catch(() => null)) === null) {
      if (!isRunning()) throw new Error('it has ended before it served anything')
      await pause(50)
    }
  }

  beforeAll(async () => {
    mkdirSync(join(root, '.tmp'), { recursive: true })
    folder = mkdtempSync(join(root, '.tmp', 'vite-'))
    cpSync(example, folder, { recursive: true, filter: (path) => !made.includes(path) })
    // No scripts: they would build the package again while other specs use what is built.
    await npm('ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund')
    ports = [String(await freePort()), String(await freePort())]
    const [port = '', api] = ports
    at = `http://localhost:${port}`
    dev = spawn('npm', ['run', 'dev', '--', '--port', port, '--strictPort'], {
      cwd: folder,
      env: { ...process.env, API_PORT: api },
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    })
    await served()
  }, 180_000)
  afterAll(() => {
    if (isRunning()) process.kill(-Number(dev.pid), 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  async function articles(query: string): Promise<readonly string[]> {
    const response = await fetch(`${at}/api/articles?populate=author&sort=title&${query}`)
    const { data } = (await response.json()) as { readonly data: readonly ListedArticle[] }
    return data.map(({ title, author }) => `${title} by ${author?.name ?? 'nobody'}`)
  }

  it('is started by the two commands that it tells, of versions that stay', () => {
    const read = (name: string): string => readFileSync(join(example, name), 'utf8')
    expect(/```sh\n(.*?)```/s.exec(read('README.md'))?.[1]).toBe('npm install\nnpm run dev\n')
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Readonly<Record<string, string>>
    >
    const versions = Object.values({ ...dependencies, ...devDependencies })
    expect(versions.filter((version) => !/^(\d+\.\d+\.\d+|file:\.\.\/\.\.)$/.test(version))).toEqual([])
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/)
  })

  inBrowser('shows a list, those of a kind, and an article with its sections', async (page) => {
    const complaints: string[] = []
    page.on('console', (said) => {
      if (['error', 'warning'].includes(said.type())) complaints.push(said.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(at)
    const items = page.getByRole('listitem')
    await items.first().waitFor()
    expect(await items.allTextContents()).toEqual(await articles(''))
    const walks = await articles('filters[kind]=walk')
    expect(walks.length).toBeGreaterThan(0)
    await page.getByLabel('Kind').selectOption('walk')
    await page.getByText('Four kinds of rain').waitFor({ state: 'detached' })
    await items.first().waitFor()
    expect(await items.allTextContents()).toEqual(walks)

    await page.goto(`${at}/#four-kinds-of-rain`)
    await page.getByRole('heading', { level: 1, name: 'Four kinds of rain' }).waitFor()
    expect(await page.locator('address').textContent()).toBe('Amara Okonjo, Glasgow')
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toContain('Smirr')
    expect(complaints).toEqual([])
    await page.goto(`${at}/#no-such-article`)
    await page.getByRole('heading', { name: 'There is no such article' }).waitFor()
  })

  it('has written the types meanwhile', () => {
    expect(existsSync(join(folder, 'src', 'content.ts'))).toBe(true)
  })

  it('ends all that it started at Ctrl-C, which all of them hear', async () => {
    process.kill(-Number(dev.pid), 'SIGINT')
    await once(dev, 'exit')
    for (const port of ports) await expect(fetch(`http://localhost:${port}`)).rejects.toThrow()
  })

  it('is built', async () => {
    expect((await npm('run', 'build')).stdout).toContain('✓ built')
  }, 60_000)

  it.each([
    ['src/api.ts', `fields: ['title', 'slug', 'kind']`, `fields: ['titel', 'slug', 'kind']`, `"title" | `],
    ['src/app.tsx', 'author.homeCity?.name', 'author.homeCity?.country', `'country' does not exist`],
  ])(
    'is not built where %s asks for what is not there',
    async (file, right, wrong, said) => {
      const text = readFileSync(join(folder, file), 'utf8')
      expect(text).toContain(right)
      writeFileSync(join(folder, file), text.replace(right, wrong))
      const failed = await npm('run', 'build').catch((error: unknown) => error as { readonly stdout: string })
      writeFileSync(join(folder, file), text)
      expect(failed.stdout).toContain(file)
      expect(failed.stdout).toContain(said)
    },
    60_000,
  )
})
