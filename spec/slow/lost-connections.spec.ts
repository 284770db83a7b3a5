import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { fromDatabase } from '../../extensions/strapi'
import { contentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { eachDatabase, type World } from '../support/databases'
import { library } from '../support/library'
import { type Line, lineTo } from '../support/line'
import { idsThatWait, lockBooks } from '../support/locked-books'

const path = '/api/authors?populate=books&sort=name'

/** Places in a response at which the connection breaks. */
const steps = process.env['SWEEP'] === 'all' ? 15 : 6

/** Longer than these specs last, so that a 503 cannot come from it. */
const never = 120_000

/** Enough for a response on a busy machine. */
const patience = 2000

interface Address {
  readonly host: string
  readonly port: number
}

const addressOf = ({ config }: World): Address => config.connection as unknown as Address

/** Passes on so many bytes of a server, and then breaks once. */
interface BrittleLine {
  readonly port: number
  /** Bytes passed on since the last call of `breakAfter`. */
  readonly passed: () => number
  readonly breakAfter: (bytes: number, how: 'reset' | 'end') => void
  close(): Promise<void>
}

async function brittleLineTo({ host, port }: Address): Promise<BrittleLine> {
  let passed = 0
  let breaking: { readonly after: number; readonly how: 'reset' | 'end' } | undefined
  const server = createServer((near) => {
    const far = connect(port, host)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far)
    far.on('data', (data) => {
      const { after, how } = breaking ?? { after: Infinity, how: 'end' }
      const rest = after - passed
      passed += data.length
      if (data.length <= rest) {
        near.write(data)
        return
      }
      breaking = undefined
      far.destroy()
      near.write(data.subarray(0, rest))
      if (how === 'reset') near.resetAndDestroy()
      else near.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    passed: () => passed,
    breakAfter: (after, how) => {
      passed = 0
      breaking = { after, how }
    },
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

/** Ends the connections of so many waiting statements, as an operator does: the server lives on. */
async function endWaiting(wanted: number, world: World, dialect: 'mysql' | 'postgres'): Promise<void> {
  const statement = dialect === 'postgres' ? 'select pg_terminate_backend(?)' : 'kill connection ?'
  let ids: readonly unknown[] = []
  for (const until = Date.now() + 10_000; ids.length < wanted; ids = await idsThatWait(world.knex, dialect)) {
    if (Date.now() > until) throw new Error(`not ${String(wanted)} statements for 10 seconds`)
    await pause(10)
  }
  for (const id of ids) await world.knex.raw(statement, [id] as readonly Knex.Value[])
  while ((await idsThatWait(world.knex, dialect)).some((id) => ids.includes(id))) await pause(10)
}

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(JSON.parse(body)).toMatchObject({ error: { name: 'ServiceUnavailableError' } })
}

eachDatabase((database) => {
  const world = database.fresh()
  let whole: string

  const serve = (options: Partial<ContentRouterConfig>): Promise<Asker> => {
    const router = world.closing(
      contentRouter({
        contentTypes: library,
        database: world.config,
        permissions: { public: { find: '*' } },
        logger: false,
        ...options,
      }),
    )
    return askerOf(express().use('/api', router)).then((asker) => world.closing(asker))
  }

  const expectWhole = ({ status, body }: Answer): void => {
    expect([status, body === whole]).toEqual([200, true])
  }

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    const author = Array.from({ length: 20 }, (_, number) => ({
      $ref: `a${String(number)}`,
      name: `Author ${String(number)}`,
    }))
    const book = Array.from({ length: 60 }, (_, number) => ({
      title: `Book ${String(number)}`,
      author: `a${String(number % 20)}`,
    }))
    await seed(config, { author, book })
    const { status, body } = await (await serve({})).ask(path)
    expect(status).toBe(200)
    whole = body
  }, 60_000)

  it('a pool without a free connection is a 503, until it has one', async () => {
    const knex = makeKnex({ ...world.config, useNullAsDefault: true, pool: { min: 0, max: 1 } })
    const { ask } = await serve({ database: knex, timeout: patience })
    expectWhole(await ask(path))
    const held = await knex.transaction()
    await held.raw('select 1')
    expectUnavailable(await ask(path))
    await held.rollback()
    expectWhole(await ask(path))
    await knex.destroy()
  })

  const { dialect } = database
  if (dialect === 'sqlite') return

  describe('a connection that breaks', () => {
    let line: BrittleLine
    let asker: Asker

    const poolOf = (max: number): Knex.Config => ({ ...world.config, pool: { min: 0, max } })

    beforeAll(async () => {
      line = await brittleLineTo(addressOf(world))
      const connection = { ...addressOf(world), host: '127.0.0.1', port: line.port }
      // One connection, so that the statements of a response are known to share it.
      asker = await serve({ database: { ...poolOf(1), connection }, timeout: never })
      await asker.ask(path)
      line.breakAfter(Infinity, 'end')
      expectWhole(await asker.ask(path))
    })
    afterAll(() => line.close(), 120_000)

    it.each(['reset', 'end'] as const)(
      'by a %s costs no response, wherever in the response it breaks',
      async (how) => {
        const length = line.passed()
        expect(length).toBeGreaterThan(1000)
        for (let step = 0; step < steps; step += 1) {
          line.breakAfter(Math.floor((length * step) / steps), how)
          const { status, body } = await asker.ask(path)
          expect([step, status, body === whole]).toEqual([step, 200, true])
          line.breakAfter(Infinity, how)
          await asker.ask(path)
        }
      },
      60_000,
    )

    it('costs no response if the server ends it between two statements', async () => {
      const direct = await serve({ database: poolOf(4), timeout: never })
      await direct.ask(path)
      const unlock = await lockBooks(world.knex, dialect)
      const asked = Array.from({ length: 4 }, (_, number) => direct.ask(`${path}${'&'.repeat(number)}`))
      await endWaiting(4, world, dialect).finally(unlock)
      for (const answer of await Promise.all(asked)) expectWhole(answer)
    }, 60_000)

    it('is a 503 with Retry-After if the server ends it each time', async () => {
      const direct = await serve({ database: poolOf(1), timeout: never })
      // The first request counts the rows of tables as well.
      await direct.ask(path)
      const unlock = await lockBooks(world.knex, dialect)
      const asked = direct.ask(path)
      for (let ended = 0; ended < 2; ended += 1) await endWaiting(1, world, dialect)
      expectUnavailable(await asked.finally(unlock))
      expectWhole(await direct.ask(path))
    }, 60_000)
  })

  describe('a network line to the server', () => {
    let line: Line
    let ask: Asker['ask']

    const through = (port: number): Knex.Config => ({
      ...world.config,
      connection: { ...addressOf(world), host: '127.0.0.1', port },
      pool: { min: 0, max: 4 },
    })

    beforeAll(async () => {
      const { host, port } = addressOf(world)
      line = await lineTo(host, port)
      ask = (await serve({ database: through(line.port), timeout: patience })).ask
      expectWhole(await ask(path))
    })
    afterAll(() => line.close())

    it('that is cut costs no response, as the router reads again on a fresh connection', async () => {
      line.cut()
      expectWhole(await ask(path))
    })

    it('that is cut during a request costs no response, even if it takes every connection of the pool', async () => {
      for (let round = 0; round < 6; round += 1) {
        await Promise.all(Array.from({ length: 8 }, () => ask(path)))
        let isCut = false
        line.watch(async () => {
          if (isCut) return
          isCut = true
          await world.knex('books').first()
          line.cut()
        })
        expectWhole(await ask(path))
        expect(isCut).toBe(true)
      }
      line.watch(() => undefined)
    })

    it('that is frozen is a 503 in time, until it is thawed', async () => {
      line.freeze()
      expectUnavailable(await ask(path))
      line.thaw()
      line.cut()
      expectWhole(await ask(path))
    })

    it('that is slow delays responses, and that is too slow is a 503 in time', async () => {
      const slow = await serve({ database: through(line.port), timeout: 2 * patience })
      expectWhole(await slow.ask(path))
      line.slow(20)
      expectWhole(await slow.ask(path))
      line.slow(3 * patience)
      expectUnavailable(await slow.ask(path))
      line.slow(0)
      line.cut()
      expectWhole(await slow.ask(path))
    })

    it('that is cut while permissions are read is a 503', async () => {
      line.watch((sent) => {
        if (sent.includes('up_permissions')) line.cut()
      })
      const granting = await serve({ database: through(line.port), permissions: fromDatabase() })
      expectUnavailable(await granting.ask(path))
      line.watch(() => undefined)
    })
  })
})
