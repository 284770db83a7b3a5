import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Entry, stocked } from '../support/served'

const keysOf = (entry: unknown): string[] => Object.keys(entry as object).sort()
const bare = ['__component', 'documentId', 'id']

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [{ $ref: 'ada', name: 'Ada', country: 'uk', portrait: { name: 'ada.png' } }],
    book: [
      {
        title: 'Dawn',
        sections: [
          { __component: 'page.pick', title: 'More', books: ['noon', 'dusk'], source: { place: 'shop' } },
          { __component: 'page.prose', heading: 'Words' },
          { __component: 'page.gallery', caption: 'Plates', plates: [{ name: 'b.png' }, { name: 'a.png' }] },
          { __component: 'page.prose', heading: 'More words' },
        ],
      },
      { $ref: 'dusk', title: 'Dusk', year: 3, author: 'ada' },
      { $ref: 'noon', title: 'Noon', year: 2, author: 'ada' },
    ],
  })
  type Options = Parameters<typeof serve>[0]
  const sectionsOf = async (query: string, options?: Options): Promise<Entry[]> =>
    ((await serve(options).list(`books?${query}`))[0]?.['sections'] ?? []) as Entry[]
  const [pick, prose, gallery] = ['page.pick', 'page.prose', 'page.gallery'].map(
    (uid) => `populate[sections][on][${uid}]`,
  ) as [string, string, string]

  describe('a zone', () => {
    it.each(['populate[0]=sections', 'populate=sections', 'populate[sections]=true', 'populate=*'])(
      'shows its components in their order, one level deep: %s',
      async (query) => {
        const sections = await sectionsOf(query)
        expect(sections.map(({ __component }) => __component)).toEqual([
          ...['page.pick', 'page.prose', 'page.gallery', 'page.prose'],
        ])
        expect(sections).toMatchObject([
          { title: 'More' },
          { heading: 'Words' },
          { caption: 'Plates' },
          { heading: 'More words' },
        ])
        expect(sections.map(keysOf)).toEqual([
          [...bare, 'title'].sort(),
          [...bare, 'heading'].sort(),
          [...bare, 'caption'].sort(),
          [...bare, 'heading'].sort(),
        ])
      },
    )

    it('populates every component with a star', async () => {
      const [more, words, plates] = await sectionsOf('populate[sections][populate]=*')
      expect(more).toMatchObject({
        books: [{ title: 'Noon' }, { title: 'Dusk' }],
        source: { place: 'shop' },
      })
      expect(keysOf((more?.['books'] as Entry[])[0])).not.toContain('author')
      expect(keysOf(words)).toEqual([...bare, 'heading'].sort())
      expect(plates).toMatchObject({ plates: [{ name: 'b.png' }, { name: 'a.png' }] })
    })

    it('populates every component that has the attribute of a dotted path', async () => {
      const sections = await sectionsOf('populate[0]=sections.books.author&populate[1]=sections.plates')
      expect(sections).toMatchObject([
        { books: [{ author: { name: 'Ada' } }, { author: { name: 'Ada' } }] },
        { heading: 'Words' },
        { plates: [{ name: 'b.png' }, { name: 'a.png' }] },
        { heading: 'More words' },
      ])
    })

    it('shows the number of its components with count=true', async () => {
      expect(await sectionsOf('populate[sections][count]=true')).toEqual({ count: 4 })
    })
  })

  describe('a zone populated by component', () => {
    it.each([
      ['a list of names', `${pick}[populate][0]=books`],
      ['one name', `${pick}[populate]=books`],
      ['an object', `${pick}[populate][books]=true`],
      ['an object with more in it', `${pick}[populate][books][sort]=id`],
    ])('accepts %s for a component', async (_, query) => {
      const [more] = await sectionsOf(query)
      expect(keysOf(more)).toEqual([...bare, 'books', 'title'].sort())
      expect(more?.['books']).toHaveLength(2)
    })

    it('accepts a star for a component, one level deep', async () => {
      const [more] = await sectionsOf(`${pick}[populate]=*`)
      expect(keysOf(more)).toEqual([...bare, 'books', 'source', 'title'].sort())
      expect(keysOf((more?.['books'] as Entry[])[0])).not.toContain('author')
    })

    it('populates the relations of a component', async () => {
      const [more] = await sectionsOf(`${pick}[populate][books][populate][0]=author.portrait`)
      expect(more).toMatchObject({
        books: [{ author: { portrait: { name: 'ada.png' } } }, { author: { portrait: { name: 'ada.png' } } }],
      })
      const [again] = await sectionsOf(`${pick}[populate][books][populate][author][populate][0]=portrait`)
      expect(again).toEqual(more)
    })

    it("sorts, filters and selects fields of a component's relations", async () => {
      const query = [
        `${pick}[populate][books][sort][0]=year:desc`,
        `${pick}[populate][books][filters][year][$lt]=3`,
        `${pick}[populate][books][fields]=year`,
      ]
      const [more] = await sectionsOf(query.join('&'))
      expect(more?.['books']).toMatchObject([{ year: 2 }])
      expect(keysOf((more?.['books'] as Entry[])[0])).toEqual(['documentId', 'id', 'year'])
      const [sorted] = await sectionsOf(query.slice(0, 1).join('&'))
      expect(sorted?.['books']).toMatchObject([{ year: 3 }, { year: 2 }])
    })

    it('populates each listed component separately', async () => {
      const query = `${pick}[populate]=books&${gallery}[populate]=plates&${prose}=true`
      expect(await sectionsOf(query)).toMatchObject([
        { books: [{}, {}] },
        { heading: 'Words' },
        { plates: [{}, {}] },
        { heading: 'More words' },
      ])
    })

    it('reduces an unlisted component to its id and its type', async () => {
      const sections = await sectionsOf(`${prose}[fields]=heading`)
      expect(sections.map(keysOf)).toEqual([
        ['__component', 'id'],
        [...bare, 'heading'].sort(),
        ['__component', 'id'],
        [...bare, 'heading'].sort(),
      ])
      expect(sections.map(({ __component }) => __component)).toEqual([
        ...['page.pick', 'page.prose', 'page.gallery', 'page.prose'],
      ])
      const ids = (await sectionsOf('populate=sections')).map(({ id }) => id)
      expect(sections.map(({ id }) => id)).toEqual(ids)
    })

    it('omits unlisted components with unlistedZoneElements: omit', async () => {
      const sections = await sectionsOf(`${prose}=true`, { unlistedZoneElements: 'omit' })
      expect(sections).toMatchObject([{ heading: 'Words' }, { heading: 'More words' }])
      expect(sections).toHaveLength(2)
    })

    it('validates a component that the zone does not allow, and shows none', async () => {
      const sections = await sectionsOf('populate[sections][on][shared.seo][fields]=title', {
        unlistedZoneElements: 'omit',
      })
      expect(sections).toEqual([])
      for (const asked of ['fields', 'populate']) {
        const { message } = await serve().refusal(
          `books?populate[sections][on][shared.seo][${asked}]=nowhere`,
        )
        expect(message).toBe('Invalid key nowhere')
      }
    })

    it('does not list a component with false', async () => {
      const query = `${prose}=true&${pick}=false`
      const sections = await sectionsOf(query, { unlistedZoneElements: 'omit' })
      expect(sections).toMatchObject([{ heading: 'Words' }, { heading: 'More words' }])
      expect(await sectionsOf(query)).toMatchObject([{ __component: 'page.pick' }, {}, {}, {}])
    })

    it('filters one component and keeps the others', async () => {
      const sections = await sectionsOf(`${prose}[filters][heading]=Words&${gallery}=true`, {
        unlistedZoneElements: 'omit',
      })
      expect(sections).toMatchObject([{ heading: 'Words' }, { caption: 'Plates' }])
      expect(sections).toHaveLength(2)
    })

    it('keeps the order of the zone whatever a component is sorted by', async () => {
      const sections = await sectionsOf(`${prose}[sort]=heading&${pick}=true`, {
        unlistedZoneElements: 'omit',
      })
      expect(sections).toMatchObject([{ title: 'More' }, { heading: 'Words' }, { heading: 'More words' }])
    })

    it.each([
      ['populate[sections][on][page.nope]=true', 'populate.sections.on.page.nope'],
      [`${pick}[populate]=nope`, 'populate.sections.on.page.pick.populate.nope'],
      [`${pick}[fields]=nope`, 'populate.sections.on.page.pick.fields.nope'],
      [`${pick}[sort]=nope`, 'populate.sections.on.page.pick.sort.nope'],
      [`${pick}[sort]=source.nope`, 'populate.sections.on.page.pick.sort.source.nope'],
      [
        `${pick}[populate][books][populate]=nope`,
        'populate.sections.on.page.pick.populate.books.populate.nope',
      ],
      [`${pick}=perhaps`, 'populate.sections.on.page.pick'],
      ['populate[sections][on]=page.pick', 'populate.sections.on'],
      ['populate[sections][fields]=title', 'populate.sections.fields'],
      ['populate[sections][sort]=title', 'populate.sections.sort'],
      ['populate[sections][filters][title]=a', 'populate.sections.filters'],
      ['populate=sections.nope', 'populate.sections.nope'],
    ])('rejects unknown names: %s', async (query, path) => {
      expect((await serve().refusal(`books?${query}`)).path).toBe(path)
    })
  })
})
