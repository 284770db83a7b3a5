import { buffer } from 'node:stream/consumers'
import { migrate, seed, type SeedContent } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, integer, text } from '../support/library'
import { startWeighed, type Weighed } from '../support/memory/weighed'
import { onOwnServer } from '../support/own-server'

const contentTypes = [
  collection('page', { place: integer, text: { type: 'text' } }),
  collection('scan', { name: text, data: { type: 'text' } }),
] as never

/** `MEMORY_TEXTS=10000` asks for more than comes with every run. */
const manyTexts = Number(process.env['MEMORY_TEXTS'] ?? 2900)

/** SQLite is asked for much that is small, where what is kept beside bodies weighs; the others for less that is large. */
const many = {
  letters: 800,
  maxBytes: 4_000_000,
  first: 1100,
  texts: manyTexts,
  isFull: (one: number) => one % 4 === 0,
}
const large = { letters: 16_000, maxBytes: 32_000_000, first: 300, texts: 400, isFull: () => true }
const loads = { sqlite: many, mysql: large, postgres: large } as const
type Load = (typeof loads)[keyof typeof loads]

const askers = 4
const scanPath = (number: number): string => `/api/scans?filters[name][$ne]=other${String(number)}`

const contentOf = ({ letters }: Load): SeedContent => ({
  page: [1, 2, 3, 4].map((place) => ({ place, text: 'ä'.repeat(letters) })),
  scan: [1, 2, 3, 4, 5, 6, 7].map((name) => ({ name: String(name), data: 'x'.repeat(1_000_000) })),
})

/** No two alike. */
const pagePath = ({ isFull }: Load, number: number): string =>
  `/api/pages?pagination[withCount]=false&filters[place][${isFull(number) ? '$gte' : '$lt'}]=-${String(number)}`

/** Asks for what lies between two numbers. */
async function askAll({ ask }: Weighed, load: Load, from: number, to: number): Promise<void> {
  let next = from
  const askOn = async (): Promise<void> => {
    while (next < to) {
      next += 1
      const { status, body } = await ask(pagePath(load, next))
      if (status !== 200) throw new Error(body)
    }
  }
  await Promise.all(Array.from({ length: askers }, askOn))
}

async function askForScans({ ask }: Weighed): Promise<void> {
  for (let number = 1; number <= 10; number += 1) await ask(scanPath(number))
}

eachDatabase((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const load = loads[database.dialect]

  beforeAll(async () => {
    await migrate({ contentTypes, database: world.config })
    await seed({ contentTypes, database: world.config }, contentOf(load))
  }, 60_000)

  const start = async (maxBytes: number): Promise<Weighed> =>
    world.closing(await startWeighed({ contentTypes, database: world.config, cache: { maxBytes } }))

  it('holds as much as it may of many different answers, and the process no more than a fifth above that', async () => {
    const { maxBytes, first, texts } = load
    const weighed = await start(maxBytes)
    await askAll(weighed, load, 0, first)
    const before = await weighed.tell('clear')
    await askAll(weighed, load, first, first + texts)
    const after = await weighed.tell('weigh')
    expect(after.most).toBeLessThanOrEqual(maxBytes)
    expect(after.counted).toBeGreaterThan(0.9 * maxBytes)
    expect(after.held - before.held).toBeLessThanOrEqual(1.2 * maxBytes)
  }, 120_000)

  it('holds one body for all clients that are slow to read it, once the cache has let go of it', async () => {
    const weighed = await start(64_000_000)
    const { bytes } = await weighed.ask(scanPath(0))
    await askForScans(weighed)
    const before = await weighed.tell('clear')
    const slow = await Promise.all([0, 0, 0, 0].map((number) => weighed.askSlowly(scanPath(number))))
    await askForScans(weighed)
    const full = await weighed.tell('weigh')
    expect(full.held - before.held - full.counted).toBeLessThan(1.2 * bytes.length)
    const after = await weighed.tell('clear')
    expect(after.held - before.held).toBeGreaterThan(0.9 * bytes.length)
    expect(after.held - before.held).toBeLessThan(1.2 * bytes.length)
    for (const response of slow) expect((await buffer(response)).equals(bytes)).toBe(true)
  }, 60_000)
})
