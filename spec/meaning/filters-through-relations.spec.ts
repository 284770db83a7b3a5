import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'
import { shelves } from '../support/shelves'
import { anyConditions } from '../support/query-limits'

onSqlite((database) => {
  describe('filters through relations', () => {
    const { seeded, serve } = stocked(database, library, {
      country: [
        { $ref: 'uk', name: 'UK' },
        { $ref: 'fr', name: 'France', rivals: ['uk'] },
      ],
      genre: [
        { $ref: 'crime', name: 'Crime', parent: 'prose' },
        { $ref: 'atlas', name: 'Atlas' },
        { $ref: 'prose', name: 'Prose' },
      ],
      author: [
        { $ref: 'ada', name: 'Ada', age: 36, country: 'uk', portrait: { name: 'ada.png', width: 300 } },
        { $ref: 'bo', name: 'Bo', age: 50, country: 'fr' },
        { $ref: 'cy', name: 'Cy', age: 20 },
      ],
      book: [
        {
          ...{
            $ref: 'dawn',
            title: 'Dawn',
            year: 1990,
            author: 'ada',
            genres: ['crime', 'atlas'],
            sequel: 'dusk',
          },
          seo: { title: 'S1', social: { headline: 'H1' } },
          notes: [
            { text: 'draft', by: 'ada' },
            { text: 'final', by: 'bo' },
          ],
          cover: { name: 'dawn.jpg', width: 10 },
          plates: [{ name: 'p1.png' }, { name: 'p2.png' }],
        },
        { $ref: 'dusk', title: 'Dusk', year: 1995, author: 'ada', genres: ['atlas', 'prose'] },
        { $ref: 'noon', title: 'Noon', year: 1992, author: 'bo', notes: [{ text: 'draft', by: 'bo' }] },
        { $ref: 'lone', title: 'Lone', year: 2000 },
        { $ref: 'night', title: 'Night', year: 1990, author: 'cy', genres: ['crime'], $status: 'draft' },
        { $ref: 'shift', title: 'Shift', year: 1, author: 'bo', $draft: { title: 'Secret', author: 'cy' } },
      ],
      review: [
        { verdict: 'Good', subject: { book: 'dawn' } },
        { verdict: 'Bad', subject: { author: 'ada' } },
      ],
    })

    let free: Served | undefined
    const found = async (condition: string): Promise<unknown[]> => {
      const query = `books?${condition}&pagination[pageSize]=100`
      const { data, meta } = await (free ??= serve({ query: anyConditions })).page(query)
      const titles = data.map(({ title }) => title)
      expect(meta.pagination['total']).toBe(titles.length)
      return titles
    }
    const idOf = (type: string, ref: string): string => String(seeded().entry(type, ref).rows.at(-1)?.id)

    it.each([
      ['a relation to one', '[author][name]=Ada', ['Dawn', 'Dusk']],
      ['a relation to many', '[genres][name]=Atlas', ['Dawn', 'Dusk']],
      ['two relations', '[author][country][name]=France', ['Noon', 'Shift']],
      ['three', '[author][country][rivals][name]=UK', ['Noon', 'Shift']],
      ['a relation and back', '[author][books][title]=Dusk', ['Dawn', 'Dusk']],
      ['the other side', '[prequel][title]=Dawn', ['Dusk']],
      ['a relation to itself', '[genres][parent][name]=Prose', ['Dawn']],
      ['a component', '[seo][title]=S1', ['Dawn']],
      ['a nested component', '[seo][social][headline][$startsWith]=H', ['Dawn']],
      ['a repeatable component', '[notes][text]=draft', ['Dawn', 'Noon']],
      ['a relation of a component', '[notes][by][name]=Bo', ['Dawn', 'Noon']],
      ['a file', '[cover][width][$lt]=11', ['Dawn']],
      ['use one of several files', '[plates][name]=p2.png', ['Dawn']],
      ['a file of a relation', '[author][portrait][width]=300', ['Dawn', 'Dusk']],
      ['the other side of a relation to any type', '[reviews][verdict]=Good', ['Dawn']],
    ])('find entries by the linked entries of %s', async (_, condition, titles) => {
      expect(await found(`filters${condition}`)).toEqual(titles)
    })

    it('compare the id if only a value is given', async () => {
      const ada = idOf('author', 'ada')
      for (const condition of [`[author]=${ada}`, `[author][id]=${ada}`, `[author][$in][0]=${ada}`]) {
        expect(await found(`filters${condition}`)).toEqual(['Dawn', 'Dusk'])
      }
      const { documentId } = seeded().entry('author', 'ada')
      expect(await found(`filters[author][documentId]=${documentId}`)).toEqual(['Dawn', 'Dusk'])
    })

    it('never return or count an entry twice', async () => {
      expect(await found('filters[genres][name][$notNull]=true')).toEqual(['Dawn', 'Dusk'])
      expect(await found('filters[notes][text][$contains]=a')).toEqual(['Dawn', 'Noon'])
      const query = 'books?filters[genres][name][$contains]=a&pagination[pageSize]=1&pagination[page]=2'
      const { data, meta } = await serve().page(query)
      expect(data).toMatchObject([{ title: 'Dusk' }])
      expect(meta.pagination).toEqual({ page: 2, pageSize: 1, pageCount: 2, total: 2 })
    })

    it('take a missing relation for null', async () => {
      expect(await found('filters[author][$null]=true')).toEqual(['Lone'])
      expect(await found('filters[author][name][$null]=true')).toEqual(['Lone'])
      expect(await found('filters[author][country][name][$null]=true')).toEqual(['Lone'])
      expect(await found('filters[author][$notNull]=true')).toEqual(['Dawn', 'Dusk', 'Noon', 'Shift'])
      expect(await found('filters[seo][$null]=true')).toEqual(['Dusk', 'Noon', 'Lone', 'Shift'])
      expect(await found('filters[cover][$null]=false')).toEqual(['Dawn'])
      expect(await found('filters[genres][$null]=true')).toEqual(['Noon', 'Lone', 'Shift'])
    })

    it('do not match a missing relation with $ne and $not, as with null', async () => {
      expect(await found('filters[author][name][$ne]=Ada')).toEqual(['Noon', 'Shift'])
      expect(await found('filters[$not][author][name]=Ada')).toEqual(['Noon', 'Shift'])
    })

    it('must hold for the same linked entry if they stand in one path', async () => {
      expect(await found('filters[notes][text]=draft&filters[notes][by][name]=Bo')).toEqual(['Noon'])
      const together = 'filters[notes][$and][0][text]=final&filters[notes][$and][1][by][name]=Ada'
      expect(await found(together)).toEqual([])
    })

    it('work inside $or and $not', async () => {
      const either = 'filters[$or][0][genres][name]=Crime&filters[$or][1][author][name]=Bo'
      expect(await found(either)).toEqual(['Dawn', 'Noon', 'Shift'])
      const inside = 'filters[author][$or][0][name]=Bo&filters[author][$or][1][age][$lt]=40'
      expect(await found(inside)).toEqual(['Dawn', 'Dusk', 'Noon', 'Shift'])
      expect(await found('filters[genres][$not][name]=Atlas')).toEqual(['Dawn', 'Dusk'])
    })

    it('follow up to 8 links', async () => {
      const there = (links: number): string => '[author][books]'.repeat(links / 2)
      for (const links of [2, 4, 8]) {
        expect(await found(`filters${there(links)}[title]=Dusk`)).toEqual(['Dawn', 'Dusk'])
        expect(await found(`filters${there(links)}[title][$null]=true`)).toEqual(['Lone'])
      }
      const odd = `filters${there(6)}[author]`
      expect(await found(`${odd}[name]=Bo`)).toEqual(['Noon', 'Shift'])
      expect(await found(`${odd}[name]=nobody`)).toEqual([])
      expect(await found(`${odd}[age][$null]=true`)).toEqual(['Lone'])
      const { path } = await serve().refusal(`books?filters${there(500)}[title]=Dusk`)
      expect(path).toBe('filters.author')
    }, 60_000)

    it('work in deeply nested $or and $and', async () => {
      for (const levels of [1, 20, 120]) {
        const nest = '[$or][0][$and][0]'.repeat(levels)
        expect(await found(`filters${nest}[title]=Dusk`)).toEqual(['Dusk'])
      }
      const forks = Array.from({ length: 25 }, (_, level) => {
        const nest = `filters${'[$or][1][$and][1]'.repeat(level)}[$or]`
        return `${nest}[0][title]=none&${nest}[1][$and][0][title][$ne]=none`
      })
      const last = `filters${'[$or][1][$and][1]'.repeat(25)}[title]=Dusk`
      expect(await found([...forks, last].join('&'))).toEqual(['Dusk'])
    })

    it('see published entries only by default', async () => {
      expect(await serve().values('genres?filters[books][title]=Night', 'name')).toEqual([])
      expect(await serve().values('authors?filters[books][title]=Secret', 'name')).toEqual([])
      expect(await serve().values('authors?filters[books][$null]=true', 'name')).toEqual(['Cy'])
      expect(await serve().values('authors?filters[books][$notNull]=true', 'name')).toEqual(['Ada', 'Bo'])
    })

    it('see drafts only with status=draft', async () => {
      const open = serve({ drafts: 'open' })
      expect(await open.values('authors?status=draft&filters[books][title]=Secret', 'name')).toEqual(['Cy'])
      expect(await open.values('authors?status=draft&filters[books][title]=Shift', 'name')).toEqual([])
    })

    it('filter populated entries as they filter a list', async () => {
      const inside =
        'populate[books][filters][genres][name]=Atlas&populate[books][filters][sequel][title]=Dusk'
      const [ada, bo] = await serve().list(`authors?${inside}`)
      expect(ada?.['books']).toMatchObject([{ title: 'Dawn' }])
      expect(ada?.['books']).toHaveLength(1)
      expect(bo?.['books']).toEqual([])
    })

    it.each([
      ['author', '[books][title][$gte]=E', [null, null, 'Bo', null, 'Bo']],
      ['author', '[country][name][$startsWithi]=u', ['Ada', 'Ada', null, null, null]],
      ['sequel', '[genres][name][$startsWithi]=p', ['Dusk', null, null, null, null]],
    ])('filter the populated entry of %s by its own links: %s', async (name, condition, shown) => {
      const books = await serve().list(`books?sort=id&populate[${name}][filters]${condition}`)
      const nameIn = (one: unknown): unknown => {
        const { name = null, title = name } = (one ?? {}) as { name?: unknown; title?: unknown }
        return title
      }
      expect(books.map((book) => nameIn(book[name]))).toEqual(shown)
    })

    it.each([
      ['filters[sections][heading]=x', 'filters.sections'],
      ['filters[author][nope]=x', 'filters.author.nope'],
      ['filters[author][country][nope]=x', 'filters.author.country.nope'],
      ['filters[author][age]=old', 'filters.author.age'],
      ['filters[ledger]=x', 'filters.ledger'],
      ['filters[author][books][ledger]=x', 'filters.author.books.ledger'],
      ['filters[createdBy][id]=1', 'filters.createdBy'],
      ['populate[author][filters][age]=old', 'populate.author.filters.age'],
      ['populate[author][filters][nope]=1', 'populate.author.filters.nope'],
    ])('are rejected if a name is unknown: %s', async (query, path) => {
      expect((await serve().refusal(`books?${query}`)).path).toBe(path)
    })

    it('are rejected through morph relations', async () => {
      expect((await serve().refusal('reviews?filters[subject][id]=1')).path).toBe('filters.subject')
      expect((await serve().refusal('reviews?sort=mentions.id')).path).toMatch(/^sort/)
    })
  })

  describe('filters through many links', () => {
    type Plain = Readonly<Record<string, unknown>>

    const upTo = (count: number): number[] => [...Array(count).keys()]
    const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('')

    /** The first links of a path that repeats. */
    const along =
      (...round: readonly string[]) =>
      (links: number): readonly string[] =>
        upTo(links).map((index) => round[index % round.length] ?? '')

    /** A condition at the end of the path, as a query and as a function. */
    interface End {
      readonly words: string
      readonly holds: (value: unknown) => boolean
    }

    const ends = (value: string): readonly End[] => [
      { words: `[$eq]=${value}`, holds: (one) => one === value },
      { words: `[$ne]=${value}`, holds: (one) => one !== null && one !== value },
      { words: '[$null]=true', holds: (one) => one === null },
      { words: '[$contains]=nowhere', holds: () => false },
    ]

    /** True if a row leads to a match. A missing link is a row of nulls. */
    function meeting(links: readonly string[], name: string, { holds }: End): (row: Plain) => boolean {
      const known = upTo(links.length + 1).map(() => new Map<Plain | null, boolean>())
      const meets = (row: Plain | null, at: number): boolean => {
        const found = known[at]?.get(row)
        if (found !== undefined) return found
        const link = links[at]
        const value = row?.[link ?? name] ?? null
        const rows = (Array.isArray(value) ? value : value === null ? [] : [value]) as readonly Plain[]
        const met =
          link === undefined
            ? holds(value)
            : (rows.length === 0 ? [null] : rows).some((one) => meets(one, at + 1))
        known[at]?.set(row, met)
        return met
      }
      return (row) => meets(row, 0)
    }

    const ways = [
      ['lists that share their entries', along('genres', 'books')],
      ['a relation to one and back', along('author', 'books')],
      ['lists and relations to one in turn', along('author', 'books', 'genres', 'books')],
      ['a relation that may be missing', along('genres', 'parent', 'books')],
    ] as const

    const lengths = [1, 2, 3, 5, 8]
    const unlimited = { query: anyConditions, pagination: { maxPageSize: 1000 } }
    const all = 'fields=title&sort=year&pagination[pageSize]=1000'

    const lastOf = (links: readonly string[]): readonly [name: string, value: string] => {
      const last = links.at(-1)
      if (last === 'books') return ['title', 'B7']
      return last === 'author' ? ['name', 'a3'] : ['name', 'g1']
    }
    const { rows, content } = shelves(50)
    const { serve } = stocked(database, library, content)
    let free: Served | undefined
    const api = (): Served => (free ??= serve(unlimited))

    describe.each(ways)('filters through many links along %s', (_, way) => {
      it.each(lengths)(
        'find the entries that lead to a match through %i links',
        async (count) => {
          const links = way(count)
          const [name, value] = lastOf(links)
          for (const end of ends(value)) {
            const expected = rows.books.filter(meeting(links, name, end)).map(({ title }) => title)
            const { data, meta } = await api().page(
              `books?${all}&filters${brackets([...links, name])}${end.words}`,
            )
            expect(data.map(({ title }) => title)).toEqual(expected)
            expect(meta.pagination['total']).toBe(expected.length)
          }
        },
        60_000,
      )
    })

    it('combine conditions on the way with $and and $or', async () => {
      const links = along('author', 'books', 'genres', 'books')(5)
      const far = meeting(links.slice(2), 'name', { words: '', holds: (one) => one === 'a4' })
      for (const op of ['$and', '$or'] as const) {
        const near = (row: Plain): boolean => (row['year'] as number) > 25
        const both = (row: Plain): boolean => (op === '$and' ? near(row) && far(row) : near(row) || far(row))
        const expected = rows.books.filter((row) => row.author?.books.some(both) === true)
        const at = `filters[author][books][${op}]`
        const query = `${at}[0][year][$gt]=25&${at}[1]${brackets(links.slice(2))}[name]=a4`
        expect(await api().values(`books?${all}&${query}`, 'title')).toEqual(
          expected.map(({ title }) => title),
        )
      }
    })

    it('follow files and components', async () => {
      const { values } = api()
      const query = (path: string): string => `books?${all}&filters${path}`
      const covered = rows.books.filter(({ cover }) => cover?.['name'] === 'p1.png')
      const by = rows.books.filter(
        ({ author }) => author?.books.some((one) => covered.includes(one)) === true,
      )
      const titles = by.map(({ title }) => title)
      expect(await values(query('[author][books][cover][name]=p1.png'), 'title')).toEqual(titles)
      const noted = rows.books.filter(({ notes }) => notes.some(({ text }) => text === 'n2'))
      const beside = rows.books.filter(({ genres }) =>
        genres.some(({ books }) => books.some((one) => noted.includes(one))),
      )
      const found = await values(query('[genres][books][notes][text]=n2'), 'title')
      expect(found).toEqual(beside.map(({ title }) => title))
    })

    it('follow at most 8 relations in a row', async () => {
      const path = (links: number): string =>
        `books?filters${brackets(along('genres', 'books')(links))}[$some][id]=1`
      const { get, refusal } = api()
      expect((await get(path(7))).status).toBe(200)
      expect((await get(path(8))).status).toBe(200)
      const expected = { message: 'Filters follow at most 8 relations in a row' }
      expect(await refusal(path(9))).toMatchObject(expected)
      expect(await refusal(path(8).replace('[id]', '[unknown]'))).toMatchObject(expected)
    })
  })
})
