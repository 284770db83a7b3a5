import { askerOf } from '../support/asker'
import { eachDatabase } from '../support/databases'
import { library } from '../support/library'
import { shelves } from '../support/shelves'
import { type Stocked, stocked } from '../support/served'
import { anyConditions } from '../support/query-limits'

/** One condition on what lies at the end of a path, in the words of a query and as a plain function. */
interface Asked {
  readonly path: readonly string[]
  readonly words: readonly (readonly [operator: string, value: string])[]
}

type Plain = Readonly<Record<string, unknown>>

const upTo = (count: number): number[] => [...Array(count).keys()]

const tests: Readonly<Record<string, (value: unknown, wanted: string) => boolean>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== null && value !== wanted,
  $null: (value) => value === null,
}

/** Any of several words for one value, of one row that the path leads to: none there is as one of NULLs. */
function holds(row: Plain | null, [name = '', ...rest]: readonly string[], words: Asked['words']): boolean {
  const value = row?.[name] ?? null
  if (rest.length === 0) return words.some(([operator, wanted]) => tests[operator]?.(value, wanted) ?? false)
  const rows = (Array.isArray(value) ? value : value === null ? [] : [value]) as readonly Plain[]
  return (rows.length === 0 ? [null] : rows).some((one) => holds(one, rest, words))
}

/** Conditions that say the same are looked into once. */
function meeting(asked: readonly Asked[]): (row: Plain, how: 'every' | 'some') => boolean {
  const known = new Map<string, Map<Plain, boolean>>()
  const meets = (row: Plain, { path, words }: Asked): boolean => {
    const key = JSON.stringify([path, words])
    const found = known.get(key) ?? new Map<Plain, boolean>()
    known.set(key, found)
    const met = found.get(row) ?? holds(row, path, words)
    found.set(row, met)
    return met
  }
  return (row, how) => asked[how]((one) => meets(row, one))
}

const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('')

/** No list has more than a hundred elements, so that long ones are lists of lists. */
function said(key: string, group: '$and' | '$or', asked: readonly Asked[]): string {
  return asked
    .flatMap(({ path, words }, index) => {
      const at = `${key}[${group}][${String(Math.floor(index / 100))}][${group}][${String(index % 100)}]`
      const [only] = words
      if (words.length === 1 && only !== undefined) return [`${at}${brackets(path)}[${only[0]}]=${only[1]}`]
      return words.map(
        ([operator, value], word) =>
          `${at}${brackets(path.slice(0, -1))}[$or][${String(word)}][${path.at(-1) ?? ''}][${operator}]=${value}`,
      )
    })
    .join('&')
}

type Make = (index: number) => Asked

const path = (text: string): string[] => text.split('.')
const differs =
  (names: string, value: (index: number) => string): Make =>
  (index) => ({ path: path(names), words: [['$ne', value(index)]] })

const genre = (index: number): string => `g${String(index % 7)}`
const author = (index: number): string => `a${String(index % 5)}`
const title = (index: number): string => `B${String(index % 9)}`

const inTurn = (...makes: readonly Make[]): Make => {
  return (index) => makes[index % makes.length]?.(index) ?? { path: [], words: [] }
}

const everywhere = inTurn(
  differs('genres.name', genre),
  differs('author.name', author),
  differs('notes.text', (index) => `n${String(index % 3)}`),
  differs('author.country.name', (index) => `c${String(index % 2)}`),
  differs('genres.parent.name', genre),
  differs('cover.name', (index) => `p${String(index % 3)}.png`),
)

const orNone =
  (names: string, value: (index: number) => string): Make =>
  (index) => ({
    path: path(names),
    words: [
      ['$null', 'true'],
      ['$ne', value(index)],
    ],
  })

const among =
  (make: Make): Make =>
  (index) => {
    const { path: names, words } = make(index)
    return { path: names, words: words.map(([, value]) => ['$eq', value]) }
  }

const ways: readonly (readonly [title: string, make: Make])[] = [
  ['a relation to many', differs('genres.name', genre)],
  ['a relation to one', differs('author.name', author)],
  ['links of every kind in turn', everywhere],
  ['a relation that may be missing', orNone('genres.name', genre)],
  ['two links', differs('author.books.title', title)],
  ['three links', differs('genres.books.author.name', author)],
  ['five links', differs('author.books.genres.parent.books.title', title)],
  ['five links that may be missing', orNone('author.books.genres.books.author.name', author)],
]

const counts = [2, 40]
/** Of an answer, in ms: far beyond what any of these takes, and well within what they took before. */
const timeout = 30_000
const all = 'fields=title&sort=year&pagination[pageSize]=1000'

interface Page {
  readonly data: readonly Plain[]
  readonly meta: { readonly pagination: { readonly total: number } }
}

/** Asked by a client that writes longer lines than Node reads unless it is told to. */
function asking({ world, serve }: Stocked): (path: string) => Promise<Page> {
  let coming: ReturnType<typeof askerOf> | undefined
  return async (path) => {
    const pagination = { maxPageSize: 1000 }
    const options = { timeout, nestedPagination: true, pagination }
    coming ??= askerOf(serve({ query: anyConditions, ...options }).app, {
      maxHeaderSize: 100_000,
    }).then((one) => world.closing(one))
    const { status, body } = await (await coming).ask(`/api/${path}`)
    if (status !== 200) throw new Error(`${path.slice(0, 200)}… is answered with ${String(status)}: ${body}`)
    return JSON.parse(body) as Page
  }
}

eachDatabase((database) => {
  const { rows, content } = shelves(165)
  const ask = asking(stocked(database, library, content))
  const titles = (found: readonly Plain[]): unknown[] => found.map((one) => one['title'])
  const books = async (query: string): Promise<unknown[]> => titles((await ask(`books?${all}&${query}`)).data)

  describe.each(ways)('conditions through %s', (_, make) => {
    it.each(counts)(
      'match all at once under $and, %i of them',
      async (count) => {
        const asked = upTo(count).map(make)
        const meets = meeting(asked)
        const expected = titles(rows.books.filter((row) => meets(row, 'every')))
        expect(await books(said('filters', '$and', asked))).toEqual(expected)
      },
      60_000,
    )

    it.each(counts)(
      'match any under $or, %i of them',
      async (count) => {
        const asked = upTo(count).map(among(make))
        const meets = meeting(asked)
        const expected = titles(rows.books.filter((row) => meets(row, 'some')))
        expect(await books(said('filters', '$or', asked))).toEqual(expected)
      },
      60_000,
    )
  })

  describe.each(counts)('%i conditions', (count) => {
    const asked = upTo(count).map(everywhere)
    const many = upTo(count).map(differs('genres.name', genre))

    it('match none under $not', async () => {
      // Carried down to the comparisons: one that differs from what it must not differ from.
      const meets = meeting(
        many.map(({ path: names, words }) => ({
          path: names,
          words: words.map(([, value]) => ['$ne', value]),
        })),
      )
      const expected = titles(rows.books.filter((row) => meets(row, 'every')))
      const equal = many.map(({ path: names, words }): Asked => ({
        path: names,
        words: words.map(([, value]) => ['$eq', value]),
      }))
      expect(await books(said('filters[$not]', '$or', equal))).toEqual(expected)
    }, 60_000)

    it('match entries behind one, two and six relations', async () => {
      const meets = meeting(many)
      for (const links of [1, 2, 6]) {
        // To an author and back, and so on: every book of an author that has one for which all of it holds.
        const there = upTo(links).map((index) => (index % 2 === 0 ? 'author' : 'books'))
        const rest = links % 2 === 0 ? [] : ['books']
        const known = rows.authors.filter((one) => one.books.some((book) => meets(book, 'every')))
        const expected = titles(rows.books.filter((row) => known.some((one) => one.books.includes(row))))
        const key = `filters${brackets([...there, ...rest])}`
        expect(await books(said(key, '$and', many))).toEqual(expected)
      }
    }, 60_000)

    it('go with a search and a sort through relations', async () => {
      const meets = meeting(asked)
      const found = rows.books.filter((row) => row.title.includes('1') && meets(row, 'every'))
      const query = `_q=1&${said('filters', '$and', asked)}`
      const sorted = `fields=title&sort=author.name,genres.name,year&pagination[pageSize]=1000&${query}`
      expect(new Set(titles((await ask(`books?${sorted}`)).data))).toEqual(new Set(titles(found)))
      const { meta } = await ask(`books?sort=author.name,year&pagination[pageSize]=3&${query}`)
      expect(meta.pagination.total).toBe(found.length)
    }, 60_000)

    it('filter a populated relation, whole and in pages', async () => {
      const meets = meeting(asked)
      const condition = said('populate[books][filters]', '$and', asked)
      const names = 'fields=name&sort=id&populate[books][fields]=title&populate[books][sort]=year'
      for (const [page, size] of [
        ['', 1000],
        ['&populate[books][pagination][pageSize]=2', 2],
      ] as const) {
        const { data: found } = await ask(`authors?${names}${page}&${condition}`)
        const expected = rows.authors.map((one) =>
          titles(one.books.filter((row) => meets(row, 'every')).slice(0, size)),
        )
        expect(found.map((one) => titles(one['books'] as Plain[]))).toEqual(expected)
      }
    }, 60_000)

    it('filter populated relations to one', async () => {
      const wanted = upTo(count).map(differs('books.title', title))
      const meets = meeting(wanted)
      const seen = upTo(count).map(differs('name', (index) => `p${String(index % 3)}.png`))
      const isShown = meeting(seen)
      const query = `${said('populate[author][filters]', '$and', wanted)}&${said('populate[cover][filters]', '$and', seen)}`
      const { data: found } = await ask(`books?${all}&${query}`)
      const expected = rows.books.map(({ author: by, cover }) => [
        by !== null && meets(by, 'every') ? by['name'] : undefined,
        cover !== null && isShown(cover, 'every') ? cover['name'] : undefined,
      ])
      const names = (one: unknown): unknown => (one as Plain | null)?.['name']
      expect(found.map((one) => [names(one['author']), names(one['cover'])])).toEqual(expected)
    }, 60_000)
  })

  it('conditions may stand at every level of a chain', async () => {
    const links = ['author', 'books', 'author', 'books']
    const level = (at: number): Make =>
      at % 2 === 0 ? differs('genres.name', genre) : differs('books.title', title)
    for (const count of [2, 5, 10]) {
      const asked = [...links, ''].map((_, at) => upTo(count).map(level(at)))
      const met = asked.map(meeting)
      const isFound = (row: Plain, at: number): boolean => {
        if (met[at]?.(row, 'every') !== true) return false
        const link = links[at]
        if (link === undefined) return true
        const next = row[link] as Plain | readonly Plain[] | null
        return [next ?? []].flat().some((one) => isFound(one, at + 1))
      }
      const query = asked.map((some, at) => said(`filters${brackets(links.slice(0, at))}`, '$and', some))
      const expected = titles(rows.books.filter((row) => isFound(row, 0)))
      expect(await books(query.join('&'))).toEqual(expected)
    }
  }, 60_000)
})
