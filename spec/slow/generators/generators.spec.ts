import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { type SampleSite, startSample } from '../../support/sample-site'

const run = promisify(execFile)
const folder = join(__dirname, '.tmp')
const bin = join(__dirname, 'node_modules', '.bin')
const root = join(__dirname, '..', '..', '..')

const query = `{
  fields: ['title'],
  populate: ['author', 'sections'],
  sort: ['author.name:desc', 'title'],
  'pagination[pageSize]': 2,
  'filters[title][$startsWith]': 'T',
  'filters[kind][$in]': ['essay', 'walk', 'interview', 'notebook'],
  'filters[id][$ne]': 1,
}`

const show = `function show(one: Article) {
  const first = one.sections?.[0]
  console.log(one.title, one.author?.name, first?.__component === 'story.prose' ? first.heading : first?.__component)
}`

interface Generator {
  readonly made: readonly string[]
  readonly use: (at: string) => string
}

/** Each with as little around it as its own documentation has. */
const generators: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    made: ['openapi-typescript', 'openapi.json', '-o', 'made.d.ts'],
    use: (at) => `import createClient from 'openapi-fetch'
import type { components, paths } from './made'
type Article = components['schemas']['Article']
${show}
const client = createClient<paths>({ baseUrl: '${at}/api' })
const { data, error } = await client.GET('/articles', { params: { query: ${query} } })
if (data === undefined) throw new Error(error.error.message)
data.data.forEach(show)
const missing = await client.GET('/articles/{documentId}', { params: { path: { documentId: 'none' } } })
console.log(missing.error?.error.message)`,
  },
  orval: {
    made: ['orval', '--input', 'openapi.json', '--output', 'made.ts', '--client', 'fetch'],
    use: (at) => `import { type Article, getArticle, listArticle } from './made'
${show}
const ask = globalThis.fetch
globalThis.fetch = ((path: string, options?: RequestInit) => ask('${at}/api' + path, options)) as typeof fetch
const { status, data } = await listArticle(${query})
if (status !== 200) throw new Error(data.error.message)
data.data.forEach(show)
const missing = await getArticle('none')
if (missing.status !== 200) console.log(missing.data.error.message)`,
  },
  '@hey-api/openapi-ts': {
    made: ['openapi-ts', '-i', 'openapi.json', '-o', 'made'],
    use: (at) => `import { type Article, getArticle, listArticle } from './made'
import { client } from './made/client.gen'
${show}
client.setConfig({ baseUrl: '${at}/api' })
const { data, error } = await listArticle({ query: ${query} })
if (data === undefined) throw new Error(error.error.message)
data.data.forEach(show)
const missing = await getArticle({ path: { documentId: 'none' } })
console.log(missing.error?.error.message)`,
  },
}

const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext']
const libraries = ['--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable']

describe('the document of the sample site', () => {
  let site: SampleSite

  /** With all that an option may add to it. */
  async function writeDocument(): Promise<void> {
    const config = `const { strapiAuth } = require(${JSON.stringify(join(root, 'dist', 'lib'))})
module.exports = {
  contentTypes: ${JSON.stringify(join(root, 'content-types'))},
  database: { client: 'better-sqlite3', connection: { filename: 'nowhere.db' } },
  role: strapiAuth({ jwtSecret: 'secret' }),
  etag: true,
}`
    writeFileSync(join(folder, 'config.cjs'), config)
    const words = ['openapi', '--config', 'config.cjs', '--out', 'written.json']
    await run(process.execPath, [join(root, 'dist', 'tools', 'command.js'), ...words], { cwd: folder })
  }

  beforeAll(async () => {
    const install = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', [...install, '--prefix', __dirname], { cwd: root })
    site = await startSample()
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    const document = await (await fetch(`${site.at}/api/openapi.json`)).text()
    writeFileSync(join(folder, 'openapi.json'), document)
    await writeDocument()
  }, 300_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await site.stop()
  })

  const inFolder = (name: string, words: readonly string[]): Promise<{ readonly stdout: string }> =>
    run(join(bin, name), words, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })

  it.each(['openapi', 'written'])('is valid OpenAPI: %s.json', async (name) => {
    const script = `import { Validator } from '@seriousme/openapi-schema-validator'
import { readFileSync } from 'node:fs'
const validator = new Validator()
const { valid, errors } = await validator.validate(JSON.parse(readFileSync('${name}.json', 'utf8')))
console.log(valid, validator.version, errors ?? '')`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
    expect(stdout.trim()).toBe('true 3.1')
  })

  it.each(['openapi', 'written'])(
    'has no fault that a linter names: %s.json',
    async (name) => {
      const { stdout } = await inFolder('redocly', ['lint', `${name}.json`, '--format', 'json'])
      expect(stdout).toContain('"errors": 0')
    },
    60_000,
  )

  it.each(Object.entries(generators))(
    'makes a client by %s that compiles and reads',
    async (_, { made, use }) => {
      const [name = '', ...words] = made
      await inFolder(name, words)
      writeFileSync(join(folder, 'use.ts'), `${use(site.at)}\nexport {}\n`)
      await inFolder('tsc', [...strict, ...libraries, 'use.ts'])
      const outfile = join(folder, 'use.mjs')
      const entryPoints = [join(folder, 'use.ts')]
      buildSync({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
      const { stdout } = await run(process.execPath, [outfile])
      expect(stdout.split('\n')).toEqual([
        'The hour without trams Maud Kessler shared.quote',
        'The 23 to the sea Jules Ferrand undefined',
        'Not Found',
        '',
      ])
      for (const file of ['made', 'made.ts', 'made.d.ts'])
        rmSync(join(folder, file), { recursive: true, force: true })
    },
    120_000,
  )
})
