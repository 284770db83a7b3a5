import { search } from '../../../extensions/search'
import { type Grant, migrate } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { type Served, stocked } from '../../support/served'
import { textContent, textTypes } from './texts'

const permissions: Readonly<Record<string, Grant>> = {
  public: { find: '*' },
  titles: { find: { article: { fields: ['title'] } } },
  authors: { find: ['author'] },
  reader: { find: ['article', 'author'] },
  editor: { find: '*', drafts: '*' },
  nothing: {},
}

interface Body {
  readonly data: readonly {
    readonly type: string
    readonly documentId: string
    readonly locale: string | null
    readonly entry: Readonly<Record<string, unknown>>
  }[]
  readonly meta: { readonly pagination: Readonly<Record<string, unknown>> }
}

const content = {
  ...textContent,
  author: [...textContent.author, { name: 'Rust Cohle' }, { name: 'Rusty' }],
}

onSqlite((database) => {
  const { serve, world } = stocked(database, textTypes, content)
  const extensions = [search({ article: { title: 3, body: 1 }, author: { name: 2 } })]

  beforeAll(async () => {
    await migrate({ contentTypes: textTypes, database: world.config, logger: false, extensions })
  })

  let common: Served | undefined
  const api = (): Served => (common ??= serve({ permissions, extensions }))
  const get = async (query: string, role?: string): Promise<Body> => {
    const response = await api().get(`search?${query}`, role)
    if (response.status !== 200) throw new Error(response.text)
    return response.body as Body
  }
  const namesOf = ({ data }: Body): readonly unknown[] =>
    data.map(({ entry }) => entry['title'] ?? entry['name'])

  /** By points: 8, 6, 4, 3, 2, 2; equal ones by the order of the types. */
  const ranked = [
    ...['Rust never sleeps', 'Rust and oxygen', 'Rust Cohle', 'Rusty nails', 'Systems language', 'Rusty'],
  ]

  it('lists entries of all types by their points', async () => {
    const body = await get('q=rust')
    expect(namesOf(body)).toEqual(ranked)
    expect(body.meta.pagination).toMatchObject({ pageSize: 25, total: 6, hasNextPage: false })
    const [first, , third] = body.data
    expect(first).toMatchObject({
      type: 'article',
      locale: 'en',
      entry: { title: 'Rust never sleeps', views: 4 },
    })
    expect(third).toMatchObject({ type: 'author', locale: null, entry: { name: 'Rust Cohle' } })
    expect(first?.documentId).toBe(first?.entry['documentId'])
  })

  it('lists the types that the query names', async () => {
    expect(namesOf(await get('q=rust&types=author'))).toEqual(['Rust Cohle', 'Rusty'])
    expect(namesOf(await get('q=rost&types=article&locale=de'))).toEqual(['Brücken'])
    expect(namesOf(await get('q=unfinished&status=draft', 'editor'))).toEqual(['Unfinished rust'])
  })

  it('pages by cursors', async () => {
    const found: unknown[] = []
    let after = ''
    for (let turn = 0; turn < 3; turn += 1) {
      const body = await get(`q=rust&pagination[pageSize]=2&pagination[after]=${after}`)
      found.push(...namesOf(body))
      expect(body.meta.pagination).toMatchObject({ total: 6, hasNextPage: turn < 2 })
      after = String(body.meta.pagination['endCursor'])
    }
    expect(found).toEqual(ranked)
  })

  it('searches what the role may read', async () => {
    expect(namesOf(await get('q=rust', 'titles'))).toEqual([
      'Rust and oxygen',
      'Rust never sleeps',
      'Rusty nails',
    ])
    expect(namesOf(await get('q=rust', 'authors'))).toEqual(['Rust Cohle', 'Rusty'])
    expect((await get('q=rust', 'nothing')).data).toEqual([])
  })

  it('leaves out types whose drafts the role may not read, unless they are named', async () => {
    const authors = ['Rust Cohle', 'Rusty']
    expect(namesOf(await get('q=rust&status=draft&types=', 'reader'))).toEqual(authors)
    const named = await api().get('search?q=rust&status=draft&types=article,author', 'reader')
    expect(named.status).toBe(403)
  })

  it('rejects a hidden type like an unknown one', async () => {
    const refusal = (type: string): Promise<object> => api().refusal(`search?q=rust&types=${type}`, 'authors')
    expect(await refusal('article')).toEqual({
      message: 'Invalid types parameter: there is no searched type article',
      path: 'types',
    })
    expect(await refusal('zebra')).toEqual({
      message: 'Invalid types parameter: there is no searched type zebra',
      path: 'types',
    })
    expect(await api().get('search?q=rust&status=draft', 'authors')).toMatchObject({ status: 200 })
    expect(await api().get('search?q=rust&status=draft', 'titles')).toMatchObject({ status: 403 })
  })

  it.each([
    ['', 'The parameter q is required'],
    ['q=a&filters[title]=a', 'Invalid key filters'],
    ['q=a&pagination[page]=2', 'Invalid pagination: expected after, and pageSize up to 100'],
    ['q=a&pagination[pageSize]=1000', 'Invalid pagination: expected after, and pageSize up to 100'],
    ['q=a&pagination[after]=zebra', 'Invalid cursor'],
    ['q=a&locale=*', 'Invalid locale parameter. Expected a locale code'],
    ['q=a+b+c+d+e+f+g+h+i', 'Invalid q parameter: a search can contain at most 8 words and phrases'],
  ])('rejects %s', async (query, message) => {
    expect((await api().refusal(`search?${query}`)).message).toContain(message)
  })

  it('shows the points of a list', async () => {
    const { meta, data } = await api().page('articles?_q=rust&ranks=true&fields=title')
    const { search: found } = meta as object as {
      readonly search: { readonly ranks: Record<string, number> }
    }
    expect(data.map(({ id }) => found.ranks[String(id)])).toEqual([8, 6, 3, 2])
    expect((await api().refusal('articles?_q=rust&ranks=true&sort=views')).message).toBe(
      'The parameter ranks needs the sort _rank',
    )
  })
})
