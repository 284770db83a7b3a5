import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { readOnlyDatabase } from '../../tools/start/read-only-database'
import { type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { lockBooks, untilRunning } from '../support/locked-books'
import { startPgBouncer } from '../support/servers/pgbouncer'
import type { Running } from '../support/servers/private-server'
import { connectionTo } from '../support/stores'

const authors = Array.from({ length: 20 }, (_, number) => ({ name: `Author ${String(number)}` }))

/** Several at once, so that PgBouncer spreads the statements of a connection over several sessions. */
const atOnce = 8
const rounds = 25

async function startBefore(world: World, mode: 'transaction' | 'session'): Promise<Running> {
  const { host, port, user, password, database } = world.config.connection as ReturnType<typeof connectionTo>
  const url = new URL(`postgres://${user}:${password}@${host}:${String(port)}/${database}`)
  const started = await startPgBouncer(url, mode)
  if (started === undefined) throw new Error('PgBouncer is not installed')
  return started
}

const throughPooler = (world: World, pooler: Running): Knex.Config => {
  const { database } = world.config.connection as ReturnType<typeof connectionTo>
  return { client: 'pg', connection: connectionTo(new URL(pooler.url), 5432, database) }
}

describeOn(['postgres'], ['PgBouncer'])('a router behind PgBouncer, on %s', (name) => {
  const world = testDatabase(name).fresh()
  let pooler: Running
  const served: { readonly asker: Asker; readonly router: ContentRouter }[] = []

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    const books = authors.map((_, number) => ({
      ...{ title: `Book ${String(number)}`, author: `author ${String(number % 5)}`, genres: ['essay'] },
      ...{ notes: [{ text: 'a' }, { text: 'b' }], seo: { title: 's', social: { headline: 'h' } } },
    }))
    const genre = [{ $ref: 'essay', name: 'Essay' }]
    await seed(config, {
      genre,
      author: authors.map((author, number) => ({ $ref: `author ${String(number)}`, ...author })),
      book: books,
    })
  }, 60_000)

  afterEach(async () => {
    for (const { asker, router } of served.splice(0)) {
      await asker.close()
      await router.close()
    }
    await pooler.stop()
  })

  async function serveThrough(
    mode: 'transaction' | 'session',
    options: Partial<ContentRouterConfig> = {},
  ): Promise<Asker> {
    pooler = await startBefore(world, mode)
    return serveOn(options)
  }

  async function serveOn(options: Partial<ContentRouterConfig> = {}): Promise<Asker> {
    const router = contentRouter({
      contentTypes: library,
      database: throughPooler(world, pooler),
      permissions: { public: { find: '*' } },
      ...options,
    })
    const asker = await askerOf(express().use('/api', router))
    served.push({ asker, router })
    return asker
  }

  /** Most requests come often enough for a prepared statement. */
  async function ask(asker: Asker): Promise<readonly number[]> {
    const statuses: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, (_, number) =>
          asker.ask(`/api/authors?populate=books&pagination[pageSize]=${String(1 + number)}&sort=name`),
        ),
      )
      statuses.push(...answers.map(({ status }) => status))
    }
    return statuses
  }

  const allAnswered = Array.from({ length: rounds * atOnce }, () => 200)

  it.each(['transaction', 'session'] as const)(
    'serves all requests in the mode "%s"',
    async (mode) => {
      const asker = await serveThrough(mode, { cache: {} })
      expect(await ask(asker)).toEqual(allAnswered)
    },
    60_000,
  )

  it('logs once that it stops to prepare statements', async () => {
    const { warnings, logger } = keeping()
    expect(await ask(await serveThrough('transaction', { logger }))).toEqual(allAnswered)
    expect(warnings.filter((text) => text.includes('prepared statements'))).toHaveLength(1)
  }, 60_000)

  it('serves pipelined statements to several routers that prepare the same ones', async () => {
    const paths = [
      'books?populate[author][populate]=country&populate[genres]=true&populate[notes]=true&populate[seo]=true',
      'books?populate=*&sort=title',
      'authors?populate=*',
      'authors?populate[books][populate]=*&populate[country]=true',
    ]
    const first = await serveThrough('transaction')
    const askers = [first, await serveOn(), await serveOn(), await serveOn()]
    const all = await Promise.all(
      askers.flatMap((asker, at) =>
        [0, 1, 2].map(async (from) => {
          const statuses: number[] = []
          for (let round = 0; round < 12; round += 1) {
            const path = paths[(round + from + at) % paths.length] ?? ''
            statuses.push((await asker.ask(`/api/${path}`)).status)
          }
          return statuses
        }),
      ),
    )
    expect(all.flat()).toEqual(Array.from(all.flat(), () => 200))
  }, 60_000)

  it.each([1, 20, 300])(
    'leaves no statement behind after a timeout of %i ms',
    async (timeout) => {
      const asker = await serveThrough('transaction', { timeout })
      // The first request counts the rows of tables as well, if there is time for it.
      await asker.ask('/api/books')
      const unlock = await lockBooks(world.knex, 'postgres')
      try {
        // More than the pool of Knex has: each cancel request needs a connection of PgBouncer as well.
        const asked = Array.from({ length: 12 }, (_, number) =>
          asker.ask(`/api/books?pagination[pageSize]=${String(1 + number)}`),
        )
        for (const { status } of await Promise.all(asked)) expect(status).toBe(503)
        await untilRunning(0, world.knex, 'postgres')
      } finally {
        await unlock()
      }
    },
    60_000,
  )
})

/** PgBouncer gives each session to another client next. */
const turns = 40

describeOn(['postgres'], ['PgBouncer'])('a read-only connection through PgBouncer, on %s', (name) => {
  const world = testDatabase(name).fresh()
  let pooler: Running
  let through: Knex.Config

  beforeAll(async () => {
    await world.knex.schema.createTable('notes', (table) => table.increments('id'))
    pooler = await startBefore(world, 'transaction')
    through = throughPooler(world, pooler)
  }, 60_000)
  afterAll(() => pooler.stop())

  it('leaves no read-only session behind for other clients', async () => {
    const reading = readOnlyDatabase(through, __dirname)
    const strapi = makeKnex({ ...through, pool: { min: 0, max: 4 } })
    try {
      for (let turn = 0; turn < turns; turn += 1) {
        await Promise.all([reading('notes').select('id'), reading('notes').count()])
        await Promise.all([strapi('notes').insert({}), strapi('notes').insert({})])
      }
      expect(await strapi('notes').select('id')).toHaveLength(2 * turns)
    } finally {
      await reading.destroy()
      await strapi.destroy()
    }
  })
})
