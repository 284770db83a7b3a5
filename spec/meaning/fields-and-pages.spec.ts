import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, integer, library, text } from '../support/library'
import { type Served, stocked } from '../support/served'
import { watchingSql } from '../support/watching'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const run = promisify(execFile)

const specimens = [
  collection('specimen', {
    word: text,
    essay: { type: 'text' },
    page: { type: 'richtext' },
    colour: { type: 'enumeration', enum: ['red', 'blue'] },
    address: { type: 'email' },
    slug: { type: 'uid' },
    code: { type: 'password', private: false },
    secret: { type: 'password' },
    hidden: { type: 'string', private: true },
    day: { type: 'date' },
    hour: { type: 'time' },
    moment: { type: 'datetime' },
    tick: { type: 'timestamp' },
    count: integer,
    big: { type: 'biginteger' },
    ratio: { type: 'float' },
    price: { type: 'decimal' },
    flag: { type: 'boolean' },
    list: { type: 'array' },
    data: { type: 'json' },
  }),
] as unknown as Definitions

const times = { createdAt: '2024-03-31T01:30:00.120Z', updatedAt: '2024-10-27T00:30:00.007Z' }

const own = {
  word: 'Ünïcode “quoted" \\ back',
  essay: 'line one\nline two 🦉',
  page: '# Title',
  colour: 'red',
  address: 'a@b.example',
  slug: 'first-one',
  day: '2024-02-29',
  hour: '09:30:15.250',
  moment: '2024-03-10T07:15:30.250Z',
  count: -7,
  big: '9007199254740993',
  ratio: 0.1,
  price: 12.34,
  flag: false,
  list: ['a', 'b'],
  data: { deep: [1, null, { x: 'ü"' }], no: false },
}
const hidden = { code: 'open sesame', secret: 'never shown', hidden: 'never shown' }
const tick = '2020-12-12T08:46:40.187Z'

const answered = {
  ...own,
  publishedAt: times.updatedAt,
  ...times,
  tick,
}
const blank = Object.fromEntries(Object.keys(answered).map((name) => [name, null]))

onSqlite((database) => {
  describe('scalar attributes', () => {
    const { world, seeded, serve } = stocked(database, specimens, {
      specimen: [
        { $ref: 'full', ...own, ...hidden, tick, ...times },
        { $ref: 'blank', ...times },
        ...[0, 'text', [], {}, 1.5].map((data) => ({ data, ...times })),
      ],
    })
    const entry = (ref: string, values: object): object => ({
      id: seeded().entry('specimen', ref).rows[0]?.id,
      documentId: seeded().entry('specimen', ref).documentId,
      ...values,
    })

    it('are all in the response, each as the JSON of its type', async () => {
      const [full] = await serve().list('specimens')
      expect(full).toEqual(entry('full', answered))
    })

    it('are null without a value', async () => {
      const [, empty] = await serve().list('specimens')
      expect(empty).toEqual(entry('blank', { ...blank, ...times, publishedAt: times.updatedAt }))
    })

    it('hold JSON as it was stored', async () => {
      const values = await serve().values('specimens?pagination[start]=2', 'data')
      expect(values).toEqual([0, 'text', [], {}, 1.5])
    })

    it('never include private attributes and passwords', async () => {
      const { status, text: body } = await serve().get('specimens?fields=*&populate=*')
      expect(status).toBe(200)
      expect(body).not.toContain('never shown')
      expect(body).not.toContain('open sesame')
      for (const query of ['filters[code][$startsWith]=open', 'sort=code', 'fields=code'])
        expect((await serve().refusal(`specimens?${query}`)).message).toContain('code')
    })

    it('show the same times in processes of other time zones', async () => {
      const zones = ['America/St_Johns', 'Pacific/Auckland']
      const host = join(__dirname, '..', 'support', 'ask-elsewhere.cjs')
      const config = JSON.stringify({ contentTypes: specimens, database: world.config })
      const { stdout } = await run(process.execPath, [host, config, '/api/specimens', ...zones])
      const body: unknown = (await serve().get('specimens')).body
      expect(JSON.parse(stdout)).toEqual(zones.map((zone) => ({ zone, body })))
    })

    it('distinguish big integers that are the same double', async () => {
      const { values } = serve()
      expect(await values('specimens?filters[big]=9007199254740993', 'big')).toEqual([own.big])
      expect(await values('specimens?filters[big]=9007199254740992', 'big')).toEqual([])
    })
  })

  describe('the fields parameter', () => {
    const { serve } = stocked(database, library, {
      book: [{ title: 'One', year: 1, blurb: 'b', ledger: 'x', author: 'ada', seo: { title: 's' } }],
      author: [{ $ref: 'ada', name: 'Ada', age: 3 }],
    })
    const keysOf = async (query: string): Promise<string[]> =>
      Object.keys((await serve().list(`books?${query}`))[0] ?? {}).sort()

    it.each([
      ['one name', 'fields=title'],
      ['an indexed list', 'fields[0]=title'],
      ['a list of brackets', 'fields[]=title'],
      ['a name with blanks around it', 'fields=%20title%20'],
      ['a name twice', 'fields=title&fields=title'],
      ['a name that is always there', 'fields=title,id'],
    ])('selects id, documentId and the attribute of %s', async (_, query) => {
      expect(await keysOf(query)).toEqual(['documentId', 'id', 'title'])
    })

    it.each(['fields=title,year', 'fields[0]=title&fields[1]=year', 'fields[1]=year&fields[7]=title'])(
      'selects several attributes: %s',
      async (query) => {
        expect(await keysOf(query)).toEqual(['documentId', 'id', 'title', 'year'])
      },
    )

    it('selects all attributes with a star', async () => {
      const all = ['blurb', 'createdAt', 'documentId', 'id', 'publishedAt', 'title', 'updatedAt', 'year']
      expect(await keysOf('fields=*')).toEqual(all)
      expect(await keysOf('')).toEqual(all)
    })

    it('does not affect populated relations', async () => {
      const query = 'fields=title&populate[0]=author&populate[1]=seo'
      expect(await keysOf(query)).toEqual(['author', 'documentId', 'id', 'seo', 'title'])
    })

    it('selects attributes of populated entries', async () => {
      const [book] = await serve().list('books?populate[author][fields][0]=name')
      expect(Object.keys(book?.['author'] as object).sort()).toEqual(['documentId', 'id', 'name'])
    })

    it.each(['author', 'seo', 'cover', 'sections', 'localizations', 'createdBy'])(
      'rejects %s, which is not a scalar attribute',
      async (name) => {
        const { message, path } = await serve().refusal(`books?fields=${name}`)
        expect([message.split(':')[0], path]).toEqual([`Invalid key ${name}`, `fields.${name}`])
      },
    )

    it('rejects a private attribute as an unknown one', async () => {
      const known = await serve().get('books?fields=ledger')
      const unknown = await serve().get('books?fields=legder')
      expect(known.text).toBe(unknown.text.replaceAll('legder', 'ledger'))
    })

    it.each(['fields=', 'fields=title,', 'fields[a]=title', 'fields[0][0]=title'])(
      'rejects the malformed %s',
      async (query) => {
        expect((await serve().refusal(`books?${query}`)).path).toMatch(/^fields/)
      },
    )
  })

  describe('the pages of a list', () => {
    const { serve } = stocked(database, library, {
      author: Array.from({ length: 230 }, (_, index) => ({ name: `author ${String(index)}`, age: index })),
    })
    const pageOf = async (query: string): Promise<{ first: unknown; count: number; meta: unknown }> => {
      const body = await serve().page(`authors?${query}`)
      const { data, meta } = body
      return { first: data[0]?.['age'], count: data.length, meta }
    }
    const paged = (page: number, pageSize: number): object => ({
      pagination: { page, pageSize, pageCount: Math.ceil(230 / pageSize), total: 230 },
    })

    it('default to the first page of 25 entries', async () => {
      expect(await pageOf('')).toEqual({ first: 0, count: 25, meta: paged(1, 25) })
    })

    it('are requested by page and pageSize', async () => {
      const query = 'pagination[page]=3&pagination[pageSize]=100'
      expect(await pageOf(query)).toEqual({ first: 200, count: 30, meta: paged(3, 100) })
    })

    it('are empty behind the last page', async () => {
      expect(await pageOf('pagination[page]=11')).toEqual({ first: undefined, count: 0, meta: paged(11, 25) })
    })

    it('are requested by start and limit', async () => {
      const meta = { pagination: { start: 225, limit: 10, total: 230 } }
      expect(await pageOf('pagination[start]=225&pagination[limit]=10')).toEqual({
        first: 225,
        count: 5,
        meta,
      })
    })

    it('have at most maxPageSize entries', async () => {
      expect(await pageOf('pagination[pageSize]=101')).toEqual({ first: 0, count: 100, meta: paged(1, 100) })
      expect(await pageOf('pagination[limit]=9999')).toMatchObject({ count: 100 })
    })

    it('have no total with withCount=false', async () => {
      const { meta } = await pageOf('pagination[withCount]=false')
      expect(meta).toEqual({ pagination: { page: 1, pageSize: 25 } })
    })

    it('have an exact total with withCount=estimated on SQLite', async () => {
      const { meta } = await pageOf('pagination[withCount]=estimated')
      expect(meta).toEqual(paged(1, 25))
    })

    it('show every entry once', async () => {
      const seen: unknown[] = []
      for (const page of [1, 2, 3, 4, 5]) {
        seen.push(
          ...(await serve().values(
            `authors?pagination[pageSize]=50&pagination[page]=${String(page)}`,
            'age',
          )),
        )
      }
      expect(seen).toEqual(Array.from({ length: 230 }, (_, index) => index))
    })

    it('work with populate', async () => {
      const body = await serve().page('authors?populate=books&pagination[page]=2&pagination[pageSize]=2')
      expect(body.data).toMatchObject([
        { age: 2, books: [] },
        { age: 3, books: [] },
      ])
    })

    it('take their sizes from the options', async () => {
      const { page } = serve({ pagination: { defaultPageSize: 7, maxPageSize: 9, withCount: false } })
      const metaOf = async (query: string): Promise<unknown> => (await page(`authors?${query}`)).meta
      expect(await metaOf('')).toEqual({ pagination: { page: 1, pageSize: 7 } })
      expect(await metaOf('pagination[pageSize]=10')).toEqual({ pagination: { page: 1, pageSize: 9 } })
    })

    it.each([
      ['pagination[page]=abc', 'pagination.page'],
      ['pagination[page]=1.5', 'pagination.page'],
      ['pagination[pageSize]=abc', 'pagination.pageSize'],
      ['pagination[limit]=5x', 'pagination.limit'],
      ['pagination=2', 'pagination'],
      ['pagination[pageSize]=2.7', 'pagination.pageSize'],
      ['pagination[start]=x', 'pagination.start'],
      ['pagination[withCount]=perhaps', 'pagination.withCount'],
      ['pagination[size]=3', 'pagination.size'],
      ['pagination[page]=1&pagination[start]=2', 'pagination'],
      ['page=2', 'page'],
      ['pageSize=2', 'pageSize'],
      ['pagination[page]=1e300', 'pagination.page'],
    ])('reject %s', async (query, path) => {
      expect((await serve().refusal(`authors?${query}`)).path).toBe(path)
    })

    it('name each value of withCount for a wrong one', async () => {
      const { message } = await serve().refusal('authors?pagination[withCount]=estimat')
      const values = [...message.matchAll(/"(\w+)"/g)].map(([, value = '']) => value)
      expect(values).toEqual(['t', '1', 'true', 'false', '0', 'f', 'estimated'])
      const accepted = values.map((value) => serve().get(`authors?pagination[withCount]=${value}`))
      for (const { status } of await Promise.all(accepted)) expect(status).toBe(200)
    })
  })

  describe('pages inside populate', () => {
    const books = (author: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        $ref: `${author}-${String(index)}`,
        title: `${author} ${String(index)}`,
        year: 2000 + index,
        author,
        genres: index % 2 === 0 ? ['even', 'all'] : ['odd', 'all'],
      }))

    const content = {
      genre: ['even', 'odd', 'all'].map((name) => ({ $ref: name, name })),
      author: ['ada', 'bob', 'cid'].map((name) => ({ $ref: name, name })),
      book: [...books('ada', 5), ...books('bob', 2)],
    }

    const titles = (entries: unknown): unknown[] =>
      (entries as readonly { readonly title: string }[]).map(({ title }) => title)
    const shelf = stocked(database, library, content)
    let served: Served | undefined
    const paged = (): Served => (served ??= shelf.serve({ nestedPagination: true }))

    it('are cut for every parent in the requested order', async () => {
      const query = 'populate[books][sort]=year:desc&populate[books][pagination][pageSize]=2'
      const authors = await paged().list(`authors?${query}&sort=name`)
      expect(authors.map((author) => titles(author['books']))).toEqual([
        ['ada 4', 'ada 3'],
        ['bob 1', 'bob 0'],
        [],
      ])
    })

    it('are cut by start and limit, after filters', async () => {
      const query =
        'populate[books][filters][genres][name]=even&populate[books][pagination][start]=1&populate[books][pagination][limit]=5'
      const authors = await paged().list(`authors?${query}&sort=name`)
      expect(authors.map((author) => titles(author['books']))).toEqual([['ada 2', 'ada 4'], [], []])
    })

    it('have a total for every parent, even if the page is empty', async () => {
      const query = 'populate[books][pagination][page]=2&populate[books][pagination][pageSize]=3'
      const authors = await paged().list(
        `authors?${query}&populate[books][pagination][withCount]=true&sort=name`,
      )
      const pages = authors.map(({ books: found }) => {
        const { data, meta } = found as { data: unknown; meta: { pagination: unknown } }
        return [titles(data), meta.pagination]
      })
      expect(pages).toEqual([
        [['ada 3', 'ada 4'], { page: 2, pageSize: 3, pageCount: 2, total: 5 }],
        [[], { page: 2, pageSize: 3, pageCount: 1, total: 2 }],
        [[], { page: 2, pageSize: 3, pageCount: 0, total: 0 }],
      ])
    })

    it('keep the order of the join table of a many-to-many relation', async () => {
      const query = 'populate[books][fields]=title&populate[books][pagination][limit]=2'
      const [all] = await paged().list(`genres?filters[name]=all&${query}`)
      expect(titles(all?.['books'])).toEqual(['ada 0', 'ada 1'])
    })

    it('show what is populated below them', async () => {
      const query = 'populate[books][pagination][limit]=1&populate[books][populate][genres][fields]=name'
      const [ada] = await paged().list(`authors?filters[name]=ada&${query}`)
      const [book] = ada?.['books'] as readonly { readonly genres: readonly { readonly name: string }[] }[]
      expect(book?.genres.map(({ name }) => name)).toEqual(['even', 'all'])
    })

    it('take as many statements for one parent as for three', async () => {
      const count = async (filter: string): Promise<number> => {
        let statements = 0
        const count = (): void => {
          statements += 1
        }
        const ignore = (): void => undefined
        const logger = { debug: count, info: ignore, warn: ignore, error: ignore }
        await shelf
          .serve({ nestedPagination: true, logger })
          .list(`authors?${filter}&populate[books][pagination][limit]=1&pagination[withCount]=false`)
        return statements
      }
      expect(await count('filters[name]=ada')).toBe(await count('sort=name'))
    })

    it('are rejected for a to-one relation and a zone', async () => {
      for (const path of [
        'books?populate[author][pagination][limit]=1',
        'books?populate[sections][pagination][limit]=1',
      ]) {
        expect((await paged().get(path)).status).toBe(400)
      }
    })

    it('are rejected with the name of the option if it is off', async () => {
      const { message, path } = await shelf.serve().refusal('authors?populate[books][pagination][limit]=1')
      expect(path).toBe('populate.books.pagination')
      expect(message).toContain('nestedPagination')
    })
  })

  describe('query.maxEntries', () => {
    const numbers = [...Array(10).keys()].map(String)

    /** Each level shows all entries of the one above it. */
    const thereAndBack = (levels: number): string =>
      [...Array(levels).keys()].map((level) => (level % 2 === 0 ? 'books' : 'author')).join('.')
    const { serve } = stocked(database, library, {
      author: numbers.map((number) => ({ $ref: `a${number}`, name: `author ${number}` })),
      book: numbers.flatMap((author) =>
        [...numbers, '10'].map((number) => ({ title: `book ${number}`, author: `a${author}` })),
      ),
    })

    it('stops a query that would show too many entries early', async () => {
      let statements = 0
      const counting = watchingSql(() => {
        statements += 1
      })
      const { get } = serve({ query: { maxEntries: 300 }, extensions: [counting] })
      const answer = await get(`authors?populate=${thereAndBack(100)}`)
      expect([answer.status, answer.body]).toMatchObject([
        400,
        {
          error: {
            message: expect.stringContaining('query.maxEntries') as string,
            details: { path: 'populate' },
          },
        },
      ])
      expect(statements).toBeLessThan(20)
    })

    it('counts the parents of a counted relation, not its entries', async () => {
      const counted = 'authors?populate[books][count]=true'
      const answer = await serve({ query: { maxEntries: 11 } }).get(counted)
      const { data } = answer.body as {
        readonly data: readonly { readonly books: { readonly count: number } }[]
      }
      expect([answer.status, data.map(({ books }) => books.count)]).toEqual([200, numbers.map(() => 11)])
      expect((await serve({ query: { maxEntries: 10 } }).get('authors')).status).toBe(200)
      expect((await serve({ query: { maxEntries: 10 } }).get(counted)).status).toBe(400)
      expect((await serve({ query: { maxEntries: 11 } }).get('authors?populate=books')).status).toBe(400)
    })
  })
})
