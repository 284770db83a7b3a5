// The option `onChange` of `changes()` for a router behind Varnish: tells it which answers to forget.
import { setTimeout as pause } from 'node:timers/promises'

/** Longer than an answer may take: one that was read before the commit may reach the cache after it. */
const slowest = 10_000

/** Of more tags than go into one header, the one that every answer carries. */
const textOf = (tags) => {
  const text = tags.map((tag) => tag.replaceAll('.', '\\.')).join('|')
  return text.length > 4000 ? 'content' : text
}

async function ban(varnish, tags) {
  const response = await fetch(varnish, { method: 'BAN', headers: { 'X-Tags': textOf(tags) } })
  if (!response.ok) throw new Error(`Varnish answers ${response.status}`)
}

/** Until it was heard. */
async function banLater(varnish, tags, wait) {
  await pause(wait, undefined, { ref: false })
  await ban(varnish, tags).catch(() => banLater(varnish, tags, 1000))
}

export const purge =
  (varnish, wait = slowest) =>
  async ({ tags }) => {
    // Where this fails, the router calls again.
    await ban(varnish, tags)
    void banLater(varnish, tags, wait)
  }
