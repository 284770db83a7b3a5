import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')

describe('a driver that is not installed', () => {
  let folder = ''

  /** The packages of this project but for the driver, as they are found by links that are not followed. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'without-driver-'))
    mkdirSync(join(folder, 'node_modules'))
    const names = readdirSync(join(root, 'node_modules')).filter(
      (name) => name !== 'pg' && !name.startsWith('.'),
    )
    for (const name of names)
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    for (const name of ['lib', 'migrations', 'package.json'])
      symlinkSync(join(root, name), join(folder, name))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  it('is reported with the command that installs it', async () => {
    const database = `{ client: 'pg', connection: 'postgres://localhost/content' }`
    const contentTypes = JSON.stringify(join(root, 'content-types'))
    const code = `
      try { require('./lib').contentRouter({ contentTypes: ${contentTypes}, database: ${database} }) }
      catch (error) { process.stdout.write(error.name + '\\n' + error.message) }`
    const compiler = join(root, 'lab', 'bench', 'typescript.cjs')
    const words = ['--preserve-symlinks', '--require', compiler, '-e', code]
    const { stdout } = await run(process.execPath, words, { cwd: folder })
    const fault = '  database.client: the driver pg is not installed (run npm install pg)'
    expect(stdout).toBe(`ConfigError\n1 fault in the configuration of the content router\n${fault}`)
  }, 60_000)
})
