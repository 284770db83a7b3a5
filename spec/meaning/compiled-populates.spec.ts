import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

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

/** Each differs from the one before it in one thing, and that stands below the page. */
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

onSqlite((database) => {
  const shelf = stocked(database, library, content)
  const make = () => shelf.serve({ nestedPagination: true })

  it('is compiled once for all pages, and never taken for what differs from it', async () => {
    const answers = new Map<string, string>()
    for (const text of differing) answers.set(text, (await make().get(`authors?${text}`)).text)
    expect(new Set(answers.values()).size).toBe(differing.length)
    const shared = make()
    for (const text of [...differing, ...differing.toReversed()]) {
      const filtered = `authors?filters[name]=ada&filters[age][$gt]=${String(text.length % 7)}&${text}`
      for (const path of [`authors?${text}`, filtered]) {
        const { text: body } = await shared.get(path)
        expect([path, body]).toEqual([path, answers.get(text)])
      }
    }
  })
})
