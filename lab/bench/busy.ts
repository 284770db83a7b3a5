// Answers from memory on a database in use: 500 different pages and documents in a random order over eight connections, on
// PostgreSQL, while nobody writes, while somebody writes to the type that is asked, and while many write elsewhere. Then what the
// feed costs the database, and how long it takes until a commit is told. `--strapi`: beside a Strapi on the same tables.
// `--minutes 60`: nothing of this, but what the process with the feed holds on to, minute by minute, while all of it is written.
import express from 'express'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Knex, knex as makeKnex } from 'knex'
import { changes } from '../../extensions/changes'
import { type CacheStats, contentRouter, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { strapi5 } from '../../extensions/strapi'
import { startPostgres } from '../../spec/support/servers/postgres'
import type { BusyResults, BusySide } from './charts/results'
import { say, writeJson } from './report'
import { startStrapiAt } from './strapi'

const contentTypes = join(__dirname, '..', '..', 'content-types')
const articles = 5000
const connections = 8
const warm = 2000
const rounds = 3
const each = 3000

/** Commits that are waited for until they are told. */
const commits = 100

/** The last asks the database for nothing: what it loses while others write, it loses to them. */
const sides = {
  'no cache': false,
  cache: {},
  feed: {},
  'no check': { freshness: 3_600_000 },
} as const
type SideName = keyof typeof sides

/** Milliseconds between two commits, and where to; null: nobody writes. `isWhole`: the log tells what rows were before. */
const writings = {
  'a still database': null,
  'one commit a second to the requested type': { table: 'articles', every: 1000 },
  'one commit a second to the requested type, replica identity full': {
    table: 'articles',
    every: 1000,
    isWhole: true,
  },
  '10 commits a second to one article': { table: 'articles', every: 100, row: 1 },
  '10 commits a second to one article, replica identity full': {
    table: 'articles',
    every: 100,
    row: 1,
    isWhole: true,
  },
  '100 commits a second elsewhere': { table: 'logs', every: 10 },
} as const
type Writing = (typeof writings)[keyof typeof writings]

/** `heap`: once all garbage is gone. */
interface Told extends Pick<CacheStats, 'hits' | 'misses'> {
  readonly heap: number
  readonly outside: number
}

interface Served {
  readonly name: string
  readonly port: number
  /** Has a memory, which is filled before it is measured. */
  readonly keeps: boolean
  readonly stats: () => Promise<Told>
  readonly stop: () => unknown
}

/** As it is told by a process that serves. */
async function heard<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T]
  return message
}

function serve(url: string, name: SideName, tells: boolean): void {
  const telling = tells ? { onChange: () => process.send?.(Date.now()) } : {}
  const router = contentRouter({
    contentTypes,
    database: { client: 'pg', connection: url, pool: { min: 2, max: 4 } },
    permissions: { public: { find: '*' } },
    cache: sides[name],
    logger: false,
    extensions: [strapi5(), ...(name === 'feed' ? [changes({ feed: true, ...telling })] : [])],
  })
  const server = express()
    .use('/api', router)
    .listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => {
    globalThis.gc?.()
    const { heapUsed: heap, external: outside } = process.memoryUsage()
    process.send?.({ ...router.cache.stats(), heap, outside } satisfies Told)
  })
  process.on('disconnect', () => process.exit(0))
}

async function startRouter(url: string, name: SideName): Promise<Served> {
  const child = fork(__filename, [url, name], { execArgv: ['--expose-gc', ...process.execArgv] })
  const port = await heard<number>(child)
  return {
    name,
    port,
    keeps: sides[name] !== false,
    stats: () => {
      const said = heard<Told>(child)
      child.send('stats')
      return said
    },
    stop: () => {
      child.disconnect()
    },
  }
}

const strapiAt = (url: string): ReturnType<typeof startStrapiAt> =>
  startStrapiAt('postgres', contentTypes, { client: 'pg', connection: { connectionString: url } })

async function startStrapi(url: string): Promise<Served> {
  const strapi = await strapiAt(url)
  const stats = (): Promise<Told> => Promise.resolve({ hits: 0, misses: 0, heap: 0, outside: 0 })
  const port = Number(new URL(strapi.origin).port)
  return { name: 'strapi', port, keeps: false, stats, stop: () => strapi.stop() }
}

async function fill(knex: Knex, database: Knex.Config): Promise<void> {
  if (!isBesideStrapi) await migrate({ contentTypes, database })
  const words = 'A sentence about a street, its stairs and who sweeps them. '
  const article = Array.from({ length: articles }, (_, at) => ({
    title: `Article ${String(at)}`,
    slug: `article-${String(at)}`,
    standfirst: words,
    body: words.repeat(20),
    author: `author ${String(at % 50)}`,
  }))
  const author = Array.from({ length: 50 }, (_, at) => ({
    $ref: `author ${String(at)}`,
    name: `Author ${String(at)}`,
  }))
  await seed({ contentTypes, database }, { author, article })
  await knex.raw('create table logs (id serial primary key, text text)')
  await knex.raw('create publication content_router for all tables')
  await knex.raw('analyze')
}

/** Half of them pages, half of them documents. */
async function pathsOf(knex: Knex): Promise<readonly string[]> {
  const rows = await knex('articles').select<{ document_id: string }[]>('document_id').limit(250)
  const pages = Array.from(
    { length: 250 },
    (_, at) =>
      `/api/articles?populate=author&sort=title&pagination[pageSize]=10&pagination[page]=${String(at + 1)}`,
  )
  return [...pages, ...rows.map(({ document_id: id }) => `/api/articles/${id}?populate=author`)]
}

async function askUntil(end: number, port: number, paths: readonly string[], rest: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let asked = 0
  while (performance.now() < end) {
    const path = paths[Math.floor(Math.random() * paths.length)] ?? ''
    await new Promise<void>((resolve, reject) => {
      get({ agent, port, path }, (response) => {
        if (response.statusCode !== 200)
          reject(new Error(`${path} is answered ${String(response.statusCode)}`))
        response.resume().on('end', resolve)
      }).on('error', reject)
    })
    asked += 1
    if (rest > 0) await pause(rest)
  }
  agent.destroy()
  return asked
}

/** Each path once, so that what can be kept is. */
async function fillMemory({ port }: Served, paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += connections)
    await Promise.all(
      paths.slice(from, from + connections).map(async (path) => {
        const response = await fetch(`http://127.0.0.1:${String(port)}${path}`)
        await response.arrayBuffer()
      }),
    )
}

async function writeUntil(end: number, knex: Knex, writing: Writing): Promise<void> {
  for (let turn = 0; writing !== null && performance.now() < end; turn += 1) {
    const { table, every } = writing
    const id = 'row' in writing ? writing.row : 1 + (turn % articles)
    const next = performance.now() + every
    if (table === 'logs') await knex(table).insert({ text: 'written' })
    else
      await knex(table)
        .where({ id })
        .update({ standfirst: `Written ${String(turn)}` })
    await pause(Math.max(0, next - performance.now()))
  }
}

interface Measure {
  readonly perSecond: number
  readonly hits: number
  /** Of one core: what the server used, and within it the sender of the log. */
  readonly server: number
  readonly sender: number
}

interface Database {
  readonly knex: Knex
  readonly paths: readonly string[]
}

async function measure(
  served: Served,
  { knex, paths }: Database,
  writing: Writing,
  lasting: number,
  rest = 0,
): Promise<Measure> {
  const [before, usedBefore] = [await served.stats(), await processorOf(knex)]
  const end = performance.now() + lasting
  const asking = Array.from({ length: connections }, () => askUntil(end, served.port, paths, rest))
  const [asked] = await Promise.all([Promise.all(asking), writeUntil(end, knex, writing)])
  const [after, used] = [await served.stats(), await processorOf(knex)]
  const [hits, misses] = [after.hits - before.hits, after.misses - before.misses]
  return {
    perSecond: asked.reduce((sum, one) => sum + one, 0) / (lasting / 1000),
    hits: hits / Math.max(1, hits + misses),
    server: (used.all - usedBefore.all) / lasting,
    sender: (used.senders - usedBefore.senders) / lasting,
  }
}

/** Milliseconds of processor that processes of the server have used, and those of them that send the log. */
async function processorOf(knex: Knex): Promise<{ readonly all: number; readonly senders: number }> {
  const { rows } = await knex.raw<{ rows: { pid: number; type: string }[] }>(
    'select pid, backend_type as type from pg_stat_activity',
  )
  const used = { all: 0, senders: 0 }
  for (const { pid, type } of rows) {
    const fields =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    used.all += 10 * ticks
    if (type === 'walsender') used.senders += 10 * ticks
  }
  return used
}

/** From the answer to a commit until it is told, each in milliseconds. */
async function delaysOf(url: string, knex: Knex): Promise<readonly number[]> {
  const child = fork(__filename, [url, 'feed', 'tells'], { execArgv: process.execArgv })
  const told: number[] = []
  await heard<number>(child)
  child.on('message', (at: number) => told.push(at))
  const start = performance.now()
  while (told.length === 0 && performance.now() - start < 10_000) await pause(50)
  const delays: number[] = []
  for (let turn = 0; turn < commits; turn += 1) {
    told.length = 0
    await knex('articles')
      .where({ id: 7 })
      .update({ standfirst: `Told ${String(turn)}` })
    const committed = Date.now()
    while (told.length === 0) await pause(1)
    delays.push((told[0] ?? Infinity) - committed)
    await pause(20)
  }
  child.disconnect()
  return delays
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0

const percent = (values: readonly number[], digits = 0): string =>
  `${(100 * median(values)).toFixed(digits)} %`

interface Side {
  readonly served: Served
  /** By what was written meanwhile. */
  readonly found: ReadonlyMap<string, Measure[]>
}

const perSecondOf = ({ found }: Side, what: string): number =>
  median((found.get(what) ?? []).map(({ perSecond }) => perSecond))

function told(side: Side, what: string): string {
  const own = side.found.get(what) ?? []
  const perSecond = perSecondOf(side, what)
  const ofStill = (perSecond / perSecondOf(side, 'a still database')).toFixed(2)
  const server = percent(own.map((one) => one.server))
  const sender = percent(
    own.map((one) => one.sender),
    1,
  )
  const hits = percent(own.map((one) => one.hits))
  return `${side.served.name}: ${perSecond.toFixed(0)}/s, ${ofStill} of still, ${hits} from memory, ${server} of a core for the server and ${sender} for the sender in it`
}

function resultsOf(sides: readonly Side[], names: readonly string[]): BusyResults {
  const measured = (side: Side, load: string): BusySide => ({
    side: side.served.name,
    perSecond: perSecondOf(side, load),
    ...(side.served.keeps ? { hits: median((side.found.get(load) ?? []).map(({ hits }) => hits)) } : {}),
  })
  return { loads: names.map((load) => ({ load, sides: sides.map((side) => measured(side, load)) })) }
}

/** Has the log tell what rows were before, or not. */
async function tellRowsFor({ knex }: Database, writing: Writing): Promise<void> {
  const isWhole = writing !== null && 'isWhole' in writing
  await knex.raw(`alter table articles replica identity ${isWhole ? 'full' : 'default'}`)
}

/** What is written takes turns as the sides do, so that a machine that is slower for a while is so for all. */
async function compare(running: readonly Served[], database: Database): Promise<void> {
  const names = Object.keys(writings)
  const sides = running.map((served): Side => ({ served, found: new Map(names.map((name) => [name, []])) }))
  for (const { served } of sides) await measure(served, database, null, warm)
  for (let round = 0; round < rounds; round += 1)
    for (const [what, writing] of Object.entries(writings)) {
      await tellRowsFor(database, writing)
      for (const { served, found } of sides) {
        if (served.keeps) await fillMemory(served, database.paths)
        found.get(what)?.push(await measure(served, database, writing, each))
      }
    }
  for (const what of names) say(`${what}\n  ${sides.map((side) => told(side, what)).join('\n  ')}`)
  say(`All figures: ${writeJson('busy', resultsOf(sides, names))}`)
}

/** Milliseconds between two requests of a connection: it is no race. */
const resting = 40

/** All that is written in turn, a minute each. */
async function holdFor(minutes: number, served: Served, database: Database): Promise<void> {
  const all = Object.entries(writings)
  for (let minute = 0; minute < minutes; minute += 1) {
    const [what = '', writing = null] = all[minute % all.length] ?? []
    await tellRowsFor(database, writing)
    const { perSecond } = await measure(served, database, writing, 60_000, resting)
    const { heap, outside } = await served.stats()
    const [held, beside] = [heap, outside].map((bytes) => (bytes / 1e6).toFixed(1))
    say(
      `${String(minute + 1)}: ${String(held)} MB and ${String(beside)} MB outside the heap, ${perSecond.toFixed(0)}/s, ${what}`,
    )
  }
}

async function main(minutes: number | null): Promise<void> {
  const following = ['wal_level=logical', 'max_wal_senders=10', 'max_replication_slots=10']
  const server = await startPostgres(
    undefined,
    following.flatMap((setting) => ['-c', setting]),
  )
  if (server === undefined) throw new Error('PostgreSQL is not installed')
  const config = { client: 'pg', connection: server.url }
  const knex = makeKnex(config)
  const running: Served[] = []
  try {
    // Strapi makes its tables, and starts again once they are filled.
    if (isBesideStrapi) await (await strapiAt(server.url)).stop()
    await fill(knex, config)
    const database = { knex, paths: await pathsOf(knex) }
    if (minutes !== null) {
      const served = await startRouter(server.url, 'feed')
      running.push(served)
      await holdFor(minutes, served, database)
      return
    }
    if (isBesideStrapi) running.push(await startStrapi(server.url))
    for (const name of Object.keys(sides) as SideName[]) running.push(await startRouter(server.url, name))
    await compare(running, database)
    const delays = await delaysOf(server.url, knex)
    say(`a commit is told after ${String(median(delays))} ms, at the most ${String(Math.max(...delays))} ms`)
  } finally {
    for (const { stop } of running) await stop()
    await knex.destroy()
    await server.stop()
  }
}

const [, , first, second, tells] = process.argv
const isBesideStrapi = first === '--strapi'
if (first === '--minutes') void main(Number(second))
else if (first === undefined || isBesideStrapi) void main(null)
else serve(first, second as SideName, tells === 'tells')
