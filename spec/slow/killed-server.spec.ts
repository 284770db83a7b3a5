import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { Registry } from 'prom-client'
import { contentRouter, type ContentRouter, migrate } from '../../lib'
import { metrics, observe, type RequestEvent } from '../../extensions/observe'
import { seed } from '../../extensions/seed'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { letPass } from '../support/clock'
import { describeOn } from '../support/databases'
import { keeping } from '../support/hearing'
import { kindsWithServers, onceOn, startWithDatabase } from '../support/killable'
import { library } from '../support/library'
import { idsThatWait } from '../support/locked-books'
import { samplesIn } from '../support/samples'
import type { Killable } from '../support/servers/private-server'

const path = '/api/books?populate=author'
const atOnce = 6

const mysql = { dialect: 'mysql', lock: 'lock tables books write' } as const

const kinds = {
  mariadb: mysql,
  mysql,
  postgres: {
    dialect: 'postgres',
    lock: 'lock table books in access exclusive mode',
  },
} as const

/** No two texts are the same: identical requests would share one connection. */
const several = (asker: Asker, count: number): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => asker.ask(`${path}${'&'.repeat(number)}`)))

/**
 * PostgreSQL's processes for connections are no part of the group that is frozen. They are listed once no other can begin,
 * and those that had begun are known.
 */
async function freezeWithConnections(server: Killable, config: Knex.Config): Promise<readonly number[]> {
  return onceOn(config, async (knex) => {
    await knex.raw('select 1')
    await server.freeze()
    await pause(200)
    const { rows } = await knex.raw<{ readonly rows: readonly { readonly pid: number }[] }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
    return rows.map(({ pid }) => pid)
  })
}

function countEach(reasons: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

describeOn(kindsWithServers, ['an installed server'])('a %s server that is killed', (kind) => {
  const register = new Registry()
  const { logger, lines } = keeping()
  const events: RequestEvent[] = []
  let refused = 0
  let server: Killable
  let config: Knex.Config
  let router: ContentRouter
  let asker: Asker
  let whole: string

  beforeAll(async () => {
    const own = await startWithDatabase(kind)
    server = own.server
    config = own.config
    await migrate({ contentTypes: library, database: config })
    const books = Array.from({ length: 100 }, (_, number) => ({
      title: `Book ${String(number)}`,
      author: 'ada',
    }))
    await seed(
      { contentTypes: library, database: config },
      { author: [{ $ref: 'ada', name: 'Ada' }], book: books },
    )
    const permissions = { public: { find: '*' } } as const
    router = contentRouter({
      ...{ contentTypes: library, permissions, timeout: 3000, logger },
      extensions: [observe({ onRequest: (event) => events.push(event) })],
      database: { ...config, pool: { min: 0, max: atOnce } },
    })
    metrics(router, { register })
    const one = await askerOf(express().use('/api', router))
    asker = {
      ...one,
      ask: async (...request) => {
        const answer = await one.ask(...request)
        if (answer.status === 503) refused += 1
        return answer
      },
    }
    const { status, body } = await asker.ask(path)
    expect(status).toBe(200)
    whole = body
  }, 120_000)

  afterAll(async () => {
    await asker.close()
    await router.close()
    await server.stop()
  })

  /** All of the answer, or 503 and when to ask again. */
  function expectSound({ status, headers, body }: Answer): void {
    if (status === 200) expect(body === whole).toBe(true)
    else {
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect(JSON.parse(body)).toMatchObject({ data: null, error: { status: 503 } })
    }
  }

  /** From the moment at which the server lets somebody in. */
  async function expectBack(): Promise<void> {
    const end = Date.now() + 2000
    for (let served = false; !served;) {
      const answer = await asker.ask(path)
      expectSound(answer)
      served = answer.status === 200
      if (!served && Date.now() > end) throw new Error('it did not serve again within 2 seconds')
    }
    for (const { status, body } of await several(asker, 3 * atOnce))
      expect([status, body === whole]).toEqual([200, true])
  }

  /** Statements stand before the lock once the pool has handed out all its connections. */
  async function untilAllWait(): Promise<void> {
    const knex = makeKnex(config)
    const { dialect } = kinds[kind]
    while ((await idsThatWait(knex, dialect)).length < atOnce) await pause(10)
    await knex.destroy()
  }

  it('is a 503 for its requests, and is served again once it is back', async () => {
    const knex = makeKnex(config)
    const transaction = await knex.transaction()
    await transaction.raw(kinds[kind].lock)
    const asked = several(asker, atOnce)
    await untilAllWait()
    await server.kill()
    for (const answer of await asked) {
      expectSound(answer)
      expect(answer.status).toBe(503)
    }
    for (const { status } of await several(asker, 3 * atOnce)) expect(status).toBe(503)
    await server.restart()
    await expectBack()
    await transaction.rollback()
    await knex.destroy()
  })

  /** Returns a function that ends it. */
  async function freeze(): Promise<() => Promise<void>> {
    const processes = kind === 'postgres' ? await freezeWithConnections(server, config) : []
    if (kind !== 'postgres') await server.freeze()
    return async () => {
      for (const pid of processes) process.kill(pid, 'SIGCONT')
      await server.thaw()
    }
  }

  it('is a 503 for its requests while it is frozen, and serves again once it is not', async () => {
    for (const { status } of await several(asker, atOnce)) expect(status).toBe(200)
    const thaw = await freeze()
    const asked = await several(asker, 2 * atOnce)
    await thaw()
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 503))
    await expectBack()
  })

  it('never causes a partial response while it is killed, restarted and frozen under load', async () => {
    const answers: Answer[] = []
    let isOver = false
    const askOn = async (): Promise<void> => {
      while (!isOver) answers.push(await asker.ask(path))
    }
    const asking = Array.from({ length: 2 * atOnce }, askOn)
    for (let kills = 0; kills < 3; kills += 1) {
      const before = answers.length
      while (answers.slice(before).filter(({ status }) => status === 200).length < 50)
        answers.push(await asker.ask(path))
      await server.kill()
      while (answers.at(-1)?.status === 200) answers.push(await asker.ask(path))
      await server.restart()
      await expectBack()
    }
    const thaw = await freeze()
    const before = answers.length
    while (answers.slice(before).filter(({ status }) => status === 503).length < 2 * atOnce) await pause(10)
    await thaw()
    await expectBack()
    isOver = true
    await Promise.all(asking)
    answers.forEach(expectSound)
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 503]))
  }, 60_000)

  it('is the reason of each 503, in the log, in the hook and in the metrics', async () => {
    const unavailable = (): readonly RequestEvent[] => events.filter(({ status }) => status === 503)
    for (let times = 0; unavailable().length < refused && times < 100; times += 1) await pause(10)
    const reasons = countEach(unavailable().map(({ reason }) => reason ?? 'none'))
    expect(unavailable()).toHaveLength(refused)
    expect(Object.keys(reasons).sort()).toEqual(['timeout', 'unreachable'])
    const samples = await samplesIn(register)
    const counted = [...samples].flatMap(([name, count]): [string, number][] => {
      const [, reason] = /^content_requests_total\{.*status="503",reason="(\w*)"/.exec(name) ?? []
      return reason === undefined ? [] : [[reason, count]]
    })
    expect(Object.fromEntries(counted)).toEqual(reasons)
    // The log of each outage ends with its number.
    for (const seconds of [0, 60]) {
      letPass(seconds)
      expect((await asker.ask(path)).status).toBe(200)
    }
    const logged: Record<string, number> = {}
    for (const { facts, message } of lines)
      if (/reached again|no longer/.test(message))
        logged[String(facts['reason'])] = (logged[String(facts['reason'])] ?? 0) + Number(facts['times'])
    expect(logged).toEqual(reasons)
  })
})
