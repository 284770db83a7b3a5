import { knex as makeKnex, type Knex } from 'knex'
import { type ContentValue, seed } from '../../../extensions/seed'
import { migrate } from '../../../lib/http'
import { onSqlite, type TestDatabase } from '../../support/databases'
import type { DatabaseName } from '../../support/servers'
import { configOf, seededMagazine } from './magazine'

type Dialect = TestDatabase['dialect']

const article = {
  title: 'été 🚀',
  secret: '$2a$10$abc',
  internalNote: 'kept private',
  content: [{ type: 'paragraph', children: [{ type: 'text', text: 'é' }] }],
  publishDate: '2021-12-12',
  airTime: '11:11',
  startsAt: '2012-01-13T14:12:36.852+02:00',
  stampedAt: '2020-12-12T11:00:00.187Z',
  views: -72,
  bigViews: '9007199254740993',
  rating: 2.638721,
  price: 1234578.89,
  featured: false,
  createdAt: '2024-03-31T01:30:00.000Z',
  $status: 'draft',
} as const

/** A column as text, as the database itself sees it: drivers and time zones stay out of it. */
async function textOf(knex: Knex, dialect: Dialect, column: string, where: object = {}): Promise<unknown> {
  const text = { sqlite: 'cast(?? as text)', mysql: 'cast(?? as char)', postgres: '??::text' }[dialect]
  const rows: readonly { text?: unknown }[] = await knex('articles')
    .where(where)
    .select({ text: knex.raw(text, [column]) })
  return rows[0]?.text
}

/** [SQLite, MariaDB, PostgreSQL] where they differ. */
const forms: readonly (readonly [string, string | readonly [string, string, string]])[] = [
  ['title', 'été 🚀'],
  ['secret', '$2a$10$abc'],
  ['internal_note', 'kept private'],
  ['publish_date', '2021-12-12'],
  ['air_time', ['11:11:00.000', '11:11:00.000', '11:11:00']],
  ['starts_at', ['1326456756852', '2012-01-13 12:12:36.852000', '2012-01-13 12:12:36.852']],
  ['views', '-72'],
  ['big_views', '9007199254740993'],
  ['rating', '2.638721'],
  ['price', '1234578.89'],
  ['featured', ['0', '0', 'false']],
  ['created_at', ['1711848600000', '2024-03-31 01:30:00.000000', '2024-03-31 01:30:00']],
]

const jsonForms: readonly (readonly [string, ContentValue, readonly [string, string, string]])[] = [
  ['an object', { b: 1, a: [true] }, ['{"b":1,"a":[true]}', '{"b":1,"a":[true]}', '{"a": [true], "b": 1}']],
  ['a number', 42, ['42', '42', '42']],
  ['false', false, ['0', 'false', 'false']],
  ['a text', 'just a string', ['just a string', '"just a string"', '"just a string"']],
]

const otherwise = [
  "set time_zone = '+05:00'",
  'set names latin1',
  'set names utf8mb3',
  'set character_set_client = latin1',
  'set collation_connection = latin1_swedish_ci',
  "set sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'",
] as const

/** As a pool's owner, or a server as it lets one in, may set what a session makes of statements. */
const sessions: Readonly<Record<DatabaseName, readonly string[]>> = {
  sqlite: ['select 1'],
  mysql: otherwise,
  mariadb: [...otherwise, "set sql_mode = 'EMPTY_STRING_IS_NULL'"],
  postgres: [
    "set time zone '+05:00'",
    "set client_encoding = 'LATIN1'",
    'set standard_conforming_strings = off',
    "set DateStyle = 'SQL, DMY'",
  ],
}

/** What changes by itself, as time goes. */
const ofTheMoment =
  /^(timestamp|last_insert_id|identity|rand_seed|pseudo_thread_id|gtid_|last_gtid|statement_id)/

/** Names and values, in whichever form a driver has them. */
function settingsIn(answer: unknown): readonly unknown[] {
  const rows = (
    Array.isArray(answer) ? (answer[0] as unknown) : (answer as { rows: unknown }).rows
  ) as object[]
  const texts = [rows].flat().map((row) => Object.values(row).map(String))
  return texts.filter(([name]) => !ofTheMoment.test(name ?? ''))
}

onSqlite((database) => {
  const { dialect } = database
  const place = { sqlite: 0, mysql: 1, postgres: 2 }[dialect]
  // Both have a type of their own for JSON, which puts keys in an order of its own.
  const jsonPlace = database.name === 'mysql' ? 2 : place

  describe('values are stored as Strapi stores them', () => {
    const { world } = seededMagazine(database, { article })

    it.each(forms)('writes %s in the form that Strapi gives it', async (column, form) => {
      expect(await textOf(world.knex, dialect, column)).toBe(typeof form === 'string' ? form : form[place])
    })

    it('writes blocks as JSON', async () => {
      expect(JSON.parse(String(await textOf(world.knex, dialect, 'content')))).toEqual(article.content)
    })

    it('writes null where nothing was given', async () => {
      expect(await textOf(world.knex, dialect, 'summary')).toBeNull()
    })
  })

  describe('JSON is stored as Strapi stores it', () => {
    const articles = jsonForms.map(([title, extra]) => ({ title, extra, $status: 'draft' }))
    const { world } = seededMagazine(database, { article: articles })

    it.each(jsonForms)('when it is %s', async (title, _, stored) => {
      expect(await textOf(world.knex, dialect, 'extra', { title })).toBe(stored[jsonPlace])
    })
  })

  describe.each(sessions[database.name])('in a session of the pool that is told: %s', (statement) => {
    const world = database.fresh()
    const title = String.raw`été 🚀 \ '"`
    const all = { mysql: 'show session variables', postgres: 'show all', sqlite: 'pragma foreign_keys' }[
      dialect
    ]
    const instant = {
      sqlite: 'stamped_at',
      mysql: 'round(unix_timestamp(stamped_at) * 1000)',
      postgres: "extract(epoch from stamped_at at time zone 'UTC') * 1000",
    }[dialect]

    it('the same is stored, and the session is left as it was', async () => {
      const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
      try {
        await knex.raw(statement)
        await migrate({ ...configOf(world), database: knex })
        const before = settingsIn(await knex.raw(all))
        await seed({ ...configOf(world), database: knex }, { article: { ...article, title, summary: '' } })
        expect(settingsIn(await knex.raw(all))).toEqual(before)
      } finally {
        await knex.destroy()
      }
      expect(await textOf(world.knex, dialect, 'title')).toBe(title)
      expect(await textOf(world.knex, dialect, 'summary')).toBe('')
      const rows: readonly { instant?: unknown }[] = await world
        .knex('articles')
        .select({ instant: world.knex.raw(instant) })
      expect(Number(rows[0]?.instant)).toBe(Date.UTC(2020, 11, 12, 11, 0, 0, 187))
    })
  })
})
