import express from 'express'
import request from 'supertest'
import { contentRouter, type PermissionTable } from '../../lib'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'
import { onSqlite } from '../support/databases'

const permissions: PermissionTable = {
  guest: { find: ['book'] },
  reader: { find: ['book', 'api::author.author'] },
  critic: { find: ['review'] },
  lister: { find: ['book'], findOne: [] },
  drafter: { find: ['book', 'author'], drafts: ['author'] },
  writer: { find: ['book', 'author'], drafts: ['book'] },
  editor: { find: '*', drafts: '*' },
}

const names = (values: unknown): unknown[] =>
  (values as { name?: string; title?: string }[]).map(({ name, title }) => name ?? title)

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, library, {
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [{ $ref: 'ada', name: 'Ada', country: 'uk', portrait: { name: 'ada.png' } }],
    book: [
      {
        ...{ $ref: 'dawn', title: 'Dawn', author: 'ada', sequel: 'dusk', cover: { name: 'dawn.jpg' } },
        notes: [{ text: 'n', by: 'ada', source: { place: 'attic' } }],
        sections: [{ __component: 'page.pick', title: 'More', books: ['dusk'] }],
      },
      { $ref: 'dusk', title: 'Dusk' },
      { $ref: 'night', title: 'Night', author: 'ada', $status: 'draft' },
    ],
    review: [
      { verdict: 'Good', subject: { book: 'dawn' }, mentions: [{ author: 'ada' }, { book: 'dusk' }] },
      { verdict: 'Bad', subject: { author: 'ada' } },
    ],
  })
  let known: Served | undefined
  const served = (): Served => (known ??= serve({ permissions }))
  const one = (): string => `books/${seeded().entry('book', 'dawn').documentId}`

  describe('the permission to find', () => {
    it('opens a type by its short name or uid, and no other', async () => {
      const statuses = async (role: string): Promise<number[]> => {
        const paths = ['books', 'authors', 'reviews', one()]
        return Promise.all(paths.map(async (path) => (await served().get(path, role)).status))
      }
      expect(await statuses('guest')).toEqual([200, 403, 403, 200])
      expect(await statuses('reader')).toEqual([200, 200, 403, 200])
      expect(await statuses('editor')).toEqual([200, 200, 200, 200])
      expect(await statuses('lister')).toEqual([200, 403, 403, 403])
      expect(await statuses('public')).toEqual([403, 403, 403, 403])
    })

    it.each(['constructor', '__proto__', 'toString', 'Guest', '*'])(
      'is not granted to the role %j',
      async (role) => {
        expect((await served().get('books', role)).status).toBe(403)
      },
    )

    it('is reported as missing, without details', async () => {
      const response = await served().get('authors?filters[nope]=1', 'guest')
      expect(response.body).toEqual({
        data: null,
        error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} },
      })
    })

    it('adds up for callers with several roles', async () => {
      expect((await served().get('authors', 'critic')).status).toBe(403)
      expect((await served().get('authors', 'critic,reader')).status).toBe(200)
      const [review] = await served().list('reviews?populate=*', 'critic,reader')
      expect(review).toMatchObject({
        subject: { title: 'Dawn' },
        mentions: [{ name: 'Ada' }, { title: 'Dusk' }],
      })
    })

    it('can be decided by a function', async () => {
      const asked = new Set<string>()
      const { get, list } = serve({
        permissions: (role, uid, action) => {
          asked.add(`${role} ${uid} ${action}`)
          return role === 'guest' && uid === 'api::book.book' && action !== 'drafts'
        },
      })
      expect((await get('authors', 'guest')).status).toBe(403)
      expect((await get('books?status=draft', 'guest')).status).toBe(403)
      expect((await list('books?populate=author,cover', 'guest'))[0]).toHaveProperty('cover')
      expect((await list('books?populate=author,cover', 'guest'))[0]).not.toHaveProperty('author')
      expect(asked).toContain('guest api::author.author find')
    })
  })

  describe('a relation that is populated without permission', () => {
    it('is omitted, and its siblings stay', async () => {
      const [book] = await served().list(
        'books?populate[0]=author&populate[1]=sequel&populate[2]=cover',
        'guest',
      )
      expect(book).not.toHaveProperty('author')
      expect(book).toMatchObject({ sequel: { title: 'Dusk' }, cover: { name: 'dawn.jpg' } })
    })

    it.each([
      'populate[author]=true',
      'populate=author.country',
      'populate[author][populate]=*',
      'populate[author][populate][0]=nope',
      'populate[author][fields]=nope',
      'populate[author][count]=true',
      'populate[author][sort]=nope',
    ])('is omitted in every form of populate: %s', async (query) => {
      const { status, text } = await served().get(`books?${query}`, 'guest')
      expect(status).toBe(200)
      expect(text).toBe((await served().get('books', 'guest')).text)
    })

    it('is omitted from populate=*', async () => {
      const [book] = await served().list('books?populate=*', 'guest')
      for (const name of ['author', 'genres', 'reviews']) expect(book).not.toHaveProperty(name)
      for (const name of ['sequel', 'prequel', 'cover', 'seo', 'notes', 'sections']) {
        expect(book).toHaveProperty(name)
      }
    })

    it('is omitted on deeper levels, and the levels above stay', async () => {
      const [book] = await served().list('books?populate=author.country,author.portrait', 'reader')
      expect(book?.['author']).toMatchObject({ name: 'Ada', portrait: { name: 'ada.png' } })
      expect(book?.['author']).not.toHaveProperty('country')
    })

    it('is omitted from components, which stay', async () => {
      const query = 'books?populate[0]=notes.by&populate[1]=sections.books.author'
      const [book] = await served().list(query, 'guest')
      const [note] = book?.['notes'] as object[]
      expect(note).toMatchObject({ text: 'n' })
      expect(note).not.toHaveProperty('by')
      expect(book?.['sections']).toMatchObject([{ title: 'More', books: [{ title: 'Dusk' }] }])
      expect(JSON.stringify(book)).not.toContain('author')
    })

    it('is omitted from the elements of a zone', async () => {
      const query = 'books?populate[sections][on][page.pick][populate][books][populate]=author'
      const [book] = await served().list(query, 'guest')
      expect(book?.['sections']).toMatchObject([{ books: [{ title: 'Dusk' }] }])
      expect(JSON.stringify(book)).not.toContain('author')
    })

    it('is omitted from relations to any type', async () => {
      const { list } = serve({
        permissions: { guest: { find: ['review', 'book'] }, critic: { find: ['review'] } },
      })
      const reviews = await list('reviews?populate=*', 'guest')
      expect(reviews).toMatchObject([
        { subject: { title: 'Dawn' }, mentions: [{ title: 'Dusk' }] },
        { subject: null, mentions: [] },
      ])
      const [alone] = await list('reviews?populate=*', 'critic')
      expect(alone).toMatchObject({ subject: null, mentions: [] })
      const query = 'reviews?populate[subject][on][api::author.author][populate]=nope'
      expect((await list(query, 'guest'))[0]).not.toHaveProperty('subject')
    })

    it('needs no permission if it leads to files', async () => {
      const [book] = await served().list('books?populate=cover', 'guest')
      expect(book?.['cover']).toMatchObject({ name: 'dawn.jpg' })
    })
  })

  describe('a relation in filters and sorts without permission', () => {
    /** The two answers, with the unknown name put in the place of the forbidden one. */
    const compared = async (query: string, forbidden: string): Promise<[string, string]> => {
      const hidden = await served().get(`books?${query}`, 'guest')
      const unknown = await served().get(`books?${query.replaceAll(forbidden, 'nowhere')}`, 'guest')
      expect([hidden.status, unknown.status]).toEqual([400, 400])
      return [hidden.text, unknown.text.replaceAll('nowhere', forbidden)]
    }

    it.each([
      ['filters[author][name]=Ada', 'author'],
      ['filters[author]=1', 'author'],
      ['filters[author][name][$nope]=1', 'author'],
      ['filters[author][nope]=1', 'author'],
      ['filters[author][$null]=true', 'author'],
      ['filters[$or][0][author][name]=Ada&filters[$or][1][title]=Dawn', 'author'],
      ['filters[$not][author][country][name]=UK', 'author'],
      ['filters[sequel][author][name]=Ada', 'author'],
      ['filters[notes][by][name]=Ada', 'by'],
      ['filters[reviews][verdict]=Good', 'reviews'],
      ['sort=author.name', 'author'],
      ['sort=author.nope', 'author'],
      ['sort[0]=sequel.author.name:desc', 'author'],
      ['sort[author][name]=asc', 'author'],
      ['populate[sequel][filters][author][name]=Ada', 'author'],
      ['populate[sequel][sort]=author.name', 'author'],
      ['populate[notes][filters][by][name]=Ada', 'by'],
      ['populate[sections][on][page.pick][populate][books][filters][author][name]=x', 'author'],
    ])('is rejected with the same bytes as an unknown name: %s', async (query, forbidden) => {
      const [hidden, unknown] = await compared(query, forbidden)
      expect(hidden).toBe(unknown)
    })

    it('is accepted with the permission', async () => {
      expect(
        await served().values('books?filters[author][name]=Ada&sort=author.name', 'title', 'reader'),
      ).toEqual(['Dawn'])
    })

    it('is rejected if the role may not read its drafts', async () => {
      const query = 'authors?status=draft&filters[books][title]=Night'
      const unknown = await served().get(query.replace('books', 'nowhere'), 'drafter')
      const hidden = await served().get(query, 'drafter')
      expect([hidden.status, hidden.text]).toEqual([400, unknown.text.replaceAll('nowhere', 'books')])
    })
  })

  describe('drafts', () => {
    it('are for roles that have them granted', async () => {
      expect((await served().get('books?status=draft', 'guest')).status).toBe(403)
      expect((await served().get(`${one()}?status=draft`, 'guest')).status).toBe(403)
      expect(names(await served().list('books?status=draft', 'editor'))).toEqual(['Dawn', 'Dusk', 'Night'])
      expect(names(await served().list('books?status=draft', 'writer'))).toEqual(['Dawn', 'Dusk', 'Night'])
    })

    it('are for all roles that may find with drafts: open', async () => {
      const { list, get } = serve({ permissions, drafts: 'open' })
      expect(names(await list('books?status=draft', 'guest'))).toEqual(['Dawn', 'Dusk', 'Night'])
      expect((await get('authors?status=draft', 'guest')).status).toBe(403)
    })

    it('are the entries themselves for types without drafts', async () => {
      expect(names(await served().list('authors?status=draft', 'reader'))).toEqual(['Ada'])
    })

    it('are omitted from populated relations without permission', async () => {
      const [drafts] = await served().list('authors?status=draft&populate=books', 'writer')
      expect(names(drafts?.['books'])).toEqual(['Dawn', 'Night'])
      const [none] = await served().list('authors?status=draft&populate=books', 'drafter')
      expect(none).not.toHaveProperty('books')
    })

    it.each(['publicationFilter=modified', 'hasPublishedVersion=true', 'publicationFilter=never-published'])(
      'are not revealed by %s',
      async (query) => {
        expect((await served().get(`books?${query}`, 'guest')).status).toBe(403)
      },
    )

    it.each(['nope', 'DRAFT', 'Published'])('are not requested by status=%s', async (status) => {
      expect((await served().refusal(`books?status=${status}`, 'editor')).path).toBe('status')
    })
  })

  describe('the role', () => {
    it('is determined once per request', async () => {
      let calls = 0
      const router = world.closing(
        contentRouter({
          contentTypes: library,
          database: world.config,
          permissions,
          role: async () => {
            calls += 1
            await Promise.resolve()
            return ['guest', 'reader']
          },
        }),
      )
      const app = express().use('/api', router)
      await request(app).get('/api/books?populate=*&filters[author][name]=Ada&sort=author.name').expect(200)
      expect(calls).toBe(1)
    })

    it('is answered with 401 if it is null', async () => {
      const response = await served().get('books', '')
      expect(response.status).toBe(401)
      expect(response.body).toMatchObject({
        data: null,
        error: { status: 401, name: 'UnauthorizedError', details: {} },
      })
    })

    it('has no permissions if it is an empty list', async () => {
      const router = contentRouter({
        contentTypes: library,
        database: world.config,
        permissions,
        role: () => [],
      })
      await request(express().use('/api', world.closing(router)))
        .get('/api/books')
        .expect(403)
    })

    it('belongs to one router, side by side or nested', async () => {
      const asked: string[] = []
      const make = (name: string, find: string[]): ReturnType<typeof contentRouter> =>
        world.closing(
          contentRouter({
            contentTypes: library,
            database: world.config,
            permissions: { [name]: { find } },
            role: () => {
              asked.push(name)
              return name
            },
          }),
        )
      const outer = express.Router().use('/inner', make('inner', ['author', 'book']))
      outer.use(make('outer', ['book']))
      const app = express()
        .use('/api', outer)
        .use('/other', make('other', ['author']))
      const statusOf = async (path: string): Promise<number> => (await request(app).get(path)).status
      expect(await statusOf('/api/inner/authors')).toBe(200)
      expect(await statusOf('/api/authors')).toBe(403)
      expect(await statusOf('/api/books')).toBe(200)
      expect(await statusOf('/other/books')).toBe(403)
      expect(await statusOf('/other/authors')).toBe(200)
      expect(asked).toEqual(['inner', 'outer', 'outer', 'other', 'other'])
      const both = await Promise.all(
        ['/api/inner/books?populate=author', '/api/books?populate=author'].map((path) =>
          request(app).get(path),
        ),
      )
      expect(both.map(({ text }) => text.includes('Ada'))).toEqual([true, false])
    })

    it('is not mixed up between requests with the same query', async () => {
      const { list } = served()
      for (const [role, has] of [
        ['reader', true],
        ['guest', false],
        ['reader', true],
      ] as const) {
        const [book] = await list('books?populate=author', role)
        expect(Object.hasOwn(book ?? {}, 'author')).toBe(has)
      }
    })
  })
})
