import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { eachDatabase, type World } from '../support/databases'
import { fillMillion } from '../support/export/million'

const rows = Number(process.env['EXPORTED_ROWS'] ?? 1_000_000)
const root = join(__dirname, '..', '..')
const mebibyte = 1024 * 1024

interface Export {
  readonly firstByte: number
  readonly seconds: number
  readonly lines: number
  readonly hash: string
}

interface Memory {
  readonly peak: number
  readonly now: number
}

interface ServingProcess {
  readonly read: (path: string) => Promise<Export>
  readonly memory: () => Promise<Memory>
  readonly close: () => Promise<void>
}

async function readExport(port: number, path: string): Promise<Export> {
  const begun = performance.now()
  const request = get({ port, host: '127.0.0.1', path })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const hash = createHash('sha256')
  let firstByte = 0
  let lines = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    if (firstByte === 0) firstByte = performance.now() - begun
    hash.update(part)
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1
  }
  return { firstByte, lines, seconds: (performance.now() - begun) / 1000, hash: hash.digest('hex') }
}

/** `by`: the router with one snapshot or with short transactions, or the driver alone. */
async function serveIn(world: World, by: 'snapshot' | 'short' | 'driver'): Promise<ServingProcess> {
  const file = join(root, 'spec', 'support', 'export', 'serve-million.ts')
  const execArgv = ['--require', join(root, 'lab', 'bench', 'typescript.cjs')]
  const child = fork(file, [JSON.stringify(world.config), by], { cwd: root, execArgv })
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  return {
    read: (path) => readExport(port, path),
    memory: async () => {
      const heard = once(child, 'message') as Promise<[Memory]>
      child.send('memory')
      return (await heard)[0]
    },
    close: async () => {
      const closed = once(child, 'close')
      child.kill()
      await closed
    },
  }
}

eachDatabase((database) => {
  const world = database.fresh()
  const figures: string[] = []
  let ofDriver: Export | undefined

  beforeAll(async () => {
    await fillMillion(world.config, world.knex, rows)
  }, 300_000)

  const measure = async (
    by: 'snapshot' | 'short' | 'driver',
    path: string,
  ): Promise<Export & { readonly grown: number }> => {
    const served = await serveIn(world, by)
    try {
      await served.read(`${path}&pagination[limit]=5000`)
      await served.memory()
      const { now } = await served.memory()
      const read = await served.read(path)
      const grown = ((await served.memory()).peak - now) / mebibyte
      const [first, speed, megabytes] = [read.firstByte, rows / read.seconds, grown].map(Math.round)
      figures.push(
        [
          database.name,
          by,
          path,
          `first byte ${String(first)} ms`,
          `${String(speed)} rows/s`,
          `${String(megabytes)} MB`,
        ].join(', '),
      )
      return { ...read, grown }
    } finally {
      await served.close()
    }
  }

  it('one million entries as NDJSON take constant memory, and half of the speed of the driver at least', async () => {
    ofDriver = await measure('driver', '/?')
    const read = await measure('snapshot', '/api/entries/export?format=ndjson')
    expect([read.lines, read.hash]).toEqual([rows, ofDriver.hash])
    expect(read.grown).toBeLessThan(60)
    expect(read.firstByte).toBeLessThan(300)
    expect(ofDriver.seconds / read.seconds).toBeGreaterThan(0.5)
  }, 240_000)

  it('and as CSV, in short transactions', async () => {
    const read = await measure('short', '/api/entries/export?format=csv')
    expect(read.lines).toBe(rows + 1)
    expect(read.grown).toBeLessThan(60)
    expect(read.firstByte).toBeLessThan(300)
  }, 240_000)

  afterAll(() => {
    if (process.env['FIGURES'] !== undefined) process.stderr.write(`${figures.join('\n')}\n`)
  })
})
