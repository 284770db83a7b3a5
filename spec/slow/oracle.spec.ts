import fc from 'fast-check'
import { chanceFrom } from '../../lab/requests/chance'
import { spoil } from '../../lab/requests/chaos'
import { printRequest } from '../../lab/requests/request'
import { type KnownType, vocabularyOf } from '../../lab/requests/vocabulary'
import { randomAsking } from '../support/arbitrary-requests'
import { anyText } from '../support/arbitrary-texts'
import { eachDatabase } from '../support/databases'
import type { Grants } from '../support/oracle'
import { store } from '../support/oracle-content'
import { expectAgreement } from '../meaning/agreement'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { pathOf, serveContent, type Served, worldOf } from '../meaning/world'

jest.setTimeout(timeFor(100, 60_000))

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 2)

/** A type that leads to itself without a join table was shown itself. */
const worldsOnceAnsweredWrong = process.env['PROPERTY_SEED'] === undefined ? [992] : []

eachDatabase((database) => {
  const seeds = [
    ...Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index),
    ...worldsOnceAnsweredWrong,
  ]

  describe.each(seeds)('with the model and content of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const types = vocabularyOf(stored.types.values())
    let served: Served

    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions: world.roles })
    }, 60_000)
    afterAll(() => served.close())

    it('every response is that of the oracle', async () => {
      const grantsOf = (role: string): Grants => world.roles[role] ?? { find: [], drafts: [] }
      const asking = randomAsking(stored, world.roles)
      await expectAgreement({ world, stored, served, grantsOf }, asking, seedNumber)
    }, 60_000)

    it('no spoiled query is a 500', async () => {
      const asking = fc.tuple(randomAsking(stored, world.roles), fc.nat(), fc.boolean())
      const text = asking.map(([{ target, request }, seed, spoils]) => {
        const chance = chanceFrom(seed)
        const query = spoils
          ? spoil(chance, printRequest(request))
          : anyText(chance, types, types.get(target.uid) as KnownType)
        return `/flat${pathOf(world.definitions, target)}?${query}`
      })
      const property = fc.asyncProperty(text, async (url) => {
        const { status, text: body } = await served.host.ask(url, 'all')
        expect([url, status, status < 500 ? '' : body]).toEqual([url, expect.any(Number), ''])
      })
      await fc.assert(property, { seed: seedNumber, numRuns: runs(100), endOnFailure: true })
    })
  })
})
