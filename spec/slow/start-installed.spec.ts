import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testDatabase } from '../support/databases'
import { bringsSqlite } from '../support/node-sqlite'
import { projectFolder } from '../support/project-folder'
import { endedProcess, type ProcessSettings, startedProcess } from '../support/started'
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
    command = ['--preserve-symlinks', '--preserve-symlinks-main', join(own, 'dist', 'tools', 'command.js')]
    addTypes(project)
    mkdirSync(join(project, '.tmp'))
    const { filename: file } = world.config.connection as { readonly filename: string }
    copyFileSync(file, join(project, '.tmp', 'data.db'))
  }, 60_000)
  afterAll(() => {
    rmSync(home, { recursive: true, force: true })
  })

  const settings = (cwd: string): ProcessSettings => ({ cwd, command })

  const served = async (cwd: string, path: string): Promise<unknown[]> => {
    const site = await startedProcess([], settings(cwd))
    try {
      expect(site.said()).not.toMatch(/warning/i)
      return ((await (await fetch(`${site.at}/api/${path}`)).json()) as { data: unknown[] }).data
    } finally {
      await site.stop()
    }
  }
  const refused = async (cwd: string): Promise<string> => {
    const { code, said } = await endedProcess([], settings(cwd))
    expect(code).toBe(1)
    expect(said).toContain('npx -p express-content-router -p better-sqlite3 express-content-router')
    return said
  }

  if (bringsSqlite)
    it('reads SQLite by Node itself where neither it nor the project has a driver', async () => {
      expect(await served(project, 'articles?populate=*')).toHaveLength(3)
      expect(await served(home, 'articles?populate=*&filters[title][$containsi]=PIER')).toHaveLength(1)
    })
  else
    it('says how a driver is installed that neither it nor the project has', async () => {
      expect(await refused(project)).toContain(
        'The driver better-sqlite3 is not installed. Install the dependencies of the project',
      )
      await refused(home)
    })

  if (bringsSqlite)
    it('reads SQLite by Node itself where the driver of the project cannot be loaded', async () => {
      const other = join(home, 'other')
      const own = join(other, 'node_modules')
      const driver = join(own, 'better-sqlite3')
      cpSync(project, other, { recursive: true })
      for (const part of ['lib', 'package.json'])
        cpSync(join(modules, 'better-sqlite3', part), join(driver, part), { recursive: true })
      for (const name of ['bindings', 'file-uri-to-path']) link(name, own)
      expect(await served(other, 'articles?populate=*')).toHaveLength(3)
      const folder = join(driver, 'build', 'Release')
      mkdirSync(folder, { recursive: true })
      // No loader of any system takes it.
      writeFileSync(join(folder, 'better_sqlite3.node'), 'of another system'.padEnd(5000))
      expect(await served(other, 'articles?populate=*')).toHaveLength(3)
    })

  it('takes the driver that the project has installed', async () => {
    const own = join(project, 'node_modules')
    mkdirSync(own)
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) link(name, own)
    const site = await startedProcess([project], settings(home))
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
    const site = await startedProcess([], settings(empty))
    try {
      expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
      expect((await fetch(`${site.at}/explorer/`)).status).toBe(200)
    } finally {
      await site.stop()
    }
  })
})
