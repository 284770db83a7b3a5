import express from 'express'
import { knex as makeKnex } from 'knex'
import { contentRouter } from '../../lib'
import { seed } from '../../extensions/seed'
import { askerOf } from '../support/asker'
import {
  type CorpusPart,
  type CorpusRequest,
  readCorpus,
  readDocumentIds,
  replaceIds,
} from '../support/corpus'
import { type TestDatabase, testDatabase, testDatabases } from '../support/databases'
import { roleHeader, rolesOf } from '../support/served'
import type { DatabaseName } from '../support/servers'
import { migrateWorld } from '../support/templates'
import { inOrder } from './difference'

/** One response as text, without what differs from seed to seed: ids of documents, times of writing, cursors. */
function comparable(status: number, body: string, places: ReadonlyMap<string, string>): string {
  const text = replaceIds(body, places)
    .replaceAll(/\b[a-z0-9]{24}\b/g, '{id}')
    .replaceAll(/"(startCursor|endCursor)":"[^"]+"/g, '"$1":"{cursor}"')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      Date.now() - Date.parse(time) < 3_600_000 ? '{now}' : time,
    )
  return `${String(status)} ${text.startsWith('{') ? JSON.stringify(inOrder(JSON.parse(text))) : text}`
}

interface Replay {
  readonly name: DatabaseName
  readonly responsesTo: (part: CorpusPart) => Promise<readonly string[]>
  close(): Promise<void>
}

/** A world of the parts' types and content on a database, to send their requests to. */
async function replayOn(database: TestDatabase, { contentTypes, content }: CorpusPart): Promise<Replay> {
  const world = await database.create()
  const { config } = world
  await migrateWorld({ contentTypes }, config)
  await seed({ contentTypes, database: config }, content)
  const knex = makeKnex(config)
  const places = await readDocumentIds(knex, contentTypes)
  await knex.destroy()
  const ids = new Map([...places].map(([id, place]) => [place, id]))

  async function responsesTo({ options, requests }: CorpusPart): Promise<readonly string[]> {
    const router = contentRouter({
      logger: false,
      contentTypes,
      database: config,
      role: (req) => rolesOf(req.get(roleHeader)),
      permissions: { public: { find: '*' } },
      ...options,
    })
    const asker = await askerOf(express().use('/api', router))
    const answer = async ({ path, role }: CorpusRequest): Promise<string> => {
      const { pathname, search } = new URL(`/api/${replaceIds(path, ids)}`, 'http://localhost')
      const { status, body } = await asker.ask(
        pathname + search,
        role === undefined ? {} : { [roleHeader]: role },
      )
      return comparable(status, body, places)
    }
    const texts: string[] = []
    for (const request of requests) texts.push(await answer(request))
    await asker.close()
    await router.close()
    return texts
  }

  return { name: database.name, responsesTo, close: () => world.drop() }
}

/** Parts of the same types and content share a world, and those of the same options a router. */
function worldsOf(parts: readonly CorpusPart[]): readonly (readonly CorpusPart[])[] {
  const worlds = new Map<string, Map<string, CorpusPart>>()
  for (const part of parts) {
    const { contentTypes, content, options, requests } = part
    const key = JSON.stringify([contentTypes, content])
    const routers = worlds.get(key) ?? new Map<string, CorpusPart>()
    const earlier = routers.get(JSON.stringify(options))?.requests ?? []
    routers.set(JSON.stringify(options), { ...part, requests: [...earlier, ...requests] })
    worlds.set(key, routers)
  }
  return [...worlds.values()].map((routers) => [...routers.values()])
}

interface Expected {
  readonly request: CorpusRequest
  /** The response on SQLite. */
  readonly response: string
}

/** Hardly a rejected request reaches the database: each is sent to one server, others to all of them. */
function expectedOf(all: readonly Expected[], server: number): readonly Expected[] {
  const isOfTurn = (index: number): boolean =>
    process.env['SWEEP'] === 'all' || index % servers.length === server
  return all.filter(({ response }, index) => !response.startsWith('400 ') || isOfTurn(index))
}

/** Where one database answers otherwise than SQLite. */
async function differencesOf(
  { name, responsesTo }: Replay,
  part: CorpusPart,
  expected: readonly Expected[],
): Promise<readonly string[]> {
  const actual = await responsesTo({ ...part, requests: expected.map(({ request }) => request) })
  return expected.flatMap(({ request: { path, role = '' }, response }, index) => {
    const other = actual[index] ?? ''
    if (response === other) return []
    let at = 0
    while (response[at] === other[at]) at += 1
    const shown = (text: string): string => text.slice(Math.max(0, at - 60), at + 100)
    return [`${path} ${role}\n  sqlite: ${shown(response)}\n  ${name}: ${shown(other)}`]
  })
}

async function differences(parts: readonly CorpusPart[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const world of worldsOf(parts)) {
    const [first] = world
    if (first === undefined) continue
    const [sqlite, ...others] = await Promise.all(
      [testDatabase('sqlite'), ...servers].map((one) => replayOn(one, first)),
    )
    if (sqlite === undefined) continue
    for (const part of world) {
      const responses = await sqlite.responsesTo(part)
      const expected = part.requests.map((request, at) => ({ request, response: responses[at] ?? '' }))
      const all = others.map((other, server) => differencesOf(other, part, expectedOf(expected, server)))
      found.push(...(await Promise.all(all)).flat())
    }
    await Promise.all([sqlite, ...others].map((replay) => replay.close()))
  }
  return found
}

const servers = testDatabases.filter(({ name }) => name !== 'sqlite')

if (servers.length === 0) it.skip('requests of spec/meaning (needs a server)', () => undefined)
else
  describe(`on ${servers.map(({ name }) => name).join(', ')}, requests get the same responses as on SQLite`, () => {
    const corpus = readCorpus()

    it('that `npx jest spec/meaning` has collected', () => {
      expect(corpus.length).toBeGreaterThan(0)
    })

    it.each(corpus)(
      'in %s',
      async (_name, parts) => {
        expect(await differences(parts)).toEqual([])
      },
      240_000,
    )
  })
