import type { Request, RequestHandler } from 'express'

const longest = 30_000
const largest = 32 * 1024 * 1024

async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    pieces.push(piece)
    size += piece.length
    if (size > largest) throw new Error('its answer is larger than 32 MB')
  }
  return Buffer.concat(pieces).toString()
}

/** The same path below the address of the host's own; null where dots lead out of it. */
function addressOf({ url }: Request, beside: string): URL | null {
  const [path = '', ...query] = url.split('?')
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

/** Asks another server the same, and tells what it answered in which time. */
export function besideHandler(beside: string): RequestHandler {
  return (req, res) => {
    const ask = async (): Promise<void> => {
      const { authorization } = req.headers
      const address = addressOf(req, beside)
      if (address === null) throw new Error('there is no such path')
      const begun = performance.now()
      const answer = await fetch(address, {
        headers: authorization === undefined ? {} : { authorization },
        signal: AbortSignal.timeout(longest),
        redirect: 'manual',
      })
      const text = await textOf(answer)
      res.json({ status: answer.status, ms: performance.now() - begun, text })
    }
    res.setHeader('Cache-Control', 'private, no-store')
    ask().catch((error: unknown) => {
      res.json({ problem: `${new URL(beside).host} gives no answer: ${messageOf(error)}` })
    })
  }
}
