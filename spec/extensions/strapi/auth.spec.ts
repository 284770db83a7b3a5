import express, { type Express } from 'express'
import { sign } from 'jsonwebtoken'
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { knex as makeKnex } from 'knex'
import request from 'supertest'
import { fromDatabase, type FromDatabaseOptions, strapiAuth } from '../../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { library } from '../../support/library'
import { apiTokenSalt, jwtSecret, keyOfToken, siteOver } from '../../support/recorded-site'
import { recordingOf } from '../../support/recordings'
import { saying } from '../../support/saying'
import { stocked } from '../../support/served'

const day = 24 * 60 * 60 * 1000

/** Who the recorded database knows. */
const users = { editor: 1, limited: 2, reader: 3 }

const badCredentials = {
  data: null,
  error: { status: 401, name: 'UnauthorizedError', message: 'Missing or invalid credentials', details: {} },
}

const userToken = (claims: object, secret = jwtSecret): string => sign(claims, secret, { expiresIn: '1h' })

const unsigned = (claims: object): string =>
  [{ alg: 'none', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.')

onSqlite((database) => {
  const world = database.restored()

  const routerWith = siteOver(world, database)
  const appWith = (options: Partial<ContentRouterConfig> = {}): Express =>
    express().use('/api', routerWith(options))

  let app: Express
  beforeAll(() => {
    app = appWith()
  })

  interface Answer {
    readonly status: number
    readonly body: { readonly data: unknown }
    readonly text: string
  }

  const ask = async (path: string, authorization?: string, on = app): Promise<Answer> => {
    const asked = request(on).get(path)
    if (authorization !== undefined) void asked.set('Authorization', authorization)
    return asked
  }
  const statusOf = async (path: string, token?: string, on = app): Promise<number> =>
    (await ask(path, token === undefined ? undefined : `Bearer ${token}`, on)).status

  describe('without credentials', () => {
    it.each([undefined, 'Basic abc', 'Bearer', 'abc', 'Bearer a b', 'Token abc'])(
      'takes %p for the public role',
      async (header) => {
        expect((await ask('/api/articles', header)).status).toBe(200)
        expect((await ask('/api/tags', header)).status).toBe(403)
      },
    )
  })

  describe('a token of a user', () => {
    it('opens what the role of the user may find', async () => {
      expect(await statusOf('/api/tags')).toBe(403)
      expect(await statusOf('/api/tags', userToken({ id: users.editor }))).toBe(200)
      expect(await statusOf('/api/authors', userToken({ id: users.limited }))).toBe(403)
    })

    it('is read whatever the case of the scheme', async () => {
      expect((await ask('/api/tags', `bEARER ${userToken({ id: users.editor })}`)).status).toBe(200)
    })

    it('is weighed with a table of permissions too', async () => {
      const tabled = appWith({ permissions: { editor: { find: ['author'] }, public: { find: ['tag'] } } })
      const token = userToken({ id: users.editor })
      expect(await statusOf('/api/authors', token, tabled)).toBe(200)
      expect(await statusOf('/api/tags', token, tabled)).toBe(403)
      expect(await statusOf('/api/tags', undefined, tabled)).toBe(200)
    })

    it('is somebody to rules, as to policies that ask who owns an entry', async () => {
      const user = { where: { id: { $asker: 'id' } } }
      const owning = appWith({
        permissions: {
          editor: { find: { 'plugin::users-permissions.user': user } },
          public: { find: { 'plugin::users-permissions.user': user } },
        },
      })
      const token = userToken({ id: users.editor })
      const idsFor = async (authorization?: string): Promise<unknown> => {
        const { text } = await ask('/api/users', authorization, owning)
        return (JSON.parse(text) as readonly { readonly id: number }[]).map(({ id }) => id)
      }
      expect(await idsFor(`Bearer ${token}`)).toEqual([users.editor])
      expect(await idsFor()).toEqual([])
      expect(await statusOf('/api/users/me', token, owning)).toBe(200)
      expect(await statusOf(`/api/users/${String(users.limited)}`, token, owning)).toBe(204)
    })

    it('is told by more than an id, and narrowed in what the database grants', async () => {
      const token = userToken({ id: users.editor })
      const [editor] = (await world.knex('up_users').where({ id: users.editor }).select('username')) as [
        { username: string },
      ]
      const named = { where: { name: { $ne: { $asker: 'username' } } }, fields: ['name'] }
      const served = (rules: Required<FromDatabaseOptions>['rules']): Express =>
        appWith({ permissions: fromDatabase({ maxAge: 0, rules }) })
      const dataOf = async (
        path: string,
        on: Express,
      ): Promise<readonly Readonly<Record<string, unknown>>[]> =>
        (await ask(path, `Bearer ${token}`, on)).body.data as readonly Readonly<Record<string, unknown>>[]
      const all = await dataOf('/api/authors?sort=id', served({}))
      const own = await dataOf('/api/authors?sort=id', served({ editor: { author: named } }))
      expect(own).toEqual(all.map(({ id, documentId, name }) => ({ id, documentId, name })))
      // No other is equal to it by any collation.
      const first = all.find(({ name }) => name === 'Łukasz Żółty')
      expect(first).toBeDefined()
      await world.knex('up_users').where({ id: users.editor }).update({ username: first?.['name'] })
      expect(await dataOf('/api/authors?sort=id', served({ editor: { author: named } }))).toEqual(
        own.filter(({ name }) => name !== first?.['name']),
      )
      await world.knex('up_users').where({ id: users.editor }).update({ username: editor.username })
      const refusing = served({ editor: { 'api::author.author': false }, limited: { tag: false } })
      expect(await statusOf('/api/authors', token, refusing)).toBe(403)
      expect(await statusOf('/api/tags', token, refusing)).toBe(200)
      expect(
        await statusOf(
          '/api/authors',
          userToken({ id: users.limited }),
          served({ limited: { author: true } }),
        ),
      ).toBe(403)
    })

    it('is narrowed by rules that are checked at start', () => {
      const faultsOf = (rules: unknown): readonly string[] => {
        try {
          routerWith({ permissions: fromDatabase({ rules } as FromDatabaseOptions) })
          return []
        } catch (error) {
          if (error instanceof ConfigError)
            return error.faults.map((fault) => `${fault.where}: ${fault.problem}`)
          throw error
        }
      }
      expect(faultsOf({ editor: { author: { fields: ['nope'] } } })).toEqual([
        'permissions.rules.editor.author.fields.0: responses of api::author.author do not contain an attribute nope',
      ])
      expect(faultsOf({ editor: { auther: true } })).toEqual([
        'permissions.rules.editor.auther: there is no type auther',
      ])
      expect(faultsOf({ editor: ['author'] })).toEqual([
        'permissions.rules.editor: the rules of a role must be an object with a key for each type',
      ])
      expect(faultsOf(7)).toEqual([
        'permissions.rules: the option rules must be an object with a key for each role',
      ])
    })

    it('knows no other options than its own, as one that is not known would narrow nothing', () => {
      const misspelt = { rule: { editor: { author: false } } } as FromDatabaseOptions
      expect(() => routerWith({ permissions: fromDatabase(misspelt) })).toThrow(
        'permissions.rule: the option rule does not exist (did you mean rules?)',
      )
    })

    it('says before it serves that the database has no such role', async () => {
      const rules = { edtor: { author: false }, limited: { tag: false } } as const
      await expect(routerWith({ permissions: fromDatabase({ rules }) }).ready()).rejects.toThrow(
        'permissions.rules.edtor: the table up_roles contains no role of the type edtor (did you mean editor?)',
      )
      const known = fromDatabase({ rules: { limited: { tag: false } } })
      await expect(routerWith({ permissions: known }).ready()).resolves.toBeUndefined()
    })

    it.each<[string, () => string]>([
      ['with another secret', () => userToken({ id: users.editor }, `${jwtSecret}.`)],
      ['that has expired', () => sign({ id: users.editor }, jwtSecret, { expiresIn: -1 })],
      ['that is not valid yet', () => sign({ id: users.editor }, jwtSecret, { notBefore: 60 })],
      ['that is not signed', () => unsigned({ id: users.editor })],
      ['signed with HS384', () => sign({ id: users.editor }, jwtSecret, { algorithm: 'HS384' })],
      [
        'signed with a private key',
        () => {
          const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
          return sign({ id: users.editor }, privateKey, { algorithm: 'RS256' })
        },
      ],
      ['of a user who is not there', () => userToken({ id: 999 })],
      ['of a user whom no id column could hold', () => userToken({ id: 2 ** 31 })],
      ['of a user with a negative id', () => userToken({ id: -(2 ** 40) })],
      ['without an id', () => userToken({ sub: users.editor })],
      ['with a text for an id', () => userToken({ id: `${String(users.editor)} or 1=1` })],
      ['whose claims are a text', () => sign('1', jwtSecret)],
      ['that was cut', () => userToken({ id: users.editor }).slice(0, -1)],
      ['that is no token at all', () => 'x'.repeat(4000)],
    ])('is refused where it is one %s', async (_form, make) => {
      const { status, body } = await ask('/api/articles', `Bearer ${make()}`)
      expect(body).toEqual(badCredentials)
      expect(status).toBe(401)
    })

    it('of a blocked user is refused', async () => {
      const token = userToken({ id: users.reader })
      expect(await statusOf('/api/homepage', token)).not.toBe(401)
      await world.knex('up_users').where({ id: users.reader }).update({ blocked: true })
      expect(await statusOf('/api/homepage', token)).toBe(401)
      await world.knex('up_users').where({ id: users.reader }).update({ blocked: false })
      expect(await statusOf('/api/homepage', token)).not.toBe(401)
    })

    it('of an unconfirmed user is refused where the project asks for confirmation', async () => {
      const token = userToken({ id: users.editor })
      const key = 'plugin_users-permissions_advanced'
      const settings = { email_confirmation: true }
      const [{ value }] = (await world.knex('strapi_core_store_settings').where({ key }).select('value')) as [
        { value: string },
      ]
      await world.knex('up_users').where({ id: users.editor }).update({ confirmed: false })
      expect(await statusOf('/api/tags', token)).toBe(200)
      await world
        .knex('strapi_core_store_settings')
        .where({ key })
        .update({ value: JSON.stringify(settings) })
      expect(await statusOf('/api/tags', token)).toBe(401)
      await world.knex('up_users').where({ id: users.editor }).update({ confirmed: true })
      expect(await statusOf('/api/tags', token)).toBe(200)
      await world.knex('strapi_core_store_settings').where({ key }).update({ value })
    })
  })

  describe('an api token', () => {
    /** Written as Strapi writes an instant into this database. */
    const instant = (time: number): number | string =>
      database.dialect === 'sqlite' ? time : new Date(time).toISOString().replace('T', ' ').replace('Z', '')

    interface Token {
      readonly type?: string
      readonly kind?: string
      readonly expiresAt?: number
      readonly key?: string
      readonly actions?: readonly string[]
    }

    async function idOf(table: string, where: object): Promise<number> {
      const rows: readonly { id: number }[] = await world.knex(table).where(where).select('id')
      return Number(rows[0]?.id)
    }

    async function addToken(text: string, token: Token): Promise<void> {
      const {
        type = 'full-access',
        kind = 'content-api',
        key = keyOfToken(text),
        expiresAt,
        actions = [],
      } = token
      const expiry = expiresAt === undefined ? {} : { expires_at: instant(expiresAt) }
      await world.knex('strapi_api_tokens').insert({ name: text, type, kind, access_key: key, ...expiry })
      const api_token_id = await idOf('strapi_api_tokens', { name: text })
      for (const action of actions) {
        await world.knex('strapi_api_token_permissions').insert({ action, document_id: `${text} ${action}` })
        const permission = await idOf('strapi_api_token_permissions', { document_id: `${text} ${action}` })
        await world
          .knex('strapi_api_token_permissions_token_lnk')
          .insert({ api_token_permission_id: permission, api_token_id })
      }
    }

    it('with full access opens everything', async () => {
      await addToken('full', {})
      expect(await statusOf('/api/tags', 'full')).toBe(200)
      expect(await statusOf('/api/articles?populate=*&status=draft', 'full')).toBe(200)
    })

    if (database.dialect === 'postgres')
      it.each(['postgres', 'german', 'sql'])(
        'ends when it says, on connections that write dates in the style %s',
        async (style) => {
          const knex = makeKnex({
            ...world.config,
            pool: { afterCreate: saying(`set datestyle = '${style}, dmy'`) },
          })
          world.closing({ close: () => knex.destroy() })
          const app = appWith({ database: knex })
          await addToken(`lasting-${style}`, { expiresAt: Date.now() + day })
          await addToken(`ended-${style}`, { expiresAt: Date.now() - day })
          expect(await statusOf('/api/tags', `lasting-${style}`, app)).toBe(200)
          expect(await statusOf('/api/tags', `ended-${style}`, app)).toBe(401)
        },
      )

    it('with full access opens drafts where they must be granted, and a read-only one does not', async () => {
      await addToken('full-for-drafts', {})
      await addToken('read-only-for-drafts', { type: 'read-only' })
      const strict = appWith({ drafts: 'granted' })
      expect(await statusOf('/api/articles?status=draft', 'full-for-drafts', strict)).toBe(200)
      expect(await statusOf('/api/articles?status=draft', 'read-only-for-drafts', strict)).toBe(403)
    })

    it('that is read-only opens what is read', async () => {
      await addToken('reading', { type: 'read-only' })
      const { status, body } = await ask(
        '/api/articles?populate=tags&pagination[pageSize]=1',
        'Bearer reading',
      )
      expect(status).toBe(200)
      expect(body.data).toEqual([expect.objectContaining({ tags: expect.any(Array) as unknown })])
    })

    it('of a custom kind opens the actions that it lists and no more', async () => {
      await addToken('custom', {
        type: 'custom',
        actions: ['api::tag.tag.find', 'api::article.article.findOne'],
      })
      const { body } = await ask('/api/articles?fields=id&pagination[pageSize]=1')
      const [article] = body.data as { documentId: string }[]
      expect(await statusOf('/api/tags', 'custom')).toBe(200)
      expect(await statusOf(`/api/articles/${String(article?.documentId)}`, 'custom')).toBe(200)
      expect(await statusOf('/api/articles', 'custom')).toBe(403)
      expect(await statusOf('/api/authors', 'custom')).toBe(403)
    })

    it('of a type that nobody knows opens nothing', async () => {
      await addToken('odd', { type: 'everything' })
      expect(await statusOf('/api/articles', 'odd')).toBe(403)
    })

    it('holds until it expires, to the second', async () => {
      await addToken('fresh', { expiresAt: Date.now() + 60_000 })
      await addToken('stale', { expiresAt: Date.now() - 1000 })
      await addToken('old', { expiresAt: Date.now() - 400 * day })
      expect(await statusOf('/api/tags', 'fresh')).toBe(200)
      for (const text of ['stale', 'old']) {
        const { status, body } = await ask('/api/articles', `Bearer ${text}`)
        expect([status, body]).toEqual([401, badCredentials])
      }
    })

    it('for the admin panel is refused', async () => {
      await addToken('admins', { kind: 'admin' })
      expect(await statusOf('/api/articles', 'admins')).toBe(401)
    })

    it('is told from others byte by byte, whatever the collation takes for equal', async () => {
      await addToken('shouted', { key: keyOfToken('shouted').toUpperCase() })
      expect(await statusOf('/api/articles', 'shouted')).toBe(401)
    })

    it('cannot be had with what the database holds, nor with the token of another salt', async () => {
      await addToken('hashed', {})
      await addToken('salted', { key: keyOfToken('salted', 'another salt') })
      expect(await statusOf('/api/articles', keyOfToken('hashed'))).toBe(401)
      expect(await statusOf('/api/articles', 'salted')).toBe(401)
    })

    it('is asked for before a user is', async () => {
      const text = userToken({ id: users.editor })
      await addToken(text.slice(-40), { type: 'custom', key: keyOfToken(text) })
      expect(await statusOf('/api/tags', text)).toBe(403)
    })

    it('is remembered for as long as maxAge says, and its end is not', async () => {
      await addToken('remembered', { expiresAt: Date.now() + 4000 })
      await addToken('withdrawn', {})
      const patient = appWith({ role: strapiAuth({ jwtSecret, apiTokenSalt, maxAge: 600_000 }) })
      expect(await statusOf('/api/tags', 'remembered', patient)).toBe(200)
      expect(await statusOf('/api/tags', 'withdrawn', patient)).toBe(200)
      await world.knex('strapi_api_tokens').where({ name: 'withdrawn' }).delete()
      await new Promise((resolve) => setTimeout(resolve, 4100))
      expect(await statusOf('/api/tags', 'withdrawn', patient)).toBe(200)
      expect(await statusOf('/api/tags', 'withdrawn')).toBe(401)
      expect(await statusOf('/api/tags', 'remembered', patient)).toBe(401)
    })
  })

  it('answers 5xx without a word about the database when the tables cannot be read', async () => {
    const bare = await database.create()
    const router = routerWith({ database: bare.config })
    const { status, text } = await ask('/api/articles', 'Bearer abc', express().use('/api', router))
    await router.close()
    await bare.drop()
    expect(status).toBeGreaterThanOrEqual(500)
    expect(text).not.toMatch(/strapi_api_tokens|select/i)
  })
})

const hour = 3_600_000
const maxAge = 30

const Clock = Date

/** From here on the clock on the wall is so far ahead of what it was, or behind; everything else takes its time. */
function setClock(milliseconds: number): void {
  class Moved extends Clock {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [Moved.now()] : given) as [number]))
    }
    static override now = (): number => Clock.now() + milliseconds
  }
  globalThis.Date = Moved as DateConstructor
}

onSqlite((database) => {
  const world = database.restored()
  const routerWith = siteOver(world, database)
  let app = express()

  beforeEach(() => {
    const role = strapiAuth({ jwtSecret, apiTokenSalt, maxAge })
    app = express().use('/api', routerWith({ permissions: fromDatabase({ maxAge }), role }))
  })
  afterEach(() => {
    globalThis.Date = Clock
  })

  const statusOf = async (path: string, token?: string): Promise<number> => {
    const asked = request(app).get(path)
    return (await (token === undefined ? asked : asked.set('Authorization', `Bearer ${token}`))).status
  }

  const addToken = (text: string, more: object = {}): Promise<unknown> =>
    world
      .knex('strapi_api_tokens')
      .insert({ name: text, type: 'full-access', kind: 'content-api', access_key: keyOfToken(text), ...more })

  it('tokens expire by the clock', async () => {
    const end = Clock.now() + hour / 2
    await addToken('ending', { expires_at: end })
    const token = sign({ id: users.editor }, jwtSecret, { expiresIn: '30m' })
    const statuses = async (): Promise<number[]> => [
      await statusOf('/api/tags', 'ending'),
      await statusOf('/api/tags', token),
    ]
    expect(await statuses()).toEqual([200, 200])
    setClock(hour)
    expect(await statuses()).toEqual([401, 401])
  })

  describe('a clock that is set back does not restore', () => {
    it('a revoked permission', async () => {
      expect(await statusOf('/api/articles')).toBe(200)
      setClock(-hour)
      await world.knex('up_permissions').where({ action: 'api::article.article.find' }).delete()
      await pause(3 * maxAge)
      expect(await statusOf('/api/articles')).toBe(403)
    })

    it('a blocked user', async () => {
      const token = sign({ id: users.editor }, jwtSecret, { expiresIn: '1d' })
      expect(await statusOf('/api/tags', token)).toBe(200)
      setClock(-hour)
      await world.knex('up_users').where({ id: users.editor }).update({ blocked: true })
      await pause(3 * maxAge)
      expect(await statusOf('/api/tags', token)).toBe(401)
    })

    it('a deleted token', async () => {
      await addToken('deleted')
      expect(await statusOf('/api/tags', 'deleted')).toBe(200)
      setClock(-hour)
      await world.knex('strapi_api_tokens').where({ name: 'deleted' }).delete()
      await pause(3 * maxAge)
      expect(await statusOf('/api/tags', 'deleted')).toBe(401)
    })
  })
})

describe('strapiAuth without its secrets', () => {
  const auth = (options: object) => strapiAuth(options as Parameters<typeof strapiAuth>[0])

  it.each([
    [auth({ apiTokenSalt }), 'role.jwtSecret'],
    [auth({ jwtSecret }), 'role.apiTokenSalt'],
    [auth({ jwtSecret: '', apiTokenSalt }), 'role.jwtSecret'],
    [auth({ jwtSecret, apiTokenSalt, maxAge: Number.NaN }), 'role.maxAge'],
  ])('is refused at start', (role, where) => {
    const database = { client: 'better-sqlite3', connection: ':memory:' }
    const make = () => contentRouter({ contentTypes: recordingOf('sqlite').contentTypes, database, role })
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(new RegExp(where))
  })
})

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {})

  it('that cannot be read are a 500, which logs neither tokens nor secrets', async () => {
    await world.knex.schema.dropTable('up_users')
    const { sql, errors, logger } = keeping()
    const role = strapiAuth({ jwtSecret: 'jwt-of-ours', apiTokenSalt: 'salt-of-ours' })
    const { app } = serve({ logger, role })
    const { status } = await request(app).get('/api/books').set('authorization', 'Bearer token-of-ours')
    expect(status).toBe(500)
    expect(errors).toHaveLength(1)
    expect(inspect([sql, errors], { depth: 20 })).not.toContain('of-ours')
  })
})
