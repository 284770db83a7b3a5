import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testDatabase } from '../support/databases'
import { projectFolder } from '../support/project-folder'
import { ended, started, type StartSettings } from '../support/started'
import { addTypes, strapiFiles } from '../support/strapi-folder'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const modules = join(root, 'node_modules')

/** Optional peers, which npx does not install. */
const drivers = ['better-sqlite3', 'mysql2', 'pg']

const link = (name: string, folder: string): void => {
  symlinkSync(join(modules, name), join(folder, name))
}

/** As npx leaves it: the packed package with what it depends on, without a network. */
describe('the package as npx installs it', () => {
  const world = testDatabase('sqlite').restored()
  const { path: project } = projectFolder({ ...strapiFiles, '.env': 'DATABASE_FILENAME=.tmp/data.db' })
  let home = ''
  let command: readonly string[] = []

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'content-router-npx-'))
    const installed = join(home, 'node_modules')
    mkdirSync(installed)
    for (const name of readdirSync(modules))
      if (!drivers.includes(name) && !name.startsWith('.')) link(name, installed)
    const flags = ['--json', '--ignore-scripts', '--pack-destination', home, '--loglevel=error']
    const { stdout } = await run('npm', ['pack', ...flags], { cwd: root, maxBuffer: 2 ** 24 })
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    const own = join(installed, 'express-content-router')
    mkdirSync(own)
    await run('tar', ['-xzf', join(home, filename), '-C', own, '--strip-components=1'])
    // What is linked finds its own dependencies beside the link, as what is installed does.
    command = ['--preserve-symlinks', '--preserve-symlinks-main', join(own, 'dist', 'lib', 'command.js')]
    addTypes(project)
    mkdirSync(join(project, '.tmp'))
    const { filename: file } = world.config.connection as { readonly filename: string }
    copyFileSync(file, join(project, '.tmp', 'data.db'))
  }, 60_000)
  afterAll(() => {
    rmSync(home, { recursive: true, force: true })
  })

  const settings = (cwd: string): StartSettings => ({ cwd, command })

  it('says how a driver is installed that neither it nor the project has', async () => {
    const { code, said } = await ended([], settings(project))
    expect(code).toBe(1)
    expect(said).toContain('The driver better-sqlite3 is installed neither here nor in the project')
    expect(said).toContain('npx -p express-content-router -p better-sqlite3 express-content-router')
  })

  it('says the same of the sample, which needs a driver', async () => {
    const { code, said } = await ended([], settings(home))
    expect(code).toBe(1)
    expect(said).toContain('npx -p express-content-router -p better-sqlite3 express-content-router')
  })

  it('takes the driver that the project has installed', async () => {
    const own = join(project, 'node_modules')
    mkdirSync(own)
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) link(name, own)
    const site = await started([project], settings(home))
    try {
      const answer = await fetch(`${site.at}/api/articles?populate=*`)
      expect(answer.status).toBe(200)
      expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(3)
    } finally {
      await site.stop()
    }
  })

  it('brings the sample, for who installs a driver as well', async () => {
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path'])
      if (!readdirSync(join(home, 'node_modules')).includes(name)) link(name, join(home, 'node_modules'))
    const empty = mkdtempSync(join(home, 'empty-'))
    const site = await started([], settings(empty))
    try {
      expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
      expect((await fetch(`${site.at}/explorer/`)).status).toBe(200)
    } finally {
      await site.stop()
    }
  })
})
