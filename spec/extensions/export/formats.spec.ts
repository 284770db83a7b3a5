import { get as send, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { listExports } from '../../../extensions/export'
import { fileUrls } from '../../../extensions/files'
import { once } from '../../../lib/memory'
import { onSqlite } from '../../support/databases'
import { collection, integer, relation, single, component, text } from '../../support/library'
import { type Entry, type Served, stocked } from '../../support/served'
import { readCsv } from './read-csv'

const types = [
  collection('author', { name: text, books: relation('oneToMany', 'book', { mappedBy: 'author' }) }),
  collection(
    'book',
    {
      title: text,
      pages: integer,
      units: { type: 'biginteger' },
      price: { type: 'decimal' },
      isNew: { type: 'boolean' },
      details: { type: 'json' },
      printedAt: { type: 'datetime' },
      ledger: { type: 'string', private: true },
      author: relation('manyToOne', 'author', { inversedBy: 'books' }),
      genres: relation('manyToMany', 'genre', { inversedBy: 'books' }),
      seo: single('shared.seo'),
      cover: { type: 'media' },
    },
    { drafts: true, localized: true },
  ),
  collection('genre', { name: text, books: relation('manyToMany', 'book', { mappedBy: 'genres' }) }),
  component('shared.seo', { headline: text }),
] as unknown as Parameters<typeof stocked>[1]

const titles = ['plain', 'with "quotes"', 'a, b', 'two\r\nlines', '', '=1+1', 'Ünï ☃ 𝄞', ' blank ', null]

const books = Array.from({ length: 1250 }, (_, at) => ({
  $ref: `b${String(at)}`,
  title: titles[at % titles.length] ?? null,
  pages: at % 7 === 0 ? null : at % 50,
  units: '9007199254740993',
  price: at / 4,
  isNew: at % 3 === 0,
  details: at % 5 === 0 ? { tags: ['a', 'b'], note: 'x "y"' } : null,
  printedAt: new Date(Date.UTC(2024, 0, 1 + (at % 300))).toISOString(),
  ledger: 'secret',
  author: [null, 'ada', 'bo'][at % 3] ?? null,
  genres: ['crime', 'essay'].slice(0, at % 3),
  seo: at % 4 === 0 ? { headline: `h${String(at)}` } : null,
  ...(at === 5 ? { cover: { name: 'a.jpg', url: '/uploads/a.jpg' } } : {}),
  ...(at === 7 ? { $locales: { fr: { title: 'sept' } } } : {}),
  ...(at === 8 ? { $draft: { title: 'changed' } } : {}),
  ...(at === 9 ? { $status: 'draft' } : {}),
}))

const content = {
  $locales: ['en', 'fr'],
  author: [
    { $ref: 'ada', name: 'Ada' },
    { $ref: 'bo', name: 'Bo, the second' },
  ],
  genre: [
    { $ref: 'crime', name: 'Crime' },
    { $ref: 'essay', name: 'Essay' },
  ],
  book: books,
}

const permissions = { public: { find: '*', drafts: '*', export: '*' } } as const

const linesOf = (body: string): Entry[] => {
  expect(body === '' || body.endsWith('\n')).toBe(true)
  return body
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry)
}

onSqlite((database) => {
  const { serve, world } = stocked(database, types, content)
  let common: Served | undefined
  const api = (): Served =>
    (common ??= serve({
      permissions,
      database: { ...world.config, pool: { min: 0, max: 3 } },
      extensions: [listExports(), fileUrls(({ url }) => `https://files${url}`)],
    }))

  const readPages = async (query: string): Promise<Entry[]> => {
    const entries: Entry[] = []
    for (let page = 1; ; page += 1) {
      const { data } = await api().page(
        `books?${query}&pagination[page]=${String(page)}&pagination[pageSize]=100`,
      )
      entries.push(...data)
      if (data.length < 100) return entries
    }
  }
  const known = new Map<string, Promise<Entry[]>>()
  const allPages = (query: string): Promise<Entry[]> => once(known, query, () => readPages(query))

  const exported = async (query: string): Promise<Entry[]> => {
    const { status, text: body } = await api().get(`books/export?${query}`)
    expect([status, status === 200 ? '' : body]).toEqual([200, ''])
    return linesOf(body)
  }

  describe('an export equals the concatenated pages', () => {
    it.each([
      ['by default', ''],
      ['with relations, components and files', 'populate=*'],
      ['with nested relations', 'populate[author][populate][books][fields]=title&filters[pages][$lt]=3'],
      ['sorted by an attribute with nulls and equal values', 'sort=pages:desc&populate=author'],
      ['sorted by a relation to one', 'sort=author.name,price:desc&fields=title'],
      ['sorted by a relation to many', 'sort=genres.name:desc&fields=title'],
      ['sorted by a count', 'sort=genres.$count&fields=title'],
      ['filtered', 'filters[genres][name]=Essay&filters[price][$gte]=100'],
      ['of drafts', 'status=draft&sort=title'],
      ['of a locale', 'locale=fr&populate=localizations'],
      ['searched', '_q=quotes&fields=title'],
      ['of nothing', 'filters[title]=none'],
    ])('%s', async (_name, query) => {
      const [entries, pages] = [await exported(query), await allPages(query)]
      expect(entries).toEqual(pages)
    })

    it('in every batch, and not only in the first', async () => {
      expect(await exported('fields=title')).toHaveLength(books.length - 1)
      expect(await exported('status=draft&fields=title')).toHaveLength(books.length)
    })

    it('with smaller batches if relations exceed maxEntries', async () => {
      const small = serve({ permissions, extensions: [listExports()], query: { maxEntries: 260 } })
      const { text: body } = await small.get('books/export?populate=genres&sort=price:desc')
      expect(linesOf(body)).toEqual(await allPages('populate=genres&sort=price:desc'))
    })

    it('in short transactions', async () => {
      const short = serve({ permissions, extensions: [listExports({ snapshot: false })] })
      const { text: body } = await short.get('books/export?sort=pages:desc&fields=title')
      expect(linesOf(body)).toEqual(await allPages('sort=pages:desc&fields=title'))
      const byGenre = await short.get('books/export?sort=genres.name&fields=title')
      expect(linesOf(byGenre.text)).toEqual(await allPages('sort=genres.name&fields=title'))
    })
  })

  describe('pagination', () => {
    it.each([
      ['pagination[start]=3', 3, undefined],
      ['pagination[limit]=5', 0, 5],
      ['pagination[limit]=1100', 0, 1100],
      ['pagination[start]=99&pagination[limit]=1002', 99, 1101],
      ['pagination[start]=1240&pagination[limit]=100', 1240, 1340],
      ['pagination[start]=9999', 9999, undefined],
      ['pagination[start]=&pagination[limit]=', 0, undefined],
    ])('cuts the list: %s', async (cut, from, to) => {
      const all = await allPages('sort=pages&fields=title')
      expect(await exported(`sort=pages&fields=title&${cut}`)).toEqual(all.slice(from, to))
      const byGenre = await allPages('sort=genres.name&fields=title')
      expect(await exported(`sort=genres.name&fields=title&${cut}`)).toEqual(byGenre.slice(from, to))
    })

    it.each([
      ['pagination[page]=1', 'pagination.page'],
      ['pagination[after]=', 'pagination.after'],
      ['pagination[withCount]=true', 'pagination.withCount'],
      ['pagination[limit]=0', 'pagination.limit'],
      ['pagination[limit]=-1', 'pagination.limit'],
      ['pagination[start]=x', 'pagination.start'],
      ['pagination[start][0]=1', 'pagination.start'],
      ['pagination=2', 'pagination'],
      ['format=xml', 'format'],
      ['format[0]=csv', 'format'],
    ])('takes start and limit alone: %s', async (query, path) => {
      expect(await api().refusal(`books/export?${query}`)).toMatchObject({ path })
    })
  })

  describe('JSON', () => {
    it.each(['fields=title', 'fields=title&filters[title]=none', 'pagination[limit]=1'])(
      'is one list: %s',
      async (query) => {
        const { text: body, headers } = await api().get(`books/export?format=json&${query}`)
        expect(headers).toMatchObject({
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename=books.json',
        })
        expect(JSON.parse(body)).toEqual(await exported(query))
      },
    )
  })

  describe('CSV', () => {
    const readTable = async (
      query: string,
      served = api(),
    ): Promise<readonly (readonly (string | null)[])[]> =>
      readCsv((await served.get(`books/export?format=csv&${query}`)).text)
    const query =
      'populate[author]=true&populate[genres][fields]=name&populate[seo]=true&pagination[limit]=300'

    it('has a header with the names of the fields and of relations to one', async () => {
      const [head] = await readTable(query)
      expect(head).toEqual([
        ...['id', 'documentId', 'title', 'pages', 'units', 'price', 'isNew', 'details', 'printedAt'],
        ...['createdAt', 'updatedAt', 'publishedAt', 'locale'],
        ...['author.id', 'author.documentId', 'author.name', 'author.createdAt', 'author.updatedAt'],
        ...['author.publishedAt', 'genres', 'seo.id', 'seo.documentId', 'seo.headline'],
      ])
    })

    it('has a header without entries', async () => {
      const { text: body } = await api().get('books/export?format=csv&fields=title&filters[title]=none')
      expect(body).toBe('id,documentId,title\r\n')
    })

    it('has the values of the JSON', async () => {
      const [head = [], ...rows] = await readTable(query)
      const entries = await exported(query)
      const cellOf = (value: unknown): string | null => {
        if (value === null || value === undefined) return null
        return typeof value === 'string' ? value : JSON.stringify(value)
      }
      const expected = entries.map((entry) =>
        head.map((name) => {
          const [first = '', second] = (name ?? '').split('.')
          const value = entry[first]
          if (second === undefined) return cellOf(value)
          return value === null ? null : cellOf(Reflect.get(value as object, second))
        }),
      )
      expect(rows).toEqual(expected)
      expect(rows).toHaveLength(300)
    })

    it('separates an empty text from null', async () => {
      const { text: body } = await api().get(
        'books/export?format=csv&fields=title&filters[pages]=4&pagination[limit]=3',
      )
      const { text: none } = await api().get(
        'books/export?format=csv&fields=title&filters[title][$null]=true&pagination[limit]=1',
      )
      expect(body).toMatch(/^\d+,[^,]*,""\r\n/m)
      expect(none).toMatch(/^\d+,[^,]*,\r\n/m)
    })

    it('keeps formulas unless an option escapes them', async () => {
      const filter = 'fields=title&filters[title]==1%2B1&pagination[limit]=1'
      expect((await readTable(filter))[1]?.[2]).toBe('=1+1')
      const escaping = serve({ permissions, extensions: [listExports({ escapeFormulas: true })] })
      expect((await readTable(filter, escaping))[1]?.[2]).toBe(`'=1+1`)
    })

    it('unwraps relations', async () => {
      const wrapping = serve({ permissions, extensions: [listExports()], relations: 'wrapped' })
      expect(await readTable(query, wrapping)).toEqual(
        (await readTable(query)).map((row) =>
          row.map((cell) => (cell?.startsWith('[') === true ? `{"data":${cell}}` : cell)),
        ),
      )
    })
  })

  describe('over HTTP', () => {
    const request = (
      path: string,
      headers: Record<string, string> = {},
      method = 'GET',
    ): Promise<{ readonly response: IncomingMessage; readonly body: Buffer }> =>
      new Promise((resolve, reject) => {
        const server = api().app.listen(0, '127.0.0.1', () => {
          const { port } = server.address() as AddressInfo
          send({ port, host: '127.0.0.1', path: `/api/${path}`, headers, method }, (response) => {
            const parts: Buffer[] = []
            response.on('data', (part: Buffer) => parts.push(part))
            response.on('end', () => {
              server.close()
              resolve({ response, body: Buffer.concat(parts) })
            })
            response.on('error', reject)
          }).on('error', reject)
        })
      })

    it('is named, chunked and stored by no cache', async () => {
      const { response } = await request('books/export')
      expect(response.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename=books.ndjson',
        'transfer-encoding': 'chunked',
        'cache-control': 'private, no-store',
      })
      expect(response.headers).not.toHaveProperty('etag')
      expect(response.headers.vary).toContain('Accept-Encoding')
    })

    it.each([['gzip, br'], ['gzip;q=0.5'], ['*']])('is compressed for %s', async (accepted) => {
      const plain = await request('books/export?format=csv&fields=title&pagination[limit]=300')
      const { response, body } = await request('books/export?format=csv&fields=title&pagination[limit]=300', {
        'accept-encoding': accepted,
      })
      expect(response.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(body)).toEqual(plain.body)
      expect(body.length).toBeLessThan(plain.body.length)
    })

    it.each([['identity'], ['br'], ['gzip;q=0']])('is plain for %s', async (accepted) => {
      const { response } = await request('books/export?pagination[limit]=1', { 'accept-encoding': accepted })
      expect(response.headers).not.toHaveProperty('content-encoding')
    })

    it('sends headers alone for HEAD', async () => {
      const { response, body } = await request('books/export?format=csv', {}, 'HEAD')
      expect([response.statusCode, body.length]).toEqual([200, 0])
      expect(response.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
      expect((await request('books/export?format=xml', {}, 'HEAD')).response.statusCode).toBe(400)
    })
  })
})
