import { search } from '../../extensions/search'
import { type ContentRouterConfig, type Grant, migrate } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { type Served, stocked } from '../support/served'
import { locales, type Paragraph, paragraphs, randomFrom, randomQuery } from '../extensions/search/paragraphs'
import { type AskedTerm, searched, termsOf } from '../extensions/search/search-oracle'

jest.setTimeout(timeFor(150, 180_000))

const localized = { type: 'text', pluginOptions: { i18n: { localized: true } } } as const

const types = [
  {
    ...collection('article', {
      ...{ title: localized, body: localized, level: { type: 'integer' } },
      source: relation('manyToOne', 'source'),
    }),
    options: { draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
  },
  collection('source', { name: text, level: { type: 'integer' } }),
] as unknown as ContentRouterConfig['contentTypes']

const extensions = [search({ article: { title: 3, body: 1, 'source.name': 2 } })]
/** Without a path, MySQL and MariaDB have one index of both attributes. */
const withoutPath = [search({ article: { title: 3, body: 1 } })]

interface Found {
  readonly total: unknown
  readonly found: readonly (readonly unknown[])[]
}

/** Enough to see a difference. */
const part = ({ total, found }: Found): string => `${String(total)}: ${JSON.stringify(found.slice(0, 5))}`

const sources = paragraphs(firstSeed + 1, 300).map(({ id, title, level }) => ({ id, name: title, level }))

interface LinkedText extends Paragraph {
  /** Each sixteenth text has none. */
  readonly source: (typeof sources)[number] | undefined
}

const texts: readonly LinkedText[] = paragraphs(firstSeed, 5000).map((text) => ({
  ...text,
  source: text.id % 16 === 0 ? undefined : sources[(text.id * 7) % sources.length],
}))

interface Seen extends Paragraph {
  readonly sourceName: string
}

const all = { title: 3, body: 1, sourceName: 2 }

/** What each role sees. */
const roles: readonly {
  readonly name: string
  readonly grant: Grant
  readonly weights: Readonly<Partial<Record<keyof Seen, number>>>
  readonly sees: (text: Paragraph) => boolean
  readonly seesSource: (source: (typeof sources)[number]) => boolean
}[] = [
  {
    ...{ name: 'public', weights: all, sees: () => true, seesSource: () => true },
    grant: { find: ['article', 'source'] },
  },
  {
    ...{ name: 'without sources', weights: { title: 3, body: 1 }, sees: () => true, seesSource: () => false },
    grant: { find: ['article'] },
  },
  {
    ...{ name: 'with some sources', weights: all, sees: () => true },
    grant: { find: { article: true, source: { where: { level: { $lte: 1 } } } } },
    seesSource: ({ level }) => level <= 1,
  },
  {
    name: 'titles',
    grant: { find: { article: { fields: ['title', 'level'] }, source: true } },
    weights: { title: 3 },
    sees: () => true,
    seesSource: () => false,
  },
  {
    name: 'low',
    grant: { find: { article: { where: { level: { $lte: 1 } } }, source: true } },
    weights: all,
    sees: ({ level }) => level <= 1,
    seesSource: () => true,
  },
]

const stopWords = `select value as word from information_schema.innodb_ft_default_stopword`

eachDatabase((database) => {
  const { serve, world } = stocked(database, types, {})
  let api: Served
  let apiWithoutPath: Served
  let ignored = new Set<string>()
  const isMysql = database.dialect === 'mysql'

  beforeAll(async () => {
    for (const searching of [extensions, withoutPath])
      await migrate({
        ...{ contentTypes: types, database: world.config, logger: false },
        extensions: searching,
      })
    const rows = texts.map(({ id, locale, title, body, level, isDraft }) => ({
      ...{ id, document_id: `d${String(id)}`, locale, title, body, level },
      published_at: isDraft ? null : new Date(0),
    }))
    const links = texts.flatMap(({ id, source }) =>
      source === undefined ? [] : { article_id: id, source_id: source.id },
    )
    const tables = {
      articles: rows,
      sources: sources.map((source) => ({
        ...source,
        document_id: `s${String(source.id)}`,
        published_at: new Date(0),
      })),
      articles_source_lnk: links,
    }
    for (const [table, made] of Object.entries(tables))
      for (let from = 0; from < made.length; from += 100)
        await world.knex(table).insert(made.slice(from, from + 100))
    if (isMysql) {
      const [listed] = (await world.knex.raw(stopWords)) as [readonly { readonly word: string }[]]
      ignored = new Set(listed.map(({ word }) => word))
    }
    const options = {
      permissions: Object.fromEntries(roles.map(({ name, grant }) => [name, grant])),
      pagination: { maxPageSize: 1000 },
    }
    api = serve({ ...options, extensions })
    apiWithoutPath = serve({ ...options, extensions: withoutPath })
  }, 180_000)

  /** MySQL and MariaDB do not index short words and stop words. */
  const isIndexed = (word: string, isPrefix = false): boolean =>
    !isMysql || ((isPrefix || word.length >= 3) && !ignored.has(word))

  /** There, a phrase with such a word has another meaning. */
  const isEqual = ({ words, isPrefix }: AskedTerm): boolean =>
    words.length === 1 || words.every((word) => isIndexed(word, isPrefix))

  it('finds and ranks what JavaScript finds and ranks, for each role', async () => {
    const random = randomFrom(firstSeed)
    let filled = 0
    const wrong: object[] = []
    for (let run = 0; run < runs(150); run += 1) {
      const query = randomQuery(random, texts)
      const locale = locales[random(locales.length)] ?? 'en'
      const terms = termsOf(query).filter(({ words, isPrefix }) =>
        words.some((word) => isIndexed(word, isPrefix)),
      )
      for (const { name, weights, sees, seesSource } of terms.every(isEqual) ? roles : []) {
        const visible = texts
          .filter((text) => !text.isDraft && text.locale === locale && sees(text))
          .map((text): Seen => {
            const { source } = text
            return { ...text, sourceName: source !== undefined && seesSource(source) ? source.name : '' }
          })
        const expected = searched(visible, terms, weights, isIndexed)
        const path = `articles?_q=${encodeURIComponent(query)}&locale=${locale}&fields=title&ranks=true&pagination[pageSize]=1000`
        const wanted = { total: expected.size, found: [...expected].slice(0, 1000) }
        for (const served of name === 'without sources' ? [api, apiWithoutPath] : [api]) {
          const { data, meta } = await served.page(path, name)
          const { ranks } = (meta as unknown as { search: { ranks: Record<string, number> } }).search
          const found = data.map(({ id }) => [id, ranks[String(id)]])
          const answer = { total: meta.pagination['total'], found }
          if (JSON.stringify(answer) !== JSON.stringify(wanted))
            wrong.push({ query, locale, name, answer: part(answer), wanted: part(wanted) })
          filled += found.length > 0 ? 1 : 0
        }
      }
    }
    expect(wrong).toEqual([])
    expect(filled).toBeGreaterThan(runs(150) / 2)
  })
})
