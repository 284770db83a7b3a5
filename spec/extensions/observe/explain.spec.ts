import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, contentRouter } from '../../../lib'
import type { ObserveOptions } from '../../../extensions/observe'
import { reasonsInWords } from '../../../extensions/observe/explain-response'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, library } from '../../support/library'
import { type Served, stocked } from '../../support/served'
import { observing } from './hearing'

interface Explanation {
  readonly shape: string
  readonly levels: readonly {
    readonly paths: readonly string[]
    readonly type: string
    readonly shows: string
    readonly statements: readonly {
      readonly reads: string
      readonly sql: string
      readonly ids: number | null
      readonly owners: number | null
      readonly sent: number
      readonly rows: number
      readonly ms: number
    }[]
  }[]
  readonly removed: readonly Readonly<Record<string, string | null>>[]
}

const permissions = {
  public: { find: '*', drafts: '*' },
  guest: { find: ['book', 'review', 'author'], drafts: ['author'] },
  writer: { find: ['book', 'author'], drafts: ['book', 'author'] },
  reader: { find: ['book', 'review'] },
} as const

const place = collection('place', { slug: { type: 'uid' } }, { drafts: true, localized: true })
const types = [...library, place] as typeof library

onSqlite((database) => {
  const { serve } = stocked(database, types, {
    place: [{ slug: 'lisbon' }],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
    genre: [{ $ref: 'essay', name: 'Essay' }],
    book: [
      {
        ...{ $ref: 'dawn', title: 'Dawn', author: 'ada', genres: ['essay'], ledger: 'canary' },
        sections: [
          { __component: 'page.prose', heading: 'h' },
          { __component: 'page.pick', title: 't' },
        ],
      },
      { $ref: 'night', title: 'Night', author: 'ada', $status: 'draft' },
    ],
    review: [{ verdict: 'v', subject: { book: 'dawn' }, mentions: [{ author: 'ada' }, { genre: 'essay' }] }],
  })
  let known: Served | undefined
  const served = (): Served =>
    (known ??= serve({
      permissions,
      ...observing({ explain: (req) => req.query['why'] === '' }),
    }))

  const explanation = async (path: string, role?: string): Promise<Explanation> => {
    const { meta } = await served().page(`${path}${path.includes('?') ? '&' : '?'}why`, role)
    return (meta as unknown as { explain: Explanation }).explain
  }
  const removed = async (path: string, role?: string): Promise<string[]> =>
    (await explanation(path, role)).removed.map(
      ({ path: at, type, reason, missing }) =>
        `${String(at)} ${String(type)} ${String(reason)} ${String(missing)}`,
    )

  describe('an explanation', () => {
    it('lists the levels of the plan, their statements and the rows read', async () => {
      const query = 'populate=author.country,genres&filters[title]=Dawn'
      const { shape, levels } = await explanation(`books?${query}`)
      expect(shape).toBe('api::book.book?filters=title&populate=author(populate=country),genres')
      expect(
        levels.map(({ paths, type, shows, statements }) => ({
          ...{ paths, type, shows },
          read: statements.map(({ reads, ids, owners, sent, rows }) => [reads, ids, owners, sent, rows]),
        })),
      ).toEqual([
        {
          ...{ paths: [], type: 'api::book.book', shows: 'published' },
          read: [
            ['entries', null, null, 1, 1],
            ['total', null, null, 0, 0],
          ],
        },
        // Joined to the rows of the page.
        { paths: ['author'], type: 'api::author.author', shows: 'all', read: [] },
        { paths: ['author.country'], type: 'api::country.country', shows: 'all', read: [] },
        { paths: ['genres'], type: 'api::genre.genre', shows: 'all', read: [['entries', null, 1, 1, 1]] },
      ])
      const statements = levels.flatMap((level) => level.statements)
      for (const { sql, ms, rows } of statements) {
        expect(sql).toMatch(/^select /)
        expect(ms > 0).toBe(rows > 0)
      }
    })

    it('stands in meta of a list and of a single entry', async () => {
      const { meta, data } = await served().page('books?why')
      expect(meta).toEqual({
        pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 },
        explain: expect.objectContaining({ removed: [] }) as unknown,
      })
      const one = `books/${String(data[0]?.['documentId'])}`
      expect((await served().page(`${one}?why`)).meta).toEqual({ explain: expect.any(Object) as unknown })
      expect((await served().page(one)).meta).toEqual({})
    })

    it('has an entry by a unique attribute as a filter', async () => {
      expect(await explanation('places/by/slug/lisbon')).toMatchObject({
        shape: 'api::place.place?filters=locale,slug',
        levels: [{ type: 'api::place.place', shows: 'published' }],
        removed: [],
      })
    })

    it('has quantifiers and counts of linked entries as filters, without values', async () => {
      const { shape, levels } = await explanation(
        'books?filters[genres][$none][name]=canary&filters[notes][$count][$gt]=0&sort=genres.$count:desc',
      )
      expect(shape).toContain('genres.$none.name')
      expect(shape).toContain('notes.$count')
      expect(shape).toContain('sort=genres.$count:desc')
      expect(JSON.stringify(levels)).not.toContain('canary')
    })

    it('changes nothing else in the response', async () => {
      const path = 'books?populate=*'
      const plain = JSON.parse((await served().get(path)).text) as { data: unknown; meta: object }
      const told = JSON.parse((await served().get(`${path}&why`)).text) as { data: unknown; meta: object }
      expect({ ...told, meta: { ...told.meta, explain: undefined } }).toEqual(plain)
    })

    it('counts linked entries that are not shown', async () => {
      const books = (await explanation('authors?populate=books')).levels[1]
      expect(books).toMatchObject({ paths: ['books'], shows: 'published', statements: [{ ids: 3, rows: 1 }] })
      const drafts = (await explanation('authors?populate=books&status=draft')).levels[1]
      expect(drafts).toMatchObject({ shows: 'drafts', statements: [{ ids: 3, rows: 2 }] })
    })
  })

  describe('a removed part of the query', () => {
    it('is reported with the missing grant', async () => {
      expect(await removed('books?populate=author.country,genres', 'guest')).toEqual([
        'author.country api::country.country find attribute',
        'genres api::genre.genre find attribute',
      ])
      expect(await removed('books?populate=author.country,genres')).toEqual([])
      expect((await explanation('books?populate=genres', 'guest')).removed[0]?.['because']).toBe(
        'no role of the caller is allowed to find api::genre.genre',
      )
    })

    it('is reported if only the grant for drafts is missing', async () => {
      expect(await removed('authors?populate=books&status=draft', 'guest')).toEqual([
        'books api::book.book drafts attribute',
      ])
      expect(await removed('authors?populate=books&status=draft', 'writer')).toEqual([])
    })

    it.each(['author.country.rivals', 'author.nowhere.nothing'])(
      'is reported with the names below it, known or not: %s',
      async (names) => {
        const [author, second = '', third = ''] = names.split('.')
        const told = [
          'author api::author.author find attribute',
          `author.${second} null above attribute`,
          `author.${second}.${third} null above attribute`,
        ]
        expect(await removed(`books?populate=${names}`, 'reader')).toEqual(told)
        const nested = `books?populate[${String(author)}][populate][${second}][populate][0]=${third}`
        expect(await removed(nested, 'reader')).toEqual(told)
      },
    )

    it('is reported with the names below one type of several', async () => {
      const query =
        'reviews?populate[mentions][on][api::author.author][populate]=books&populate[mentions][on]'
      expect(await removed(`${query}[api::book.book]=true`, 'reader')).toEqual(
        expect.arrayContaining([
          'mentions api::author.author find entries',
          'mentions.books null above entries',
        ]),
      )
    })

    it('is reported if a morph relation is populated with keys of one type', async () => {
      expect(await removed('reviews?populate[subject][fields]=name', 'reader')).toEqual([
        'subject null keys attribute',
      ])
      expect(await removed('books?populate[reviews][populate][mentions][sort]=name')).toEqual([
        'reviews.mentions null keys attribute',
      ])
      expect(await removed('reviews?populate[subject][count]=true')).toEqual([])
      expect((await served().list('reviews?populate[subject][fields]=name'))[0]).not.toHaveProperty('subject')
    })

    it('is reported for each type of a morph relation that the role may not find', async () => {
      const lines = await removed('reviews?populate=mentions', 'guest')
      expect(lines.filter((line) => line.includes('genre'))).toEqual([
        'mentions api::genre.genre find entries',
      ])
      expect(lines).not.toContain('mentions api::author.author find entries')
    })

    it.each([
      ['stub', 'all but id and type'],
      ['omit', 'entries'],
    ] as const)(
      'is reported for the components of a zone that the query does not list: %s',
      async (unlistedZoneElements, missing) => {
        const { page } = serve({
          ...{ permissions, unlistedZoneElements },
          ...observing({ explain: () => true }),
        })
        const { meta } = await page('books?populate[sections][on][page.prose]=true')
        expect((meta as unknown as { explain: Explanation }).explain.removed).toMatchObject([
          { path: 'sections', type: 'page.pick', reason: 'on', missing },
          { path: 'sections', type: 'page.gallery', reason: 'on', missing },
        ])
      },
    )

    it('is reported for a cached plan as well', async () => {
      const path = 'books?populate=genres'
      await served().get(`${path}&why`, 'guest')
      const lines = [await removed(path, 'guest'), await removed(path), await removed(path, 'guest')]
      expect(lines.map(({ length }) => length)).toEqual([1, 0, 1])
    })
  })

  describe('the explanation is left out', () => {
    const isTold = async (options: ObserveOptions, path = 'books?why'): Promise<boolean> =>
      (await serve({ permissions, ...observing(options) }).get(path)).text.includes('explain')

    it('if the option is missing or returns false', async () => {
      expect(await isTold({})).toBe(false)
      expect(await isTold({ explain: () => false })).toBe(false)
      expect(await isTold({ explain: () => Promise.resolve(false) })).toBe(false)
      expect(await isTold({ explain: () => Promise.resolve(true) })).toBe(true)
    })

    it.each(['yes', 1, {}])('if the option returns anything but true: %p', async (answer) => {
      expect(await isTold({ explain: (() => answer) as unknown as () => boolean })).toBe(false)
    })

    it('if the function fails, and the response is sent all the same', async () => {
      for (const explain of [
        () => {
          throw new Error('broken')
        },
        () => Promise.reject(new Error('broken')),
      ]) {
        const { errors, logger } = keeping()
        const answer = await serve({ permissions, logger, ...observing({ explain }) }).get('books')
        expect([answer.status, answer.text.includes('explain')]).toEqual([200, false])
        expect(errors).toMatchObject([{ facts: { hook: 'explain', problem: 'Error: broken' } }])
      }
    })

    it('in errors, which are the same with and without the option', async () => {
      const paths = [
        'books?filters[genres][name]=x',
        'books?filters[nowhere]=x',
        'books?populate=nowhere',
        'genres',
        'books/none',
      ]
      const [explaining, silent] = [
        serve({ permissions, ...observing({ explain: () => true }) }),
        serve({ permissions }),
      ]
      for (const path of paths) {
        const [one, other] = [await explaining.get(path, 'guest'), await silent.get(path, 'guest')]
        expect(one.status).toBeGreaterThanOrEqual(400)
        expect(one.text).toBe(other.text)
      }
    })

    it('for private attributes and for values of the query', async () => {
      const path = 'books?populate=*&filters[title][$ne]=canary&_q=Dawn&why'
      const { text, headers } = await served().get(path)
      expect(text).toContain('"explain"')
      const { explain } = (JSON.parse(text) as { meta: { explain: Explanation } }).meta
      expect(JSON.stringify(explain)).not.toMatch(/ledger|canary|Dawn/)
      expect(headers['cache-control']).toBe('private, no-store')
    })

    it('never by `explain: true`, which is rejected at start', () => {
      const config = {
        contentTypes: library,
        database: { client: 'pg' },
        ...observing({ explain: true as unknown as () => boolean }),
      }
      expect(() => contentRouter(config)).toThrow(ConfigError)
      expect(() => contentRouter(config)).toThrow(/explain: each hook of observe\(\) must be a function/)
    })
  })
})

describe('the reasons for a removed part', () => {
  it('are all listed in docs/how-to/explain-missing-relations.md', () => {
    const page = readFileSync(join(__dirname, '../../../docs/how-to/explain-missing-relations.md'), 'utf8')
    const [, table = ''] = /^## Reasons\n\n(\| `reason` .*?)\n\n/ms.exec(page) ?? []
    const told = [...table.matchAll(/^\| `(\w+)` +\|/gm)].map(([, reason]) => reason).slice(1)
    expect(told).toEqual(Object.keys(reasonsInWords))
  })
})

onSqlite((database) => {
  const { serve, world } = stocked(database, library, {})

  it('an explanation names the indexes that the page lacks', async () => {
    const served = serve({ permissions, ...observing({ explain: () => true }) })
    const missing = async (path: string): Promise<readonly string[]> => {
      const { meta } = await served.page(path)
      return (meta as unknown as { explain: { missingIndexes: readonly string[] } }).explain.missingIndexes
    }
    expect(await missing('books')).toEqual([])
    const [statement = '', ...others] = await missing('books?filters[author][name]=Ada')
    expect([statement, others]).toEqual([
      'create index "cr_authors_name" on "authors" ("name" collate binary)',
      [],
    ])
    await world.knex.raw(statement)
    expect(await missing('books?filters[author][name]=Ada')).toEqual([])
  })
})
