import type { Knex } from 'knex'
import { firstDifference, type Answer } from './difference'
import type { Case } from './replay'

type Entry = Readonly<Record<string, unknown>>

/** What is expected in the place of an answer that Strapi gave and we do not copy. */
export interface Deviation {
  /** The left cell of the row in DEVIATIONS.md that says so. */
  readonly row: string
  /** In what an answer differs from what is right instead; worked out from the recorded database, not from our answers. */
  differenceOf(asked: Case, got: Answer, knex: Knex): Promise<string | undefined>
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !isList(value)

/** The body with every list named `name` replaced, wherever it stands. */
function replaceLists(
  value: unknown,
  name: string,
  replace: (list: readonly Entry[], owner: Entry) => unknown,
): unknown {
  if (isList(value)) return value.map((element) => replaceLists(element, name, replace))
  if (!isEntry(value)) return value
  const parts = Object.entries(value).map(([key, part]) => {
    const isIt = key === name && isList(part)
    return [key, isIt ? replace(part.filter(isEntry), value) : replaceLists(part, name, replace)]
  })
  return Object.fromEntries(parts) as Entry
}

function recorded({ expected }: Case): Answer {
  if (expected === 'never 500') throw new Error('a case without an answer deviates from nothing')
  return expected
}

const refused = (limit: string, row: string): Deviation => ({
  row,
  differenceOf: (_asked, got) => {
    const { status, body } = got as { status: number; body: { error?: { name?: string; message?: string } } }
    const { name = '', message = '' } = body.error ?? {}
    const told = status === 400 && name === 'ValidationError' && message.includes(limit)
    return Promise.resolve(
      told ? undefined : `expected a 400 that names ${limit}, got ${JSON.stringify(got)}`,
    )
  },
})

type ReadRows = (knex: Knex, asked: Case) => Promise<readonly Entry[]>

/** A list that fits on one page, of rows that plain SQL finds. */
const rows = (row: string, pageSize: number, read: ReadRows): Deviation => ({
  row,
  differenceOf: async (asked, got, knex) => {
    const data = await read(knex, asked)
    if (data.length === 0 || data.length > pageSize) throw new Error('the rows should fill one page')
    const pagination = { page: 1, pageSize, pageCount: 1, total: data.length }
    return firstDifference(asked.request, { status: 200, body: { data, meta: { pagination } } }, got)
  },
})

/** Published articles whose author has a published one of the kind. Going round once more finds no others. */
const articlesByColleagues: ReadRows = (knex) =>
  knex('articles as article')
    .whereNotNull('article.published_at')
    .where('article.locale', 'en')
    .whereExists(
      knex('articles_author_lnk as own')
        .join('articles_author_lnk as link', 'link.author_id', 'own.author_id')
        .join('articles as other', 'other.id', 'link.article_id')
        .whereRaw('?? = ??', ['own.article_id', 'article.id'])
        .whereNotNull('other.published_at')
        .where('other.kind', 'news'),
    )
    .orderBy('article.id')
    .select('article.id as id', 'article.document_id as documentId', 'article.title as title')

/** An even number of negations is none; NULL is neither news nor no news. */
const articlesOfKind: ReadRows = (knex, { request }) => {
  const negations = request.split('[$not]').length - 1
  return knex('articles')
    .whereNotNull('published_at')
    .where('locale', 'en')
    .where('kind', negations % 2 === 0 ? '=' : '<>', 'news')
    .orderBy('id')
    .select('id', 'document_id as documentId', 'title')
}

const authorsByFirstTitle: ReadRows = (knex) =>
  knex('authors as author')
    .leftJoin('articles_author_lnk as link', 'link.author_id', 'author.id')
    .leftJoin('articles as article', (on) =>
      on.on('article.id', 'link.article_id').andOnNotNull('article.published_at'),
    )
    .groupBy('author.id', 'author.document_id', 'author.name')
    .orderByRaw('min(??), ??', ['article.title', 'author.id'])
    .select('author.id as id', 'author.document_id as documentId', 'author.name as name')

const withDrafts = new Set(['api::article.article', 'api::category.category', 'api::page.page'])

/** `status=draft` was asked, and every published row of a type with drafts was shown as well. */
const onlyDrafts: Deviation = {
  row: 'morph relations populated with `true` or `*`, and the `related` field of files, show drafts',
  differenceOf: (asked, got) => {
    const isDraft = ({ __type, publishedAt }: Entry): boolean =>
      !withDrafts.has(String(__type)) || publishedAt === null
    const { status, body } = recorded(asked)
    const right = replaceLists(body, 'related', (list) => list.filter(isDraft))
    return Promise.resolve(firstDifference(asked.request, { status, body: right }, got))
  },
}

async function otherLocales(knex: Knex): Promise<(article: Entry) => readonly unknown[]> {
  const articles: readonly { id: number; document: string }[] = await knex('articles')
    .whereNotNull('published_at')
    .select('id', 'document_id as document')
  return ({ id, documentId }) =>
    articles
      .filter((article) => article.document === documentId && article.id !== id)
      .map((article) => article.id)
      .sort((one, other) => one - other)
}

/** All other locales of the document: by their ids, for Strapi's answer does not hold what it took out. */
const everyLocale: Deviation = {
  row: '`locale=*` leaves `localizations` empty (rows of the page are taken out)',
  differenceOf: async (asked, got, knex) => {
    const others = await otherLocales(knex)
    const { status, body } = recorded(asked)
    const right = replaceLists(body, 'localizations', (_list, article) => others(article))
    const shown = replaceLists(got.body, 'localizations', (list) =>
      list.map(({ id }) => Number(id)).sort((one, other) => one - other),
    )
    return firstDifference(asked.request, { status, body: right }, { ...got, body: shown })
  },
}

const throughRelations = 'filters and sort through a relation see drafts when published entries are asked for'
const deep = "brackets deeper than 20 are glued into one key (qs's own default is 5)"
const manyRelations = 'filters and sorts follow any number of relations'
const longLists =
  'more than `arrayLimit` elements, an index past it, `$in[a]=1`, `$in[-1]=1`, `$eq[a]=1`: the condition vanishes and every row is returned'

export const deviations: ReadonlyMap<number, Deviation> = new Map([
  [594, rows(throughRelations, 50, articlesByColleagues)],
  [706, rows(throughRelations, 25, authorsByFirstTitle)],
  [1043, refused('query.arrayLimit', longLists)],
  [1047, rows(throughRelations, 50, articlesByColleagues)],
  [1048, refused('query.maxLinks', manyRelations)],
  [1051, rows(deep, 50, articlesOfKind)],
  [1230, refused('query.arrayLimit', longLists)],
  [1395, everyLocale],
  [1443, onlyDrafts],
  [1506, everyLocale],
])
