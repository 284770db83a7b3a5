import type { Knex } from 'knex'
import { contentRouter, TablesError } from '../../lib'
import { describeOn, testDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { stocked } from '../support/served'

// Who reads in production is seldom who made the tables.
const user = 'content_router_reader'

async function tablesOf({ knex, config }: World): Promise<string[]> {
  const { client } = config
  const own = client === 'pg' ? 'current_schema()' : 'database()'
  const text = `select table_name as name from information_schema.tables where table_schema = ${own}`
  const answer: unknown = await knex.raw(text)
  const rows = Array.isArray(answer) ? (answer[0] as unknown) : (answer as { readonly rows: unknown }).rows
  return (rows as readonly { readonly name: string }[]).map(({ name }) => name)
}

async function makeUser({ knex, config }: World): Promise<void> {
  if (config.client !== 'pg') {
    await knex.raw(`drop user if exists ${user}`)
    await knex.raw(`create user ${user} identified by 'reads'`)
    return
  }
  await knex.raw(`drop role if exists ${user}`)
  await knex.raw(`create role ${user} login password 'reads'`)
}

/** As the reader, who may read all tables but what is told otherwise. */
async function readingAll(
  world: World,
  otherwise: Readonly<Record<string, string | null>>,
): Promise<Knex.Config> {
  await makeUser(world)
  for (const table of await tablesOf(world)) {
    const columns = Object.hasOwn(otherwise, table) ? otherwise[table] : ''
    if (columns !== null) await world.knex.raw(`grant select ${columns ?? ''} on ${table} to ${user}`)
  }
  const connection = { ...(world.config.connection as object), user, password: 'reads' }
  return { ...world.config, connection }
}

describeOn(['postgres', 'mariadb', 'mysql'])('a user of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, { author: [{ name: 'Ada' }] })
  afterEach(async () => {
    if (name === 'postgres') await world.knex.raw(`drop owned by ${user}`)
  })

  const differencesFor = async (database: Knex.Config): Promise<unknown> => {
    const router = world.closing(contentRouter({ contentTypes: library, database, logger: false }))
    return router.ready().then(
      () => [],
      (error: unknown) => (error instanceof TablesError ? error.faults : error),
    )
  }

  it('is ready who may read all tables, and no more', async () => {
    expect(await differencesFor(await readingAll(world, {}))).toEqual([])
  })

  it('is told of the table that may not be read, and of nothing that is missing', async () => {
    expect(await differencesFor(await readingAll(world, { authors: null }))).toEqual([
      {
        where: 'authors',
        problem: 'the user of the connection may not read this table',
        remedy: 'grant select on authors to that user',
      },
    ])
  })

  it('is told of the columns that may not be read', async () => {
    const columns = '(id, document_id, created_at, updated_at, published_at, name)'
    const told = await differencesFor(await readingAll(world, { countries: columns }))
    expect(told).toEqual([
      {
        where: 'countries',
        problem: expect.stringMatching(
          /^the user of the connection may not read .*locale.* of this table$/,
        ) as unknown,
        remedy: 'grant select on countries to that user',
      },
    ])
  })

  it('answers what may not be read with a 500, and says in the log what to look at', async () => {
    const { logger, errors } = keeping()
    const { get } = serve({ database: await readingAll(world, { authors: null }), logger })
    const { status, text } = await get('authors')
    expect([status, text]).toEqual([500, expect.not.stringContaining('authors')])
    expect(JSON.stringify(errors)).toContain('ready() and content-router check name the tables')
  })
})
