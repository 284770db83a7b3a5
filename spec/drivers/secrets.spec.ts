import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import express from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, type Logger, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { eachDatabase, type World } from '../support/databases'
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

eachDatabase((database) => {
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

  it.each(names)('errors, logs and responses contain no part of the connection: %s', async (way) => {
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

  if (database.dialect !== 'postgres') return

  it('logs contain no value that the server repeats in its error', async () => {
    const { logger, kept } = keeping()
    await world.knex.raw('alter table genres alter column name type integer using 0')
    const { get } = serve({ logger, textMatching: 'database' })
    const { status, text } = await get('genres?filters[name]=value-of-ours')
    expect([status, text.includes('value-of-ours')]).toEqual([500, false])
    expect(kept()).toContain('a request failed')
    expect(kept()).not.toContain('value-of-ours')
  })
})
