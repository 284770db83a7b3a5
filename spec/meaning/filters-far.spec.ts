import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'
import { shelves } from '../support/shelves'

type Plain = Readonly<Record<string, unknown>>

const upTo = (count: number): number[] => [...Array(count).keys()]
const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('')

/** The first so many links of a way that goes round. */
const along =
  (...round: readonly string[]) =>
  (links: number): readonly string[] =>
    upTo(links).map((index) => round[index % round.length] ?? '')

/** What a condition at the end says, in the words of a query and as a plain function. */
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

/** Whether a row leads to one that meets the end: where a link leads nowhere that is as one of NULLs. Each row is asked once. */
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

const lengths = [1, 2, 3, 4, 5, 8, 9, 10, 19, 38]
const unlimited = { query: { maxCost: Infinity }, pagination: { maxPageSize: 1000 } }
const all = 'fields=title&sort=year&pagination[pageSize]=1000'

const lastOf = (links: readonly string[]): readonly [name: string, value: string] => {
  const last = links.at(-1)
  if (last === 'books') return ['title', 'B7']
  return last === 'author' ? ['name', 'a3'] : ['name', 'g1']
}

onSqlite((database) => {
  const { rows, content } = shelves(80)
  const { serve } = stocked(database, library, content)
  let free: Served | undefined
  const api = (): Served => (free ??= serve(unlimited))

  describe.each(ways)('conditions far along %s', (_, way) => {
    it.each(lengths)(
      'find what leads there, through %i links',
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

  it('conditions stand on the way, any and all of them', async () => {
    const links = along('author', 'books', 'genres', 'books')(5)
    const far = meeting(links.slice(2), 'name', { words: '', holds: (one) => one === 'a4' })
    for (const op of ['$and', '$or'] as const) {
      const near = (row: Plain): boolean => (row['year'] as number) > 40
      const both = (row: Plain): boolean => (op === '$and' ? near(row) && far(row) : near(row) || far(row))
      const expected = rows.books.filter((row) => row.author?.books.some(both) === true)
      const at = `filters[author][books][${op}]`
      const query = `${at}[0][year][$gt]=40&${at}[1]${brackets(links.slice(2))}[name]=a4`
      expect(await serve(unlimited).values(`books?${all}&${query}`, 'title')).toEqual(
        expected.map(({ title }) => title),
      )
    }
  })

  it('conditions lead through files and components to where these lead', async () => {
    const { values } = serve(unlimited)
    const query = (path: string): string => `books?${all}&filters${path}`
    const covered = rows.books.filter(({ cover }) => cover?.['name'] === 'p1.png')
    const by = rows.books.filter(({ author }) => author?.books.some((one) => covered.includes(one)) === true)
    const titles = by.map(({ title }) => title)
    expect(await values(query('[author][books][cover][name]=p1.png'), 'title')).toEqual(titles)
    const noted = rows.books.filter(({ notes }) => notes.some(({ text }) => text === 'n2'))
    const beside = rows.books.filter(({ genres }) =>
      genres.some(({ books }) => books.some((one) => noted.includes(one))),
    )
    const found = await values(query('[genres][books][notes][text]=n2'), 'title')
    expect(found).toEqual(beside.map(({ title }) => title))
  })

  it('take one statement for a page, and one more for every nine links', async () => {
    const sent: string[] = []
    const { page } = serve({ ...unlimited, onStatement: ({ sql }) => sent.push(sql) })
    const asked = async (links: number): Promise<number> => {
      await page(`books?filters${brackets(along('genres', 'books')(links))}[id][$gt]=0`)
      sent.length = 0
      await page(`books?filters${brackets(along('genres', 'books')(links))}[id][$gt]=1`)
      return sent.filter((text) => text.startsWith('select') && text.includes('found')).length
    }
    expect([await asked(2), await asked(8), await asked(16), await asked(24)]).toEqual([1, 1, 2, 3])
  })
})
