// Reading in the process beside a request over loopback by the same process, in turns: a page of 25 articles as it comes, and one
// that is put in order, with their authors.
// On SQLite, and on the servers that are named: `mariadb`, `mysql`, `postgres`.
import express from 'express'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Knex } from 'knex'
import { type ContentRouter, contentRouter, migrate } from '../../lib'
import { observe } from '../../extensions/observe'
import { seed } from '../../extensions/seed'
import { kindsWithServers, startWithDatabase } from '../../spec/support/killable'

const rounds = 30
const each = 100
const folder = join(__dirname, '..', '..')
const filename = join(folder, '.tmp', 'bench-inside.db')
const pages = {
  'as it comes': { query: {}, text: '' },
  'in order, with authors': {
    query: { populate: { author: { fields: ['name'] } }, sort: 'title' },
    text: 'populate[author][fields][0]=name&sort=title',
  },
} as const
type PageName = keyof typeof pages

const contentTypes = join(folder, 'content-types')

async function fill(database: Knex.Config): Promise<void> {
  await migrate({ contentTypes, database })
  const words = 'A sentence about a street, its stairs and who sweeps them. '
  const article = Array.from({ length: 400 }, (_, at) => ({
    title: `Article ${String(at)}`,
    slug: `article-${String(at)}`,
    standfirst: words,
    body: words.repeat(10),
    author: `author ${String(at % 20)}`,
  }))
  const author = Array.from({ length: 20 }, (_, at) => ({
    $ref: `author ${String(at)}`,
    name: `Author ${String(at)}`,
  }))
  await seed({ contentTypes, database }, { author, article })
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  for (let count = 0; count < each; count += 1) await ask()
  return (performance.now() - from) / each
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

async function contend(router: ContentRouter, url: string, page: PageName): Promise<string> {
  const { query, text } = pages[page]
  const reader = router.as('public')
  const kinds = {
    'over loopback': async () => (await fetch(`${url}?${text}`)).json(),
    'in the process': () => reader.find('articles', query),
  }
  const [there, here] = await Promise.all(Object.values(kinds).map((ask) => ask()))
  if (JSON.stringify(there) !== JSON.stringify(here)) throw new Error('both must be answered the same')
  const ratios: number[] = []
  const times: number[][] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const [loopback, process] = [await timed(kinds['over loopback']), await timed(kinds['in the process'])]
    times[0]?.push(loopback)
    times[1]?.push(process)
    ratios.push(loopback / process)
  }
  const told = times.map((all) => `${median(all).toFixed(3)} ms`).join(', ')
  return `${told}: ${median(ratios).toFixed(2)} times as fast`
}

/** Where the time goes of what is read in the process, without a cache. */
async function tellStages(database: Knex.Config): Promise<void> {
  const spent = { statement: 0, write: 0 }
  const router = contentRouter({
    ...{ contentTypes, database, permissions: { public: { find: '*' } } },
    extensions: [
      observe({
        onStatement: ({ ms }) => {
          spent.statement += ms
        },
        onRequest: ({ stages }) => {
          spent.write += stages.write
        },
      }),
    ],
  })
  const reader = router.as('public')
  const { query } = pages['in order, with authors']
  await timed(() => reader.find('articles', query))
  Object.assign(spent, { statement: 0, write: 0 })
  const whole = await timed(() => reader.find('articles', query))
  const told = { whole, statement: spent.statement / each, objects: spent.write / each }
  const words = Object.entries(told).map(([name, ms]) => `${name} ${ms.toFixed(3)} ms`)
  process.stdout.write(`in the process, without a cache: ${words.join(', ')}\n`)
  await router.close()
}

async function measure(name: string, database: Knex.Config): Promise<void> {
  await fill(database)
  for (const [how, cache] of [
    ['without a cache', false],
    ['from memory', {}],
  ] as const) {
    const router = contentRouter({ contentTypes, database, cache, permissions: { public: { find: '*' } } })
    const server = express().use('/api', router).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/articles`
    for (const page of Object.keys(pages) as PageName[]) {
      const told = await contend(router, url, page)
      process.stdout.write(`${name}, ${page}, ${how}: over loopback, in the process: ${told}\n`)
    }
    server.closeAllConnections()
    server.close()
    await router.close()
  }
  await tellStages(database)
}

async function measureFile(): Promise<void> {
  mkdirSync(dirname(filename), { recursive: true })
  rmSync(filename, { force: true })
  await measure('sqlite', { client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true })
  rmSync(filename, { force: true })
}

async function measureAll(): Promise<void> {
  await measureFile()
  for (const kind of kindsWithServers.filter((kind) => process.argv.includes(kind))) {
    const { server, config } = await startWithDatabase(kind)
    await measure(kind, config)
    await server.stop()
  }
}

void measureAll()
