// Lists of two million documents beside the same of 20,000, and the router of another checkout: milliseconds, in turns.
// node --require ./lab/bench/typescript.cjs lab/bench/long-lists.ts [--databases postgres] [--before folder] [--rounds 7]
// [--indexes] [--matching database]: also with the index of each slow request; texts compared by the database.
import express from 'express'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter } from '../../lib'
import { fillLong } from './data/fill-long'
import { indexFor, withIndex } from './data/long-indexes'
import { benchTypes, makeOnce, startDatabase } from './data/prepare'
import { type FilledDatabase, filledDatabases } from './measured-databases'
import { say } from './report'

const { values: given } = parseArgs({
  options: {
    databases: { type: 'string', default: 'postgres' },
    documents: { type: 'string', default: '20000,2000000' },
    requests: { type: 'string', default: '' },
    before: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    indexes: { type: 'boolean', default: false },
    matching: { type: 'string', default: 'exact' },
  },
})

const uncounted = 'pagination[withCount]=false'
const plain = `articles?${uncounted}`

/** What is asked on so many documents; `endCursor` is that of the first page. */
type Path = (documents: number, endCursor: string) => string

/** The cursor of a later entry: published rows follow the drafts, without gaps. */
function cursorAt(documents: number, endCursor: string, page: number): string {
  const [list] = JSON.parse(Buffer.from(endCursor, 'base64url').toString()) as readonly [string]
  return Buffer.from(JSON.stringify([list, documents + page * 25])).toString('base64url')
}

const latePage = (documents: number): number => Math.min(10_000, documents / 50)

const requests: Readonly<Record<string, Path>> = {
  plain: () => plain,
  'plain, estimated': () => 'articles?pagination[withCount]=estimated',
  'plain, total': () => 'articles',
  'populate=author': () => `${plain}&populate=author`,
  'populate=*': () => `${plain}&populate=*`,
  'first page by cursor': () => 'articles?pagination[after]=',
  'page 10,000 by cursor': (documents, end) =>
    `articles?pagination[after]=${cursorAt(documents, end, latePage(documents))}`,
  'page 1,000 by number': (documents) =>
    `${plain}&pagination[page]=${String(Math.min(1000, documents / 50))}`,
  drafts: () => `${plain}&status=draft`,
  'sort=title': () => `${plain}&sort=title`,
  'sort=publishedAt:desc': () => `${plain}&sort=publishedAt:desc`,
  'sort=author.name': () => `${plain}&sort=author.name`,
  'sort=tags.$count': () => `${plain}&sort=tags.$count`,
  'authors, sort=articles.$count': () => `authors?${uncounted}&sort=articles.$count`,
  'filters[title]': () => `${plain}&filters[title]=Title 77`,
  'filters[views][$lt]=50000': () => `${plain}&filters[views][$lt]=50000`,
  'filters[publishedAt][$gt]': () => `${plain}&filters[publishedAt][$gt]=2020-01-01`,
  'filters[author][name]': () => `${plain}&filters[author][name]=Author 7`,
  _q: () => `${plain}&_q=Title 77`,
  'by slug': () => 'articles/by/slug/article-77',
}

const byHand = `select a.* from (select id from articles where published_at is not null order by id limit 25) as p
  inner join articles as a on a.id = p.id order by a.id`

type Ask = () => Promise<unknown>

interface Side {
  readonly name: string
  readonly ask: (path: string) => Promise<string>
}

async function serve(name: string, make: typeof contentRouter, database: Knex.Config): Promise<Side> {
  const permissions = { public: { find: '*', drafts: '*' } } as const
  const router = make({
    ...{ contentTypes: benchTypes, database, permissions, timeout: 120_000 },
    textMatching: given.matching === 'database' ? 'database' : 'exact',
  })
  const server = createServer(express().use('/api', router)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${String(port)}/api/${path}`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${text}`)
    return text
  }
  return { name, ask }
}

/** The least: other work on the machine only adds. */
const least = (values: readonly number[]): number => (values.length === 0 ? NaN : Math.min(...values))

async function timed(ask: Ask): Promise<number> {
  const begun = performance.now()
  await ask()
  return performance.now() - begun
}

/** Slow requests are asked less often, quick ones several times a round. NaN: the side cannot answer it. */
async function inTurns(asks: readonly Ask[]): Promise<readonly number[]> {
  const warm: number[] = []
  for (const ask of asks) warm.push(await timed(ask).catch(() => NaN))
  const [first = NaN] = warm
  const each = Math.max(1, Math.min(20, Math.round(100 / first)))
  const rounds = first > 1000 ? 3 : Number(given.rounds)
  const times: number[][] = asks.map(() => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, ask] of asks.entries())
      for (let time = 0; time < each && !isNaN(warm[index] ?? NaN); time += 1)
        times[index]?.push(await timed(ask))
  return times.map(least)
}

async function endCursorOf({ ask }: Side): Promise<string> {
  const body = JSON.parse(await ask('articles?pagination[after]=')) as {
    meta: { pagination: { endCursor: string } }
  }
  return body.meta.pagination.endCursor
}

function routers(): readonly (readonly [string, typeof contentRouter])[] {
  if (given.before === undefined) return [['now', contentRouter]]
  const before = createRequire(__filename)(join(resolve(given.before), 'lib/index.ts')) as {
    readonly contentRouter: typeof contentRouter
  }
  return [
    ['now', contentRouter],
    ['before', before.contentRouter],
  ]
}

async function measure(name: FilledDatabase, documents: number): Promise<void> {
  const database = `long_${String(documents)}`
  const config = await makeOnce(name, database, 'drafts first', (made) => fillLong(name, made, documents))
  const sides = await Promise.all(
    routers().map(([side, make]) => serve(side, make, { ...config, pool: { min: 0, max: 2 } })),
  )
  const [first] = sides
  if (first === undefined) return
  const knex = makeKnex({ ...config, pool: { min: 0, max: 1 } })
  say(`\n${name}, ${String(documents)} documents: ms, ${sides.map((side) => side.name).join(', ')}`)
  const endCursor = await endCursorOf(first)
  const wanted = given.requests === '' ? Object.keys(requests) : given.requests.split(';')
  for (const request of wanted) {
    const path = requests[request]?.(documents, endCursor) ?? request
    const asks = sides.map(
      ({ ask }) =>
        () =>
          ask(path),
    )
    const hand: readonly Ask[] = request === 'plain' ? [() => knex.raw(byHand)] : []
    const [now = NaN, ...others] = await inTurns([...asks, ...hand])
    const told = others.map((other) => `${other.toFixed(2)} (${(now / other).toFixed(2)})`)
    const columns = given.indexes ? indexFor(name, request) : undefined
    const indexed =
      columns === undefined ? [] : await withIndex(knex, columns, () => inTurns([() => first.ask(path)]))
    say(`| ${[request, now.toFixed(2), ...told, ...indexed.map((ms) => ms.toFixed(2))].join(' | ')} |`)
  }
  await knex.destroy()
}

async function main(): Promise<void> {
  for (const name of filledDatabases.filter((one) => given.databases.split(',').includes(one))) {
    const running = await startDatabase(name)
    if (running === undefined) continue
    for (const documents of given.documents.split(',')) await measure(name, Number(documents))
    await running.stop()
  }
  process.exit(0)
}

void main()
