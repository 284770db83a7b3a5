import express from 'express'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig, migrate } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, component, single, text } from '../../support/library'
import { recordingOf } from '../../support/recordings'

/** Definitions are looked at before anything is asked. */
const unreached = { client: 'pg', connection: {} } as const

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>
type Attributes = Record<string, Record<string, unknown>>

const plain = recordingOf('sqlite').contentTypes
const custom = (name: string, more: object = {}): object => ({
  type: 'customField',
  customField: name,
  ...more,
})

const files = {
  article: 'api/article/content-types/article/schema.json',
  seo: 'components/shared/seo.json',
}

/** The attributes of the recorded project that plugins could as well have brought, and what they would be called. */
const brought = {
  article: { views: 'plugin::stars.rating', body: 'plugin::ckeditor.CKEditor', secret: 'global::safe' },
  seo: { metaDescription: 'global::counted', priority: 'plugin::stars.weight' },
} as const

function projectOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'custom-fields-'))
  cpSync(plain, folder, { recursive: true })
  for (const [owner, fields] of Object.entries(brought)) {
    const path = join(folder, files[owner as keyof typeof files])
    const schema = JSON.parse(readFileSync(path, 'utf8')) as { attributes: Attributes }
    for (const [name, field] of Object.entries(fields))
      schema.attributes[name] = { ...schema.attributes[name], ...custom(field) }
    writeFileSync(path, JSON.stringify(schema))
  }
  return folder
}

const everyone = { permissions: { public: { find: '*' } } } as const

onSqlite((database) => {
  describe('custom fields of a project that Strapi keeps', () => {
    const world = database.restored()
    const key = 'strapi_content_types_schema'
    let folder = ''
    const serve = (contentTypes: string, more: Partial<ContentRouterConfig> = {}) => {
      const config = { extensions: [strapi5()], contentTypes, database: world.config, ...everyone, ...more }
      const router = world.closing(contentRouter(config))
      return { router, app: express().use('/api', router) }
    }

    beforeAll(async () => {
      folder = projectOf()
      const settings = world.knex('strapi_core_store_settings')
      const [row] = (await settings.clone().select('value').where({ key })) as { value: string }[]
      const types = JSON.parse(row?.value ?? '') as Record<string, { attributes: Attributes }>
      for (const [name, customField] of Object.entries(brought.article))
        Object.assign(types['api::article.article']?.attributes[name] ?? {}, { customField })
      await settings
        .clone()
        .where({ key })
        .update({ value: JSON.stringify(types) })
    })
    afterAll(() => {
      rmSync(folder, { recursive: true })
    })

    it.each([
      'articles?populate=seo&sort=id',
      'articles?filters[views][$gt]=10&sort=views:desc,id&fields=views,body',
      'articles?filters[seo][metaDescription][$notNull]=true&populate[seo][fields]=priority&sort=id',
      'articles?_q=the&sort=id',
    ])('are answered as what they are kept as: %s', async (path) => {
      const expected = await request(serve(plain).app).get(`/api/${path}`).expect(200)
      const answer = await request(serve(folder).app).get(`/api/${path}`).expect(200)
      expect(answer.body).toEqual(expected.body)
    })

    it('are known to ready(), and to requests that come at once', async () => {
      const { app, router } = serve(folder)
      const asked = [1, 2, 3].map(() => request(app).get('/api/articles?fields=views&sort=id'))
      const [first, ...others] = await Promise.all(asked)
      expect(first?.status).toBe(200)
      for (const other of others) expect(other.body).toEqual(first?.body)
      await expect(router.ready()).resolves.toBeUndefined()
    })

    it('stay hidden where they are kept as passwords', async () => {
      const { app } = serve(folder)
      const { body } = (await request(app).get('/api/articles').expect(200)) as { body: { data: object[] } }
      for (const entry of body.data) expect(entry).not.toHaveProperty('secret')
      await request(app).get('/api/articles?filters[secret][$notNull]=true').expect(400)
    })

    it('do not stand in the way of the host, nor of other methods', async () => {
      const { app } = serve(folder)
      app.get('/api/other', (_req, res) => {
        res.send('of the host')
      })
      expect((await request(app).get('/api/other')).text).toBe('of the host')
      await request(app).post('/api/articles').expect(405)
      await request(app).options('/api/articles/x').expect(204)
      await request(app).get('/api/articles/x').expect(404)
    })

    it('are what the host says first of all', async () => {
      const { app } = serve(folder, { extensions: [strapi5({ customFields: { 'global::safe': 'string' } })] })
      const path = '/api/articles?filters[secret][$notNull]=true&fields=secret&sort=id'
      const { body } = (await request(app).get(path).expect(200)) as { body: { data: object[] } }
      expect(body.data[0]).toHaveProperty('secret')
    })
  })

  describe('custom fields in tables of our own', () => {
    const world = database.fresh()
    const contentTypes = [
      collection('lamp', {
        name: text,
        tint: custom('plugin::color-picker.color'),
        facts: custom('plugin::own.facts', { private: false }),
        riddle: custom('plugin::own.riddle'),
        base: single('part.base'),
      }),
      component('part.base', { shades: custom('plugin::multi-select.multi-select') }),
    ] as unknown as Definitions
    const config = (): ContentRouterConfig => ({
      contentTypes,
      database: world.config,
      extensions: [strapi5({ customFields: { 'plugin::own.facts': 'json' } })],
      ...everyone,
    })

    beforeAll(async () => {
      const { errors, logger } = keeping()
      const warned: object[] = []
      const warn = (facts: object, message: string): unknown => warned.push({ ...facts, message })
      await migrate({ ...config(), logger: { ...logger, warn } })
      expect(errors).toEqual([])
      expect(warned).toEqual([
        {
          uid: 'api::lamp.lamp',
          attribute: 'riddle',
          customField: 'plugin::own.riddle',
          message: expect.stringMatching(/customFields.*Strapi/) as unknown,
        },
      ])
      const lamps = [{ name: 'Dawn', tint: '#fc0', facts: { watts: 4 }, base: { shades: ['red'] } }]
      await seed(config(), { lamp: lamps })
    })

    it('are known by the plugin, or by what the host says', async () => {
      const app = express().use('/api', world.closing(contentRouter(config())))
      const { body } = (await request(app).get('/api/lamps?populate=*').expect(200)) as {
        body: { data: object[] }
      }
      expect(body.data).toEqual([
        expect.objectContaining({
          tint: '#fc0',
          facts: { watts: 4 },
          base: expect.objectContaining({ shades: ['red'] }) as unknown,
        }),
      ])
      expect(body.data[0]).not.toHaveProperty('riddle')
      await request(app).get('/api/lamps?filters[riddle]=x').expect(400)
    })

    it('are no fault for ready() where nobody knows them', async () => {
      const router = world.closing(contentRouter({ ...config(), logger: false }))
      await expect(router.ready()).resolves.toBeUndefined()
    })
  })
})

it.each([[{ 'plugin::own.facts': 'relation' }], [['string']], ['string']])(
  'a table of custom fields that is none is refused: %j',
  (customFields) => {
    const make = (): unknown =>
      contentRouter({
        contentTypes: plain,
        database: unreached,
        extensions: [strapi5({ customFields } as never)],
      })
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(
      /customFields: customFields must be an object with a storage type for each custom field/,
    )
  },
)

it('a custom field without a name is refused', () => {
  const contentTypes = [collection('lamp', { tint: { type: 'customField' } })] as unknown as Definitions
  expect(() => contentRouter({ contentTypes, database: unreached })).toThrow(
    /attributes\/tint: the key customField is missing/,
  )
})
