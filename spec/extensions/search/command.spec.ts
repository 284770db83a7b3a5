import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { search } from '../../../extensions/search'
import { contentRouter, type Extension } from '../../../lib'
import { type IndexingTime, readArguments } from '../../../tools/command/arguments'
import { runAdvise } from '../../../tools/command/run-advise'
import { runExport } from '../../../tools/command/run-export'
import { runSearchIndex } from '../../../tools/command/run-search-index'
import { describeOn, onSqlite, testDatabase, type World } from '../../support/databases'
import { stocked } from '../../support/served'
import { textContent, textTypes } from './texts'

describe('the arguments of search-index', () => {
  const source = ['--content-types', 'types', '--connection', 'a.db']
  it.each<[readonly string[], IndexingTime]>([
    [[], 'once'],
    [['--dry-run'], 'dry run'],
    [['--check'], 'never, but compare'],
  ])('set when it runs: %j', (flags, when) => {
    expect(readArguments(['search-index', ...source, ...flags])).toMatchObject({ kind: 'search-index', when })
  })

  it('exclude each other', () => {
    expect(() => readArguments(['search-index', ...source, '--check', '--dry-run'])).toThrow(
      '--check cannot be combined with --dry-run',
    )
  })
})

async function runOn(
  world: World,
  when: IndexingTime,
  extensions: readonly Extension[],
): Promise<{ readonly code: number; readonly said: string }> {
  const said: string[] = []
  const say = (text: string): number => said.push(text)
  const config = { contentTypes: textTypes, database: world.config, logger: false as const, extensions }
  const code = await runSearchIndex(config, when, { print: say, complain: say })
  return { code, said: said.join('\n') }
}

describeOn(['mariadb', 'mysql'])('search-index on %s', (name) => {
  const { world } = stocked(testDatabase(name), textTypes, textContent)

  it('creates an index for each attribute and one for all, and keeps those of the application', async () => {
    const extensions = [search({ article: { title: 3, body: 1 } })]
    const create = 'create fulltext index `cr_articles_words_'
    expect(await runOn(world, 'dry run', extensions)).toEqual({
      code: 0,
      said: `${create}title\` on \`articles\` (\`title\`);
${create}body\` on \`articles\` (\`body\`);
${create}together\` on \`articles\` (\`title\`, \`body\`);`,
    })
    await world.knex.raw('create fulltext index mine on articles (body, title)')
    await world.knex.raw('create fulltext index other on articles (body)')
    expect(await runOn(world, 'once', extensions)).toEqual({ code: 0, said: '1 statements run.' })
    expect(await runOn(world, 'never, but compare', extensions)).toMatchObject({ code: 0 })
  })

  it('creates no index for all attributes of a type with a path, which no search would use', async () => {
    const extensions = [search({ article: { title: 3, body: 1, 'author.name': 2 } })]
    const { said } = await runOn(world, 'dry run', extensions)
    expect(said).not.toMatch(/together/)
  })
})

onSqlite((database) => {
  const { world } = stocked(database, textTypes, textContent)

  const run = (
    when: IndexingTime,
    extensions: readonly Extension[] = [search({ article: { title: 3 } })],
  ): ReturnType<typeof runOn> => runOn(world, when, extensions)

  it('creates the indexes of tables that exist', async () => {
    const extensions = [search({ article: { title: 3 } })]
    const permissions = { public: { find: '*' } } as const
    const config = { contentTypes: textTypes, database: world.config, logger: false as const, extensions }
    const router = world.closing(contentRouter({ ...config, permissions }))
    await expect(router.ready()).rejects.toThrow('articles: the search index is missing or incomplete')
    expect(await run('never, but compare')).toEqual({
      code: 1,
      said: 'articles: the index is missing or incomplete',
    })
    const { code, said } = await run('dry run')
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^create virtual table "cr_articles_words" .*;$/s),
    ])
    expect(await run('once')).toEqual({ code: 0, said: '5 statements run.' })
    expect(await run('once')).toEqual({ code: 0, said: 'Nothing to do.' })
    expect(await run('dry run')).toEqual({ code: 0, said: '-- Nothing to do.' })
    expect(await run('never, but compare')).toEqual({ code: 0, said: 'The indexes are complete.' })
    await router.ready()
    const { data } = await router.as('public').find('articles', { _q: 'rust', fields: ['title'] })
    expect(data.map((entry) => entry['title'])).toEqual([
      'Rust and oxygen',
      'Rust never sleeps',
      'Rusty nails',
    ])
  })

  it('creates the index again for other attributes', async () => {
    const other = [search({ article: { title: 3, body: 1 } })]
    expect(await run('once', other)).toEqual({ code: 0, said: '9 statements run.' })
    expect(await run('once', other)).toEqual({ code: 0, said: 'Nothing to do.' })
  })

  it('is the search of the commands export and advise', async () => {
    const extensions = [search({ article: { title: 3, body: 1 } })]
    const config = { contentTypes: textTypes, database: world.config, logger: false as const, extensions }
    const body = new PassThrough()
    const printed: string[] = []
    const output = { print: (line: string) => printed.push(line), complain: () => undefined, body }
    const query = '_q=rust -oxygen&fields=title'
    const exporting = { types: ['articles'], format: 'csv', query, role: null, out: null }
    expect(await runExport(config, exporting, output)).toBe(0)
    body.end()
    expect(await text(body)).toMatch(/^id,documentId,title\r\n.*Rust never sleeps\r\n.*Systems language\r\n$/)
    const advising = { queries: ['articles?_q=rust'], log: null, role: null, asker: {}, applies: false }
    expect(await runAdvise(config, advising, output)).toBe(0)
    expect(printed.join()).toMatch(/cr_articles_words/)
    expect(printed.join()).not.toMatch(/No index helps/)
  })

  it('needs an extension with indexes', async () => {
    await expect(run('once', [])).rejects.toThrow(
      'extensions: no extension of the config needs a search index',
    )
  })
})
