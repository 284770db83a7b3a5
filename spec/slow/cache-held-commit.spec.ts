import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouter, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { type Holding, makeHolding } from '../support/held/holding'
import { describeOn } from '../support/databases'
import { type OwnDatabase, startWithDatabase } from '../support/killable'
import { library } from '../support/library'

const options = [
  ...['--log-bin', '--server-id=1', '--innodb-stats-auto-recalc=0'],
  // Pages that are written out at once are taken up anew by a commit, which is where it can be held.
  ...['--innodb-max-dirty-pages-pct=0', '--innodb-max-dirty-pages-pct-lwm=0'],
]

interface Shown {
  readonly Value: string
}

/** The library that holds threads of MariaDB is compiled here, and loaded on Linux alone. */
const needs = ['an installed server', 'a C compiler on Linux'] as const

describeOn(['mariadb'], needs)('a commit of %s that is held up', (kind) => {
  let holding: Holding
  let own: OwnDatabase
  let router: ContentRouter
  let asker: Asker
  /** Each has a connection of its own. */
  let writer: Knex
  let watcher: Knex
  let other: Knex
  let reader: Knex

  beforeAll(async () => {
    holding = makeHolding()
    own = await startWithDatabase(kind, options, holding.environment)
    const { config } = own
    await migrate({ contentTypes: library, database: config })
    await seed({ contentTypes: library, database: config }, { author: [{ name: 'none' }] })
    const one = (): Knex => makeKnex({ ...config, pool: { min: 1, max: 1 } })
    ;[writer, watcher, other, reader] = [one(), one(), one(), one()]
    const permissions = { public: { find: '*' } } as const
    router = contentRouter({ contentTypes: library, database: config, permissions, cache: {} })
    asker = await askerOf(express().use('/api', router))
  }, 120_000)

  afterAll(async () => {
    await asker.close()
    await router.close()
    await Promise.all([writer, watcher, other, reader].map((knex) => knex.destroy()))
    await own.server.stop()
    holding.remove()
  })

  async function first<T>(knex: Knex, sql: string): Promise<T> {
    const [rows] = (await knex.raw(sql)) as [T[]]
    if (rows[0] === undefined) throw new Error(`nothing came of ${sql}`)
    return rows[0]
  }

  const nameIn = ({ body }: Answer): unknown =>
    (JSON.parse(body) as { data: { name: unknown }[] }).data[0]?.name
  const served = async (): Promise<unknown> => nameIn(await asker.ask('/api/authors'))
  const stored = async (): Promise<string> =>
    (await first<{ name: string }>(watcher, 'select name from authors')).name
  const position = async (): Promise<string> =>
    (await first<Shown>(other, `show global status like 'innodb_lsn_current'`)).Value
  const binaryLog = async (): Promise<string> =>
    (await first<{ at: string }>(other, 'select @@gtid_binlog_pos as at')).at

  async function threadOf(knex: Knex): Promise<number> {
    const asked = `select tid from information_schema.processlist where id = connection_id()`
    return (await first<{ tid: number }>(knex, asked)).tid
  }

  /** As far as they are within a while: should some not be, the commit cannot be held this time. */
  async function writePages(): Promise<void> {
    const end = performance.now() + 3000
    const dirty = `show global status like 'innodb_buffer_pool_pages_dirty'`
    while (Number((await first<Shown>(other, dirty)).Value) > 0 && performance.now() < end) await pause(5)
  }

  interface Window {
    /** How long the log had moved before anybody could see why, as far as could be watched. */
    readonly milliseconds: number
    /** How many were asked for and answered with the older state meanwhile. */
    readonly answers: number
    /** What was asked for after others had seen the new state, and was answered with the older one. */
    readonly stale: number
  }

  /** Commits, and asks all the while. */
  async function commitHeld(name: string): Promise<Window> {
    const before = await stored()
    await writer.raw('set sql_log_bin = 0')
    await writer.raw('begin')
    await writer('authors').update({ name })
    await writePages()
    const start = await position()
    const thread = await threadOf(writer)
    const times = { moved: Infinity, seen: Infinity }
    const count = { answers: 0, stale: 0 }
    const watchLog = async (): Promise<void> => {
      while ((await position()) === start);
      times.moved = performance.now()
    }
    const watchRow = async (): Promise<void> => {
      while ((await stored()) === before);
      times.seen = performance.now()
    }
    const askOn = async (): Promise<void> => {
      for (let afterwards = 0; afterwards < 3;) {
        const { moved, seen } = times
        const isOlder = (await served()) === before
        if (seen < Infinity) afterwards += 1
        if (isOlder && seen < Infinity) count.stale += 1
        else if (isOlder && moved < Infinity) count.answers += 1
      }
    }
    holding.hold(thread, { atMutex: 20, atWake: 40 })
    await Promise.all([watchLog(), watchRow(), askOn(), askOn(), writer.raw('commit')])
    holding.release()
    return { milliseconds: times.seen - times.moved, ...count }
  }

  it('is not cached between the log and its visibility', async () => {
    // What is still seen is not cleared away, which would move the log once more.
    await reader.raw('start transaction with consistent snapshot')
    for (let time = 1, isProven = false; !isProven; time += 1) {
      const { milliseconds, answers, stale } = await commitHeld(`between ${String(time)}`)
      // Whoever is held up for longer than the router waits is what it does not promise for.
      isProven = answers > 0 && milliseconds < 70
      if (isProven) expect(stale).toBe(0)
    }
  }, 120_000)

  it('is not cached while it waits for a replica', async () => {
    const timeout = 600
    await other.raw(`set global rpl_semi_sync_master_timeout = ${String(timeout)}`)
    await other.raw(`set global rpl_semi_sync_master_wait_point = 'AFTER_SYNC'`)
    await other.raw('set global rpl_semi_sync_master_enabled = on')
    await writer.raw('set sql_log_bin = 1')
    const before = await stored()
    const start = await position()
    const logged = await binaryLog()
    const replicated = writer('authors').update({ name: 'replicated' })
    const times = { over: Infinity }
    const committed = replicated.then(() => {
      times.over = performance.now()
    })
    while ((await binaryLog()) === logged);
    expect(await position()).not.toBe(start)
    const { hits } = router.cache.stats()
    let meanwhile = 0
    while (times.over === Infinity) {
      const answer = await served()
      if (times.over === Infinity && answer === before) meanwhile = router.cache.stats().hits - hits
    }
    await committed
    expect(await served()).toBe('replicated')
    expect(meanwhile).toBeGreaterThan(0)
  })
})
