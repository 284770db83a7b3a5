import { ContentError, noContent } from './content-error'

interface TaggedBody {
  readonly tag: string
  readonly text: string
}

interface TaggedBodies {
  of(key: string): TaggedBody | undefined
  keep(key: string, tag: string | null, text: string): void
}

/** Characters of all cached bodies. */
const mostLetters = 4_000_000

/** The least recently used body is evicted first. */
function keepTagged(): TaggedBodies {
  const bodies = new Map<string, TaggedBody>()
  let letters = 0
  const forget = (key: string): void => {
    letters -= key.length + (bodies.get(key)?.text.length ?? -key.length)
    bodies.delete(key)
  }
  return {
    of: (key) => bodies.get(key),
    keep: (key, tag, text) => {
      forget(key)
      if (tag === null || text.length > mostLetters) return
      bodies.set(key, { tag, text })
      letters += key.length + text.length
      for (const oldest of bodies.keys()) {
        if (letters <= mostLetters) break
        forget(oldest)
      }
    },
  }
}

/** Maximum of timers. */
const longestTime = 2 ** 31 - 1

/**
 * Fails after the timeout or the caller's abort. Node 20 may collect a signal of `AbortSignal.any` too early, and older
 * browsers have none.
 */
async function withTimeLimit<T>(
  ms: number | undefined,
  given: AbortSignal | undefined,
  run: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return run(given)
  const ending = new AbortController()
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => {
      reject(ending.signal.reason as Error)
    })
  })
  const end = (): void => {
    ending.abort(given?.reason)
  }
  const timer = setTimeout(
    () => {
      ending.abort(new DOMException(`No response within ${String(ms)} ms`, 'TimeoutError'))
    },
    Math.min(ms, longestTime),
  )
  given?.addEventListener('abort', end)
  if (given?.aborted === true) end()
  try {
    return await Promise.race([ended, run(ending.signal)])
  } finally {
    clearTimeout(timer)
    given?.removeEventListener('abort', end)
  }
}

type HeaderTable = Readonly<Record<string, string>>

/** Contains the options of `contentClient`. */
export interface ClientOptions {
  /** Sets the URL of the API, such as `https://example.org/api`. */
  readonly url: string
  /** Sets headers of every request, as an object or as a function that the client calls for each request. */
  readonly headers?: HeaderTable | (() => HeaderTable | Promise<HeaderTable>)
  /** Replaces the global function `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** With `'strapi5'`, the client sends requests for a Strapi server, without cursors and paths by attributes. */
  readonly preset?: 'strapi5'
  /** Limits the duration of a call with all its retries, in milliseconds. By default, a call has no time limit. */
  readonly timeout?: number
  /**
   * Sets the number of retries after a 503, by default 2. Before a retry, the client waits for the time in
   * `Retry-After`.
   */
  readonly retries?: number
  /** Caches responses with an `ETag`, and revalidates cached responses. By default, `etags` is `false`. */
  readonly etags?: boolean
}

/** Contains the options of a call. The client passes options of `fetch` on to `fetch`. */
export interface CallOptions extends RequestInit {
  /** Limits the duration of the call, in milliseconds. */
  readonly timeout?: number
}

export type SendRequest = (path: string, init?: CallOptions) => Promise<unknown>

/** A longer `Retry-After` fails at once with the 503, as a long silent wait is worse. */
const longestWait = 30_000
const shortestWait = 200

function retryAfterOf(response: Response): number {
  const retryAfter = response.headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? 0 : ms
}

const waitOf = (response: Response, tries: number): number =>
  Math.max(retryAfterOf(response), Math.min(shortestWait * 2 ** tries, longestWait))

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })

const tableOf = (headers: ConstructorParameters<typeof Headers>[0]): HeaderTable =>
  Object.fromEntries(new Headers(headers))

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isContent = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'data' in body &&
  typeof body.data === 'object' &&
  body.data !== null

function contentIn(response: Response, text: string): unknown {
  const body = bodyOf(text)
  if (!response.ok) throw new ContentError(response.status, body)
  if (!isContent(body)) throw noContent(response)
  return body
}

interface ReceivedResponse {
  readonly response: Response
  readonly text: string
}

async function patiently(
  send: () => Promise<Response>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<ReceivedResponse> {
  for (let tries = 0; ; tries += 1) {
    const response = await send()
    const text = await response.text()
    const wait = waitOf(response, tries)
    if (response.status !== 503 || !(tries < retries) || wait > longestWait) return { response, text }
    await pause(wait, signal)
  }
}

export function makeSender({
  url,
  headers,
  retries = 2,
  etags = false,
  ...options
}: ClientOptions): SendRequest {
  if (/[?#]/.test(url))
    throw new TypeError('the option url must not contain ? or #, because the client appends paths to the url')
  const base = url.replace(/\/+$/, '')
  const kept: TaggedBodies | null = etags ? keepTagged() : null
  const ask = async (address: string, init: RequestInit, signal?: AbortSignal): Promise<unknown> => {
    const own = typeof headers === 'function' ? await headers() : headers
    const sent = { accept: 'application/json', ...tableOf(own), ...tableOf(init.headers) }
    const send = options.fetch ?? fetch
    const key = `${address}\n${JSON.stringify(sent)}`
    const known = kept?.of(key)
    const conditional = known === undefined ? sent : { ...sent, 'if-none-match': known.tag }
    const request = { ...init, headers: conditional, ...(signal && { signal }) }
    const { response, text } = await patiently(() => send(address, request), retries, signal)
    if (response.status === 304 && known !== undefined) return bodyOf(known.text)
    const content = contentIn(response, text)
    kept?.keep(key, response.headers.get('etag'), text)
    return content
  }
  return (path, { timeout = options.timeout, ...init } = {}) =>
    withTimeLimit(timeout, init.signal ?? undefined, (signal) => ask(base + path, init, signal))
}
