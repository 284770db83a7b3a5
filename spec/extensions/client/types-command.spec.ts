import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { runCommand } from '../../../tools/command/run'
import { projectFolder } from '../../support/project-folder'

const type = (singularName: string, attributes: object): string =>
  JSON.stringify({
    kind: 'collectionType',
    collectionName: `${singularName}s`,
    info: { singularName, pluralName: `${singularName}s` },
    attributes,
  })

const name = { type: 'string', required: true }
const author = { type: 'relation', relation: 'manyToOne', target: 'api::author.author' }

describe('content-router types', () => {
  const { path, write } = projectFolder({
    'types/book.json': type('book', {
      name,
      price: { type: 'decimal' },
      secret: { ...name, private: true },
      author,
    }),
    'types/author.json': type('author', { name }),
    'config.cjs': `module.exports = {
      contentTypes: ${JSON.stringify('TYPES')},
      database: { client: 'better-sqlite3', connection: { filename: 'nowhere.db' } },
      relations: 'wrapped',
      extensions: [require('express-content-router/queries').namedQueries({ card: { type: 'book', query: { fields: 'name,price', populate: { author: { fields: ['name'] } } }, parameters: { of: 'filters.name.$eq' } } })],
      permissions: { public: { find: { book: { fields: ['name'] } } }, partner: { find: ['book', 'author'] } },
    }`,
    'asked.cjs': `module.exports = { contentTypes: ${JSON.stringify('TYPES')}, database: {}, permissions: () => true }`,
  })
  const types = join(path, 'types')
  for (const file of ['config.cjs', 'asked.cjs'])
    write({ [file]: readFileSync(join(path, file), 'utf8').replace('TYPES', types.replaceAll('\\', '/')) })
  const out = join(path, 'content.d.ts')

  async function run(...words: readonly string[]): Promise<{ readonly code: number; readonly told: string }> {
    const told: string[] = []
    const tell = (text: string): unknown => told.push(text)
    const code = await runCommand(['types', ...words], { print: tell, complain: tell })
    return { code, told: told.join('\n') }
  }

  const config = ['--config', join(path, 'config.cjs')]

  it('writes one interface, by folders alone and without a database', async () => {
    const { code, told } = await run('--content-types', types)
    expect(code).toBe(0)
    expect(told).toMatch(/^\/\/ Made by: content-router types --content-types /)
    expect(told).toContain('export interface Content {')
    expect(told).toMatch(/books: \{[^]*name: string\n[^]*price: number \| null\n/)
    expect(told).toContain(`author: { to: 'authors'; many: false }`)
    expect(told).not.toContain('secret')
  })

  it('writes what a role may read, in the shape that the config gives it', async () => {
    const { told: partner } = await run(...config, '--role', 'partner')
    expect(partner).toContain(`author: { to: 'authors'; many: false; wrapped: true }`)
    const { told } = await run(...config, '--role', 'public')
    expect(told).toContain('name: string')
    expect(told).not.toContain('price')
    expect(told).not.toContain('author')
    expect(told).toContain(`asks: { fields: ['name']; populate: {} }`)
    expect(partner).toContain(
      `asks: { fields: ['name', 'price']; populate: { author: { fields: ['name'] } } }`,
    )
  })

  it('writes nothing for a role that is not there, and names those that are', async () => {
    const { code, told } = await run(...config, '--role', 'partners')
    expect(code).toBe(2)
    expect(told).toContain('there is no role partners (use one of public, partner)')
  })

  it('writes nothing where a function says what roles may read', async () => {
    const { code, told } = await run('--config', join(path, 'asked.cjs'), '--role', 'public')
    expect(code).toBe(1)
    expect(told).toContain('remove the flag --role')
  })

  it('writes a file, the same each time, and tells whether it is up to date', async () => {
    const words = [...config, '--out', out]
    expect(await run(...words, '--check')).toEqual({
      code: 1,
      told: `${out} is out of date. Run the command again without --check`,
    })
    expect(await run(...words)).toEqual({ code: 0, told: `${out} is written.` })
    expect(await run(...words)).toEqual({ code: 0, told: `${out} is up to date.` })
    expect(await run(...words, '--check')).toEqual({ code: 0, told: '' })
    writeFileSync(out, readFileSync(out, 'utf8').replaceAll('\n', '\r\n'))
    expect(await run(...words, '--check')).toEqual({ code: 0, told: '' })
    writeFileSync(join(types, 'author.json'), type('author', { name, born: { type: 'date' } }))
    expect((await run(...words, '--check')).code).toBe(1)
  })

  it('writes it again whenever a definition changes, until it is stopped', async () => {
    const file = join(path, 'watched.d.ts')
    const told: string[] = []
    const tell = (text: string): unknown => told.push(text)
    const stop = new AbortController()
    const words = ['types', '--content-types', types, '--out', file, '--watch']
    const watching = runCommand(words, { print: tell, complain: tell, until: stop.signal })
    await untilTold(told, 1)
    writeFileSync(join(types, 'author.json'), '{ half')
    await untilTold(told, 2)
    writeFileSync(join(types, 'author.json'), type('author', { name, died: { type: 'date' } }))
    await untilTold(told, 3)
    stop.abort()
    expect(await watching).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('died: string | null')
    expect(told[0]).toContain('is written')
    expect(told[1]).toContain('author.json')
  })

  async function untilTold(told: readonly string[], count: number): Promise<void> {
    while (told.length < count) await setTimeout(20)
  }

  it.each([
    [['--check', '--content-types', 'x'], '--check requires --out'],
    [['--watch', '--content-types', 'x'], '--watch requires --out'],
    [['--watch', '--check', '--out', 'y', '--content-types', 'x'], '--check cannot be combined with --watch'],
    [['--dry-run', '--content-types', 'x'], '--dry-run is supported only by introspect and migrate'],
  ])('refuses %j', async (words, message) => {
    const { code, told } = await run(...words)
    expect(code).toBe(2)
    expect(told).toContain(message)
  })
})
