import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

const stamps = ['createdAt', 'updatedAt', 'publishedAt']
const entryKeys = ['documentId', 'id', ...stamps]

const fileKeys = [
  ...[
    'alternativeText',
    'caption',
    'createdAt',
    'documentId',
    'ext',
    'formats',
    'hash',
    'height',
    'id',
    'mime',
  ],
  ...['name', 'previewUrl', 'provider', 'provider_metadata', 'size', 'updatedAt', 'url', 'width'],
]

const thumbnail = {
  ...{ name: 'thumbnail_dawn.jpg', hash: 'thumbnail_dawn', ext: '.jpg', mime: 'image/jpeg' },
  ...{ width: 200, height: 100, size: 7.5, path: null, url: '/uploads/thumbnail_dawn.jpg' },
}

const keysOf = (entry: unknown): string[] => Object.keys(entry as object).sort()
const sorted = (...names: string[]): string[] => [...names].sort()
const namesIn = (value: unknown, attribute = 'name'): unknown[] =>
  (value as Entry[]).map((entry) => entry[attribute])

onSqlite((database) => {
  const { seeded, serve } = stocked(database, library, {
    $locales: ['en', 'fr', 'de'],
    file: [
      {
        ...{ $ref: 'cover', name: 'dawn.jpg', width: 1200, height: 600, size: 123.45 },
        ...{ formats: { thumbnail }, caption: 'A cover', alternativeText: 'Sun' },
      },
    ],
    country: [
      { $ref: 'uk', name: 'UK', rivals: ['fr', 'us'] },
      { $ref: 'fr', name: 'France' },
      { $ref: 'us', name: 'US' },
    ],
    author: [
      { $ref: 'ada', name: 'Ada', age: 36, country: 'uk', portrait: { name: 'ada.png' } },
      { $ref: 'bo', name: 'Bo', age: 50 },
    ],
    genre: [
      { $ref: 'essay', name: 'Essay' },
      { $ref: 'crime', name: 'Crime', parent: 'essay' },
      { $ref: 'atlas', name: 'Atlas', parent: 'essay' },
    ],
    book: [
      {
        $ref: 'dawn',
        title: 'Dawn',
        year: 1990,
        author: 'ada',
        genres: ['crime', 'atlas', 'essay'],
        sequel: 'dusk',
        cover: 'cover',
        plates: [{ name: 'z.png' }, { name: 'a.png' }, { name: 'm.png' }],
        seo: {
          title: 'Dawn, the book',
          social: { headline: 'Read', image: { name: 'social.png' } },
          image: { name: 'seo.png' },
        },
        notes: [
          { text: 'second', by: 'bo', source: { place: 'attic' } },
          { text: 'first', by: 'ada' },
        ],
        sections: [
          { __component: 'page.pick', title: 'More', books: ['dusk', 'noon'], source: { place: 'shop' } },
          { __component: 'page.prose', heading: 'Words' },
          {
            __component: 'page.gallery',
            caption: 'Plates',
            plates: [{ name: 'g2.png' }, { name: 'g1.png' }],
          },
          { __component: 'page.prose', heading: 'More words' },
        ],
      },
      { $ref: 'dusk', title: 'Dusk', year: 1995, author: 'ada', genres: ['essay'] },
      { $ref: 'noon', title: 'Noon', year: 1992, author: 'ada' },
      { $ref: 'night', title: 'Night', author: 'bo', $status: 'draft' },
    ],
    review: [
      {
        verdict: 'Good',
        subject: { book: 'dawn' },
        mentions: [{ author: 'bo' }, { book: 'dusk' }, { author: 'ada' }],
      },
      { verdict: 'Bad', subject: { author: 'ada' } },
      { verdict: 'Dull', subject: { book: 'dawn' } },
    ],
    memo: [
      {
        $ref: 'hello',
        title: 'Hello',
        $locales: { fr: { title: 'Bonjour' }, de: { title: 'Hallo', $status: 'draft' } },
      },
    ],
  })

  const dawn = async (query: string, role?: string): Promise<Entry> => {
    const [first] = await serve().list(`books?filters[title]=Dawn&${query}`, role)
    return first ?? {}
  }
  const first = async (path: string): Promise<Entry> => (await serve().list(path))[0] ?? {}

  describe('without populate', () => {
    it('the response contains no relation, media, component or zone', async () => {
      expect(keysOf(await dawn(''))).toEqual(sorted(...entryKeys, 'title', 'year', 'blurb'))
    })

    it.each(['populate', 'populate=', 'populate[0]=', 'populate[author]=false'])(
      'the response is the same as for %s',
      async (query) => {
        expect(await dawn(query)).toEqual(await dawn(''))
      },
    )
  })

  describe('populate=*', () => {
    it('shows media, relations, components and zones, one level deep', async () => {
      const book = await dawn('populate=*')
      const links = [
        'author',
        'genres',
        'sequel',
        'prequel',
        'reviews',
        'cover',
        'plates',
        'seo',
        'notes',
        'sections',
      ]
      expect(keysOf(book)).toEqual(sorted(...entryKeys, 'title', 'year', 'blurb', ...links))
      expect(keysOf(book['author'])).toEqual(sorted(...entryKeys, 'name', 'age'))
      expect(keysOf(book['sequel'])).toEqual(sorted(...entryKeys, 'title', 'year', 'blurb'))
      expect(keysOf(book['seo'])).toEqual(['documentId', 'id', 'title'])
      expect((book['notes'] as Entry[]).map(keysOf)).toEqual([
        ['documentId', 'id', 'text'],
        ['documentId', 'id', 'text'],
      ])
      expect((book['sections'] as Entry[]).map(keysOf)).toEqual([
        ['__component', 'documentId', 'id', 'title'],
        ['__component', 'documentId', 'heading', 'id'],
        ['__component', 'caption', 'documentId', 'id'],
        ['__component', 'documentId', 'heading', 'id'],
      ])
    })

    it('shows the published localizations of a localized entry', async () => {
      const memo = await first('memos?populate=*')
      const { data } = memo['localizations'] as { data: Entry[] }
      const { documentId } = seeded().entry('memo', 'hello')
      expect(data).toHaveLength(1)
      expect(data[0]).toMatchObject({ title: 'Bonjour', locale: 'fr', documentId })
      expect(keysOf(data[0])).toEqual(sorted(...entryKeys, 'title', 'locale'))
    })
  })

  describe('a populated relation', () => {
    it.each([
      'populate=author',
      'populate[0]=author',
      'populate[]=author',
      'populate[author]=true',
      'populate[author]=1',
      'populate[author][fields]=*',
      'populate[author][populate]',
      'populate[author][count]=false',
    ])('shows the default fields: %s', async (query) => {
      const book = await dawn(query)
      expect(keysOf(book)).toEqual(sorted(...entryKeys, 'title', 'year', 'blurb', 'author'))
      expect(keysOf(book['author'])).toEqual(sorted(...entryKeys, 'name', 'age'))
      expect(book['author']).toMatchObject({ name: 'Ada', age: 36 })
    })

    it.each([
      'populate[0]=author&populate[1]=genres&populate[2]=cover',
      'populate=author,genres,cover',
      'populate=author&populate=genres&populate=cover',
      'populate[]=author&populate[]=genres,cover',
      'populate[author]=true&populate[genres]=t&populate[cover]=1',
      'populate[author]=true&populate[genres]=1&populate[cover]=true&populate[notes]=0',
    ])('is shown with others: %s', async (query) => {
      const book = await dawn(query)
      expect(keysOf(book)).toEqual(
        sorted(...entryKeys, 'title', 'year', 'blurb', 'author', 'genres', 'cover'),
      )
    })

    it('is null or an empty list without linked entries', async () => {
      const [, dusk] = await serve().list(
        'books?populate[0]=sequel&populate[1]=cover&populate[2]=plates&populate[3]=notes&populate[4]=seo&populate[5]=sections&populate[6]=reviews',
      )
      expect(dusk).toMatchObject({
        sequel: null,
        cover: null,
        plates: [],
        notes: [],
        seo: null,
        sections: [],
        reviews: [],
      })
    })

    it('can be populated from either side', async () => {
      const author = await first('authors?populate=books')
      expect(namesIn(author['books'], 'title')).toEqual(['Dawn', 'Dusk', 'Noon'])
      const [, dusk] = await serve().list('books?populate=prequel')
      expect(dusk?.['prequel']).toMatchObject({ title: 'Dawn' })
      const [essay] = await serve().list('genres?populate[0]=books&populate[1]=children')
      expect(namesIn(essay?.['books'], 'title')).toEqual(['Dawn', 'Dusk'])
      expect(namesIn(essay?.['children'])).toEqual(['Crime', 'Atlas'])
    })

    it('keeps the order of its links', async () => {
      const book = await dawn('populate[0]=genres&populate[1]=plates&populate[2]=notes')
      expect(namesIn(book['genres'])).toEqual(['Crime', 'Atlas', 'Essay'])
      expect(namesIn(book['plates'])).toEqual(['z.png', 'a.png', 'm.png'])
      expect(namesIn(book['notes'], 'text')).toEqual(['second', 'first'])
    })
  })

  describe('deeper levels', () => {
    it.each([
      'populate[author][populate][0]=country',
      'populate[author][populate]=country',
      'populate[author][populate][]=country',
      'populate[author][populate][country]=true',
      'populate[0]=author.country',
      'populate=author.country',
    ])('are shown inside the level above: %s', async (query) => {
      const book = await dawn(query)
      expect(keysOf(book['author'])).toEqual(sorted(...entryKeys, 'name', 'age', 'country'))
      expect((book['author'] as Entry)['country']).toMatchObject({ name: 'UK' })
    })

    it('accept a star', async () => {
      const book = await dawn('populate[author][populate]=*')
      expect(keysOf(book['author'])).toEqual(
        sorted(...entryKeys, 'name', 'age', 'country', 'books', 'portrait'),
      )
      expect(keysOf((book['author'] as Entry)['country'])).toEqual(sorted(...entryKeys, 'name'))
    })

    it('can be several below one relation', async () => {
      const book = await dawn('populate=author.country.rivals,author.portrait')
      const author = book['author'] as Entry
      expect(namesIn((author['country'] as Entry)['rivals'])).toEqual(['France', 'US'])
      expect(author['portrait']).toMatchObject({ name: 'ada.png' })
    })

    it('go thirty levels through a circle of relations', async () => {
      const path = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 'sequel' : 'prequel'))
      const objects = `${path.map((name) => `[${name}][populate]`).join('')}[0]=author`
      for (const query of [`populate=${path.join('.')}.author`, `populate${objects}`]) {
        const book = await dawn(query)
        let place = book
        for (const name of path) place = place[name] as Entry
        expect(place['author']).toMatchObject({ name: 'Ada' })
        expect(place['title']).toBe('Dawn')
      }
    })

    it('select fields separately for each path to a type', async () => {
      const book = await dawn(
        'populate[author][fields]=name&populate[notes][populate][by][fields]=age' +
          '&populate[sequel][fields]=year&populate[sequel][populate][author][fields]=age' +
          '&populate[sequel][populate][author][populate]=country',
      )
      const notes = book['notes'] as Entry[]
      const own = seeded().entry('author', 'ada')
      const ada = { id: own.rows[0]?.id, documentId: own.documentId }
      expect(book['author']).toEqual({ ...ada, name: 'Ada' })
      expect(notes[1]?.['by']).toEqual({ ...ada, age: 36 })
      const sequel = book['sequel'] as Entry
      expect(keysOf(sequel)).toEqual(['author', 'documentId', 'id', 'year'])
      expect(sequel['author']).toMatchObject({ ...ada, age: 36, country: { name: 'UK' } })
      expect(keysOf(sequel['author'])).toEqual(['age', 'country', 'documentId', 'id'])
    })
  })

  describe('media', () => {
    it('show all fields of a file', async () => {
      const { cover } = await dawn('populate=cover')
      const { documentId, rows } = seeded().entry('file', 'cover')
      expect(cover).toMatchObject({
        ...{ id: rows[0]?.id, documentId, name: 'dawn.jpg', alternativeText: 'Sun', caption: 'A cover' },
        ...{
          width: 1200,
          height: 600,
          formats: { thumbnail },
          hash: 'dawn',
          ext: '.jpg',
          mime: 'image/jpeg',
        },
        ...{
          size: 123.45,
          url: '/uploads/dawn.jpg',
          previewUrl: null,
          provider: 'local',
          provider_metadata: null,
        },
      })
      expect(keysOf(cover)).toEqual(expect.arrayContaining(fileKeys))
      expect(keysOf(cover)).not.toContain('folderPath')
    })

    it('are a list if the attribute is multiple', async () => {
      const { plates } = await dawn('populate[plates][fields]=name')
      expect((plates as Entry[]).map(keysOf)).toEqual(Array(3).fill(['documentId', 'id', 'name']))
    })
  })

  describe('components', () => {
    it.each(['populate[0]=seo', 'populate=seo', 'populate[seo]=true'])(
      'show their scalar attributes: %s',
      async (query) => {
        const { seo } = await dawn(query)
        expect(keysOf(seo)).toEqual(['documentId', 'id', 'title'])
        expect(seo).toMatchObject({ title: 'Dawn, the book' })
      },
    )

    it.each([
      'populate[0]=seo&populate[1]=seo.social',
      'populate[seo][populate][0]=social',
      'populate[seo][populate][social]=true',
      'populate=seo,seo.social',
    ])('show a nested component by its name: %s', async (query) => {
      const { seo } = await dawn(query)
      expect(keysOf(seo)).toEqual(['documentId', 'id', 'social', 'title'])
      expect(keysOf((seo as Entry)['social'])).toEqual(['documentId', 'headline', 'id'])
    })

    it('show media and relations by their names', async () => {
      const book = await dawn('populate[0]=seo.social.image&populate[1]=notes.by&populate[2]=notes.source')
      expect(((book['seo'] as Entry)['social'] as Entry)['image']).toMatchObject({ name: 'social.png' })
      const notes = book['notes'] as Entry[]
      expect(namesIn(notes.map((note) => note['by']))).toEqual(['Bo', 'Ada'])
      expect(notes[0]?.['source']).toMatchObject({ place: 'attic' })
      expect(notes[1]?.['source']).toBeNull()
    })

    it('accept fields, filters and sort', async () => {
      const { notes } = await dawn('populate[notes][fields]=text&populate[notes][sort]=text:asc')
      expect(namesIn(notes, 'text')).toEqual(['first', 'second'])
      const filtered = await dawn('populate[notes][filters][by][name]=Bo')
      expect(namesIn(filtered['notes'], 'text')).toEqual(['second'])
    })
  })

  describe('morph relations', () => {
    it.each(['populate=subject', 'populate[subject]=true', 'populate=*'])(
      'show the type of each entry: %s',
      async (query) => {
        const reviews = await serve().list(`reviews?${query}`)
        expect(reviews.map(({ subject }) => subject)).toMatchObject([
          { title: 'Dawn', __type: 'api::book.book' },
          { name: 'Ada', __type: 'api::author.author' },
          { title: 'Dawn', __type: 'api::book.book' },
        ])
      },
    )

    it('keep the order of a list across types', async () => {
      const { mentions } = await first('reviews?populate=mentions')
      expect(mentions).toMatchObject([{ name: 'Bo' }, { title: 'Dusk' }, { name: 'Ada' }])
    })

    it('are populated by type with `on`', async () => {
      const query =
        'populate[subject][on][api::book.book][fields]=title&populate[subject][on][api::author.author][populate]=country'
      const reviews = await serve().list(`reviews?${query}`)
      const [book, author] = reviews.map(({ subject }) => subject as Entry)
      expect(keysOf(book)).toEqual(['__type', 'documentId', 'id', 'title'])
      expect(author).toMatchObject({ name: 'Ada', country: { name: 'UK' } })
    })

    it('leave out types that `on` does not list', async () => {
      const query = 'populate[mentions][on][api::book.book]=true&populate[subject][on][api::book.book]=true'
      const reviews = await serve().list(`reviews?${query}`)
      expect(reviews[0]?.['mentions']).toMatchObject([{ title: 'Dusk' }])
      expect(reviews[1]?.['subject']).toBeNull()
    })

    it('ignore the sort of one type, but validate it', async () => {
      const sortedBy = (name: string): string =>
        `reviews?populate[mentions][on][api::author.author][sort]=${name}`
      expect((await first(sortedBy('name')))['mentions']).toMatchObject([{ name: 'Bo' }, { name: 'Ada' }])
      expect((await serve().refusal(sortedBy('nope'))).path).toBe(
        'populate.mentions.on.api::author.author.sort.nope',
      )
    })

    it('can be populated from the other side', async () => {
      const { reviews } = await dawn('populate=reviews')
      expect(namesIn(reviews, 'verdict')).toEqual(['Good', 'Dull'])
    })
  })

  describe('populated entries', () => {
    it('are filtered and sorted', async () => {
      const query = 'populate[books][sort][0]=year:asc&populate[books][filters][year][$gt]=1990'
      const author = await first(`authors?${query}`)
      expect(namesIn(author['books'], 'title')).toEqual(['Noon', 'Dusk'])
    })

    it('are filtered and sorted through further relations', async () => {
      const query =
        'populate[books][sort]=sequel.title:desc&populate[books][filters][author][country][name]=UK'
      const author = await first(`authors?${query}`)
      expect(namesIn(author['books'], 'title')).toEqual(['Dawn', 'Dusk', 'Noon'])
    })

    it('are null or an empty list if a filter does not match', async () => {
      expect((await dawn('populate[author][filters][name]=Bo'))['author']).toBeNull()
      expect((await dawn('populate[genres][filters][name]=Zen'))['genres']).toEqual([])
    })

    it('do not affect the page of the parents', async () => {
      const body = await serve().page('books?populate[author][filters][name]=Bo')
      expect(body.meta.pagination['total']).toBe(3)
    })

    it('are counted with count=true', async () => {
      expect((await first('authors?populate[books][count]=true'))['books']).toEqual({ count: 3 })
      const one = 'populate[books][count]=true&populate[books][filters][year][$gt]=1990'
      expect((await first(`authors?${one}`))['books']).toEqual({ count: 2 })
    })

    it('are published by default, and drafts with status=draft', async () => {
      const [, bo] = await serve().list('authors?populate=books')
      expect(bo?.['books']).toEqual([])
      const [, draft] = await serve({ drafts: 'open' }).list('authors?populate=books&status=draft')
      expect(draft?.['books']).toMatchObject([{ title: 'Night', publishedAt: null }])
    })

    it('work with fields, filters, sort and pages of the parents', async () => {
      const query =
        'fields=title&filters[year][$lt]=1995&sort=title:desc&pagination[pageSize]=1&populate=author'
      const body = await serve().page(`books?${query}`)
      expect(body).toMatchObject({
        data: [{ title: 'Noon', author: { name: 'Ada' } }],
        meta: { pagination: { total: 2 } },
      })
    })
  })

  describe('wrapped relations', () => {
    it('hold relations, media and morph relations under data', async () => {
      const { list } = serve({ relations: 'wrapped' })
      const query =
        'populate[0]=author.country&populate[1]=genres&populate[2]=cover&populate[3]=plates&populate[4]=sequel.sequel&populate[5]=notes.by&populate[6]=seo.image&populate[7]=sections.books&populate[8]=reviews'
      const [book] = await list(`books?filters[title]=Dawn&${query}`)
      expect(book).toMatchObject({
        author: { data: { name: 'Ada', country: { data: { name: 'UK' } } } },
        genres: { data: [{ name: 'Crime' }, { name: 'Atlas' }, { name: 'Essay' }] },
        cover: { data: { name: 'dawn.jpg' } },
        plates: { data: [{ name: 'z.png' }, {}, {}] },
        sequel: { data: { title: 'Dusk', sequel: { data: null } } },
        notes: [{ by: { data: { name: 'Bo' } } }, { by: { data: { name: 'Ada' } } }],
        seo: { image: { data: { name: 'seo.png' } } },
        sections: [{ books: { data: [{ title: 'Dusk' }, { title: 'Noon' }] } }, {}, {}, {}],
        reviews: { data: [{ verdict: 'Good' }, { verdict: 'Dull' }] },
      })
      for (const wrapped of [book?.['author'], book?.['genres'], book?.['cover']]) {
        expect(keysOf(wrapped)).toEqual(['data'])
      }
      const [review] = await list('reviews?populate=*')
      expect(review).toMatchObject({ subject: { data: { title: 'Dawn' } }, mentions: { data: [{}, {}, {}] } })
    })

    it('do not affect components, zones and localizations', async () => {
      const [book] = await serve({ relations: 'wrapped' }).list('books?populate[0]=seo&populate[1]=sections')
      expect(book?.['seo']).not.toHaveProperty('data')
      expect(book?.['sections']).toHaveLength(4)
      const [memo] = await serve({ localizations: 'flat' }).list('memos?populate=localizations')
      expect(memo?.['localizations']).toMatchObject([{ title: 'Bonjour' }])
      const [wrapped] = await serve({ relations: 'wrapped' }).list('memos?populate=localizations')
      expect(wrapped?.['localizations']).toMatchObject({ data: [{ title: 'Bonjour' }] })
    })
  })

  describe('invalid populate', () => {
    it.each([
      ['populate=nope', 'populate.nope', 'nope'],
      ['populate[0]=author.nope', 'populate.author.nope', 'nope'],
      ['populate[author][populate][0]=nope', 'populate.author.populate.nope', 'nope'],
      ['populate[nope]=true', 'populate.nope', 'nope'],
      ['populate=title', 'populate.title', 'title'],
      ['populate=createdBy', 'populate.createdBy', 'createdBy'],
      ['populate=updatedBy', 'populate.updatedBy', 'updatedBy'],
      ['populate=localizations', 'populate.localizations', 'localizations'],
      ['populate[author][fields]=nope', 'populate.author.fields.nope', 'nope'],
      ['populate[author][limit]=3', 'populate.author.limit', 'limit'],
      ['populate[author][start]=3', 'populate.author.start', 'start'],
      ['populate=deep', 'populate.deep', 'deep'],
      ['populate=deep,3', 'populate.deep', 'deep'],
    ])('is rejected with its path: %s', async (query, path, key) => {
      const refusal = await serve().refusal(`books?${query}`)
      expect(refusal.path).toBe(path)
      expect(refusal.message).toContain(`Invalid key ${key}`)
    })

    it('is rejected with a suggestion for deep', async () => {
      expect((await serve().refusal('books?populate=deep')).message).toContain('populate=*')
    })

    it.each([
      ['populate[author]=*', 'populate[author][populate]=*'],
      ['populate[author]=country', 'populate[author][populate]=country'],
      ['populate[author]=name', 'populate[author][populate]=name'],
      ['populate[nobody]=*', 'populate[nobody][populate]=*'],
      ['populate[author][populate][country]=*', 'populate[author][populate][country][populate]=*'],
      ['populate[author]', 'populate[author]=true'],
      ['populate[author]=', 'populate[author]=true'],
      ['populate[author][0]=country', 'populate[author][populate][0]=<name>'],
    ])('is rejected with the right notation for %s', async (query, right) => {
      const refusal = await serve().refusal(`books?${query}`)
      expect(refusal.message).toMatch(/^Invalid (key|populate of) /)
      expect(refusal.message.split(': ').at(-1)).toBe(`write ${right}`)
    })

    it.each([
      'populate[books][pagination][pageSize]=1',
      'populate[books][pagination][page]=1',
      'populate[books][pagination]=1',
    ])('is rejected for nested pages that are off: %s', async (query) => {
      expect((await serve().refusal(`authors?${query}`)).path).toBe('populate.books.pagination')
    })

    it.each([
      'populate[author]=country',
      'populate[author]=*',
      'populate[author]',
      'populate[author]=',
      'populate[author][count]=many',
      'populate[author][on][api::author.author]=true',
      'populate[author][populate]=country,portrait',
      'populate[0][0]=author',
      'populate[author][sort]=name:up',
      'populate[author][filters]=x',
    ])('is rejected if it is malformed: %s', async (query) => {
      expect((await serve().refusal(`books?${query}`)).path).toMatch(/^populate/)
    })
  })

  describe('a cached plan', () => {
    const content = {
      genre: ['short', 'long'].map((name) => ({ $ref: name, name })),
      author: [{ $ref: 'ada', name: 'ada', age: 30 }],
      book: Array.from({ length: 4 }, (_, index) => ({
        $ref: `book-${String(index)}`,
        title: `title ${String(index)}`,
        year: 2000 + ((3 * index + 2) % 5),
        author: 'ada',
        genres: [index === 0 ? 'short' : 'long'],
        seo: { title: `seo ${String(index)}` },
      })),
    }

    /** Each differs from the one before it in one part below the page. */
    const differing = [
      'populate[books]=true',
      'populate[books][fields][0]=title',
      'populate[books][fields][0]=year',
      'populate[books][sort]=year:asc',
      'populate[books][sort]=year:desc',
      'populate[books][filters][year][$gt]=2001',
      'populate[books][filters][year][$gt]=2002',
      'populate[books][filters][year][$lt]=2002',
      'populate[books][filters][genres][name]=short',
      'populate[books][filters][genres][name]=long',
      'populate[books][pagination][pageSize]=2',
      'populate[books][pagination][pageSize]=3',
      'populate[books][pagination][pageSize]=3&populate[books][pagination][page]=2',
      'populate[books][pagination][pageSize]=3&populate[books][pagination][withCount]=true',
      'populate[books][count]=true',
      'populate[books][populate]=genres',
      'populate[books][populate]=seo',
      'populate[books][populate][genres][fields]=name',
      'populate[books][populate][genres][filters][name]=long',
      'populate[books][populate][genres][filters][name]=short',
    ]
    const shelf = stocked(database, library, content)
    const router = (): Served => shelf.serve({ nestedPagination: true })

    it('is not reused for a query that differs in one part', async () => {
      const [one, other] = [router(), router()]
      const bodies = new Map<string, string>()
      for (const text of differing) bodies.set(text, (await one.get(`authors?${text}`)).text)
      expect(new Set(bodies.values()).size).toBe(differing.length)
      for (const text of differing.toReversed()) {
        const filtered = `authors?filters[name]=ada&filters[age][$gt]=${String(text.length % 7)}&${text}`
        for (const { get } of [other, one]) {
          for (const path of [`authors?${text}`, filtered])
            expect([path, (await get(path)).text]).toEqual([path, bodies.get(text)])
        }
      }
    })
  })
})
