import type { RequestListener } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { contentClient, ContentError } from '../../../extensions/client'
import { besideServer } from '../../support/beside-server'
import { startSample, type SampleSite } from '../../support/sample-site'

const page = '{"data":[],"meta":{}}'
const answering =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_req, res) => {
    res.writeHead(status, headers).end(body)
  }
const silent: RequestListener = () => undefined
const never = new Promise<never>(() => undefined)

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}

describe('a call of the client', () => {
  it('is given up at its time-out though its caller could end it, whatever is collected meanwhile', async () => {
    const collecting = setInterval(collectGarbage, 50)
    const { signal } = new AbortController()
    const asked = besideServer(silent, (url) =>
      Promise.race([
        contentClient({ url }).find('tags', {}, { signal, timeout: 600 }),
        new Promise((resolve) => setTimeout(resolve, 5000, 'not given up')),
      ]),
    )
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', message: /600 ms/ })
    clearInterval(collecting)
  })

  it('is ended by its caller before its time-out', async () => {
    const caller = new AbortController()
    const asked = besideServer(
      () => {
        caller.abort(new Error('another page is shown'))
      },
      (url) => contentClient({ url, timeout: 10_000 }).find('tags', {}, { signal: caller.signal }),
    )
    await expect(asked).rejects.toThrow('another page is shown')
  })

  it('asks nothing that was ended before', async () => {
    let count = 0
    const counting: RequestListener = (_req, res) => {
      count += 1
      res.end(page)
    }
    const asked = besideServer(counting, (url) =>
      contentClient({ url, timeout: 1000 }).find('tags', {}, { signal: AbortSignal.abort() }),
    )
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    expect(count).toBe(0)
  })

  it('is given up while its headers are waited for', async () => {
    const client = contentClient({ url: 'http://127.0.0.1', headers: () => never, timeout: 50 })
    await expect(client.find('tags')).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it.each(['{"error":{"name":{},"message":7,"details":"none"}}', '{"error":[]}', '{"error":"no"}'])(
    'fails as any other where an error is told in a way of its own: %s',
    async (body) => {
      const asked = besideServer(answering(400, body), (url) => contentClient({ url }).find('tags'))
      await expect(asked).rejects.toMatchObject({
        ...{ name: 'ContentError', message: 'The server responded with 400', status: 400, details: {} },
      })
    },
  )

  it('may take longer than timers count', async () => {
    const answer = besideServer(answering(200, page), (url) =>
      contentClient({ url, timeout: Infinity }).find('tags'),
    )
    await expect(answer).resolves.toEqual({ data: [], meta: {} })
  })

  const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

  it.each([
    ['in seconds', () => '3600'],
    ['by a date', () => inSeconds(3600)],
  ])('leaves a server alone that will be busy for long, and says so %s', async (_how, told) => {
    let count = 0
    const busy: RequestListener = (_req, res) => {
      count += 1
      res.writeHead(503, { 'Retry-After': told() }).end()
    }
    const asked = besideServer(busy, (url) => contentClient({ url }).find('tags'))
    await expect(asked).rejects.toMatchObject({ status: 503, name: 'ContentError' })
    expect(count).toBe(1)
  })

  it.each([
    ['in seconds', () => '1'],
    // A date has no milliseconds.
    ['by a date', () => inSeconds(2)],
  ])('waits as long as a busy server says %s', async (_how, told) => {
    const times: number[] = []
    const busy: RequestListener = (_req, res) => {
      times.push(performance.now())
      if (times.length > 1) res.end(page)
      else res.writeHead(503, { 'Retry-After': told() }).end()
    }
    await besideServer(busy, (url) => contentClient({ url }).find('tags'))
    const [first = 0, second = 0] = times
    expect(second - first).toBeGreaterThan(950)
  })

  it('asks again for nothing but a 503', async () => {
    let count = 0
    const failing: RequestListener = (_req, res) => {
      count += 1
      res.writeHead(500).end()
    }
    const asked = besideServer(failing, (url) => contentClient({ url }).find('tags'))
    await expect(asked).rejects.toBeInstanceOf(ContentError)
    expect(count).toBe(1)
  })

  it('throws what fetch throws where no server is', async () => {
    const asked = contentClient({ url: 'http://127.0.0.1:1/api' }).find('tags')
    await expect(asked).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' })
  })

  it('says that what came is no JSON', async () => {
    const html = answering(200, '<div id="app"></div>', { 'Content-Type': 'text/html' })
    const asked = besideServer(html, (url) => contentClient({ url, etags: true }).find('tags'))
    await expect(asked).rejects.toMatchObject({
      status: 200,
      message: 'The server responded with text/html instead of content',
    })
  })

  it.each(['[]', '"text"', '{}', '{"data":null,"meta":{}}', '{"status":"ok"}', '7'])(
    'says that what came is no content: %s',
    async (body) => {
      const other = answering(200, body, { 'Content-Type': 'application/json' })
      const asked = besideServer(other, (url) => contentClient({ url }).find('tags'))
      await expect(asked).rejects.toMatchObject({
        status: 200,
        message: 'The server responded with application/json instead of content',
      })
    },
  )

  it('says so again where a server tags it', async () => {
    const tagging: RequestListener = ({ headers }, res) => {
      if (headers['if-none-match'] === '"page"') res.writeHead(304).end()
      else res.writeHead(200, { ETag: '"page"', 'Content-Type': 'text/html' }).end('<p>')
    }
    await besideServer(tagging, async (url) => {
      const client = contentClient({ url, etags: true })
      await expect(client.find('tags')).rejects.toMatchObject({ status: 200 })
      await expect(client.find('tags')).rejects.toMatchObject({ status: 200 })
    })
  })

  it('sends each header once, in the words of the call', async () => {
    const heard: unknown[] = []
    const hearing: RequestListener = ({ headers }, res) => {
      heard.push([headers.accept, headers['x-role']])
      res.end(page)
    }
    await besideServer(hearing, (url) => {
      const client = contentClient({
        url,
        headers: { Accept: 'application/problem+json', 'X-Role': 'member' },
      })
      return client.find('tags', {}, { headers: new Headers({ 'x-role': 'editor' }) })
    })
    expect(heard).toEqual([['application/problem+json', 'editor']])
  })

  it.each(['', '.', '..'])('rejects, and does not throw, where %j is no type', async (type) => {
    await expect(contentClient({ url: 'http://127.0.0.1' }).find(type)).rejects.toMatchObject({ status: 404 })
  })
})

describe('every page of a list', () => {
  let site: SampleSite
  let url = ''
  let all: unknown[] = []
  beforeAll(async () => {
    site = await startSample()
    url = `${site.at}/api`
    const { data } = await contentClient({ url }).find('tags', { sort: 'name' })
    all = data.map(({ name }) => name)
  }, 60_000)
  afterAll(() => site.stop())

  interface Walked {
    readonly names: unknown[]
    readonly asked: string[]
  }

  /** What `each` brings from the sample through another server's eyes. */
  async function walk(pagination: object, seen: (address: URL) => Response | URL): Promise<Walked> {
    const asked: string[] = []
    const client = contentClient({
      url,
      fetch: async (address, init) => {
        asked.push(address)
        const next = seen(new URL(address))
        return next instanceof URL ? fetch(next, init) : next
      },
    })
    const names: unknown[] = []
    for await (const { name } of client.each('tags', { sort: 'name', pagination })) names.push(name)
    return { names, asked }
  }

  const after = 'pagination[after]'
  const asItIs = (address: URL): URL => address
  /** As a Strapi does with what it does not know. */
  const unaware = (address: URL): URL => {
    const pairs = [...address.searchParams].filter(([name]) => name !== after)
    return new URL(`${address.origin}${address.pathname}?${new URLSearchParams(pairs).toString()}`)
  }
  const strict = (address: URL): URL | Response =>
    address.searchParams.has(after)
      ? Response.json({ data: null, error: { status: 400, name: 'ValidationError' } }, { status: 400 })
      : address

  it('comes by cursors', async () => {
    const { names, asked } = await walk({ pageSize: 4 }, asItIs)
    expect([all.length, names, asked.length]).toEqual([9, all, 3])
  })

  it('comes by numbers from a server that takes no notice of cursors, with no request more', async () => {
    const { names, asked } = await walk({ pageSize: 4 }, unaware)
    expect([names, asked.length]).toEqual([all, 3])
  })

  it('comes by numbers from one that counts only when asked', async () => {
    const { names, asked } = await walk({ pageSize: 4, withCount: false }, unaware)
    expect([names, asked.length]).toEqual([all, 4])
  })

  it('comes by numbers from a server that refuses cursors', async () => {
    const { names, asked } = await walk({ pageSize: 4 }, strict)
    expect([names, asked.length]).toEqual([all, 4])
  })

  it('comes from the page that the query names', async () => {
    expect((await walk({ page: 2, pageSize: 4 }, asItIs)).names).toEqual(all.slice(4))
  })

  it('comes from the cursor that the query names', async () => {
    const first = await contentClient({ url }).find('tags', {
      sort: 'name',
      pagination: { after: '', pageSize: 2 },
    })
    const cursor = first.meta.pagination?.['endCursor']
    expect((await walk({ after: cursor, pageSize: 4 }, asItIs)).names).toEqual(all.slice(2))
  })

  it.each([{ endCursor: 'c' }, { endCursor: null }, {}])(
    'ends at a page that leads to itself: %j',
    async (place) => {
      const again = { data: [{ name: 'rain' }], meta: { pagination: { ...place, hasNextPage: true } } }
      let count = 0
      const walked = walk({}, () => {
        count += 1
        return Response.json(again)
      })
      await expect(walked).rejects.toMatchObject({
        message: 'The server responded with a page whose next page is itself',
      })
      expect(count).toBeLessThan(3)
    },
  )

  it('ends where the first page is answered in the place of all', async () => {
    const first = { data: [{ name: 'rain' }], meta: { pagination: { page: 1, pageCount: 5 } } }
    await expect(walk({}, () => Response.json(first))).rejects.toMatchObject({
      message: 'The server responded with a page whose next page is itself',
    })
  })

  it.each(['?key=1', '#top'])('is of no address with more than a path: %s', (more) => {
    expect(() => contentClient({ url: url + more })).toThrow(TypeError)
  })

  it('ends where a list has become shorter than it was counted', async () => {
    const answers = [
      { data: [{ name: 'rain' }], meta: { pagination: { page: 1, pageCount: 1e9 } } },
      { data: [], meta: { pagination: { page: 2, pageCount: 1e9 } } },
    ]
    expect((await walk({}, () => Response.json(answers.shift()))).names).toEqual(['rain'])
  })

  it.each(['{"data":[],"meta":{}}', '{"data":{},"meta":{"pagination":{}}}', '{"data":[]}'])(
    'is no page of a list: %s',
    async (body) => {
      await expect(walk({}, () => new Response(body))).rejects.toMatchObject({
        message: 'The server responded with a body that is not a page of a list',
      })
    },
  )

  it('is refused from a cursor that is none', async () => {
    await expect(walk({ after: 'nowhere' }, asItIs)).rejects.toMatchObject({
      status: 400,
      details: { path: 'pagination.after' },
    })
  })

  it('is refused beside an offset', async () => {
    await expect(walk({ start: 3 }, asItIs)).rejects.toMatchObject({ name: 'PaginationError' })
  })

  it('is not asked for once its reader is ended', async () => {
    const reader = new AbortController()
    const client = contentClient({ url })
    const names: unknown[] = []
    const reading = async (): Promise<void> => {
      const tags = client.each('tags', { pagination: { pageSize: 4 } }, { signal: reader.signal })
      for await (const { name } of tags) {
        names.push(name)
        reader.abort()
      }
    }
    await expect(reading()).rejects.toMatchObject({ name: 'AbortError' })
    expect(names).toHaveLength(4)
  })

  it('finds nothing for half of a letter', async () => {
    const client = contentClient({ url })
    const half = '😀'.slice(0, 1)
    expect((await client.find('tags', { filters: { name: half } })).data).toEqual([])
    await expect(client.by('articles', 'slug', half)).rejects.toMatchObject({ status: 404 })
  })
})
