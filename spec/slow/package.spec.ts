import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: readonly string[] }
/** Bytes that whoever installs it downloads: what makes it much larger is to be noticed. */
const mostPacked = 775_000

const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline', '--loglevel=error']

/** A library's user: makes tables in an embedded database, seeds an entry, mounts the router and asks for it. */
const usage = `
async function answer() {
  const note = {
    kind: 'collectionType',
    collectionName: 'notes',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: false },
    attributes: { title: { type: 'string' } },
  }
  const database = makeKnex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
  const config = { contentTypes: [note], database }
  const options = { extensions: [strapi5()], ...config, permissions: { public: { find: '*' } } }
  await migrate(options)
  await seed(config, { note: [{ title: 'Packed' }] })
  const content = contentRouter({ ...options, extensions: [observe({ tracing: openTelemetry() })] })
  const server = express().use('/api', content).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await content.ready()
  const url = 'http://127.0.0.1:' + server.address().port + '/api'
  const response = await fetch(url + '/notes')
  const { data } = await contentClient({ url }).find('notes')
  await content.close()
  await database.destroy()
  server.closeAllConnections()
  server.close()
  return { status: response.status, titles: data.map(({ title }) => title) }
}
answer().then((found) => console.log(JSON.stringify(found)))
`

const asModule = `
import { once } from 'node:events'
import express from 'express'
import knexPackage from 'knex'
import { contentRouter, migrate } from 'express-content-router'
import { strapi5 } from 'express-content-router/strapi'
import { seed } from 'express-content-router/seed'
import { contentClient } from 'express-content-router/client'
import { observe, openTelemetry } from 'express-content-router/observe'
const makeKnex = knexPackage.knex
${usage}`

const asScript = `
const { once } = require('node:events')
const express = require('express')
const { knex: makeKnex } = require('knex')
const { contentRouter, migrate } = require('express-content-router')
const { strapi5 } = require('express-content-router/strapi')
const { seed } = require('express-content-router/seed')
const { contentClient } = require('express-content-router/client')
const { observe, openTelemetry } = require('express-content-router/observe')
${usage}`

describe('a fresh clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'content-router-clone-'))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('is packed with what it is built to', async () => {
    // What git knows, as it stands here, and nothing that was built.
    const { stdout: listed } = await run('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 2 ** 24 })
    const needed =
      /^(lib|extensions|tools|migrations|docs|content-types|examples\/sample)\/|^\.ci\/(drop-unreached|roll-declarations|bundle-client|bundle-explorer)\.cjs$|^(package|tsconfig[.\w]*)\.json$|^(README|CHANGELOG)\.md$|^LICENSE$/
    for (const file of listed.split('\0').filter((name) => needed.test(name))) {
      cpSync(join(root, file), join(folder, file), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const { stdout } = await run('npm', ['pack', '--json', '--silent', ...quiet], {
      cwd: folder,
      maxBuffer: 2 ** 24,
    })
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { size: number; files: readonly { path: string }[] },
    ]
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        ...[
          'dist/lib/index.js',
          'dist/lib/index.d.ts',
          'dist/tools/command.js',
          'dist/extensions/explorer/page/page.js',
        ],
        ...['docs/how-to/filter.md', 'docs/reference/options.md', 'content-types/article.json'],
        ...['examples/sample/site.mjs', 'examples/sample/content/article.json'],
      ]),
    )
    // Maps of sources that are not in it lead nowhere.
    expect(
      paths.filter(
        (path) =>
          !/\.(m?js|d\.m?ts|md|json)$|^LICENSE$|^dist\/extensions\/explorer\/page\/(page\.css|icon\.svg)$/.test(
            path,
          ),
      ),
    ).toEqual([])
    expect(packed.size).toBeLessThan(mostPacked)
    // Neither code that holds types alone, nor declarations of what is internal.
    const within = ['dist/lib/http/extension.js', 'dist/extensions/strapi/api-tokens.d.ts']
    expect(paths.filter((path) => within.includes(path))).toEqual([])
  }, 180_000)
})

describe('the packed package', () => {
  let folder = ''
  let tarball = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'content-router-package-'))
    const staged = join(folder, 'staged')
    mkdirSync(staged)
    const copied = ['package.json', ...files].filter(
      (file) => file !== 'dist' && existsSync(join(root, file)),
    )
    for (const file of copied) cpSync(join(root, file), join(staged, file), { recursive: true })
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', join(staged, 'dist')], {
      cwd: root,
    })
    for (const step of ['drop-unreached', 'roll-declarations', 'bundle-client'])
      await run(process.execPath, [join(root, '.ci', `${step}.cjs`), join(staged, 'dist')])
    const packed = await run('npm', ['pack', staged, '--json', '--ignore-scripts', ...quiet], { cwd: folder })
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
    tarball = join(folder, filename)
  }, 180_000)

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  describe.each(['^4.18.0', '^5.0.0'])('installed beside express %s', (version) => {
    let home = ''

    beforeAll(async () => {
      home = mkdtempSync(join(folder, 'user-'))
      writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'user', private: true }))
      await run('npm', ['install', tarball, `express@${version}`, ...quiet], { cwd: home })
      // The driver that this repository has compiled, which takes a minute where no binary can be downloaded.
      symlinkSync(join(root, 'node_modules/better-sqlite3'), join(home, 'node_modules/better-sqlite3'))
      // An optional peer, which npm leaves to whoever wants it.
      expect(existsSync(join(home, 'node_modules/@opentelemetry'))).toBe(false)
      symlinkSync(join(root, 'node_modules/@opentelemetry'), join(home, 'node_modules/@opentelemetry'))
      writeFileSync(join(home, 'usage.mjs'), asModule)
      writeFileSync(join(home, 'usage.cjs'), asScript)
    }, 180_000)

    it.each(['usage.mjs', 'usage.cjs'])('serves an entry to %s', async (file) => {
      const { stdout } = await run(process.execPath, [file], { cwd: home })
      expect(JSON.parse(stdout)).toEqual({ status: 200, titles: ['Packed'] })
    })

    // npx runs the command of a package's own name.
    it.each(['content-router', 'express-content-router'])('brings the command %s with it', async (name) => {
      const { stdout } = await run(join(home, 'node_modules/.bin', name), ['--help'], { cwd: home })
      expect(stdout).toContain('Usage: content-router')
    })
  })
})
