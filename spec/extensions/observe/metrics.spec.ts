import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The samples of Prometheus' text format, by name and labels. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

describe('the example that feeds prom-client', () => {
  let server: ChildProcess
  let at = ''

  beforeAll(async () => {
    server = spawn(process.execPath, ['examples/metrics/start.mjs'], {
      cwd: join(__dirname, '..', '..', '..'),
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (server.stdout === null) throw new Error('the example has no output')
    for await (const line of createInterface({ input: server.stdout })) {
      at = /http:\/\/localhost:\d+/.exec(line)?.[0] ?? ''
      if (at !== '') break
    }
    if (at === '') throw new Error('the example ended before it served anything')
    server.stdout.resume()
  }, 60_000)

  afterAll(() => {
    server.kill('SIGKILL')
  })

  const ask = async (path: string): Promise<string> => (await fetch(at + path)).text()

  it('counts what is asked by type and status, statements and rows', async () => {
    await ask('/api/notes?populate=tags')
    await ask('/api/notes?filters[title]=First')
    await ask('/api/notes?filters[nowhere]=1')
    await ask('/api/tags')
    const text = await ask('/metrics')
    const samples = samplesOf(text)
    const requests = (type: string, status: number): number | undefined =>
      samples.get(
        `content_request_duration_seconds_count{type="api::${type}.${type}",status="${String(status)}"}`,
      )
    expect([requests('note', 200), requests('note', 400), requests('tag', 200)]).toEqual([2, 1, 1])
    const statements = (reads: string): number | undefined =>
      samples.get(`content_statement_duration_seconds_count{reads="${reads}",outcome="read"}`)
    expect(statements('entries')).toBe(4)
    expect(samples.get('content_rows_total{type="api::note.note"}')).toBe(2 + 1 + 1)
    expect(samples.get('content_stage_seconds_total{stage="load"}')).toBeGreaterThan(0)
    expect(text).not.toMatch(/First|nowhere/)
  })

  it('ends when it is told to', async () => {
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
  })
})
