import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import express, { type Express } from 'express'
import { aggregates } from '../../extensions/aggregate'
import { connectMcp, contentMcp } from '../../extensions/mcp'
import { search } from '../../extensions/search'
import { ConfigError, contentRouter, type ContentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { testDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { stocked } from '../support/served'

const root = join(__dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'how-to', 'assistants.md'), 'utf8')
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp('```' + language + '\\n(.*?)```', 'gs'))].map(([, code = '']) => code)

const types = [
  collection('article', { title: text, author: relation('manyToOne', 'author') }),
  collection('author', { name: text }),
] as unknown as ContentRouterConfig['contentTypes']

/** The names in the first column of a table. */
const namesBelow = (heading: string): readonly string[] => {
  const [, table = ''] = new RegExp(`## ${heading}\\n\\n(\\|[^]*?)\\n\\n`).exec(page) ?? []
  return [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
}

interface Server {
  readonly type?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly command?: string
  readonly args?: readonly string[]
}

/** The settings of a client name the server `content`, and the settings of VS Code have a list of inputs, too. */
const settings = blocks('json').map(
  (code) => JSON.parse(code) as Readonly<Record<string, { readonly content?: Server }>>,
)

describe('docs/how-to/assistants.md', () => {
  const { world } = stocked(testDatabase('sqlite'), types, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    article: [
      { title: 'Green tea', author: 'ada' },
      { title: 'Cake', author: 'ada' },
    ],
  })
  const everything = { find: '*', findOne: '*', drafts: '*', aggregate: '*' } as const
  const extensions = [aggregates(), search({ article: { title: 1 } })]
  const configOf = (): ContentRouterConfig => ({
    ...{ contentTypes: types, database: world.config, logger: false, extensions },
    permissions: { public: everything, editor: everything },
  })
  beforeAll(async () => {
    await migrate({ contentTypes: types, database: world.config, logger: false, extensions })
  })

  const open: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })

  const routerOf = (config: ContentRouterConfig): ContentRouter => {
    const content = contentRouter(config)
    open.push(() => content.close())
    return content
  }

  /** Runs a block of the page, which may await. */
  const run = (code: string, names: object): Promise<void> =>
    runInNewContext(`(async () => { ${code.replaceAll(/^import .*$/gm, '')} })()`, names) as Promise<void>

  async function served(code: string, names: object): Promise<string> {
    const app: Express = express()
    await run(code, { app, contentRouter: routerOf, contentMcp, config: configOf(), ...names })
    const server = createServer({ keepAliveTimeout: 0 }, app as RequestListener)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    open.push(() => server.close())
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  }

  async function clientOf(origin: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
    const client = new Client({ name: 'spec', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers } }),
    )
    open.unshift(() => client.close())
    return client
  }

  const { path } = projectFolder({ 'package.json': '{}' })
  const [mount = '', withToken = '', ownTransport = ''] = blocks('js')

  it('mounts a server with the tools of the table', async () => {
    const client = await clientOf(await served(mount, {}))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(namesBelow('Tools'))
    const [, example = ''] = /for example `(\{.*\})`/.exec(page) ?? []
    const given = JSON.parse(example) as Record<string, unknown>
    const { structuredContent } = await client.callTool({ name: 'find', arguments: given })
    expect(structuredContent).toMatchObject({ data: [{ title: 'Green tea', author: { name: 'Ada' } }] })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('content://articles')
  })

  it('takes the role from a token, as the clients send it', async () => {
    const env = { MCP_TOKEN: 'secret' }
    const origin = await served(withToken, { content: routerOf(configOf()), process: { env } })
    const sent = [
      /--header "Authorization: (Bearer \$MCP_TOKEN)"/.exec(page)?.[1],
      ...settings.flatMap((one) =>
        Object.values(one).map((servers) => servers.content?.headers?.['Authorization']),
      ),
    ].filter((header) => header !== undefined)
    expect(sent).toEqual(['Bearer $MCP_TOKEN', 'Bearer ${env:MCP_TOKEN}', 'Bearer ${input:mcp-token}'])
    for (const header of sent) {
      const client = await clientOf(origin, { authorization: header.replace(/\$.*/, env.MCP_TOKEN) })
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('find')
    }
    await expect(clientOf(origin, { authorization: 'Bearer other' })).rejects.toThrow('Unauthorized')
  })

  it('names the options', () => {
    const wrong = Object.fromEntries([...namesBelow('Options'), 'other'].map((name) => [name, null]))
    try {
      contentMcp(routerOf(configOf()), wrong as never)
    } catch (error) {
      const faults = error instanceof ConfigError ? error.faults : []
      expect(faults.map(({ where }) => where)).toEqual(
        ['other', ...namesBelow('Options')].map((name) => `contentMcp.${name}`),
      )
    }
    expect.assertions(1)
  })

  it('has settings of clients for this address', () => {
    const urls = settings.flatMap((one) =>
      Object.values(one).flatMap((servers) => servers.content?.url ?? []),
    )
    expect(new Set(urls)).toEqual(new Set(['https://example.org/mcp']))
    for (const command of blocks('sh')) expect(command).toContain('https://example.org/mcp')
  })

  it('has a command that serves the content', async () => {
    const { command, args = [] } = settings.at(-1)?.['mcpServers']?.content ?? {}
    const [flag, folder = '', name = '', ...given] = args
    expect([command, flag, name]).toEqual(['npx', '--prefix', 'express-content-router'])
    expect(given.at(-1)).toBe(`${folder}/content-router.config.js`)
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>
    }
    const file = join(path, 'content-router.config.js')
    const { contentTypes, database } = configOf()
    writeFileSync(file, `module.exports = ${JSON.stringify({ contentTypes, database, permissions: {} })}`)
    const words = given.map((word) => (word.endsWith('content-router.config.js') ? file : word))
    const program = join(root, bin[name] ?? '')
    const client = new Client({ name: 'spec', version: '1' })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program, ...words], stderr: 'pipe' }),
    )
    open.push(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('find')
  })

  it('serves over another transport', async () => {
    const [own, theirs] = InMemoryTransport.createLinkedPair()
    function StdioServerTransport(): InMemoryTransport {
      return theirs
    }
    await run(ownTransport, { content: routerOf(configOf()), connectMcp, StdioServerTransport })
    const client = new Client({ name: 'spec', version: '1' })
    await client.connect(own)
    open.unshift(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('find_one')
  })
})
