import fc from 'fast-check'
import type { Request } from 'express'
import { parse } from 'qs'
import { chanceFrom } from '../../requests/chance'
import { printRequest } from '../../requests/request'
import { ContentError, type ContentRouter } from '../../lib'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { eachDatabase } from '../support/databases'
import { store } from '../support/oracle-content'
import { firstSeed, pathOf, runs, serveContent, type Served, servings, worldOf } from './world'

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

eachDatabase((database) => {
  const seeds = [firstSeed, firstSeed + 1]

  describe.each(seeds)('with the model, the content and the rules of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const { permissions, role, grants } = randomRules(chanceFrom(seedNumber), stored)
    let served: Served
    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions, role })
    }, 60_000)
    afterAll(() => served.close())

    async function inside(router: ContentRouter, { role: name, target, request }: Asking): Promise<unknown> {
      const who = await role({ get: () => name } as unknown as Request)
      if (who === null) throw new Error('nobody has no rights in the process')
      const reader = router.as(who)
      const [, type = '', documentId] = pathOf(world.definitions, target).split('/')
      const query = objectOf(printRequest(request))
      if (documentId !== undefined) return told(reader.findOne(type, documentId, query))
      const isSingle = world.definitions.find(({ uid }) => uid === target.uid)?.kind === 'singleType'
      return told(isSingle ? reader.single(type, query) : reader.find(type, query))
    }

    it('whoever reads in the process is told what is told over HTTP', async () => {
      const asking = randomAsking(stored, Object.fromEntries(grants), { beyondStrapi: true })
      const property = fc.asyncProperty(
        asking,
        fc.constantFrom(...Object.keys(servings)),
        async (asked, path) => {
          const router = served.routers.get(path)
          if (router === undefined) throw new Error(`nothing is served at ${path}`)
          const url = `${path}${pathOf(world.definitions, asked.target)}?${printRequest(asked.request)}`
          const { status, text } = await served.host.ask(url, asked.role)
          expect(await inside(router, asked)).toEqual({ status, body: JSON.parse(text) as unknown })
        },
      )
      await fc.assert(property, { seed: seedNumber, numRuns: runs(100), endOnFailure: true })
    }, 120_000)
  })
})
