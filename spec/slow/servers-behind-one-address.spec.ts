import express from 'express'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { askerOf } from '../support/asker'
import { describeOn } from '../support/databases'
import { onceOn, type OwnDatabase, startWithDatabase } from '../support/killable'
import { library } from '../support/library'
import { statementsOn } from '../support/locked-books'
import type { connectionTo } from '../support/stores'

interface Balancer {
  readonly port: number
  /** Where connections lead that are made from now on: to each of these in turn. */
  readonly leadTo: (...ports: readonly number[]) => void
  close(): Promise<void>
}

/** Leads each connection to one server, as balancers of connections do. */
async function startBalancer(...first: readonly number[]): Promise<Balancer> {
  let targets = first
  let made = 0
  const server = createServer((near) => {
    const far = connect(targets[made++ % targets.length] ?? 0, '127.0.0.1')
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (...ports) => {
      targets = ports
    },
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

const connectionOf = ({ config }: OwnDatabase): ReturnType<typeof connectionTo> =>
  config.connection as ReturnType<typeof connectionTo>

const portOf = (database: OwnDatabase): number => connectionOf(database).port

type Told<Row> = [readonly Row[], unknown]

const idOn = async (knex: Knex): Promise<number> => {
  const [rows] = (await knex.raw('select connection_id() as id')) as Told<{ readonly id: number }>
  return Number(rows[0]?.id)
}

const single = { min: 1, max: 1 }

/** By the router, whose time for the answer is up, or by the client. */
const givenUp: readonly (readonly [
  string,
  number,
  (asker: Awaited<ReturnType<typeof askerOf>>) => Promise<void>,
])[] = [
  [
    'over its timeout',
    500,
    async ({ ask }) => {
      expect((await ask('/api/authors?fields=name')).status).toBe(503)
    },
  ],
  [
    'abandoned by its client',
    20_000,
    async ({ origin }) => {
      const asked = get(`${origin}/api/authors?fields=name`)
      const ended = once(asked, 'error')
      await pause(400)
      asked.destroy()
      await ended
    },
  ],
]

describeOn(['mariadb', 'mysql'], ['an installed server'])('two %s servers behind one address', (kind) => {
  const servers: OwnDatabase[] = []

  beforeAll(async () => {
    for (let number = 0; number < 2; number += 1) servers.push(await startWithDatabase(kind))
    const [one, other] = servers
    if (one === undefined || other === undefined) throw new Error('there are two')
    // One address has one password.
    const { password } = connectionOf(one)
    await onceOn(other.config, (knex) =>
      knex.raw(`alter user tester@'127.0.0.1' identified by '${password}'`),
    )
    servers[1] = { ...other, config: { ...other.config, connection: { ...connectionOf(other), password } } }
    for (const { config: database } of servers) {
      await migrate({ contentTypes: library, database })
      await seed({ contentTypes: library, database }, { author: [{ name: 'Ada' }] })
    }
  }, 120_000)

  const ends: (() => Promise<unknown>)[] = []

  /** Whatever comes of the test: what is left open would keep the servers. */
  function ending<T>(thing: T, end: (thing: T) => Promise<unknown>): T {
    ends.unshift(() => end(thing))
    return thing
  }

  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  afterAll(async () => {
    await Promise.all(servers.map(({ server }) => server.stop()))
  })

  /** A connection of this number; numbers only grow. */
  async function connectionNumbered(config: Knex.Config, wanted: number): Promise<Knex> {
    for (;;) {
      const knex = makeKnex({ ...config, pool: single })
      const id = await idOn(knex)
      if (id === wanted) return knex
      await knex.destroy()
      if (id > wanted) throw new Error('the other server is ahead')
    }
  }

  async function untilNoneWaits(knex: Knex): Promise<void> {
    // What was asked before goes on where it was left alone; its text holds the name that it reads.
    for (let tries = 0; ; tries += 1) {
      const waiting = await statementsOn(knex, { naming: 'authors' })
      if (waiting.every((text) => text.includes('name'))) return
      if (tries > 200) throw new Error('the statement goes on')
      await pause(10)
    }
  }

  function both(): readonly [OwnDatabase, OwnDatabase] {
    const [one, other] = servers
    if (one === undefined || other === undefined) throw new Error('there are two')
    return [one, other]
  }

  it.each(givenUp)(
    'cancel no statement of the other server, if a request is %s',
    async (_, timeout, giveUp) => {
      const [one, other] = both()
      // So that its numbers are ahead of the other's.
      for (let number = 0; number < 60; number += 1) await onceOn({ ...one.config, pool: single }, idOn)
      const balancer = ending(await startBalancer(portOf(one)), (it) => it.close())
      const connection = { ...(one.config.connection as object), port: balancer.port }
      const pool = ending(makeKnex({ ...one.config, connection, pool: single }), (it) => it.destroy())
      const options = { contentTypes: library, permissions: { public: { find: '*' } }, timeout } as const
      const router = ending(contentRouter({ ...options, database: pool }), (it) => it.close())
      const asker = ending(await askerOf(express().use('/api', router)), (it) => it.close())
      expect((await asker.ask('/api/authors')).status).toBe(200)
      const numbered = await connectionNumbered(other.config, await idOn(pool))
      const bystander = ending(numbered, (it) => it.destroy())
      balancer.leadTo(portOf(other))

      const writer = ending(makeKnex(one.config), (it) => it.destroy())
      const transaction = ending(await writer.transaction(), (it) => it.rollback())
      await transaction.raw('lock tables authors write')
      const sleeping = bystander.raw('select sleep(3) as interrupted').then(
        ([rows]: Told<{ readonly interrupted: number }>) => rows[0]?.interrupted,
        () => 'failed',
      )
      await giveUp(asker)
      expect(await sleeping).toBe(0)

      if (timeout > 1000) return
      // Where new connections lead to the server that reads, its statement ends.
      balancer.leadTo(portOf(one))
      expect((await asker.ask('/api/authors?fields=id')).status).toBe(503)
      await untilNoneWaits(writer)
    },
    60_000,
  )

  it('are cached for each server', async () => {
    const [one, other] = both()
    const balancer = ending(await startBalancer(portOf(one), portOf(other)), (it) => it.close())
    const connection = { ...connectionOf(one), port: balancer.port }
    const options = { contentTypes: library, permissions: { public: { find: '*' } }, cache: {} } as const
    const database = { ...one.config, connection, pool: { min: 2, max: 2 } }
    const router = ending(contentRouter({ ...options, database }), (it) => it.close())
    const asker = ending(await askerOf(express().use('/api', router)), (it) => it.close())
    const sizes = [1, 2, 3, 4, 5, 6]
    const hitsOf300 = async (): Promise<number> => {
      const { hits } = router.cache.stats()
      for (let round = 0; round < 50; round += 1)
        await Promise.all(sizes.map((size) => asker.ask(`/api/authors?pagination[pageSize]=${String(size)}`)))
      return router.cache.stats().hits - hits
    }
    const hits: number[] = []
    for (let time = 0; time < 10; time += 1) hits.push(await hitsOf300())
    // One after the other that emptied what is kept of the one left none in any of them.
    expect(Math.max(...hits)).toBeGreaterThan(100)
  }, 60_000)
})
