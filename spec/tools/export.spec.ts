import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { seed } from '../../extensions/seed'
import { migrate } from '../../lib'
import { runCommand } from '../../tools/command/run'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'

const types = [
  collection('book', {
    title: text,
    ledger: { type: 'string', private: true },
    author: relation('manyToOne', 'author'),
  }),
  collection('author', { name: text }),
  { ...collection('home', { title: text }), kind: 'singleType' },
]

describe('content-router export', () => {
  const { path } = projectFolder({
    'content-router.config.js': `module.exports = ${JSON.stringify({
      contentTypes: types,
      database: { client: 'better-sqlite3', connection: { filename: 'data.db' }, useNullAsDefault: true },
      permissions: { public: { find: { book: { where: { title: 'Dawn' } }, author: true } }, guest: {} },
      limitsByRole: { public: { maxDepth: 2 } },
    })}`,
  })
  const home = process.cwd()

  beforeAll(async () => {
    process.chdir(path)
    const database = {
      client: 'better-sqlite3',
      connection: { filename: join(path, 'data.db') },
      useNullAsDefault: true,
    }
    const config = { contentTypes: types as never, database }
    await migrate(config)
    await seed(config, {
      author: [{ $ref: 'ada', name: 'Ada, the first' }],
      book: [
        { title: 'Dawn', ledger: 'x', author: 'ada' },
        { title: 'Dusk', ledger: 'x' },
      ],
    })
  })
  afterAll(() => {
    process.chdir(home)
  })

  const run = async (
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly written: string; readonly complained: string }> => {
    const body = new PassThrough()
    const complained: string[] = []
    const code = await runCommand(['export', ...words], {
      print: () => undefined,
      complain: (one) => complained.push(one),
      body,
    })
    body.end()
    return { code, written: await textOf(body), complained: complained.join('\n') }
  }

  it('writes all entries as lines of JSON, without private attributes', async () => {
    const { code, written, complained } = await run('books')
    expect([code, complained]).toEqual([0, ''])
    const lines = written.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { title: 'Dawn' },
      { title: 'Dusk' },
    ])
    expect(written).not.toContain('ledger')
  })

  it.each([['book'], ['api::book.book']])('takes the name of a type: %s', async (name) => {
    expect((await run(name)).written).toBe((await run('books')).written)
  })

  it('takes a format and the parameters of a list', async () => {
    const query = '?fields=title&populate[author][fields]=name&sort=title:desc'
    const { written } = await run('books', '--format', 'csv', '--query', query)
    expect(written).toMatch(
      /^id,documentId,title,author\.id,author\.documentId,author\.name\r\n2,\w+,Dusk,,,\r\n1,\w+,Dawn,1,\w+,"Ada, the first"\r\n$/,
    )
  })

  it('writes a file', async () => {
    const { code, written } = await run('books', '--format', 'json', '--out', 'books.json')
    expect([code, written]).toEqual([0, ''])
    expect(JSON.parse(readFileSync(join(path, 'books.json'), 'utf8'))).toHaveLength(2)
  })

  it('applies the permissions of a role', async () => {
    const { written } = await run('books', '--role', 'public')
    expect(written.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each([
    [['boks'], 2, 'there is no type boks with a path (did you mean books?)'],
    [['nothere'], 2, 'there is no type nothere with a path (use one of books, authors)'],
    [['home'], 2, 'is a single type, but only collection types can be exported'],
    [['books', '--role', 'nobody'], 2, 'there is no role nobody (use one of public, guest)'],
    [['books', '--role', 'guest'], 2, 'the role guest is not allowed to find books'],
    [['books', '--query', 'sort=titel'], 2, 'did you mean title?'],
    [['books', '--query', 'fields=ledger'], 2, 'Invalid key ledger'],
    [['books', '--format', 'xml'], 2, '--format must be one of ndjson, csv, json'],
    [[], 2, 'export needs one type'],
  ])('reports mistakes: %j', async (words, exit, message) => {
    const { code, written, complained } = await run(...words)
    expect([code, written]).toEqual([exit, ''])
    expect(complained).toContain(message)
  })
})
