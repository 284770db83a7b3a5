import express from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { fingerprintOf } from '../../lib/http/content'
import { readSettings } from '../../lib/http/settings'
import type { Option } from '../../lib/config/option'
import { optionTable } from '../../lib/config/option-table'
import { onSqlite } from '../support/databases'
import { collection, component, relation, text } from '../support/library'

const types = [
  component('shared.note', { text }),
  component('shared.link', { url: text }),
  collection('author', { name: text }, { localized: true, drafts: true }),
  collection('book', {
    title: text,
    number: { type: 'integer' },
    authors: relation('manyToMany', 'author'),
    blocks: { type: 'dynamiczone', components: ['shared.note', 'shared.link'] },
  }),
  collection('pamphlet', { title: text, author: relation('manyToOne', 'author') }, { drafts: true }),
] as unknown as ContentRouterConfig['contentTypes']

const requests = [
  'books',
  'books?populate=*',
  'books?pagination[pageSize]=3',
  'books?populate[blocks][on][shared.note]=true',
  'books?filters[title][$eqi]=ÄPFEL',
  'books?sort=title',
  'books?_q=7',
  'authors?populate=*',
  'authors?locale=de',
  'pamphlets?status=draft&populate=*',
  'books?query=titles',
]

type Config = Partial<Record<string, unknown>>

const second: Readonly<Record<string, string>> = {
  relations: 'wrapped',
  localizations: 'flat',
  unlistedZoneElements: 'omit',
  textMatching: 'database',
  drafts: 'open',
  hostErrors: 'next',
  notFound: 'json',
}
/** Another value than the default, of every option that takes plain values. */
const others: readonly (readonly [string, Config])[] = [
  ...Object.entries(second).map(([name, value]): [string, Config] => [name, { [name]: value }]),
  ['nestedPagination', { nestedPagination: true }],
  ['strictParameters', { strictParameters: false }],
  ['defaultLocale', { defaultLocale: 'de' }],
  ['localeFallback', { localeFallback: { de: ['en'] } }],
  ['pagination.defaultPageSize', { pagination: { defaultPageSize: 1 } }],
  ['pagination.maxPageSize', { pagination: { maxPageSize: 2 } }],
  ['pagination.withCount', { pagination: { withCount: false } }],
  ...Object.keys(optionTable.query.options).map((name): [string, Config] => [
    `query.${name}`,
    { query: { [name]: 50 } },
  ]),
  ['timeout', { timeout: 9999 }],
]

/**
 * Who asks and what operators want to see change no body of an answer that is given, nor does how it is kept. What is asked is
 * part of each tag.
 */
const without = /^(role|permissions|limitsByRole|queue|cache|etag|headers)/

onSqlite((database) => {
  const world = database.fresh()

  beforeAll(async () => {
    const config = { contentTypes: types, database: world.config }
    await migrate(config)
    await seed(config, {
      author: [
        { $ref: 'a', name: 'Ada' },
        { $ref: 'b', name: 'Bob' },
      ],
      pamphlet: [{ title: 'Birnen', author: 'a' }],
      book: ['Äpfel', 'Birnen', 'äpfel', 'Zimt'].map((title, number) => ({
        title,
        number: number + 7,
        authors: ['a', 'b'],
        blocks: [
          { __component: 'shared.note', text: title },
          { __component: 'shared.link', url: title },
        ],
      })),
    })
  }, 60_000)

  const configOf = (options: Config): ContentRouterConfig => ({
    contentTypes: types,
    database: world.config,
    permissions: { public: { find: '*', drafts: ['pamphlet'] } },
    ...options,
  })

  async function bodies(options: Config): Promise<string> {
    const router = contentRouter(configOf(options))
    const app = express().use('/api', router)
    const given = await Promise.all(requests.map((path) => request(app).get(`/api/${encodeURI(path)}`)))
    await router.close()
    expect(given.map(({ status }) => status)).toEqual(requests.map(() => 200))
    return JSON.stringify(given.map(({ text: body }) => body))
  }

  /** Those that make other bodies than there are by default. */
  const changed = new Set<string>()

  beforeAll(async () => {
    const usual = await bodies({})
    for (const [name, options] of others) if ((await bodies(options)) !== usual) changed.add(name)
  }, 120_000)

  const saltOf = (options: Config): string => fingerprintOf(readSettings(configOf(options)), database.dialect)

  it.each(others)('another value of %s gives other ETags if it gives other bodies', (name, options) => {
    expect(!changed.has(name) || saltOf({}) !== saltOf(options)).toBe(true)
  })

  it('most of these options give other bodies', () => {
    expect([...changed]).toEqual(
      expect.arrayContaining([
        ...['relations', 'localizations', 'unlistedZoneElements', 'defaultLocale', 'localeFallback'],
        'drafts',
      ]),
    )
  })
})

describe('the compared options', () => {
  it('are all options that could change a body', () => {
    const names = Object.entries(optionTable).flatMap(([name, entry]) =>
      entry.kind === 'group'
        ? Object.keys(entry.options as Record<string, Option<unknown>>).map((own) => `${name}.${own}`)
        : [name],
    )
    expect(names.filter((name) => !without.test(name)).sort()).toEqual(others.map(([name]) => name).sort())
  })
})
