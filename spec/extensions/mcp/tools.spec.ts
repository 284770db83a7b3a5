import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import Ajv from 'ajv'
import Sqlite from 'better-sqlite3'
import express from 'express'
import request from 'supertest'
import { aggregates } from '../../../extensions/aggregate'
import { connectMcp, contentMcp, type McpOptions } from '../../../extensions/mcp'
import { search } from '../../../extensions/search'
import { ConfigError, contentRouter, type ContentRouterConfig, type Grant, migrate } from '../../../lib'
import { letPass } from '../../support/clock'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, library } from '../../support/library'
import { roleHeader, rolesOf, stocked } from '../../support/served'

const types = [
  ...(library as readonly object[]),
  { ...collection('home', { title: { type: 'string' } }), kind: 'singleType' },
] as unknown as Parameters<typeof stocked>[1]

const permissions: Readonly<Record<string, Grant>> = {
  public: { find: '*', findOne: '*', aggregate: ['book'] },
  editor: { find: '*', findOne: '*', drafts: '*' },
  reader: {
    find: { book: { where: { year: { $gte: 2000 } }, fields: ['title', 'year'] } },
    findOne: { book: { where: { year: { $gte: 2000 } }, fields: ['title', 'year'] } },
  },
  nobody: {},
}

const extensions = [aggregates(), search({ book: { title: 3, blurb: 1 }, author: { name: 2 } })]

const throwError = (): never => {
  throw new TypeError('secret')
}

const hostFailure =
  'a function in the options failed or returned an invalid value, so the router denied access'

const long = 'abcdefghij'.repeat(900)

interface ArgumentSchema {
  readonly type?: unknown
  readonly items?: ArgumentSchema
  readonly enum?: unknown
}

/** VS Code requires the items of lists. Gemini requires one type, and texts for values of an enumeration. */
function isAccepted({ type, items, enum: values }: ArgumentSchema): boolean {
  if (type === 'array') return items !== undefined && isAccepted(items)
  return typeof type === 'string' && (values === undefined || type === 'string')
}

interface SearchedEntry {
  readonly type: string
  readonly rank: number
  readonly entry: Readonly<Record<string, unknown>>
}

interface Result {
  readonly isError: boolean
  readonly text: string
  readonly answer: { readonly data: never; readonly notes?: readonly string[] }
}

onSqlite((database) => {
  const { world, seeded } = stocked(database, types, {
    author: [
      { $ref: 'ada', name: 'Ada', age: 30 },
      { name: 'Dante', age: 56 },
    ],
    book: [
      { $ref: 'dawn', title: 'Dawn', year: 2001, author: 'ada', ledger: 'secret', blurb: long },
      { title: 'Dusk', year: 1999, author: 'ada' },
      { title: 'Noon', year: 2003, blurb: long.slice(0, 800) },
    ],
    home: { title: 'Welcome' },
  })
  beforeAll(() => migrate({ contentTypes: types, database: world.config, extensions, logger: false }))
  const open: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of open) await close()
  })

  async function serve(options: Partial<McpOptions> = {}, config: Partial<ContentRouterConfig> = {}) {
    const { logger, errors } = keeping()
    const content = contentRouter({
      ...{ contentTypes: types, database: world.config, permissions, logger },
      ...{ extensions, ...config },
    })
    const role = (req: express.Request) => rolesOf(req.get(roleHeader))
    const server = createServer(
      { keepAliveTimeout: 0 },
      express().use('/mcp', contentMcp(content, { role, ...options })),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    open.push(async () => {
      server.close()
      await content.close()
    })
    return { url: new URL(`http://127.0.0.1:${String(port)}/mcp`), errors, content }
  }

  async function clientOf(url: URL, role?: string): Promise<Client> {
    const headers: Record<string, string> = role === undefined ? {} : { [roleHeader]: role }
    const client = new Client({ name: 'spec', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    open.unshift(() => client.close())
    return client
  }

  async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Result> {
    const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: given }))
    const [first] = result.content
    const text = first?.type === 'text' ? first.text : ''
    const { isError = false, structuredContent = {} } = result
    if (!isError) expect(JSON.parse(text)).toEqual(structuredContent)
    return { isError, text, answer: structuredContent as unknown as Result['answer'] }
  }

  const idOf = (type: string, name: string): string => seeded().entry(type, name).documentId

  describe('the tools of a role', () => {
    it('are read-only, with valid schemas of the types that the role may read', async () => {
      const { url } = await serve()
      const namesFor: Record<string, unknown> = {}
      for (const role of ['public', 'reader', 'editor', 'nobody']) {
        const { tools } = await (await clientOf(url, role)).listTools()
        for (const { inputSchema, annotations } of tools) {
          expect(new Ajv({ strictSchema: true }).validateSchema(inputSchema)).toBe(true)
          expect(Object.values(inputSchema.properties ?? {}).filter((one) => !isAccepted(one))).toEqual([])
          expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
        }
        namesFor[role] = tools.map(({ name, inputSchema: { properties = {} } }) => [
          name,
          (properties['type'] as { enum?: readonly string[] } | undefined)?.enum ?? null,
          'status' in properties,
        ])
      }
      const lists = ['authors', 'books', 'countries', 'genres', 'memos', 'reviews']
      expect(namesFor['reader']).toEqual([
        ['list_types', null, false],
        ['describe_type', ['books'], false],
        ['find', ['books'], false],
        ['search', null, false],
        ['find_one', ['books'], false],
        ['read_text', ['books'], false],
      ])
      expect(namesFor['nobody']).toEqual([['list_types', null, false]])
      expect(namesFor['public']).toContainEqual(['find', lists, false])
      expect(namesFor['public']).toContainEqual([
        'find_one',
        ['authors', 'books', 'countries', 'genres', 'home', 'memos', 'reviews'],
        false,
      ])
      expect(namesFor['public']).toContainEqual(['aggregate', ['books'], false])
      expect(namesFor['editor']).toContainEqual(['find', lists, true])
      expect(namesFor['editor']).not.toContainEqual(expect.arrayContaining(['aggregate']))
    })

    it('describe only what the role may read', async () => {
      const { url } = await serve()
      const { answer } = await call(await clientOf(url, 'reader'), 'describe_type', { type: 'books' })
      expect(answer.data).toMatchObject({
        ...{ type: 'books', kind: 'collectionType', relations: {} },
        tools: ['describe_type', 'find', 'search', 'find_one', 'read_text'],
        attributes: { year: { type: 'integer', nullable: true } },
      })
      expect(Object.keys((answer.data as { attributes: object }).attributes).sort()).toEqual(
        ['documentId', 'id', 'title', 'year'].sort(),
      )
    })

    it('name each type with its tools', async () => {
      const { url } = await serve()
      const { answer } = await call(await clientOf(url), 'list_types')
      expect(answer.data).toContainEqual({
        ...{ type: 'home', kind: 'singleType' },
        tools: ['describe_type', 'find_one', 'read_text'],
      })
      expect(answer.data).toContainEqual({
        ...{ type: 'books', kind: 'collectionType' },
        tools: ['describe_type', 'find', 'search', 'find_one', 'read_text', 'aggregate'],
      })
      expect(answer.data).toContainEqual({
        ...{ type: 'genres', kind: 'collectionType' },
        tools: ['describe_type', 'find', 'find_one', 'read_text'],
      })
    })
  })

  describe('the result of a tool', () => {
    it('is that of the same request', async () => {
      const { url, content } = await serve()
      const query = {
        ...{ filters: { author: { name: { $eq: 'Ada' } } }, sort: ['title:desc'], fields: ['title'] },
        ...{ populate: { author: { fields: ['name'] } }, pagination: { pageSize: 1 } },
      }
      const client = await clientOf(url)
      const { answer } = await call(client, 'find', { type: 'books', ...query })
      expect(answer).toEqual(await content.as('public').find('books', query))
      expect(answer.data).toMatchObject([{ title: 'Dusk', author: { name: 'Ada' } }])
      const one = await call(client, 'find_one', { type: 'authors', documentId: idOf('author', 'ada') })
      expect(one.answer.data).toMatchObject({ name: 'Ada', age: 30 })
      const home = await call(client, 'find_one', { type: 'home' })
      expect(home.answer.data).toMatchObject({ title: 'Welcome' })
      const counted = await call(client, 'aggregate', {
        ...{ type: 'books', aggregate: { count: true, sum: ['year'] }, groupBy: ['author.name'] },
      })
      expect(counted.answer.data).toEqual([
        { group: { 'author.name': null }, count: 1, sum: { year: 2003 } },
        { group: { 'author.name': 'Ada' }, count: 2, sum: { year: 4000 } },
      ])
    })

    it('holds the rules of the role', async () => {
      const { url } = await serve()
      const { answer } = await call(await clientOf(url, 'reader'), 'find', { type: 'books', sort: ['title'] })
      expect(answer.data).toMatchObject([{ title: 'Dawn' }, { title: 'Noon' }])
      expect(JSON.stringify(answer.data)).not.toContain('blurb')
    })

    it('has long texts cut, which read_text reads in parts', async () => {
      const { url } = await serve({ maxCharacters: 3000 })
      const client = await clientOf(url)
      const entry = { type: 'books', documentId: idOf('book', 'dawn') }
      const { answer, text } = await call(client, 'find_one', entry)
      expect(text.length).toBeLessThanOrEqual(3000)
      expect(answer.data).toMatchObject({ blurb: `${long.slice(0, 1000)}…` })
      expect(answer.notes).toEqual([
        'Texts of blurb are cut after 1000 characters. Call read_text to read on.',
      ])
      let whole = ''
      for (let parts = 0; parts < 20 && whole.length < long.length; parts += 1) {
        const part = await call(client, 'read_text', { ...entry, attribute: 'blurb', from: whole.length })
        const { text: words, length } = part.answer.data as { readonly text: string; readonly length: number }
        expect(length).toBe(long.length)
        whole += words
      }
      expect(whole).toBe(long)
    })

    it('has the end of a list cut, and says how to read on', async () => {
      const { url } = await serve({ maxCharacters: 1000 })
      const client = await clientOf(url)
      const titles: string[] = []
      let pageSize = 3
      for (let pages = 0; pages < 5 && titles.length < 3; pages += 1) {
        const pagination = { start: titles.length, limit: pageSize }
        const { answer } = await call(client, 'find', { type: 'books', sort: ['title'], pagination })
        titles.push(...(answer.data as readonly { title: string }[]).map(({ title }) => title))
        const [, shown, all, next] =
          /^Only the first (\d) of (\d) entries are shown. Request at most (\d) entries in one call.$/.exec(
            answer.notes?.at(-1) ?? '',
          ) ?? []
        if (pages === 0) expect([shown, all]).toEqual([next, '3'])
        pageSize = Number(next ?? pageSize)
      }
      expect(titles).toEqual(['Dawn', 'Dusk', 'Noon'])
    })
  })

  describe('search', () => {
    it('lists the best matches of all types first, as GET /search does', async () => {
      const { url, content } = await serve()
      const { answer } = await call(await clientOf(url), 'search', { _q: 'da' })
      const shown = answer.data as readonly SearchedEntry[]
      expect(shown.map(({ type, rank, entry }) => [type, rank, entry['title'] ?? entry['name']])).toEqual([
        ['books', 3, 'Dawn'],
        ['authors', 2, 'Dante'],
      ])
      const response = await request(express().use(content)).get('/search?q=da').set(roleHeader, 'public')
      const { data } = response.body as { readonly data: readonly { readonly documentId: string }[] }
      expect(shown.map(({ entry }) => entry['documentId'])).toEqual(data.map(({ documentId }) => documentId))
    })

    it('reads the types that the call names, and at most as many entries as requested', async () => {
      const { url } = await serve()
      const client = await clientOf(url)
      const namesOf = async (given: Record<string, unknown>): Promise<unknown> =>
        ((await call(client, 'search', given)).answer.data as readonly SearchedEntry[]).map(
          ({ entry }) => entry['title'] ?? entry['name'],
        )
      expect(await namesOf({ _q: 'da', types: ['authors'] })).toEqual(['Dante'])
      expect(await namesOf({ _q: 'da', limit: 1 })).toEqual(['Dawn'])
      expect(await namesOf({ _q: 'zebra' })).toEqual([])
    })

    it('shows no more entries than a page of the role, because others may match better', async () => {
      const { url } = await serve({}, { limitsByRole: { public: { maxPageSize: 1 } } })
      const { answer } = await call(await clientOf(url), 'search', { _q: 'da' })
      expect(answer.data).toMatchObject([{ entry: { title: 'Dawn' } }])
    })

    it('cuts long texts, and finds only texts that the role may read', async () => {
      const { url } = await serve()
      const { answer } = await call(await clientOf(url), 'search', { _q: 'noon' })
      expect(answer.data).toMatchObject([{ entry: { blurb: `${long.slice(0, 250)}…` } }])
      expect(answer.notes).toEqual([
        'Texts of blurb are cut after 250 characters. Call read_text to read on.',
      ])
      const found = await call(await clientOf(url), 'search', { _q: 'abcdefghij*' })
      expect(found.answer.data).toHaveLength(2)
      const reader = await call(await clientOf(url, 'reader'), 'search', { _q: 'abcdefghij' })
      expect(reader.answer.data).toEqual([])
    })

    it('exists only with the extension search()', async () => {
      const { url } = await serve({}, { extensions: [aggregates()] })
      const { tools } = await (await clientOf(url)).listTools()
      expect(tools.map(({ name }) => name)).not.toContain('search')
      const { text } = await call(await clientOf(url), 'search', { _q: 'dawn' })
      expect(text).toContain('The tool does not exist. These tools exist: list_types')
    })
  })

  describe('an error of a tool', () => {
    it('says what to correct', async () => {
      const { url } = await serve()
      const client = await clientOf(url)
      const problem = async (name: string, given: Record<string, unknown>): Promise<string> => {
        const { isError, text } = await call(client, name, given)
        expect(isError).toBe(true)
        return text
      }
      expect(await problem('find', { type: 'books', filters: { titel: 'x' } })).toContain(
        'did you mean title',
      )
      expect(await problem('find', { type: 'book' })).toBe(
        'The type must be one of: authors, books, countries, genres, memos, reviews',
      )
      expect(await problem('find', { type: 'books', limit: 5 })).toBe(
        'Invalid arguments: the tool has no argument limit',
      )
      expect(await problem('find_one', { type: 'books' })).toBe('The argument documentId is missing')
      expect(await problem('find_one', { type: 'books', documentId: 'none' })).toBe('Not Found')
      expect(await problem('search', { _q: 'dawn', types: ['books', 'genres'] })).toBe(
        'The type must be one of: authors, books',
      )
      expect(await problem('search', { _q: 'dawn', limit: 100 })).toBe(
        'Invalid arguments: the argument limit must be <= 25',
      )
      expect(await problem('search', { _q: '' })).toBe(
        'Invalid arguments: the argument _q must NOT have fewer than 1 characters',
      )
      expect(await problem('search', { _q: 'a b c d e f g h i' })).toBe(
        'Invalid _q parameter: a search can contain at most 8 words and phrases (at _q)',
      )
      expect(await problem('remove', {})).toContain('These tools exist: list_types')
    })

    it.each([
      ['sort', 'views:desc', 'array', '["title:asc", "owner.name:desc"]'],
      ['fields', 'title', 'array', '["title", "views"]'],
      ['populate', '*', 'object', '{ "owner": true }'],
      ['filters', 'title', 'object', '{ "title": { "$containsi": "tea" }'],
      ['pagination', 2, 'object', '{ "page": 1, "pageSize": 25 }'],
    ])('shows the form of the argument %s', async (name, given, type, form) => {
      const { url } = await serve()
      const { isError, text } = await call(await clientOf(url), 'find', { type: 'books', [name]: given })
      expect(isError).toBe(true)
      expect(text).toContain(`Invalid arguments: the argument ${name} must be ${type} (`)
      expect(text).toContain(form)
    })

    it('is the same for a hidden name and for an unknown one', async () => {
      const { url } = await serve()
      const client = await clientOf(url, 'reader')
      const said = async (name: string, given: Record<string, unknown>, hidden: string): Promise<string> =>
        (await call(client, name, given)).text.replaceAll(hidden, '?')
      for (const [hidden, unknown] of [
        ['blurb', 'blurx'],
        ['author', 'authox'],
        ['ledger', 'ledgex'],
      ] as const)
        for (const given of [
          (name: string) => ({ filters: { [name]: 'x' } }),
          (name: string) => ({ sort: [name] }),
          (name: string) => ({ fields: [name] }),
          (name: string) => ({ populate: [name] }),
        ])
          expect(await said('find', { type: 'books', ...given(hidden) }, hidden)).toBe(
            await said('find', { type: 'books', ...given(unknown) }, unknown),
          )
      for (const tool of ['find', 'describe_type', 'find_one', 'aggregate'])
        expect(await said(tool, { type: 'authors' }, 'authors')).toBe(
          await said(tool, { type: 'nothings' }, 'nothings'),
        )
      expect(await said('search', { _q: 'ada', types: ['authors'] }, 'authors')).toBe(
        await said('search', { _q: 'ada', types: ['nothings'] }, 'nothings'),
      )
    })

    it('shows nothing of a failure of the server', async () => {
      const { url, errors } = await serve()
      const client = await clientOf(url)
      await world.knex.schema.renameTable('genres', 'genres_elsewhere')
      const { isError, text } = await call(client, 'find', { type: 'genres' })
      await world.knex.schema.renameTable('genres_elsewhere', 'genres')
      expect([isError, text]).toEqual([true, 'Internal Server Error'])
      expect(errors).toHaveLength(1)
    })

    it('is logged if your function permissions throws', async () => {
      const { url, errors } = await serve({}, { permissions: throwError })
      const { isError, text } = await call(await clientOf(url, 'reader'), 'list_types')
      expect([isError, text]).toEqual([true, 'Internal Server Error'])
      expect(errors).toMatchObject([{ facts: { hook: 'access' }, message: hostFailure }])
      expect(JSON.stringify(errors)).not.toContain('secret')
    })

    it('counts a 503 once', async () => {
      const { url, errors } = await serve({}, { timeout: 200 })
      const client = await clientOf(url)
      await call(client, 'find', { type: 'books' })
      const writer = new Sqlite((world.config.connection as { readonly filename: string }).filename)
      writer.exec('begin exclusive')
      for (const sort of ['title', 'year']) {
        const { text } = await call(client, 'find', { type: 'books', sort: [sort] })
        expect(text).toBe('The response took too long')
        letPass(61)
      }
      writer.close()
      const line = { times: 1, reason: 'timeout' }
      expect(errors.map(({ facts }) => facts)).toEqual([line, line])
    })
  })

  it('resources are the descriptions of types, and entries', async () => {
    const { url } = await serve()
    const client = await clientOf(url)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('content://books')
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['content://{type}/{documentId}'])
    const read = async (uri: string): Promise<unknown> => {
      const { contents } = await client.readResource({ uri })
      const [first] = contents
      return first !== undefined && 'text' in first ? JSON.parse(first.text) : null
    }
    expect(await read('content://books')).toMatchObject({ data: { type: 'books' } })
    expect(await read(`content://authors/${idOf('author', 'ada')}`)).toMatchObject({ data: { name: 'Ada' } })
    await expect(read('content://authors/none')).rejects.toThrow('Not Found')
    await expect(read('file:///etc/passwd')).rejects.toThrow('Not Found')
  })

  describe('over HTTP', () => {
    const post = (url: URL, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })

    it('a request without a role gets a 401, and other methods a 405', async () => {
      const { url } = await serve()
      expect((await post(url, { [roleHeader]: '' })).status).toBe(401)
      const got = await fetch(url)
      expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
    })

    it('an error of your function role is logged, and gets a 500 with the id', async () => {
      const { url, errors } = await serve({ role: throwError })
      const response = await post(url)
      expect([response.status, await response.json()]).toMatchObject([
        500,
        { error: { message: 'Internal Server Error', details: { id: errors[0]?.facts['id'] } } },
      ])
      expect(errors).toMatchObject([{ facts: { hook: 'access' }, message: hostFailure }])
    })

    it.each([
      ['that is too long', JSON.stringify('x'.repeat(120_000)), 413],
      ['that is not JSON', '{bad', 400],
    ])('a body %s gets a JSON-RPC error', async (_kind, body, status) => {
      const { url } = await serve()
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body })
      const error = { code: -32700, message: 'The body must be JSON in UTF-8 of at most 100 KB' }
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({ jsonrpc: '2.0', error, id: null })
    })
  })

  it('wrong options are refused', async () => {
    const { content } = await serve()
    expect(() => contentMcp(content, { role: 'public', maxCharacters: 10 })).toThrow(ConfigError)
    expect(() => contentMcp(content, { role: 'public', most: 5 } as never)).toThrow('contentMcp.most')
    expect(() => contentMcp(content, { role: undefined } as never)).toThrow('contentMcp.role')
    expect(() => contentMcp({} as never, { role: 'public' })).toThrow(
      'the first argument of contentMcp() must be a router',
    )
    expect(() => connectMcp({} as never, {} as never, { role: 'public' })).toThrow(
      'the first argument of connectMcp() must be a router',
    )
  })
})
