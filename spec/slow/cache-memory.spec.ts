import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type CacheOptions, migrate } from '../../lib'
import { seed, type SeedContent } from '../../extensions/seed'
import { eachDatabase } from '../support/databases'
import { collection, integer, text } from '../support/library'
import { startWeighed, type Weighed } from '../support/memory/weighed'
import { onOwnServer } from '../support/own-server'

const contentTypes = [
  collection('page', { place: integer, text: { type: 'text' } }),
  collection('scan', { name: text, data: { type: 'text' } }),
] as never

/**
 * SQLite is asked for much that is small, where what is kept beside bodies weighs, and for more than the plans that are
 * kept; the others for less that is large, where drivers weigh.
 */
const many = { letters: 50, maxBytes: 8_000_000, first: 1200, texts: 10_000 }
const large = { letters: 16_000, maxBytes: 16_000_000, first: 150, texts: 250 }
const loads = { sqlite: many, mysql: large, postgres: large } as const
type Load = (typeof loads)[keyof typeof loads]

const scanPath = '/api/scans'

const contentOf = ({ letters }: Load): SeedContent => ({
  page: [1, 2, 3, 4].map((place) => ({ place, text: 'ä'.repeat(letters) })),
  // More than what lies between a server and a client that does not read.
  scan: [{ name: 'long', data: 'x'.repeat(7_000_000) }],
})

/** No two alike. */
const pagePath = (number: number): string =>
  `/api/pages?fields=text&pagination[withCount]=false&pagination[limit]=${String(number)}`

const pagePaths = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => pagePath(from + index))

/** MariaDB's log has to have stood still for a while; what is read before that is shared by nobody. */
async function untilKept(weighed: Weighed): Promise<Buffer> {
  for (;;) {
    const { bytes } = await weighed.ask(scanPath)
    if ((await weighed.tell('weigh')).entries > 0) return bytes
  }
}

/** As much as may be kept: what is read while MariaDB's log moves is not. */
async function fullWith(weighed: Weighed, paths: readonly string[]): ReturnType<Weighed['tell']> {
  for (;;) {
    await weighed.askAll(paths)
    const full = await weighed.tell('weigh')
    if (full.entries === paths.length) return full
  }
}

/** Four who got the one body that is kept: MariaDB's log may move by itself at any moment, and each gets a body of its own then. */
async function askedSlowly(weighed: Weighed): Promise<readonly IncomingMessage[]> {
  for (;;) {
    await untilKept(weighed)
    const { misses } = await weighed.tell('weigh')
    const slow = await Promise.all([0, 1, 2, 3].map(() => weighed.askSlowly(scanPath)))
    if ((await weighed.tell('weigh')).misses === misses) return slow
    for (const response of slow) response.destroy()
  }
}

eachDatabase((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const load = loads[database.dialect]

  beforeAll(async () => {
    await migrate({ contentTypes, database: world.config })
    await seed({ contentTypes, database: world.config }, contentOf(load))
  }, 60_000)

  const start = async (cache: CacheOptions): Promise<Weighed> =>
    world.closing(await startWeighed({ contentTypes, database: world.config, cache }))

  it('the cache fills maxBytes, and the process grows by at most a fifth more', async () => {
    const { maxBytes, first, texts } = load
    const weighed = await start({ maxBytes })
    await weighed.askAll(pagePaths(0, first))
    const before = await weighed.tell('clear')
    await weighed.askAll(pagePaths(first, first + texts))
    const after = await weighed.tell('weigh')
    expect(after.most).toBeLessThanOrEqual(maxBytes)
    expect(after.counted).toBeGreaterThan(0.9 * maxBytes)
    expect(after.held - before.held).toBeLessThanOrEqual(1.2 * maxBytes)
  }, 120_000)

  it('an evicted body is held once for all slow clients', async () => {
    const maxEntries = 2
    const weighed = await start({ maxBytes: 64_000_000, maxEntries })
    const bytes = await untilKept(weighed)
    const before = await weighed.tell('clear')
    const slow = await askedSlowly(weighed)
    const full = await fullWith(weighed, pagePaths(0, maxEntries))
    expect(full.held - before.held - full.counted).toBeLessThan(1.2 * bytes.length)
    const after = await weighed.tell('clear')
    expect(after.held - before.held).toBeGreaterThan(0.9 * bytes.length)
    expect(after.held - before.held).toBeLessThan(1.2 * bytes.length)
    for (const response of slow) expect((await buffer(response)).equals(bytes)).toBe(true)
  }, 60_000)
})
