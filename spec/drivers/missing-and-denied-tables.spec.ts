import type { Knex } from 'knex'
import request from 'supertest'
import { strapiAuth } from '../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig, migrate, TablesError } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, library, text } from '../support/library'
import { type Entry, type Response, type Served, stocked } from '../support/served'

interface Logged {
  readonly id?: string
  readonly missing?: string
  readonly differences?: readonly string[]
  readonly remedy?: string
}

interface Watched extends Served {
  readonly errors: readonly Logged[]
}

interface Failure {
  readonly error: {
    readonly status: number
    readonly name: string
    readonly details: { readonly id: string }
  }
}

const nothing = (): void => undefined

function expectFailure(response: Response, errors: readonly Logged[]): Logged {
  expect(response.status).toBe(500)
  const { error } = response.body as Failure
  expect(error).toEqual({
    status: 500,
    name: 'InternalServerError',
    message: 'Internal Server Error',
    details: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown },
  })
  const [logged, ...others] = errors
  expect([logged?.id, others]).toEqual([error.details.id, []])
  return logged ?? {}
}

/** In production the user that reads is seldom the one that created the tables. */
const user = 'content_router_reader'

async function tablesOf({ knex, config }: World): Promise<string[]> {
  const own = config.client === 'pg' ? 'current_schema()' : 'database()'
  const text = `select table_name as name from information_schema.tables where table_schema = ${own}`
  const answer: unknown = await knex.raw(text)
  const rows = Array.isArray(answer) ? (answer[0] as unknown) : (answer as { readonly rows: unknown }).rows
  return (rows as readonly { readonly name: string }[]).map(({ name }) => name)
}

async function makeUser({ knex, config }: World): Promise<void> {
  if (config.client === 'pg') {
    await knex.raw(`drop role if exists ${user}`)
    await knex.raw(`create role ${user} login password 'reads'`)
    return
  }
  await knex.raw(`drop user if exists ${user}`)
  await knex.raw(`create user ${user} identified by 'reads'`)
}

/** A user that may read all tables, but for exceptions: null for a table, or the columns that it may read. */
async function readingAll(
  world: World,
  exceptions: Readonly<Record<string, string | null>>,
): Promise<Knex.Config> {
  await makeUser(world)
  for (const table of await tablesOf(world)) {
    const columns = Object.hasOwn(exceptions, table) ? exceptions[table] : ''
    if (columns !== null) await world.knex.raw(`grant select ${columns ?? ''} on ${table} to ${user}`)
  }
  const connection = { ...(world.config.connection as object), user, password: 'reads' }
  return { ...world.config, connection }
}

eachDatabase((database) => {
  const { world, serve } = stocked(database, library, {
    author: [{ $ref: 'ada', name: 'Ada', age: 36 }],
    genre: [{ name: 'Essay' }],
    book: [{ title: 'Dawn', year: 1815, author: 'ada', seo: { title: 'seo' } }],
  })

  function watched(options: Partial<ContentRouterConfig> = {}): Watched {
    const errors: Logged[] = []
    const error = (facts: object): void => {
      errors.push(facts)
    }
    const logger: ContentRouterConfig['logger'] = { debug: nothing, info: nothing, warn: nothing, error }
    return { ...serve({ ...options, logger }), errors }
  }

  async function without(undo: () => PromiseLike<unknown>, use: () => Promise<void>): Promise<void> {
    try {
      await use()
    } finally {
      await undo()
    }
  }

  const rename = (from: string, to: string): PromiseLike<unknown> =>
    world.knex.schema.alterTable('authors', (table) => table.renameColumn(from, to))

  describe('a table that disappears while it is served', () => {
    it('is a 500 with an id, and the log names it with the same id, until it is back', async () => {
      const { get, list, errors } = watched()
      await list('books?populate=author')
      await world.knex.schema.renameTable('authors', 'writers')
      await without(
        () => world.knex.schema.renameTable('writers', 'authors'),
        async () => {
          const logged = expectFailure(await get('books?populate=author'), errors)
          expect(logged.missing).toMatch(/authors$/)
          expect(logged.differences).toContain('authors: the table is missing')
          expect(await list('genres')).toHaveLength(1)
          expect(await list('books')).toHaveLength(1)
        },
      )
      expect(await list('books?populate=author')).toMatchObject([{ author: { name: 'Ada' } }])
      expect(errors).toHaveLength(1)
    })
  })

  describe('a table that strapiAuth() reads', () => {
    it('is named in the log if it is missing, with the command that says what to do', async () => {
      const { app, errors } = watched({ role: strapiAuth({ jwtSecret: 'jwt', apiTokenSalt: 'salt' }) })
      const response = await request(app).get('/api/books').set('Authorization', 'Bearer token')
      const logged = expectFailure(response, errors)
      expect(logged.missing).toMatch(/^(\w+\.)?strapi_api_tokens$/)
      expect(logged.remedy).toContain('content-router check')
    })
  })

  describe('a column that disappears while it is served', () => {
    it('is a 500 with an id, and the log and ready() name it, until it is back', async () => {
      const { get, list, errors } = watched()
      await list('authors')
      const router = world.closing(contentRouter({ contentTypes: library, database: world.config }))
      await router.ready()
      await rename('age', 'years')
      await without(
        () => rename('years', 'age'),
        async () => {
          const logged = expectFailure(await get('authors'), errors)
          expect(logged.missing).toMatch(/\bage$/)
          expect(logged.differences).toEqual(['authors.age: the column is missing'])
          expect(await list('authors?fields=name')).toMatchObject([{ name: 'Ada' }])
          await expect(router.ready()).rejects.toThrow('authors.age: the column is missing')
        },
      )
      expect(await list('authors')).toMatchObject([{ age: 36 }])
      await router.ready()
    })

    it('may change its type to another one of the attribute', async () => {
      const { list } = watched()
      const path = 'authors?filters[name]=Ada'
      const several = (): Promise<Entry[][]> => Promise.all(Array.from({ length: 8 }, () => list(path)))
      // Until the statements are prepared on more than one connection.
      for (let round = 0; round < 4; round += 1) await several()
      await world.knex.schema.alterTable('authors', (table) => table.text('name').alter())
      // One by one, so that some connections have not noticed the change.
      for (let round = 0; round < 8; round += 1) expect(await list(path)).toMatchObject([{ name: 'Ada' }])
    })

    it('is left out of responses if it is optional, and returns to them', async () => {
      const path = 'books?populate=seo'
      const table = 'components_shared_seo'
      const seoOf = ([book]: readonly Entry[]): Entry => book?.['seo'] as Entry
      const { list, errors } = watched()
      const { id, documentId } = seoOf(await list(path))
      expect(documentId).toBeDefined()
      await world.knex.schema.alterTable(table, (altered) => altered.dropColumn('document_id'))
      expect(seoOf(await list(path))).toEqual({ id, title: 'seo' })
      expect(errors).toEqual([])
      await world.knex.schema.alterTable(table, (altered) => altered.string('document_id'))
      await world.knex(table).update({ document_id: 'abc' })
      const later = performance.now() + 31_000
      const clock = jest.spyOn(performance, 'now').mockReturnValue(later)
      expect(seoOf(await list(path))).toEqual({ id, documentId: 'abc', title: 'seo' })
      clock.mockRestore()
    })
  })

  if (database.dialect === 'sqlite') return

  describe('a database user', () => {
    afterEach(async () => {
      if (database.name === 'postgres') await world.knex.raw(`drop owned by ${user}`)
    })

    const faultsFor = async (config: Knex.Config): Promise<unknown> => {
      const router = world.closing(contentRouter({ contentTypes: library, database: config, logger: false }))
      return router.ready().then(
        () => [],
        (error: unknown) => (error instanceof TablesError ? error.faults : error),
      )
    }

    it('needs the right to read the tables, and no other', async () => {
      expect(await faultsFor(await readingAll(world, {}))).toEqual([])
    })

    it('that may not read a table makes ready() name it', async () => {
      expect(await faultsFor(await readingAll(world, { authors: null }))).toEqual([
        {
          where: 'authors',
          problem: 'the database user is not allowed to read this table',
          remedy: 'grant the database user SELECT on authors',
        },
      ])
    })

    it('that may not read some columns makes ready() name them', async () => {
      const columns = '(id, document_id, created_at, updated_at, published_at)'
      expect(await faultsFor(await readingAll(world, { countries: columns }))).toEqual([
        {
          where: 'countries',
          problem: expect.stringMatching(
            /^the database user is not allowed to read name of the table$/,
          ) as unknown,
          remedy: 'grant the database user SELECT on countries',
        },
      ])
    })

    it('that may only read makes migrate name the missing right, and not the user', async () => {
      const contentTypes = [collection('note', { title: text })] as never
      const migration = migrate({ contentTypes, database: await readingAll(world, {}) })
      const error: unknown = await migration.catch((raised: unknown) => raised)
      if (!(error instanceof ConfigError)) throw error
      expect(error.message).toMatch(
        /lacks a right: (permission denied for table content_router_tables|INSERT command denied for table \S+) \(run migrate/,
      )
      expect(error.message).not.toContain(user)
    })

    it('that may not read a table causes a 500 without its name, and the log says where to look', async () => {
      const { logger, errors } = keeping()
      const { get } = serve({ database: await readingAll(world, { authors: null }), logger })
      const { status, text } = await get('authors')
      expect([status, text]).toEqual([500, expect.not.stringContaining('authors')])
      expect(JSON.stringify(errors)).toContain(
        'run content-router check to list unreadable tables, and grant SELECT on these tables',
      )
    })
  })
})
