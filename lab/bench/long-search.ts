// Searches among two million documents beside `_q` without the extension `search()`: milliseconds, the index and its size.
// node --require ./lab/bench/typescript.cjs lab/bench/long-search.ts [--databases postgres,sqlite] [--documents 2000000] [--fill]
// [--requests 'two words;a phrase']
// --fill only creates the content and the index.
import express from 'express'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { knex as makeKnex, type Knex } from 'knex'
import { search } from '../../extensions/search'
import { contentRouter, migrate } from '../../lib'
import { driverOf } from '../../lib/database'
import { fillWords } from './data/fill-long'
import { benchTypes, makeOnce, startDatabase } from './data/prepare'
import { type FilledDatabase, filledDatabases } from './measured-databases'
import { say } from './report'

const { values: given } = parseArgs({
  options: {
    databases: { type: 'string', default: 'postgres,sqlite' },
    documents: { type: 'string', default: '2000000' },
    requests: { type: 'string', default: '' },
    fill: { type: 'boolean', default: false },
  },
})

const extensions = [search({ article: { title: 3, body: 1 } })]
const filter = 'filters[views][$lt]=50000'

/** Requests by the share of the entries that have the words. */
const requests: Readonly<Record<string, string>> = {
  'two words': '_q=w3000x2007 w300x211',
  'two words, a filter': `_q=w3000x2007 w300x211&${filter}`,
  'two words, a filter, estimated': `_q=w3000x2007 w300x211&${filter}&pagination[withCount]=estimated`,
  'two common words, a filter': `_q=w20x3 w20x4&${filter}`,
  'a phrase': '_q="w20x3 w300x11"',
  'a beginning of a word': '_q=w3000x29',
  highlights: '_q=w3000x2007 w300x211&highlight=title,body',
}

/** Tables and indexes, in bytes. */
const sizes: Readonly<Partial<Record<FilledDatabase, string>>> = {
  postgres: `select pg_database_size(current_database()) as bytes`,
  sqlite: 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
}

async function sizeOf(name: FilledDatabase, knex: Knex): Promise<number> {
  const text = sizes[name]
  if (text === undefined) return NaN
  const [row] = driverOf({ dialect: name === 'postgres' ? name : 'sqlite' }).rowsIn(await knex.raw(text)) as {
    readonly bytes: number | string
  }[]
  return Number(row?.bytes)
}

async function makeIndex(name: FilledDatabase, config: Knex.Config): Promise<void> {
  const knex = makeKnex({ ...config, pool: { min: 0, max: 1 } })
  const before = await sizeOf(name, knex)
  const begun = performance.now()
  await migrate({ contentTypes: benchTypes, database: config, extensions })
  const seconds = (performance.now() - begun) / 1000
  const megabytes = ((await sizeOf(name, knex)) - before) / 1e6
  say(`${name}: the index took ${seconds.toFixed(0)} s and ${megabytes.toFixed(0)} MB`)
  if (name === 'postgres') await knex.raw('vacuum analyze articles')
  await knex.destroy()
}

type Ask = (path: string) => Promise<string>

async function serve(database: Knex.Config, isSearch: boolean): Promise<Ask> {
  const permissions = { public: { find: '*' } } as const
  const router = contentRouter({
    ...{ contentTypes: benchTypes, database, permissions, timeout: 280_000, cache: false },
    extensions: isSearch ? extensions : [],
  })
  const server = createServer(express().use('/api', router)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return async (path) => {
    const response = await fetch(`http://127.0.0.1:${String(port)}/api/${path}`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${text}`)
    return text
  }
}

/** The least of several turns: other work on the machine only adds. */
async function timed(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < ((times[0] ?? 0) > 2000 ? 1 : 6); turn += 1) {
    const begun = performance.now()
    await ask()
    times.push(performance.now() - begun)
  }
  return Math.min(...times)
}

async function measure(name: FilledDatabase, config: Knex.Config): Promise<void> {
  const database = { ...config, pool: { min: 0, max: 2 } }
  const [searched, plain] = [await serve(database, true), await serve(database, false)]
  say(`\n${name}, ${given.documents} documents: found, ms with search(), ms of _q without it`)
  const wanted = given.requests.split(';')
  for (const [request, query] of Object.entries(requests)) {
    if (given.requests !== '' && !wanted.includes(request)) continue
    const { meta } = JSON.parse(await searched(`articles?${query}`)) as {
      meta: { pagination: { total: number } }
    }
    const ranked = await timed(() => searched(`articles?${query}`))
    const [substring = ''] = query.split('&highlight')
    const scanned = await timed(() => plain(`articles?${substring}`))
    const columns = [request, meta.pagination.total, ranked.toFixed(1), scanned.toFixed(0)]
    say(`| ${columns.join(' | ')} |`)
  }
}

async function main(): Promise<void> {
  for (const name of filledDatabases.filter((one) => given.databases.split(',').includes(one))) {
    const running = await startDatabase(name)
    if (running === undefined) continue
    const documents = Number(given.documents)
    const config = await makeOnce(name, `words_${given.documents}`, 'words', async (made) => {
      await fillWords(name, made, documents)
      await makeIndex(name, made)
    })
    if (!given.fill) await measure(name, config)
    await running.stop()
  }
  process.exit(0)
}

void main()
