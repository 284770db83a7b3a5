import { contentRouter, type ContentRouter, migrate } from '../../../lib'
import { type ContentObject, seed, type SeedContent, type SeedOptions } from '../../../extensions/seed'
import { openDatabase } from '../../../lib/database'
import { readTables } from '../../../lib/tables/read-tables'
import { eachDatabase, onSqlite, type TestDatabase, type World } from '../../support/databases'
import { library } from '../../support/library'

type Entry = Readonly<Record<string, unknown>>

const published = { createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' }

const first: SeedContent = {
  $locales: ['en', 'de'],
  country: [{ $ref: 'pl', name: 'Poland' }],
  author: [
    { $ref: 'ada', name: 'Ada', age: 40, country: 'pl', portrait: { name: 'ada.jpg' } },
    { $ref: 'bob', name: 'Bob', age: 50 },
  ],
  genre: [
    { $ref: 'sea', name: 'sea' },
    { $ref: 'war', name: 'war' },
  ],
  book: [
    {
      $ref: 'dawn',
      title: 'Dawn',
      year: 1999,
      ...published,
      author: 'ada',
      genres: ['sea', 'war'],
      cover: { name: 'dawn.jpg' },
      seo: { title: 'Dawn', social: { headline: 'Early', image: { name: 'social.jpg' } } },
      notes: [{ text: 'one', by: 'ada', source: { place: 'page 1' } }, { text: 'two' }],
      sections: [
        { __component: 'page.prose', heading: 'First' },
        { __component: 'page.pick', title: 'See', books: ['dusk'] },
      ],
      $draft: { title: 'Dawn, again' },
    },
    { $ref: 'dusk', title: 'Dusk', year: 2001, author: 'ada', ...published, prequel: 'dawn' },
  ],
  review: [
    {
      $ref: 'good',
      verdict: 'good',
      subject: { book: 'dawn' },
      mentions: [{ book: 'dusk' }, { author: 'ada' }],
    },
  ],
  memo: [{ $ref: 'hello', title: 'hello', $locales: { de: { title: 'hallo' } } }],
}

/** The same documents, each attribute with another value. */
const second: SeedContent = {
  ...first,
  author: [
    { $ref: 'ada', name: 'Ada L.', age: 41, country: null, portrait: null },
    { $ref: 'bob', name: 'Bob', age: 50 },
  ],
  book: [
    {
      $ref: 'dawn',
      title: 'Dawn II',
      year: 2000,
      ...published,
      author: 'bob',
      genres: ['war'],
      cover: { name: 'other.jpg' },
      seo: { title: 'Other', social: null },
      notes: [{ text: 'three' }],
      sections: [{ __component: 'page.prose', heading: 'Second' }],
    },
    { $ref: 'dusk', title: 'Dusk II', year: 2002, author: null, ...published, prequel: null },
  ],
  review: [{ $ref: 'good', verdict: 'better', subject: { author: 'bob' }, mentions: [] }],
}

/** What stands in all tables, by table; without what differs from run to run. */
async function standIn(
  { knex }: World,
  withIds: boolean,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = [...(await readTables(openDatabase(knex))).keys()].filter((name) => !/^sqlite_/.test(name))
  const shown = (row: Entry): string =>
    JSON.stringify(row, (key, value: unknown) =>
      /_at$/.test(key) || (!withIds && /^(id|document_id|.*_id)$/.test(key)) ? value !== null : value,
    )
  const rows = await Promise.all(
    tables.map(
      async (table) =>
        [table, ((await knex(table).orderBy(1 as never)) as Entry[]).map(shown).sort()] as const,
    ),
  )
  return Object.fromEntries(rows)
}

const fileTables = ['files', 'files_related_mph']

const withoutFiles = (stand: Readonly<Record<string, readonly string[]>>): object =>
  Object.fromEntries(Object.entries(stand).filter(([table]) => !fileTables.includes(table)))

const pick = (...books: readonly string[]): ContentObject => ({ __component: 'page.pick', books })

const deep = {
  populate: {
    author: { populate: '*' },
    genres: { sort: 'name' },
    sequel: true,
    prequel: true,
    cover: true,
    reviews: true,
    seo: { populate: { social: { populate: '*' } } },
    notes: { populate: '*' },
    sections: { populate: '*' },
  },
  sort: 'title',
} as const

/** Without ids and times. */
const plain = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (/^(id|documentId)$|At$/.test(key) ? undefined : value)),
  )

interface Shelf {
  readonly world: World
  readonly fill: (content: SeedContent, options?: SeedOptions) => Promise<unknown>
  readonly as: () => ReturnType<ContentRouter['as']>
}

function shelf(database: TestDatabase): Shelf {
  const world = database.fresh()
  const config = () => ({ contentTypes: library, database: world.config })
  let router: ContentRouter | undefined
  beforeAll(() => migrate(config()))
  return {
    world,
    fill: (content, options) => seed(config(), content, options),
    as: () =>
      (router ??= world.closing(
        contentRouter({ ...config(), permissions: { public: { find: '*', drafts: '*' } } }),
      )).as('public'),
  }
}

// Copies of versions are made by SQL in one statement, and rows are cleared in an order that foreign keys allow.
eachDatabase((database) => {
  describe('content that is seeded again', () => {
    const versions = shelf(database)
    const expected = shelf(database)

    it('begins a version that is missing with the values, components and links of the other one', async () => {
      const { world, fill, as } = versions
      const books = first['book'] as readonly ContentObject[]
      const whole = { ...first, book: books.map((book) => ({ ...book, $draft: undefined })) }
      const later = { book: [{ $ref: 'dawn' }, { $ref: 'dusk', year: 2002 }] }
      await expected.fill(whole)
      await expected.fill(later, { upsert: true })
      const expectSame = async (): Promise<void> => {
        for (const status of ['draft', 'published'] as const) {
          const { data } = await expected.as().find('books', { ...deep, status })
          expect(data).toHaveLength(2)
          expect(plain((await as().find('books', { ...deep, status })).data)).toEqual(plain(data))
        }
      }
      await fill({ ...whole, book: whole.book.map((book) => ({ ...book, $status: 'draft' })) })
      await fill(later, { upsert: true })
      await expectSame()
      await world.knex('books').whereNull('published_at').delete()
      await fill({ book: [{ $ref: 'dawn' }, { $ref: 'dusk' }] }, { upsert: true })
      await expectSame()
      await fill({
        memo: [{ $ref: 'new', $status: 'draft', title: 'new', $locales: { de: { title: 'neu' } } }],
      })
      await fill({ memo: [{ $ref: 'new', $locales: { de: {} } }] }, { upsert: true })
      const memos = await as().find('memos', {
        locale: '*',
        filters: { title: ['new', 'neu'] },
        sort: 'locale',
      })
      expect(memos.data.map((memo) => memo['title'])).toEqual(['neu', 'new'])
    })

    it('stands with reset as if it had been seeded once, with the same ids', async () => {
      const { world, fill } = expected
      await fill(first, { reset: true })
      const before = await standIn(world, true)
      await fill(first, { reset: true })
      expect(await standIn(world, true)).toEqual(before)
    })
  })
})

onSqlite((database) => {
  describe('content that is seeded again with reset', () => {
    const again = shelf(database)
    const once = shelf(database)

    it('leaves nothing of what was there before', async () => {
      await again.fill(first, { reset: true })
      await again.fill(second, { reset: true })
      await once.fill(second)
      expect(withoutFiles(await standIn(again.world, true))).toEqual(
        withoutFiles(await standIn(once.world, true)),
      )
    })

    it('leaves files, and makes none of them twice', async () => {
      const names = (await again.world.knex('files').orderBy('name').pluck('name')) as string[]
      expect(names).toEqual(['ada.jpg', 'dawn.jpg', 'other.jpg', 'social.jpg'])
    })

    it('empties no type that the content does not name, and cuts its links', async () => {
      const { world, fill } = again
      await fill(first, { reset: true })
      await fill({ book: [] }, { reset: true })
      const counts = async (table: string): Promise<number> => (await world.knex(table).pluck('id')).length
      for (const table of [
        'books',
        'books_cmps',
        'books_author_lnk',
        'books_genres_lnk',
        'components_shared_seos',
      ])
        if (await world.knex.schema.hasTable(table)) expect([table, await counts(table)]).toEqual([table, 0])
      expect(await counts('authors')).toBe(2)
      expect(await world.knex('reviews').pluck('target_id')).toEqual([null])
      expect(await world.knex('files_related_mph').pluck('related_type')).toEqual(['api::author.author'])
      const kept = (await world.knex('reviews_mentions_mph').select()) as readonly Entry[]
      expect(kept.map((row) => row['mentions_type'] ?? row['related_type'])).toEqual(['api::author.author'])
    })

    it('is refused with nothing emptied', async () => {
      await again.fill(first, { reset: true })
      const before = await standIn(again.world, true)
      const wrong = {
        ...first,
        author: [{ $ref: 'ada', nam: 'Ada' }],
        book: [{ title: 'x', author: 'nobody' }],
      }
      await expect(again.fill(wrong, { reset: true })).rejects.toThrow(/nam[^]*nobody/)
      expect(await standIn(again.world, true)).toEqual(before)
    })
  })

  describe('content that is seeded again with upsert', () => {
    const again = shelf(database)
    const once = shelf(database)

    it('changes nothing if nothing is different', async () => {
      await again.fill(first, { upsert: true })
      const before = await standIn(again.world, false)
      const ids = await again.world.knex('books').orderBy('id').pluck('id')
      await again.fill(first, { upsert: true })
      expect(await standIn(again.world, false)).toEqual(before)
      expect(await again.world.knex('books').orderBy('id').pluck('id')).toEqual(ids)
    })

    it('is then what it says, in every attribute that it names', async () => {
      await again.fill(second, { upsert: true })
      await once.fill(second)
      for (const status of ['published', 'draft'] as const)
        expect(plain(await again.as().find('books', { ...deep, status }))).toEqual(
          plain(await once.as().find('books', { ...deep, status })),
        )
      for (const type of ['authors', 'reviews', 'genres'])
        expect(plain(await again.as().find(type, { populate: '*', sort: 'id' }))).toEqual(
          plain(await once.as().find(type, { populate: '*', sort: 'id' })),
        )
    })

    it('leaves attributes and locales that it does not name, and links from elsewhere', async () => {
      const { fill, as } = again
      await fill(first, { upsert: true })
      const asked = { ...deep, populate: { ...deep.populate, author: true }, filters: { title: 'Dawn' } }
      const [before] = (await as().find('books', asked)).data
      await fill({ book: [{ $ref: 'dawn', year: 2010 }] }, { upsert: true })
      const [after] = (await as().find('books', asked)).data
      const now = expect.not.stringMatching(/^2024/) as unknown
      expect(after).toEqual({ ...before, year: 2010, updatedAt: now, publishedAt: now })
      await fill({ memo: [{ $ref: 'hello', title: 'hi' }] }, { upsert: true })
      const titles = async (locale: string): Promise<unknown> =>
        (await as().find('memos', { locale })).data.map((entry) => entry['title'])
      expect([await titles('en'), await titles('de')]).toEqual([['hi'], ['hallo']])
    })

    it('takes back what it makes a draft of, and publishes what was one', async () => {
      const { fill, as } = again
      await fill(
        {
          book: [
            { $ref: 'dusk', $status: 'draft' },
            { $ref: 'new', title: 'New', $status: 'draft' },
          ],
        },
        { upsert: true },
      )
      const titles = async (): Promise<unknown> =>
        (await as().find('books', { sort: 'title' })).data.map((entry) => entry['title'])
      expect(await titles()).toEqual(['Dawn'])
      await fill({ book: [{ $ref: 'new', title: 'New' }] }, { upsert: true })
      expect(await titles()).toEqual(['Dawn', 'New'])
    })

    it('refers to documents that only the database holds by their $ref', async () => {
      const { fill, as } = again
      await fill(first, { upsert: true })
      const book = { $ref: 'dusk', author: 'bob', genres: ['war'], sections: [pick('dawn')] }
      await fill({ book: [book], review: [{ $ref: 'good', subject: { author: 'bob' } }] }, { upsert: true })
      for (const status of ['draft', 'published'] as const) {
        const asked = { ...deep, status, filters: { year: 2001 } }
        const title = status === 'draft' ? 'Dawn, again' : 'Dawn'
        expect((await as().find('books', asked)).data).toMatchObject([
          { author: { name: 'Bob' }, genres: [{ name: 'war' }], sections: [{ books: [{ title }] }] },
        ])
      }
      const unknown = fill({ book: [{ $ref: 'dusk', author: 'cleo' }] }, { upsert: true })
      await expect(unknown).rejects.toThrow('there is no author with the $ref cleo')
      await fill({ book: [{ $ref: 'dusk', title: 'Alone', author: 'ada' }] }, { reset: true })
      const { data } = await as().find('books', { populate: 'author' })
      expect(plain(data)).toMatchObject([{ title: 'Alone', author: { name: 'Ada' } }])
    })

    it('takes a partner from whoever had it, from either side', async () => {
      const { fill, as } = again
      await fill(first, { upsert: true })
      await fill({ author: [{ $ref: 'bob', books: ['dawn'] }], book: [{ $ref: 'dawn' }] }, { upsert: true })
      const { data } = await as().find('authors', { populate: { books: true }, sort: 'name' })
      expect(plain(data)).toMatchObject([
        { name: 'Ada', books: [{ title: 'Dusk' }] },
        { name: 'Bob', books: [{ title: 'Dawn' }] },
      ])
      await fill(
        { book: [{ $ref: 'third', title: 'Third', sequel: 'dusk' }, { $ref: 'dusk' }] },
        { upsert: true },
      )
      const [dawn] = (await as().find('books', { populate: { sequel: true }, filters: { title: 'Dawn' } }))
        .data
      expect(dawn).toMatchObject({ sequel: null })
    })

    it('is refused where an entry has no name to be recognized by', async () => {
      const unnamed = again.fill({ book: [{ title: 'Nameless' }] }, { upsert: true })
      await expect(unnamed).rejects.toThrow(
        'book[0]: the option upsert requires a key for the entry (add a $ref or a documentId to the entry)',
      )
    })
  })
})
