import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import express from 'express'
import type { Knex } from 'knex'
import { contentRouter, migrate, seed } from '../../lib'
import { type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase, type World } from '../support/databases'
import { library } from '../support/library'
import { idsThatWait, lockBooks } from '../support/locked-books'
import type { connectionTo } from '../support/stores'

/** Places in an answer at which the line breaks. */
const steps = 25

/** Longer than these specs last: what is a 503 is none for the time it took. */
const timeout = 120_000

const path = '/api/authors?populate=books&sort=name'

/** A line that passes on so much of what a server says, and then breaks, once. */
interface BrittleLine {
  readonly port: number
  /** Bytes that it passed on since it was told last. */
  readonly passed: () => number
  readonly breakAfter: (bytes: number, how: 'reset' | 'end') => void
  close(): Promise<void>
}

async function brittleLineTo(host: string, port: number): Promise<BrittleLine> {
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

/** Ends the connections of so many that wait, as an operator does: the server lives on. */
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

describeOn(['mariadb', 'mysql', 'postgres'])('connections to %s that break', (name) => {
  const database = testDatabase(name)
  const { dialect } = database
  if (dialect === 'sqlite') throw new Error('it has no connections')
  const world = database.fresh()
  let line: BrittleLine
  let asker: Asker
  let whole: string

  /** One connection, so that it is known which statements go by it. */
  async function serving(connection: object, pool: Knex.PoolConfig): Promise<Asker> {
    const router = contentRouter({
      contentTypes: library,
      database: { ...world.config, connection, pool },
      permissions: { public: { find: '*' } },
      logger: false,
      timeout,
    })
    return world.closing(await askerOf(express().use('/api', world.closing(router))))
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
    const connection = world.config.connection as ReturnType<typeof connectionTo>
    line = await brittleLineTo(connection.host, connection.port)
    asker = await serving({ ...connection, port: line.port }, { min: 0, max: 1 })
    await asker.ask(path)
    line.breakAfter(Infinity, 'end')
    const { status, body } = await asker.ask(path)
    expect(status).toBe(200)
    whole = body
  }, 60_000)

  afterAll(() => line.close())

  it.each(['reset', 'end'] as const)(
    'answer with all, wherever in an answer the line breaks by a %s',
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

  it('answer with all, when the server ends them between two statements of an answer', async () => {
    const direct = await serving(world.config.connection as object, { min: 0, max: 4 })
    await direct.ask(path)
    const unlock = await lockBooks(world.knex, dialect)
    const asked = Array.from({ length: 4 }, (_, number) => direct.ask(`${path}${'&'.repeat(number)}`))
    await endWaiting(4, world, dialect).finally(unlock)
    for (const { status, body } of await Promise.all(asked))
      expect([status, body === whole]).toEqual([200, true])
  }, 60_000)

  it('are a 503 that says when to ask again, when the server ends them each time', async () => {
    const direct = await serving(world.config.connection as object, { min: 0, max: 1 })
    // What is counted of tables at first is counted.
    await direct.ask(path)
    const unlock = await lockBooks(world.knex, dialect)
    const asked = direct.ask(path)
    for (let ended = 0; ended < 2; ended += 1) await endWaiting(1, world, dialect)
    const { status, headers } = await asked.finally(unlock)
    expect([status, headers['retry-after']]).toEqual([503, '1'])
    expect((await direct.ask(path)).body === whole).toBe(true)
  }, 60_000)
})
