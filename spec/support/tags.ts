import type { Cached } from './cached'

/** Milliseconds: the counters of MySQL and MariaDB may move some time after a commit. */
const onServers = 400

/** Sends requests until responses have an ETag that stays the same for `hold` milliseconds. */
export async function tagOf(get: Cached['get'], path: string, hold = onServers): Promise<string> {
  const start = Date.now()
  let etag = ''
  for (let since = start; ;) {
    const answer = await get(path, 'public', { 'If-None-Match': etag })
    const now = Date.now()
    if (answer.status !== 304) since = now
    else if (now - since >= hold) return etag
    etag = answer.headers.etag ?? ''
    if (now - start > 10_000) throw new Error('no tag holds within 10 seconds')
  }
}

/** What is checked of a tag is true while it holds: one that fails under another tag than it began with is begun again. */
export async function whileItHolds(
  get: Cached['get'],
  path: string,
  check: (etag: string) => Promise<void>,
  hold = onServers,
): Promise<void> {
  for (;;) {
    const etag = await tagOf(get, path, hold)
    try {
      await check(etag)
      return
    } catch (error) {
      if ((await get(path)).headers.etag === etag) throw error
    }
  }
}
