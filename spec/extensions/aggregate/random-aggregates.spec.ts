import { eachDatabase } from '../../support/databases'
import { firstSeed, runs, timeFor } from '../../support/property-runs'
import type { Served } from '../../meaning/world'
import { expectEqualResponses, type HiddenTwin, serveHiddenTwin } from './hidden-twin'
import { aggregateWorld, expectOracle } from './random-world'

jest.setTimeout(timeFor(60, 60_000))

// A small share of spec/slow/random-aggregates.spec.ts: one world of each kind.

eachDatabase((database) => {
  describe(`with the model, the content, the rules and the requests of seed ${String(firstSeed)}`, () => {
    const world = aggregateWorld(firstSeed)
    let served: Served

    beforeAll(async () => {
      served = await world.serve(database)
    }, 60_000)
    afterAll(() => served.close())

    it('every aggregate and every facet is that of the oracle', async () => {
      const filled = await expectOracle(world, served, { seed: firstSeed, runs: runs(60) })
      expect(filled).toBeGreaterThan(runs(60) / 4)
    })
  })

  describe(`with the model, the content and the hidden rows of seed ${String(firstSeed + 1)}`, () => {
    const seed = firstSeed + 1
    const world = aggregateWorld(seed)
    let twin: HiddenTwin

    beforeAll(async () => {
      twin = await serveHiddenTwin(world, database, seed)
    }, 60_000)
    afterAll(() => twin.close())

    it('no response depends on hidden rows and values', async () => {
      expect(twin.changes).toBeGreaterThan(3)
      const counts = await expectEqualResponses(world, twin, { seed, runs: runs(40) })
      expect(counts.get(200)).toBeGreaterThan(runs(40) / 4)
    })
  })
})
