import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const books = (author: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    $ref: `${author}-${String(index)}`,
    title: `${author} ${String(index)}`,
    year: 2000 + index,
    author,
    genres: index % 2 === 0 ? ['even', 'all'] : ['odd', 'all'],
  }))

const content = {
  genre: ['even', 'odd', 'all'].map((name) => ({ $ref: name, name })),
  author: ['ada', 'bob', 'cid'].map((name) => ({ $ref: name, name })),
  book: [...books('ada', 5), ...books('bob', 2)],
}

const titles = (entries: unknown): unknown[] =>
  (entries as readonly { readonly title: string }[]).map(({ title }) => title)

onSqlite((database) => {
  const shelf = stocked(database, library, content)
  const paged = () => shelf.serve({ nestedPagination: true })

  it('cuts every parent its own page, in the order asked for', async () => {
    const query = 'populate[books][sort]=year:desc&populate[books][pagination][pageSize]=2'
    const authors = await paged().list(`authors?${query}&sort=name`)
    expect(authors.map((author) => titles(author['books']))).toEqual([
      ['ada 4', 'ada 3'],
      ['bob 1', 'bob 0'],
      [],
    ])
  })

  it('cuts by offset as well, after the filters of the branch', async () => {
    const query =
      'populate[books][filters][genres][name]=even&populate[books][pagination][start]=1&populate[books][pagination][limit]=5'
    const authors = await paged().list(`authors?${query}&sort=name`)
    expect(authors.map((author) => titles(author['books']))).toEqual([['ada 2', 'ada 4'], [], []])
  })

  it('tells the total of every parent, even where the page is empty', async () => {
    const query = 'populate[books][pagination][page]=2&populate[books][pagination][pageSize]=3'
    const authors = await paged().list(
      `authors?${query}&populate[books][pagination][withCount]=true&sort=name`,
    )
    const pages = authors.map(({ books: found }) => {
      const { data, meta } = found as { data: unknown; meta: { pagination: unknown } }
      return [titles(data), meta.pagination]
    })
    expect(pages).toEqual([
      [['ada 3', 'ada 4'], { page: 2, pageSize: 3, pageCount: 2, total: 5 }],
      [[], { page: 2, pageSize: 3, pageCount: 1, total: 2 }],
      [[], { page: 2, pageSize: 3, pageCount: 0, total: 0 }],
    ])
  })

  it('cuts many-to-many lists in the order of their join table', async () => {
    const query = 'populate[books][fields]=title&populate[books][pagination][limit]=2'
    const [all] = await paged().list(`genres?filters[name]=all&${query}`)
    expect(titles(all?.['books'])).toEqual(['ada 0', 'ada 1'])
  })

  it('goes on below a page', async () => {
    const query = 'populate[books][pagination][limit]=1&populate[books][populate][genres][fields]=name'
    const [ada] = await paged().list(`authors?filters[name]=ada&${query}`)
    const [book] = ada?.['books'] as readonly { readonly genres: readonly { readonly name: string }[] }[]
    expect(book?.genres.map(({ name }) => name)).toEqual(['even', 'all'])
  })

  it('takes as many statements for one parent as for three', async () => {
    const count = async (filter: string): Promise<number> => {
      let statements = 0
      const count = (): void => {
        statements += 1
      }
      const ignore = (): void => undefined
      const logger = { debug: count, info: ignore, warn: ignore, error: ignore }
      await shelf
        .serve({ nestedPagination: true, logger })
        .list(`authors?${filter}&populate[books][pagination][limit]=1&pagination[withCount]=false`)
      return statements
    }
    expect(await count('filters[name]=ada')).toBe(await count('sort=name'))
  })

  it('refuses pages of what is no list of one type', async () => {
    for (const path of [
      'books?populate[author][pagination][limit]=1',
      'books?populate[sections][pagination][limit]=1',
    ]) {
      expect((await paged().get(path)).status).toBe(400)
    }
  })

  it('says that pages of related entries are off where they are', async () => {
    const { message, path } = await shelf.serve().refusal('authors?populate[books][pagination][limit]=1')
    expect(path).toBe('populate.books.pagination')
    expect(message).toContain('nestedPagination')
  })
})
