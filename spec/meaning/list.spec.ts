import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Knex } from 'knex'
import { collection, integer, library, text } from '../support/library'
import { saying } from '../support/saying'
import { stocked } from '../support/served'
import { onSqlite, type TestDatabase } from '../support/databases'
import type { ContentRouterConfig } from '../../lib'

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
  code: 'open sesame',
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
const hidden = { secret: 'never shown', hidden: 'never shown' }
const tick = '2020-12-12T08:46:40.187Z'

/** What a reader of the specification expects of the two entries. */
const answered = {
  ...own,
  publishedAt: times.updatedAt,
  ...times,
  tick,
}
const blank = Object.fromEntries(Object.keys(answered).map((name) => [name, null]))

/** A session whose time zone is not UTC. */
function elsewhere({ dialect }: TestDatabase, config: Knex.Config): Knex.Config {
  const statement = {
    sqlite: 'select 1',
    mysql: "set time_zone = '-03:30'",
    postgres: "set time zone '-3:30'",
  }
  const afterCreate = saying(statement[dialect])
  return dialect === 'sqlite' ? config : { ...config, pool: { afterCreate } }
}

onSqlite((database) => {
  describe('a list without parameters', () => {
    const { world, seeded, serve } = stocked(database, specimens, {
      specimen: [
        { $ref: 'full', ...own, ...hidden, tick, ...times },
        { $ref: 'blank', ...times },
        ...[0, 'text', [], {}, 1.5, false].map((data) => ({ data, ...times })),
      ],
    })
    const entry = (ref: string, values: object): object => ({
      id: seeded().entry('specimen', ref).rows[0]?.id,
      documentId: seeded().entry('specimen', ref).documentId,
      ...values,
    })

    it('answers every scalar attribute as the JSON of its type, and nothing else', async () => {
      const [full] = await serve().list('specimens')
      expect(full).toEqual(entry('full', answered))
    })

    it('answers null for every attribute without a value', async () => {
      const [, empty] = await serve().list('specimens')
      expect(empty).toEqual(entry('blank', { ...blank, ...times, publishedAt: times.updatedAt }))
    })

    it('answers JSON as it was stored, which for false in SQLite is 0', async () => {
      const values = await serve().values('specimens?pagination[start]=2', 'data')
      expect(values).toEqual([0, 'text', [], {}, 1.5, database.dialect === 'sqlite' ? 0 : false])
    })

    it('keeps private attributes and passwords to itself, unless a password says otherwise', async () => {
      const { text: body } = await serve().get('specimens?fields=*&populate=*')
      expect(body).not.toContain('never shown')
      expect(body).toContain('open sesame')
    })

    it('keeps every password to itself where definitions are read as Strapi reads them', async () => {
      const asStrapi = serve({ definitions: 'strapi' })
      const { status, text: body } = await asStrapi.get('specimens?fields=*&populate=*')
      expect(status).toBe(200)
      expect(body).not.toContain('open sesame')
      for (const query of ['filters[code][$startsWith]=open', 'sort=code', 'fields=code'])
        expect((await asStrapi.refusal(`specimens?${query}`)).message).toContain('code')
    })

    it.each(['America/St_Johns', 'Pacific/Auckland'])(
      'answers the same times from a process in %s',
      async (zone) => {
        const host = join(__dirname, '..', 'support', 'ask-elsewhere.cjs')
        const config = JSON.stringify({ contentTypes: specimens, database: world.config })
        const env = { ...process.env, TZ: zone }
        const { stdout } = await run(process.execPath, [host, config, '/api/specimens'], { env })
        expect(JSON.parse(stdout)).toEqual({ zone, body: (await serve().get('specimens')).body as unknown })
      },
    )

    it('answers and finds the same times in a session of another time zone', async () => {
      const there = serve({ database: elsewhere(database, world.config) })
      const [full] = await there.list('specimens')
      expect(full).toEqual(entry('full', answered))
      for (const condition of [
        `moment][$eq]=${own.moment}`,
        `tick][$eq]=${tick}`,
        `hour][$eq]=${own.hour}`,
      ]) {
        expect(await there.values(`specimens?filters[${condition}`, 'slug')).toEqual([own.slug])
      }
    })

    it('tells big integers apart that are the same double', async () => {
      const { values } = serve()
      expect(await values('specimens?filters[big]=9007199254740993', 'big')).toEqual([own.big])
      expect(await values('specimens?filters[big]=9007199254740992', 'big')).toEqual([])
    })
  })

  describe('the selection of fields', () => {
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
    ])('answers id, documentId and what %s names', async (_, query) => {
      expect(await keysOf(query)).toEqual(['documentId', 'id', 'title'])
    })

    it.each(['fields=title,year', 'fields[0]=title&fields[1]=year', 'fields[1]=year&fields[7]=title'])(
      'answers several names: %s',
      async (query) => {
        expect(await keysOf(query)).toEqual(['documentId', 'id', 'title', 'year'])
      },
    )

    it('answers all of them for a star', async () => {
      const all = ['blurb', 'createdAt', 'documentId', 'id', 'publishedAt', 'title', 'updatedAt', 'year']
      expect(await keysOf('fields=*')).toEqual(all)
      expect(await keysOf('')).toEqual(all)
    })

    it('says nothing about what populate adds', async () => {
      const query = 'fields=title&populate[0]=author&populate[1]=seo'
      expect(await keysOf(query)).toEqual(['author', 'documentId', 'id', 'seo', 'title'])
    })

    it('selects inside what is populated, with id and documentId', async () => {
      const [book] = await serve().list('books?populate[author][fields][0]=name')
      expect(Object.keys(book?.['author'] as object).sort()).toEqual(['documentId', 'id', 'name'])
    })

    it.each(['author', 'seo', 'cover', 'sections', 'localizations', 'createdBy'])(
      'refuses %s, which is no scalar attribute',
      async (name) => {
        const { message, path } = await serve().refusal(`books?fields=${name}`)
        expect([message, path]).toEqual([`Invalid key ${name}`, `fields.${name}`])
      },
    )

    it('refuses a private attribute in the words of an unknown one', async () => {
      const known = await serve().get('books?fields=ledger')
      const unknown = await serve().get('books?fields=legder')
      expect(known.text).toBe(unknown.text.replaceAll('legder', 'ledger'))
    })

    it.each(['fields=', 'fields=title,', 'fields[a]=title', 'fields[0][0]=title'])(
      'refuses the malformed %s',
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

    it('are 25 long, and the first where nothing is said', async () => {
      expect(await pageOf('')).toEqual({ first: 0, count: 25, meta: paged(1, 25) })
    })

    it('are named by page and size', async () => {
      const query = 'pagination[page]=3&pagination[pageSize]=100'
      expect(await pageOf(query)).toEqual({ first: 200, count: 30, meta: paged(3, 100) })
    })

    it('are empty behind the last', async () => {
      expect(await pageOf('pagination[page]=11')).toEqual({ first: undefined, count: 0, meta: paged(11, 25) })
    })

    it('are named by offset, and answered by offset', async () => {
      const meta = { pagination: { start: 225, limit: 10, total: 230 } }
      expect(await pageOf('pagination[start]=225&pagination[limit]=10')).toEqual({
        first: 225,
        count: 5,
        meta,
      })
    })

    it('are cut to the largest size', async () => {
      expect(await pageOf('pagination[pageSize]=101')).toEqual({ first: 0, count: 100, meta: paged(1, 100) })
      expect(await pageOf('pagination[limit]=9999')).toMatchObject({ count: 100 })
    })

    it('come without a count where none is wanted', async () => {
      const { meta } = await pageOf('pagination[withCount]=false')
      expect(meta).toEqual({ pagination: { page: 1, pageSize: 25 } })
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

    it('go together with populate', async () => {
      const body = await serve().page('authors?populate=books&pagination[page]=2&pagination[pageSize]=2')
      expect(body.data).toMatchObject([
        { age: 2, books: [] },
        { age: 3, books: [] },
      ])
    })

    it('have the sizes of the options', async () => {
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
    ])('cannot be named by %s', async (query, path) => {
      expect((await serve().refusal(`authors?${query}`)).path).toBe(path)
    })
  })
})
