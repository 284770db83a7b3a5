import express from 'express'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { knex } from 'knex'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import { runCommand } from '../../tools/command/run'
import { type Asker, askerOf } from '../support/asker'
import { loadChinook } from '../support/chinook/load'
import { describeOn, testDatabase } from '../support/databases'
import { examplesIn } from '../support/doc-examples'
import { projectFolder } from '../support/project-folder'

const root = join(__dirname, '..', '..')
const example = join(root, 'examples', 'chinook')
const page = readFileSync(join(root, 'docs', 'tutorials', 'own-tables.md'), 'utf8')

/** The first block of a language with this text. */
const blockWith = (language: string, text: string, of = page): string =>
  [...of.matchAll(new RegExp('^```' + language + '\\n(.*?)^```', 'gms'))]
    .map(([, block = '']) => block)
    .find((block) => block.includes(text)) ?? ''

describe('docs/tutorials/own-tables.md and examples/chinook', () => {
  const { path } = projectFolder()
  const filename = join(path, 'Chinook_Sqlite.sqlite')
  const connection = { client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true }
  const types = join(path, 'content-types')
  let printed = ''
  let asker: Asker
  let close = (): Promise<void> => Promise.resolve()

  const run = (...words: readonly string[]): Promise<number> => {
    const print = (text: string): unknown => (printed += `${text}\n`)
    return runCommand(['introspect', '--connection', filename, ...words], { print, complain: print })
  }

  beforeAll(async () => {
    const database = knex(connection)
    await loadChinook(database, 'sqlite')
    await database.destroy()
    expect(await run('--out', types)).toBe(0)
    const code = blockWith('js', '// content-router.config.mjs').replace('export default', 'config =')
    const given: { config?: ContentRouterConfig } = {}
    runInNewContext(code, given)
    const content = contentRouter({
      ...(given.config as ContentRouterConfig),
      ...{ contentTypes: types, database: connection, logger: false },
    })
    await content.ready()
    asker = await askerOf(express().use('/api', content))
    close = async () => {
      await asker.close()
      await content.close()
    }
  })

  afterAll(() => close())

  it('show the output of introspect', () => {
    expect(printed.replace(types, 'content-types')).toBe(blockWith('text', '10 types:'))
  })

  it('show a definition as it is written, and hold all of them', () => {
    expect(blockWith('json', '"collectionName": "Album"')).toBe(
      readFileSync(join(types, 'Album.json'), 'utf8'),
    )
    const files = readdirSync(types)
    expect(readdirSync(join(example, 'content-types'))).toEqual(files)
    for (const file of files)
      expect(readFileSync(join(example, 'content-types', file), 'utf8')).toBe(
        readFileSync(join(types, file), 'utf8'),
      )
  })

  it('pass --check', async () => {
    expect(await run('--out', join(example, 'content-types'), '--check')).toBe(0)
  })

  it.each(['content-router.config.mjs', 'app.mjs'])('have the same %s', (file) => {
    expect(blockWith('js', `// ${file}`)).toBe(`// ${file}\n${readFileSync(join(example, file), 'utf8')}`)
  })

  const examples = examplesIn(page)

  it.each(examples.map((one) => [one.request.path, one] as const))(
    'show the response: %s',
    async (_path, { request: { path: asked, headers }, answer }) => {
      const { body } = await asker.ask(asked, headers)
      expect(JSON.parse(body)).toEqual(answer)
    },
  )

  it('show four responses', () => {
    expect(examples).toHaveLength(4)
  })
})

describeOn(['postgres'])('the first part of docs/start/quick-start.md on %s', (name) => {
  const world = testDatabase(name).fresh()
  const { path } = projectFolder()
  const start = readFileSync(join(root, 'docs', 'start', 'quick-start.md'), 'utf8')
  const [part = ''] = start.split('\n## New tables from definitions\n')

  it('has statements, a summary and a response that fit together', async () => {
    await world.knex.raw(blockWith('sql', 'create table', part))
    const { user, password, host, port, database } = world.config.connection as Record<string, string>
    const url = new URL(`postgres://${host ?? ''}:${String(port)}/${database ?? ''}`)
    Object.assign(url, { username: user, password })
    let printed = ''
    const print = (text: string): unknown => (printed += `${text}\n`)
    const types = join(path, 'content-types')
    const words = ['introspect', '--connection', url.href, '--out', types]
    expect(await runCommand(words, { print, complain: print })).toBe(0)
    expect(printed.replace(types, 'content-types')).toBe(blockWith('text', '2 types:', part))

    const [, options = ''] =
      /contentRouter\((\{.*?\n\})\)/s.exec(blockWith('js', '// server.mjs', part)) ?? []
    const config = runInNewContext(`(${options})`, { process: { env: {} } }) as ContentRouterConfig
    const router = contentRouter({
      ...config,
      ...{ contentTypes: types, database: world.config, logger: false },
    })
    await world.closing(router).ready()
    const asker = world.closing(await askerOf(express().use('/api', router)))
    const [, asked = ''] = /curl -g 'localhost:3000(.*?)'/.exec(part) ?? []
    const { body } = await asker.ask(asked)
    expect(JSON.parse(body)).toEqual(JSON.parse(blockWith('json', '"data"', part)))
  })
})
