import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describeOn } from '../support/databases'

const run = promisify(execFile)
const cwd = join(__dirname, '..', '..', 'examples', 'cluster')

/** Of all processes that run here. */
const commandLines = (): readonly string[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : []
    } catch {
      // It has ended meanwhile.
      return []
    }
  })

/** What `npm run ask` counts, by its name. */
const countedIn = (said: string): ReadonlyMap<string, string> =>
  new Map(said.split('\n').map((line) => [line.slice(0, 14).trim(), line.slice(14)]))

describeOn(['postgres'], ['an installed server', 'HAProxy'])('the example of many processes', () => {
  let folder = ''
  let example: ChildProcess
  let address = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cluster-'))
    // PostgreSQL does not run as root, and has to get at what is its own in there.
    chmodSync(folder, 0o755)
    const env = { ...process.env, TMPDIR: folder }
    const started = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    example = started
    for await (const line of createInterface({ input: started.stdout })) {
      address = /http:\S+/.exec(line)?.[0] ?? address
      if (line.startsWith('Those that can be killed')) break
    }
    started.stdout.resume()
  }, 120_000)

  afterAll(async () => {
    if (example.exitCode === null) await run('npm', ['stop'], { cwd })
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  const say = async (...words: readonly string[]): Promise<string> =>
    (await run('npm', ['run', '--silent', ...words], { cwd })).stdout.trim()

  it('serves content through its balancer', async () => {
    const response = await fetch(address)
    const { data } = (await response.json()) as { data: { title: string; author: { name: string } }[] }
    expect([response.status, data[0]?.title, data[0]?.author.name]).toEqual([200, 'Article 0', 'Ada'])
  })

  it.each(['standby', 'one', 'primary'])(
    'serves every request while “%s” is killed and restarted',
    async (name) => {
      const asking = say('ask', '--', '40', '8')
      expect(await say('kill', '--', name)).toBe(`${name} was killed`)
      expect(await say('revive', '--', name)).toBe(`${name} is there again`)
      const counted = countedIn(await asking)
      const facts = ['asked', 'failed', 'torn'].map((fact) => counted.get(fact))
      expect(facts).toEqual(['320', '0', '0'])
      expect(Number(counted.get('not modified'))).toBeGreaterThan(0)
      expect(
        counted
          .get('served by')
          ?.match(/one|two|three|four/g)
          ?.sort(),
      ).toEqual(['one', 'two', 'three', 'four'].sort())
    },
    60_000,
  )

  it('lists its members if the name is unknown', async () => {
    expect(await say('kill', '--', 'five')).toMatch(/^there is no five: primary, standby, database, one, /)
  })

  it('leaves neither a process nor a file behind', async () => {
    const ended = once(example, 'exit')
    expect(await say('stop')).toBe('it ends')
    expect(await ended).toEqual([0, null])
    expect(readdirSync(folder)).toEqual([])
    const left = commandLines().filter((line) => line.includes(folder) || line.includes(`${cwd}/app.ts`))
    expect(left).toEqual([])
  }, 60_000)
})
