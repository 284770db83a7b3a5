import express, { type Express } from 'express'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter, type ContentRouterConfig, migrate } from '../../../lib'
import { definitionRights, definitionRoutes } from '../../../extensions/strapi/definition-routes'
import type { Definition } from '../../../lib/schema'
import { onSqlite } from '../../support/databases'
import { indexRoute } from '../../support/index-route'
import { collection, relation, text } from '../../support/library'
import { orderTypes } from '../../support/orders'
import { keyOfToken, siteOver } from '../../support/recorded-site'
import { stocked } from '../../support/served'

const types = '/api/content-type-builder/content-types'
const components = '/api/content-type-builder/components'

const part = (uid: string, attributes: object) => ({
  uid,
  collectionName: `components_${uid.replace('.', '_')}`,
  attributes,
})

const contentTypes = [
  {
    ...collection('article', {
      title: { ...text, required: true, default: 'a default that nobody reads', maxLength: 77 },
      notes: { ...text, private: true },
      kindOf: { type: 'enumeration', enum: ['plain', 'undisclosed'] },
      key: { type: 'password' },
      body: { type: 'richtext' },
      cover: { type: 'media', multiple: false },
      author: relation('manyToOne', 'api::author.author', { inversedBy: 'articles' }),
      memo: relation('oneToOne', 'api::memo.memo'),
      hiddenMemo: { ...relation('oneToOne', 'api::memo.memo'), private: true },
      seo: { type: 'component', component: 'shared.seo', repeatable: false },
      blocks: { type: 'dynamiczone', components: ['shared.quote'] },
    }),
    pluginOptions: { i18n: { localized: true } },
  },
  collection('author', {
    name: text,
    articles: relation('oneToMany', 'api::article.article', { mappedBy: 'author' }),
  }),
  collection('memo', {
    secretPlan: text,
    box: { type: 'component', component: 'inner.box', repeatable: true },
  }),
  { ...collection('imprint', { text }), kind: 'singleType' },
  part('shared.seo', {
    metaTitle: text,
    memos: relation('oneToMany', 'api::memo.memo'),
    token: { ...text, private: true },
  }),
  part('shared.quote', {
    words: text,
    seo: { type: 'component', component: 'shared.seo', repeatable: true },
  }),
  part('inner.box', { label: text }),
] as unknown as ContentRouterConfig['contentTypes']

interface Described {
  readonly uid: string
  readonly schema: { readonly attributes: Readonly<Record<string, object>> }
}

onSqlite((database) => {
  const world = database.fresh()

  const appWith = (options: Partial<ContentRouterConfig> = {}): Express =>
    express().use(
      '/api',
      world.closing(
        contentRouter({
          contentTypes,
          database: world.config,
          logger: false,
          permissions: { public: { find: ['article', 'author', 'imprint'] }, stranger: {} },
          role: (req) => req.get('role') ?? 'public',
          extensions: [strapi5(), indexRoute],
          ...options,
        }),
      ),
    )
  let app: Express
  beforeAll(async () => {
    await migrate({ extensions: [strapi5()], contentTypes, database: world.config })
    app = appWith()
  }, 60_000)

  const ask = async (path: string, on = app, headers: Readonly<Record<string, string>> = {}) => {
    const response = await request(on).get(path).set(headers)
    const { data } = response.body as { data: Described[] }
    const got = response.headers as Readonly<Record<string, string>>
    return { status: response.status, text: response.text, data, headers: got }
  }
  const uidsOf = (data: readonly Described[]): readonly string[] => data.map(({ uid }) => uid).sort()

  it('tell of a type what it is, and where its attributes lead', async () => {
    const { data, headers } = await ask(types)
    expect(data.find(({ uid }) => uid === 'api::article.article')).toEqual({
      uid: 'api::article.article',
      apiID: 'article',
      schema: {
        draftAndPublish: false,
        kind: 'collectionType',
        singularName: 'article',
        pluralName: 'articles',
        pluginOptions: { i18n: { localized: true } },
        attributes: {
          title: { type: 'string' },
          kindOf: { type: 'enumeration' },
          body: { type: 'richtext' },
          cover: { type: 'media', multiple: false },
          author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
          seo: { type: 'component', repeatable: false, component: 'shared.seo' },
          blocks: { type: 'dynamiczone', components: ['shared.quote'] },
        },
      },
    })
    expect(headers['cache-control']).toBe('private, no-store')
  })

  it('tell of the types that the role may read, and of the files and components of these alone', async () => {
    const own = ['api::article.article', 'api::author.author', 'api::imprint.imprint']
    expect(uidsOf((await ask(types)).data)).toEqual([...own, 'plugin::upload.file'])
    const { data } = await ask(components)
    expect(data).toEqual([
      {
        uid: 'shared.seo',
        category: 'shared',
        apiId: 'seo',
        schema: { attributes: { metaTitle: { type: 'string' } } },
      },
      expect.objectContaining({ uid: 'shared.quote' }),
    ])
    expect((await ask(types, app, { role: 'stranger' })).data).toEqual([])
    expect((await ask(components, app, { role: 'stranger' })).data).toEqual([])
  })

  it('name nothing that is private, that the role may not read, or that rules what is written', async () => {
    const texts = [(await ask(types)).text, (await ask(components)).text]
    for (const word of [
      'notes',
      '"key"',
      'emo',
      'secretPlan',
      'inner',
      'token',
      'undisclosed',
      'default',
      '77',
    ])
      expect([word, texts.filter((one) => one.includes(word))]).toEqual([word, []])
    for (const word of ['collectionName', 'required', 'private', 'password', 'folderPath'])
      expect([word, texts.filter((one) => one.includes(word))]).toEqual([word, []])
  })

  it('are asked for one by one, where what may not be read is as what is not there', async () => {
    const listed = (await ask(types)).data
    for (const one of listed) expect((await ask(`${types}/${one.uid}`)).data).toEqual(one)
    expect((await ask(`${components}/shared.quote`)).data).toMatchObject({ uid: 'shared.quote' })
    const absent = await ask(`${types}/api::nothing.nothing`)
    expect(absent.status).toBe(404)
    for (const path of [`${types}/api::memo.memo`, `${types}/shared.seo`, `${components}/inner.box`]) {
      const { status, text } = await ask(path)
      expect([path, status, text]).toEqual([path, 404, absent.text])
    }
  })

  it('are of one kind where that is asked for', async () => {
    expect(uidsOf((await ask(`${types}?kind=singleType`)).data)).toEqual(['api::imprint.imprint'])
    expect(uidsOf((await ask(`${types}?kind=collectionType`)).data)).toHaveLength(3)
    for (const kind of ['kind=component', 'kind=singleType&kind=singleType'])
      expect([kind, (await ask(`${types}?${kind}`)).status]).toEqual([kind, 400])
  })

  it('are told by permissions of a host only where its roles may list what they read', async () => {
    for (const permissions of [{ public: { find: '*' } }, () => true] as const)
      for (const path of [types, components, `${types}/api::article.article`])
        expect((await ask(path, appWith({ extensions: [strapi5()], permissions }))).status).toBe(403)
  })

  it('are not there without routes of plugins', async () => {
    expect((await ask(types, appWith({ extensions: [strapi5({ routes: false }), indexRoute] }))).status).toBe(
      404,
    )
  })

  it('may be read and not written', async () => {
    expect((await request(app).post(types)).status).toBe(405)
    expect((await request(app).options(types)).headers['allow']).toBe('GET, HEAD, OPTIONS')
  })

  it('have each of their routes in docs/reference/strapi.md', () => {
    const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'reference', 'strapi.md'), 'utf8')
    for (const { path } of definitionRoutes) expect(page).toContain(`\`${path.slice(1)}\``)
    expect(definitionRights).toHaveLength(4)
    for (const { controller, action } of definitionRights)
      expect(page).toContain(`\`${controller}.${action}\``)
  })
})

onSqlite((database) => {
  const world = database.restored()

  it("ask for Strapi's own rights, which a read-only token has not", async () => {
    const { knex } = world
    const contentTypes = [collection('tag', { name: text })] as unknown as Definition[]
    const router = siteOver(
      world,
      database,
    )({ contentTypes, logger: false, extensions: [strapi5(), indexRoute] })
    const app = express().use('/api', router)
    const tokenFor = async (name: string, type: string): Promise<number> => {
      const access_key = keyOfToken(name)
      await knex('strapi_api_tokens').insert({ name, type, kind: 'content-api', access_key })
      const [row] = (await knex('strapi_api_tokens').where({ access_key }).select('id')) as [{ id: number }]
      return row.id
    }
    const allow = async (api_token_id: number, action: string): Promise<void> => {
      await knex('strapi_api_token_permissions').insert({ action, document_id: action })
      const [{ id }] = (await knex('strapi_api_token_permissions')
        .where({ document_id: action })
        .select('id')) as [{ id: number }]
      await knex('strapi_api_token_permissions_token_lnk').insert({
        api_token_permission_id: id,
        api_token_id,
      })
    }
    const asked = async (path: string, token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
      const response = await request(app).get(path).set(headers)
      return [
        response.status,
        ((response.body as { data: Described[] | null }).data ?? []).map(({ uid }) => uid),
      ]
    }
    await tokenFor('full', 'full-access')
    await tokenFor('reading', 'read-only')
    const custom = await tokenFor('building', 'custom')
    expect(await asked(types)).toEqual([403, []])
    expect(await asked(types, 'reading')).toEqual([403, []])
    expect(await asked(types, 'building')).toEqual([403, []])
    const [status, uids] = await asked(types, 'full')
    expect([status, uids]).toEqual([200, expect.arrayContaining(['api::tag.tag'])])
    await allow(custom, 'plugin::content-type-builder.content-types.getContentTypes')
    expect(await asked(types, 'building')).toEqual([200, []])
    await allow(custom, 'api::tag.tag.find')
    expect(await asked(types, 'building')).toEqual([200, ['api::tag.tag']])
    expect(await asked(components, 'building')).toEqual([403, []])
  })
})

onSqlite((database) => {
  const { serve } = stocked(database, orderTypes, {})

  it('leave out attributes that a rule does not grant', async () => {
    const permissions = { packer: { find: { order: { fields: ['number', 'items'] }, item: true } } } as const
    const { get } = serve({ permissions, extensions: [strapi5(), indexRoute] })
    const told = await get('content-type-builder/content-types/api::order.order', 'packer')
    const { data } = told.body as { readonly data: { readonly schema: { readonly attributes: object } } }
    expect(Object.keys(data.schema.attributes)).toEqual(['number', 'items'])
  })
})
