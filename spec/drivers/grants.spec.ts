import express from 'express'
import { sign } from 'jsonwebtoken'
import type { Knex } from 'knex'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { strapi5 } from '../../extensions/strapi'
import {
  type ContentRouter,
  contentRouter,
  type ContentRouterConfig,
  migrate,
  type TablesError,
} from '../../lib'
import { seed } from '../../extensions/seed'
import { runCommand } from '../../tools/command/run'
import { deviations } from '../corpus/deviations'
import { firstDifference, type Answer } from '../corpus/difference'
import { type Case, casesByGroup, replay, roleHeader, serve } from '../corpus/replay'
import { describeOn, testDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, integer, library, picture, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { recordingOf } from '../support/recordings'
import { apiTokenSalt, jwtSecret, keyOfToken, siteOver } from '../support/recorded-site'
import { aThirdOf } from '../support/sweep'

// A least-privilege user: it has exactly the rights that `check --grants` prints.
const user = 'content_router_least'

const secret = { type: 'string', private: true }

type Options = Partial<ContentRouterConfig>

async function makeUser({ knex, config }: World): Promise<Knex.Config> {
  if (config.client === 'pg') {
    await knex.raw(`do $$ begin
      if exists (select from pg_roles where rolname = '${user}') then drop owned by ${user}; end if;
    end $$`)
    await knex.raw(`drop role if exists ${user}`)
    await knex.raw(`create role ${user} login password 'reads'`)
  } else {
    await knex.raw(`drop user if exists ${user}`)
    await knex.raw(`create user ${user} identified by 'reads'`)
  }
  const connection = { ...(config.connection as object), user, password: 'reads' }
  return { ...config, connection }
}

interface Printed {
  readonly code: number
  readonly lines: readonly string[]
  readonly complained: string
}

/** What the command prints for a configuration, in JavaScript. */
async function printGrants(
  write: (files: Record<string, string>) => string,
  config: string,
): Promise<Printed> {
  const printed: string[] = []
  const complained: string[] = []
  const extension = JSON.stringify(join(__dirname, '..', '..', 'extensions', 'strapi'))
  const imports = `const { fromDatabase, strapi5, strapiAuth } = require(${extension})`
  const file = write({ 'router.config.cjs': `${imports}\nmodule.exports = ${config}` })
  const code = await runCommand(['check', '--config', file, '--grants', '--user', user], {
    print: (line) => printed.push(line),
    complain: (line) => complained.push(line),
  })
  return { code, lines: printed.join('\n').split('\n'), complained: complained.join('\n') }
}

/** The columns of each table that a grant names. */
function grantedIn(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const form = /^grant select \((.+)\) on (?:`.+?`\.)?["`](.+?)["`] to /
  return new Map(
    lines.flatMap((line): [string, string[]][] => {
      const [, columns = '', table = ''] = form.exec(line) ?? []
      return table === '' ? [] : [[table, columns.split(', ').map((name) => name.slice(1, -1))]]
    }),
  )
}

function folder(): (files: Record<string, string>) => string {
  let at = 0
  const { path, write } = projectFolder()
  return (files) => {
    const [name, source] = Object.entries(files)[0] ?? ['', '']
    // A module is loaded once.
    at += 1
    write({ [`${String(at)}-${name}`]: source })
    return join(path, `${String(at)}-${name}`)
  }
}

describeOn(['postgres', 'mariadb', 'mysql'])('the rights that check --grants prints on %s', (name) => {
  const database = testDatabase(name)

  describe('for the recorded corpus', () => {
    const recording = recordingOf(name)
    const world = database.restored()
    const write = folder()
    const recorded = JSON.parse(readFileSync(join(recording.folder, 'config.json'), 'utf8')) as Options
    const options = { extensions: [strapi5()], ...recorded, contentTypes: recording.contentTypes }
    let lines: readonly string[] = []
    let config: Knex.Config

    beforeAll(async () => {
      config = await makeUser(world)
      const printed = await printGrants(
        write,
        `{ ...${JSON.stringify({ ...options, database: world.config })}, extensions: [strapi5()] }`,
      )
      expect(printed).toMatchObject({ code: 0, complained: expect.not.stringContaining('rror') as unknown })
      lines = printed.lines
      for (const line of lines) await world.knex.raw(line)
    })

    const judge = async ({ n, request, expected }: Case, got: Answer): Promise<string | undefined> => {
      if (expected === 'never 500' || deviations.has(n))
        return Promise.resolve(got.status < 500 ? undefined : `got ${String(got.status)}`)
      return Promise.resolve(firstDifference(request, expected, got))
    }

    it('suffice for ready() and for recorded requests, and none is idle', async () => {
      const { logger, sql, errors } = keeping()
      const router = world.closing(
        contentRouter({
          ...options,
          logger,
          cache: { maxBytes: 1 },
          database: config,
          role: (req) => req.get(roleHeader) ?? 'public',
        }),
      )
      await router.ready()
      const host = world.closing(await serve(express().use('/api', router)))
      for (const cases of casesByGroup(recording).values()) {
        const found = await replay(host, aThirdOf(cases), judge)
        expect(found.map(({ asked, difference }) => `${asked.request}: ${difference}`)).toEqual([])
      }
      // Served as well, and not among them.
      for (const request of [
        '/api/categories?populate=children',
        '/api/global?populate=editorInChief',
        '/api/i18n/locales',
        '/api/authors?populate[account][populate]=role&sort=account.role.id',
      ]) {
        const { status } = await host.ask({ n: 0, group: '', request, role: 'token', expected: 'never 500' })
        expect([request, status]).toEqual([request, 200])
      }
      expect(errors).toEqual([])
      // Roles lead to their users in this order, as far as they show them.
      const named = new Set(sql.flatMap((text) => text.match(/(?<=["`])\w+(?=["`])/g) ?? []))
      const idle = [...grantedIn(lines)].flatMap(([table, columns]) =>
        [table, ...columns]
          .filter((one) => !named.has(one) && one !== 'user_ord')
          .map((one) => `${table} ${one}`),
      )
      expect(idle).toEqual([])
    }, 300_000)
  })

  describe('for tokens and permissions in the database', () => {
    const world = database.restored()
    const write = folder()

    it('suffice to check them', async () => {
      const token = 'token-of-a-script'
      const row = { name: token, type: 'read-only', kind: 'content-api', access_key: keyOfToken(token) }
      await world.knex('strapi_api_tokens').insert(row)
      const config = await makeUser(world)
      const given = JSON.stringify({ contentTypes: recordingOf(name).contentTypes, database: world.config })
      const role = `strapiAuth(${JSON.stringify({ jwtSecret, apiTokenSalt })})`
      const { lines } = await printGrants(
        write,
        `{ ...${given}, extensions: [strapi5()], role: ${role}, permissions: fromDatabase() }`,
      )
      for (const line of lines) await world.knex.raw(line)
      expect(grantedIn(lines).get('strapi_api_tokens')).not.toContain('name')
      expect(grantedIn(lines).get('up_users')).not.toContain('password')
      const router = siteOver(world, database)({ database: config })
      await router.ready()
      const app = express().use('/api', router)
      const statusFor = async (path: string, bearer: string): Promise<number> =>
        (await request(app).get(path).set('Authorization', `Bearer ${bearer}`)).status
      expect(await statusFor('/api/tags', token)).toBe(200)
      expect(await statusFor('/api/tags', 'another')).toBe(401)
      expect(await statusFor('/api/users/me', sign({ id: 1 }, jwtSecret))).toBe(200)
    })
  })

  describe('for own tables', () => {
    const world = database.fresh()
    const write = folder()
    const contentTypes = [
      collection('memo', { title: text, cover: picture, ledger: secret }, { localized: true }),
      collection('customer', { name: text, code: secret }),
      collection('order', { total: integer, note: text, customer: relation('manyToOne', 'customer') }),
      collection('draft', { title: text }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const rule = { where: { $or: [{ customer: { code: { $eq: 'A' } } }] }, fields: ['total'] }
    const permissions = { public: { find: ['memo'] }, clerk: { find: { order: rule } } }
    const options = { contentTypes, permissions, logger: false } as const
    const settings = 'strapi_core_store_settings'
    const grant = async (given: Options = {}): Promise<readonly string[]> => {
      const { lines } = await printGrants(
        write,
        JSON.stringify({ ...options, database: world.config, ...given }),
      )
      for (const line of lines) await world.knex.raw(line)
      return lines
    }
    const served = (config: Knex.Config, given: Options = {}): ContentRouter =>
      world.closing(contentRouter({ ...options, database: config, role: () => 'public', ...given }))
    const titles = async (router: ContentRouter): Promise<unknown> => {
      const { status, text: body } = await request(express().use('/api', router)).get('/api/memos')
      if (status !== 200) return status
      return (JSON.parse(body) as { data: readonly { title: string }[] }).data.map(({ title }) => title)
    }

    beforeAll(async () => {
      await migrate({ contentTypes, database: world.config })
      await world.knex(settings).insert({ key: 'plugin_i18n_default_locale', value: '"de"' })
      const translations = { en: { title: 'letter' } }
      await seed(
        { contentTypes, database: world.config },
        {
          memo: [{ title: 'Brief', $locale: 'de', $locales: translations }],
          customer: [{ $ref: 'a', code: 'A' }],
          order: [{ total: 7, customer: 'a' }],
        },
      )
    })

    it('name what roles may read, and no other table or column', async () => {
      await makeUser(world)
      const granted = grantedIn(await grant())
      const times = ['created_at', 'updated_at', 'published_at']
      expect([...granted.keys()].sort()).toEqual(
        [
          'customers',
          'files',
          'files_related_mph',
          'memos',
          'orders',
          'orders_customer_lnk',
          settings,
        ].sort(),
      )
      const sorted = (table: string): readonly string[] => [...(granted.get(table) ?? [])].sort()
      expect(sorted('memos')).toEqual([...times, 'id', 'document_id', 'title', 'locale'].sort())
      expect(sorted('orders')).toEqual(['document_id', 'id', 'total'])
      expect(sorted('customers')).toEqual(['code', 'document_id', 'id'])
      expect(sorted('orders_customer_lnk')).toEqual(['customer_id', 'order_id'])
      expect(sorted(settings)).toEqual(['key', 'value'])
    })

    it('name the database on MySQL, so that none has to be selected', async () => {
      await makeUser(world)
      const lines = await grant()
      const unnamed = lines.filter((line) => !/^grant select .* on `[^`]+`\.`[^`]+` to /.test(line))
      if (name !== 'postgres') expect(unnamed).toEqual([])
    })

    it('suffice for a rule through what its role may not read', async () => {
      const config = await makeUser(world)
      await grant()
      const router = served(config)
      await router.ready()
      expect(await router.as('clerk').find('orders')).toMatchObject({ data: [{ total: 7 }] })
    })

    it('hold the default locale, and without the right to it nothing is guessed', async () => {
      const config = await makeUser(world)
      await grant()
      expect(await titles(served(config))).toEqual(['Brief'])
      await world.knex.raw(
        `revoke select (${name === 'postgres' ? '"key", value' : '`key`, value'}) on ${settings} from ${user}`,
      )
      const router = served(config)
      const error: unknown = await router.ready().catch((reason: unknown) => reason)
      expect((error as TablesError).faults).toEqual([
        {
          where: settings,
          problem: 'the database user is not allowed to read this table',
          remedy: expect.stringMatching(
            /^grant the database user SELECT on .*, or .*defaultLocale: 'en'$/,
          ) as unknown,
        },
      ])
      expect(await titles(router)).toBe(500)
    })

    it('leave the settings out where defaultLocale names the locale', async () => {
      const config = await makeUser(world)
      const granted = grantedIn(await grant({ defaultLocale: 'en' }))
      expect([...granted.keys()]).not.toContain(settings)
      const router = served(config, { defaultLocale: 'en' })
      await router.ready()
      expect(await titles(router)).toEqual(['letter'])
    })

    it('need --user, and --user needs them', async () => {
      for (const words of [
        ['--grants'],
        ['--user', 'reader'],
        ['--grants', '--user', 'reader', '--role', 'public'],
      ])
        expect(
          await runCommand(['check', ...words], { print: () => undefined, complain: () => undefined }),
        ).toBe(2)
    })
  })
})

describeOn(['sqlite'])('the rights that check --grants prints on %s', (name) => {
  const world = testDatabase(name).fresh()
  const write = folder()

  it('are none, as SQLite has no users', async () => {
    await migrate({ contentTypes: library, database: world.config })
    const printed = await printGrants(
      write,
      JSON.stringify({ contentTypes: library, database: world.config }),
    )
    expect([printed.code, printed.complained]).toEqual([1, expect.stringContaining('SQLite has no users')])
  })
})
