import express from 'express'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter, migrate } from '../../../lib'
import { seed, type SeedContent } from '../../../extensions/seed'
import { indexRoute } from '../../support/index-route'
import { testDatabase } from '../../support/databases'

const run = promisify(execFile)
const root = join(__dirname, '..', '..', '..')
const page = readFileSync(join(root, 'docs', 'how-to', 'strapi-clients.md'), 'utf8')
const packages = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
}

interface Came {
  readonly value?: unknown
  readonly status?: number | null
  readonly message?: string
}

interface Entry {
  readonly id: number
  readonly documentId: string
  readonly title: string
  readonly author: { readonly id: number; readonly documentId: string; readonly name: string } | null
}

interface Page {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: { readonly total: number } }
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

/** The tables of the page, row by row. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map(cellsOf)
const clients = rows.filter((cells) => cells.length > 3)
const faults = rows.filter((cells) => cells.length === 3)
const heads = cellsOf(page.split('\n').find((line) => line.startsWith('| client')) ?? '')
const features = heads.slice(2)

/** The sample's own script is an ES module, which Jest does not read. */
async function sampleContent(): Promise<SeedContent> {
  const script = `import { readContent } from './examples/sample/content.mjs'
process.stdout.write(JSON.stringify(readContent()))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout) as SeedContent
}

describe('clients of Strapi', () => {
  const world = testDatabase('sqlite').fresh()
  let server: Server
  let at = ''

  beforeAll(async () => {
    const config = {
      contentTypes: join(root, 'content-types'),
      database: world.config,
      permissions: { public: { find: '*' } } as const,
      // Whose roles may ask for the definitions of what they read.
      extensions: [strapi5(), indexRoute],
    }
    await migrate(config)
    await seed(config, await sampleContent())
    const router = world.closing(contentRouter(config))
    server = createServer({ keepAliveTimeout: 0 }, express().use('/api', router)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    at = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  }, 120_000)

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  async function pageOf(query: string): Promise<Page> {
    const response = await fetch(`${at}/api/articles?${query}`)
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Page
  }

  /** What a plain request answers, which other specs hold to the specification. */
  async function expected(entry: Entry): Promise<ReadonlyMap<string, unknown>> {
    const titles = async (query: string): Promise<string[]> =>
      (await pageOf(query)).data.map(({ title }) => title)
    const ten = 'pagination[pageSize]=10'
    const second = await pageOf('pagination[page]=2&pagination[pageSize]=3')
    const authors = (await pageOf(`populate=author&${ten}`)).data.map(({ author }) => author)
    return new Map<string, unknown>([
      ['list', await titles(ten)],
      ['one', entry.title],
      ['one by number', entry.title],
      ['filter', await titles('filters[title][$contains]=The')],
      ['filter, equal', ['What fog is for']],
      ['sort', await titles(`sort=title:desc&${ten}`)],
      ['populate', authors.map((author) => author?.name)],
      ['populate, as document ids', authors.map((author) => author?.documentId)],
      ['populate, as numbers', authors.map((author) => String(author?.id))],
      ['pages', { titles: second.data.map(({ title }) => title), total: second.meta.pagination.total }],
      ['locale', await titles('locale=fr')],
    ])
  }

  const isToldOf = ({ status, message }: Came): boolean => status === 400 || message === 'Invalid key nope'

  async function answersOf(client: string): Promise<Readonly<Record<string, Came>>> {
    const [, entry] = (await pageOf('sort=id')).data
    const ask = [join(__dirname, 'ask.cjs'), client, at, JSON.stringify(entry)]
    const { stdout } = await run(process.execPath, ask)
    return JSON.parse(stdout) as Readonly<Record<string, Came>>
  }

  it.each(clients.map((cells) => [cells[0] ?? '', cells]))(
    'does with %s what docs/how-to/strapi-clients.md says',
    async (client, [, , ...cells]) => {
      const [, entry] = (await pageOf('sort=id')).data
      const wanted = await expected(entry as Entry)
      const came = await answersOf(client)
      const seen = features.map((feature) => {
        const name = Object.keys(came).find((one) => one === feature || one.startsWith(`${feature},`))
        if (name === undefined) return ''
        const answer = came[name] ?? {}
        if (feature === 'error') return isToldOf(answer) ? 'yes' : 'no'
        return JSON.stringify(answer.value) === JSON.stringify(wanted.get(name)) ? 'yes' : 'no'
      })
      expect(seen).toEqual(cells)
    },
  )

  it.each(faults.map(([client = '', what = '', status = '']) => [client, what, status]))(
    'is asked in vain by %s: %s',
    async (client, what, status) => {
      const came = await answersOf(client)
      expect(String(came[what]?.status)).toBe(status)
    },
  )

  it('fills a Gatsby site by the whole of gatsby-source-strapi, from the definitions on', async () => {
    const came = await answersOf('gatsby-source-strapi')
    const uids = ['api::article.article', 'api::author.author', 'api::imprint.imprint', 'plugin::upload.file']
    expect(came['its start']?.value).toEqual(expect.arrayContaining(uids))
    const count = async (path: string): Promise<number> => {
      const response = await fetch(`${at}/api/${path}`)
      return ((await response.json()) as Page).meta.pagination.total
    }
    const nodes = came['the whole']
    expect(nodes?.message).toBeUndefined()
    expect(nodes?.value).toMatchObject({
      STRAPI_ARTICLE: await count('articles'),
      STRAPI_AUTHOR: await count('authors'),
      STRAPI_IMPRINT: 1,
      STRAPI__MEDIA: expect.any(Number) as unknown,
    })
  })

  it('are those of docs/how-to/strapi-clients.md, in the versions that it says', () => {
    const script = "process.stdout.write(Object.keys(require('./clients.cjs')).join('\\n'))"
    return run(process.execPath, ['-e', script], { cwd: __dirname }).then(({ stdout }) => {
      expect(clients.map(([client]) => client)).toEqual(stdout.split('\n'))
      const told = clients.map(([client = '', version]) => [client.replace(/,.*/, ''), version])
      const own = JSON.parse(
        readFileSync(join(root, 'node_modules/@strapi/client/package.json'), 'utf8'),
      ) as {
        readonly version: string
      }
      const installed = { ...packages.dependencies, '@strapi/client': own.version }
      expect(told).toEqual(
        told.map(([client = '']) => [client, (installed as Record<string, string>)[client]]),
      )
    })
  })
})
