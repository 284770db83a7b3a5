import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import express from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, type Logger, migrate, seed, strapiAuth } from '../../lib'
import { onSqlite, type World } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

type DatabaseConfig = World['config']
interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

const secret = 'pa55-w0rd%27'
const user = 'user-of-ours'
const host = 'host-of-ours.invalid'
const name = 'base-of-ours'
/** Where SQLite's file should be. */
const folder = mkdtempSync(join(tmpdir(), 'folder-of-ours-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Everything that was handed to a logger, whatever it is and however deep. */
function keeping(): { readonly logger: Logger; readonly kept: () => string } {
  const all: unknown[] = []
  const keep = (...facts: unknown[]): void => {
    all.push(facts)
  }
  const logger = { debug: keep, info: keep, warn: keep, error: keep }
  return { logger, kept: () => wholly(all) }
}

const wholly = (value: unknown): string =>
  inspect(value, { depth: 20, showHidden: true, maxArrayLength: null })

const raised = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'nothing was raised',
      (error: unknown) => error,
    )

const schemes = { mysql2: 'mysql', pg: 'postgres' } as const

/** Ways in which a database cannot be reached, for a database that could be. */
function unreachable({ client, connection }: DatabaseConfig): Readonly<Record<string, DatabaseConfig>> {
  if (client === 'better-sqlite3')
    return { 'a folder for a file': { client, connection: { filename: folder } } as DatabaseConfig }
  const right = connection as unknown as Address
  const at = (other: Partial<Address>): DatabaseConfig =>
    ({ client, connection: { ...right, ...other } }) as unknown as DatabaseConfig
  const scheme = schemes[client as keyof typeof schemes]
  return {
    'a wrong password': at({ password: secret }),
    'a wrong user': at({ user, password: secret }),
    'an unknown host': at({ host, password: secret, user }),
    'an address where nothing listens': at({ port: 1, password: secret, user, database: name }),
    'no such database': at({ database: name }),
    'TLS that it does not speak, or with a certificate of its own making': {
      client,
      connection: { ...right, ssl: { rejectUnauthorized: true } },
    } as unknown as DatabaseConfig,
    'a URL to an unknown host': {
      client: client as string,
      connection: `${scheme}://${user}:${encodeURIComponent(secret)}@${host}/${name}`,
    },
  }
}

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    book: [{ title: 'Dawn', ledger: 'kept-in-a-row', author: 'ada' }],
  })

  const telling = (): readonly string[] => {
    const { connection } = world.config as { connection: Partial<Address> }
    const own = [connection.password, connection.host, connection.user].filter((one) => one !== undefined)
    return [...own, secret, encodeURIComponent(secret), user, host, name, 'folder-of-ours', '127.0.0.1']
  }
  const told = (text: string): string[] => telling().filter((one) => text.includes(one))

  const names =
    database.dialect === 'sqlite'
      ? ['a folder for a file']
      : [
          'a wrong password',
          'a wrong user',
          'an unknown host',
          'an address where nothing listens',
          'no such database',
          'TLS that it does not speak, or with a certificate of its own making',
          'a URL to an unknown host',
        ]

  it.each(names)('nothing of the connection reaches an error, a log or a body: %s', async (way) => {
    const config = unreachable(world.config)[way] ?? {}
    const { logger, kept } = keeping()
    const options: ContentRouterConfig = {
      contentTypes: library,
      database: { ...config, pool: { min: 0, max: 2 } },
      logger,
      permissions: { public: { find: '*' } },
    }
    const router = world.closing(contentRouter(options))
    const { status, headers, text } = await request(express().use('/api', router)).get('/api/books')
    expect(status).toBe(503)
    expect(told(text + wholly(headers))).toEqual([])
    const errors = [
      await raised(() => router.ready()),
      await raised(() => migrate(options)),
      await raised(() => seed(options, { author: [{ name: 'Bob' }] })),
    ]
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error)
      expect((error as Error).name).toBe('DatabaseError')
      expect(told(wholly(error))).toEqual([])
    }
    expect(kept()).toContain('a')
    expect(told(kept())).toEqual([])
  })

  it('a connection that cannot be read is refused without being repeated', async () => {
    const broken = [`mysql://${user}:${secret}%@${host}/${name}`, `${user}:${secret}@${host}`]
    const misplaced = `postgres://${user}:${secret}@${host}/${name}`
    const configs = [
      ...broken.map((connection) => ({ client: 'mysql2', connection })),
      { client: 'pg', connection: `postgres://${user}:${secret}@${host}:port/${name}` },
      { client: misplaced },
      { client: 'pg', connection: `mysql://${user}:${secret}@${host}/${name}` },
      { client: 'better-sqlite3', connection: { filename: '/nowhere/folder-of-ours/base.db' } },
      misplaced as unknown as DatabaseConfig,
    ]
    for (const config of configs) {
      const seedNothing = (options: ContentRouterConfig): Promise<unknown> => seed(options, {})
      for (const work of [contentRouter, migrate, seedNothing]) {
        const error = await raised(() => work({ contentTypes: library, database: config }))
        expect((error as Error).name).toBe('ConfigError')
        expect(told(wholly(error))).toEqual([])
      }
    }
  })

  it('the logger is told no value of a request, of a row or of a token', async () => {
    const { logger, kept } = keeping()
    const token = 'token-of-ours'
    const open = serve({ logger })
    await open.get('books?populate=*&filters[title]=Dawn&filters[author][name][$contains]=value-of-ours')
    await open.get('books?_q=value-of-ours&locale=value-of-ours&sort=title')
    await open.get('books/value-of-ours')
    await open.get('books?filters[nope]=value-of-ours')
    await world.knex.schema.renameTable('authors', 'authors_away')
    const failed = await open.get('books?filters[author][name]=value-of-ours')
    await world.knex.schema.renameTable('authors_away', 'authors')
    const role = strapiAuth({ jwtSecret: 'jwt-of-ours', apiTokenSalt: 'salt-of-ours' })
    const signed = serve({ logger, role })
    const { status } = await request(signed.app).get('/api/books').set('authorization', `Bearer ${token}`)
    expect([failed.status, status]).toEqual([500, 500])
    expect(failed.text).not.toMatch(/value-of-ours|select|authors/)
    expect(kept()).toContain('select')
    expect(kept()).not.toMatch(/of-ours|Dawn|Ada|kept-in-a-row/)
  })

  if (database.dialect !== 'postgres') return

  it('the logger is not told what the server repeats of a value', async () => {
    const { logger, kept } = keeping()
    await world.knex.raw('alter table genres alter column name type integer using 0')
    const { get } = serve({ logger, textMatching: 'database' })
    const { status, text } = await get('genres?filters[name]=value-of-ours')
    expect([status, text.includes('value-of-ours')]).toEqual([500, false])
    expect(kept()).toContain('a request failed')
    expect(kept()).not.toContain('value-of-ours')
  })
})
