import express, { type Express } from 'express'
import { sign } from 'jsonwebtoken'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { gunzipSync } from 'node:zlib'
import { fromDatabase, strapi5 } from '../../../extensions/strapi'
import { contentRouter, type ContentRouterConfig, type Extension, migrate, type Rule } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { pluginRoutes } from '../../../extensions/strapi/plugin-routes'
import { positionOf } from '../../../lib/sql'
import { type Answer, firstDifference } from '../../corpus/difference'
import { onSqlite } from '../../support/databases'
import { requestOf, rowsIn, withoutTicks } from '../../support/doc-examples'
import { collection, library, text } from '../../support/library'
import { jwtSecret, keyOfToken, siteOver } from '../../support/recorded-site'
import { stocked } from '../../support/served'

const signedUrls: Extension = {
  name: 'signed URLs',
  afterRead: ({ root: { level, positions } }) => {
    const url = level.columns.find(({ name }) => name === 'url')
    if (url === undefined) return null
    const at = positionOf(positions, url.column)
    return ({ rows }) => {
      for (const row of rows.rows as readonly (unknown[] | null)[])
        if (row !== null) row[at] = `https://files.test${String(row[at])}?signed`
      return Promise.resolve()
    }
  },
}

/** Of users, and of tokens that `beforeAll` makes. */
const credentials: Readonly<Record<string, string>> = {
  editor: sign({ id: 1 }, jwtSecret),
  limited: sign({ id: 2 }, jwtSecret),
  reader: sign({ id: 3 }, jwtSecret),
  full: 'full-access',
  readonly: 'read-only',
  nonsense: 'nonsense',
}

interface Case extends Answer {
  readonly request: string
  readonly role: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What Strapi 5.54.0 answered on the SQLite database of the recordings, where the role Editor was given `user.count`. */
const cases = gunzipSync(readFileSync(join(__dirname, 'plugin-routes', 'cases.jsonl.gz')))
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)

/** Listed in docs/concepts/differences-from-strapi.md: what is asked is never dropped, and nonsense is a 400. */
const otherwise = new Map([
  ['/api/upload/files/2?fields=name', 200],
  ['/api/upload/files/2?filters[name]=nope', 404],
  ['/api/upload/files/1.0', 404],
  ['/api/upload/files?status=nope&limit=1', 400],
  ['/api/users/2?start=5', 200],
  ['/api/articles/1', 404],
])

/** Not copied either: `isUrlSigned`, and drafts in `related`. */
const apart = ['isUrlSigned', 'related']
/** Of each recorded database its own. */
const own = ['documentId', 'createdAt', 'updatedAt', 'publishedAt']

function without(names: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => without(names, one))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, without(names, one)]))
}

/** The paths in the table of docs/reference/strapi.md, and the actions that they ask for. */
const documented = rowsIn(
  readFileSync(join(__dirname, '..', '..', '..', 'docs', 'reference', 'strapi.md'), 'utf8'),
).map((row): [string, string] => [requestOf(row), withoutTicks(row['permission in Strapi'] ?? '')])

onSqlite((database) => {
  const world = database.restored()

  const routerWith = siteOver(world, database)
  const appWith = (options: Partial<ContentRouterConfig> = {}): Express =>
    express().use('/api', routerWith(options))

  async function grant(type: string, action: string): Promise<void> {
    const document_id = `${type} ${action}`
    await world.knex('up_permissions').insert({ action, document_id })
    const [permission] = (await world.knex('up_permissions').where({ document_id }).select('id')) as [
      { id: number },
    ]
    const [role] = (await world.knex('up_roles').where({ type }).select('id')) as [{ id: number }]
    await world.knex('up_permissions_role_lnk').insert({ permission_id: permission.id, role_id: role.id })
  }

  let app: Express
  beforeAll(async () => {
    for (const [name, type] of [
      ['full', 'full-access'],
      ['readonly', 'read-only'],
    ] as const) {
      const access_key = keyOfToken(credentials[name] ?? '')
      await world.knex('strapi_api_tokens').insert({ name, type, kind: 'content-api', access_key })
    }
    await grant('editor', 'plugin::users-permissions.user.count')
    app = appWith()
  })

  const ask = async (path: string, role = 'public', headers: Case['headers'] = {}, on = app) => {
    const asked = request(on).get(path).set(headers)
    if (credentials[role] !== undefined) void asked.set('Authorization', `Bearer ${credentials[role]}`)
    const response = await asked
    const { status, text } = response
    return {
      status,
      text,
      body: response.body as unknown,
      headers: response.headers as Readonly<Record<string, string>>,
    }
  }

  it.each(
    cases
      .filter(({ request: path }) => !otherwise.has(path))
      .map((one) => [`${one.request} as ${one.role}`, one] as const),
  )('answers as Strapi did: %s', async (_name, { request: path, role, headers, ...recorded }) => {
    const seen = ({ status, body }: Answer): Answer => {
      return { status, body: without(database.name === 'sqlite' ? apart : [...apart, ...own], body) }
    }
    const got = await ask(path, role, headers)
    expect(firstDifference(path, seen(recorded), seen(got))).toBeUndefined()
  })

  it.each([...otherwise])(
    'answers otherwise than Strapi, as docs/concepts/differences-from-strapi.md says: %s',
    async (path, status) => {
      const got = await ask(path, 'editor')
      expect(got.status).toBe(status)
    },
  )

  it('shows of what a file is related to what is published alone', async () => {
    const { body } = await ask('/api/upload/files/2?populate=related', 'editor')
    const { related } = body as { readonly related: readonly { readonly publishedAt: string | null }[] }
    expect(related.length).toBeGreaterThan(0)
    expect(related.filter(({ publishedAt }) => publishedAt === null)).toEqual([])
  })

  it('never shows what a user signs in with, whoever asks', async () => {
    const secrets: readonly { password: string }[] = await world.knex('up_users').select('password')
    await world
      .knex('up_users')
      .update({ reset_password_token: 'resetting', confirmation_token: 'confirming' })
    const paths = [
      '/api/users',
      '/api/users?populate=*',
      '/api/users/1',
      '/api/users/me',
      '/api/users/me?populate=*',
    ]
    const answers = await Promise.all(paths.map((path) => ask(path, 'editor')))
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(
        [...secrets.map(({ password }) => password), 'resetting', 'confirming'].filter((one) =>
          text.includes(one),
        ),
      ).toEqual([])
      expect(text).not.toMatch(/password|token/i)
    }
    const asked = [
      'filters[password][$startsWith]=$2',
      'sort=resetPasswordToken',
      'fields=confirmationToken',
      'filters[role][users][password][$notNull]=true',
    ]
    for (const query of asked) expect((await ask(`/api/users?${query}`, 'full')).status).toBe(400)
  })

  it('shows each user himself, also where answers are kept, and lets nobody keep that', async () => {
    const keeping = appWith({ cache: {}, headers: { '*': { shared: true } } })
    for (const round of [1, 2]) {
      for (const [role, id] of [
        ['editor', 1],
        ['reader', 3],
      ] as const) {
        const { body, headers } = await ask('/api/users/me', role, {}, keeping)
        expect([round, body]).toMatchObject([round, { id, username: role }])
        expect(headers['cache-control']).toBe('private, no-store')
      }
    }
  })

  it('tells the default language as of now, also where answers are kept', async () => {
    const keeping = appWith({ cache: {} })
    const defaults = async (): Promise<unknown[]> => {
      const { body } = await ask('/api/i18n/locales', 'editor', {}, keeping)
      const all = body as readonly { readonly code: string; readonly isDefault: boolean }[]
      return all.filter(({ isDefault }) => isDefault).map(({ code }) => code)
    }
    const set = (code: string) =>
      world
        .knex('strapi_core_store_settings')
        .where({ key: 'plugin_i18n_default_locale' })
        .update({ value: JSON.stringify(code) })
    expect(await defaults()).toEqual(['en'])
    await set('fr')
    expect(await defaults()).toEqual(['fr'])
    await set('en')
  })

  it('opens to a token of chosen actions what Strapi calls them', async () => {
    const access_key = keyOfToken('languages')
    await world
      .knex('strapi_api_tokens')
      .insert({ name: 'languages', type: 'custom', kind: 'content-api', access_key })
    const [token] = (await world.knex('strapi_api_tokens').where({ access_key }).select('id')) as [
      { id: number },
    ]
    const action = 'plugin::i18n.locales.listLocales'
    await world.knex('strapi_api_token_permissions').insert({ action, document_id: 'languages' })
    const [permission] = (await world
      .knex('strapi_api_token_permissions')
      .where({ document_id: 'languages' })
      .select('id')) as [{ id: number }]
    await world
      .knex('strapi_api_token_permissions_token_lnk')
      .insert({ api_token_permission_id: permission.id, api_token_id: token.id })
    const headers = { Authorization: 'Bearer languages' }
    expect((await ask('/api/i18n/locales', 'public', headers)).status).toBe(200)
    expect((await ask('/api/upload/files', 'public', headers)).status).toBe(403)
  })

  it('shows what the roles show that open a route, and not what others do where entries lead to it', async () => {
    const user = 'plugin::users-permissions.user'
    const shared = appWith({
      role: (req) => ({ roles: String(req.get('X-Roles')).split(','), asker: { id: 1 } }),
      permissions: {
        own: { find: { [user]: { where: { id: { $asker: 'id' } } } } },
        named: { find: { [user]: { fields: ['username'] } } },
        hidden: { find: '*', findOne: { [user]: false } },
        all: { find: '*' },
        each: { find: '*', findOne: '*' },
      },
    })
    const shown = (roles: string): Promise<readonly (readonly [status: number, text: string])[]> =>
      Promise.all(
        ['users', 'users?fields=id,email', 'users?sort=email', 'users/count', 'users/1', 'users/2'].map(
          async (path): Promise<readonly [number, string]> => {
            const { status, text } = await request(shared).get(`/api/${path}`).set('X-Roles', roles)
            return [status, text]
          },
        ),
      )
    const [own, named] = [await shown('own'), await shown('named')]
    expect(own.map(([status]) => status)).toEqual([200, 200, 200, 200, 200, 204])
    expect(named.map(([status]) => status)).toEqual([200, 400, 400, 200, 200, 200])
    for (const other of ['all', 'hidden', 'each']) {
      const others = await shown(other)
      expect(others.map(([status]) => status)).toEqual(Array.from(others, () => 403))
      expect(await shown(`own,${other}`)).toEqual(own)
      expect(await shown(`${other},named`)).toEqual(named)
    }
  })

  it('refuses a list that is longer than an answer may be, and reads part of it', async () => {
    const short = appWith({ query: { maxEntries: 20 } })
    const { status, text } = await ask('/api/upload/files', 'editor', {}, short)
    expect(status).toBe(400)
    expect(text).toContain('query.maxEntries')
    expect((await ask('/api/upload/files?limit=20', 'editor', {}, short)).status).toBe(200)
    expect((await ask('/api/upload/files?start=15', 'editor', {}, short)).status).toBe(200)
  })

  it.each(['2147483648', '9999999999', '1e1', '0x1', '%00', '1%00', '-1', ' 1'])(
    'finds nothing by the number %s',
    async (number) => {
      expect(
        (await ask(`/api/upload/files/${encodeURI(number).replace(/%25/g, '%')}`, 'editor')).status,
      ).toBe(404)
      expect((await ask(`/api/users/${encodeURI(number).replace(/%25/g, '%')}`, 'editor')).status).toBe(204)
    },
  )

  it('refuses a page of what has none, where parameters are held to what they say', async () => {
    const strict = appWith({ strictParameters: 'near' })
    for (const query of ['pagination[page]=2', 'page=2', 'pageSize=5']) {
      const { status, text } = await ask(`/api/upload/files?${query}`, 'editor', {}, strict)
      expect([status, text.includes('start and limit')]).toEqual([400, true])
    }
    expect((await ask('/api/upload/files?start=1&limit=2', 'editor', {}, strict)).status).toBe(200)
    expect((await ask('/api/upload/files/page?pagination[page]=2', 'full', {}, strict)).status).toBe(200)
  })

  it.each([
    'limit[]=1',
    'limit[a]=1',
    'start[0][b]=1',
    'page[0]=1',
    'limit=1.5',
    'limit=-2',
    'start=1e400',
    'pageSize=-1',
  ])('refuses what is no number: %s', async (query) => {
    for (const path of ['upload/files', 'users', 'users/count', 'users/1', 'users/me'])
      expect([path, (await ask(`/api/${path}?${query}`, 'editor')).status]).toEqual([path, 400])
  })

  it('shows rows as an extension changes them, and forbids caching them', async () => {
    const signed = appWith({ cache: {}, extensions: [strapi5(), signedUrls] })
    for (const path of ['upload/files', 'upload/files?fields=url', 'upload/files/1', 'upload/files/page']) {
      const { text, headers } = await ask(`/api/${path}`, 'full', {}, signed)
      expect(text).toMatch(/"url":"https:\/\/files\.test\/uploads\/[^"]*\?signed"/)
      expect(headers['cache-control']).toBe('private, no-store')
    }
  })

  it('answers HEAD and OPTIONS, and refuses to write', async () => {
    for (const path of ['/api/upload/files', '/api/users/me', '/api/i18n/locales']) {
      expect((await request(app).options(path)).headers['allow']).toBe('GET, HEAD, OPTIONS')
      expect((await request(app).post(path)).status).toBe(405)
      const headed = await request(app)
        .head(path)
        .set('Authorization', `Bearer ${credentials['editor'] ?? ''}`)
      expect(headed.status).toBe(200)
    }
  })

  it.each(documented)('asks for what docs/reference/strapi.md says: %s for %s', async (path, action) => {
    expect((await ask(`/api/${path}`, 'limited')).status).toBe(403)
    await grant('limited', action)
    const { status } = await ask(`/api/${path}`, 'limited')
    await world
      .knex('up_permissions')
      .where({ document_id: `limited ${action}` })
      .delete()
    expect(status).toBe(200)
  })

  it('has a row in docs/reference/strapi.md for each of its routes', () => {
    const described = documented.map(([path]) => `/${path.replace(/1$/, ':id')}`)
    expect(described.sort()).toEqual(pluginRoutes.map(({ path }) => path).sort())
  })

  it('is not there without the option', async () => {
    const bare = appWith({ extensions: [strapi5({ routes: false })] })
    for (const path of ['upload/files', 'upload/files/1', 'users', 'users/me', 'users/count', 'i18n/locales'])
      expect((await ask(`/api/${path}`, 'full', {}, bare)).status).toBe(404)
  })

  describe('by the permissions of a host', () => {
    const paths = [
      'upload/files',
      'upload/files/1',
      'upload/files/page',
      'users',
      'users/1',
      'users/count',
      'i18n/locales',
    ]
    const user = 'plugin::users-permissions.user'
    const find = (types: readonly string[]): Partial<ContentRouterConfig> => ({
      role: () => 'public',
      permissions: { public: { find: types } },
    })
    const closed = [[], ['article'], ['plugin::users-permissions.role']].map(
      (types) => [types.join(), find(types), []] as const,
    )

    it.each<readonly [string, Partial<ContentRouterConfig>, readonly string[]]>([
      ...closed,
      ['files', find(['plugin::upload.file']), paths.slice(0, 3)],
      ['languages', find(['plugin::i18n.locale']), ['i18n/locales']],
      ['users', find([user]), ['users', 'users/1', 'users/count']],
      [
        'lists of users',
        { role: () => 'public', permissions: { public: { find: [user], findOne: [] } } },
        ['users', 'users/count'],
      ],
      ['single users', { role: () => 'public', permissions: { public: { findOne: [user] } } }, ['users/1']],
      [
        '*, which is no word for users',
        { role: () => 'public', permissions: { public: { find: '*' } } },
        [...paths.slice(0, 3), 'i18n/locales'],
      ],
      [
        'a function',
        { role: () => 'public', permissions: (_role, uid, action) => uid === user && action === 'findOne' },
        ['users/1'],
      ],
    ])('opens what is granted: %s', async (_name, options, open) => {
      const hosted = appWith(options)
      const answers = await Promise.all(
        paths.map(async (path) => [path, (await ask(`/api/${path}`, 'public', {}, hosted)).status] as const),
      )
      expect(answers).toEqual(paths.map((path) => [path, open.includes(path) ? 200 : 403]))
    })

    it('shows nobody himself whom only the host knows', async () => {
      const hosted = appWith(find([user]))
      expect((await ask('/api/users/me', 'public', {}, hosted)).status).toBe(401)
      const known = appWith({ permissions: { editor: { findOne: [user] } } })
      expect((await ask('/api/users/me', 'editor', {}, known)).body).toMatchObject({ username: 'editor' })
      expect((await ask('/api/users/me', 'reader', {}, known)).status).toBe(403)
    })
  })

  describe('by rules beside the permissions of Strapi', () => {
    const user = 'plugin::users-permissions.user'
    const language = 'plugin::i18n.locale'
    const file = 'plugin::upload.file'
    const rights = new Map(documented.map(([path, action]) => [path.replace('/api/', ''), action]))
    const of = (type: string, paths: readonly string[]) => paths.map((path) => [path, type] as const)
    const paths = [
      ...of(user, ['users', 'users/1', 'users/me', 'users/count']),
      ...of(language, ['i18n/locales']),
      ...of(file, ['upload/files', 'upload/files/page', 'upload/files/1']),
    ]
    let role = 0

    beforeAll(async () => {
      await world.knex('up_roles').insert({ type: 'narrow', name: 'Narrow', document_id: 'narrow' })
      const [made] = (await world.knex('up_roles').where({ type: 'narrow' }).select('id')) as [{ id: number }]
      role = made.id
    })

    /** By a role that has this one right, of whose user the number is 1. */
    async function askBy(
      right: string,
      rules: Record<string, boolean | Rule>,
      path = right,
      more: readonly string[] = [],
    ) {
      await world.knex('up_permissions_role_lnk').where({ role_id: role }).delete()
      for (const action of [rights.get(right) ?? 'none', ...more]) await grant('narrow', action)
      const [before] = (await world.knex('up_users_role_lnk').where({ user_id: 1 }).select('role_id')) as [
        { role_id: number },
      ]
      await world.knex('up_users_role_lnk').where({ user_id: 1 }).update({ role_id: role })
      const narrowed = appWith({ permissions: fromDatabase({ maxAge: 0, rules: { narrow: rules } }) })
      const { status, body } = await ask(`/api/${path}`, 'editor', {}, narrowed)
      await world.knex('up_users_role_lnk').where({ user_id: 1 }).update({ role_id: before.role_id })
      return { status, body }
    }

    it('knows all of these routes', () => {
      const read = [...rights.keys()].filter((path) => !path.startsWith('content-type-builder'))
      expect(paths.map(([path]) => path).sort()).toEqual(read.sort())
    })

    it.each(paths)(
      'a right is one where its rule is true, and none where that is false: %s',
      async (path, type) => {
        expect((await askBy(path, { [type]: true })).status).toBe(200)
        expect((await askBy(path, { [type]: false })).status).toBe(403)
        expect((await askBy(path, {})).status).toBe(200)
      },
    )

    it.each<readonly [string, unknown]>([
      ['users', [{ username: 'reader' }]],
      ['users/1', null],
      ['users/me', null],
      ['users/count', 1],
    ])('a rule says which users there are: %s', async (path, shown) => {
      const where = { username: 'reader' }
      const { status, body } = await askBy(path, { [user]: { where } })
      if (shown === null) expect(status).toBe(204)
      else expect([status, body]).toMatchObject([200, shown])
      const own = await askBy(path, { [user]: { where: { id: { $asker: 'id' } } } })
      expect([own.status, path === 'users/count' ? own.body : 1]).toEqual([200, 1])
    })

    it.each(['users', 'users/1', 'users/me', 'users/count'])(
      'and what is known of them: %s',
      async (path) => {
        const fields = { [user]: { fields: ['username'] } }
        const { body } = await askBy(path, fields)
        const one: unknown = Array.isArray(body) ? (body as readonly unknown[])[0] : body
        if (path !== 'users/count')
          expect(Object.keys(one as object)).toEqual(['id', 'documentId', 'username'])
        for (const hidden of ['filters[email][$contains]=@', 'sort=email', 'fields=email']) {
          expect((await askBy(path, {}, `${path}?${hidden}`)).status).toBe(200)
          expect((await askBy(path, fields, `${path}?${hidden}`)).status).toBe(400)
        }
      },
    )

    it('a rule says which languages there are, and what is known of them', async () => {
      const { body } = await askBy('i18n/locales', {
        [language]: { where: { code: 'fr' }, fields: ['code'] },
      })
      expect(body).toEqual([
        { id: 2, documentId: expect.any(String) as string, code: 'fr', isDefault: false },
      ])
    })

    it('a right to a list or a count opens nothing where links lead to the type', async () => {
      const path = 'users/count?filters[role][users][username]=reader'
      const roles = 'plugin::users-permissions.role.find'
      expect((await askBy('users/count', {}, path, [roles])).status).toBe(400)
      expect((await askBy('users/count', {}, path, [roles, `${user}.find`])).status).toBe(200)
    })

    it('of several roles one that has the right says how far it goes', async () => {
      const shown = async (rules: Record<string, Record<string, boolean | Rule>>): Promise<number> => {
        const permissions = fromDatabase({ maxAge: 0, rules })
        const both = appWith({ permissions, role: () => ['narrow', 'other'] })
        const { body } = await ask('/api/users?limit=1', 'public', {}, both)
        return Object.keys((body as readonly object[])[0] ?? {}).length
      }
      await world.knex('up_permissions_role_lnk').where({ role_id: role }).delete()
      await world.knex('up_roles').insert({ type: 'other', name: 'Other', document_id: 'other' })
      const fields = { [user]: { fields: ['username'] } }
      await grant('narrow', `${user}.find`)
      expect(await shown({ narrow: fields })).toBe(3)
      await grant('other', `${user}.findOne`)
      expect(await shown({ narrow: fields })).toBe(3)
      await grant('other', `${user}.find`)
      expect(await shown({ narrow: fields })).toBeGreaterThan(3)
      expect(await shown({ narrow: fields, other: { [user]: { fields: ['email'] } } })).toBe(4)
    })
  })

  describe("an entry's number, in Strapi's older format", () => {
    const v4 = { 'Strapi-Response-Format': 'v4' }
    const rowOf = async (where: object, isPublished: boolean) => {
      const all = world.knex('articles').where(where)
      const rows = (await (isPublished ? all.whereNotNull('published_at') : all.whereNull('published_at'))
        .orderBy('id')
        .limit(1)
        .select('id', 'document_id', 'title')) as [{ id: number; document_id: string; title: string }]
      return rows[0]
    }

    it('finds it, as its document id does', async () => {
      const { id, document_id, title } = await rowOf({ locale: 'en' }, true)
      for (const name of [String(id), document_id]) {
        const { body } = await ask(`/api/articles/${name}`, 'public', v4)
        expect(body).toMatchObject({ data: { id, attributes: { title } } })
      }
    })

    it('finds it in its own language, unless another is asked for', async () => {
      const { id, title } = await rowOf({ locale: 'fr' }, true)
      expect((await ask(`/api/articles/${String(id)}`, 'public', v4)).body).toMatchObject({
        data: { id, attributes: { title, locale: 'fr' } },
      })
      expect((await ask(`/api/articles/${String(id)}?locale=fr`, 'public', v4)).status).toBe(200)
      expect((await ask(`/api/articles/${String(id)}?locale=en`, 'public', v4)).status).toBe(404)
    })

    it('finds no draft where the published one is asked for', async () => {
      const { id } = await rowOf({ locale: 'en' }, false)
      expect((await ask(`/api/articles/${String(id)}`, 'public', v4)).status).toBe(404)
      expect((await ask(`/api/articles/${String(id)}?status=draft`, 'public', v4)).body).toMatchObject({
        data: { id },
      })
    })

    it('means nothing in the present format, nor without strapi5, nor to who may not find one', async () => {
      const { id } = await rowOf({ locale: 'en' }, true)
      expect((await ask(`/api/articles/${String(id)}`)).status).toBe(404)
      expect(
        (await ask(`/api/articles/${String(id)}`, 'public', v4, appWith({ extensions: [] }))).status,
      ).toBe(404)
      expect((await ask(`/api/articles/${String(id)}`, 'reader', v4)).status).toBe(403)
    })
  })
})

onSqlite((database) => {
  const world = database.fresh()
  const config = {
    contentTypes: [collection('user', { name: text })],
    permissions: {
      public: { find: '*', findOne: ['plugin::users-permissions.user', 'user'] },
    },
    extensions: [strapi5()],
  } as unknown as ContentRouterConfig

  it('has tables of its own on a database that no Strapi wrote, and gives way to types of the host', async () => {
    const own = { ...config, database: world.config }
    await migrate(own)
    const content = { user: [{ name: 'Ada' }], 'plugin::i18n.locale': [{ name: 'Deutsch', code: 'de' }] }
    await seed(own, content)
    const router = world.closing(contentRouter({ ...own, defaultLocale: 'de' }))
    await router.ready()
    const host = express().use('/api', router)
    expect((await request(host).get('/api/i18n/locales')).body).toMatchObject([
      { id: 1, name: 'Deutsch', code: 'de', isDefault: true },
    ])
    expect((await request(host).get('/api/upload/files')).text).toBe('[]')
    expect((await request(host).get('/api/users')).body).toMatchObject({ data: [{ name: 'Ada' }] })
    expect((await request(host).get('/api/users/1')).status).toBe(404)
  })
})

onSqlite((database) => {
  const { serve, world } = stocked(database, library, { 'plugin::upload.file': [{ name: 'a', url: '/a' }] })

  it('finds the file whose id is 0 at /upload/files/0, and at no other number', async () => {
    const permissions = { public: { find: ['plugin::upload.file'] } } as const
    const { get } = serve({ permissions, extensions: [strapi5()] })
    const found = (): Promise<readonly number[]> =>
      Promise.all(
        ['0', '-1', '00', 'x', '2147483648'].map(
          async (number) => (await get(`upload/files/${number}`)).status,
        ),
      )
    expect(await found()).toEqual([404, 404, 404, 404, 404])
    await world.knex('files').update({ id: 0 })
    expect(await found()).toEqual([200, 404, 200, 404, 404])
  })
})
