import express, { type Express } from 'express'
import { sign } from 'jsonwebtoken'
import request from 'supertest'
import { fromDatabase } from '../../../extensions/strapi'
import { type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { jwtSecret, keyOfToken, siteOver } from '../../support/recorded-site'

const article = 'api::article.article'
const category = 'api::category.category'

onSqlite((database) => {
  const world = database.restored()
  const routerWith = siteOver(world, database)
  const appWith = (options: Partial<ContentRouterConfig> = {}): Express =>
    express().use('/api', routerWith(options))
  const editor = sign({ id: 1 }, jwtSecret)

  const ask = (path: string, token?: string, on = appWith()): request.Test => {
    const asked = request(on).get(`/api/${path}`)
    return token === undefined ? asked : asked.set('Authorization', `Bearer ${token}`)
  }
  const statusOf = async (path: string, token?: string, on?: Express): Promise<number> =>
    (await ask(path, token, on)).status

  async function addRow(table: string, row: object): Promise<number> {
    await world.knex(table).insert(row)
    const rows: readonly { readonly id: number }[] = await world.knex(table).where(row).select('id')
    return rows[0]?.id ?? 0
  }

  async function grant(type: string, action: string): Promise<void> {
    const permission_id = await addRow('up_permissions', { action, document_id: `${type} ${action}` })
    const rows: readonly { readonly id: number }[] = await world.knex('up_roles').where({ type }).select('id')
    await world.knex('up_permissions_role_lnk').insert({ permission_id, role_id: rows[0]?.id })
  }

  async function addToken(name: string, type: string, actions: readonly string[] = []): Promise<void> {
    const access_key = keyOfToken(name)
    const api_token_id = await addRow('strapi_api_tokens', { name, type, kind: 'content-api', access_key })
    for (const action of actions) {
      const document_id = `${name} ${action}`
      const api_token_permission_id = await addRow('strapi_api_token_permissions', { action, document_id })
      await world
        .knex('strapi_api_token_permissions_token_lnk')
        .insert({ api_token_permission_id, api_token_id })
    }
  }

  beforeAll(async () => {
    await addToken('reading', 'read-only')
    await addToken('full', 'full-access')
    await addToken('finding', 'custom', [`${article}.find`, `${article}.findOne`])
    for (const type of ['public', 'editor']) await grant(type, `${category}.find`)
  })

  afterEach(async () => {
    await world.knex('up_permissions').where('action', 'like', '%.readDraft').delete()
    await world.knex('strapi_api_token_permissions').where('action', 'like', '%.readDraft').delete()
    await world.knex('strapi_api_tokens').where({ name: 'preview' }).delete()
  })

  it('drafts are open as long as no action names them, as in Strapi before', async () => {
    for (const token of [undefined, editor, 'reading', 'full', 'finding'])
      expect(await statusOf('articles?status=draft', token)).toBe(200)
  })

  it('with one readDraft in the tables, roles without it are refused drafts, type by type', async () => {
    await grant('editor', `${article}.readDraft`)
    expect(await statusOf('articles?status=draft')).toBe(403)
    expect(await statusOf('articles?publicationFilter=modified')).toBe(403)
    expect(await statusOf('articles')).toBe(200)
    expect(await statusOf('articles?status=published')).toBe(200)
    expect(await statusOf('articles?status=draft', editor)).toBe(200)
    expect(await statusOf('categories?status=draft', editor)).toBe(403)
    expect(await statusOf('categories', editor)).toBe(200)
  })

  it('drafts that are populated need it as well', async () => {
    await grant('editor', `${article}.readDraft`)
    const path = 'articles?status=draft&populate=category&filters[id][$notNull]=true'
    const keysFor = async (): Promise<readonly string[]> => {
      const { body } = (await ask(path, editor).expect(200)) as { body: { data: readonly object[] } }
      return Object.keys(body.data[0] ?? {})
    }
    expect(await keysFor()).not.toContain('category')
    await grant('editor', `${category}.readDraft`)
    expect(await keysFor()).toContain('category')
  })

  it('custom tokens need it, others do not', async () => {
    await grant('editor', `${category}.readDraft`)
    await addToken('preview', 'custom', [`${article}.find`, `${article}.readDraft`])
    expect(await statusOf('articles?status=draft', 'finding')).toBe(403)
    expect(await statusOf('articles', 'finding')).toBe(200)
    for (const token of ['preview', 'reading', 'full'])
      expect(await statusOf('articles?status=draft', token)).toBe(200)
  })

  it('a token alone may have it', async () => {
    await addToken('preview', 'custom', [`${article}.find`, `${article}.readDraft`])
    expect(await statusOf('articles?status=draft')).toBe(403)
    expect(await statusOf('articles?status=draft', 'preview')).toBe(200)
  })

  it('is heeded without the preset’s drafts, too', async () => {
    const closed = appWith({ drafts: 'granted' })
    expect(await statusOf('articles?status=draft', editor, closed)).toBe(403)
    await grant('editor', `${article}.readDraft`)
    expect(await statusOf('articles?status=draft', editor, closed)).toBe(200)
    expect(await statusOf('articles?status=draft', undefined, closed)).toBe(403)
  })

  it('says nothing where the permissions are a table', async () => {
    await grant('editor', `${article}.readDraft`)
    const tabled = appWith({ permissions: { public: { find: ['article'] } } })
    expect(await statusOf('articles?status=draft', undefined, tabled)).toBe(200)
  })

  it('is narrowed by the rules on what the database grants', async () => {
    await grant('public', `${article}.readDraft`)
    const idsWith = async (rules: object): Promise<readonly number[]> => {
      const on = appWith({ permissions: fromDatabase({ maxAge: 0, rules: rules as never }) })
      const { body } = (await ask('articles?status=draft&sort=id', undefined, on).expect(200)) as {
        body: { data: readonly { id: number }[] }
      }
      return body.data.map(({ id }) => id)
    }
    const all = await idsWith({})
    const [first] = all
    expect(all.length).toBeGreaterThan(1)
    expect(await idsWith({ public: { article: { where: { id: first } } } })).toEqual([first])
  })
})
