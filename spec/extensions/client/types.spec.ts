import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namedQueries } from '../../../extensions/queries'
import { contentTypes } from '../../../tools/types'
import { typesForRole } from '../../../lib/http'
import { readSchema } from '../../../lib/schema'
import { misplacedAggregates, typedAggregates, validAggregates } from './aggregate-queries'
import { validQueries } from './valid-queries'
import { parseAddress } from '../../../extensions/explorer/page/address'
import { codeOf } from '../../../extensions/explorer/page/code'
import { type PageData, typeAt, typesByUid } from '../../../extensions/explorer/page/page-data'
import { serveSample } from '../../support/sample-site'
import { modulesIn, type Snippet, statementsIn } from '../../support/type-check'
import { recordedModules } from './recorded-types'

const root = join(__dirname, '..', '..', '..')

const config = {
  contentTypes: join(root, 'content-types'),
  database: {},
  nestedPagination: true,
  extensions: [
    namedQueries({
      card: {
        type: 'article',
        query: { fields: ['title'], populate: { author: { fields: ['name'] } } },
        parameters: { tag: 'filters.tags.slug.$eq' },
      },
    }),
  ],
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
  const { types, options } = typesForRole({ ...config, ...given }, schema, audience)
  return contentTypes(types, schema, options)
}

const headOf = (content: string): string => `import type { ContentClient } from '../../../extensions/client'
import type { ContentFilters, ContentQuery, ContentReader } from '../../../extensions/client'
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

const statement = statementsIn(__dirname, headOf(registry({})))
const asBound = statementsIn(__dirname, headOf(registry({}, bound)))

/** Of an article, with nothing asked besides. */
const asked = (query: string): string =>
  `const { data, meta } = await api.find('articles', ${query}); const [one] = data; if (!one) return`
const same = (value: string, type: string): string => `same<typeof ${value}, ${type}>(true)`

const ids = 'id: number; documentId: string'

const inModule = modulesIn(__dirname)

const exploredQueries = [
  'articles?fields=title,slug&sort=title:desc,id&populate=author,tags',
  'articles?fields=title&sort=title&populate[author][fields]=name',
  'articles?filters[featured]=false&filters[$or][0][featured][$in][0]=true&filters[$or][1][fee][$gt]=3',
  'articles?filters[$not][featured][$eq]=t&filters[tags][$some][name]=rain&filters[sections][$count][$gte]=2',
  'articles?populate[sections][on][story.prose][fields]=heading,text&populate[tags][count]=true',
  'articles?filters[author][homeCity][name][$startsWithi]=l&pagination[page]=2&pagination[withCount]=false',
  'articles?populate[author][filters][articles][$some][featured]=true&locale=fr&fallback=en',
  'articles/by/slug/four-kinds-of-rain?fields=title',
]
const explored = new Map<string, Snippet>()
const site = serveSample()
beforeAll(async () => {
  const told = (await (await fetch(`${site.at}/explorer/types`)).json()) as PageData
  for (const text of exploredQueries) {
    const asked = parseAddress(`/api/${text}`, told.at)
    const code = codeOf('typed client', {
      ...{ ...asked, type: typeAt(told.types, asked.path[0] ?? ''), types: typesByUid(told.types) },
      ...{ origin: site.at, at: told.at, ask: '/explorer/ask', role: '', isNamed: false, hasToken: false },
    })
    const here = String(code)
      .replace('express-content-router/client', '../../../extensions/client')
      .replace("'./content'", "'./sample-content'")
    explored.set(text, inModule(here))
  }
})

describe('the type of a response', () => {
  const shown = [
    [
      'has the requested attributes',
      `{ fields: ['title', 'slug'] }`,
      'one',
      `{ ${ids}; title: string; slug: string | null }`,
    ],
    [
      'has an attribute that is requested by its name alone',
      `{ fields: 'fee' }`,
      'one',
      `{ ${ids}; fee: number | null }`,
    ],
    [
      'has the values of an enumeration',
      `{ fields: ['kind'] }`,
      'one.kind',
      `'essay' | 'walk' | 'interview' | 'notebook' | null`,
    ],
    ['has strings for big integers', `{ fields: ['reads'] }`, 'one.reads', 'string | null'],
    ['has unknown for JSON', `{ fields: ['sources'] }`, 'one.sources', 'unknown'],
    [
      'has null for required attributes of drafts',
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
    [
      'has a list of linked entries',
      `{ populate: { tags: { fields: ['name'] } } }`,
      'one.tags',
      `{ ${ids}; name: string }[]`,
    ],
    [
      'has a count of linked entries',
      `{ populate: { tags: { count: true } } }`,
      'one.tags',
      '{ count: number }',
    ],
    [
      'follows dotted paths',
      `{ populate: ['author.homeCity', 'category'] }`,
      'one.author.homeCity.name',
      'string',
    ],
    [
      'follows a single dotted path',
      `{ populate: 'author.homeCity' }`,
      'one.author.homeCity.country',
      'string | null',
    ],
    [
      'leaves out a relation that is false',
      `{ fields: ['title'], populate: { author: false, tags: { count: true } } }`,
      'one',
      `{ ${ids}; title: string; tags: { count: number } }`,
    ],
    ['has all relations of one level for a star', `{ populate: '*' }`, 'one.cover.url', 'string'],
    [
      'wraps localizations',
      `{ populate: { localizations: { fields: ['title'] } } }`,
      'one.localizations',
      `{ data: { ${ids}; title: string }[] }`,
    ],
    [
      'has the attributes of listed components of a zone, and the names of others',
      `{ populate: { sections: { on: { 'story.prose': { fields: ['heading'] } } } } }`,
      'one.sections[number]',
      `{ id: number; documentId?: string; heading: string | null; __component: 'story.prose' } | { id: number; __component: 'shared.quote' } | { id: number; __component: 'story.slideshow' } | { id: number; __component: 'story.route-card' } | { id: number; __component: 'story.signpost' }`,
    ],
    [
      'has the name of a component that is false',
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
      'is that of a named query',
      `{ query: 'card', tag: 'rain' }`,
      'one',
      `{ ${ids}; title: string; author: { ${ids}; name: string } | null }`,
    ],
    ['has all attributes for a star among names', `{ fields: ['*', 'title'] }`, 'one.slug', 'string | null'],
    ['has only ids for an empty list of fields', `{ fields: [] }`, 'one', `{ ${ids} }`],
    [
      'has a relation that is populated by an empty object',
      `{ fields: ['title'], populate: { category: {} } }`,
      'one.category?.name',
      'string | undefined',
    ],
    [
      'has an optional relation where the query may populate it',
      `perhapsAuthor`,
      'one',
      `{ ${ids}; title: string; author?: { ${ids}; name: string } | null }`,
    ],
    [
      'is a union where the query is optional',
      `perhaps ? { fields: ['title'], populate: { author: { fields: ['name'] } } } : undefined`,
      `'author' in one ? one.author?.name : one.body`,
      'string | null | undefined',
    ],
    [
      'has both kinds of pagination where the query is optional',
      `perhaps ? { pagination: { after: '' } } : undefined`,
      `'page' in meta.pagination ? meta.pagination.page : meta.pagination.endCursor`,
      'number | string | null',
    ],
    [
      'is a union where the query is one of two',
      `perhaps ? { fields: ['title'] } : { fields: ['slug'] }`,
      'one',
      `{ ${ids}; title: string } | { ${ids}; slug: string | null }`,
    ],
    [
      'has a count or a list where the count is conditional',
      `{ populate: { tags: { fields: ['name'], count: perhaps } } }`,
      'one.tags',
      `{ count: number } | { ${ids}; name: string }[]`,
    ],
    [
      'has a list or a page where counting a nested page is conditional',
      `{ populate: { tags: { fields: ['name'], pagination: { withCount: perhaps } } } }`,
      'Array.isArray(one.tags) ? one.tags : one.tags.data',
      `{ ${ids}; name: string }[]`,
    ],
    [
      'has optional attributes for names that are known at run time',
      `{ fields: names }`,
      'one.title',
      'string | undefined',
    ],
    [
      'has no relation for one name that is known at run time',
      `{ fields: ['title'], populate: ['author', names.join()] }`,
      'one',
      `{ ${ids}; title: string }`,
    ],
    [
      'has both kinds of pagination where the cursor is optional',
      `{ pagination: { after: perhaps ? 'c' : undefined } }`,
      `'page' in meta.pagination ? meta.pagination.page : meta.pagination.endCursor`,
      'number | string | null',
    ],
    [
      'has no relations for names that are known at run time',
      `{ fields: ['title'], populate: names }`,
      'one',
      `{ ${ids}; title: string }`,
    ],
    [
      'has optional attributes for a list of names of unknown length',
      `put`,
      'one.title',
      'string | undefined',
    ],
    ['always has ids', `put`, 'one.documentId', 'string'],
    ['has optional attributes for an unknown query', `whole`, 'one.title', 'string | null | undefined'],
    ['has page numbers by default', `{}`, 'meta.pagination.page', 'number'],
    ['has an offset for a limit', `{ pagination: { limit: 3 } }`, 'meta.pagination.start', 'number'],
    [
      'has cursors for a cursor',
      `{ pagination: { after: '' } }`,
      'meta.pagination.endCursor',
      'string | null',
    ],
  ] as const
  const showing = (query: string, value: string, type: string): string => {
    const filled = value.replace(/\.(author|homeCity|cover)(?=\.)/g, '.$1!').replace('[number]', '')
    const shown = value.endsWith('[number]') ? `(typeof ${filled})[number]` : `typeof shown`
    return `${asked(query)}\nconst shown = ${filled}\nsame<${shown}, ${type}>(true)\nvoid [shown, meta]`
  }
  it.each(shown.map(([what, query, value, type]) => [what, statement(showing(query, value, type))] as const))(
    '%s',
    (_what, { problems }) => {
      expect(problems()).toEqual([])
    },
  )

  const path = Array.from({ length: 10 }, () => 'sequel').join('.')
  const way = Array.from({ length: 10 }, () => 'sequel?.').join('')
  const down = asked(`{ populate: ['${path}'] }`)
  const ten = statement(
    `${down}\nconst title = one.${way}title\n${same('title', 'string | undefined')}\nvoid meta`,
  )
  const eleven = statement(`${down}\nvoid [one.${way}sequel, meta]`)

  it('follows ten relations', () => {
    expect(ten.problems()).toEqual([])
    expect(eleven.problems()).toEqual([expect.stringContaining(`Property 'sequel' does not exist`)])
  })

  const absent = [
    ['an attribute that was not requested', `{ fields: ['title'] }`, 'one.body'],
    ['a relation that was not populated', `{}`, 'one.author'],
    ['a relation of an optional query', `perhaps ? { populate: ['author'] } : undefined`, 'one.author'],
    ['an attribute of a linked entry', `{ populate: { author: { fields: ['name'] } } }`, 'one.author?.bio'],
    [
      'an attribute of a component that is conditional',
      `{ populate: { sections: { on: { 'story.prose': perhaps } } } }`,
      `one.sections.map((one) => one.__component === 'story.prose' && one.heading)`,
    ],
  ] as const
  it.each(
    absent.map(
      ([what, query, value]) => [what, statement(`${asked(query)}\nvoid [${value}, meta]`)] as const,
    ),
  )('lacks %s', (_what, { problems }) => {
    expect(problems()).toEqual([expect.stringContaining('does not exist on type')])
  })

  const totals = [
    ['{ pagination: { withCount: true } }', 'number'],
    [`{ pagination: { after: '', withCount: true } }`, 'number'],
    [`{ pagination: { withCount: 'estimated' } }`, 'number'],
    ['{ pagination: { withCount: perhaps } }', 'number | undefined'],
    ['{}', 'number | undefined'],
  ] as const
  it.each(
    totals.map(([query, type]) => {
      const text = `${asked(query)}\n${same('meta.pagination.total', type)}\nvoid one`
      return [query, statement(text)] as const
    }),
  )('has a total where it is requested: %s', (_query, { problems }) => {
    expect(problems()).toEqual([])
  })

  const wide = `{ fields: ['title'], populate: { author: { fields: ['name'] }, tags: { count: true } } }`
  const hover = statement(`const { ‸data } = await api.find('articles', ${wide})\nvoid data`)

  it('is shown by editors as one object', () => {
    const hovered = hover.hovered()
    expect(hovered).toMatch(/^const data: \{ [^<>&]+ \}\[\]$/)
    for (const part of ['title: string', 'name: string', 'tags: { count: number; }', '} | null'])
      expect(hovered).toContain(part)
  })
})

describe('a query', () => {
  const found = (query: string): string => `await api.find('articles', ${query})`
  const valid = [...validQueries, `{ filters: { title: null, sources: null, fee: { $eq: null } } }`]
  it.each(valid.map((query) => [query, statement(found(query))] as const))(
    'may be %s',
    (_query, { problems }) => {
      expect(problems()).toEqual([])
    },
  )

  // The exclamation mark stands where the error is expected.
  const misplaced = [
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
    [`{ populate: { tags: { pagination: { !after: '' } } } }`, 'there are only', '"pageSize"'],
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
  ] as const
  it.each(
    misplaced.map(
      ([marked, ...said]) => [marked, statement(found(marked.replace('!', '/*here*/'))), ...said] as const,
    ),
  )('is rejected where it is wrong: %s', (_marked, { problems }, words, names) => {
    const found = problems()
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/\/\*here\*\/⟶/)
    expect(found[0]).toContain(words === 'this takes' ? 'ThisTakes' : 'ThereAreOnly')
    expect(found[0]).toContain(names)
  })

  const wrong = [
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
    ...['fields', 'filters', 'populate', 'sort', 'pagination'].map(
      (part) => [`await api.find('articles', { ${part}: null as unknown })`, `'unknown'`] as const,
    ),
    [`await api.find('articles', { populate: { author: null as unknown } })`, `'unknown'`],
    [`await api.find('articles', { filters: { title: undefined } })`, `'undefined'`],
    [`client.each('articles', { pagination: { limit: 3 } })`, '"pageSize"'],
  ] as const
  it.each(wrong.map(([text, name]) => [text, statement(text), name] as const))(
    'is rejected: %s',
    (_text, { problems }, name) => {
      const found = problems()
      expect(found).toHaveLength(1)
      expect(found[0]).toContain(name)
    },
  )

  const pages = [
    [`{ page: 1, start: 2 }`, 2],
    [`{ pageSize: 1, limit: 2 }`, 2],
    [`{ after: '', page: 2 }`, 2],
    [`{ after: '', before: '' }`, 2],
    [`perhaps ? { page: 1 } : { start: 1 }`, 0],
    [`whole.pagination`, 0],
  ] as const
  it.each(
    pages.map(
      ([pagination, count]) =>
        [pagination, statement(found(`{ pagination: ${pagination} }`)), count] as const,
    ),
  )('has one kind of pagination: %s', (_pagination, { problems }, count) => {
    const found = problems()
    expect(found).toHaveLength(count)
    expect(found.filter((one) => one.includes('its place without'))).toHaveLength(count)
  })

  const instants = `{ publishedAt: { $lt: new Date(), $contains: '2024', $in: [new Date()] }, createdAt: new Date() }`
  const byDatabase = statementsIn(
    __dirname,
    headOf(registry({ textMatching: 'database' })),
  )(found(`{ filters: ${instants} }`))

  it('compares instants with dates and substrings where the database compares', () => {
    expect(byDatabase.problems()).toEqual([])
  })

  describe('of a role that is bound to named queries', () => {
    const named = [
      [`await api.find('articles', { query: 'card', tag: 'rain' })`],
      [`for await (const { title } of client.each('articles', { query: 'card', tag: 'rain' })) void title`],
    ] as const
    it.each(named.map(([text]) => [text, asBound(text)] as const))(
      'names one of them: %s',
      (_text, { problems }) => {
        expect(problems()).toEqual([])
      },
    )

    const unnamed = [
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
    ] as const
    it.each(unnamed.map(([text, name]) => [text, asBound(text), name] as const))(
      'is rejected without: %s',
      (_text, { problems }, name) => {
        const found = problems()
        expect(found).toHaveLength(1)
        expect(found[0]).toMatch(/\/\*here\*\/⟶/)
        expect(found[0]).toContain(name)
      },
    )

    const open = asBound(`api.find('articles', { ‸ })`)

    it('is completed', () => {
      expect(open.offered()).toEqual(expect.arrayContaining(['query']))
    })
  })

  const parts = ['filters', 'fields', 'sort', 'pagination', 'populate']
    .map((name) => found(`{ ${name}: whole.${name} }`))
    .concat(
      found('{ ...whole, pagination: { page: 2 } }'),
      found(`{ filters: { $and: [where, { kind: 'essay' }], $not: where } }`),
      `await api.find('authors', { filters: { articles: { $some: where } } })`,
    )
  it.each(parts.map((text) => [text, statement(text)] as const))(
    'may hold parts of another: %s',
    (_text, { problems }) => {
      expect(problems()).toEqual([])
    },
  )

  const open = [
    [`api.find('‸')`, ['articles', 'authors']],
    [`api.find('articles', { ‸ })`, ['fields', 'filters', 'query']],
    [`api.find('articles', { fields: ['‸'] })`, ['title', 'slug']],
    [`api.find('articles', { populate: { ‸ } })`, ['author', 'sections']],
    [
      `api.find('articles', { populate: { author: { populate: { homeCity: { fields: ['‸'] } } } } })`,
      ['name', 'country'],
    ],
    [`api.find('articles', { filters: { author: { ‸ } } })`, ['name', '$some']],
    [`api.find('articles', { filters: { kind: '‸' } })`, ['essay', 'walk']],
  ] as const
  it.each(open.map(([text, names]) => [text, statement(text), names] as const))(
    'is completed by editors: %s',
    (_text, { offered }, names) => {
      expect(offered()).toEqual(expect.arrayContaining([...names]))
    },
  )
})

describe('groups', () => {
  const grouped = (query: string): string =>
    `const { data, meta } = await client.aggregate('articles', ${query}); const [row] = data; if (!row) return`
  const typed = typedAggregates.map(([query, value, type]) => {
    const text = `${grouped(query)}\nconst shown = ${value}\n${same('shown', type)}\nvoid meta`
    return [query, statement(text)] as const
  })
  const valid = validAggregates.map((query) => [query, statement(`${grouped(query)}\nvoid meta`)] as const)
  it.each([...typed, ...valid])('have the type of %s', (_query, { problems }) => {
    expect(problems()).toEqual([])
  })

  const misplaced = misplacedAggregates.map(([marked, names]) => {
    const query = marked.replace('!', '/*here*/')
    return [marked, statement(`await client.aggregate('articles', ${query})`), names] as const
  })
  it.each(misplaced)('are rejected where the query is wrong: %s', (_marked, { problems }, names) => {
    const found = problems()
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/\/\*here\*\/⟶/)
    expect(found[0]).toContain(names)
  })

  const inProcess = statement(
    `const { data } = await api.read('articles', 'aggregate', { groupBy: 'kind', aggregate: { count: true } })
    ${same('data[number]', `{ group: { kind: 'essay' | 'walk' | 'interview' | 'notebook' | null }; count: number }`).replace('typeof data[number]', '(typeof data)[number]')}`,
  )
  const bound = asBound(`await client.aggregate('articles', { aggregate: { count: true } })`)
  const open = [
    [`client.aggregate('‸')`, ['articles', 'authors']],
    [`client.aggregate('articles', { ‸ })`, ['aggregate', 'groupBy', 'having']],
    [`client.aggregate('articles', { aggregate: { ‸ } })`, ['count', 'sum']],
    [`client.aggregate('articles', { aggregate: { sum: ['‸'] } })`, ['fee']],
  ] as const
  const completed = open.map(([text, names]) => [text, statement(text), names] as const)

  it('have the same type without HTTP, and none for roles with named queries', () => {
    expect(inProcess.problems()).toEqual([])
    expect(bound.problems()).toEqual([expect.stringContaining('never')])
  })

  it.each(completed)('are completed by editors: %s', (_text, { offered }, names) => {
    expect(offered()).toEqual(expect.arrayContaining([...names]))
  })
})

describe('facets', () => {
  const listed = (query: string, type: string): string =>
    `${asked(query)}\nconst shown = meta\n${same(`shown.facets`, type)}\nvoid one`
  const typed = [
    [
      `{ facets: 'kind' }`,
      `{ kind: { value: 'essay' | 'walk' | 'interview' | 'notebook' | null; count: number }[] }`,
    ],
    [
      `{ facets: ['tags.name', 'createdAt:year'] }`,
      `{ 'tags.name': { value: string | null; count: number }[]; 'createdAt:year': { value: string | null; count: number }[] }`,
    ],
  ] as const
  const texts = typed.map(([query, type]) => [query, statement(listed(query, type))] as const)
  const absent = statement(`${asked('{}')}\nvoid [one, meta.facets]`)
  const wrong = statement(`await api.find('articles', { facets: [/*here*/'tags.nam'] })`)

  it.each(texts)('are in meta for %s', (_query, { problems }) => {
    expect(problems()).toEqual([])
  })

  it('are requested by valid names, and absent without a request', () => {
    expect(absent.problems()).toEqual([expect.stringContaining(`Property 'facets' does not exist`)])
    expect(wrong.problems()).toEqual([expect.stringMatching(/here\*\/⟶.*"name"/s)])
  })
})

describe('a search', () => {
  const query = `{ _q: 'rain', highlight: ['title', 'standfirst'], ranks: true, sort: ['_rank', 'title'] }`
  const typed = statement(
    `const { meta: shown } = await api.find('articles', ${query})
    const words: readonly string[] = shown.search?.ignored ?? []
    const points: number | undefined = shown.search?.ranks?.['x']
    const fragment: string | undefined = shown.search?.highlights?.['x']?.['title']
    const rank = await api.find('articles', { _q: 'rain', sort: '_rank' })
    void [words, points, fragment, rank]`,
  )
  const absent = statement(`${asked('{}')}\nvoid [one, meta.search]`)
  const wrong = [
    `{ _q: 'rain', /*here*/highlight: 'titel' }`,
    `{ _q: 'rain', /*here*/sort: '_rang' }`,
    `{ populate: { author: { /*here*/sort: '_rank' } } }`,
  ].map((text) => [text, statement(`await api.find('articles', ${text})`)] as const)

  it('has highlights and points in meta', () => {
    expect(typed.problems()).toEqual([])
  })

  it('has no meta without a text', () => {
    expect(absent.problems()).toEqual([expect.stringContaining(`Property 'search' does not exist`)])
  })

  it.each(wrong)('takes only known names: %s', (_text, { problems }) => {
    expect(problems()).toEqual([expect.stringMatching(/here\*\/⟶/)])
  })
})

describe('recorded responses of a Strapi 5', () => {
  it('are several hundred', () => {
    const counts = recordedModules.map(({ count }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(300)
  })

  it.each(recordedModules.map(({ role, text }) => [role, inModule(text)] as const))(
    'have the types of the queries of the role %s',
    (_role, { problems }) => {
      expect(problems()).toEqual([])
    },
  )
})

describe('the TypeScript of docs/reference', () => {
  const page = ['typescript-api', 'client', 'javascript-api']
    .map((name) => readFileSync(join(root, 'docs', 'reference', `${name}.md`), 'utf8'))
    .join('\n')
  const examples = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)

  /** On the package as it is built: its sources need more types than an example. */
  const fromHere = (code: string): string =>
    code
      .replaceAll(`'express-content-router/client'`, `'../../../dist/extensions/client'`)
      .replaceAll(`'express-content-router'`, `'../../../dist/lib'`)
      .replaceAll(`'./content'`, `'./sample-content'`)

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(3)
  })

  it.each(
    examples.map(
      (code) => [code.split('\n').find((line) => line.includes('await')), inModule(fromHere(code))] as const,
    ),
  )('has an example that compiles: %s', (_line, { problems }) => {
    expect(problems()).toEqual([])
  })
})

describe('the code of the explorer for the typed client', () => {
  it.each(exploredQueries)('compiles: %s', (text) => {
    expect(explored.get(text)?.problems()).toEqual([])
  })
})
