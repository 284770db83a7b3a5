import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import express from 'express'
import request from 'supertest'
import { namedQueries, type NamedQueries } from '../../../extensions/queries'
import { type ContentRouter, contentRouter, type ContentRouterConfig, migrate } from '../../../lib'
import { seed, type SeedContent } from '../../../extensions/seed'
import { describe as describeApi, openapi } from '../../../extensions/openapi'
import { runCommand } from '../../../tools/command/run'
import { onSqlite, testDatabase } from '../../support/databases'
import {
  documented,
  type Documented,
  type OpenApi,
  type Operation,
  type Part,
} from '../../support/documented'
import { collection, integer, relation, text } from '../../support/library'
import { projectFolder } from '../../support/project-folder'
import { type Entry, roleHeader, stocked } from '../../support/served'

const root = join(__dirname, '..', '..', '..')

interface Shown {
  readonly data: Entry | readonly Entry[]
  readonly meta: Part
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What a document shows as an answer, as JSON has it. */
function exampleIn({ document }: Documented, { path }: Operation): Shown | undefined {
  const { responses } = document.paths[path]?.get as unknown as {
    readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Part>> }>>
  }
  return responses['200']?.content['application/json']?.['example'] as Shown | undefined
}

const asJson = (document: unknown): Documented => documented(JSON.parse(JSON.stringify(document)) as OpenApi)

/** The path with what it shows to stand in it. */
function pathShown({ path, parameters }: Operation): string {
  const value = parameters.find((parameter) => parameter.in === 'path')?.example
  return path.replace(/\{\w+\}/, encodeURIComponent(String(value)))
}

/** All of what is shown is what a request of the role is answered, of which long values alone may be left out. */
async function expectAnswered(
  told: Documented,
  api: ContentRouter,
  role: string,
): Promise<readonly string[]> {
  const app = express().use('/api', api)
  const shown: string[] = []
  for (const operation of told.operations) {
    const example = exampleIn(told, operation)
    if (example === undefined) continue
    shown.push(operation.path)
    expect([operation.path, told.faultsOf(operation, 200, example)]).toEqual([operation.path, null])
    const query = operation.isList ? '?pagination[pageSize]=2' : ''
    const asked = request(app).get(`/api${pathShown(operation)}${query}`)
    const { status, body } = (await asked.set(roleHeader, role)) as Answer
    expect([operation.path, status]).toEqual([operation.path, 200])
    expect(body).toMatchObject(example)
  }
  return shown
}

const types = [
  collection(
    'page',
    {
      title: text,
      slug: { type: 'uid' },
      code: { type: 'string', unique: true },
      rank: integer,
      body: { type: 'text' },
      canarySecret: { type: 'string', private: true },
      withheld: text,
      canaryVault: relation('manyToOne', 'canary'),
    },
    { drafts: true },
  ),
  collection('canary', { canaryCode: text, canaryPages: relation('oneToMany', 'page') }),
  collection('blank', { name: text }),
] as unknown as Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const page = (title: string, rank: number, more: object = {}): object => ({
  ...{ title, rank, slug: title, body: 'long '.repeat(2000), canarySecret: 'the canary', withheld: 'canary' },
  ...{ canaryVault: 'bird', ...more },
})

const content = {
  canary: [{ $ref: 'bird', canaryCode: 'x' }],
  page: [
    page('canary-of-a-draft', 1, { $status: 'draft' }),
    page('canary-hidden-by-a-rule', -1),
    page('one', 1, { code: 'first/one' }),
    page('two', 2),
    page('three', 3),
  ],
} as SeedContent

const readable = {
  fields: ['title', 'slug', 'code', 'rank', 'body'],
  where: { rank: { $gt: 0 } },
} as const

const permissions = {
  public: { find: { page: readable, blank: true } },
  lister: { find: { page: readable }, findOne: [] },
  finder: { find: [], findOne: { page: readable } },
  bound: { find: { page: readable }, queries: 'named' },
  editor: { find: '*', drafts: '*' },
} as const satisfies ContentRouterConfig['permissions']

const pages = ['/pages', '/pages/{documentId}', '/pages/by/slug/{value}', '/pages/by/code/{value}']

const queries = { card: { type: 'page', query: { fields: ['title'] } } } as const

onSqlite((database) => {
  const { world } = stocked(database, types, content)
  const empty = database.fresh()
  const configured = (): ContentRouterConfig => ({
    ...{ contentTypes: types, database: world.config, logger: false, permissions },
    role: (req) => req.get(roleHeader) ?? 'public',
    extensions: [openapi(), namedQueries(queries)],
  })
  const made = (options: Partial<ContentRouterConfig> = {}): ContentRouter =>
    world.closing(contentRouter({ ...configured(), ...options }))

  describe('examples of answers', () => {
    it.each([
      ['public', ['/blanks', ...pages]],
      ['lister', ['/pages']],
      ['finder', []],
      ['bound', []],
      ['editor', ['/blanks', '/canaries', '/canaries/{documentId}', ...pages]],
    ])('are real answers to %s, and none where there is nothing to ask by', async (role, paths) => {
      const api = made()
      const told = asJson(await describeApi(api, { role, examples: true }))
      expect(await expectAnswered(told, api, role)).toEqual(paths)
    })

    it('leave out what is long, and nothing else', async () => {
      const api = made()
      const told = asJson(await describeApi(api, { role: 'public', examples: true }))
      const list = told.operations.find(({ path }) => path === '/pages')
      if (list === undefined) throw new Error('no list of pages')
      const { data, meta } = await api.as('public').find('pages', { pagination: { pageSize: 2 } })
      const short = data.map((entry) =>
        Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'body')),
      )
      expect(data.map((entry) => 'body' in entry)).toEqual([true, true])
      expect(exampleIn(told, list)).toEqual({ data: short, meta })
    })

    it('hold nothing that the role may not read, and little of what is long', async () => {
      const api = made()
      for (const role of ['public', 'lister', 'finder', 'bound']) {
        const document = JSON.stringify(await describeApi(api, { role, examples: true }))
        expect([role, document]).toEqual([role, expect.not.stringMatching(/canary|withheld/i)])
        expect(document).not.toContain('long long')
      }
      const editors = JSON.stringify(await describeApi(api, { role: 'editor', examples: true }))
      expect(editors).toContain('"canaryCode":"x"')
      expect(editors).not.toContain('the canary')
    })

    it('change nothing else, and stand in no document unless they are asked for', async () => {
      const api = made()
      const without = (told: unknown): unknown =>
        JSON.parse(JSON.stringify(told, (name, value: unknown) => (name === 'example' ? undefined : value)))
      const plain = await describeApi(api, { role: 'public' })
      const shown = await describeApi(api, { role: 'public', examples: true })
      expect(without(shown)).toEqual(without(plain))
      const asked = await request(express().use(api)).get('/openapi.json?examples=true')
      const { body } = asked as Answer
      expect(body).toEqual(JSON.parse(JSON.stringify(plain)))
    })

    it("are nobody's without a role, and fail where the answers do", async () => {
      await expect(describeApi(made(), { examples: true })).rejects.toThrow('set the option role')
      const broken = made({ database: empty.config })
      expect(await describeApi(broken, { role: 'public' })).toMatchObject({ openapi: '3.1.0' })
      await expect(describeApi(broken, { role: 'public', examples: true })).rejects.toThrow()
    })
  })
})

describe('examples of the sample', () => {
  const world = testDatabase('sqlite').fresh()
  const { path, write } = projectFolder({})
  const contentTypes = join(root, 'content-types')
  let site: Part = {}
  let named: NamedQueries = {}

  /** The sample's own script is an ES module, which Jest does not read. */
  async function readSample(): Promise<{
    readonly content: SeedContent
    readonly site: Part
    readonly queries: NamedQueries
  }> {
    const script = `import { readContent } from './examples/sample/content.mjs'
import { queries, site } from './examples/sample/site.mjs'
process.stdout.write(JSON.stringify({ content: readContent(), site, queries }))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    })
    return JSON.parse(stdout) as {
      readonly content: SeedContent
      readonly site: Part
      readonly queries: NamedQueries
    }
  }

  beforeAll(async () => {
    const sample = await readSample()
    site = sample.site
    named = sample.queries
    const config = { contentTypes, database: world.config }
    await migrate(config)
    await seed(config, sample.content)
  }, 120_000)

  const configured = (): ContentRouterConfig => ({
    ...{ contentTypes, database: world.config, logger: false },
    role: (req) => req.get(roleHeader) ?? 'public',
    ...site,
    extensions: [openapi(), namedQueries(named)],
  })

  it.each(['public', 'reader', 'editor'])(
    'are what %s is answered, at every path',
    async (role) => {
      const api = world.closing(contentRouter(configured()))
      const told = asJson(await describeApi(api, { role, examples: true }))
      const paths = told.operations.map((operation) => operation.path).filter((one) => one !== '/')
      expect(await expectAnswered(told, api, role)).toEqual(paths)
      expect(Buffer.byteLength(JSON.stringify(told.document))).toBeLessThan(2_000_000)
    },
    60_000,
  )

  it('are written by the command, of a role and from the database of a config', async () => {
    const config = { contentTypes, database: world.config, logger: false, ...site }
    const queries = `require('express-content-router/queries').namedQueries(${JSON.stringify(named)})`
    write({
      'config.cjs': `module.exports = { ...${JSON.stringify(config)}, extensions: [${queries}] }`,
    })
    const told: string[] = []
    const tell = (line: string): unknown => told.push(line)
    const run = (...words: readonly string[]): Promise<number> =>
      runCommand(['openapi', ...words], { print: tell, complain: tell })
    const file = join(path, 'config.cjs')
    expect(await run('--config', file, '--role', 'public', '--examples')).toBe(0)
    const api = world.closing(contentRouter({ ...configured(), extensions: [namedQueries(named)] }))
    const expected = await describeApi(api, { role: 'public', examples: true })
    expect(JSON.parse(told.join('\n'))).toEqual(JSON.parse(JSON.stringify(expected)))
    expect(await run('--config', file, '--examples')).toBe(2)
    expect(told.at(-1)).toContain('--examples requires --role')
    expect(await run('--content-types', contentTypes, '--role', 'public', '--examples')).toBe(2)
    expect(told.at(-1)).toContain('--examples requires a config')
    write({
      'nowhere.cjs': `module.exports = ${JSON.stringify({
        ...config,
        database: { client: 'better-sqlite3', connection: { filename: join(path, 'nowhere.db') } },
      })}`,
    })
    expect(await run('--config', join(path, 'nowhere.cjs'), '--role', 'public', '--examples')).toBe(1)
    expect(told.at(-1)).toContain('the file does not exist')
  }, 60_000)
})
