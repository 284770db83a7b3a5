import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter, type ContentRouterConfig, type Logger, migrate } from '../../../lib'
import { onSqlite, type World } from '../../support/databases'
import { collection, relation, text } from '../../support/library'
import { recordingOf } from '../../support/recordings'
import { type Entry, type Served, stocked } from '../../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const showsCreators = (definition: object): object => ({
  ...definition,
  options: {
    ...('options' in definition ? (definition.options as object) : {}),
    populateCreatorFields: true,
  },
})

const types = [
  showsCreators(
    collection(
      'article',
      {
        title: text,
        author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
        reviewer: relation('oneToOne', 'admin::user'),
      },
      { drafts: true },
    ),
  ),
  collection('author', { name: text, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
  collection('note', { text, subject: { type: 'relation', relation: 'morphToOne' } }),
] as unknown as Definitions

/** What Strapi keeps of whoever works in its admin panel, and never shows. */
const secrets = {
  email: 'ann@panel.example',
  password: '$2a$10$secret-of-ann',
  reset_password_token: 'reset-of-ann',
  registration_token: 'registration-of-ann',
}

const shown = ['id', 'documentId', 'firstname', 'lastname', 'username', 'preferedLanguage', 'createdAt']
const keys = [...shown, 'updatedAt', 'publishedAt'].toSorted()

/** Attributes of Strapi's admin user that are private, and what no type has. */
const hidden = [
  'email',
  'password',
  'resetPasswordToken',
  'registrationToken',
  'isActive',
  'blocked',
  'roles',
]
const unnamable = [...hidden, 'createdBy', 'updatedBy', 'locale', 'nope']

const queries = [
  'filters[createdBy][NAME]=a',
  'filters[createdBy][NAME][$null]=true',
  'filters[$or][0][updatedBy][NAME][$startsWith]=a',
  'sort=createdBy.NAME',
  'populate[createdBy][fields]=NAME',
  'populate[createdBy][populate]=NAME',
  'populate[createdBy][filters][NAME]=a',
  'populate[createdBy][sort]=NAME',
  'populate=createdBy.NAME',
]

onSqlite((database) => {
  describe('a type that shows its creators', () => {
    const { world, serve } = stocked(database, types, {
      'admin::user': [
        { $ref: 'ann', firstname: 'Ann', lastname: 'Author', username: 'ann', preferedLanguage: 'en' },
        { $ref: 'bob', firstname: 'Bob' },
      ],
      author: [{ $ref: 'eve', name: 'Eve' }],
      article: [
        { title: 'Dawn', author: 'eve', createdBy: 'bob', updatedBy: 'ann' },
        { title: 'Noon', author: 'eve', createdBy: 'ann', updatedBy: 'ann' },
        { title: 'Dusk' },
      ],
      note: [{ text: 'on nobody' }],
    })
    const { logger, all } = keepingAll()
    const permissions = { public: { find: '*' }, guest: { find: ['article'] } } as const
    let router: Served | undefined
    const served = (): Served => (router ??= serve({ logger, permissions }))

    beforeAll(async () => {
      const { knex } = world
      await knex.schema.alterTable('admin_users', (table) => {
        for (const column of Object.keys(secrets)) table.string(column)
        table.boolean('is_active')
      })
      await knex('admin_users').where({ username: 'ann' }).update(secrets)
      const [ann] = (await knex('admin_users').where({ username: 'ann' })) as { id: number }[]
      await knex('notes').update({ target_id: ann?.id, target_type: 'admin::user' })
    })

    it.each([
      'populate=*',
      'populate=createdBy,updatedBy',
      'populate[createdBy]=true&populate[updatedBy]=true',
    ])('shows of them what Strapi shows, whoever asks: %s', async (query) => {
      for (const role of ['public', 'guest']) {
        const [dawn, noon, dusk] = await served().list(`articles?sort=id&${query}`, role)
        expect(dawn).toMatchObject({
          createdBy: { firstname: 'Bob', lastname: null },
          updatedBy: { username: 'ann' },
        })
        expect(noon?.['createdBy']).toEqual(dawn?.['updatedBy'])
        expect(Object.keys(noon?.['createdBy'] as Entry).toSorted()).toEqual(keys)
        expect(dusk).toMatchObject({ createdBy: null, updatedBy: null })
      }
    })

    it('shows nothing of them unasked', async () => {
      for (const article of await served().list('articles'))
        expect(Object.keys(article)).not.toContain('createdBy')
    })

    it.each([
      ['filters[createdBy][firstname]=Ann', ['Noon']],
      ['filters[updatedBy][username][$eqi]=ANN&sort=title:desc', ['Noon', 'Dawn']],
      ['filters[createdBy][$null]=true', ['Dusk']],
      ['filters[createdBy][firstname]=Bob&filters[updatedBy][lastname][$contains]=utho', ['Dawn']],
      ['filters[createdBy][id][$notNull]=true&sort=createdBy.firstname', ['Noon', 'Dawn']],
      ['filters[createdBy][id][$notNull]=true&sort=createdBy.firstname:desc', ['Dawn', 'Noon']],
    ])('finds and sorts by them: %s', async (query, expected) => {
      expect(await served().values(`articles?${query}`, 'title')).toEqual(expected)
    })

    it('does so behind links, and cuts them as other entries', async () => {
      const path =
        'authors?populate[articles][populate][createdBy][fields]=firstname&populate[articles][sort]=createdBy.firstname'
      const [eve] = await served().list(path)
      const creators = (eve?.['articles'] as Entry[]).map(({ createdBy }) => createdBy as Entry)
      expect(creators.map(({ firstname }) => firstname)).toEqual(['Ann', 'Bob'])
      expect(Object.keys(creators[0] ?? {}).toSorted()).toEqual(['documentId', 'firstname', 'id'])
      expect(await served().values('authors?filters[articles][createdBy][firstname]=Ann', 'name')).toEqual([
        'Eve',
      ])
    })

    it.each(unnamable)('knows no %s of them', async (name) => {
      const refusal = (query: string, word: string) =>
        served().refusal(`articles?${query.replace('NAME', word)}`)
      for (const query of queries) {
        const { message, path } = await refusal(query, name)
        const unknown = name.replace('By', 'Xy')
        const nowhere = await refusal(query, unknown)
        expect(message).toBe(nowhere.message.replaceAll(unknown, name))
        expect(path).toBe(nowhere.path.replaceAll(unknown, name))
      }
    })

    it('shows them by no other way', async () => {
      for (const path of [
        'authors?populate=createdBy',
        'articles?populate=reviewer',
        'articles?filters[reviewer][id]=1',
      ])
        await served().refusal(path)
      const [article] = await served().list('articles?populate=*')
      expect(article).not.toHaveProperty('reviewer')
      const [note] = await served().list('notes?populate=*')
      expect(note).toMatchObject({ text: 'on nobody', subject: null })
      expect((await served().get('users')).status).toBe(404)
    })

    it('tells none of what Strapi keeps of them, in answers or to the log', async () => {
      const told = [...all()]
      for (const path of ['articles?populate=*', 'articles?populate[createdBy][populate]=*'])
        told.push((await served().get(path)).text)
      for (const secret of Object.values(secrets)) expect(told.join()).not.toContain(secret)
    })

    it('lets ready() be content, and migrate have nothing to add or to say', async () => {
      const config = { contentTypes: types, database: world.config, logger: false } as const
      await expect(
        world.closing(contentRouter({ ...config, permissions: {} })).ready(),
      ).resolves.toBeUndefined()
      const { statements, unused } = await migrate(config, { dryRun: true })
      expect({ statements, unused }).toEqual({ statements: [], unused: [] })
    })
  })

  describe('a project of Strapi that shows its creators', () => {
    const world = database.restored()
    const folder = mkdtempSync(join(tmpdir(), 'creators-'))
    afterAll(() => {
      rmSync(folder, { recursive: true })
    })

    it('is served from the tables that Strapi made', async () => {
      await stockPanel(world, database.dialect === 'sqlite')
      cpSync(recordingOf(database.name).contentTypes, folder, { recursive: true })
      const schema = join(folder, 'api/article/content-types/article/schema.json')
      writeFileSync(schema, JSON.stringify(showsCreators(JSON.parse(readFileSync(schema, 'utf8')) as object)))
      const permissions = { public: { find: ['article'] } }
      const router = contentRouter({
        extensions: [strapi5()],
        contentTypes: folder,
        database: world.config,
        permissions,
        logger: false,
      })
      await world.closing(router).ready()
      const app = express().use('/api', router)
      const answer = await request(app).get(
        '/api/articles?filters[createdBy][firstname]=Ann&populate=createdBy',
      )
      const { data } = answer.body as { data: Entry[] }
      expect(data.length).toBeGreaterThan(0)
      for (const { createdBy } of data)
        expect(createdBy).toEqual({
          id: 7,
          documentId: 'ann7',
          firstname: 'Ann',
          lastname: null,
          username: null,
          preferedLanguage: 'fr',
          createdAt: '2026-01-02T03:04:05.678Z',
          updatedAt: null,
          publishedAt: null,
        })
    })
  })
})

/** Everything that a logger is told, as text. */
function keepingAll(): {
  readonly logger: Logger
  readonly all: () => readonly string[]
} {
  const told: string[] = []
  const keep = (...facts: unknown[]): void => {
    told.push(JSON.stringify(facts))
  }
  return { logger: { debug: keep, info: keep, warn: keep, error: keep }, all: () => told }
}

async function stockPanel({ knex }: World, isNumber: boolean): Promise<void> {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
  await knex('admin_users').insert({
    ...{ id: 7, document_id: 'ann7', firstname: 'Ann', prefered_language: 'fr', email: secrets.email },
    ...{ password: secrets.password, created_at: isNumber ? at : '2026-01-02 03:04:05.678' },
  })
  await knex('articles').update({ created_by_id: 7 })
}
