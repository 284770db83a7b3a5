import express from 'express'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouter, type ContentRouterConfig, migrate, seed } from '../../lib'
import { type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { lockBooks, untilRunning } from '../support/locked-books'
import { startPgBouncer } from '../support/servers/pgbouncer'
import type { Running } from '../support/servers/private-server'
import { connectionTo } from '../support/stores'

const authors = Array.from({ length: 20 }, (_, number) => ({ name: `Author ${String(number)}` }))

/** Several at once, so that each statement of a connection may be run by another of the pooler's. */
const atOnce = 8
const rounds = 25

describeOn(['postgres'])('behind a pooler, on %s', (name) => {
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
    const { host, port, user, password, database } = world.config.connection as ReturnType<
      typeof connectionTo
    >
    const started = await startPgBouncer(
      new URL(`postgres://${user}:${password}@${host}:${String(port)}/${database}`),
      mode,
    )
    if (started === undefined) throw new Error('pgbouncer has to be installed: apt-get install pgbouncer')
    pooler = started
    return serveOn(options)
  }

  async function serveOn(options: Partial<ContentRouterConfig> = {}): Promise<Asker> {
    const { database } = world.config.connection as ReturnType<typeof connectionTo>
    const through: Knex.Config = {
      client: 'pg',
      connection: connectionTo(new URL(pooler.url), 5432, database),
    }
    const router = contentRouter({
      contentTypes: library,
      database: through,
      permissions: { public: { find: '*' } },
      ...options,
    })
    const asker = await askerOf(express().use('/api', router))
    served.push({ asker, router })
    return asker
  }

  /** Statuses of what was asked, most of it often enough to be prepared. */
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
    'answers all that is asked in its mode "%s"',
    async (mode) => {
      const asker = await serveThrough(mode, { cache: {} })
      expect(await ask(asker)).toEqual(allAnswered)
    },
    60_000,
  )

  it('says once that nothing is prepared any more, and how to say so beforehand', async () => {
    const { warnings, logger } = keeping()
    expect(await ask(await serveThrough('transaction', { logger }))).toEqual(allAnswered)
    expect(warnings.filter((text) => text.includes('preparedStatements'))).toHaveLength(1)
  }, 60_000)

  it('answers what sends several statements at once, to several routers that prepare the same ones', async () => {
    const paths = [
      'books?populate[author][populate]=country&populate[genres]=true&populate[notes]=true&populate[seo]=true',
      'books?populate=*&sort=title',
      'authors?populate=*',
      'authors?populate[books][populate]=*&populate[country]=true',
    ]
    const first = await serveThrough('transaction')
    const askers = [first, await serveOn(), await serveOn(), await serveOn()]
    const told = await Promise.all(
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
    expect(told.flat()).toEqual(Array.from(told.flat(), () => 200))
  }, 60_000)

  it('prepares nothing where it is told not to', async () => {
    const { warnings, logger } = keeping()
    const asker = await serveThrough('transaction', { logger, preparedStatements: false })
    expect(await ask(asker)).toEqual(allAnswered)
    expect(warnings).toEqual([])
  }, 60_000)

  it.each([1, 5, 20, 100, 300])(
    'leaves no statement behind of answers that are given up after %i ms',
    async (timeout) => {
      const asker = await serveThrough('transaction', { timeout })
      // So that what hangs is the page, and not the first look at how many there are: where there is time for that.
      await asker.ask('/api/books')
      const unlock = await lockBooks(world.knex, 'postgres')
      try {
        // More at once than Knex has connections: each word to end one wants a connection of the pooler's, too.
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
