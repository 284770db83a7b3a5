import { join } from 'node:path'
import { contentTypes } from '../../../lib/describe'
import { toldTypes } from '../../../lib/http'
import { readSchema } from '../../../lib/schema'
import { validQueries } from './valid-queries'
import { hoveredAt, offeredAt, problemsIn } from '../../support/type-check'

const config = {
  contentTypes: join(__dirname, '..', '..', '..', 'content-types'),
  database: {},
  nestedPagination: true,
  queries: {
    card: {
      type: 'article',
      query: { fields: ['title'], populate: { author: { fields: ['name'] } } },
      parameters: { tag: 'filters.tags.slug.$eq' },
    },
  },
}

const bound = {
  role: 'reader',
  table: { reader: { find: ['article', 'author'], queries: 'named' } },
} as const

function registry(
  given: { readonly textMatching?: 'database' },
  audience: 'all' | typeof bound = 'all',
): string {
  const schema = readSchema(config.contentTypes)
  const { types, options } = toldTypes({ ...config, ...given }, schema, audience)
  return contentTypes(types, schema, options)
}

const headOf = (content: string): string => `import type { ContentClient } from '../../../lib/client'
import type { ContentFilters, ContentQuery, ContentReader } from '../../../lib/typed'
${content}
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function same<A, B>(yes: Same<A, B>): void
declare const api: ContentReader<Content, object>
declare const client: ContentClient<Content>
declare const perhaps: boolean
declare const names: string[]
declare const slugPerhaps: { slug?: string }
declare const perhapsAuthor: {
  fields: ['title']
  populate: { author: false | { fields: ['name'] }; tags: undefined }
}
declare const put: { fields: ('title' | 'slug')[] }
declare const whole: ContentQuery<Content, 'articles'>
declare const where: ContentFilters<Content, 'articles'>
declare const anything: unknown
declare const table: Record<string, unknown>
`

const head = headOf(registry({}))
const inside = (text: string): string => `${head}export async function run() {\n${text}\n}\n`
const problems = (text: string): readonly string[] => problemsIn(__dirname, inside(text))

/** Of an article, with nothing asked besides. */
const asked = (query: string): string =>
  `const { data, meta } = await api.find('articles', ${query}); const [one] = data; if (!one) return`
const same = (value: string, type: string): string => `same<typeof ${value}, ${type}>(true)`

const ids = 'id: number; documentId: string'

describe('the type of an answer', () => {
  it.each([
    [
      'has the attributes that were asked for',
      `{ fields: ['title', 'slug'] }`,
      'one',
      `{ ${ids}; title: string; slug: string | null }`,
    ],
    ['has one that was asked for by itself', `{ fields: 'fee' }`, 'one', `{ ${ids}; fee: number | null }`],
    [
      'has what there is to choose from',
      `{ fields: ['kind'] }`,
      'one.kind',
      `'essay' | 'walk' | 'interview' | 'notebook' | null`,
    ],
    ['has texts for numbers that JSON would round', `{ fields: ['reads'] }`, 'one.reads', 'string | null'],
    ['knows nothing of JSON', `{ fields: ['sources'] }`, 'one.sources', 'unknown'],
    [
      'may lack in drafts what is required',
      `{ fields: ['title'], status: 'draft' }`,
      'one',
      `{ ${ids}; title: string | null }`,
    ],
    [
      'has a linked entry, or null',
      `{ fields: ['title'], populate: { author: { fields: ['name'] } } }`,
      'one.author',
      `{ ${ids}; name: string } | null`,
    ],
    ['has lists', `{ populate: { tags: { fields: ['name'] } } }`, 'one.tags', `{ ${ids}; name: string }[]`],
    ['has counts', `{ populate: { tags: { count: true } } }`, 'one.tags', '{ count: number }'],
    ['follows paths', `{ populate: ['author.homeCity', 'category'] }`, 'one.author.homeCity.name', 'string'],
    [
      'follows a path by itself',
      `{ populate: 'author.homeCity' }`,
      'one.author.homeCity.country',
      'string | null',
    ],
    [
      'leaves out what was refused',
      `{ fields: ['title'], populate: { author: false, tags: { count: true } } }`,
      'one',
      `{ ${ids}; title: string; tags: { count: number } }`,
    ],
    ['has everything one level deep by a star', `{ populate: '*' }`, 'one.cover.url', 'string'],
    [
      'wraps localizations',
      `{ populate: { localizations: { fields: ['title'] } } }`,
      'one.localizations',
      `{ data: { ${ids}; title: string }[] }`,
    ],
    [
      'tells elements of a zone by their component, and of others no more than which they are',
      `{ populate: { sections: { on: { 'story.prose': { fields: ['heading'] } } } } }`,
      'one.sections[number]',
      `{ id: number; documentId?: string; heading: string | null; __component: 'story.prose' } | { id: number; __component: 'shared.quote' } | { id: number; __component: 'story.slideshow' } | { id: number; __component: 'story.route-card' } | { id: number; __component: 'story.signpost' }`,
    ],
    [
      'has of what on refuses no more than which it is',
      `{ populate: { sections: { on: { 'story.prose': false } } } }`,
      'one.sections[number]',
      `{ id: number; __component: 'story.prose' } | { id: number; __component: 'shared.quote' } | { id: number; __component: 'story.slideshow' } | { id: number; __component: 'story.route-card' } | { id: number; __component: 'story.signpost' }`,
    ],
    [
      'has pages of linked entries',
      `{ populate: { tags: { fields: ['name'], pagination: { pageSize: 2, withCount: true } } } }`,
      'one.tags.data',
      `{ ${ids}; name: string }[]`,
    ],
    [
      'is what a query of the host asks',
      `{ query: 'card', tag: 'rain' }`,
      'one',
      `{ ${ids}; title: string; author: { ${ids}; name: string } | null }`,
    ],
    ['has all attributes by a star among names', `{ fields: ['*', 'title'] }`, 'one.slug', 'string | null'],
    ['has none but its names where none is asked for', `{ fields: [] }`, 'one', `{ ${ids} }`],
    [
      'has a link of which nothing more is asked',
      `{ fields: ['title'], populate: { category: {} } }`,
      'one.category?.name',
      'string | undefined',
    ],
    [
      'perhaps has a link that is perhaps asked for',
      `perhapsAuthor`,
      'one',
      `{ ${ids}; title: string; author?: { ${ids}; name: string } | null }`,
    ],
    [
      'is what a query that is perhaps there asks, or what none does',
      `perhaps ? { fields: ['title'], populate: { author: { fields: ['name'] } } } : undefined`,
      `'author' in one ? one.author?.name : one.body`,
      'string | null | undefined',
    ],
    [
      'says in one or the other way which page it is, where there is perhaps no query',
      `perhaps ? { pagination: { after: '' } } : undefined`,
      `'page' in meta.pagination ? meta.pagination.page : meta.pagination.endCursor`,
      'number | string | null',
    ],
    [
      'is one or the other of one query or the other',
      `perhaps ? { fields: ['title'] } : { fields: ['slug'] }`,
      'one',
      `{ ${ids}; title: string } | { ${ids}; slug: string | null }`,
    ],
    [
      'has a count or a list, where only some counts are asked for',
      `{ populate: { tags: { fields: ['name'], count: perhaps } } }`,
      'one.tags',
      `{ count: number } | { ${ids}; name: string }[]`,
    ],
    [
      'has a list or a page, where only some pages are asked for',
      `{ populate: { tags: { fields: ['name'], pagination: { after: perhaps ? '' : undefined } } } }`,
      'Array.isArray(one.tags) ? one.tags : one.tags.data',
      `{ ${ids}; name: string }[]`,
    ],
    [
      'perhaps has what names that are known at run time alone ask for',
      `{ fields: names }`,
      'one.title',
      'string | undefined',
    ],
    [
      'has no links that one name known at run time alone asks for',
      `{ fields: ['title'], populate: ['author', names.join()] }`,
      'one',
      `{ ${ids}; title: string }`,
    ],
    [
      'says in one or the other way which page it is, where a cursor is perhaps none',
      `{ pagination: { after: perhaps ? 'c' : undefined } }`,
      `'page' in meta.pagination ? meta.pagination.page : meta.pagination.endCursor`,
      'number | string | null',
    ],
    [
      'has no links that names known at run time alone ask for',
      `{ fields: ['title'], populate: names }`,
      'one',
      `{ ${ids}; title: string }`,
    ],
    ['perhaps has what a list of names asks for', `put`, 'one.title', 'string | undefined'],
    ['always has its names', `put`, 'one.documentId', 'string'],
    [
      'perhaps has what a query asks for that is not known',
      `whole`,
      'one.title',
      'string | null | undefined',
    ],
    ['says by number which page it is', `{}`, 'meta.pagination.page', 'number'],
    ['says by offset which page it is', `{ pagination: { limit: 3 } }`, 'meta.pagination.start', 'number'],
    [
      'says by cursors which page it is',
      `{ pagination: { after: '' } }`,
      'meta.pagination.endCursor',
      'string | null',
    ],
  ])('%s', (_what, query, value, type) => {
    const filled = value.replace(/\.(author|homeCity|cover)(?=\.)/g, '.$1!').replace('[number]', '')
    const shown = value.endsWith('[number]') ? `(typeof ${filled})[number]` : `typeof shown`
    const text = `${asked(query)}\nconst shown = ${filled}\nsame<${shown}, ${type}>(true)\nvoid [shown, meta]`
    expect(problems(text)).toEqual([])
  })

  it('goes down ten links', () => {
    const path = Array.from({ length: 10 }, () => 'sequel').join('.')
    const way = Array.from({ length: 10 }, () => 'sequel?.').join('')
    const text = `${asked(`{ populate: ['${path}'] }`)}\n${same(`title`, 'string | undefined')}\nvoid meta`
    expect(problems(text.replace('same<', `const title = one.${way}title\nsame<`))).toEqual([])
    expect(problems(`${asked(`{ populate: ['${path}'] }`)}\nvoid [one.${way}sequel, meta]`)).toEqual([
      expect.stringContaining(`Property 'sequel' does not exist`),
    ])
  })

  it.each([
    ['an attribute that was not asked for', `{ fields: ['title'] }`, 'one.body'],
    ['a link that was not populated', `{}`, 'one.author'],
    [
      'a link of a query that is perhaps there',
      `perhaps ? { populate: ['author'] } : undefined`,
      'one.author',
    ],
    ['an attribute of a linked entry', `{ populate: { author: { fields: ['name'] } } }`, 'one.author?.bio'],
    [
      'what is perhaps no more than an element',
      `{ populate: { sections: { on: { 'story.prose': perhaps } } } }`,
      `one.sections.map((one) => one.__component === 'story.prose' && one.heading)`,
    ],
  ])('lacks %s', (_what, query, value) => {
    expect(problems(`${asked(query)}\nvoid [${value}, meta]`)).toEqual([
      expect.stringContaining('does not exist on type'),
    ])
  })

  it.each([
    ['{ pagination: { withCount: true } }', 'number'],
    [`{ pagination: { after: '', withCount: true } }`, 'number'],
    ['{ pagination: { withCount: perhaps } }', 'number | undefined'],
    ['{}', 'number | undefined'],
  ])('tells a total where it is asked for: %s', (query, type) => {
    const text = `${asked(query)}\n${same('meta.pagination.total', type)}\nvoid one`
    expect(problems(text)).toEqual([])
  })

  it('reads as one object', () => {
    const query = `{ fields: ['title'], populate: { author: { fields: ['name'] }, tags: { count: true } } }`
    const hovered = hoveredAt(
      __dirname,
      inside(`const { |data } = await api.find('articles', ${query})\nvoid data`),
      '|',
    )
    expect(hovered).toMatch(/^const data: \{ [^<>&]+ \}\[\]$/)
    for (const part of ['title: string', 'name: string', 'tags: { count: number; }', '} | null'])
      expect(hovered).toContain(part)
  })
})

describe('a query', () => {
  it.each([...validQueries, `{ filters: { title: null, sources: null, fee: { $eq: null } } }`])(
    'may be %s',
    (query) => {
      expect(problems(`await api.find('articles', ${query})`)).toEqual([])
    },
  )

  // The mark stands in front of where the error is to stand.
  it.each([
    [`{ fields: [!'titel'] }`, 'there are only', '"title"'],
    [`{ !feilds: ['title'], sort: 'title' }`, 'there are only', '"fields"'],
    [`{ !populate: 'athor' }`, 'there are only', '"author"'],
    [`{ populate: [!'author.homeCty'] }`, 'there are only', '"homeCity"'],
    [`{ populate: { !athor: true, tags: true } }`, 'there are only', '"author"'],
    [
      `{ populate: { author: { populate: { homeCity: { fields: [!'nam'] } } } } }`,
      'there are only',
      '"name"',
    ],
    [`{ populate: { author: { !felds: ['name'] } } }`, 'there are only', '"fields"'],
    [`{ populate: { sections: { on: { !'story.pose': true } } } }`, 'there are only', '"story.prose"'],
    [
      `{ populate: { sections: { on: { 'story.prose': { fields: [!'headin'] } } } } }`,
      'there are only',
      '"heading"',
    ],
    [`{ populate: { !author: '*' } }`, 'this takes', 'boolean'],
    [`{ populate: { sections: { on: { !'story.prose': '*' } } } }`, 'this takes', 'boolean'],
    [`{ !sort: 'author.nam:desc' }`, 'there are only', '"name"'],
    [`{ sort: ['title', !'titel:asc'] }`, 'there are only', '"title"'],
    [`{ sort: [!'athors.name'] }`, 'there are only', '"author"'],
    [`{ filters: { !titel: 'x', title: 'y' } }`, 'there are only', '"title"'],
    [`{ filters: { title: { !$containz: 'x', $eq: 'y' } } }`, 'there are only', '"$contains"'],
    [`{ filters: { fee: { !$contains: '1' } } }`, 'there are only', '"$gt"'],
    [`{ filters: { sources: { !$eq: '1' } } }`, 'there are only', '"$null"'],
    [`{ filters: { !kind: 'novel' } }`, 'this takes', '"essay"'],
    [`{ filters: { fee: { !$gt: true } } }`, 'this takes', 'number'],
    [`{ filters: { sections: { $some: { __component: { !$null: true } } } } }`, 'there are only', '"$in"'],
    [`{ filters: { sections: { $some: { __component: { !$contains: 'p' } } } } }`, 'there are only', '"$in"'],
    [`{ filters: { sections: { $some: { !__component: 7 } } } }`, 'this takes', '"story.prose"'],
    [`{ filters: { author: { !nam: 'x', name: 'y' } } }`, 'there are only', '"name"'],
    [`{ filters: { tags: { $some: { !nme: 'x' } } } }`, 'there are only', '"name"'],
    [`{ filters: { $or: [{ !titel: 'x' }] } }`, 'there are only', '"title"'],
    [
      `{ filters: { sections: { $some: { on: { 'story.prose': { !headin: 'x' } } } } } }`,
      'there are only',
      '"heading"',
    ],
    [`{ populate: { author: { !pagination: { limit: 3 } } } }`, 'there are only', '"count"'],
    [`{ pagination: { !pagesize: 3 } }`, 'there are only', '"pageSize"'],
    [`{ !status: 'drafts' }`, 'this takes', '"draft"'],
    [`{ fields: [!perhaps ? 'title' : 'slug'] }`, 'this takes', '"one name"'],
    [`{ populate: ['author.homeCity.walks', !'author.homeCity'] }`, 'this takes', '"a place before'],
    [`{ populate: [!perhaps ? 'author' : 'tags'] }`, 'this takes', '"one name"'],
    [`{ filters: { sections: { !$null: true } } }`, 'there are only', '"$count"'],
    [`{ !populate: true }`, 'this takes', 'ContentPopulate'],
    [`{ populate: [!'*'] }`, 'there are only', '"author"'],
    [`{ populate: ['author.homeCity', !'author.*'] }`, 'there are only', '"homeCity"'],
    [`{ populate: { sections: { !on: {} } } }`, 'there are only', '"story.prose"'],
    [`{ !sort: 'sources' }`, 'there are only', '"title"'],
    [`{ sort: [!'sections.heading'] }`, 'there are only', '"$count"'],
    [`{ filters: { !author: 'Amara' } }`, 'this takes', '"conditions"'],
    [`{ filters: { title: { !$eq: perhaps ? 'x' : undefined } } }`, 'this takes', 'string'],
    [`{ filters: { !title: {} } }`, 'this takes', '"conditions"'],
    [`{ filters: { !$or: [] } }`, 'this takes', '"conditions"'],
    [`{ filters: { $or: [!{}] } }`, 'this takes', '"conditions"'],
    [`{ filters: { !$not: {} } }`, 'this takes', '"conditions"'],
    [`{ filters: { tags: { !$none: {} } } }`, 'this takes', '"conditions"'],
    [`{ filters: { !readingMinutes: 'many' } }`, 'this takes', 'number'],
    [`{ filters: { !featured: new Date() } }`, 'this takes', 'boolean'],
    [`{ filters: { fee: { !$gt: new Date() } } }`, 'this takes', 'number'],
    [`{ filters: { !fee: new Date() } }`, 'this takes', 'number'],
    [`{ !filters: anything }`, 'this takes', '"conditions"'],
    [`{ populate: { author: { !filters: anything } } }`, 'this takes', '"conditions"'],
    [`{ query: 'card', tag: 'rain', !tagg: 'x' }`, 'there are only', '"tag"'],
    [`{ !query: 'crad' }`, 'there are only', '"card"'],
  ])('is refused at its place: %s', (marked, words, names) => {
    const found = problems(`await api.find('articles', ${marked.replace('!', '/*here*/')})`)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/\/\*here\*\/⟶/)
    expect(found[0]).toContain(words === 'this takes' ? 'ThisTakes' : 'ThereAreOnly')
    expect(found[0]).toContain(names)
  })

  it.each([
    [`await api.find('article')`, `'"article"'`],
    [`await api.find('homepage')`, `'"homepage"'`],
    [`await api.single('articles')`, `'"articles"'`],
    [`await api.by('articles', 'title', 'x')`, `'"slug"'`],
    [`await api.findOne('articles', 'x', { sort: 'title' })`, 'ThereAreOnly'],
    [`await api.find('articles', { query: 'card' })`, `'tag'`],
    [`await api.find('articles', { filters: slugPerhaps })`, `'slug'`],
    [`await api.find('articles', { filters: { title: 'x', ...(perhaps && { slug: 'y' }) } })`, `'slug'`],
    [`await api.find('articles', { fields: null })`, 'null'],
    [`await api.find('articles', { filters: null })`, 'null'],
    [`await api.find('articles', { filters: table })`, 'unknown'],
    ...['fields', 'filters', 'populate', 'sort', 'pagination'].map((part) => [
      `await api.find('articles', { ${part}: null as unknown })`,
      `'unknown'`,
    ]),
    [`await api.find('articles', { populate: { author: null as unknown } })`, `'unknown'`],
    [`await api.find('articles', { filters: { title: undefined } })`, `'undefined'`],
    [`client.each('articles', { pagination: { limit: 3 } })`, '"pageSize"'],
  ])('is refused: %s', (text, name) => {
    const found = problems(text)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(name)
  })

  it.each([
    [`{ page: 1, start: 2 }`, 2],
    [`{ pageSize: 1, limit: 2 }`, 2],
    [`{ after: '', page: 2 }`, 2],
    [`{ after: '', before: '' }`, 2],
    [`perhaps ? { page: 1 } : { start: 1 }`, 0],
    [`whole.pagination`, 0],
  ])('asks for pages in one way: %s', (pagination, count) => {
    const found = problems(`await api.find('articles', { pagination: ${pagination} })`)
    expect(found).toHaveLength(count)
    expect(found.filter((one) => one.includes('its place without'))).toHaveLength(count)
  })

  it('compares instants with dates and as texts where the database compares', () => {
    const filters = `{ publishedAt: { $lt: new Date(), $contains: '2024', $in: [new Date()] }, createdAt: new Date() }`
    const found = problemsIn(
      __dirname,
      `${headOf(registry({ textMatching: 'database' }))}export const asked = api.find('articles', { filters: ${filters} })`,
    )
    expect(found).toEqual([])
  })

  describe('of a role that is bound to queries of the host', () => {
    const top = `${headOf(registry({}, bound))}export async function run() {\n`
    const problemsOfBound = (text: string): readonly string[] => problemsIn(__dirname, `${top}${text}\n}\n`)

    it.each([
      [`await api.find('articles', { query: 'card', tag: 'rain' })`],
      [`for await (const { title } of client.each('articles', { query: 'card', tag: 'rain' })) void title`],
    ])('names one of them: %s', (text) => {
      expect(problemsOfBound(text)).toEqual([])
    })

    it.each([
      [`await api.find(/*here*/'articles')`, 'query'],
      [`await api.find('articles', /*here*/{})`, 'query'],
      [`client.each(/*here*/'articles')`, 'query'],
      [
        `await api.find('articles', /*here*/perhaps ? { query: 'card', tag: 'rain' } : undefined)`,
        'undefined',
      ],
      [`await api.find('articles', { /*here*/fields: ['title'] })`, 'query'],
      [`await api.find('articles', /*here*/{ pagination: { page: 2 } })`, 'query'],
      [`await api.find('articles', { /*here*/query: 'crad' })`, '"card"'],
    ])('is refused without: %s', (text, name) => {
      const found = problemsOfBound(text)
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(/\/\*here\*\/⟶/)
      expect(found[0]).toContain(name)
    })

    it('is offered', () => {
      const offered = offeredAt(__dirname, `${top}api.find('articles', { | })\n}\n`, '|')
      expect(offered).toEqual(expect.arrayContaining(['query']))
    })
  })

  it('may be a part of any query', () => {
    const part = (name: string): string => `await api.find('articles', { ${name}: whole.${name} })`
    const parts = ['filters', 'fields', 'sort', 'pagination', 'populate']
    expect(parts.flatMap((name) => problems(part(name)))).toEqual([])
    expect(
      [
        `await api.find('articles', { ...whole, pagination: { page: 2 } })`,
        `await api.find('articles', { filters: { $and: [where, { kind: 'essay' }], $not: where } })`,
        `await api.find('authors', { filters: { articles: { $some: where } } })`,
      ].flatMap(problems),
    ).toEqual([])
  })

  it('is offered to whoever writes it, at every depth', () => {
    const offered = (text: string): readonly string[] => offeredAt(__dirname, inside(text), '|')
    expect(offered(`api.find('|')`)).toEqual(expect.arrayContaining(['articles', 'authors']))
    expect(offered(`api.find('articles', { | })`)).toEqual(
      expect.arrayContaining(['fields', 'filters', 'query']),
    )
    expect(offered(`api.find('articles', { fields: ['|'] })`)).toEqual(
      expect.arrayContaining(['title', 'slug']),
    )
    expect(offered(`api.find('articles', { populate: { | } })`)).toEqual(
      expect.arrayContaining(['author', 'sections']),
    )
    expect(
      offered(
        `api.find('articles', { populate: { author: { populate: { homeCity: { fields: ['|'] } } } } })`,
      ),
    ).toEqual(expect.arrayContaining(['name', 'country']))
    expect(offered(`api.find('articles', { filters: { author: { | } } })`)).toEqual(
      expect.arrayContaining(['name', '$some']),
    )
    expect(offered(`api.find('articles', { filters: { kind: '|' } })`)).toEqual(
      expect.arrayContaining(['essay', 'walk']),
    )
  })
})
