import { join } from 'node:path'
import { type ContentRouterConfig, migrate } from '../../lib'
import { runCommand } from '../../tools/command/run'
import type { Advising } from '../../tools/command/arguments'
import { runAdvise } from '../../tools/command/run-advise'
import { onSqlite } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { recordingOf } from '../support/recordings'

const contentTypes = [
  collection('author', { name: text, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
  collection(
    'article',
    {
      ...{ title: text, views: integer, body: { type: 'richtext' } },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    },
    { drafts: true },
  ),
] as unknown as ContentRouterConfig['contentTypes']

const permissions = {
  public: { find: ['author'] },
  reader: { find: { article: { where: { title: { $eq: 'Title 7' } } } } },
  member: { find: { article: { where: { views: { $eq: { $asker: 'views' } } } } } },
} as const

interface Advised {
  readonly code: number
  readonly printed: string
  readonly complained: string
}

onSqlite((database) => {
  const world = database.fresh()
  const folder = projectFolder()
  beforeAll(async () => {
    await migrate({ contentTypes, database: world.config })
    const articles = Array.from({ length: 1200 }, (_, n) => ({
      ...{ document_id: String(n), title: `Title ${String(n)}`, views: n, published_at: 1_700_000_000_000 },
    }))
    await world.knex.batchInsert('articles', articles, 100)
    await world.knex('authors').insert({ document_id: 'a', name: 'Ada' })
  })

  const advise = async (
    queries: readonly string[],
    { log = null, role = null, asker = {}, applies = false }: Partial<Advising> = {},
  ): Promise<Advised> => {
    const [printed, complained]: [string[], string[]] = [[], []]
    const output = {
      print: (line: string) => printed.push(line),
      complain: (line: string) => complained.push(line),
    }
    const config = { contentTypes, database: world.config, logger: false, permissions } as const
    const code = await runAdvise(config, { queries, log, role, asker, applies }, output)
    return { code, printed: printed.join('\n'), complained: complained.join('\n') }
  }
  const adviseLog = (...lines: readonly string[]): Promise<Advised> => {
    folder.write({ 'slow.log': lines.join('\n') })
    return advise([], { log: join(folder.path, 'slow.log') })
  }
  const statementsIn = ({ printed }: Advised): readonly string[] =>
    printed.split('\n').filter((line) => !line.startsWith('--'))
  const indexNames = (): Promise<string[]> =>
    world.knex('sqlite_master').where({ type: 'index' }).pluck('name')

  const byViews = 'create index "cr_articles_views" on "articles" ("views", "id", "published_at");'

  describe('content-router advise', () => {
    it('prints the plan and the statement as SQL, and changes nothing', async () => {
      const before = await indexNames()
      const advised = await advise(['/api/articles?sort=views'])
      expect(advised).toMatchObject({ code: 0, complained: '' })
      expect(advised.printed).toMatch(/^-- \/api\/articles\?sort=views\n(--   .*\n)*-- .*SCAN t1\n/)
      expect(advised.printed).toContain(
        '-- articles has about 1200 rows. With an index, the query reads only the rows that it needs.',
      )
      expect(statementsIn(advised)).toEqual([byViews])
      expect(await indexNames()).toEqual(before)
    })

    it('creates the index with --apply, and finds it afterwards', async () => {
      const applied = await advise(['articles?sort=views'], { applies: true })
      expect(applied.printed).toMatch(
        /-- The plan with the index:\n(--   .*\n)*-- .*USING COVERING INDEX cr_articles_views/,
      )
      expect((await advise(['articles?sort=views'])).printed).toContain('-- No index is missing.')
      await world.knex.raw('drop index cr_articles_views')
      // An index of another name serves as well.
      await world.knex.raw('create index own on articles (views)')
      expect((await advise(['articles?sort=views'])).printed).toContain('-- No index is missing.')
      await world.knex.raw('drop index own')
    })

    it('prints no statement for a short table', async () => {
      const advised = await advise(['authors?sort=name'])
      expect(advised.printed).toContain('-- authors has about 1 rows. No index is needed.')
      expect(statementsIn(advised)).toEqual([])
    })

    it.each([
      ['sort=author.name', 'because an index has the columns of one table. Store the value'],
      ['sort=author.articles.$count', 'because the links of all entries are counted. Store the value'],
      ['_q=a', 'the conditions on title, body. To search for words, use _q with the extension search().'],
      ['filters[title][$contains]=a', 'the conditions on title. To search for words, use _q'],
      ['filters[title][$startsWith]=a', 'the conditions on title. Add a condition with $eq'],
      ['filters[$or][0][title][$endsWith]=a&filters[$or][1][views]=1', 'the conditions on title. Add'],
      ['filters[views][$lt]=50', 'the conditions on views. Add a condition with $eq or $in, or sort by'],
      ['filters[views][$lt]=50&sort=views', 'The total counts all matching entries at each request.'],
    ])('says in one line what to do instead: %s', async (query, remark) => {
      const { printed } = await advise([`articles?${query}`])
      expect(printed.split('\n').filter((line) => line.includes(remark)).length).toBe(1)
    })

    it('has nothing to say about a list by id, an entry by its id, and conditions that exclude few rows', async () => {
      for (const query of [
        '',
        'filters[id]=1',
        'filters[id][$in][0]=1&filters[id][$in][1]=2',
        'filters[documentId]=1',
        'filters[title][$ne]=a',
      ])
        expect((await advise([`articles?${query}`])).printed).toContain('-- No index is missing.')
    })

    it('reads URLs and shapes of a log in any format, each statement once', async () => {
      const advised = await adviseLog(
        '::1 - - [30/Nov/2026:08:00:00 +0000] "GET /api/articles?sort=views HTTP/1.1" 200 9 "https://a.test/b"',
        '{"level":40,"req":{"method":"GET","url":"/api/articles?filters[title]=a%20b"},"responseTime":900}',
        '{"shape":"api::article.article?filters=title&sort=views:desc&populate=author","ms":812}',
        '{"shape":"api::article.article?sort=views","ms":900}',
        'nothing to see',
        'GET /api/unknown?sort=views',
      )
      expect(advised).toMatchObject({ code: 0, complained: '' })
      expect(statementsIn(advised)).toEqual([
        byViews,
        'create index "cr_articles_title" on "articles" ("title" collate binary, "id", "published_at");',
        'create index "cr_articles_title_views_desc" on "articles" ("title" collate binary, "views" desc, "id", "published_at");',
      ])
    })

    it('reads shapes without operators: a filter on the sort key is a range', async () => {
      const shape = 'api::article.article?filters=title,views&sort=views:desc'
      const advised = await adviseLog(`{"shape":"${shape}"}`)
      expect(advised.printed).toMatch(/^-- api::article\.article\?filters=title,views&sort=views:desc\n/)
      expect(advised.printed).toContain('-- A shape has no operators, so advise assumes $eq.')
      expect(statementsIn(advised)).toEqual([
        'create index "cr_articles_title_views_desc" on "articles" ("title" collate binary, "views" desc, "id", "published_at");',
      ])
    })

    it('plans requests once that differ only in values, and warns of a log without requests', async () => {
      const lines = [
        ...['GET /articles?filters[views]=x&sort=title', 'GET /articles?filters[views]=1&sort=title'],
        ...['GET /articles?filters%5Bviews%5D=2&sort=title', 'GET /articles?filters[views]=3&sort=title'],
        'GET /articles?filters[views][$null]=true&sort=title',
        'GET /articles?filters[views][$null]=false&sort=title',
      ]
      const { printed, complained } = await adviseLog(...lines)
      expect(printed.match(/^-- \/articles\?.*$/gm)).toEqual(
        [1, 4, 5].map((at) => `-- ${(lines[at] ?? '').replace('GET ', '')}`),
      )
      expect(complained).toMatch(/^warning: \/articles\?filters\[views\]=x&sort=title: [^\n]*$/)
      expect(await adviseLog('')).toEqual({
        ...{ code: 1, printed: '' },
        complained: `warning: ${join(folder.path, 'slow.log')}: the file contains no request for a list`,
      })
    })

    it('lists each column of an index once', async () => {
      const advised = await advise(['articles?filters[views]=1&sort=views,title'], {
        role: 'member',
        asker: { views: '7' },
      })
      expect(statementsIn(advised)).toEqual([
        'create index "cr_articles_views_title" on "articles" ("views", "title" collate binary, "id", "published_at");',
      ])
    })

    it('creates one index for a list and for a filter by relation', async () => {
      const names = Array.from({ length: 1200 }, (_, n) => ({
        document_id: `n${String(n)}`,
        name: String(n),
      }))
      await world.knex.batchInsert('authors', names, 100)
      const queries = ['authors?filters[name]=Ada', 'articles?filters[author][name]=Ada']
      const { printed } = await advise(queries, { applies: true })
      expect(printed.match(/^create index "cr_authors_name".*$/gm)).toEqual([
        'create index "cr_authors_name" on "authors" ("name" collate binary, "id");',
      ])
      await world.knex.raw('drop index cr_authors_name')
      await world.knex('authors').where('document_id', 'like', 'n%').del()
    })

    it('warns of queries that are rejected, and fails if there is no other', async () => {
      const some = await adviseLog('GET /api/articles?sort=nothing', 'GET /api/articles?sort=views')
      expect(some.complained).toMatch(/^warning: \/api\/articles\?sort=nothing: Invalid key nothing/)
      expect([some.code, statementsIn(some)]).toEqual([0, [byViews]])
      expect(await advise(['unknown?sort=a'])).toEqual({
        code: 1,
        printed: '',
        complained: 'warning: unknown?sort=a: no list has this path',
      })
    })

    it('plans a query with the rules of a role', async () => {
      const byTitle = await advise(['articles?sort=views'], { role: 'reader' })
      expect(statementsIn(byTitle)).toEqual([
        'create index "cr_articles_title_views" on "articles" ("title" collate binary, "views", "id", "published_at");',
      ])
      const byAsker = await advise(['articles?sort=title'], { role: 'member', asker: { views: '7' } })
      expect(statementsIn(byAsker)).toEqual([
        'create index "cr_articles_views_title" on "articles" ("views", "title" collate binary, "id", "published_at");',
      ])
    })

    it('rejects a type that the role cannot find, and an unknown role', async () => {
      expect(await advise(['articles?sort=views'], { role: 'public' })).toEqual({
        code: 1,
        printed: '',
        complained: 'warning: articles?sort=views: the role is not allowed to find api::article.article',
      })
      await expect(advise(['articles'], { role: 'nobody' })).rejects.toThrow(
        'permissions: there is no role nobody (use one of public, reader, member)',
      )
    })

    it('keeps line breaks and signs of a query in the comment', async () => {
      const advised = await advise(['articles?filters[title]=a\ndrop table articles;\r\u001b[2J&sort=views'])
      expect(statementsIn(advised).every((line) => line.startsWith('create index '))).toBe(true)
      expect(advised.printed).not.toMatch(/[^\P{Cc}\n]/u)
    })
  })
})

onSqlite((database) => {
  const world = database.restored()

  it('content-router advise reads a database of Strapi, and needs a query', async () => {
    const run = async (...words: readonly string[]): Promise<Advised> => {
      const [printed, complained]: [string[], string[]] = [[], []]
      const { filename } = world.config.connection as { readonly filename: string }
      const code = await runCommand(
        [
          'advise',
          '--content-types',
          recordingOf('sqlite').contentTypes,
          '--connection',
          filename,
          '--strapi5',
          ...words,
        ],
        { print: (line) => printed.push(line), complain: (line) => complained.push(line) },
      )
      return { code, printed: printed.join('\n'), complained: complained.join('\n') }
    }
    const { code, printed } = await run('--query', 'articles?sort=title')
    expect(code).toBe(0)
    expect(printed).toMatch(/-- articles has about \d+ rows. No index is needed\./)
    expect(await run('--log', 'nowhere.log')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('the file nowhere.log does not exist') as unknown,
    })
    expect(await run()).toMatchObject({
      code: 2,
      complained: expect.stringContaining('advise requires --log <file> or --query') as unknown,
    })
    expect(await run('--query', 'articles', '--asker', 'id=1')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('--asker requires --role') as unknown,
    })
    expect(await run('--query', 'articles', '--role', 'a', '--asker', 'id')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('--asker id must contain a name and a value') as unknown,
    })
  })
})
