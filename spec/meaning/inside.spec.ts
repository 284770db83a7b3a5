import fc from 'fast-check'
import type { Request } from 'express'
import { parse } from 'qs'
import { chanceFrom } from '../../requests/chance'
import { printRequest } from '../../requests/request'
import { ContentError, contentRouter, type ContentRouter } from '../../lib'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { onSqlite } from '../support/databases'
import { type Host, serveRouters } from '../support/host'
import { store } from '../support/oracle-content'
import { onOwnServer } from '../support/own-server'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { asWritten, pathOf, serveContent, type Served, silent, worldOf } from './world'

jest.setTimeout(timeFor(100, 120_000))

/** As it would be written in code. */
const objectOf = (text: string): object =>
  parse(text, { depth: Infinity, arrayLimit: 10_000, parameterLimit: 10_000, strictNullHandling: true })

async function told(reading: Promise<unknown>): Promise<unknown> {
  try {
    return { status: 200, body: await reading }
  } catch (error) {
    if (!(error instanceof ContentError)) throw error
    const { status, name, message, details } = error
    return { status, body: { data: null, error: { status, name, message, details } } }
  }
}

/** Whoever was answered may do with it as it likes. */
function spoil(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  for (const part of Object.values(body)) spoil(part)
  for (const name of Object.keys(body)) Reflect.deleteProperty(body, name)
}

interface Ways {
  readonly router: ContentRouter
  readonly host: Host
}

onSqlite((database) => {
  // What others commit would leave nothing in memory to be told from there.
  onOwnServer(database, () => database.fresh())
  const seeds = [firstSeed, firstSeed + 1]

  describe.each(seeds)('with the model, the content and the rules of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const { permissions, role, grants } = randomRules(chanceFrom(seedNumber), stored)
    const ways = new Map<string, Ways>()
    let served: Served
    let keeping: Ways
    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions, role })
      for (const [path, router] of served.routers) ways.set(path, { router, host: served.host })
      const router = contentRouter({
        ...{ contentTypes: asWritten(world.definitions), database: served.database, logger: silent },
        ...{ permissions, role, nestedPagination: true, query: { maxCost: Infinity }, cache: {} },
      })
      keeping = { router, host: await serveRouters({ '/kept': router }) }
      ways.set('/kept', keeping)
    }, 60_000)
    afterAll(async () => {
      await keeping.host.close()
      await keeping.router.close()
      await served.close()
    })

    async function inside(
      router: ContentRouter,
      { role: name, target }: Asking,
      query: object,
    ): Promise<unknown> {
      const who = await role({ get: () => name } as unknown as Request)
      if (who === null) throw new Error('nobody has no rights in the process')
      const reader = router.as(who)
      const [, type = '', documentId] = pathOf(world.definitions, target).split('/')
      if (documentId !== undefined) return told(reader.findOne(type, documentId, query))
      const isSingle = world.definitions.find(({ uid }) => uid === target.uid)?.kind === 'singleType'
      return told(isSingle ? reader.single(type, query) : reader.find(type, query))
    }

    it('whoever reads in the process is told what is told over HTTP, and of objects of its own', async () => {
      const asking = randomAsking(stored, Object.fromEntries(grants), { beyondStrapi: true })
      const property = fc.asyncProperty(asking, fc.constantFrom(...ways.keys()), async (asked, path) => {
        const way = ways.get(path)
        if (way === undefined) throw new Error(`nothing is served at ${path}`)
        const text = printRequest(asked.request)
        const url = `${path}${pathOf(world.definitions, asked.target)}?${text}`
        const before = await inside(way.router, asked, objectOf(text))
        const { status, text: body } = await way.host.ask(url, asked.role)
        const overHttp = { status, body: JSON.parse(body) as unknown }
        expect(before).toEqual(overHttp)
        spoil(before)
        expect(await inside(way.router, asked, text as unknown as object)).toEqual(overHttp)
      })
      await fc.assert(property, { seed: seedNumber, numRuns: runs(100), endOnFailure: true })
      expect(keeping.router.cache.stats().hits).toBeGreaterThan(0)
    })
  })
})
