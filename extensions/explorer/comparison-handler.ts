import type { Request, RequestHandler } from 'express'
import { keepFromCaches } from '../../lib/http'
import { roleHeader } from './tried-role'

const longest = 30_000
const largest = 32 * 1024 * 1024

async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    pieces.push(piece)
    size += piece.length
    if (size > largest) throw new Error('the response is larger than 32 MB')
  }
  return Buffer.concat(pieces).toString()
}

/** Decoded as often as proxies on the way may decode it; null for an invalid encoding. */
function plainPath(path: string): string | null {
  try {
    const read = decodeURIComponent(path)
    return read === path ? path : plainPath(read)
  } catch {
    return null
  }
}

/** Proxies in front of the other server, such as nginx, may decode a path before they resolve dots in it. */
function hasDots(path: string): boolean {
  const plain = plainPath(path)
  return plain === null || plain.split(/[/\\;]/).some((part) => part === '..' || part === '.')
}

/** The same path below the configured address; null if dots lead out of it. */
function addressOf({ url }: Request, beside: string): URL | null {
  const [path = '', ...query] = url.split('?')
  if (hasDots(path)) return null
  const address = new URL(beside)
  const below = address.pathname.replace(/\/?$/, '/')
  address.pathname = below + path.slice(1)
  address.search = query.join('?')
  return address.pathname.startsWith(below) ? address : null
}

const messageOf = (error: unknown): string => {
  const { cause } = error as { cause?: unknown }
  const told = cause instanceof Error && cause.message !== '' ? cause : error
  return told instanceof Error ? told.message : String(told)
}

interface TimedResponse {
  readonly status: number
  readonly ms: number
  readonly text: string
}

async function timed(address: URL, headers: Readonly<Record<string, string>>): Promise<TimedResponse> {
  const begun = performance.now()
  const answer = await fetch(address, {
    headers,
    signal: AbortSignal.timeout(longest),
    redirect: 'manual',
  })
  const text = await textOf(answer)
  return { status: answer.status, ms: performance.now() - begun, text }
}

const sentOn = (req: Request, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = req.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/**
 * Response time of this router for the same request, by HTTP from this process, so that both times exclude the
 * browser's network. Null if this process cannot be reached so, as with TLS.
 */
async function ownTime(req: Request): Promise<number | null> {
  const { localAddress = '', localPort } = req.socket
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  const below = req.baseUrl.replace(/\/beside$/, '/ask')
  const headers = sentOn(req, ['authorization', roleHeader])
  return timed(new URL(`http://${host}:${String(localPort)}${below}${req.url}`), headers).then(
    ({ ms }) => ms,
    () => null,
  )
}

/** Sends the request to another server, and returns its response and both response times. */
export function comparisonHandler(beside: string): RequestHandler {
  return (req, res) => {
    const ask = async (): Promise<void> => {
      const address = addressOf(req, beside)
      if (address === null) throw new Error('the path leaves the API by dot segments')
      const theirs = await timed(address, sentOn(req, ['authorization']))
      res.json({ ...theirs, here: await ownTime(req) })
    }
    keepFromCaches(res)
    ask().catch((error: unknown) => {
      res.json({ problem: `No response from ${new URL(beside).host}: ${messageOf(error)}` })
    })
  }
}
