import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/servers/private-server'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'first-steps.md'), 'utf8')

/** A folder inside this one, so that it finds the same packages. */
let folder = ''

const codes = [...page.matchAll(/```[jt]s\n\/\/ (\S+)\n(.*?)```/gs)]
const definitions = [...page.matchAll(/`(content-types\/\S+\.json)`:\n\n```json\n(.*?)```/gs)]
const answers = [...page.matchAll(/```json\n(\{\n  "data".*?)```/gs)]

beforeAll(async () => {
  if (!existsSync(join(root, 'dist', 'lib', 'index.js'))) throw new Error('run `npm run build` first')
  mkdirSync(join(root, '.tmp'), { recursive: true })
  folder = mkdtempSync(join(root, '.tmp', 'first-steps-'))
  for (const [, name = '', text = ''] of [...codes, ...definitions]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  await run(process.execPath, ['fill.mjs'], { cwd: folder })
}, 60_000)
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function answerOf(process: ChildProcess, url: string): Promise<unknown> {
  for (;;) {
    if (process.exitCode !== null) throw new Error('the app has ended')
    const response = await fetch(url).catch(() => null)
    if (response !== null) return response.json()
    await pause(50)
  }
}

/** What differs from one day to the next stands as … on the page. */
const asShown = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value: unknown) => (/^documentId$|At$/.test(key) ? '…' : value)))

it.each(['app.mjs', 'app.cjs'])(
  '%s answers as the page shows',
  async (file) => {
    const port = String(await freePort())
    const app = spawn(process.execPath, [file], {
      cwd: folder,
      env: { ...process.env, PORT: port },
      stdio: 'inherit',
    })
    try {
      const body = await answerOf(app, `http://127.0.0.1:${port}/api/articles?populate=author`)
      expect(answers).toHaveLength(1)
      expect(asShown(body)).toEqual(JSON.parse(answers[0]?.[1] ?? ''))
    } finally {
      app.kill()
    }
  },
  30_000,
)

it('holds TypeScript that compiles as strictly as it can', async () => {
  const settings = {
    compilerOptions: {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ module: 'node20', target: 'es2022', types: ['node'], skipLibCheck: true },
    },
    files: ['app.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const { stdout } = await run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
}, 60_000)
