import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../../tools/command/run'
import { operationsOf, type OpenApi } from '../../support/documented'
import { projectFolder } from '../../support/project-folder'

const book = {
  kind: 'collectionType',
  collectionName: 'books',
  info: { singularName: 'book', pluralName: 'books' },
  attributes: { name: { type: 'string' }, price: { type: 'decimal' } },
}

describe('content-router openapi', () => {
  const { path, write } = projectFolder({ 'types/book.json': JSON.stringify(book) })
  const types = join(path, 'types')
  write({
    'config.cjs': `module.exports = {
      contentTypes: ${JSON.stringify(types)},
      database: { client: 'better-sqlite3', connection: { filename: 'nowhere.db' } },
      permissions: { public: { find: { book: { fields: ['name'] } } } },
    }`,
  })
  const config = ['--config', join(path, 'config.cjs')]
  const out = join(path, 'openapi.json')

  async function run(...words: readonly string[]): Promise<{ readonly code: number; readonly told: string }> {
    const told: string[] = []
    const tell = (text: string): unknown => told.push(text)
    const code = await runCommand(['openapi', ...words], { print: tell, complain: tell })
    return { code, told: told.join('\n') }
  }

  it('writes what may be asked, by folders alone and without a database', async () => {
    const { code, told } = await run('--content-types', types, '--url', 'https://example.org/api')
    expect(code).toBe(0)
    const document = JSON.parse(told) as OpenApi
    expect(document.servers).toEqual([{ url: 'https://example.org/api' }])
    expect(operationsOf(document).map((one) => one.operationId)).toEqual(['listBook', 'getBook'])
    expect(told).toContain('filters[price][$lt]')
  })

  it('writes less than 200 KB for the 12 types of the sample, which refer to each other without allOf', async () => {
    const { code, told } = await run('--content-types', join(__dirname, '..', '..', '..', 'content-types'))
    expect(code).toBe(0)
    expect(Buffer.byteLength(told)).toBeLessThan(200_000)
    // Swagger UI shows a resolver error for allOf in a type that refers to itself.
    expect(told).not.toContain('allOf')
    expect(told).toContain('filters[title][$containsi]')
  })

  it('names operations by what may stand in a URL and in code, each by another name', async () => {
    const unique = { type: 'string', unique: true }
    const attributes = { größe: unique, länge: unique, plain: unique }
    const odd = join(path, 'odd')
    write({ 'odd/book.json': JSON.stringify({ ...book, attributes }) })
    const { told } = await run('--content-types', odd)
    const names = operationsOf(JSON.parse(told) as OpenApi).map((one) => one.operationId)
    expect(names).toHaveLength(5)
    expect(new Set(names).size).toBe(5)
    expect(names).toContain('getBookBy.plain')
    for (const name of names) expect(name).toMatch(/^[\w.-]+$/)
  })

  it('writes what a role may ask', async () => {
    const { told } = await run(...config, '--role', 'public')
    expect(told).toContain('filters[name][$eq]')
    expect(told).not.toContain('price')
  })

  it('writes a file, the same each time, and tells whether it is up to date', async () => {
    const words = [...config, '--out', out]
    expect((await run(...words, '--check')).code).toBe(1)
    expect(await run(...words)).toEqual({ code: 0, told: `${out} is written.` })
    expect(await run(...words)).toEqual({ code: 0, told: `${out} is up to date.` })
    expect((await run(...words, '--check')).code).toBe(0)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ openapi: '3.1.0' })
  })

  it.each([
    [['--watch', '--content-types', types, '--out', out], '--watch is supported only by types'],
    [['--check', '--content-types', types], '--check requires --out'],
  ])('refuses %j', async (words, message) => {
    const { code, told } = await run(...words)
    expect(code).toBe(2)
    expect(told).toContain(message)
  })

  it('is the only command that takes a URL', async () => {
    const told: string[] = []
    const tell = (text: string): unknown => told.push(text)
    expect(await runCommand(['types', '--url', 'x'], { print: tell, complain: tell })).toBe(2)
    expect(told.join()).toContain('--url is supported only by openapi')
  })
})
