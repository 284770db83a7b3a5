import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import { gunzipSync, gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { contentClient, ContentError } from '../../../extensions/client'
import { runCommand } from '../../../tools/command/run'
import { besideServer } from '../../support/beside-server'
import { inBrowser } from '../../support/browser'
import { startSample, type SampleSite } from '../../support/sample-site'
import { validQueries } from './valid-queries'
import type { Content } from './sample-content'

const root = join(__dirname, '..', '..', '..')

const bundled = (minify: boolean): Uint8Array =>
  buildSync({
    entryPoints: [join(root, 'extensions', 'client', 'index.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify,
    write: false,
  }).outputFiles[0]?.contents ?? new Uint8Array()

describe('the client', () => {
  let site: SampleSite
  let url = ''
  beforeAll(async () => {
    site = await startSample()
    url = `${site.at}/api`
  }, 60_000)
  afterAll(() => site.stop())

  const api = () => contentClient<Content>({ url })
  const errorOf = async (asked: Promise<unknown>): Promise<ContentError> => {
    const error = await asked.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (error instanceof ContentError) return error
    throw new Error(`no ContentError: ${String(error)}`)
  }

  it('knows the types that the command writes', async () => {
    const said: string[] = []
    const say = (text: string): unknown => said.push(text)
    const words = [
      'types',
      '--content-types',
      'content-types',
      '--out',
      'spec/extensions/client/sample-content.ts',
      '--check',
    ]
    const before = process.cwd()
    process.chdir(root)
    const code = await runCommand(words, { print: say, complain: say })
    process.chdir(before)
    expect([code, said]).toEqual([0, []])
  })

  it('finds a page', async () => {
    const { data, meta } = await api().find('cities', {
      fields: ['name'],
      filters: { population: { $gt: '1000000' } },
      sort: 'name:desc',
    })
    expect(data.map(({ name }) => name)).toEqual(['Vienna', 'Kyoto'])
    expect(meta.pagination.total).toBe(2)
  })

  it('populates', async () => {
    const { data } = await api().find('walks', {
      fields: ['name'],
      populate: { guide: { fields: ['name'], populate: ['homeCity'] } },
      pagination: { pageSize: 1 },
    })
    expect(data[0]?.guide?.homeCity?.name).toBe('Lisbon')
  })

  it('finds one entry by its documentId, by a slug, and of a single type', async () => {
    const { data: first } = await api().by('articles', 'slug', 'four-kinds-of-rain', { fields: ['title'] })
    expect(first.title).toBe('Four kinds of rain')
    const { data: again } = await api().findOne('articles', first.documentId, { fields: ['title'] })
    expect(again).toEqual(first)
    const { data: imprint } = await api().single('imprint', { fields: ['publisher'] })
    expect(imprint.publisher).toBe('The Long Way, Lda.')
  })

  it('asks by a filter for what stands in no path', async () => {
    expect((await errorOf(api().by('articles', 'slug', '..'))).status).toBe(404)
    expect((await errorOf(api().findOne('articles', '..'))).status).toBe(404)
  })

  it.each(['x/y', 'a b', '100%', '?', '#', '日本', '😀'])('keeps %s in one part of a path', async (value) => {
    const error = await errorOf(api().by('articles', 'slug', value))
    expect([error.status, error.name]).toEqual([404, 'NotFoundError'])
  })

  it('goes through all entries, page after page', async () => {
    const names: string[] = []
    const asked: string[] = []
    const counting = contentClient<Content>({
      url,
      fetch: (address, init) => {
        asked.push(address)
        return fetch(address, init)
      },
    })
    for await (const { name } of counting.each('tags', {
      fields: ['name'],
      sort: 'name',
      pagination: { pageSize: 3 },
    }))
      names.push(name)
    const { meta } = await api().find('tags')
    expect(names).toHaveLength(meta.pagination.total ?? 0)
    expect(names).toEqual([...names].sort())
    expect(asked).toHaveLength(Math.ceil(names.length / 3))
    asked.length = 0
    for await (const tag of counting.each('tags', { pagination: { pageSize: 3 } })) if (tag.name !== '') break
    expect(asked).toHaveLength(1)
  })

  it('throws what the server refuses, with its words', async () => {
    const query = { filters: { titel: 'x' } } as object
    const error = await errorOf(contentClient<Content>({ url }).find('articles', query))
    expect(error).toMatchObject({
      status: 400,
      name: 'ValidationError',
      message: 'Invalid key titel: did you mean title?',
    })
    expect(error.details).toMatchObject({ path: 'filters.titel' })
    expect(error.stack).toContain('ValidationError: Invalid key titel')
  })

  it.each(validQueries)('is answered what a compiler lets pass: %s', async (text) => {
    const query = runInThisContext(`(${text})`) as object
    const editor = contentClient({ url, headers: { 'X-Role': 'editor' } })
    const answer = await editor.find('articles', query)
    expect(answer.data).toBeInstanceOf(Array)
  })

  it('asks as the role that its headers tell', async () => {
    const titles = { fields: ['title'], status: 'draft' } as const
    expect((await errorOf(api().find('articles', titles))).status).toBe(403)
    const editor = contentClient<Content>({ url, headers: () => Promise.resolve({ 'X-Role': 'editor' }) })
    expect((await editor.find('articles', titles)).data.length).toBeGreaterThan(0)
    const { data } = await api().find('articles', titles, { headers: { 'x-role': 'editor' } })
    expect(data.length).toBeGreaterThan(0)
  })

  it('hands on to fetch what a call says', async () => {
    const heard: RequestInit[] = []
    const hearing = contentClient<Content>({
      url,
      fetch: (address, init) => {
        heard.push(init)
        return fetch(address, init)
      },
    })
    // As Next.js reads it.
    const next = { next: { revalidate: 60, tags: ['cities'] } }
    await hearing.find('cities', {}, { credentials: 'omit', ...next })
    expect(heard).toEqual([expect.objectContaining({ credentials: 'omit', ...next })])
    expect(heard[0]).not.toHaveProperty('timeout')
  })

  inBrowser('reads in a browser', async (page) => {
    // A page of that host that lets scripts be added.
    await page.goto(`${url}/imprint`)
    const source = Buffer.from(bundled(false)).toString()
    await page.addScriptTag({ type: 'module', content: `${source};globalThis.makeClient = contentClient` })
    const found = await page.evaluate(async (at) => {
      const { makeClient } = globalThis as unknown as { readonly makeClient: typeof contentClient }
      const client = makeClient<Content>({ url: at, timeout: 5000 })
      const names: unknown[] = []
      for await (const one of client.each('tags', { fields: ['name'], pagination: { pageSize: 4 } }))
        names.push(one.name)
      return names
    }, url)
    const { data } = await api().find('tags', { fields: ['name'] })
    expect(found).toEqual(data.map(({ name }) => name))
  })

  it('is small', () => {
    expect(gzipSync(bundled(true), { level: 9 }).byteLength).toBeLessThan(4096)
  })
})

describe('the client in front of a server that', () => {
  const busy =
    (times: number, after: string): RequestListener =>
    (_req, res) => {
      times -= 1
      res.writeHead(times < 0 ? 200 : 503, { 'Retry-After': after })
      res.end(
        times < 0
          ? '{"data":[],"meta":{}}'
          : '{"error":{"status":503,"name":"ServiceUnavailableError","message":"Busy"}}',
      )
    }

  it('tags its answers is asked whether they still hold, each for itself', async () => {
    const seen: (string | undefined)[] = []
    const tagging: RequestListener = ({ headers, url }, res) => {
      seen.push(headers['if-none-match'])
      const tag = `"${String(url)} ${String(headers['x-role'])}"`
      if (headers['if-none-match'] === tag) res.writeHead(304).end()
      else res.writeHead(200, { ETag: tag }).end(`{"data":[{"id":1}],"meta":{}}`)
    }
    await besideServer(tagging, async (url) => {
      const client = contentClient<Content>({ url, etags: true })
      const first = await client.find('tags')
      first.data.length = 0
      expect((await client.find('tags')).data).toEqual([{ id: 1 }])
      await client.find('tags', { sort: 'name' })
      await client.find('tags', {}, { headers: { 'X-Role': 'editor' } })
    })
    expect(seen).toEqual([undefined, '"/api/tags undefined"', undefined, undefined])
  })

  it('is busy asks again', async () => {
    const { data } = await besideServer(busy(2, '0'), (url) => contentClient<Content>({ url }).find('tags'))
    expect(data).toEqual([])
  })

  it.each([1, 0, NaN])('stays busy says so after %d retries', async (retries) => {
    const asked = besideServer(busy(2, '0'), (url) => contentClient<Content>({ url, retries }).find('tags'))
    await expect(asked).rejects.toMatchObject({
      status: 503,
      name: 'ServiceUnavailableError',
      message: 'Busy',
    })
  })

  it('is busy for long is given up at the time-out', async () => {
    const asked = besideServer(busy(9, '20'), (url) =>
      contentClient<Content>({ url, timeout: 300 }).find('tags'),
    )
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('never answers is given up when the caller says so', async () => {
    const caller = new AbortController()
    const silent: RequestListener = () => {
      caller.abort()
    }
    const asked = besideServer(silent, (url) =>
      contentClient<Content>({ url }).find('tags', {}, { signal: caller.signal }),
    )
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('answers with a page of its own is told apart', async () => {
    const page: RequestListener = (_req, res) => {
      res.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>')
    }
    const asked = besideServer(page, (url) => contentClient<Content>({ url }).find('tags'))
    await expect(asked).rejects.toMatchObject({ status: 502, message: 'The server responded with 502' })
  })
})

describe('the client in front of a Strapi', () => {
  interface Recorded {
    readonly request: string
    readonly role: string
    readonly status: number
    readonly body: unknown
  }
  const folder = join(__dirname, '..', '..', 'corpus', 'recordings', 'magazine')
  const recorded = (): Recorded[] => {
    const lines = gunzipSync(readFileSync(join(folder, 'cases.jsonl.gz')))
      .toString('utf8')
      .trim()
      .split('\n')
    return lines.map((line) => JSON.parse(line) as Recorded)
  }

  interface Magazine {
    articles: {
      uid: 'api::article.article'
      kind: 'collection'
      reads: 'find' | 'findOne'
      asked: 'freely'
      status: 'published'
      mayBeDraft: true
      scalars: { id: number; documentId: string; title: string; slug: string | null }
      unique: 'slug'
    }
  }

  it('reads the answers that one gave', async () => {
    const lists = recorded().filter(
      ({ request, role, status }) =>
        role === 'public' && status === 200 && /^\/api\/articles(\?|$)/.test(request),
    )
    const [one] = lists
    const answers = lists.slice(0, 50)
    const client = contentClient<Magazine>({
      url: 'http://strapi/api',
      preset: 'strapi5',
      fetch: () => Promise.resolve(new Response(JSON.stringify(answers.shift()?.body))),
    })
    expect(await client.find('articles')).toEqual(one?.body)
    while (answers.length > 0) expect((await client.find('articles')).meta.pagination).toBeDefined()
  })

  it('has no path by an attribute, and no cursors: it asks by filters and by numbers', async () => {
    const asked: string[] = []
    const pages = [
      { data: [{ id: 1 }], meta: { pagination: { page: 1, pageCount: 2 } } },
      { data: [{ id: 2 }], meta: { pagination: { page: 2, pageCount: 2 } } },
    ]
    const client = contentClient<Magazine>({
      url: 'http://strapi/api',
      preset: 'strapi5',
      fetch: (address) => {
        asked.push(decodeURIComponent(address))
        return Promise.resolve(new Response(JSON.stringify(pages[(asked.length - 1) % 2])))
      },
    })
    const ids: number[] = []
    for await (const { id } of client.each('articles', { pagination: { pageSize: 1 } })) ids.push(id)
    expect(ids).toEqual([1, 2])
    expect((await client.by('articles', 'slug', 'a/b', { filters: { title: 'x' } })).data.id).toBe(1)
    expect(asked).toEqual([
      'http://strapi/api/articles?pagination[pageSize]=1&pagination[page]=1&pagination[withCount]=true',
      'http://strapi/api/articles?pagination[pageSize]=1&pagination[page]=2&pagination[withCount]=true',
      'http://strapi/api/articles?filters[$and][0][title]=x&filters[$and][1][slug][$eq]=a/b&pagination[limit]=1',
    ])
  })
})
